/* Drives a report as a reader would and leaves what it showed as lines of text. */
setTimeout(async () => {
	const lines = [];
	const pause = () => new Promise((done) => setTimeout(done, 300));
	const note = (what) => lines.push(what + ": " + document.getElementById("readout").textContent + " || " +
		[...document.querySelectorAll(".legend li")].map((item) => item.textContent).join(" | "));

	const plot = document.getElementById("chart-1");
	for (let i = 0; i < 10; i++)
		plot.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true}));
	note("keys");

	const over = document.querySelector("#chart-2 .u-over"), box = over.getBoundingClientRect();
	const mouse = (type, x, target) => (target || over).dispatchEvent(new MouseEvent(type, {
		clientX: box.left + x, clientY: box.top + 20, bubbles: true, button: 0, buttons: 1, movementX: 1, movementY: 1}));
	mouse("mouseenter", 100);
	mouse("mousemove", box.width / 2);
	await pause();
	note("mouse");

	mouse("mousedown", 100);
	mouse("mousemove", 300, document);
	mouse("mousemove", 300);
	mouse("mouseup", 300, document);
	await pause();
	note("drag");
	document.querySelector("#readout button")?.click();
	note("whole");

	const button = document.querySelectorAll(".legend button")[1];
	button.click();
	lines.push("hidden: " + button.getAttribute("aria-pressed"));
	const result = document.createElement("pre");
	result.textContent = "\n" + lines.join("\n") + "\nend";
	document.body.replaceChildren(result);
}, 300);
