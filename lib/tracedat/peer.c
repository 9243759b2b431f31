/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the options that name the recordings of the host and the guests, and the time shifts. */
#include "lib/tracedat.h"

/* A flag of the time shifts. */
#define SHIFT_INTERPOLATE 1

/* More guests than a machine has. */
#define MAX_PEERS 1024

static int peer_add(struct dkt__dat *dat, const struct dkt__source_peer *peer)
{
	return dat->n_peers < MAX_PEERS ? dkt__append(dat->peers, dat->n_peers, *peer) : 0;
}

/* Reads a guest's name, the ID of its recording, and the host's thread for each of its CPUs. */
int dkt__dat_guest(struct dkt__dat *dat, struct dkt__cursor *option)
{
	const char *name = dkt__cursor_string(option);
	struct dkt__source_peer peer = { .id = dkt__cursor_number(option, 8) };
	uint32_t n = (uint32_t)dkt__cursor_number(option, 4);
	int32_t *threads;

	if (option->bad || n > dkt__cursor_left(option) / 8)
		return 0;
	peer.name = dkt__ctx_strndup(dat->ctx, name, strlen(name));
	threads = dkt__ctx_keep(dat->ctx, n * sizeof(*threads) + 1);
	if (!peer.name || !threads)
		return dkt__no_memory(dat->ctx);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t cpu = (uint32_t)dkt__cursor_number(option, 4);
		int32_t thread = (int32_t)dkt__cursor_number(option, 4);

		if (cpu < n)
			threads[cpu] = thread;
	}
	peer.threads = threads;
	peer.n_threads = (int)n;
	return peer_add(dat, &peer);
}

/* ---- time shifts ---- */

static bool read_samples(struct dkt__shift *shift, struct dkt__cursor *option)
{
	uint32_t n = (uint32_t)dkt__cursor_number(option, 4);

	if (option->bad || n > dkt__cursor_left(option) / 24)
		return false;
	shift->samples = calloc(n + 1, sizeof(*shift->samples));
	if (!shift->samples)
		return false;
	shift->n = n;
	for (uint32_t i = 0; i < n; i++)
		shift->samples[i].time = dkt__cursor_number(option, 8);
	for (uint32_t i = 0; i < n; i++)
		shift->samples[i].offset = (int64_t)dkt__cursor_number(option, 8);
	for (uint32_t i = 0; i < n; i++)
		shift->samples[i].scaling = dkt__cursor_number(option, 8);
	return true;
}

/*
 * Reads the fractions of a CPU's samples. They follow the samples of all CPUs, because trace-cmd
 * 2.9 did not have them.
 */
static bool read_fractions(struct dkt__shift *shift, struct dkt__cursor *option)
{
	for (uint32_t i = 0; i < shift->n; i++) {
		uint64_t bits = dkt__cursor_number(option, 8);

		if (option->bad || bits > 63)
			return false;
		shift->samples[i].fraction = (uint32_t)bits;
	}
	return true;
}

static bool read_shifts(struct dkt__dat *dat, struct dkt__cursor *option, bool interpolate)
{
	uint32_t n = (uint32_t)dkt__cursor_number(option, 4);
	bool good = !option->bad && n <= dkt__cursor_left(option) / 4;

	dat->shifts = good ? calloc(n + 1, sizeof(*dat->shifts)) : NULL;
	good = dat->shifts;
	for (uint32_t i = 0; good && i < n; i++) {
		dat->n_shifts++;
		dat->shifts[i].interpolate = interpolate;
		good = read_samples(&dat->shifts[i], option);
	}
	for (uint32_t i = 0; good && i < n && dkt__cursor_left(option); i++)
		good = read_fractions(&dat->shifts[i], option);
	for (uint32_t i = 0; good && i < n; i++)
		dkt__shift_sort(&dat->shifts[i]);
	return good;
}

void dkt__dat_shifts_clear(struct dkt__dat *dat)
{
	for (uint32_t i = 0; i < dat->n_shifts; i++)
		free(dat->shifts[i].samples);
	free(dat->shifts);
	dat->shifts = NULL;
	dat->n_shifts = 0;
}

int dkt__dat_time_shift(struct dkt__dat *dat, struct dkt__cursor *option)
{
	struct dkt__source_peer host = { .id = dkt__cursor_number(option, 8) };
	uint32_t flags = (uint32_t)dkt__cursor_number(option, 4);

	dkt__dat_shifts_clear(dat);
	if (!read_shifts(dat, option, flags & SHIFT_INTERPOLATE)) {
		dkt__dat_shifts_clear(dat);
		dkt__streams_damage(&dat->streams, "the shifts of its times are invalid");
	}
	return peer_add(dat, &host);
}
