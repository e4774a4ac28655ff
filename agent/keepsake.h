/*
 * keepsake: what is needed to clean up and must not be written down: how shares were reached, with their passwords, in
 * memory only.
 *
 * The journal says that files lie in a share; the keepsake says how to get there again. After a crash there is none,
 * and the files go with the scratch directory, which the NAS's agent removes.
 */
#ifndef NL_AGENT_KEEPSAKE_H
#define NL_AGENT_KEEPSAKE_H

#include "agent/io/load.h"
#include "proto/message.h"

#define NL_KEEPSAKE_MAX 16

struct nl_kept_share {
	enum nl_engine_id engine;
	char server[256], share[256], version[16], user[64], password[256];
	uint16_t port;
	bool encrypt;
};

struct nl_keepsake {
	struct nl_kept_share share[NL_KEEPSAKE_MAX];
	unsigned count;
};

/* nl_kept_share_from copies a share of an order; NL_E_CONFIG when it makes no sense (unknown protocol, texts too long
 * or with control characters). */
int nl_kept_share_from(struct nl_kept_share *kept, const Nl__ShareTarget *target, struct nl_error *err);
/* nl_kept_share_target points a target for the load generator into `kept`. */
struct nl_share_target nl_kept_share_target(const struct nl_kept_share *kept);
/* nl_keepsake_put remembers a share (once). The caller holds the agent's lock, or is alone. */
void nl_keepsake_put(struct nl_keepsake *keepsake, const struct nl_kept_share *kept);
/* nl_keepsake_find: by the text that the journal holds (nl_kept_share_label), NULL when unknown. */
const struct nl_kept_share *nl_keepsake_find(const struct nl_keepsake *keepsake, const char *label);
/* nl_kept_share_label: "nfs\tSERVER\tSHARE\tUSER", without secrets. */
char *nl_kept_share_label(const struct nl_kept_share *kept, char *buf, size_t size);
/* nl_keepsake_wipe overwrites every secret. */
void nl_keepsake_wipe(struct nl_keepsake *keepsake);

#endif
