/* The charts of a report: one time axis for all of them, one cursor, the phases of the run shaded behind. */
(function () {
	"use strict";
	const data = JSON.parse(document.getElementById("chart-data").textContent);
	const readout = document.getElementById("readout");
	const quietText = "Point at a chart, or use the arrow keys in one, to read values; drag to look closer.";
	const dashes = [[], [6, 3], [2, 3], [8, 3, 2, 3]];
	const lastTime = Math.max(
		1, ...data.phases.map((phase) => phase.to),
		...data.charts.flatMap((chart) => chart.series.map((s) => s.times[s.times.length - 1] || 0)));
	let range = [0, lastTime];
	let charts = [];
	let busy = false;
	data.phases.sort((a, b) => a.from - b.from);

	const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
	const seriesColour = (i) => colour("--series-" + (1 + (i % 8)));

	function clock(seconds, withTenths) {
		const whole = Math.floor(seconds), minutes = Math.floor(whole / 60) % 60, hours = Math.floor(whole / 3600);
		const two = (n) => String(n).padStart(2, "0");
		const tenths = withTenths ? "." + Math.floor((seconds - whole) * 10) : "";
		return (hours ? hours + ":" + two(minutes) : minutes) + ":" + two(whole % 60) + tenths;
	}

	function shown(value) {
		if (value === null || value === undefined)
			return "–";
		const size = Math.abs(value);
		return value.toFixed(size < 9.995 ? 2 : size < 999.95 ? 1 : 0);
	}

	/* Runs of one stage that follow each other carry one label. */
	function stages() {
		const list = [];
		for (const phase of data.phases) {
			const last = list[list.length - 1];
			if (last && last.stage === phase.stage)
				last.to = phase.to;
			else
				list.push({stage: phase.stage, from: phase.from, to: phase.to});
		}
		return list;
	}

	function drawPhases(u, first) {
		const ctx = u.ctx, box = u.bbox;
		ctx.save();
		ctx.beginPath();
		ctx.rect(box.left, box.top, box.width, box.height);
		ctx.clip();
		data.phases.forEach((phase, i) => {
			const from = u.valToPos(phase.from, "x", true), to = u.valToPos(phase.to, "x", true);
			ctx.fillStyle = colour(i % 2 ? "--phase-next" : "--phase");
			ctx.fillRect(from, box.top, Math.max(1, to - from), box.height);
		});
		ctx.restore();
		if (first)
			drawStages(u);
	}

	function drawStages(u) {
		const ctx = u.ctx, box = u.bbox, ratio = uPlot.pxRatio;
		let free = box.left;
		ctx.save();
		ctx.fillStyle = colour("--quiet");
		ctx.strokeStyle = colour("--rule");
		ctx.lineWidth = ratio;
		ctx.font = 11 * ratio + "px system-ui, sans-serif";
		ctx.textBaseline = "bottom";
		for (const stage of stages()) {
			const from = Math.max(u.valToPos(stage.from, "x", true), box.left);
			const to = Math.min(u.valToPos(stage.to, "x", true), box.left + box.width);
			if (to <= from)
				continue;
			ctx.beginPath();
			ctx.moveTo(from, box.top - 3 * ratio);
			ctx.lineTo(to, box.top - 3 * ratio);
			ctx.stroke();
			const width = ctx.measureText(stage.stage).width;
			if (from < free || width > to - from)
				continue;
			ctx.fillText(stage.stage, from, box.top - 4 * ratio);
			free = from + width + 8 * ratio;
		}
		ctx.restore();
	}

	function table(chart) {
		return uPlot.join(chart.series.map((s) => [s.times, s.values]));
	}

	function axes(last) {
		const font = "12px system-ui, sans-serif", stroke = colour("--quiet");
		const grid = {stroke: colour("--grid"), width: 1}, ticks = {show: false};
		return [
			{stroke, font, grid, ticks, show: last, size: 26, space: 70, values: (u, list) => list.map((v) => clock(v)),
			 incrs: [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800]},
			{stroke, font, grid, ticks, size: 52, space: 28,
			 values: (u, list) => list.map((v) => v >= 10000 ? v / 1000 + "k" : String(v))},
		];
	}

	/* The value of a series nearest to a time; series are sampled at instants of their own. */
	function nearest(series, time) {
		const times = series.times;
		let low = 0, high = times.length - 1;
		while (low < high) {
			const middle = (low + high) >> 1;
			if (times[middle] < time)
				low = middle + 1;
			else
				high = middle;
		}
		if (low > 0 && time - times[low - 1] < times[low] - time)
			low--;
		const gap = times.length > 1 ? (times[times.length - 1] - times[0]) / (times.length - 1) : 1;
		return Math.abs(times[low] - time) <= 1.5 * gap ? series.values[low] : null;
	}

	function showTime(time) {
		readout.textContent = "";
		if (time === null) {
			readout.append(quietText);
		} else {
			const at = document.createElement("strong");
			at.textContent = clock(time, true);
			const phase = data.phases.find((p) => time >= p.from && time < p.to);
			readout.append(at, phase ? "  " + phase.name : "  between phases");
		}
		if (range[0] > 0 || range[1] < lastTime) {
			const whole = document.createElement("button");
			whole.type = "button";
			whole.textContent = "whole run";
			whole.addEventListener("click", () => zoom([0, lastTime]));
			readout.append(whole);
		}
	}

	function moved(u) {
		const time = u.cursor.left >= 0 ? u.posToVal(u.cursor.left, "x") : null;
		const entry = charts.find((c) => c.plot === u);
		if (!entry)
			return;
		entry.data.series.forEach((series, i) => {
			entry.values[i].textContent = time === null ? "" : shown(nearest(series, time)) + " " + entry.data.unit;
		});
		if (entry === charts[0])
			showTime(time);
	}

	function zoom(to) {
		range = to;
		busy = true;
		charts.forEach((c) => c.plot.setScale("x", {min: to[0], max: to[1]}));
		busy = false;
		showTime(null);
	}

	function scaled(u, key) {
		if (key === "x" && !busy && charts.length && Number.isFinite(u.scales.x.min))
			zoom([u.scales.x.min, u.scales.x.max]);
	}

	function swatch(i) {
		const space = "http://www.w3.org/2000/svg";
		const svg = document.createElementNS(space, "svg"), line = document.createElementNS(space, "line");
		svg.setAttribute("aria-hidden", "true");
		for (const [key, value] of [["x1", "0"], ["x2", "100%"], ["y1", "50%"], ["y2", "50%"], ["stroke-width", "2.5"]])
			line.setAttribute(key, value);
		line.setAttribute("stroke", seriesColour(i));
		line.setAttribute("stroke-dasharray", dashes[Math.floor(i / 8) % dashes.length].join(" "));
		svg.append(line);
		return svg;
	}

	function legend(entry) {
		const list = document.createElement("ul");
		list.className = "legend";
		entry.values = [];
		entry.data.series.forEach((series, i) => {
			const item = document.createElement("li"), button = document.createElement("button");
			const value = document.createElement("b");
			button.type = "button";
			button.setAttribute("aria-pressed", "true");
			button.append(swatch(i), series.name + (series.samples > 1 ? " (means of " + series.samples + ")" : ""));
			button.addEventListener("click", () => {
				const show = button.getAttribute("aria-pressed") !== "true";
				button.setAttribute("aria-pressed", String(show));
				entry.plot.setSeries(i + 1, {show});
			});
			item.append(button, value);
			list.append(item);
			entry.values.push(value);
		});
		return list;
	}

	function plot(chart, index) {
		const place = document.getElementById("chart-" + index);
		const first = index === 0, last = index === data.charts.length - 1;
		const entry = {data: chart, place};
		entry.legend = legend(entry);
		place.before(entry.legend);
		entry.plot = new uPlot({
			width: place.clientWidth,
			height: 150 + (first ? 18 : 0) + (last ? 26 : 0),
			padding: [first ? 20 : 6, 8, last ? 0 : 6, 0],
			legend: {show: false},
			cursor: {sync: {key: "run", scales: ["x", null]}, points: {show: false}, drag: {x: true, y: false}},
			scales: {x: {time: false, range: (u, min, max) => [min ?? 0, max ?? lastTime]},
				 y: {range: (u, min, max) => [0, max > 0 ? max * 1.08 : 1]}},
			axes: axes(last),
			series: [{}, ...chart.series.map((s, i) => ({
				label: s.name, stroke: seriesColour(i), width: 1.5, spanGaps: true, points: {show: false},
				dash: dashes[Math.floor(i / 8) % dashes.length],
			}))],
			hooks: {drawClear: [(u) => drawPhases(u, first)], setCursor: [moved], setScale: [scaled]},
		}, table(chart), place);
		return entry;
	}

	/* The arrow keys move the cursor of every chart by a hundredth of what is seen. */
	function keyed(event) {
		const step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
		if (event.key === "Escape")
			zoom([0, lastTime]);
		if (!step)
			return;
		event.preventDefault();
		const width = charts[0].plot.over.clientWidth, left = charts[0].plot.cursor.left;
		const to = Math.min(width, Math.max(0, (left >= 0 ? left : 0) + step * width / 100));
		charts.forEach((c) => c.plot.setCursor({left: to, top: 10}));
	}

	function build() {
		busy = true;
		charts.forEach((c) => {
			c.plot.destroy();
			c.legend.remove();
		});
		charts = data.charts.map(plot);
		charts.forEach((c) => c.plot.setScale("x", {min: range[0], max: range[1]}));
		busy = false;
		showTime(null);
	}

	function fit() {
		charts.forEach((c) => c.plot.setSize({width: c.place.clientWidth, height: c.plot.height}));
	}

	build();
	data.charts.forEach((chart, i) => document.getElementById("chart-" + i).addEventListener("keydown", keyed));
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", build);
	matchMedia("print").addEventListener("change", build);
	addEventListener("resize", fit);
})();
