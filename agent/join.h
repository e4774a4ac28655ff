/*
 * join: enrols this machine with a controller, once, by a one-time token.
 */
#ifndef NL_AGENT_JOIN_H
#define NL_AGENT_JOIN_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/error.h"

/*
 * nl_join dials `url`, fetches the CA's certificate and checks it against the token's fingerprint, dials again trusting
 * that CA alone, and only then shows the token's secret and has a certificate for `name` signed. Writes into state_dir
 * (made 0700): agent.key, agent.crt, ca.crt, controller (the URL). Waits at most timeout_ns for the controller to be
 * there. Refuses to join over an identity that is there already, unless `again`.
 */
int nl_join(const char *url, const char *token_text, const char *name, const char *state_dir, bool again,
	    int64_t timeout_ns, struct nl_error *err);

/* nl_join_default_name makes a valid agent name of this host's name. name: NL_IDENTITY_NAME_MAX + 1 bytes. */
void nl_join_default_name(char *name);

#endif
