/*
 * check: what no single key can know: whether the keys of a campaign fit together. Completes what follows from other
 * keys.
 */
#ifndef NL_CONTROLLER_CAMPAIGN_CHECK_H
#define NL_CONTROLLER_CAMPAIGN_CHECK_H

#include "controller/campaign/campaign.h"
#include "controller/campaign/key.h"
#include "controller/campaign/tree.h"

/* A campaign while its file is read: the tree and which of its nodes each client and share came from. */
struct nl_campaign_draft {
	struct nl_key_source source;
	const struct nl_tree_node *root;
	const struct nl_tree_node *clients[NL_CAMPAIGN_LIST_MAX], *shares[NL_CAMPAIGN_LIST_MAX];
	struct nl_campaign *campaign;
};

/* nl_campaign_check fills in what follows (access, version, server, address, min or max) and refuses what contradicts,
 * with the position. */
int nl_campaign_check(struct nl_campaign_draft *draft);

#endif
