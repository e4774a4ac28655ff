/*
 * secret: one small file, checked for who may read it.
 */
#include "controller/conduct/secret.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/parse.h"

#define SECRET_FILE_MAX 4096

static int check_mode(const char *path, struct nl_error *err)
{
	struct stat st;
	if (stat(path, &st) != 0) {
		int rc = nl_error_sys(err, errno, "read the password file");
		nl_error_where(err, "%s", path);
		return rc;
	}
	if ((st.st_mode & 077) == 0)
		return NL_E_OK;
	nl_error_set(err, NL_E_ACCESS, "the password file is open to others");
	nl_error_where(err, "%s", path);
	nl_error_why(err, "its mode is %03o", (unsigned)st.st_mode & 0777);
	nl_error_todo(err, "chmod 600 %s", path);
	return NL_E_ACCESS;
}

static const char *find_password(char *text)
{
	char *cursor = text, *line, *first = NULL;
	while ((line = nl_line_next(&cursor)) != NULL) {
		if (strncmp(line, "password=", 9) == 0)
			return line + 9;
		if (!first)
			first = line;
	}
	return first && strncmp(first, "username=", 9) != 0 ? first : NULL;
}

int nl_secret_read(const char *path, char *secret, size_t size, struct nl_error *err)
{
	char *text = NULL;
	size_t len = 0;
	int rc = check_mode(path, err);
	if (rc == NL_E_OK)
		rc = nl_file_read(path, SECRET_FILE_MAX, &text, &len, err);
	if (rc != NL_E_OK)
		return rc;
	const char *password = find_password(text);
	if (!password || password[0] == '\0' || strlen(password) >= size) {
		rc = nl_error_set(err, NL_E_CONFIG, "the password file holds no password");
		nl_error_where(err, "%s", path);
		nl_error_todo(err, "write the password alone on its first line, or as password=...");
	} else {
		memcpy(secret, password, strlen(password) + 1);
	}
	explicit_bzero(text, len);
	free(text);
	return rc;
}
