/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* collect follow: prints the logs of all hosts as they grow, in one order. */
#include <inttypes.h>
#include <math.h>

#include "base/buf.h"
#include "base/memory.h"
#include "base/when.h"
#include "collect/collect.h"
#include "fleet/lines.h"

/* Bytes of lines that wait for their turn, of all hosts. */
#define WAITING_MOST (64u << 20)

/* The user hears of a wall clock that differs by more ns, because lines show the times of their hosts. */
#define WALL_NS INT64_C(1000000000)

struct following {
	struct collect *collect;
	struct lines lines;
	bool json;
	int width; /* of the longest name */
	bool *compared; /* of each host: its wall clock has been looked at */
};

/* In JSON the host is a key, by the name that report gives it. */
static int put(void *data, const struct fleet_host *host, const char *line, size_t len)
{
	const struct following *following = data;

	if (following->json && *line == '{')
		printf("{\"from\":\"%s\",", host->name);
	else
		printf("%s:%*s", host->name, following->width - (int)strlen(host->name) + 1, "");
	if (following->json && *line == '{')
		line++, len--;
	fwrite(line, 1, len, stdout);
	return putchar('\n') == EOF ? -errno : 0;
}

/* Returns how far a host's wall clock is ahead. */
static int64_t distance(const struct fleet_host *host)
{
	const struct clock_trip *trip = &host->clock.trips[host->clock.n - 1];

	return (int64_t)(trip->far_sent - trip->received) + trip->far_wall - collect_wall_offset();
}

static void compare_clocks(struct following *following, const struct fleet *fleet)
{
	for (size_t i = 0; i < fleet->n; i++) {
		int64_t ns;

		if (following->compared[i] || !fleet->hosts[i].clock.n)
			continue;
		following->compared[i] = true;
		ns = distance(&fleet->hosts[i]);
		if (llabs(ns) > WALL_NS)
			app_say("%s: its wall clock is %.1f s %s; its lines are at their place, with"
				" times of that clock",
				fleet->hosts[i].name, fabs((double)ns) / 1e9,
				ns > 0 ? "ahead" : "behind");
	}
}

/* A reader that has gone ends the command on all hosts. */
static void look(void *data, struct fleet *fleet)
{
	struct following *following = data;

	compare_clocks(following, fleet);
	collect_look(following->collect, fleet);
	lines_put(&following->lines, dkt__monotonic_ns());
	if (fflush(stdout) && !following->lines.err)
		following->lines.err = -errno;
	for (size_t i = 0; following->lines.err && i < fleet->n; i++)
		if (!host_is_over(&fleet->hosts[i]))
			host_stop(&fleet->hosts[i]);
}

static void over(void *data, struct fleet_host *host)
{
	const struct following *following = data;

	collect_over(following->collect, host);
}

static void tell(const struct lines *lines)
{
	if (lines->late)
		app_say("%" PRIu64 " lines came too late for their place, up to %.1f s; a longer"
			" --delay waits for them",
			lines->late, (double)lines->latest / 1e9);
	if (lines->early)
		app_say("%" PRIu64 " lines did not wait for the whole delay: too many came",
			lines->early);
}

int collect_follow(struct collect *collect)
{
	struct fleet *fleet = &collect->fleet;
	struct dkt_ctx *ctx = collect->app->ctx;
	struct following following = { .collect = collect,
				       .json = !strcmp(collect->suffix, "json"),
				       .lines = { .fleet = fleet,
						  .delay = collect->delay,
						  .most = WAITING_MOST,
						  .put = put } };
	struct lines *lines = &following.lines;
	int err;

	lines->data = &following;
	following.compared = calloc(fleet->n + 1, sizeof(bool));
	for (size_t i = 0; i < fleet->n; i++)
		following.width = DKT__MAX(following.width, (int)strlen(fleet->hosts[i].name));
	fleet->opts.take = lines_take;
	fleet->opts.data = lines;
	fleet->look = look;
	fleet->over = over;
	fleet->data = &following;
	err = following.compared ? lines_init(lines) : -ENOMEM;
	if (err)
		dkt__no_memory(ctx);
	else
		err = fleet_run(ctx, fleet);
	collect_unshow(collect);
	if (!err) {
		lines_finish(lines);
		tell(lines);
		if (!lines->err && fflush(stdout))
			lines->err = -errno;
		err = lines->err;
		if (err)
			dkt_fail(ctx, err, "write output: %s", strerror(-err));
	}
	lines_clear(lines);
	free(following.compared);
	return err;
}
