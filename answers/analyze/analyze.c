/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs an analysis: passes each record to the function of its event, and remembers gaps. */
#include "answers/analyze/running.h"

#include "lib/base/disks.h"
#include "lib/base/glob.h"
#include "lib/base/memory.h"
#include "lib/base/when.h"
#include "lib/inside.h"

#define FIRST_SLOTS 64

/* An event of the source. Each file of several has its own. */
struct analyze_event {
	struct dkt_event *event; /* NULL: a free slot */
	const struct analysis_event *row; /* NULL: the analysis does not need it */
	size_t nr; /* of the row */
	uint32_t number; /* of the event */
	const struct dkt_field *fields[ANALYSIS_FIELDS];
};

/* ---- events ---- */

bool analysis_event_is(const struct analysis_event *row, const struct dkt_event *event)
{
	const char *system = dkt_event_system(event), *colon = strchr(row->name, ':');

	return dkt__glob_match(row->name, (size_t)(colon - row->name), system, strlen(system)) &&
	       dkt__glob(colon + 1, dkt_event_name(event));
}

static const struct analysis_event *find_row(const struct analyze *a, const struct dkt_event *event,
					     size_t *nr)
{
	const struct analysis_kind *kind = a->analysis->kind;

	for (*nr = 0; *nr < kind->n_events; ++*nr)
		if (analysis_event_is(&kind->events[*nr], event))
			return &kind->events[*nr];
	return NULL;
}

/* names is "a|b": the first one that the event has counts. */
static const struct dkt_field *find_field(struct dkt_event *event, const char *names)
{
	const struct dkt_field *field = NULL;
	char name[64];

	while (names && !field) {
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(names, "|"), names);
		field = dkt_event_field(event, name);
		names = strchr(names, '|');
		names = names ? names + 1 : NULL;
	}
	return field;
}

static struct analyze_event *slot_of(struct analyze_event *slots, uint32_t mask,
				     const struct dkt_event *event)
{
	uint32_t i = (uint32_t)dkt__mix(0, (uintptr_t)event) & mask;

	while (slots[i].event && slots[i].event != event)
		i = (i + 1) & mask;
	return &slots[i];
}

static int widen(struct analyze *a)
{
	uint32_t n = a->events ? 2 * (a->mask + 1) : FIRST_SLOTS;
	struct analyze_event *slots = calloc(n, sizeof(*slots));

	if (!slots)
		return dkt__no_memory(a->ctx);
	for (uint32_t i = 0; a->events && i <= a->mask; i++)
		if (a->events[i].event)
			*slot_of(slots, n - 1, a->events[i].event) = a->events[i];
	free(a->events);
	a->events = slots;
	a->mask = n - 1;
	return 0;
}

/* Returns the slot of the event, filled; NULL: memory is out. */
static struct analyze_event *event_of(struct analyze *a, struct dkt_event *event)
{
	struct analyze_event *slot = a->events ? slot_of(a->events, a->mask, event) : NULL;

	if (dkt__likely(slot && slot->event))
		return slot;
	if ((!slot || a->n_events > a->mask / 2) && widen(a))
		return NULL;
	slot = slot_of(a->events, a->mask, event);
	slot->event = event;
	slot->row = find_row(a, event, &slot->nr);
	for (size_t i = 0; slot->row && i < ANALYSIS_FIELDS; i++)
		slot->fields[i] = find_field(event, slot->row->fields[i]);
	slot->number = a->n_events++;
	return slot;
}

bool analyze_wants(void *data, struct dkt_event *event)
{
	size_t nr;

	return find_row(data, event, &nr);
}

/* ---- records ---- */

static int take_gap(struct analyze *a, const struct dkt_record *gap)
{
	const struct analysis_kind *kind = a->analysis->kind;
	const struct analyze_stream *stream =
		gap->stream < a->n_streams ? &a->streams[gap->stream] : NULL;
	uint64_t last = stream && gap->cpu < stream->n_cpus ? stream->last[gap->cpu] : 0;

	spans_gap(&a->spans, gap->cpu, last);
	return kind->gap ? kind->gap(a, a->state, gap->cpu, last ? last : a->from, gap->ts) : 0;
}

/* Returns where to keep the time of a record; NULL: memory is out. */
static inline uint64_t *last_of(struct analyze *a, const struct dkt_record *record)
{
	struct analyze_stream *stream = dkt__reach(a->streams, a->n_streams, record->stream);

	return stream ? dkt__reach(stream->last, stream->n_cpus, record->cpu) : NULL;
}

/*
 * The times begin again: nothing that is open goes on. The analysis sees a loss on all CPUs, and times that
 * continue.
 */
static int restart(struct analyze *a, uint64_t ts)
{
	const struct analysis_kind *kind = a->analysis->kind;
	int err = spans_flush(&a->spans);

	for (uint32_t i = 0; i < a->n_streams; i++)
		for (uint32_t cpu = 0; !err && cpu < a->streams[i].n_cpus; cpu++) {
			spans_gap(&a->spans, cpu, a->to);
			err = kind->gap ? kind->gap(a, a->state, cpu, a->to, a->to) : 0;
		}
	processes_end(&a->processes);
	if (!a->missed.restarts++)
		a->low = a->from;
	a->low = DKT__MIN(a->low, ts);
	a->high = DKT__MAX(a->high, a->to - a->shift);
	a->shift = a->to - ts;
	return err;
}

static int take_record(struct analyze *a, struct dkt_source *source,
		       const struct dkt_record *record)
{
	struct analyze_event *event;
	struct analysis_record r;
	uint64_t *last;

	if (!record->event)
		return take_gap(a, record);
	event = event_of(a, record->event);
	if (!event)
		return -ENOMEM;
	last = last_of(a, record);
	if (!last)
		return dkt__no_memory(a->ctx);
	*last = record->ts;
	if (!a->any)
		a->from = record->ts;
	a->missed.backwards += a->any && record->ts < a->to;
	a->to = DKT__MAX(a->to, record->ts);
	a->any = true;
	if (!event->row)
		return 0;
	a->has[event->nr] = true;
	r = (struct analysis_record){ record, source, event->fields, event->number };
	return event->row->record(a, a->state, &r);
}

int analyze_record(void *data, struct dkt_source *source, const struct dkt_record *record)
{
	struct analyze *a = data;
	struct dkt_record shifted;
	int err = 0;

	if (dkt__unlikely(a->any && record->ts + a->shift + DKT__RESTART_NS < a->to))
		err = restart(a, record->ts);
	if (dkt__likely(!a->shift))
		return err ? err : take_record(a, source, record);
	shifted = *record;
	shifted.ts += a->shift;
	return err ? err : take_record(a, source, &shifted);
}

int analyze_row(struct analyze *a, const struct result_table *table,
		const struct result_cell *cells)
{
	if (!choice_has(a, table->columns, table->n, cells))
		return 0;
	return a->opts.row(a->opts.data, table, cells);
}

/* ---- names ---- */

uint32_t analyze_self(struct analyze *a, const struct analysis_record *r)
{
	uint32_t nr = process_of(&a->processes, r->record->pid);
	const char *comm;

	if (nr == PROCESS_NONE)
		return nr;
	comm = dkt_source_comm(r->source, r->record);
	if (dkt__likely(!strncmp(a->processes.list[nr].comm, comm, COMM_SIZE)) &&
	    a->processes.list[nr].name)
		return nr;
	return process_name(&a->processes, &a->texts, nr, comm, strlen(comm)) ? PROCESS_NONE : nr;
}

uint32_t analyze_process(struct analyze *a, const struct analysis_record *r, int32_t pid, size_t i)
{
	uint32_t nr = process_of(&a->processes, pid);
	const char *comm;
	size_t len;

	if (nr == PROCESS_NONE || !r->fields[i])
		return nr;
	comm = dkt_record_bytes(r->record, r->fields[i], &len);
	if (dkt__likely(len == COMM_SIZE && !memcmp(a->processes.list[nr].comm, comm, COMM_SIZE)) &&
	    a->processes.list[nr].name)
		return nr;
	/* Beyond the first NUL there may be anything. */
	return process_name(&a->processes, &a->texts, nr, comm, strnlen(comm, len)) ? PROCESS_NONE :
										      nr;
}

const char *analyze_text(struct analyze *a, const struct analysis_record *r, size_t i)
{
	size_t len = 0;
	const char *text = r->fields[i] ? dkt_record_bytes(r->record, r->fields[i], &len) : "";

	return texts_keep(&a->texts, text ? text : "", len);
}

const char *analyze_disk(struct analyze *a, const struct analysis_record *r, uint64_t dev)
{
	const char *name = dkt__source_disk(r->source, r->record->stream, dev);
	char number[DKT__DISK_NUMBER];

	dkt__disk_number(dev, number);
	return texts_keep(&a->texts, name ? name : number, DKT__DISK_NAME);
}

/* ---- from beginning to end ---- */

int analyze_new(struct dkt_ctx *ctx, const struct analysis *analysis,
		const struct analyze_opts *opts, struct analyze **a)
{
	const struct analysis_kind *kind = analysis->kind;
	struct analyze *run = calloc(1, sizeof(*run));
	int err = run ? 0 : dkt__no_memory(ctx);

	*a = run;
	if (err)
		return err;
	*run = (struct analyze){ .ctx = ctx, .analysis = analysis, .opts = *opts };
	run->state = calloc(1, kind->size);
	run->has = calloc(kind->n_events, sizeof(*run->has));
	if (!run->state || !run->has)
		return dkt__no_memory(ctx);
	err = choice_check(run);
	if (!err)
		err = spans_begin(&run->spans, run);
	return err || !kind->begin ? err : kind->begin(run, run->state);
}

int analyze_end(struct analyze *a)
{
	const struct analysis_kind *kind = a->analysis->kind;
	int err;

	spans_count(&a->spans);
	err = kind->end ? kind->end(a, a->state) : 0;
	if (!err)
		err = spans_end(&a->spans);
	return err || !kind->last ? err : kind->last(a, a->state);
}

void analyze_free(struct analyze *a)
{
	if (!a)
		return;
	if (a->state && a->analysis->kind->clear)
		a->analysis->kind->clear(a->state);
	spans_clear(&a->spans);
	processes_clear(&a->processes);
	texts_clear(&a->texts);
	free(a->state);
	free(a->events);
	free(a->has);
	for (uint32_t i = 0; i < a->n_streams; i++)
		free(a->streams[i].last);
	free(a->streams);
	free(a);
}

/* ---- results ---- */

const struct result_table *analyze_table(const struct analyze *a, size_t i)
{
	const struct analysis_kind *kind = a->analysis->kind;
	enum analysis_view view = a->analysis->view;
	size_t own = view == VIEW_TABLES || view == VIEW_STATS ? kind->n_tables : 0;

	if (i < own)
		return &kind->tables[i];
	return i - own < a->spans.n_tables ? &a->spans.tables[i - own] : NULL;
}

void analyze_range(const struct analyze *a, uint64_t *from, uint64_t *to)
{
	*from = a->shift ? a->low : a->from;
	*to = DKT__MAX(a->high, a->to - a->shift);
}

bool analyze_has(const struct analyze *a, size_t i)
{
	return a->has[i];
}

const struct analyze_missed *analyze_missed(const struct analyze *a)
{
	return &a->missed;
}

bool analysis_suffices(const struct analysis_kind *kind, const bool *has)
{
	bool needs_one = false, has_one = false;

	for (size_t i = 0; i < kind->n_events; i++) {
		if (kind->events[i].need == NEED_ALL && !has[i])
			return false;
		needs_one |= kind->events[i].need == NEED_ONE;
		has_one |= kind->events[i].need == NEED_ONE && has[i];
	}
	return has_one || !needs_one;
}
