/*
 * peers: look-ups in small tables.
 */
#include "controller/conduct/peers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct nl_peer *nl_peers_find(struct nl_peers *peers, const char *name)
{
	for (unsigned i = 0; i < peers->count; i++)
		if (strcmp(peers->peer[i].name, name) == 0)
			return &peers->peer[i];
	return NULL;
}

struct nl_peer *nl_peers_by_session(struct nl_peers *peers, uint64_t session)
{
	for (unsigned i = 0; session != 0 && i < peers->count; i++)
		if (peers->peer[i].session == session)
			return &peers->peer[i];
	return NULL;
}

struct nl_peer *nl_peers_put(struct nl_peers *peers, const char *name)
{
	struct nl_peer *peer = nl_peers_find(peers, name);
	if (peer || peers->count == NL_PEERS_MAX)
		return peer;
	peer = &peers->peer[peers->count++];
	memset(peer, 0, sizeof *peer);
	snprintf(peer->name, sizeof peer->name, "%s", name);
	return peer;
}

struct nl_challenge *nl_peers_challenge(struct nl_peers *peers, const char *name, const uint8_t *nonce)
{
	for (unsigned i = 0; i < NL_CHALLENGES_MAX; i++) {
		struct nl_challenge *challenge = &peers->challenge[i];
		if (challenge->made_mono_ns && strcmp(challenge->name, name) == 0 &&
		    memcmp(challenge->nonce, nonce, sizeof challenge->nonce) == 0)
			return challenge;
	}
	return NULL;
}

void nl_peer_order_forget(struct nl_peer *peer)
{
	if (peer->order.data) {
		explicit_bzero(peer->order.data, peer->order.len);
		free(peer->order.data);
	}
	if (peer->order.result)
		nl__result__free_unpacked(peer->order.result, NULL);
	memset(&peer->order, 0, sizeof peer->order);
}
