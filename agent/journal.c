/*
 * journal: entries as small text files "SEQUENCE-RANDOM.entry", one field per line.
 *
 * Locking: `lock` guards the sequence number alone. Files appear whole (write to a temporary name, fsync, rename, fsync
 * of the directory) and vanish by unlink, so that listing needs no lock.
 */
#include "agent/journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/parse.h"

#define ENTRY_HEAD      "nasline-journal 1"
#define ENTRY_SUFFIX    ".entry"
#define ENTRY_MAX_BYTES 16384
#define SEQUENCE_DIGITS 12

struct nl_journal {
	pthread_mutex_t lock;
	uint64_t sequence; /* the highest one given */
	int dir_fd;
	int lock_fd;
	char path[1024];
};

static const char *const kind_names[] = {
	[NL_JOURNAL_SCRATCH] = "scratch",
	[NL_JOURNAL_MOUNT] = "mount",
	[NL_JOURNAL_SHARE_FILES] = "share-files",
};
#define KIND_COUNT (sizeof kind_names / sizeof kind_names[0])

/* A text field of an entry and where it lives. */
static const struct {
	const char *key;
	size_t offset, size;
} fields[] = {
	{"run", offsetof(struct nl_journal_entry, run_id), sizeof((struct nl_journal_entry *)0)->run_id},
	{"path", offsetof(struct nl_journal_entry, path), sizeof((struct nl_journal_entry *)0)->path},
	{"detail", offsetof(struct nl_journal_entry, detail), sizeof((struct nl_journal_entry *)0)->detail},
};
#define FIELD_COUNT (sizeof fields / sizeof fields[0])

static int fail_sys(const struct nl_journal *journal, int sys_errno, const char *what, const char *name,
		    struct nl_error *err)
{
	int code = nl_error_sys(err, sys_errno, "%s", what);
	nl_error_where(err, "%s%s%s", journal->path, name[0] ? "/" : "", name);
	return code;
}

/* --- text ------------------------------------------------------------------------------------------------------ */

/* A path may hold any byte but NUL; a line may not hold a newline. */
static void put_escaped(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '\n' || *text == '\\')
			fprintf(out, "\\%03o", (unsigned)(unsigned char)*text);
		else
			fputc(*text, out);
	}
}

static bool get_escaped(const char *text, char *out, size_t size)
{
	size_t used = 0;
	while (*text) {
		char c = *text++;
		if (c == '\\') {
			if (strncmp(text, "012", 3) != 0 && strncmp(text, "134", 3) != 0)
				return false;
			c = text[0] == '0' ? '\n' : '\\';
			text += 3;
		}
		if (used + 1 >= size)
			return false;
		out[used++] = c;
	}
	out[used] = '\0';
	return true;
}

static char *entry_text(const struct nl_journal_entry *entry, size_t *len)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, len);
	if (!out)
		return NULL;
	fprintf(out, "%s\nkind %s\n", ENTRY_HEAD, kind_names[entry->kind]);
	for (size_t i = 0; i < FIELD_COUNT; i++) {
		fprintf(out, "%s ", fields[i].key);
		put_escaped(out, (const char *)entry + fields[i].offset);
		fputc('\n', out);
	}
	/* The last line tells a whole entry from one cut short. */
	fputs("end\n", out);
	if (fclose(out) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

/* Takes one line into the entry and notes in *seen which field it was; each may come once. */
static bool take_field(const char *line, struct nl_journal_entry *entry, unsigned *seen)
{
	for (size_t i = 0; i < FIELD_COUNT; i++) {
		size_t n = strlen(fields[i].key);
		if (strncmp(line, fields[i].key, n) != 0 || line[n] != ' ')
			continue;
		bool again = *seen & (1u << i);
		*seen |= 1u << i;
		return !again && get_escaped(line + n + 1, (char *)entry + fields[i].offset, fields[i].size);
	}
	for (size_t k = 0; k < KIND_COUNT; k++) {
		if (strncmp(line, "kind ", 5) != 0 || strcmp(line + 5, kind_names[k]) != 0)
			continue;
		bool again = *seen & (1u << FIELD_COUNT);
		*seen |= 1u << FIELD_COUNT;
		entry->kind = (enum nl_journal_kind)k;
		return !again;
	}
	return false;
}

static bool entry_parse(char *text, struct nl_journal_entry *entry)
{
	unsigned seen = 0;
	char *line = nl_line_next(&text);
	if (!line || strcmp(line, ENTRY_HEAD) != 0)
		return false;
	while ((line = nl_line_next(&text))) {
		if (strcmp(line, "end") == 0)
			return seen == (1u << (FIELD_COUNT + 1)) - 1;
		if (!take_field(line, entry, &seen))
			return false;
	}
	return false;
}

/* --- names ----------------------------------------------------------------------------------------------------- */

/* Whether NAME is ID.entry; the id is copied, and its sequence number read. */
static bool entry_name(const char *name, char id[40], uint64_t *sequence)
{
	size_t len = strlen(name), suffix = strlen(ENTRY_SUFFIX);
	if (len <= suffix || len - suffix >= 40 || strcmp(name + len - suffix, ENTRY_SUFFIX) != 0)
		return false;
	if (strspn(name, "0123456789abcdef-") != len - suffix)
		return false;
	memcpy(id, name, len - suffix);
	id[len - suffix] = '\0';
	char digits[40];
	size_t n = strcspn(id, "-");
	memcpy(digits, id, n);
	digits[n] = '\0';
	return nl_parse_u64(digits, sequence);
}

/* A crash between writing and renaming leaves ID.entry.XXXXXX: never an entry, and nobody else's while we hold the
 * lock. */
static bool is_remains(const char *name)
{
	return strspn(name, "0123456789abcdef-") > SEQUENCE_DIGITS && strstr(name, ENTRY_SUFFIX ".");
}

/* Learns the highest sequence number and removes what a crash left of entries half written. */
static int scan(struct nl_journal *journal, struct nl_error *err)
{
	int fd = openat(journal->dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir) {
		int failed = errno;
		if (fd >= 0)
			close(fd);
		return fail_sys(journal, failed, "read the journal", "", err);
	}
	for (struct dirent *d; (d = readdir(dir));) {
		char id[40];
		uint64_t sequence;
		if (entry_name(d->d_name, id, &sequence) && sequence > journal->sequence)
			journal->sequence = sequence;
		if (is_remains(d->d_name))
			(void)unlinkat(journal->dir_fd, d->d_name, 0);
	}
	closedir(dir);
	return 0;
}

/* --- open and close -------------------------------------------------------------------------------------------- */

static int check_private(const struct nl_journal *journal, struct nl_error *err)
{
	struct stat st;
	if (fstat(journal->dir_fd, &st) < 0)
		return fail_sys(journal, errno, "look at the journal's directory", "", err);
	if (st.st_uid == geteuid() && !(st.st_mode & (S_IWGRP | S_IWOTH)))
		return 0;
	nl_error_set(err, NL_E_ACCESS, "the journal's directory is not safe to use");
	nl_error_where(err, "%s", journal->path);
	nl_error_why(err, "it belongs to another user, or others may write into it; its entries say what is removed");
	nl_error_todo(err, "use another state directory, or: chmod 700 the directory");
	return NL_E_ACCESS;
}

static int take_lock(struct nl_journal *journal, struct nl_error *err)
{
	journal->lock_fd = openat(journal->dir_fd, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (journal->lock_fd < 0)
		return fail_sys(journal, errno, "open the journal's lock", "lock", err);
	if (flock(journal->lock_fd, LOCK_EX | LOCK_NB) == 0)
		return 0;
	int code = fail_sys(journal, errno, "lock the journal", "lock", err);
	if (err && err->sys_errno == EWOULDBLOCK) {
		nl_error_why(err, "another nasline-agent uses this state directory");
		nl_error_todo(err, "stop it, or give this one a state directory of its own");
	}
	return code;
}

static int open_directory(struct nl_journal *journal, const char *state_dir, struct nl_error *err)
{
	int n = snprintf(journal->path, sizeof journal->path, "%s/journal", state_dir);
	if (n < 0 || (size_t)n >= sizeof journal->path)
		return fail_sys(journal, ENAMETOOLONG, "open the journal", "", err);
	if (mkdir(state_dir, 0700) < 0 && errno != EEXIST) {
		int code = nl_error_sys(err, errno, "make the state directory");
		nl_error_where(err, "%s", state_dir);
		return code;
	}
	if (mkdir(journal->path, 0700) < 0 && errno != EEXIST)
		return fail_sys(journal, errno, "make the journal's directory", "", err);
	journal->dir_fd = open(journal->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (journal->dir_fd < 0)
		return fail_sys(journal, errno, "open the journal's directory", "", err);
	return 0;
}

int nl_journal_open(const char *state_dir, struct nl_journal **journal, struct nl_error *err)
{
	*journal = NULL;
	struct nl_journal *fresh = calloc(1, sizeof *fresh);
	if (!fresh)
		return nl_error_sys(err, ENOMEM, "open the journal");
	fresh->dir_fd = fresh->lock_fd = -1;
	pthread_mutex_init(&fresh->lock, NULL);
	int code = open_directory(fresh, state_dir, err);
	if (!code)
		code = check_private(fresh, err);
	if (!code)
		code = take_lock(fresh, err);
	if (!code)
		code = scan(fresh, err);
	if (code)
		nl_journal_close(fresh);
	else
		*journal = fresh;
	return code;
}

void nl_journal_close(struct nl_journal *journal)
{
	if (!journal)
		return;
	if (journal->lock_fd >= 0)
		close(journal->lock_fd);
	if (journal->dir_fd >= 0)
		close(journal->dir_fd);
	pthread_mutex_destroy(&journal->lock);
	free(journal);
}

/* --- entries --------------------------------------------------------------------------------------------------- */

static int next_id(struct nl_journal *journal, char id[40], struct nl_error *err)
{
	uint32_t random;
	if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random)
		return fail_sys(journal, errno, "name a journal entry", "", err);
	pthread_mutex_lock(&journal->lock);
	uint64_t sequence = ++journal->sequence;
	pthread_mutex_unlock(&journal->lock);
	snprintf(id, 40, "%0*" PRIu64 "-%08" PRIx32, SEQUENCE_DIGITS, sequence, random);
	return 0;
}

int nl_journal_add(struct nl_journal *journal, struct nl_journal_entry *entry, struct nl_error *err)
{
	char path[1200];
	size_t len;
	entry->id[0] = '\0';
	if ((size_t)entry->kind >= KIND_COUNT)
		return nl_error_set(err, NL_E_INTERNAL, "a journal entry of unknown kind %d", (int)entry->kind);
	int code = next_id(journal, entry->id, err);
	if (code)
		return code;
	char *text = entry_text(entry, &len);
	if (!text)
		return fail_sys(journal, ENOMEM, "write a journal entry", entry->id, err);
	snprintf(path, sizeof path, "%s/%s%s", journal->path, entry->id, ENTRY_SUFFIX);
	code = nl_file_write_atomic(path, text, len, 0600, err);
	free(text);
	if (code) {
		/* The rename may have happened and the sync of the directory failed. */
		unlink(path);
		entry->id[0] = '\0';
	}
	return code;
}

int nl_journal_remove(struct nl_journal *journal, const char *id, struct nl_error *err)
{
	char name[64], checked[40];
	uint64_t sequence;
	snprintf(name, sizeof name, "%.39s%s", id, ENTRY_SUFFIX);
	if (!entry_name(name, checked, &sequence) || strcmp(checked, id) != 0)
		return 0;
	if (unlinkat(journal->dir_fd, name, 0) < 0)
		return errno == ENOENT ? 0 : fail_sys(journal, errno, "remove a journal entry", name, err);
	/* An entry that comes back after a crash is harmless: its thing is gone. So no sync here is waited for in vain.
	 */
	if (fsync(journal->dir_fd) < 0 && errno != EINVAL)
		return fail_sys(journal, errno, "remove a journal entry", name, err);
	return 0;
}

/* 0, NL_E_NOT_FOUND when another thread removed it just now, NL_E_PROTOCOL when it cannot be read. */
static int entry_read(const struct nl_journal *journal, const char *name, struct nl_journal_entry *entry)
{
	char path[1400], *text;
	uint64_t sequence;
	memset(entry, 0, sizeof *entry);
	snprintf(path, sizeof path, "%s/%s", journal->path, name);
	int code = nl_file_read(path, ENTRY_MAX_BYTES, &text, NULL, NULL);
	if (code)
		return code == NL_E_NOT_FOUND ? code : NL_E_PROTOCOL;
	bool good = entry_parse(text, entry) && entry_name(name, entry->id, &sequence);
	free(text);
	return good ? 0 : NL_E_PROTOCOL;
}

static int newest_first(const struct dirent **a, const struct dirent **b)
{
	char id[40];
	uint64_t left = 0, right = 0;
	(void)entry_name((*a)->d_name, id, &left);
	(void)entry_name((*b)->d_name, id, &right);
	if (left != right)
		return left < right ? 1 : -1;
	return strcmp((*b)->d_name, (*a)->d_name);
}

static int is_entry(const struct dirent *d)
{
	char id[40];
	uint64_t sequence;
	return entry_name(d->d_name, id, &sequence);
}

int nl_journal_list(struct nl_journal *journal, struct nl_journal_entry **entries, size_t *count, size_t *damaged,
		    struct nl_error *err)
{
	struct dirent **names = NULL;
	int code = 0;
	*entries = NULL;
	*count = *damaged = 0;
	int n = scandirat(journal->dir_fd, ".", &names, is_entry, newest_first);
	if (n < 0)
		return fail_sys(journal, errno, "read the journal", "", err);
	if (n > 0 && !(*entries = calloc((size_t)n, sizeof **entries)))
		code = fail_sys(journal, ENOMEM, "read the journal", "", err);
	for (int i = 0; i < n; i++) {
		int read = code ? NL_E_NOT_FOUND : entry_read(journal, names[i]->d_name, &(*entries)[*count]);
		*count += read == 0;
		*damaged += read == NL_E_PROTOCOL;
		free(names[i]);
	}
	free(names);
	return code;
}
