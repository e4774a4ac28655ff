/*
 * campaign_fixture: the campaigns that several tests begin from.
 */
#ifndef TESTS_CAMPAIGN_FIXTURE_H
#define TESTS_CAMPAIGN_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/campaign/campaign.h"

/* Three lines; what a test adds begins on the fourth. */
#define HEAD                                                                                                           \
	"campaign: t\n"                                                                                                \
	"nas: { agent: nas, pool: /tank, address: 10.0.0.1 }\n"                                                        \
	"clients: [ { agent: one }, { agent: two } ]\n"
#define NFS "  - { name: nfs, protocol: nfs, version: 3, export: /export }\n"
#define SMB                                                                                                            \
	"  - { name: smb, protocol: smb, version: 3.1.1, share: bench, user: bench, password: { file: /root/smb } }\n"
#define ONE_CLIENT                                                                                                     \
	"campaign: t\n"                                                                                                \
	"nas: { agent: nas, pool: /tank, address: 10.0.0.1 }\n"                                                        \
	"clients: [ { agent: one } ]\n"

static inline struct nl_campaign *campaign_of(const char *text)
{
	struct nl_campaign *campaign = calloc(1, sizeof *campaign);
	struct nl_error err;
	assert_non_null(campaign);
	if (nl_campaign_parse(text, strlen(text), "c.yaml", campaign, &err))
		fail_msg("refused: %s: %s: %s", err.what, err.where, err.why);
	return campaign;
}

#endif
