/*
 * access: agents that joined, and the one-time tokens with which they do. Only hashes of tokens are here.
 */
#include <string.h>
#include <stdlib.h>

#include "base/time.h"
#include "controller/store/statement.h"

#define HASH_BYTES 32

int nl_store_token_add(struct nl_store *store, const uint8_t hash[32], const char *agent_name, int64_t expires_wall_ns,
		       struct nl_error *err)
{
	return NL_EXEC(store, NL_SQL_TOKEN_ADD, err, NL_BLOB(hash, HASH_BYTES), NL_TEXT(agent_name),
		       NL_INT(expires_wall_ns));
}

struct token_row {
	bool found, used;
	int64_t expires_ns, used_ns;
	char agent[64];
};

static int token_get(struct nl_store *store, const uint8_t hash[32], struct token_row *token, struct nl_error *err)
{
	sqlite3_stmt *stmt;
	*token = (struct token_row){0};
	int code = NL_QUERY(store, NL_SQL_TOKEN_GET, &stmt, err, NL_BLOB(hash, HASH_BYTES));
	if (!code)
		code = nl_store_next(store, stmt, &token->found, err);
	if (code || !token->found)
		return code;
	nl_store_column_text(stmt, 0, token->agent, sizeof(token->agent));
	token->expires_ns = sqlite3_column_int64(stmt, 1);
	token->used = sqlite3_column_type(stmt, 2) != SQLITE_NULL;
	token->used_ns = sqlite3_column_int64(stmt, 2);
	nl_store_done(stmt);
	return 0;
}

static int token_refused(const struct token_row *token, const char *agent_name, struct nl_error *err)
{
	char when[32];
	nl_error_set(err, NL_E_IDENTITY, "accept the join token of agent %s", agent_name);
	nl_error_todo(err, "make a new one with 'nasline token %s'", agent_name);
	if (!token->found)
		return nl_error_why(err, "this controller has not made such a token");
	if (token->used)
		return nl_error_why(err, "it was used already, at %s",
				    nl_wall_text(token->used_ns, when, sizeof(when)));
	if (token->agent[0] && strcmp(token->agent, agent_name))
		return nl_error_why(err, "it was made for the agent '%s'", token->agent);
	return nl_error_why(err, "it expired at %s", nl_wall_text(token->expires_ns, when, sizeof(when)));
}

/* One UPDATE decides, so that of two who try at once exactly one finds it unused. */
int nl_store_token_use(struct nl_store *store, const uint8_t hash[32], const char *agent_name, int64_t now_wall_ns,
		       struct nl_error *err)
{
	struct token_row token;
	int code = NL_EXEC(store, NL_SQL_TOKEN_USE, err, NL_BLOB(hash, HASH_BYTES), NL_TEXT(agent_name),
			   NL_INT(now_wall_ns));
	if (code || sqlite3_changes(store->db) == 1)
		return code;
	code = token_get(store, hash, &token, err);
	return code ? code : token_refused(&token, agent_name, err);
}

int nl_store_token_used(struct nl_store *store, const uint8_t hash[32], bool *used, struct nl_error *err)
{
	struct token_row token;
	int code = token_get(store, hash, &token, err);
	*used = token.used;
	if (code || token.found)
		return code;
	nl_error_set(err, NL_E_NOT_FOUND, "find a join token");
	return nl_error_why(err, "this controller has not made such a token");
}

int nl_store_agent_put(struct nl_store *store, const char *name, const void *certificate_der, size_t len,
		       int64_t joined_wall_ns, struct nl_error *err)
{
	return NL_EXEC(store, NL_SQL_AGENT_PUT, err, NL_TEXT(name), NL_BLOB(certificate_der, len),
		       NL_INT(joined_wall_ns));
}

int nl_store_agent_seen(struct nl_store *store, const char *name, const char *host, const char *version,
			const char *capabilities, int64_t wall_ns, struct nl_error *err)
{
	int code = NL_EXEC(store, NL_SQL_AGENT_SEEN, err, NL_TEXT(name), NL_TEXT(host), NL_TEXT(version),
			   NL_TEXT(capabilities), NL_INT(wall_ns));
	if (code || sqlite3_changes(store->db) == 1)
		return code;
	nl_error_set(err, NL_E_NOT_FOUND, "note that agent %s was seen", name);
	return nl_error_why(err, "no agent of this name has joined");
}

int nl_store_agents(struct nl_store *store, struct nl_store_agent **agents, size_t *count, struct nl_error *err)
{
	sqlite3_stmt *stmt;
	size_t capacity = 0;
	bool row = false;
	*agents = NULL;
	*count = 0;
	int code = nl_store_query(store, NL_SQL_AGENTS, NULL, 0, &stmt, err);
	while (!code && !(code = nl_store_next(store, stmt, &row, err)) && row) {
		if (!nl_store_grow((void **)agents, *count, &capacity, sizeof(**agents))) {
			code = nl_store_no_memory(err);
			nl_store_done(stmt);
			break;
		}
		struct nl_store_agent *agent = &(*agents)[(*count)++];
		nl_store_column_text(stmt, 0, agent->name, sizeof(agent->name));
		nl_store_column_text(stmt, 1, agent->host, sizeof(agent->host));
		nl_store_column_text(stmt, 2, agent->version, sizeof(agent->version));
		nl_store_column_text(stmt, 3, agent->capabilities, sizeof(agent->capabilities));
		agent->joined_wall_ns = sqlite3_column_int64(stmt, 4);
		agent->seen_wall_ns = sqlite3_column_int64(stmt, 5);
	}
	if (code) {
		free(*agents);
		*agents = NULL;
		*count = 0;
	}
	return code;
}
