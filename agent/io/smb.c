/*
 * smb: loads libsmbclient, with a configuration of its own, and logs on.
 */
#include "agent/io/smb.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LIBRARY    "libsmbclient.so.0"
#define PACKAGE    "libsmbclient"
#define TIMEOUT_MS 10000

/* In force instead of the machine's and the user's smb.conf, whose signing and protocol settings would go into the
 * figures unseen. */
static const char configuration[] = "[global]\n"
				    "workgroup = WORKGROUP\n"
				    "client min protocol = SMB2_10\n"
				    "client max protocol = SMB3_11\n"
				    "client use kerberos = off\n"
				    "disable netbios = yes\n"
				    "name resolve order = host\n"
				    "load printers = no\n"
				    "log level = 0\n"
				    "lock directory = /nonexistent\n"
				    "state directory = /nonexistent\n"
				    "cache directory = /nonexistent\n"
				    "private dir = /nonexistent\n";

static const struct {
	const char *name;
	size_t place;
} functions[] = {
#define NL_X(name) {#name, offsetof(struct nl_smb, name)},
	NL_SMB_FUNCTIONS(NL_X)
#undef NL_X
};

bool nl_smb_load(struct nl_smb *smb, char *reason, size_t size)
{
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	memset(smb, 0, sizeof *smb);
	if (!library) {
		snprintf(reason, size, "%s is not there: install the package %s", LIBRARY, PACKAGE);
		return false;
	}
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		void *symbol = dlsym(library, functions[i].name);
		if (!symbol) {
			snprintf(reason, size, "%s has no %s: it is not the version of the package %s", LIBRARY,
				 functions[i].name, PACKAGE);
			return false;
		}
		memcpy((char *)smb + functions[i].place, &symbol, sizeof symbol);
	}
	return true;
}

static const struct {
	const char *version, *dialect;
} dialects[] = {{"2.1", "SMB2_10"}, {"3.0", "SMB3_00"}, {"3.0.2", "SMB3_02"}, {"3.1.1", "SMB3_11"}};

const char *nl_smb_dialect(const char *version)
{
	for (size_t i = 0; i < sizeof dialects / sizeof *dialects; i++)
		if (!strcmp(version, dialects[i].version))
			return dialects[i].dialect;
	return "SMB3_11";
}

static bool put_escaped(const char *text, const char *keep, char **at, char *end)
{
	static const char hex[] = "0123456789ABCDEF";
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;
		bool plain =
			(c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || strchr(keep, c);
		if (end - *at < 4)
			return false;
		if (plain) {
			*(*at)++ = (char)c;
			continue;
		}
		*(*at)++ = '%';
		*(*at)++ = hex[c >> 4];
		*(*at)++ = hex[c & 15];
	}
	**at = 0;
	return true;
}

bool nl_smb_url(const struct nl_share_target *share, const char *directory, const char *name, char *url, size_t size)
{
	char *at = url, *end = url + size;
	directory += strspn(directory, "/");
	/* A literal IPv6 address keeps its colons and brackets. */
	return put_escaped("smb://", ":/", &at, end) && put_escaped(share->server, "-._~:[]", &at, end) &&
	       put_escaped("/", "/", &at, end) && put_escaped(share->share, "-._~$", &at, end) &&
	       put_escaped(directory[0] ? "/" : "", "/", &at, end) && put_escaped(directory, "-._~/", &at, end) &&
	       put_escaped(name[0] ? "/" : "", "/", &at, end) && put_escaped(name, "-._~", &at, end);
}

/* A helper process has one connection: what to log on with. */
static const struct nl_share_target *present_share;

static void copy_text(char *to, int size, const char *from)
{
	if (size > 0)
		snprintf(to, (size_t)size, "%s", from ? from : "");
}

static void on_auth(SMBCCTX *context, const char *server, const char *share, char *workgroup, int workgroup_size,
		    char *user, int user_size, char *password, int password_size)
{
	(void)context, (void)server, (void)share, (void)workgroup, (void)workgroup_size;
	copy_text(user, user_size, present_share->user);
	copy_text(password, password_size, present_share->password);
}

static bool set_configuration(void)
{
	char path[40];
	int memory = memfd_create("nasline-smb", MFD_CLOEXEC);
	size_t len = sizeof configuration - 1;
	if (memory < 0 || write(memory, configuration, len) != (ssize_t)len)
		return false;
	snprintf(path, sizeof path, "/proc/self/fd/%d", memory);
	/* Without HOME, the library cannot prefer ~/.smb/smb.conf. */
	return !setenv("SMB_CONF_PATH", path, 1) && !unsetenv("HOME");
}

static bool set_up(struct nl_smb *smb)
{
	const struct nl_share_target *share = smb->share;
	const char *dialect = nl_smb_dialect(share->version);
	smb->context = smb->smbc_new_context();
	if (!smb->context)
		return false;
	smb->smbc_setDebug(smb->context, 0);
	smb->smbc_setOptionDebugToStderr(smb->context, 1);
	smb->smbc_setFunctionAuthDataWithContext(smb->context, on_auth);
	smb->smbc_setOptionUseKerberos(smb->context, 0);
	smb->smbc_setOptionNoAutoAnonymousLogin(smb->context, 1);
	smb->smbc_setTimeout(smb->context, TIMEOUT_MS);
	if (share->port)
		smb->smbc_setPort(smb->context, share->port);
	if (!smb->smbc_init_context(smb->context))
		return false;
	/* After smbc_init_context, which loads the configuration: it would win. */
	smb->smbc_setOptionProtocols(smb->context, dialect, dialect);
	smb->smbc_setOptionSmbEncryptionLevel(smb->context,
					      share->encrypt ? SMBC_ENCRYPTLEVEL_REQUIRE : SMBC_ENCRYPTLEVEL_NONE);
	return true;
}

int nl_smb_connect(struct nl_smb *smb, const struct nl_share_target *share, const char *directory, struct nl_error *err)
{
	char reason[200], url[8192];
	struct stat st;
	if (!set_configuration())
		return nl_error_sys(err, errno, "set up libsmbclient");
	if (!nl_smb_load(smb, reason, sizeof reason)) {
		nl_error_set(err, NL_E_UNSUPPORTED, "use libsmbclient");
		nl_error_why(err, "%s", reason);
		return NL_E_UNSUPPORTED;
	}
	smb->share = present_share = share;
	if (!set_up(smb))
		return nl_error_sys(err, errno, "set up libsmbclient");
	if (!nl_smb_url(share, directory, "", url, sizeof url))
		return nl_error_set(err, NL_E_CONFIG, "the directory's name is too long");
	errno = 0;
	if (smb->smbc_getFunctionStat(smb->context)(smb->context, url, &st))
		return nl_smb_failed(smb, "reach the SMB share", directory, errno, err);
	if (!S_ISDIR(st.st_mode))
		return nl_smb_failed(smb, "reach the SMB share", directory, ENOTDIR, err);
	return 0;
}

void nl_smb_disconnect(struct nl_smb *smb)
{
	if (smb->context)
		smb->smbc_free_context(smb->context, 1);
	smb->context = NULL;
}

static const struct {
	int sys_errno;
	enum nl_code code;
	const char *why, *todo;
} failures[] = {
	{EACCES, NL_E_ACCESS, "the server denies access: wrong user or password, or no right to the share",
	 "check user, password and the share's permissions"},
	{EPERM, NL_E_ACCESS, "the server denies access: wrong user or password, or no right to the share",
	 "check user, password and the share's permissions"},
	{EINVAL, NL_E_NOT_FOUND, "the server's name is not known, or the share's is not valid", "check the names"},
	{ENOENT, NL_E_NOT_FOUND, "the server has no such share, directory or file",
	 "check the names with: smbclient -L SERVER"},
	{ENODEV, NL_E_NOT_FOUND, "the server has no such share", "check the name with: smbclient -L SERVER"},
	{ENOTDIR, NL_E_NOT_FOUND, "it is not a directory", ""},
	{ECONNREFUSED, NL_E_PEER, "nothing listens there: no SMB server", "check server and port"},
	{EHOSTUNREACH, NL_E_PEER, "the server cannot be reached", "check the address"},
	{ENETUNREACH, NL_E_PEER, "the server cannot be reached", "check the address"},
	{ETIMEDOUT, NL_E_TIMEOUT, "the server does not answer", "check the address and firewalls"},
	{ECONNABORTED, NL_E_PEER, "the connection was lost", ""},
	{ECONNRESET, NL_E_PEER, "the connection was lost", ""},
};

int nl_smb_failed(const struct nl_smb *smb, const char *what, const char *name, int sys_errno, struct nl_error *err)
{
	int code = nl_error_sys(err, sys_errno, "%s", what);
	nl_error_where(err, "%s:%s%s%s", smb->share->server, smb->share->share, name[0] ? ", " : "", name);
	for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
		if (failures[i].sys_errno != sys_errno)
			continue;
		code = failures[i].code;
		if (err)
			err->code = failures[i].code;
		nl_error_why(err, "%s", failures[i].why);
		nl_error_todo(err, "%s", failures[i].todo);
	}
	return code;
}
