/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes a flight recorder's state and conditions: a state can be written and read back unchanged. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recording/flight/state.h"
#include "recording/flight/watch.h"
#include "tests/fuzz/replay.h"

static char *print(const struct flight_state *state)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	must(f && !flight_state_print(state, f));
	fclose(f);
	return text;
}

static void check_condition(const char *text)
{
	char *latency;
	uint64_t limit;

	if (flight_read_latency(text, &latency, &limit))
		must(latency && strlen(latency) < strlen(text));
	else
		must(!latency);
	free(latency);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = calloc(1, size + 1), *first, *copy, *second;
	struct flight_state in, out;

	must(text);
	memcpy(text, data, size);
	if (!flight_state_parse(text, &in)) {
		first = print(&in);
		copy = strdup(first);
		must(copy && !flight_state_parse(copy, &out));
		second = print(&out);
		must(!strcmp(first, second));
		for (size_t i = 0; i < in.n_conditions; i++)
			check_condition(in.conditions[i]);
		free(first);
		free(copy);
		free(second);
		flight_clear(&out);
	}
	flight_clear(&in);
	free(text);
	return 0;
}
