/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Joins the records of one kernel to calls, and prints or counts those that are wanted. */
#include "compat/lustre/mask.h"
#include "ctl/app/groups.h"
#include "ctl/strace/strace.h"
#include "lib/inside.h"

/* ---- calls ---- */

static bool is_exec(const struct call *call)
{
	return call->state == CALL_ENDED && !call->ret && call->kind->name &&
	       !strncmp(call->kind->name, "execve", strlen("execve"));
}

/* The search for the command in $PATH is not part of the command. */
static bool is_start(struct strace_origin *origin, const struct call *call)
{
	if (!origin->starting || call->tid != origin->starting)
		return false;
	if (is_exec(call))
		origin->starting = 0;
	return origin->starting;
}

static bool is_followed(struct strace_origin *origin, int32_t tid)
{
	return !origin->followed || followed_has(origin->followed, tid);
}

static int learn(struct strace_origin *origin, const struct call *call)
{
	return origin->descriptors ? descriptors_learn(origin->descriptors, call) : 0;
}

static int learn_program(struct strace_origin *origin, const struct call *call)
{
	if (is_exec(call))
		origin->executed++;
	if (origin->maps && is_exec(call))
		maps_forget(origin->maps, call->tid);
	return strace_programs_learn(&origin->programs, call);
}

/* The process may have ended when its call is printed. */
static int take_user_stack(void *data, int32_t tid, uint64_t address)
{
	struct strace_origin *origin = data;

	return is_followed(origin, tid) ? maps_learn_at(origin->maps, tid, address) : 0;
}

static int take_call(void *data, const struct call *call)
{
	struct strace_origin *origin = data;
	struct strace *strace = origin->strace;
	/* A new descriptor is shown with its name, a closed one too. */
	bool opens = call->kind->signature && call->kind->signature->returns == RETURN_FD;
	int err;

	if (origin->descriptors)
		descriptors_until(origin->descriptors, call->end ?: call->begin);
	err = opens ? learn(origin, call) : 0;
	if (!err)
		err = learn_program(origin, call);
	if (!err && !is_start(origin, call) && is_followed(origin, call->tid) &&
	    strace_choice_has(&origin->choice, call, origin->now))
		err = strace->summary ? strace_summary_add(strace->summary, origin, call) :
					strace_lines_put(&strace->lines, origin, call);
	return err || opens ? err : learn(origin, call);
}

static int take_task(void *data, const struct call_task *task)
{
	struct strace_origin *origin = data;
	struct strace *strace = origin->strace;
	int err = 0;

	if (!task->began && !strace->summary && is_followed(origin, task->tid) &&
	    strace_choice_exits(&origin->choice))
		err = strace_lines_exit(&strace->lines, origin, task);
	if (!err && origin->followed)
		err = followed_task(origin->followed, task);
	strace_programs_forget(&origin->programs, task->tid);
	if (origin->maps && !task->began)
		maps_forget(origin->maps, task->tid);
	return err || !origin->descriptors ? err : descriptors_task(origin->descriptors, task);
}

/* A record that lacks a field of the filter is not refused: the other one of the call may have it. */
static enum call_verdict selects(void *data, const struct dkt_record *record)
{
	struct strace_origin *origin = data;

	if (record->event != origin->known) {
		origin->known = record->event;
		origin->fits = !dkt__expr_check_match(origin->filter, record->event);
	}
	if (!origin->fits)
		return CALL_UNTOLD;
	return dkt_expr_match(origin->filter, record,
			      dkt_source_comm(origin->strace->source, record)) ?
		       CALL_SELECTED :
		       CALL_REFUSED;
}

/* ---- records ---- */

int strace_origin_begin(struct strace *strace, struct strace_origin *origin)
{
	struct app *app = strace->app;
	const struct strace_options *given = OPT(app, strace);
	struct calls_opts opts = { .call = take_call,
				   .task = take_task,
				   .data = origin,
				   .texts = !given->summary,
				   .stacks = given->stack };
	int err = 0;

	origin->strace = strace;
	origin->choice = strace->choice;
	if (given->calls)
		err = strace_choice_calls(&origin->choice, origin->ctx, given->calls);
	app->wrong = err == -EINVAL;
	if (!err && OPT(app, select)->filter)
		err = dkl_mask_expr(origin->ctx, OPT(app, select)->filter, &origin->filter);
	if (origin->filter)
		opts.selects = selects;
	if (!err && !given->summary)
		err = descriptors_new(&origin->descriptors);
	origin->text.descriptors = origin->descriptors;
	if (!err && given->stack && !strace->n_files) {
		origin->maps = maps_new();
		opts.user_stack = take_user_stack;
		err = origin->maps ? 0 : -ENOMEM;
	}
	return err ? err : calls_new(origin->ctx, &opts, &origin->calls);
}

/* The first thread is the command's. */
static int add_first(struct strace_origin *origin, const struct dkt_record *record)
{
	origin->any = true;
	if (!origin->strace->command)
		return 0;
	origin->starting = record->pid;
	return origin->descriptors ? descriptors_inherit(origin->descriptors, record->pid) : 0;
}

int strace_origin_add(struct strace_origin *origin, const struct dkt_record *record)
{
	int err = origin->any || !record->event ? 0 : add_first(origin, record);

	origin->now = record->ts;
	if (!record->event && origin->followed)
		followed_forget(origin->followed);
	if (!err && !record->event && origin->descriptors) {
		descriptors_forget(origin->descriptors);
		err = strace_lines_gap(&origin->strace->lines, origin, record);
	}
	return err ? err : calls_add(origin->calls, record);
}

void strace_origin_clear(struct strace_origin *origin)
{
	calls_free(origin->calls);
	descriptors_free(origin->descriptors);
	strace_programs_clear(&origin->programs);
	maps_free(origin->maps);
	followed_free(origin->followed);
	dkt_expr_free(origin->filter);
}
