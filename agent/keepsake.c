/*
 * keepsake: copies, finds and wipes.
 */
#include "agent/keepsake.h"

#include <stdio.h>
#include <string.h>

static int take(char *to, size_t size, const char *from, const char *field, struct nl_error *err)
{
	size_t len = strlen(from);
	bool clean = len < size;
	for (size_t i = 0; clean && i < len; i++)
		clean = (unsigned char)from[i] >= 0x20 && from[i] != 0x7F;
	if (!clean) {
		nl_error_set(err, NL_E_CONFIG, "the share's %s cannot be used", field);
		nl_error_why(err, "it is longer than %zu bytes or holds a control character", size - 1);
		return NL_E_CONFIG;
	}
	memcpy(to, from, len + 1);
	return NL_E_OK;
}

static int take_secret(struct nl_kept_share *kept, const ProtobufCBinaryData *secret, struct nl_error *err)
{
	if (secret->len >= sizeof kept->password ||
	    memchr(secret->data ? secret->data : (const uint8_t *)"", 0, secret->len)) {
		nl_error_set(err, NL_E_CONFIG, "the share's password cannot be used");
		nl_error_why(err, "it is longer than %zu bytes or holds a NUL", sizeof kept->password - 1);
		return NL_E_CONFIG;
	}
	if (secret->len)
		memcpy(kept->password, secret->data, secret->len);
	return NL_E_OK;
}

int nl_kept_share_from(struct nl_kept_share *kept, const Nl__ShareTarget *target, struct nl_error *err)
{
	memset(kept, 0, sizeof *kept);
	if (strcmp(target->protocol, "nfs") == 0)
		kept->engine = NL_ENGINE_LIBNFS;
	else if (strcmp(target->protocol, "smb") == 0)
		kept->engine = NL_ENGINE_LIBSMBCLIENT;
	else
		return nl_error_set(err, NL_E_CONFIG, "unknown share protocol \"%s\"", target->protocol);
	kept->port = (uint16_t)target->port;
	kept->encrypt = target->encrypt;
	int rc = take(kept->server, sizeof kept->server, target->server, "server", err);
	if (rc == NL_E_OK)
		rc = take(kept->share, sizeof kept->share, target->share, "name", err);
	if (rc == NL_E_OK)
		rc = take(kept->version, sizeof kept->version, target->version, "version", err);
	if (rc == NL_E_OK)
		rc = take(kept->user, sizeof kept->user, target->user, "user", err);
	if (rc == NL_E_OK)
		rc = take_secret(kept, &target->secret, err);
	return rc;
}

struct nl_share_target nl_kept_share_target(const struct nl_kept_share *kept)
{
	return (struct nl_share_target){
		.server = kept->server,
		.share = kept->share,
		.version = kept->version,
		.user = kept->user,
		.password = kept->password,
		.port = kept->port,
		.encrypt = kept->encrypt,
	};
}

char *nl_kept_share_label(const struct nl_kept_share *kept, char *buf, size_t size)
{
	snprintf(buf, size, "%s\t%s\t%s\t%s", kept->engine == NL_ENGINE_LIBNFS ? "nfs" : "smb", kept->server,
		 kept->share, kept->user);
	return buf;
}

const struct nl_kept_share *nl_keepsake_find(const struct nl_keepsake *keepsake, const char *label)
{
	for (unsigned i = 0; i < keepsake->count; i++) {
		char own[700];
		if (strcmp(nl_kept_share_label(&keepsake->share[i], own, sizeof own), label) == 0)
			return &keepsake->share[i];
	}
	return NULL;
}

void nl_keepsake_put(struct nl_keepsake *keepsake, const struct nl_kept_share *kept)
{
	char label[700];
	struct nl_kept_share *known =
		(struct nl_kept_share *)nl_keepsake_find(keepsake, nl_kept_share_label(kept, label, sizeof label));
	if (known)
		*known = *kept;
	else if (keepsake->count < NL_KEEPSAKE_MAX)
		keepsake->share[keepsake->count++] = *kept;
}

void nl_keepsake_wipe(struct nl_keepsake *keepsake)
{
	explicit_bzero(keepsake, sizeof *keepsake);
}
