/*
 * peers: the agents that the server knows, their sessions, and the order that each has in hand. Private to the server.
 *
 * Locking: everything here is called with the server's lock held.
 */
#ifndef NL_CONTROLLER_CONDUCT_PEERS_H
#define NL_CONTROLLER_CONDUCT_PEERS_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/identity.h"
#include "proto/message.h"

#define NL_PEERS_MAX      64
#define NL_CHALLENGES_MAX 64

struct nl_peer_order {
	uint64_t id; /* 0: none */
	void *data;  /* packed Order; holds secrets: wiped when freed */
	size_t len;
	unsigned phase;
	char run_id[64], role[16], label[64];
	Nl__Result *result;   /* arrived, not fetched */
	struct nl_error lost; /* code not OK: what its agent sent could not be stored */
};

struct nl_peer {
	char name[64], host[256], version[64], capabilities[1024];
	uint64_t session; /* 0: never proved its name */
	int64_t seen_mono_ns;
	struct nl_peer_order order;
	uint64_t abort_order; /* sent with every reply until its result comes or another order is given */
	bool abort_told;      /* a reply has carried it */
	double live_bytes;
	int64_t live_at_ns;
};

struct nl_challenge {
	char name[64], host[256], version[64], capabilities[1024];
	uint8_t nonce[NL_IDENTITY_NONCE_BYTES];
	uint8_t certificate[NL_IDENTITY_DER_MAX];
	size_t certificate_len;
	uint64_t session; /* set when it was proved, so that a repeated proof gets the same welcome */
	int64_t made_mono_ns;
};

struct nl_peers {
	struct nl_peer peer[NL_PEERS_MAX];
	unsigned count;
	struct nl_challenge challenge[NL_CHALLENGES_MAX];
	unsigned next_challenge;
	uint64_t next_order;
};

struct nl_peer *nl_peers_find(struct nl_peers *peers, const char *name);
struct nl_peer *nl_peers_by_session(struct nl_peers *peers, uint64_t session);
/* nl_peers_put finds or makes; NULL when there are too many. */
struct nl_peer *nl_peers_put(struct nl_peers *peers, const char *name);
struct nl_challenge *nl_peers_challenge(struct nl_peers *peers, const char *name, const uint8_t *nonce);
/* nl_peer_order_forget frees the order in hand, wiping its bytes. */
void nl_peer_order_forget(struct nl_peer *peer);

#endif
