/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The file with a flight recorder's limits, groups and dumps: a line for each, key and value. */
#include "recording/flight/state.h"

#include <inttypes.h>

#include "lib/base/parse.h"

/* So many dumps are remembered. */
#define DUMPS_MAX 100

void flight_dump_clear(struct flight_dump *dump)
{
	free(dump->file);
	free(dump->reason);
	free(dump->note);
	*dump = (struct flight_dump){ 0 };
}

static void clear_dumps(void *value)
{
	struct flight_dumps *dumps = value;

	for (size_t i = 0; i < dumps->n; i++)
		flight_dump_clear(&dumps->list[i]);
	free(dumps->list);
	*dumps = (struct flight_dumps){ 0 };
}

static int read_dump(void *value, const char *text)
{
	struct flight_dumps *dumps = value;
	struct flight_dump dump = { 0 };
	const char *tab;
	int err;

	if (dkt__take_s64(&text, NULL, DKT__DEC, &dump.time) || *text++ != '\t' ||
	    dkt__take_u64(&text, NULL, DKT__DEC, &dump.bytes) || *text++ != '\t' ||
	    dkt__take_u64(&text, NULL, DKT__DEC, &dump.lost) || *text++ != '\t')
		return -EINVAL;
	tab = strchr(text, '\t');
	if (!tab || dumps->n == DUMPS_MAX)
		return -EINVAL;
	dump.file = strndup(text, (size_t)(tab - text));
	dump.reason = strdup(tab + 1);
	err = dump.file && dump.reason ? dkt__append(dumps->list, dumps->n, dump) : -ENOMEM;
	if (err)
		flight_dump_clear(&dump);
	return err;
}

static void print_dumps(const void *value, const char *start, FILE *f)
{
	const struct flight_dumps *dumps = value;

	for (const struct flight_dump *dump = dumps->list; dump < dumps->list + dumps->n; dump++)
		fprintf(f, "%s%" PRId64 "\t%" PRIu64 "\t%" PRIu64 "\t%s\t%s\n", start, dump->time,
			dump->bytes, dump->lost, dump->file, dump->reason);
}

static const struct dkt__member_other dumps = { .clear = clear_dumps,
						.read = read_dump,
						.print = print_dumps };

#define ROW(...) DKT__MEMBER(flight_state, __VA_ARGS__)

static const struct dkt__member members[] = {
	ROW("started", U64, started),
	ROW("dir", TEXT, dir),
	ROW("max_size", U64, max_size),
	ROW("keep", U64, keep),
	ROW("after", U64, after),
	ROW("max_dumps", U64, max_dumps),
	ROW("suppressed", U64, suppressed),
	ROW("merged", U64, merged),
	ROW("exec", TEXT, exec),
	ROW("error_time", U64, error_time),
	ROW("error", TEXT, error),
	ROW("note", TEXT, note),
	ROW("group", TEXTS, groups),
	ROW("words", TEXTS, words),
	ROW("condition", TEXTS, conditions),
	ROW("way", TEXTS, ways),
	ROW("watch", TEXTS, watches),
	ROW("dump", OTHER, dumps, .other = &dumps),
};

static bool is_valid(const void *data)
{
	const struct flight_state *state = data;

	return state->dir && state->words.n == state->groups.n &&
	       state->ways.n <= state->conditions.n;
}

const struct service flight_service = {
	.kind = "flight",
	.noun = "a flight recorder",
	.files = (const char *const[]){ "socket", NULL },
	.state = { members, ARRAY_SIZE(members), "\t" },
	.is_valid = is_valid,
};

void flight_clear(struct flight_state *state)
{
	dkt__members_clear(&flight_service.state, state, NULL);
}

int flight_add_dump(struct flight_state *state, struct flight_dump *dump)
{
	struct flight_dumps *kept = &state->dumps;
	int err = 0;

	free(state->note);
	state->note = dump->note;
	dump->note = NULL;
	if (kept->n == DUMPS_MAX) {
		flight_dump_clear(&kept->list[0]);
		memmove(kept->list, kept->list + 1, (DUMPS_MAX - 1) * sizeof(*dump));
		kept->list[DUMPS_MAX - 1] = *dump;
	} else {
		err = dkt__append(kept->list, kept->n, *dump);
	}
	if (!err)
		*dump = (struct flight_dump){ 0 };
	return err;
}

int flight_save(struct dkt_ctx *ctx, const char *log, const struct flight_state *state)
{
	return service_save(ctx, &flight_service, log, state);
}

int flight_load(struct dkt_ctx *ctx, const char *log, struct flight_state *state)
{
	*state = (struct flight_state){ 0 };
	return service_load(ctx, &flight_service, log, state);
}
