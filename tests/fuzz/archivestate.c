/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes the state of a daemon: a state can be written and read back unchanged. */
#include <string.h>

#include "recording/daemon/state.h"
#include "tests/fuzz/replay.h"

static char *print(const struct archive_state *state)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	must(f);
	dkt__members_print(&archive_service.state, state, f);
	fclose(f);
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = calloc(1, size + 1), *first, *copy, *second;
	struct archive_state in = { 0 }, out = { 0 };

	must(text);
	memcpy(text, data, size);
	must(!dkt__members_parse(&archive_service.state, &in, text));
	first = print(&in);
	copy = strdup(first);
	must(copy);
	must(!dkt__members_parse(&archive_service.state, &out, copy));
	second = print(&out);
	must(!strcmp(first, second));
	must(strlen(in.segment) < sizeof(in.segment) && !strchr(in.segment, '/'));
	archive_state_clear(&in);
	archive_state_clear(&out);
	free(first);
	free(copy);
	free(second);
	free(text);
	return 0;
}
