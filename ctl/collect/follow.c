/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* collect follow: prints the logs of all hosts as they grow, in one order. */
#include <inttypes.h>
#include <math.h>

#include "compat/io/say.h"
#include "ctl/collect/collect.h"
#include "fleet/collect/lines.h"
#include "lib/base/buf.h"
#include "lib/base/escape.h"
#include "lib/base/intern.h"
#include "lib/base/json_reader.h"
#include "lib/base/memory.h"
#include "lib/base/when.h"

/* Bytes of lines that wait for their turn, of all hosts. */
#define WAITING_MOST (64u << 20)

/* The user hears of a wall clock that differs by more ns, because lines show the times of their hosts. */
#define WALL_NS INT64_C(1000000000)

/* The key of the host. */
#define FROM "from"

struct following {
	struct collect *collect;
	struct lines lines;
	bool json, raw;
	int width; /* of the longest name */
	bool *compared; /* of each host: its wall clock has been looked at */
};

/* ---- lines that come ---- */

/* The keys of a record. */
struct keys {
	struct dkt__intern known;
	uint32_t n; /* also of those that come twice */
	bool from;
};

static int take_key(void *data, struct dkt__json *json)
{
	struct keys *keys = data;

	keys->n++;
	keys->from |= !strcmp(json->text.data, FROM);
	if (dkt__intern(&keys->known, json->text.data, (uint32_t)json->text.len) == UINT32_MAX)
		return -ENOMEM;
	return dkt__json_skip(json);
}

static int check_record(const char *line, size_t len)
{
	struct dkt__json json = { .at = line };
	struct keys keys = { 0 };
	int err = dkt__json_object(&json, take_key, &keys);

	if (!err)
		err = dkt__json_end(&json);
	if (!err && (*line != '{' || json.at != line + len || !keys.n || keys.from ||
		     keys.n != keys.known.n))
		err = -EBADMSG;
	dkt__intern_clear(&keys.known);
	dkt__json_clear(&json);
	return err;
}

/*
 * The name of the host becomes a key of the object: a host must not give another name, or end the object
 * early. Its own dktrace writes nothing that drives a terminal.
 */
static int check_json(const char *line, size_t len)
{
	int err;

	for (size_t i = 0; i < len;) {
		struct dkt__char c = dkt__char_at(line + i, len - i);

		if (!c.shown)
			return -EPROTO;
		i += c.len;
	}
	err = check_record(line, len);
	return err && err != -ENOMEM ? -EPROTO : err;
}

/* ---- lines that go ---- */

static void put_text(const struct following *following, const char *line, size_t len)
{
	char *text __cleanup(free) = following->raw ? NULL : dkl_shown_bytes(line, len);

	if (text)
		fputs(text, stdout);
	else if (following->raw)
		fwrite(line, 1, len, stdout);
}

/* In JSON the host is a key, by the name that report gives it. */
static int put(void *data, const struct fleet_host *host, const char *line, size_t len)
{
	const struct following *following = data;

	if (following->json) {
		printf("{\"" FROM "\":\"%s\",", host->name);
		fwrite(line + 1, 1, len - 1, stdout);
	} else {
		printf("%s:%*s", host->name, following->width - (int)strlen(host->name) + 1, "");
		put_text(following, line, len);
	}
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
				       .raw = collect->raw,
				       .lines = { .fleet = fleet,
						  .delay = collect->delay,
						  .most = WAITING_MOST,
						  .put = put } };
	struct lines *lines = &following.lines;
	int err;

	lines->data = &following;
	lines->check = following.json ? check_json : NULL;
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
		err = collect_confine(collect);
	if (!err)
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
