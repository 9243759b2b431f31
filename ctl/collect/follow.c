/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* collect follow: prints the logs of all hosts as they grow, in one order. */
#include <inttypes.h>
#include <json.h>
#include <math.h>

#include "base/buf.h"
#include "base/escape.h"
#include "base/memory.h"
#include "base/when.h"
#include "collect/collect.h"
#include "fleet/lines.h"
#include "io/say.h"

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

/* Returns the end of the string that begins at p, or of the text. */
static const char *end_of_string(const char *p)
{
	for (p++; *p && *p != '"'; p++)
		p += *p == '\\' && p[1];
	return p;
}

/* Returns the number of keys that the outermost object of valid JSON has, also of those that come twice. */
static size_t count_keys(const char *json)
{
	size_t n = 0, depth = 0;

	for (const char *p = json; *p; p++) {
		if (*p == '"') {
			p = end_of_string(p);
			if (!*p)
				break;
		} else if (*p == '{' || *p == '[') {
			depth++;
		} else if (*p == '}' || *p == ']') {
			depth--;
		} else if (*p == ':' && depth == 1) {
			n++;
		}
	}
	return n;
}

static bool is_record(struct json_object *record, const char *line)
{
	return *line == '{' && json_object_is_type(record, json_type_object) &&
	       json_object_object_length(record) > 0 &&
	       !json_object_object_get_ex(record, FROM, NULL) &&
	       count_keys(line) == (size_t)json_object_object_length(record);
}

/*
 * The name of the host becomes a key of the object: a host must not give another name, or end the object
 * early. Its own dktrace writes nothing that drives a terminal.
 */
static int check_json(const char *line, size_t len)
{
	struct json_tokener *tokener;
	struct json_object *record;
	bool good;

	for (size_t i = 0; i < len;) {
		struct dkt__char c = dkt__char_at(line + i, len - i);

		if (!c.shown)
			return -EPROTO;
		i += c.len;
	}
	tokener = json_tokener_new();
	if (!tokener)
		return -ENOMEM;
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT);
	record = json_tokener_parse_ex(tokener, line, (int)len);
	good = json_tokener_get_error(tokener) == json_tokener_success &&
	       json_tokener_get_parse_end(tokener) == len && is_record(record, line);
	json_object_put(record);
	json_tokener_free(tokener);
	return good ? 0 : -EPROTO;
}

/* ---- lines that go ---- */

static void put_text(const struct following *following, const char *line, size_t len)
{
	char *text __cleanup(free) = following->raw ? NULL : shown_bytes(line, len);

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
				       .raw = names_has(&collect->args, "--raw-text"),
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
