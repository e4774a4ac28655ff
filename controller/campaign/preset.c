/*
 * preset: finds a preset by name.
 */
#include "controller/campaign/preset.h"

#include <string.h>

#include "base/options.h"

const struct nl_preset *nl_preset_find(const char *name)
{
	for (size_t i = 0; i < nl_preset_count; i++)
		if (!strcmp(nl_presets[i].name, name))
			return &nl_presets[i];
	return NULL;
}

const char *nl_preset_nearest(const char *name)
{
	const char *names[32];
	size_t count = nl_preset_count < 32 ? nl_preset_count : 32;
	for (size_t i = 0; i < count; i++)
		names[i] = nl_presets[i].name;
	return nl_nearest(name, names, count);
}
