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

	must(f);
	dkt__members_print(&flight_service.state, state, f);
	fclose(f);
	return text;
}

static bool parse(char *text, struct flight_state *state)
{
	*state = (struct flight_state){ 0 };
	must(!dkt__members_parse(&flight_service.state, state, text));
	return flight_service.is_valid(state);
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
	if (parse(text, &in)) {
		first = print(&in);
		copy = strdup(first);
		must(copy && parse(copy, &out));
		second = print(&out);
		must(!strcmp(first, second));
		for (size_t i = 0; i < in.conditions.n; i++)
			check_condition(in.conditions.list[i]);
		free(first);
		free(copy);
		free(second);
		flight_clear(&out);
	}
	flight_clear(&in);
	free(text);
	return 0;
}
