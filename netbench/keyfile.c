/*
 * keyfile: reading a secret with the care it needs: the checks are made on the open file, not on its name.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <mbedtls/platform_util.h>

#include "netbench/keyfile.h"
#include "netbench/netbench.h"

static int refuse(struct nl_error *err, const char *path, enum nl_code code, const char *why, const char *todo)
{
	nl_error_set(err, code, "use the key file");
	nl_error_where(err, "%s", path);
	nl_error_why(err, "%s", why);
	nl_error_todo(err, "%s %s", todo, path);
	return code;
}

static int check(int fd, const char *path, struct nl_error *err)
{
	struct stat stat;

	if (fstat(fd, &stat))
		return nl_error_sys(err, errno, "look at the key file");
	if (!S_ISREG(stat.st_mode))
		return refuse(err, path, NL_E_CONFIG, "it is not a regular file", "give a plain file, not");
	if (stat.st_mode & (S_IRWXG | S_IRWXO))
		return refuse(err, path, NL_E_ACCESS, "others than its owner may use it", "run: chmod 600");
	return 0;
}

static int read_all(int fd, unsigned char *key, size_t *len, struct nl_error *err)
{
	ssize_t n;

	*len = 0;
	while (*len <= NL_NETBENCH_KEY_MAX && (n = read(fd, key + *len, NL_NETBENCH_KEY_MAX + 2 - *len)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return nl_error_sys(err, errno, "read the key file");
		*len += (size_t)n;
	}
	while (*len > 0 && (key[*len - 1] == '\n' || key[*len - 1] == '\r'))
		(*len)--;
	return 0;
}

int nl_netbench_key_read(const char *path, unsigned char **key, size_t *key_len, struct nl_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int rc;

	*key = NULL;
	if (fd < 0) {
		rc = nl_error_sys(err, errno, "open the key file");
		nl_error_where(err, "%s", path);
		return rc;
	}
	rc = check(fd, path, err);
	if (rc == 0 && !(*key = malloc(NL_NETBENCH_KEY_MAX + 2)))
		rc = nl_error_sys(err, ENOMEM, "keep the key");
	if (rc == 0)
		rc = read_all(fd, *key, key_len, err);
	close(fd);
	if (rc == 0 && *key_len == 0)
		rc = refuse(err, path, NL_E_CONFIG, "it is empty",
			    "make one: umask 077; head -c 32 /dev/urandom | base64 >");
	if (rc == 0 && *key_len > NL_NETBENCH_KEY_MAX)
		rc = refuse(err, path, NL_E_CONFIG, "it has more than 4096 bytes", "put a shorter key into");
	if (rc) {
		nl_netbench_key_free(*key, NL_NETBENCH_KEY_MAX + 2);
		*key = NULL;
	}
	return rc;
}

void nl_netbench_key_free(unsigned char *key, size_t key_len)
{
	if (key)
		mbedtls_platform_zeroize(key, key_len);
	free(key);
}
