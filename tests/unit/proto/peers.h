/*
 * peers: throw-away directories with a controller's CA and agents of all sorts, for the tests of identity and link.
 */
#ifndef NL_TESTS_PEERS_H
#define NL_TESTS_PEERS_H

#include <stddef.h>

#include "proto/identity.h"

#define PEERS_PATH 300

struct peers {
	char root[200];
	char controller[PEERS_PATH]; /* a whole CA */
	char other[PEERS_PATH];      /* another CA */
};

/* Everything below aborts the test when it fails. */
void peers_init(struct peers *peers);
void peers_fini(struct peers *peers);

/* peers_agent makes ROOT/NAME an agent of the controller in `ca`, certificate valid for `days` (negative: expired), and
 * gives its directory. */
void peers_agent(const struct peers *peers, const char *ca, const char *name, int days, char dir[PEERS_PATH]);

/* peers_copy copies FROM/FILE over TO/FILE, with mode 0600. */
void peers_copy(const char *from, const char *to, const char *file);

#endif
