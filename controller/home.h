/*
 * home: the controller's state directory: its CA, its database, the identity of the local agent.
 */
#ifndef NL_CONTROLLER_HOME_H
#define NL_CONTROLLER_HOME_H

#include <stddef.h>

#include "base/error.h"
#include "controller/store/store.h"

/* nl_home_default: ~/.nasline. Returns buf. */
const char *nl_home_default(char *buf, size_t size);
/* nl_home_make creates the directory (0700) and the CA when there is none; *made (NULL allowed) tells whether it was
 * made now. */
int nl_home_make(const char *home, bool *made, struct nl_error *err);
/* nl_home_check: the CA and the controller's certificate are there and good. */
int nl_home_check(const char *home, struct nl_error *err);
/* nl_home_store opens the database for writing (creating it), _read for reports. */
int nl_home_store(const char *home, struct nl_store **store, struct nl_error *err);
int nl_home_store_read(const char *home, struct nl_store **store, struct nl_error *err);

#endif
