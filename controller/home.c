/*
 * home: paths in the state directory.
 */
#include "controller/home.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/identity.h"

#define HOME_MAX 1000

const char *nl_home_default(char *buf, size_t size)
{
	const char *home = getenv("HOME");
	snprintf(buf, size, "%s/.nasline", home && home[0] ? home : ".");
	return buf;
}

int nl_home_check(const char *home, struct nl_error *err)
{
	int rc = nl_identity_check_controller(home, err);
	if (rc == NL_E_NOT_FOUND)
		nl_error_todo(err, "make this controller's identity first: nasline init");
	return rc;
}

int nl_home_make(const char *home, bool *made, struct nl_error *err)
{
	char path[1100];
	if (made)
		*made = false;
	if (strlen(home) > HOME_MAX) {
		nl_error_set(err, NL_E_USAGE, "the name of the state directory is too long");
		nl_error_why(err, "it has more than %d characters", HOME_MAX);
		return NL_E_USAGE;
	}
	if (mkdir(home, 0700) != 0 && errno != EEXIST) {
		int rc = nl_error_sys(err, errno, "create the state directory");
		nl_error_where(err, "%s", home);
		nl_error_todo(err,
			      "the directory above it must be there and be writable; or name another with --state");
		return rc;
	}
	snprintf(path, sizeof path, "%s/ca.key", home);
	if (access(path, F_OK) == 0)
		return nl_home_check(home, err);
	int rc = nl_identity_ca_create(home, err);
	if (rc == NL_E_OK && made)
		*made = true;
	return rc;
}

int nl_home_store(const char *home, struct nl_store **store, struct nl_error *err)
{
	char path[1100];
	snprintf(path, sizeof path, "%s/nasline.db", home);
	return nl_store_open(path, store, err);
}

int nl_home_store_read(const char *home, struct nl_store **store, struct nl_error *err)
{
	char path[1100];
	snprintf(path, sizeof path, "%s/nasline.db", home);
	int rc = nl_store_open_read(path, store, err);
	if (rc == NL_E_NOT_FOUND)
		nl_error_todo(err,
			      "make this controller first: nasline init; or name another state directory with --state");
	return rc;
}
