/*
 * smb_tasks: check a share, remove files, make and remove directories over SMB.
 */
#include "agent/io/smb_tasks.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "agent/io/share.h"
#include "agent/io/smb.h"

#define URL_BYTES 8192

static int try_write(struct nl_smb *smb, const char *directory, struct nl_error *err)
{
	char name[64], url[URL_BYTES];
	SMBCCTX *context = smb->context;
	nl_share_check_name(name, sizeof name);
	if (!nl_smb_url(smb->share, directory, name, url, sizeof url))
		return nl_error_set(err, NL_E_CONFIG, "the directory's name is too long");
	errno = 0;
	SMBCFILE *file = smb->smbc_getFunctionOpen(context)(context, url, O_RDWR | O_CREAT | O_EXCL, 0600);
	if (!file)
		return nl_smb_failed(smb, "make a file in the share", directory, errno, err);
	int rc = 0;
	if (smb->smbc_getFunctionWrite(context)(context, file, name, strlen(name)) != (ssize_t)strlen(name))
		rc = nl_smb_failed(smb, "write a file in the share", name, errno, err);
	smb->smbc_getFunctionClose(context)(context, file);
	if (smb->smbc_getFunctionUnlink(context)(context, url) && !rc)
		rc = nl_smb_failed(smb, "remove a file in the share", name, errno, err);
	return rc;
}

int nl_smb_check(const struct nl_share_target *share, const char *directory, nl_fact_sink *sink, void *context,
		 struct nl_error *err)
{
	struct nl_smb smb = {.context = NULL};
	int rc = nl_smb_connect(&smb, share, directory, err);
	if (!rc)
		rc = try_write(&smb, directory, err);
	if (!rc && sink) {
		sink(context, "client", "libsmbclient");
		/* The connection would have failed with any other: lowest and highest are set to this one. */
		sink(context, "dialect", nl_smb_dialect(share->version));
		sink(context, "encryption", share->encrypt ? "required" : "not asked for");
		sink(context, "signing", "as the server asks (libsmbclient does not tell)");
		sink(context, "connections_per_stream", "1");
	}
	nl_smb_disconnect(&smb);
	return rc;
}

int nl_smb_remove(const struct nl_share_target *share, const char *directory, const char *file_prefix, unsigned count,
		  struct nl_error *err)
{
	struct nl_smb smb = {.context = NULL};
	char name[256], url[URL_BYTES];
	int rc = nl_smb_connect(&smb, share, directory, err);
	for (unsigned i = 0; i < count && !rc; i++) {
		nl_share_file_name(file_prefix, i, name, sizeof name);
		if (!nl_smb_url(share, directory, name, url, sizeof url))
			rc = nl_error_set(err, NL_E_CONFIG, "the directory's name is too long");
		else if (smb.smbc_getFunctionUnlink(smb.context)(smb.context, url) && errno != ENOENT)
			rc = nl_smb_failed(&smb, "remove a file in the share", name, errno, err);
	}
	nl_smb_disconnect(&smb);
	return rc;
}

/* The directory above is what must exist for both. */
static int connect_above(struct nl_smb *smb, const struct nl_share_target *share, const char *directory, char *url,
			 struct nl_error *err)
{
	char above[1024];
	nl_share_directory_above(directory, above, sizeof above);
	int rc = nl_smb_connect(smb, share, above, err);
	if (!rc && !nl_smb_url(share, directory, "", url, URL_BYTES))
		rc = nl_error_set(err, NL_E_CONFIG, "the directory's name is too long");
	return rc;
}

int nl_smb_make_directory(const struct nl_share_target *share, const char *directory, struct nl_error *err)
{
	struct nl_smb smb = {.context = NULL};
	char url[URL_BYTES];
	int rc = connect_above(&smb, share, directory, url, err);
	if (!rc && smb.smbc_getFunctionMkdir(smb.context)(smb.context, url, 0700) && errno != EEXIST)
		rc = nl_smb_failed(&smb, "make a directory in the share", directory, errno, err);
	nl_smb_disconnect(&smb);
	return rc;
}

int nl_smb_remove_directory(const struct nl_share_target *share, const char *directory, struct nl_error *err)
{
	struct nl_smb smb = {.context = NULL};
	char url[URL_BYTES];
	int rc = connect_above(&smb, share, directory, url, err);
	if (!rc && smb.smbc_getFunctionRmdir(smb.context)(smb.context, url) && errno != ENOENT)
		rc = nl_smb_failed(&smb, "remove a directory in the share", directory, errno, err);
	nl_smb_disconnect(&smb);
	return rc;
}
