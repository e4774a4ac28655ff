/*
 * check: rules across keys. Each rule is a function that sees the whole draft (or one share of it) and refuses at the
 * position of the key that the user would change.
 */
#include "controller/campaign/check.h"

#include <string.h>

#include "base/options.h"

#define BLOCK_STEP 4096u /* what direct I/O needs on every disk of today */

struct share_check {
	struct nl_campaign_draft *draft;
	struct nl_campaign_share *share;
	const struct nl_tree_node *node;
};

/* The value of MAP.KEY in the file, or the nearest place that exists. */
static const struct nl_tree_node *place(const struct nl_campaign_draft *draft, const char *map, const char *key)
{
	const struct nl_tree_node *section = nl_tree_get(draft->root, map);
	const struct nl_tree_node *value = key ? nl_tree_get(section, key) : NULL;
	if (value)
		return value;
	return section ? section : draft->root;
}

static int refuse(const struct nl_campaign_draft *draft, const struct nl_tree_node *node, const char *what,
		  const char *why, const char *todo)
{
	nl_key_refuse(&draft->source, node, "%s", what);
	nl_error_why(draft->source.err, "%s", why);
	nl_error_todo(draft->source.err, "%s", todo);
	return NL_E_CONFIG;
}

/* --- one share --- */

/* Refuses share.KEY when it was given in the file. */
static int refuse_given(const struct share_check *c, const char *key, const char *why)
{
	const struct nl_tree_node *node = nl_tree_get(c->node, key);
	char what[200];
	if (!node)
		return 0;
	snprintf(what, sizeof what, "share \"%s\": \"%s\" has no effect here", c->share->name, key);
	return refuse(c->draft, node, what, why, "leave it out");
}

static int refuse_share(const struct share_check *c, const char *key, const char *what, const char *why,
			const char *todo)
{
	const struct nl_tree_node *node = nl_tree_get(c->node, key);
	char text[200];
	snprintf(text, sizeof text, "share \"%s\": %s", c->share->name, what);
	return refuse(c->draft, node ? node : c->node, text, why, todo);
}

static int check_share_name(const struct share_check *c)
{
	static const char *const taken[] = {"line", "pool", "generator"};
	const struct nl_campaign *campaign = c->draft->campaign;
	for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++)
		if (!strcmp(c->share->name, taken[i]))
			return refuse_share(c, "name", "the name is taken",
					    "line, pool and generator are names of figures already",
					    "choose another name");
	for (const struct nl_campaign_share *other = campaign->shares; other < c->share; other++)
		if (!strcmp(c->share->name, other->name))
			return refuse_share(c, "name", "another share has this name",
					    "figures and files are told apart by the share's name",
					    "choose another name");
	return 0;
}

static int check_share_client(const struct share_check *c)
{
	const struct nl_campaign *campaign = c->draft->campaign;
	const char *names[NL_CAMPAIGN_LIST_MAX];
	if (!*c->share->client)
		return 0;
	for (unsigned i = 0; i < campaign->client_count; i++) {
		names[i] = campaign->clients[i];
		if (!strcmp(c->share->client, names[i]))
			return 0;
	}
	const char *near = nl_nearest(c->share->client, names, campaign->client_count);
	int code = refuse_share(c, "client", "its client is not one of the campaign's",
				"every client is listed under \"clients\"", "");
	if (near)
		nl_error_todo(c->draft->source.err, "did you mean \"%s\"?", near);
	return code;
}

struct version_row {
	const char *protocol, *written, *version;
	bool userland;
};

/* Spellings in use and what they are here; the first of a protocol and an access is its default. */
static const struct version_row versions[] = {
	{"nfs", "4.2", "4.2", false}, {"nfs", "3", "3", true},        {"nfs", "3.0", "3", true},
	{"nfs", "4.1", "4.1", false}, {"nfs", "4.0", "4.0", false},   {"smb", "3.1.1", "3.1.1", true},
	{"smb", "3.0", "3.0", true},  {"smb", "3.02", "3.0.2", true}, {"smb", "3.0.2", "3.0.2", true},
	{"smb", "2.1", "2.1", false},
};

static const struct version_row *find_version(const struct nl_campaign_share *share)
{
	for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++)
		if (!strcmp(versions[i].protocol, share->protocol) && !strcmp(versions[i].written, share->version))
			return &versions[i];
	return NULL;
}

static const char *default_version(const struct nl_campaign_share *share)
{
	for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++)
		if (!strcmp(versions[i].protocol, share->protocol) &&
		    (share->access == NL_ACCESS_MOUNT || versions[i].userland))
			return versions[i].version;
	return "";
}

/* Access follows from `path`, else from the version; the version from the access. */
static int complete_access(const struct share_check *c)
{
	struct nl_campaign_share *share = c->share;
	bool given = nl_tree_get(c->node, "access") != NULL, written = *share->version != '\0';
	const struct version_row *row = written ? find_version(share) : NULL;
	if (written && !row)
		return refuse_share(
			c, "version", "the protocol has no such version",
			*share->protocol == 'n' ? "NFS: 3, 4.0, 4.1 or 4.2" : "SMB: 2.1, 3.0, 3.0.2 or 3.1.1", "");
	if (*share->path && given && share->access != NL_ACCESS_PATH)
		return refuse_share(c, "access", "access and path contradict",
				    "a path is an existing mount, which is used as it is", "leave \"access\" out");
	if (*share->path)
		share->access = NL_ACCESS_PATH;
	else if (!given)
		share->access = row && !row->userland ? NL_ACCESS_MOUNT : NL_ACCESS_USERLAND;
	if (share->access == NL_ACCESS_PATH && !*share->path)
		return refuse_share(c, "access", "the key \"path\" is missing", "access is path",
				    "name the existing mount");
	if (share->access == NL_ACCESS_USERLAND && row && !row->userland)
		return refuse_share(c, "version", "userland access cannot do this version",
				    "libnfs can write with NFS 3 only, libsmbclient is used with SMB 3.x",
				    "use access: mount");
	if (share->access == NL_ACCESS_PATH && !written)
		return 0;
	const char *version = row ? row->version : default_version(share);
	memset(share->version, 0, sizeof share->version);
	memcpy(share->version, version, strlen(version));
	return 0;
}

/* Keys that only some kinds of access or one protocol knows: given elsewhere they would be silently ignored. */
static int check_effect(const struct share_check *c)
{
	static const struct {
		const char *key;
		bool nfs, smb, userland, mount, path;
		const char *why;
	} rules[] = {
		{"server", true, true, true, true, false, "the path is mounted already"},
		{"share", true, true, true, true, false, "the path is mounted already"},
		{"export", true, true, true, true, false, "the path is mounted already"},
		{"port", true, true, true, true, false, "the path is mounted already"},
		{"user", false, true, true, true, false, "only SMB that nasline itself connects has a user"},
		{"password", false, true, true, true, false, "only SMB that nasline itself connects has a password"},
		{"encrypt", false, true, true, true, false,
		 "only SMB that nasline itself connects can be told to encrypt"},
		{"options", true, true, false, true, false, "only a mount made by nasline has mount options"},
		{"rsize", true, true, false, true, false, "only a mount made by nasline has mount options"},
		{"wsize", true, true, false, true, false, "only a mount made by nasline has mount options"},
		{"nconnect", true, false, false, true, false, "only an NFS mount made by nasline has it"},
	};
	bool nfs = *c->share->protocol == 'n';
	int code = 0;
	for (size_t i = 0; i < sizeof rules / sizeof rules[0] && !code; i++) {
		const bool by_access[] = {rules[i].userland, rules[i].mount, rules[i].path};
		if (!(nfs ? rules[i].nfs : rules[i].smb) || !by_access[c->share->access])
			code = refuse_given(c, rules[i].key, rules[i].why);
	}
	return code;
}

static int check_share_place(const struct share_check *c)
{
	struct nl_campaign_share *share = c->share;
	if (share->access == NL_ACCESS_PATH)
		return *share->path == '/' ? 0
					   : refuse_share(c, "path", "the path is not absolute",
							  "agents have no directory of their own", "begin it with /");
	if (!*share->share)
		return refuse_share(c, "share", "the key \"share\" is missing",
				    "the export's path (NFS) or the share's name (SMB)", "");
	if (*share->protocol == 'n' && *share->share != '/')
		return refuse_share(c, nl_tree_get(c->node, "share") ? "share" : "export", "the export is not a path",
				    "NFS exports are absolute paths", "begin it with /");
	if (*share->protocol == 's' && strpbrk(share->share, "/\\"))
		return refuse_share(c, nl_tree_get(c->node, "share") ? "share" : "export", "this is no share's name",
				    "it has a slash", "name the share only; where in it: directory");
	if (!*share->server)
		memcpy(share->server, c->draft->campaign->nas_address, sizeof share->server);
	if (!*share->server)
		return refuse_share(c, "server", "nobody knows where its server is",
				    "neither server nor nas.address is given",
				    "give nas.address, how clients reach the NAS");
	return 0;
}

/* ".." would lead out of the share's own scratch. */
static int check_directory(const struct share_check *c)
{
	const char *rest = c->share->directory;
	while (*rest) {
		size_t len = strcspn(rest, "/\\");
		if (len == 2 && !strncmp(rest, "..", 2))
			return refuse_share(c, "directory", "the directory leads out of the share", "it has \"..\"",
					    "");
		rest += len + (rest[len] != '\0');
	}
	return 0;
}

/* A secret in mount options or in the user would be stored and shown with the campaign. */
static int check_secrets(const struct share_check *c)
{
	static const char *const secret[] = {"pass", "password",    "passwd", "password2",
					     "cred", "credentials", "user",   "username"};
	const struct nl_campaign_share *share = c->share;
	for (const char *rest = share->options; *rest;) {
		size_t len = strcspn(rest, ","), word = strcspn(rest, ",= ");
		for (size_t i = 0; i < sizeof secret / sizeof secret[0]; i++)
			if (word == strlen(secret[i]) && !strncmp(rest, secret[i], word))
				return refuse_share(c, "options", "users and passwords are no mount options here",
						    "campaigns are stored, shown and passed on",
						    "use user: NAME and password: { file: PATH }");
		rest += len + (rest[len] == ',');
	}
	if (strchr(share->user, '%'))
		return refuse_share(c, "user", "the user has a '%'", "what follows it would be taken for a password",
				    "use password: { file: PATH }");
	if (*share->password_file && !*share->user)
		return refuse_share(c, "password", "a password without a user",
				    "without a user the share is used as guest", "give user");
	return 0;
}

static int check_share(const struct share_check *c)
{
	static int (*const rules[])(const struct share_check *) = {
		check_share_name,  check_share_client, complete_access, check_effect,
		check_share_place, check_directory,    check_secrets,
	};
	int code = 0;
	for (size_t i = 0; i < sizeof rules / sizeof rules[0] && !code; i++)
		code = rules[i](c);
	return code;
}

/* --- the whole --- */

static int check_title(struct nl_campaign_draft *draft)
{
	if (*draft->campaign->title)
		return 0;
	return refuse(draft, place(draft, "campaign", NULL), "the title is empty", "it heads the report", "");
}

static int check_clients(struct nl_campaign_draft *draft)
{
	const struct nl_campaign *campaign = draft->campaign;
	for (unsigned i = 0; i < campaign->client_count; i++)
		for (unsigned j = 0; j < i; j++)
			if (!strcmp(campaign->clients[i], campaign->clients[j]))
				return refuse(draft, draft->clients[i], "this client is listed twice",
					      "one agent is one client", "");
	if (campaign->client_count == 0 && (campaign->line.enabled || campaign->share_count))
		return refuse(draft, place(draft, "clients", NULL), "there is no client",
			      "the line and the shares are measured from a client",
			      "give clients: [ { agent: NAME } ], or line: off and no shares");
	return 0;
}

static int check_something(struct nl_campaign_draft *draft)
{
	const struct nl_campaign *campaign = draft->campaign;
	if (campaign->line.enabled || campaign->pool.enabled || campaign->share_count)
		return 0;
	return refuse(draft, draft->root, "there is nothing to measure",
		      "line and pool are off, and there are no shares", "give at least one of line, pool and shares");
}

static int check_shares(struct nl_campaign_draft *draft)
{
	int code = 0;
	for (unsigned i = 0; i < draft->campaign->share_count && !code; i++) {
		struct share_check c = {draft, &draft->campaign->shares[i], draft->shares[i]};
		code = check_share(&c);
	}
	return code;
}

static int check_nas(struct nl_campaign_draft *draft)
{
	struct nl_campaign *campaign = draft->campaign;
	for (unsigned i = 0; i < campaign->share_count && !*campaign->nas_address; i++)
		memcpy(campaign->nas_address, campaign->shares[i].server, sizeof campaign->nas_address);
	if (campaign->line.enabled && !*campaign->nas_address)
		return refuse(draft, place(draft, "nas", NULL), "nobody knows how clients reach the NAS",
			      "the line is measured between them", "give nas.address, or line: off");
	if (!*campaign->nas_pool && (campaign->pool.enabled || campaign->share_count))
		return refuse(draft, place(draft, "nas", NULL), "the key \"pool\" is missing in \"nas\"",
			      "pool and shares are measured on it", "give nas.pool, or pool: off and no shares");
	return 0;
}

static int check_client_warm(struct nl_campaign_draft *draft)
{
	const struct nl_campaign *campaign = draft->campaign;
	bool warm = false;
	for (unsigned i = 0; i < campaign->streams.workloads.count; i++)
		warm = warm || campaign->streams.workloads.value[i] == NL_WORKLOAD_CLIENT_WARM_READ;
	for (unsigned i = 0; i < campaign->share_count && warm; i++) {
		struct share_check c = {draft, &draft->campaign->shares[i], draft->shares[i]};
		if (c.share->access == NL_ACCESS_USERLAND)
			return refuse_share(&c, "access", "client-warm-read needs a client cache",
					    "userland access has none", "use access: mount or path");
	}
	return 0;
}

/* One key of the pair may come from the preset: then it follows the one that the file gives. */
static int check_iterations(struct nl_campaign_draft *draft)
{
	struct nl_campaign *campaign = draft->campaign;
	const struct nl_tree_node *section = nl_tree_get(draft->root, "iterations");
	if (campaign->iterations.min <= campaign->iterations.max)
		return 0;
	if (nl_tree_get(section, "min") && nl_tree_get(section, "max"))
		return refuse(draft, place(draft, "iterations", "max"), "iterations.max is below iterations.min", "",
			      "");
	if (nl_tree_get(section, "min"))
		campaign->iterations.max = campaign->iterations.min;
	else
		campaign->iterations.min = campaign->iterations.max;
	return 0;
}

static int check_blocks(struct nl_campaign_draft *draft)
{
	const struct nl_campaign *campaign = draft->campaign;
	const struct {
		const char *section;
		bool used;
		uint64_t block, file;
	} rows[] = {
		{"pool", campaign->pool.enabled, campaign->pool.block_bytes, campaign->pool.file_bytes},
		{"streams", true, campaign->streams.block_bytes, campaign->streams.file_bytes},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		if (rows[i].used && rows[i].block % BLOCK_STEP)
			return refuse(draft, place(draft, rows[i].section, "block_size"),
				      "the block size is no multiple of 4 KiB", "direct I/O needs whole sectors", "");
		if (rows[i].used && rows[i].file && rows[i].file < rows[i].block)
			return refuse(draft, place(draft, rows[i].section, "size"), "the size is below the block size",
				      "a file has at least one block", "");
	}
	return 0;
}

int nl_campaign_check(struct nl_campaign_draft *draft)
{
	static int (*const rules[])(struct nl_campaign_draft *) = {
		check_title, check_something,   check_clients,    check_shares,
		check_nas,   check_client_warm, check_iterations, check_blocks,
	};
	int code = 0;
	for (size_t i = 0; i < sizeof rules / sizeof rules[0] && !code; i++)
		code = rules[i](draft);
	return code;
}
