/*
 * undo: one function per kind of journal entry.
 */
#include "agent/undo.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/mount/mount.h"
#include "agent/storage/scratch.h"
#include "agent/storage/storage.h"
#include "base/parse.h"
#include "base/time.h"

#define SHARE_TIMEOUT_NS (15 * NL_NS_PER_S)

void nl_undo_detail(char *buf, size_t size, const char *prefix, unsigned count, const char *label)
{
	snprintf(buf, size, "%s\t%u\t%s", prefix, count, label);
}

int nl_undo_inside_scratch(const char *directory, const char *run_id, struct nl_error *err)
{
	char name[80];
	bool inside = false, climbs = false;
	snprintf(name, sizeof name, "%s%s", NL_SCRATCH_PREFIX, run_id);
	for (const char *at = directory; *at;) {
		at += strspn(at, "/");
		size_t len = strcspn(at, "/");
		inside = inside || (run_id[0] && len == strlen(name) && strncmp(at, name, len) == 0);
		climbs = climbs || (len == 2 && strncmp(at, "..", 2) == 0);
		at += len;
	}
	if (inside && !climbs)
		return NL_E_OK;
	nl_error_set(err, NL_E_ACCESS, "an order that would write outside the run's scratch directory is refused");
	nl_error_where(err, "%s", directory);
	nl_error_why(err, "it is not below a directory named %s", name);
	return NL_E_ACCESS;
}

static bool split_detail(char *detail, const char **prefix, unsigned *count, const char **label)
{
	uint64_t n;
	char *number = strchr(detail, '\t');
	if (!number)
		return false;
	*number++ = '\0';
	char *rest = strchr(number, '\t');
	if (!rest)
		return false;
	*rest++ = '\0';
	if (!nl_parse_u64(number, &n) || n > NL_LOAD_STREAMS_MAX)
		return false;
	*prefix = detail;
	*count = (unsigned)n;
	*label = rest;
	return true;
}

static int remove_regular(int dir, const char *directory, const char *file, struct nl_error *err)
{
	struct stat st;
	const char *why = "it is not the regular file that was made";
	if (fstatat(dir, file, &st, AT_SYMLINK_NOFOLLOW) != 0) {
		if (errno == ENOENT)
			return NL_E_OK;
		why = strerrordesc_np(errno);
	} else if (S_ISREG(st.st_mode)) {
		if (unlinkat(dir, file, 0) == 0 || errno == ENOENT)
			return NL_E_OK;
		why = strerrordesc_np(errno);
	}
	nl_error_set(err, NL_E_LEFTOVER, "a test file could not be removed");
	nl_error_where(err, "%s/%s", directory, file);
	nl_error_why(err, "%s", why);
	return NL_E_LEFTOVER;
}

int nl_undo_files(const char *directory, const char *prefix, unsigned count, struct nl_error *err)
{
	int dir = open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir < 0 && errno == ENOENT)
		return NL_E_OK;
	if (dir < 0) {
		int open_errno = errno;
		nl_error_set(err, NL_E_LEFTOVER, "the directory of test files cannot be opened");
		nl_error_where(err, "%s", directory);
		nl_error_why(err, "%s", strerrordesc_np(open_errno));
		return NL_E_LEFTOVER;
	}
	int rc = NL_E_OK;
	for (unsigned i = 0; i < count && rc == NL_E_OK; i++) {
		char file[200];
		snprintf(file, sizeof file, "%s-%u", prefix, i);
		rc = remove_regular(dir, directory, file, err);
	}
	close(dir);
	return rc;
}

static int undo_share_files(struct nl_agent *agent, const struct nl_journal_entry *entry, struct nl_error *err)
{
	char detail[sizeof entry->detail];
	const char *prefix, *label;
	unsigned count;
	memcpy(detail, entry->detail, sizeof detail);
	if (!split_detail(detail, &prefix, &count, &label)) {
		nl_error_set(err, NL_E_LEFTOVER, "a journal entry cannot be understood");
		nl_error_where(err, "%s", entry->id);
		return NL_E_LEFTOVER;
	}
	if (label[0] == '\0')
		return nl_undo_files(entry->path, prefix, count, err);
	pthread_mutex_lock(&agent->lock);
	const struct nl_kept_share *found = nl_keepsake_find(&agent->keepsake, label);
	struct nl_kept_share kept;
	if (found)
		kept = *found;
	pthread_mutex_unlock(&agent->lock);
	if (!found) {
		/* After a crash the password is gone; these files lie in the scratch directory that the NAS's agent
		 * removes. */
		nl_agent_note(agent, "%s/%s-*: left to the NAS's agent, which removes the scratch directory",
			      entry->path, prefix);
		return NL_E_OK;
	}
	struct nl_share_target target = nl_kept_share_target(&kept);
	int rc = nl_share_remove(kept.engine, &target, entry->path, prefix, count, SHARE_TIMEOUT_NS, err);
	explicit_bzero(&kept, sizeof kept);
	return rc;
}

static int undo_scratch(struct nl_agent *agent, const struct nl_journal_entry *entry, struct nl_error *err)
{
	const struct nl_storage_backend *backend = NULL;
	char parent[sizeof entry->path];
	snprintf(parent, sizeof parent, "%s", entry->path);
	char *slash = strrchr(parent, '/');
	if (slash && slash != parent)
		*slash = '\0';
	int rc = nl_storage_backend_for(parent, &backend, err);
	return rc == NL_E_OK ? backend->destroy(agent->journal, entry->path, entry->run_id, err) : rc;
}

static int undo_entry(struct nl_agent *agent, const struct nl_journal_entry *entry, struct nl_error *err)
{
	int rc = NL_E_OK;
	switch (entry->kind) {
	case NL_JOURNAL_SHARE_FILES:
		rc = undo_share_files(agent, entry, err);
		return rc == NL_E_OK ? nl_journal_remove(agent->journal, entry->id, err) : rc;
	case NL_JOURNAL_MOUNT:
		return nl_mount_undo(agent->journal, entry, err);
	case NL_JOURNAL_SCRATCH:
		return undo_scratch(agent, entry, err);
	}
	return nl_error_set(err, NL_E_LEFTOVER, "a journal entry of an unknown kind stays: %s", entry->id);
}

static bool in_scope(const struct nl_undo_scope *scope, const struct nl_journal_entry *entry)
{
	if (scope->run_id && strcmp(scope->run_id, entry->run_id) != 0)
		return false;
	return !(scope->keep_scratch && entry->kind == NL_JOURNAL_SCRATCH);
}

int nl_undo(struct nl_agent *agent, const struct nl_undo_scope *scope, unsigned *undone, struct nl_error *err)
{
	struct nl_journal_entry *entries = NULL;
	size_t count = 0, damaged = 0;
	unsigned removed = 0;
	int rc = nl_journal_list(agent->journal, &entries, &count, &damaged, err);
	if (rc != NL_E_OK)
		return rc;
	for (size_t i = 0; i < count; i++) {
		struct nl_error one;
		if (!in_scope(scope, &entries[i]))
			continue;
		int done = undo_entry(agent, &entries[i], &one);
		removed += done == NL_E_OK;
		if (done != NL_E_OK && rc == NL_E_OK) {
			rc = NL_E_LEFTOVER;
			if (err) {
				*err = one;
				err->code = NL_E_LEFTOVER;
			}
		}
	}
	if (damaged)
		nl_agent_note(agent, "%zu damaged journal entries in %s/journal were left alone", damaged,
			      agent->state_dir);
	free(entries);
	if (undone)
		*undone = removed;
	return rc;
}
