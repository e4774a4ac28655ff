/*
 * mount_options: one table of the options that cannot harm the machine or its data, whoever writes the campaign.
 *
 * Left out on purpose: everything with a path or a secret (credentials, prefixpath, cruid), what outlives the mount
 * (bg, fsc), and what a field of the request says (vers, port, user).
 */
#include "agent/mount/mount_options.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "agent/scan.h"
#include "base/options.h"

#define NFS 1u
#define SMB 2u

enum form {
	BARE,   /* no value */
	NUMBER, /* decimal digits */
	OCTAL,
	WORD,   /* letters, digits, '.', '-', '_' */
	CHOICE, /* one of a list */
};

static const struct option {
	const char *name;
	unsigned protocols;
	enum form form;
	const char *choices; /* separated by blanks */
} table[] = {
	{"ro", NFS | SMB, BARE, NULL},
	{"rw", NFS | SMB, BARE, NULL},
	{"hard", NFS | SMB, BARE, NULL},
	{"soft", NFS | SMB, BARE, NULL},
	{"softerr", NFS, BARE, NULL},
	{"noatime", NFS | SMB, BARE, NULL},
	{"nodiratime", NFS | SMB, BARE, NULL},
	{"relatime", NFS | SMB, BARE, NULL},
	{"sync", NFS | SMB, BARE, NULL},
	{"retrans", NFS | SMB, NUMBER, NULL},
	{"actimeo", NFS | SMB, NUMBER, NULL},
	{"acregmax", NFS | SMB, NUMBER, NULL},
	{"acdirmax", NFS | SMB, NUMBER, NULL},
	{"rsize", NFS | SMB, NUMBER, NULL},
	{"wsize", NFS | SMB, NUMBER, NULL},
	{"sec", NFS | SMB, CHOICE, "sys krb5 krb5i krb5p ntlmssp ntlmsspi ntlmv2 ntlmv2i none"},
	{"acregmin", NFS, NUMBER, NULL},
	{"acdirmin", NFS, NUMBER, NULL},
	{"ac", NFS, BARE, NULL},
	{"noac", NFS, BARE, NULL},
	{"cto", NFS, BARE, NULL},
	{"nocto", NFS, BARE, NULL},
	{"acl", NFS, BARE, NULL},
	{"noacl", NFS, BARE, NULL},
	{"lock", NFS, BARE, NULL},
	{"nolock", NFS, BARE, NULL},
	{"rdirplus", NFS, BARE, NULL},
	{"nordirplus", NFS, BARE, NULL},
	{"sharecache", NFS, BARE, NULL},
	{"nosharecache", NFS, BARE, NULL},
	{"resvport", NFS, BARE, NULL},
	{"noresvport", NFS, BARE, NULL},
	{"tcp", NFS, BARE, NULL},
	{"rdma", NFS | SMB, BARE, NULL},
	{"proto", NFS, CHOICE, "tcp tcp6 rdma rdma6"},
	{"timeo", NFS, NUMBER, NULL},
	{"nconnect", NFS, NUMBER, NULL},
	{"max_connect", NFS, NUMBER, NULL},
	{"trunkdiscovery", NFS, BARE, NULL},
	{"notrunkdiscovery", NFS, BARE, NULL},
	{"xprtsec", NFS, CHOICE, "none tls mtls"},
	{"lookupcache", NFS, CHOICE, "all none pos positive"},
	{"local_lock", NFS, CHOICE, "all none flock posix"},
	{"write", NFS, CHOICE, "lazy eager wait"},
	{"mountport", NFS, NUMBER, NULL},
	{"mountproto", NFS, CHOICE, "tcp udp tcp6 udp6"},
	{"mountvers", NFS, NUMBER, NULL},
	{"cache", SMB, CHOICE, "strict none loose"},
	{"multichannel", SMB, BARE, NULL},
	{"nomultichannel", SMB, BARE, NULL},
	{"max_channels", SMB, NUMBER, NULL},
	{"max_credits", SMB, NUMBER, NULL},
	{"closetimeo", SMB, NUMBER, NULL},
	{"rasize", SMB, NUMBER, NULL},
	{"esize", SMB, NUMBER, NULL},
	{"bsize", SMB, NUMBER, NULL},
	{"echo_interval", SMB, NUMBER, NULL},
	{"handletimeout", SMB, NUMBER, NULL},
	{"strictsync", SMB, BARE, NULL},
	{"nostrictsync", SMB, BARE, NULL},
	{"sharesock", SMB, BARE, NULL},
	{"nosharesock", SMB, BARE, NULL},
	{"sign", SMB, BARE, NULL},
	{"seal", SMB, BARE, NULL},
	{"compress", SMB, BARE, NULL},
	{"domain", SMB, WORD, NULL},
	{"uid", SMB, NUMBER, NULL},
	{"gid", SMB, NUMBER, NULL},
	{"forceuid", SMB, BARE, NULL},
	{"forcegid", SMB, BARE, NULL},
	{"file_mode", SMB, OCTAL, NULL},
	{"dir_mode", SMB, OCTAL, NULL},
	{"perm", SMB, BARE, NULL},
	{"noperm", SMB, BARE, NULL},
	{"serverino", SMB, BARE, NULL},
	{"noserverino", SMB, BARE, NULL},
	{"nobrl", SMB, BARE, NULL},
	{"nodfs", SMB, BARE, NULL},
	{"posix", SMB, BARE, NULL},
	{"noposix", SMB, BARE, NULL},
	{"nounix", SMB, BARE, NULL},
	{"mapposix", SMB, BARE, NULL},
	{"mfsymlinks", SMB, BARE, NULL},
	{"persistenthandles", SMB, BARE, NULL},
	{"resilienthandles", SMB, BARE, NULL},
};
#define OPTION_COUNT (sizeof table / sizeof table[0])

/* What a field of the campaign says is not said again as an option. */
static const struct {
	const char *option, *field;
} fields[] = {
	{"vers", "version"},  {"nfsvers", "version"},   {"minorversion", "version"},
	{"port", "port"},     {"user", "user"},         {"username", "user"},
	{"pass", "password"}, {"password", "password"}, {"credentials", "password"},
	{"cred", "password"},
};

static bool given(const char *text)
{
	return text && text[0];
}

static unsigned protocol_of(const struct nl_mount_request *request)
{
	if (!given(request->protocol))
		return 0;
	return strcmp(request->protocol, "nfs") == 0 ? NFS : strcmp(request->protocol, "smb") == 0 ? SMB : 0;
}

static int refuse(struct nl_error *err, const char *where, const char *why_format, ...)
	__attribute__((format(printf, 3, 4)));

static int refuse(struct nl_error *err, const char *where, const char *why_format, ...)
{
	char why[300];
	va_list args;
	va_start(args, why_format);
	vsnprintf(why, sizeof why, why_format, args);
	va_end(args);
	nl_error_set(err, NL_E_CONFIG, "a mount cannot be made as asked");
	nl_error_where(err, "%s", where);
	return nl_error_why(err, "%s", why);
}

/* --- the operator's options ------------------------------------------------------------------------------------ */

static bool is_choice(const char *choices, const char *value, size_t len)
{
	const char *word;
	size_t word_len;
	while (nl_scan_word(&choices, &word, &word_len))
		if (word_len == len && memcmp(word, value, len) == 0)
			return true;
	return false;
}

static bool all_in(const char *value, size_t len, const char *set)
{
	return len > 0 && strspn(value, set) >= len;
}

static int check_value(const struct option *option, const char *name, const char *value, struct nl_error *err)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_";
	size_t len = value ? strlen(value) : 0;
	switch (option->form) {
	case BARE:
		return value ? refuse(err, name, "it takes no value") : 0;
	case NUMBER:
		return all_in(value ? value : "", len, "0123456789") && len < 11
			       ? 0
			       : refuse(err, name, "it needs a number");
	case OCTAL:
		return all_in(value ? value : "", len, "01234567") && len < 6
			       ? 0
			       : refuse(err, name, "it needs an octal mode");
	case WORD:
		return all_in(value ? value : "", len, letters) && len < 64
			       ? 0
			       : refuse(err, name, "it needs a plain word");
	case CHOICE:
		return value && is_choice(option->choices, value, len)
			       ? 0
			       : refuse(err, name, "it takes one of: %s", option->choices);
	}
	return NL_E_INTERNAL;
}

static int unknown(unsigned protocol, const char *name, struct nl_error *err)
{
	const char *names[OPTION_COUNT];
	size_t count = 0;
	for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
		if (strcmp(fields[i].option, name) == 0)
			return refuse(err, name, "this is said by the share's field `%s`", fields[i].field);
	for (size_t i = 0; i < OPTION_COUNT; i++)
		if (table[i].protocols & protocol)
			names[count++] = table[i].name;
	refuse(err, name, "it is not among the options that are known to be harmless");
	const char *nearest = nl_nearest(name, names, count);
	if (nearest)
		nl_error_todo(err, "the nearest known option is `%s`", nearest);
	return NL_E_CONFIG;
}

static bool said_by_field(const struct nl_mount_request *r, const char *name)
{
	return (r->nconnect && strcmp(name, "nconnect") == 0) || (r->rsize_bytes && strcmp(name, "rsize") == 0) ||
	       (r->wsize_bytes && strcmp(name, "wsize") == 0) || (r->encrypt && strcmp(name, "seal") == 0);
}

/* The list is walked in copies of one option each: "name" or "name=value". */
static bool next_option(const char **list, char name[64], char value[80], bool *has_value, bool *fits)
{
	size_t len = strcspn(*list, ","), name_len = strcspn(*list, ",=");
	if (**list == '\0')
		return false;
	*has_value = name_len < len;
	*fits = nl_scan_copy(name, 64, *list, name_len);
	if (*has_value)
		*fits &= nl_scan_copy(value, 80, *list + name_len + 1, len - name_len - 1);
	*list += len;
	*list += **list == ',';
	return true;
}

static bool said_twice(const char *list, const char *name)
{
	char other[64], value[80];
	bool has_value, fits;
	unsigned count = 0;
	while (next_option(&list, other, value, &has_value, &fits))
		count += strcmp(other, name) == 0;
	return count > 1;
}

static bool has_option(const struct nl_mount_request *request, const char *name)
{
	const char *list = given(request->options) ? request->options : "";
	char other[64], value[80];
	bool has_value, fits;
	while (next_option(&list, other, value, &has_value, &fits))
		if (strcmp(other, name) == 0)
			return true;
	return false;
}

static int check_option(const struct nl_mount_request *request, unsigned protocol, const char *name, const char *value,
			struct nl_error *err)
{
	const struct option *found = NULL;
	for (size_t i = 0; i < OPTION_COUNT && !found; i++)
		if ((table[i].protocols & protocol) && strcmp(table[i].name, name) == 0)
			found = &table[i];
	if (!found)
		return unknown(protocol, name, err);
	if (said_by_field(request, name))
		return refuse(err, name, "a field of the share says it already");
	if (said_twice(request->options, name))
		return refuse(err, name, "it is said twice");
	return check_value(found, name, value, err);
}

int nl_mount_options_check(const struct nl_mount_request *request, struct nl_error *err)
{
	const char *list = given(request->options) ? request->options : "";
	char name[64], value[80];
	bool has_value, fits;
	unsigned protocol = protocol_of(request);
	if (!protocol)
		return refuse(err, "protocol", "it is neither nfs nor smb");
	while (next_option(&list, name, value, &has_value, &fits)) {
		if (!fits || name[0] == '\0')
			return refuse(err, "options", "there is an empty option, or one that is too long");
		int code = check_option(request, protocol, name, has_value ? value : NULL, err);
		if (code)
			return code;
	}
	return 0;
}

/* --- what is mounted ------------------------------------------------------------------------------------------- */

static bool known_version(unsigned protocol, const char *version)
{
	return is_choice(protocol == NFS ? "3 4 4.0 4.1 4.2" : "2.0 2.1 3 3.0 3.0.2 3.02 3.1.1 default", version,
			 strlen(version));
}

/* Whether a text is safe as a part of the source: no control characters, and none of `bad`. */
static bool plain(const char *text, const char *bad)
{
	for (const char *p = text; *p; p++)
		if (iscntrl((unsigned char)*p) || strchr(bad, *p))
			return false;
	return true;
}

static int check_names(const struct nl_mount_request *r, unsigned protocol, struct nl_error *err)
{
	if (!given(r->server) || strlen(r->server) > 255 || !plain(r->server, " /\\,=[]") || r->server[0] == '-')
		return refuse(err, "server", "it is not the name or address of a host");
	if (!given(r->share) || strlen(r->share) > 700)
		return refuse(err, "share", "it is missing or too long");
	if (protocol == NFS && (r->share[0] != '/' || !plain(r->share, "")))
		return refuse(err, "share", "an export is a path that begins with '/'");
	if (protocol == SMB && (r->share[0] == '/' || r->share[0] == '-' || !plain(r->share, "\\,")))
		return refuse(err, "share", "a share is a name without leading '/', '\\' and ','");
	if (given(r->version) && !known_version(protocol, r->version))
		return refuse(err, "version", "'%.20s' is not a version that a mount can ask for", r->version);
	if (protocol == SMB && r->nconnect)
		return refuse(err, "nconnect", "it is for NFS; SMB has multichannel");
	if (protocol == NFS && r->encrypt)
		return refuse(err, "encrypt", "it is for SMB; NFS has xprtsec=tls and sec=krb5p");
	return 0;
}

int nl_mount_source_write(const struct nl_mount_request *request, char *text, size_t size, struct nl_error *err)
{
	unsigned protocol = protocol_of(request);
	if (!protocol)
		return refuse(err, "protocol", "it is neither nfs nor smb");
	int code = check_names(request, protocol, err);
	if (code)
		return code;
	/* mount.nfs wants an IPv6 address in brackets, mount.cifs does not. */
	bool brackets = strchr(request->server, ':') != NULL;
	int n = protocol == SMB ? snprintf(text, size, "//%s/%s", request->server, request->share)
				: snprintf(text, size, brackets ? "[%s]:%s" : "%s:%s", request->server, request->share);
	if (n < 0 || (size_t)n >= size)
		return refuse(err, "share", "it is too long");
	return 0;
}

/* --- the text for the helper ----------------------------------------------------------------------------------- */

struct writer {
	char *text;
	size_t size, used;
	bool full;
};

static void put(struct writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct writer *w, const char *format, ...)
{
	va_list args;
	if (w->used)
		w->used += (size_t)snprintf(w->text + w->used, w->size - w->used, ",");
	va_start(args, format);
	int n = w->used < w->size ? vsnprintf(w->text + w->used, w->size - w->used, format, args) : -1;
	va_end(args);
	if (n < 0 || (size_t)n >= w->size - w->used)
		w->full = true;
	else
		w->used += (size_t)n;
}

static void put_nfs(struct writer *w, const struct nl_mount_request *r)
{
	if (given(r->version))
		put(w, "vers=%s", r->version);
	if (r->nconnect)
		put(w, "nconnect=%u", r->nconnect);
	if (!has_option(r, "sharecache") && !has_option(r, "nosharecache"))
		put(w, "nosharecache");
	bool old = given(r->version) && strcmp(r->version, "3") == 0;
	if (old && !has_option(r, "lock") && !has_option(r, "nolock"))
		put(w, "nolock");
	/* How often is ours to decide: the helper would try for two minutes. */
	put(w, "retry=0");
}

static void put_smb(struct writer *w, const struct nl_mount_request *r, const char *credentials)
{
	if (credentials)
		put(w, "credentials=%s", credentials);
	else
		put(w, "guest");
	if (given(r->version))
		put(w, "vers=%s", r->version);
	if (r->encrypt)
		put(w, "seal");
	if (!has_option(r, "sharesock") && !has_option(r, "nosharesock") && !has_option(r, "multichannel"))
		put(w, "nosharesock");
}

int nl_mount_options_write(const struct nl_mount_request *request, const char *credentials, char *text, size_t size,
			   struct nl_error *err)
{
	struct writer w = {.text = text, .size = size};
	int code = nl_mount_options_check(request, err);
	if (code)
		return code;
	put(&w, "nosuid,nodev,noexec");
	if (protocol_of(request) == NFS)
		put_nfs(&w, request);
	else
		put_smb(&w, request, credentials);
	if (request->port)
		put(&w, "port=%u", (unsigned)request->port);
	if (request->rsize_bytes)
		put(&w, "rsize=%u", (unsigned)request->rsize_bytes);
	if (request->wsize_bytes)
		put(&w, "wsize=%u", (unsigned)request->wsize_bytes);
	/* "sharesock" is what the kernel does unless told otherwise, and no option of it. */
	const char *list = given(request->options) ? request->options : "";
	char name[64], value[80];
	bool has_value, fits;
	while (next_option(&list, name, value, &has_value, &fits))
		if (strcmp(name, "sharesock") != 0)
			put(&w, "%s%s%s", name, has_value ? "=" : "", has_value ? value : "");
	return w.full ? refuse(err, "options", "they are too long together") : 0;
}
