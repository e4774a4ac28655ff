/*
 * fuzz_options: any words, parted by newlines, as a command line.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "base/parse.h"

#define WORDS_MAX 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	bool flag = false, help;
	uint64_t number = 1, bytes = 512;
	int64_t duration = 0;
	const char *word = "", *arguments[WORDS_MAX];
	const struct nl_option options[] = {
		{"json", 'j', NL_OPTION_FLAG, &flag, NULL, "A flag.", 0, 0},
		{"streams", 'P', NL_OPTION_UINT, &number, "N", "A number.", 1, 128},
		{"block", 'b', NL_OPTION_BYTES, &bytes, "SIZE", "A size.", 512, 1048576},
		{"time", 't', NL_OPTION_DURATION, &duration, "TIME", "A duration.", 0, 0},
		{"bind", 0, NL_OPTION_TEXT, &word, "ADDRESS", "A text.", 0, 0},
	};
	const struct nl_command command = {"fuzz", "WORD", "Nothing.", NULL, options, 5, 0, 3};
	char *text = strndup((const char *)data, size), *cursor = text, *argv[WORDS_MAX];
	size_t count = 0;
	struct nl_error err;
	int argc = 0;
	argv[argc++] = "fuzz";
	for (char *line; text && argc < WORDS_MAX && (line = nl_line_next(&cursor));)
		argv[argc++] = line;
	if (nl_options_parse(&command, argc, argv, arguments, &count, &help, &err) == 0 && !help) {
		if (count > 3 || number < 1 || number > 128 || bytes < 512 || bytes > 1048576 || duration < 0)
			abort();
	}
	free(text);
	return 0;
}
