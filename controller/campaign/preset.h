/*
 * preset: the campaigns that are shipped as data, built in from presets/NAME.yaml.
 */
#ifndef NL_CONTROLLER_CAMPAIGN_PRESET_H
#define NL_CONTROLLER_CAMPAIGN_PRESET_H

#include <stddef.h>

struct nl_preset {
	const char *name;
	const char *text; /* YAML, zero-terminated */
	size_t len;
};

extern const struct nl_preset nl_presets[]; /* quick first */
extern const size_t nl_preset_count;

/* nl_preset_find gives the preset of that name, or NULL. */
const struct nl_preset *nl_preset_find(const char *name);
/* nl_preset_nearest gives the name nearest to `name`, or NULL. */
const char *nl_preset_nearest(const char *name);

#endif
