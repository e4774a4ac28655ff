/*
 * texts: sentences and numbers for the model.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "controller/reconcile/work.h"

void *nl_work_append(struct nl_work *work, void **array, size_t *count, size_t size)
{
	void *grown = reallocarray(*array, *count + 1, size);
	if (!grown) {
		work->no_memory = true;
		return NULL;
	}
	*array = grown;
	char *element = (char *)grown + (*count)++ * size;
	memset(element, 0, size);
	return element;
}

void nl_say(struct nl_work *work, struct nl_texts *texts, const char *format, ...)
{
	va_list args;
	char *text = NULL;
	va_start(args, format);
	int len = vasprintf(&text, format, args);
	va_end(args);
	char **place =
		len < 0 ? NULL : nl_work_append(work, (void **)&texts->text, &texts->count, sizeof(*texts->text));
	if (place)
		*place = text;
	else if (len >= 0)
		free(text);
	else
		work->no_memory = true;
}

void nl_texts_fini(struct nl_texts *texts)
{
	for (size_t i = 0; i < texts->count; i++)
		free(texts->text[i]);
	free(texts->text);
	*texts = (struct nl_texts){0};
}

struct nl_shown nl_show_rate(double bytes_per_second)
{
	struct nl_shown shown;
	nl_units_mbps(bytes_per_second, shown.text, sizeof(shown.text));
	return shown;
}

struct nl_shown nl_show_bytes(double bytes)
{
	struct nl_shown shown = {"unknown"};
	if (bytes >= 0 && bytes < 1.8e19)
		nl_units_bytes((uint64_t)bytes, shown.text, sizeof(shown.text));
	return shown;
}

struct nl_shown nl_show_share(double share)
{
	struct nl_shown shown = {"unknown"};
	if (isfinite(share) && share >= 0)
		snprintf(shown.text, sizeof(shown.text), share < 0.0995 ? "%.1f %%" : "%.0f %%", share * 100);
	return shown;
}

struct nl_shown nl_show_seconds(double seconds)
{
	struct nl_shown shown;
	snprintf(shown.text, sizeof(shown.text), "%.2f s", seconds);
	return shown;
}
