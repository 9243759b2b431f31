/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the events that tell of system calls, and the filters with which the kernel records them. */
#include "compat/lustre/mask.h"
#include "compat/set/filters.h"
#include "ctl/app/groups.h"
#include "ctl/strace/strace.h"
#include "lib/base/buf.h"

static int add(struct strace_events *events, struct dkt_ctx *ctx, const char *system,
	       const char *name, struct dkt_expr *filter)
{
	struct dkt_event *event = dkt_event_find(ctx, system, name);

	if (!event)
		return -ENOENT;
	return dkt__append(events->list, events->n,
			   (struct live_event){ .event = event, .filter = filter });
}

/* The kernel tests programs; --filter and --cpu are for both ends of a call. */
static int make_filters(struct strace_events *events, struct dkt_ctx *ctx, const char *who,
			const char *numbers)
{
	char *both __cleanup(free) = NULL;
	int err = who ? dkl_mask_expr(ctx, who, &events->filter) : 0;

	if (err || !numbers)
		return err;
	both = who ? dkt__format("(%s) && (%s)", who, numbers) : strdup(numbers);
	return both ? dkl_mask_expr(ctx, both, &events->numbers) : -ENOMEM;
}

/* The kernel's own events of calls with strings, on kernels that record these. */
static int add_with_texts(struct strace_events *events, struct dkt_ctx *ctx,
			  const struct strace_choice *choice)
{
	int err = 0;

	for (int i = 0; !err && i < STRACE_CALLS; i++) {
		const char *name = dkt_syscall_name(ctx, i);
		char *event __cleanup(free) = name ? dkt__format("sys_enter_%s", name) : NULL;
		struct dkt_event *found = event ? dkt_event_find(ctx, "syscalls", event) : NULL;
		const struct dkt_field *const *fields;
		size_t n;
		bool any = false;

		if (!found || (choice->any && !choice->by_number[i] && !descriptors_needs(name)) ||
		    dkt_event_fields(found, &fields, &n))
			continue;
		while (!any && n-- > 0)
			any = fields[n]->flags & DKT_FIELD_STRING &&
			      !strncmp(fields[n]->name, "__", 2);
		if (any)
			err = add(events, ctx, "syscalls", event, events->filter);
	}
	return err;
}

/* Where threads wait: the stacks at which they stop running, but not for another thread alone. */
static int add_waits(struct strace_events *events, struct dkt_ctx *ctx, const char *who)
{
	static const char sleeps[] = "prev_state & 255";
	char *text __cleanup(free) = who ? dkt__format("(%s) && %s", who, sleeps) : strdup(sleeps);
	int err = text ? dkl_mask_expr(ctx, text, &events->waits) : -ENOMEM;

	if (!err)
		err = add(events, ctx, "sched", "sched_switch", events->waits);
	if (!err)
		events->list[events->n - 1].stack = true;
	return err == -ENOENT ?
		       dkt_fail(ctx, err, "--stack: this kernel has no event sched:sched_switch") :
		       err;
}

int strace_events_find(struct strace_events *events, const struct app *app, struct dkt_ctx *ctx,
		       const struct strace_choice *choice, const struct strace_texts *texts)
{
	/* The kernel has a list of processes of its own. */
	const struct filter_wish wish = { .words = SELECT_ALL, .comm = OPT(app, select)->comm };
	char *numbers __cleanup(free) = strace_choice_filter(choice, ctx, texts);
	char *who __cleanup(free) = NULL;
	struct dkt_expr *filter;
	int err = dkl_filters_text(ctx, &wish, &who);

	if (!err)
		err = make_filters(events, ctx, who, numbers);

	if (err)
		return err;
	filter = events->numbers ? events->numbers : events->filter;
	err = add(events, ctx, "raw_syscalls", "sys_enter", filter);
	if (!err)
		err = add(events, ctx, "raw_syscalls", "sys_exit", filter);
	if (err == -ENOENT)
		return dkt_fail(
			ctx, -ENOENT,
			"this kernel has no events of system calls (CONFIG_FTRACE_SYSCALLS)");
	/* Without these, threads whose IDs are used again are recognised by their next call. */
	if (!err)
		err = add(events, ctx, "task", "task_newtask", events->filter);
	if (!err || err == -ENOENT)
		err = add(events, ctx, "sched", "sched_process_exit", events->filter);
	/* For an execve that a thread begins and its process ends. */
	if (!err || err == -ENOENT)
		err = add(events, ctx, "sched", "sched_process_exec", events->filter);
	/* How a thread ends. */
	if (!err || err == -ENOENT)
		err = add(events, ctx, "signal", "signal_generate", events->filter);
	if (!err || err == -ENOENT)
		err = add(events, ctx, "signal", "signal_deliver", events->filter);
	err = err == -ENOENT ? 0 : err;
	for (size_t i = 0; !err && texts && i < texts->n; i++)
		err = add(events, ctx, texts->group, texts->calls[i], events->filter);
	if (!err && texts && !texts->n)
		err = add_with_texts(events, ctx, choice);
	if (!err && OPT(app, strace)->stack && !OPT(app, strace)->summary)
		err = add_waits(events, ctx, who);
	return err;
}

void strace_events_clear(struct strace_events *events)
{
	free(events->list);
	dkt_expr_free(events->filter);
	dkt_expr_free(events->numbers);
	dkt_expr_free(events->waits);
}
