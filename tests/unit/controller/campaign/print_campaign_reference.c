/*
 * print_campaign_reference: rewrites the generated part of the file named on the command line (docs/campaign.md).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "controller/campaign/campaign.h"
#include "unit/controller/campaign/reference_file.h"

static int rewrite(const char *path, struct nl_error *err)
{
	char *old = NULL, *reference = NULL, *text = NULL;
	size_t len = 0;
	int code = nl_file_read(path, REFERENCE_MAX, &old, NULL, err);
	char *mark = old ? strstr(old, REFERENCE_MARK) : NULL;
	if (!code && !mark)
		code = nl_error_set(err, NL_E_CONFIG, "%s has no mark", path);
	if (!code)
		code = nl_campaign_reference(&reference, err);
	FILE *out = code ? NULL : open_memstream(&text, &len);
	if (out) {
		fprintf(out, "%.*s%s\n%s", (int)(mark - old), old, REFERENCE_MARK, reference);
		fclose(out);
		code = nl_file_write_atomic(path, text, len, 0644, err);
	}
	free(old);
	free(reference);
	free(text);
	return code;
}

int main(int argc, char **argv)
{
	struct nl_error err;
	if (argc != 2) {
		fputs("print_campaign_reference FILE\n", stderr);
		return 2;
	}
	if (!rewrite(argv[1], &err))
		return 0;
	nl_error_print(&err, "print_campaign_reference", stderr);
	return 1;
}
