/*
 * schema: the tables of the store, by version, and the check that a file is ours.
 */
#ifndef NL_CONTROLLER_STORE_SCHEMA_H
#define NL_CONTROLLER_STORE_SCHEMA_H

#include "controller/store/statement.h"

#define NL_SCHEMA_APPLICATION_ID 0x4e41534c /* "NASL" */

/* The version that this program writes. */
int nl_schema_current(void);
/*
 * nl_schema_ready brings an open database to the current version when `writable`; otherwise only checks it. NL_E_STORE
 * for a foreign database, a newer schema, or an older one that may not be written.
 */
int nl_schema_ready(struct nl_store *store, bool writable, struct nl_error *err);

#endif
