/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Data that function_graph lines take from earlier lines: the process and the function. */

#include "lib/source/own_format.h"
#include "lib/tracetext/rows.h"

/* Deeper calls are stored at the last depth. */
#define DEPTH_MAX 256

#define SLOTS 1024

/* The open calls of a process, by depth. If the process is unknown, those of a CPU. */
struct dkt__text_open {
	struct dkt__text_open *next;
	int64_t key;
	struct {
		uint64_t func, ts;
	} calls[DEPTH_MAX];
};

int dkt__text_calls_task(struct dkt__text_calls *calls, uint64_t at, const struct dkt__line *line)
{
	bool is_first = true;

	for (size_t i = 0; i < calls->n_tasks && is_first; i++)
		is_first = calls->tasks[i].cpu != line->cpu;
	/* The first change on a CPU also names the process that ran there from the beginning. */
	if (is_first) {
		if (dkt__append(calls->tasks, calls->n_tasks, (struct dkt__text_task){ 0 }))
			return -ENOMEM;
		memmove(calls->tasks + 1, calls->tasks,
			(calls->n_tasks - 1) * sizeof(*calls->tasks));
		calls->tasks[0] =
			(struct dkt__text_task){ .cpu = line->cpu, .pid = line->graph.before };
	}
	return dkt__append(calls->tasks, calls->n_tasks,
			   (struct dkt__text_task){ .at = at, .cpu = line->cpu, .pid = line->pid });
}

int32_t dkt__text_calls_pid(const struct dkt__text_calls *calls, uint64_t at, uint32_t cpu)
{
	size_t from = 0, to = calls->n_tasks;

	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (calls->tasks[mid].at <= at)
			from = mid + 1;
		else
			to = mid;
	}
	/* The changes of all CPUs are mixed, so the last one on this CPU is close. */
	while (from-- > 0)
		if (calls->tasks[from].cpu == cpu)
			return calls->tasks[from].pid;
	return 0;
}

static struct dkt__text_open *open_of(struct dkt__text_calls *calls, const struct dkt__line *line)
{
	int64_t key = line->pid ? line->pid : -1 - (int64_t)line->cpu;
	size_t slot = (uint64_t)key % SLOTS;
	struct dkt__text_open *open;

	if (!calls->open)
		calls->open = calloc(SLOTS, sizeof(*calls->open));
	if (!calls->open)
		return NULL;
	for (open = calls->open[slot]; open; open = open->next)
		if (open->key == key)
			return open;
	open = calloc(1, sizeof(*open));
	if (!open)
		return NULL;
	open->key = key;
	open->next = calls->open[slot];
	calls->open[slot] = open;
	return open;
}

static void put(uint8_t *data, struct dkt_event *event, const char *name, uint64_t value)
{
	const struct dkt_field *field = dkt_event_field(event, name);

	if (field)
		dkt__put_number(data + field->offset, value, field->size);
}

uint32_t dkt__text_calls_put(struct dkt__text_calls *calls, struct dkt_ctx *ctx,
			     const struct dkt__line *line, struct dkt_event *event, uint8_t *data)
{
	const struct dkt__graph *graph = &line->graph;
	uint32_t depth = DKT__MIN(graph->depth, (uint32_t)DEPTH_MAX - 1);
	struct dkt__text_open *open = open_of(calls, line);
	uint64_t func, begin = line->ts, end;

	if (!open)
		return 0;
	func = line->text_len ? dkt__frame_address(ctx, line->text, line->text_len) :
				open->calls[depth].func;
	put(data, event, "func", func);
	put(data, event, "depth", depth);
	if (graph->call == DKT__CALL_EXIT) {
		end = line->ts;
		if (graph->has_duration)
			begin = end > graph->duration ? end - graph->duration : 0;
		else if (open->calls[depth].func == func && func)
			begin = open->calls[depth].ts;
		/* Without the time of the line, the record still has the right duration. */
		if (!graph->has_time)
			end = begin + graph->duration;
		open->calls[depth].func = 0;
	} else {
		end = begin + graph->duration;
		open->calls[depth].func = graph->call == DKT__CALL_ENTRY ? func : 0;
		open->calls[depth].ts = begin;
	}
	if (strcmp(dkt_event_name(event), "funcgraph_exit") != 0)
		return DKT__GRAPH_ENTRY_SIZE;
	put(data, event, "calltime", begin);
	put(data, event, "rettime", end);
	put(data, event, "retval", graph->retval);
	return dkt_event_field(event, "retval") ? DKT__GRAPH_RETVAL_SIZE : DKT__GRAPH_EXIT_SIZE;
}

void dkt__text_calls_clear(struct dkt__text_calls *calls)
{
	struct dkt__text_open *next;

	for (size_t i = 0; calls->open && i < SLOTS; i++)
		for (struct dkt__text_open *open = calls->open[i]; open; open = next) {
			next = open->next;
			free(open);
		}
	free(calls->open);
	free(calls->tasks);
}
