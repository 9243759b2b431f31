/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile: prints the time of threads by the wall clock, and the stacks that take most of it. */
#include <inttypes.h>

#include "ctl/app/groups.h"
#include "ctl/app/print.h"
#include "ctl/out/bar.h"
#include "ctl/profile/profile.h"
#include "ctl/profile/stacks.h"
#include "ctl/profile/within.h"
#include "lib/base/buf.h"
#include "lib/base/parse.h"

/* The functions of a waker that text shows, and the wakers. */
#define WAKER_DEPTH 5u

/* ---- options ---- */

static int read_hops(const char *text, uint32_t *hops)
{
	int64_t value = 1;

	if (text && dkt__parse_int(text, 1, WALL_HOPS_MAX, &value))
		return app_usage("--wakers: '%s' is not a number from 1 to %u", text,
				 WALL_HOPS_MAX);
	*hops = (uint32_t)value;
	return 0;
}

int profile_read_wall(const struct app *app, const struct profile_form *form,
		      struct wall_opts *opts, struct wall_within_opts *within)
{
	const struct profile_options *given = OPT(app, profile);

	opts->wakers = given->wakers;
	/* Sleep within an interval is not for lack of work. */
	opts->idle = given->idle || given->interval;
	if (!given->off_cpu && (given->wakers || given->idle))
		return app_usage("profile: --%s needs --off-cpu",
				 given->wakers ? "wakers" : "idle");
	if (given->off_cpu && given->count)
		return app_usage(
			"profile: cannot combine --off-cpu and --count: waits have a time");
	if (given->off_cpu && form->samples)
		return app_usage("profile: --style %s shows samples, not the times of --off-cpu",
				 OPT(app, sink)->style);
	return within_read(app, within) ?: read_hops(given->wakers, &opts->hops);
}

/* ---- what was read ---- */

char *profile_wall_words(const struct profile_view *view, enum profile_side side)
{
	const struct wall_facts *facts = wall_facts(view->wall, side);
	const struct wall_within_facts *within = &view->within[side];
	char span[UNIT_SIZE], sum[UNIT_SIZE];

	duration_text(facts->last - facts->first, span);
	duration_text(facts->ns, sum);
	if (view->interval)
		return dkt__format("%" PRIu64 " '%s' of %" PRIu64
				   " thread%s, together %s by the wall clock, in %s",
				   within->intervals, view->interval, within->threads,
				   within->threads == 1 ? "" : "s", sum, span);
	return dkt__format("%" PRIu64 " thread%s, together %s by the wall clock, in %s",
			   facts->threads, facts->threads == 1 ? "" : "s", sum, span);
}

void profile_show_wall_facts(const struct profile_view *view, struct out *out)
{
	const struct wall_facts *facts = wall_facts(view->wall, PROFILE_NOW);

	if (view->interval) {
		out_json(out, "interval", val_text(view->interval));
		out_json(out, "intervals", val_number(view->within[PROFILE_NOW].intervals));
	}
	out_json(out, "threads", val_number(facts->threads));
	out_json(out, "idle_threads", val_number(facts->idle));
	out_json(out, "partial_threads", val_number(facts->partial));
	out_json(out, "weight", val_number(facts->ns));
	out_json(out, "unit", val_text(profile_unit(view->profile)));
	out_json(out, "duration", val_number(facts->last - facts->first));
	out_json(out, "samples", val_number(facts->samples));
	out_json(out, "switches", val_number(facts->switches));
	out_json(out, "wakeups", val_number(facts->wakeups));
	out_json(out, "missed", val_number(facts->missed));
	out_json(out, "cut", val_number(facts->cut));
	print_losses(out, &view->losses);
	if (facts->idle)
		out_line(out, "",
			 "Not shown: %" PRIu64 " thread%s that slept for 99 %% of the time or more;"
			 " --idle shows %s.",
			 facts->idle, facts->idle == 1 ? "" : "s",
			 facts->idle == 1 ? "it" : "them");
	if (facts->partial)
		out_line(out, "",
			 "Not shown: %" PRIu64
			 " thread%s of which only some switches were recorded.",
			 facts->partial, facts->partial == 1 ? "" : "s");
	if (facts->missed)
		out_line(out, "",
			 "Of %" PRIu64 " waits the end was not recorded; they are left out.",
			 facts->missed);
	if (facts->cut)
		out_line(out, "",
			 "%" PRIu64
			 " times are left out or cut: there are too many different ones.",
			 facts->cut);
	if (facts->switches && !facts->wakeups)
		out_line(out, "",
			 "No wakeups were recorded: waits include the time until there was a CPU.");
}

/* ---- groups ---- */

static double share_of(uint64_t ns, uint64_t all)
{
	return all ? (double)ns / (double)all : 0;
}

enum { COLUMN_TIME, COLUMN_STATES, COLUMN_THREADS = COLUMN_STATES + WALL_STATES, COLUMN_NAME };

static struct rows *groups(const struct profile_view *view, struct column *columns,
			   size_t n_columns)
{
	size_t n;
	const struct wall_group *group = wall_groups(view->wall, &n);
	struct rows *rows;

	/* Text has only the states that there are. */
	for (int i = 0; i < WALL_STATES; i++) {
		uint64_t sum = 0;

		for (size_t j = 0; j < n; j++)
			sum += group[j].ns[i];
		columns[COLUMN_STATES + i] = (struct column){
			.key = wall_state_name((enum wall_state)i),
			.type = COL_SHARE,
			.flags = sum ? 0 : COL_DATA,
		};
	}
	rows = rows_new("groups", columns, n_columns);
	for (size_t i = 0; i < n && i < view->top; i++) {
		struct json_object *share[WALL_STATES];

		for (int state = 0; state < WALL_STATES; state++)
			share[state] =
				json_object_new_double(share_of(group[i].ns[state], group[i].all));
		rows_add(rows, val_number(group[i].all), share[WALL_RUNNING], share[WALL_RUNNABLE],
			 share[WALL_DISK], share[WALL_LOCK], share[WALL_NETWORK],
			 share[WALL_MEMORY], share[WALL_SLEEPING], share[WALL_OTHER],
			 val_number(group[i].threads), val_text(group[i].name));
	}
	return rows;
}

/* ---- stacks ---- */

/* " <- futex_wake < do_futex", the functions of a waker from the innermost out. */
static void put_waker(const struct profile_view *view, const struct wall_waker *waker,
		      struct dkt_buf *buf)
{
	const struct profile_names *names = &view->profile->names;
	const struct profile_node *nodes = wall_raw(view->wall)->nodes;
	uint32_t n = 0;

	dkt_buf_str(buf, profile_names_text(names, waker->name));
	for (uint32_t node = waker->node; node && n < WAKER_DEPTH; node = nodes[node].parent) {
		const struct profile_name *name = &names->list[nodes[node].name];

		/* The functions that wake are the same in all of them. */
		if (profile_kind_groups(name->kind) || name->tracer ||
		    strstr(profile_names_text(names, nodes[node].name), "try_to_wake_up"))
			continue;
		dkt_buf_printf(buf, "%s%s", n++ ? " < " : ": ",
			       profile_names_text(names, nodes[node].name));
	}
}

/* The stack, and who ended its waits. */
static struct json_object *words_of(const struct profile_view *view, const struct wall_stack *stack)
{
	struct json_object *words =
		profile_stack_words(&view->profile->names, &view->profile->tree, stack->node, true);
	struct json_object *both = NULL;
	struct dkt_buf *buf = NULL;
	struct wall_waker waker;
	const char *text;
	size_t len;

	if (!words || !stack->chain || dkt_buf_new(&buf))
		return words;
	dkt_buf_str(buf, json_object_get_string(words));
	for (size_t i = 0; !wall_waker(view->wall, stack->chain, i, &waker); i++) {
		dkt_buf_str(buf, i ? ", woken by " : "; woken by ");
		put_waker(view, &waker, buf);
	}
	text = dkt_buf_data(buf, &len);
	both = text ? json_object_new_string_len(text, (int)len) : NULL;
	dkt_buf_free(buf);
	json_object_put(words);
	return both;
}

static struct json_object *wakers_json(const struct profile_view *view,
				       const struct wall_stack *stack)
{
	struct json_object *list = json_object_new_array();
	struct wall_waker waker;

	for (size_t i = 0; !wall_waker(view->wall, stack->chain, i, &waker); i++) {
		struct json_object *object = json_object_new_object();

		json_object_object_add(
			object, "comm",
			val_text(profile_names_text(&view->profile->names, waker.name)));
		json_object_object_add(object, "functions",
				       profile_stack_list(&view->profile->names,
							  wall_raw(view->wall), waker.node, true));
		json_object_array_add(list, object);
	}
	return list;
}

static struct rows *stacks(const struct profile_view *view, struct column *columns,
			   size_t n_columns)
{
	const uint64_t all = wall_facts(view->wall, PROFILE_NOW)->ns;
	struct rows *rows = rows_new("stacks", columns, n_columns);
	size_t n;
	const struct wall_stack *stack = wall_stacks(view->wall, &n);

	for (size_t i = 0; i < n && i < view->top; i++)
		rows_add(rows, json_object_new_double(share_of(stack[i].ns, all)),
			 val_number(stack[i].ns), val_number(stack[i].times),
			 val_text(wall_state_name(stack[i].state)), words_of(view, &stack[i]),
			 profile_stack_list(&view->profile->names, &view->profile->tree,
					    stack[i].node, true),
			 wakers_json(view, &stack[i]));
	return rows;
}

/* ---- all ---- */

int profile_show_wall(const struct profile_view *view, struct out *out)
{
	struct column columns[] = {
		[COLUMN_TIME] = { .key = "time", .type = COL_DURATION },
		[COLUMN_THREADS] = { .key = "threads", .type = COL_NUMBER, .flags = COL_SPARE },
		[COLUMN_NAME] = { .key = "group" },
	}, stack_columns[] = {
		{ .key = "share", .type = COL_SHARE },
		{ .key = "time", .type = COL_DURATION },
		{ .key = "times", .type = COL_NUMBER, .flags = COL_SPARE },
		/* The stack begins with it if it is a key. */
		{ .key = "state",
		  .flags = view->profile->opts.by & PROFILE_BY_STATE ? COL_DATA : 0 },
		{ .key = "stack", .flags = COL_FOLD | COL_PEOPLE },
		{ .key = "functions", .type = COL_LIST, .flags = COL_DATA },
		{ .key = "wakers", .type = COL_LIST, .flags = COL_DATA },
	};

	out_rows(out, groups(view, columns, ARRAY_SIZE(columns)));
	out_rows(out, stacks(view, stack_columns, ARRAY_SIZE(stack_columns)));
	if (out->form == OUT_TEXT)
		putchar('\n');
	out_line(
		out, "",
		"More: --keys tid tells threads apart, --wakers 3 shows who woke the wakers, --tree"
		" prints all stacks, --style svg draws a flame graph.");
	return 0;
}
