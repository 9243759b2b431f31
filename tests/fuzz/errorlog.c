/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes the error_log: each message is two lines, with a caret below the text. */
#include "lib/tracefs/errorlog.h"
#include "tests/fuzz/replay.h"

static void check_words(const char *words)
{
	const char *line = strchr(words, '\n');
	const char *caret = line ? strchr(line + 1, '\n') : NULL;

	if (!caret || strspn(caret + 1, " ") + 1 != strlen(caret + 1) ||
	    caret[strlen(caret) - 1] != '^')
		abort();
	/* The caret is under a character or right after the last one: there are at most as many columns as bytes. */
	if (strlen(caret + 1) > (size_t)(caret - line))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dkt__kernel_error error;
	char *log = strndup((const char *)data, size);
	char *words;

	if (!log)
		return 0;
	if (!dkt__errorlog_last(log, &error)) {
		if (error.caret > strlen(error.command))
			abort();
		words = dkt__errorlog_reason(log, error.command);
		if (words)
			check_words(words);
		free(words);
		dkt__kernel_error_clear(&error);
	}
	free(log);
	return 0;
}
