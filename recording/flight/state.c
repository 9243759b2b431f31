/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The file with a flight recorder's limits, groups and dumps: a line for each, key and value. */
#include "recording/flight/state.h"

#include <inttypes.h>

#include "lib/base/buf.h"
#include "lib/base/io.h"
#include "lib/base/memory.h"
#include "lib/base/parse.h"

/* So many dumps are remembered, and the state has at most so many bytes. */
#define DUMPS_MAX 100
#define STATE_MAX (4 << 20)

#define STATE "state"

const struct service flight_service = {
	.kind = "flight",
	.noun = "a flight recorder",
	.files = (const char *const[]){ STATE, "socket", NULL },
};

static void free_list(char **list, size_t n)
{
	while (n)
		free(list[--n]);
	free(list);
}

void flight_dump_clear(struct flight_dump *dump)
{
	free(dump->file);
	free(dump->reason);
	free(dump->note);
	*dump = (struct flight_dump){ 0 };
}

void flight_clear(struct flight_state *state)
{
	free_list(state->groups, state->n_groups);
	free_list(state->words, state->n_words);
	free_list(state->conditions, state->n_conditions);
	free_list(state->ways, state->n_ways);
	free_list(state->watches, state->n_watches);
	for (size_t i = 0; i < state->n_dumps; i++)
		flight_dump_clear(&state->dumps[i]);
	free(state->dumps);
	free(state->dir);
	free(state->exec);
	free(state->error);
	free(state->note);
	*state = (struct flight_state){ 0 };
}

int flight_add(char ***list, size_t *n, const char *text)
{
	char *copy = strdup(text);
	int err = copy ? dkt__append(*list, *n, copy) : -ENOMEM;

	if (err)
		free(copy);
	return err;
}

int flight_add_dump(struct flight_state *state, struct flight_dump *dump)
{
	int err = 0;

	free(state->note);
	state->note = dump->note;
	dump->note = NULL;
	if (state->n_dumps == DUMPS_MAX) {
		flight_dump_clear(&state->dumps[0]);
		memmove(state->dumps, state->dumps + 1, (DUMPS_MAX - 1) * sizeof(*dump));
		state->dumps[DUMPS_MAX - 1] = *dump;
	} else {
		err = dkt__append(state->dumps, state->n_dumps, *dump);
	}
	if (!err)
		*dump = (struct flight_dump){ 0 };
	return err;
}

int flight_state_print(const struct flight_state *state, FILE *f)
{
	fprintf(f, "started\t%" PRId64 "\ndir\t%s\nmax_size\t%" PRIu64 "\nkeep\t%" PRIu64 "\n",
		state->started, state->dir, state->max_size, state->keep);
	fprintf(f, "after\t%" PRIu64 "\nmax_dumps\t%" PRIu64 "\n", state->after, state->max_dumps);
	fprintf(f, "suppressed\t%" PRIu64 "\nmerged\t%" PRIu64 "\n", state->suppressed,
		state->merged);
	if (state->exec)
		fprintf(f, "exec\t%s\n", state->exec);
	if (state->error)
		fprintf(f, "error_time\t%" PRId64 "\nerror\t%s\n", state->error_time, state->error);
	if (state->note)
		fprintf(f, "note\t%s\n", state->note);
	for (size_t i = 0; i < state->n_groups; i++)
		fprintf(f, "group\t%s\nwords\t%s\n", state->groups[i], state->words[i]);
	for (size_t i = 0; i < state->n_conditions; i++)
		fprintf(f, "condition\t%s\n", state->conditions[i]);
	for (size_t i = 0; i < state->n_ways; i++)
		fprintf(f, "way\t%s\n", state->ways[i]);
	for (size_t i = 0; i < state->n_watches; i++)
		fprintf(f, "watch\t%s\n", state->watches[i]);
	for (size_t i = 0; i < state->n_dumps; i++)
		fprintf(f, "dump\t%" PRId64 "\t%" PRIu64 "\t%" PRIu64 "\t%s\t%s\n",
			state->dumps[i].time, state->dumps[i].bytes, state->dumps[i].lost,
			state->dumps[i].file, state->dumps[i].reason);
	return ferror(f) ? -EIO : 0;
}

int flight_save(struct dkt_ctx *ctx, const char *log, const struct flight_state *state)
{
	char *text __cleanup(free) = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	int err = f ? flight_state_print(state, f) : 0;

	err = dkt__with_words(ctx, dkt__text_end(f, err, &text));
	return err ? err : service_save(ctx, &flight_service, log, STATE, text);
}

static int take_text(char **to, const char *value)
{
	free(*to);
	*to = strdup(value);
	return *to ? 0 : -ENOMEM;
}

static uint64_t number(const char *text)
{
	uint64_t value = 0;

	dkt__take_u64(&text, NULL, DKT__DEC, &value);
	return value;
}

static int take_dump(struct flight_state *state, char *value)
{
	struct flight_dump dump = { 0 };
	char *part[5];
	int err;

	for (size_t i = 0; i < ARRAY_SIZE(part); i++) {
		part[i] = i + 1 < ARRAY_SIZE(part) ? strsep(&value, "\t") : value;
		if (!part[i])
			return 0;
	}
	dump.time = (int64_t)number(part[0]);
	dump.bytes = number(part[1]);
	dump.lost = number(part[2]);
	dump.file = strdup(part[3]);
	dump.reason = strdup(part[4]);
	err = dump.file && dump.reason ? 0 : -ENOMEM;
	if (!err && state->n_dumps < DUMPS_MAX)
		err = dkt__append(state->dumps, state->n_dumps, dump);
	if (err)
		flight_dump_clear(&dump);
	return err;
}

static int take_line(struct flight_state *state, const char *key, char *value)
{
	const struct {
		const char *key;
		uint64_t *to;
	} numbers[] = { { "max_size", &state->max_size },
			{ "keep", &state->keep },
			{ "after", &state->after },
			{ "max_dumps", &state->max_dumps },
			{ "suppressed", &state->suppressed },
			{ "merged", &state->merged },
			{ "started", (uint64_t *)&state->started },
			{ "error_time", (uint64_t *)&state->error_time } };
	const struct {
		const char *key;
		char ***to;
		size_t *n;
	} lists[] = { { "group", &state->groups, &state->n_groups },
		      { "words", &state->words, &state->n_words },
		      { "condition", &state->conditions, &state->n_conditions },
		      { "way", &state->ways, &state->n_ways },
		      { "watch", &state->watches, &state->n_watches } };

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		if (!strcmp(key, numbers[i].key))
			*numbers[i].to = number(value);
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		if (!strcmp(key, lists[i].key))
			return flight_add(lists[i].to, lists[i].n, value);
	if (!strcmp(key, "dir"))
		return take_text(&state->dir, value);
	if (!strcmp(key, "exec"))
		return take_text(&state->exec, value);
	if (!strcmp(key, "error"))
		return take_text(&state->error, value);
	if (!strcmp(key, "note"))
		return take_text(&state->note, value);
	return strcmp(key, "dump") ? 0 : take_dump(state, value);
}

int flight_state_parse(char *text, struct flight_state *state)
{
	char *rest = text, *line;
	int err = 0;

	*state = (struct flight_state){ 0 };
	while (!err && (line = strsep(&rest, "\n"))) {
		char *key = strsep(&line, "\t");

		err = line ? take_line(state, key, line) : 0;
	}
	if (!err && (!state->dir || state->n_words != state->n_groups ||
		     state->n_ways > state->n_conditions))
		err = -EINVAL;
	return err;
}

int flight_load(struct dkt_ctx *ctx, const char *log, struct flight_state *state)
{
	char *path __cleanup(free) = service_path(&flight_service, log, STATE);
	char *text __cleanup(free) = NULL;
	int err = service_read(&flight_service, log, STATE, STATE_MAX, &text);

	*state = (struct flight_state){ 0 };
	if (err == -ENOENT)
		return dkt_fail(ctx, err,
				"no flight recorder was started; 'dktrace flight start' does");
	if (!err)
		err = flight_state_parse(text, state);
	return err ? dkt_fail(ctx, err, "read %s: %s", path ? path : STATE, strerror(-err)) : 0;
}
