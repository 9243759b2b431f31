/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ways of calls that have ended: their spans, groups, and the slowest. */
#include "compat/lustre_log/path_state.h"
#include "lib/base/memory.h"

/* ---- groups ---- */

static bool is_wanted(const struct paths *paths, const struct path *path)
{
	const struct path_wants *wants = &paths->wants;

	if (wants->opcode != OPCODE_UNKNOWN && path->opcode != wants->opcode)
		return false;
	if (wants->job && strcmp(path_name(paths, path->job), wants->job) != 0)
		return false;
	return !wants->file || !strcmp(path_name(paths, path->file), wants->file) ||
	       !strcmp(path_name(paths, path->fid), wants->file);
}

static uint32_t group_key(enum path_by by, const struct path *path)
{
	switch (by) {
	case PATH_BY_OPCODE:
		return path->opcode;
	case PATH_BY_CALL:
		return path->call;
	case PATH_BY_JOB:
		return path->job;
	case PATH_BY_CLIENT:
		return path->client;
	case PATH_BY_TARGET:
		return path->target;
	case PATH_BY_NONE:
		break;
	}
	return 0;
}

static struct path_group *find_group(struct paths *paths, const struct path *path)
{
	const uint32_t key = group_key(paths->by, path);
	bool added;
	uint32_t entry = dkt__keymap_add(&paths->group_map, &(uint64_t){ key }, &added);

	if (entry == DKT__KEYMAP_NONE || (added && dkt__append(paths->groups, paths->n_groups,
							       (struct path_group){ .key = key })))
		return NULL;
	return &paths->groups[entry];
}

static int count(struct paths *paths, const struct path *path)
{
	struct path_group *group = find_group(paths, path);
	uint64_t parts[PATH_PARTS] = { 0 };
	int err = group ? dkt__dist_add(&group->whole, path->to - path->from) : -ENOMEM;

	for (size_t i = 0; i < path->spans.n; i++) {
		const struct path_span *span = &path->spans.list[i];

		parts[span->part] += span->to - span->from;
	}
	for (size_t i = 0; !err && i < PATH_PARTS; i++)
		if (parts[i])
			err = dkt__dist_add(&group->parts[i], parts[i]);
	if (!err)
		group->count++;
	return err;
}

/* ---- the slowest ---- */

static uint64_t whole(const struct path *path)
{
	return path->to - path->from;
}

/* Keeps the path with its spans if it is among the slowest. */
static void keep_slow(struct paths *paths, struct path *path)
{
	size_t at = paths->n_slowest;

	while (at && whole(&paths->slowest[at - 1]) < whole(path)) {
		paths->slowest[at] = paths->slowest[at - 1];
		at--;
	}
	paths->slowest[at] = *path;
	path->spans = (struct path_spans){ 0 };
	if (paths->n_slowest == paths->most_slowest)
		dkl_path_spans_clear(&paths->slowest[paths->n_slowest].spans);
	else
		paths->n_slowest++;
}

int dkl_path_put(struct paths *paths, struct path *path)
{
	int err = 0;

	if (path->to > path->from && is_wanted(paths, path)) {
		paths->count++;
		paths->with_call += path->call != 0;
		err = count(paths, path);
		keep_slow(paths, path);
	}
	dkl_path_spans_clear(&path->spans);
	return err ? dkt__no_memory(paths->ctx) : 0;
}

/* ---- calls ---- */

/* Adds the spans of a request that the call has waited for. */
static int add_request(struct path *path, const struct path *request, uint64_t *longest)
{
	int err = 0;

	for (size_t i = 0; !err && i < request->spans.n; i++) {
		struct path_span span = request->spans.list[i];

		span.rank = 1;
		err = dkl_path_spans_add(&path->spans, span);
	}
	path->requests++;
	if (whole(request) < *longest)
		return err;
	*longest = whole(request);
	path->opcode = request->opcode;
	path->xid = request->xid;
	path->client = request->client;
	path->target = request->target;
	if (request->job)
		path->job = request->job;
	return err;
}

/* Collects the spans of the call. Requests that ended later were not waited for: they are paths of their own. */
static int collect(struct paths *paths, struct path_call *call, struct path *path)
{
	uint64_t longest = 0, replied = UINT64_MAX;
	int err = 0;

	for (size_t i = 0; !err && i < call->n; i++) {
		if (call->requests[i].to > path->to)
			continue;
		err = add_request(path, &call->requests[i], &longest);
		replied = DKT__MIN(replied, call->requests[i].to);
	}
	/* Before the first reply, the client does not wait for the grant, but for the reply. */
	for (size_t i = 0; !err && i < call->grants.n; i++) {
		struct path_span grant = call->grants.list[i];

		grant.from = DKT__MAX(grant.from, replied);
		err = dkl_path_spans_add(&path->spans, grant);
	}
	path->spans.crowded = call->lacks;
	for (size_t i = 0; !err && i < call->n; i++)
		if (call->requests[i].to > path->to)
			err = dkl_path_put(paths, &call->requests[i]);
	return err;
}

int dkl_path_call_put(struct paths *paths, uint64_t number)
{
	struct path_call *call = dkt__keyed_remove(&paths->calls, &number);
	const struct path_gaps gaps = { PATH_BEFORE, PATH_BEFORE, PATH_AFTER, call->host };
	struct path path = { .from = call->from,
			     .to = call->to,
			     .host = call->host,
			     .call = call->name,
			     .file = call->file,
			     .fid = call->fid,
			     .job = call->job,
			     .opcode = OPCODE_UNKNOWN };
	struct path_spans items;
	int err = collect(paths, call, &path);

	items = path.spans;
	path.spans = (struct path_spans){ 0 };
	if (!err && path.requests) {
		paths->open_ends += !call->marked;
		paths->lost_parts += call->lacks;
		err = dkl_path_spans_flatten(&items, path.from, path.to, gaps, &path.spans);
	}
	dkl_path_spans_clear(&items);
	dkl_path_call_clear(call);
	if (!err && path.requests)
		return dkl_path_put(paths, &path);
	dkl_path_spans_clear(&path.spans);
	return err ? dkt__no_memory(paths->ctx) : 0;
}

/* ---- losses, the end ---- */

void dkl_paths_cut(struct paths *paths, uint32_t host, bool restart)
{
	for (uint32_t i = 0; i < paths->threads.n_values; i++) {
		struct path_thread *thread = dkt__keyed_at(&paths->threads, i);
		const uint64_t *key = dkt__keymap_key(&paths->threads.keys, i);

		if (key[0] == host)
			*thread = (struct path_thread){ .job = thread->job };
	}
	/* Their threads no longer know them. Their path is made at the end. */
	for (uint32_t i = 0; i < paths->calls.n_values; i++) {
		struct path_call *call = dkt__keyed_at(&paths->calls, i);

		if (call->from && call->host == host)
			call->ended = call->lacks = true;
	}
	if (restart) {
		dkl_rpcs_restart(&paths->rpcs, host);
		dkl_locks_restart(&paths->locks, host);
	} else {
		dkl_rpcs_gap(&paths->rpcs, host);
		dkl_locks_gap(&paths->locks, host);
	}
	dkl_path_events_cut(paths->events, host);
}

int dkl_paths_finish(struct paths *paths)
{
	int err = dkl_rpcs_finish(&paths->rpcs);

	for (uint32_t i = 0; !err && i < paths->calls.n_values; i++) {
		struct path_call *call = dkt__keyed_at(&paths->calls, i);

		if (!call->from)
			continue;
		call->lacks |= call->pending ||
			       (!call->ended && (call->paired || call->system_call));
		err = dkl_path_call_put(paths, *dkt__keymap_key(&paths->calls.keys, i));
	}
	return err;
}
