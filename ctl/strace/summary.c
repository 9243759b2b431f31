/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measures system calls by thread and call. */
#include "ctl/app/print.h"
#include "ctl/strace/strace.h"
#include "lib/base/buf.h"
#include "lib/base/keymap.h"

/* Groups found last, for one look without a search. */
#define NEAR 4096

struct errors {
	int error;
	uint64_t n;
};

struct group {
	const struct strace_origin *origin;
	int32_t tid;
	int number;
	uint32_t stream; /* of a call, for the name of the thread */
	const struct call_kind *kind;
	struct dkt__dist dist;
	uint64_t unfinished, incomplete, failed;
	struct errors *errors;
	size_t n_errors;
	char room[STRACE_CALL]; /* for the name of the call */
};

struct strace_summary {
	struct dkt__keymap map; /* by thread and number of the call, and origin */
	struct group **list;
	size_t n;
	struct group *near[NEAR];
	struct strace_callers *callers; /* NULL: not wanted */
};

/* ---- counting ---- */

static struct group *new_group(struct strace_summary *summary, const struct strace_origin *origin,
			       const struct call *call)
{
	const uint64_t key[] = { (uint64_t)(uint32_t)call->tid << 32 | (uint32_t)call->number,
				 origin->index };
	struct group *group;
	uint32_t entry;
	bool added;

	summary->map.n_words = ARRAY_SIZE(key);
	entry = dkt__keymap_add(&summary->map, key, &added);
	if (entry == DKT__KEYMAP_NONE)
		return NULL;
	if (!added)
		return summary->list[entry];
	group = calloc(1, sizeof(*group));
	if (!group || dkt__append(summary->list, summary->n, group)) {
		free(group);
		dkt__keymap_remove(&summary->map, key);
		return NULL;
	}
	group->origin = origin;
	group->tid = call->tid;
	group->number = call->number;
	group->kind = call->kind;
	group->stream = call->stream;
	return group;
}

static inline struct group *find_group(struct strace_summary *summary,
				       const struct strace_origin *origin, const struct call *call)
{
	size_t slot = ((uint32_t)call->tid * 61 + (uint32_t)call->number + origin->index) % NEAR;
	struct group *near = summary->near[slot];

	if (dkt__unlikely(!near || near->tid != call->tid || near->number != call->number ||
			  near->origin != origin))
		summary->near[slot] = near = new_group(summary, origin, call);
	return near;
}

static int add_error(struct group *group, int error)
{
	group->failed++;
	for (size_t i = 0; i < group->n_errors; i++)
		if (group->errors[i].error == error) {
			group->errors[i].n++;
			return 0;
		}
	return dkt__append(group->errors, group->n_errors,
			   (struct errors){ .error = error, .n = 1 });
}

int strace_summary_add(struct strace_summary *summary, const struct strace_origin *origin,
		       const struct call *call)
{
	struct group *group;
	int err = 0;

	/* Calls such as exit take no time. */
	if (call->state == CALL_NO_END && !call->lost && call->kind->signature &&
	    call->kind->signature->returns == RETURN_NEVER)
		return 0;
	group = find_group(summary, origin, call);
	if (!group)
		return -ENOMEM;
	if (call->state == CALL_ENDED)
		err = dkt__dist_add(&group->dist, call->end - call->begin);
	else if (call->state == CALL_UNFINISHED)
		group->unfinished++;
	else
		group->incomplete++;
	if (!err && call->state == CALL_ENDED && call_failed(call))
		err = add_error(group, (int)-call->ret);
	if (!err && summary->callers)
		err = strace_callers_add(summary->callers, origin, call);
	return err;
}

int strace_summary_new(bool stacks, struct strace_summary **summary)
{
	*summary = calloc(1, sizeof(**summary));
	if (!*summary)
		return -ENOMEM;
	return stacks ? strace_callers_new(&(*summary)->callers) : 0;
}

struct strace_callers *strace_summary_callers(struct strace_summary *summary)
{
	return summary->callers;
}

bool strace_summary_find(const struct strace_summary *summary, int number,
			 struct strace_measured *measured)
{
	*measured = (struct strace_measured){ 0 };
	for (size_t i = 0; i < summary->n; i++) {
		struct group *group = summary->list[i];

		if (group->number != number)
			continue;
		measured->call = strace_call_name(group->kind, number, group->room);
		measured->count += group->dist.count;
		measured->total += group->dist.sum;
	}
	return measured->call;
}

void strace_summary_free(struct strace_summary *summary)
{
	if (!summary)
		return;
	for (size_t i = 0; i < summary->n; i++) {
		dkt__dist_clear(&summary->list[i]->dist);
		free(summary->list[i]->errors);
		free(summary->list[i]);
	}
	free(summary->list);
	dkt__keymap_clear(&summary->map);
	strace_callers_free(summary->callers);
	free(summary);
}

/* ---- the table ---- */

enum {
	FROM,
	THREAD,
	COMM,
	TID,
	CALL,
	COUNT,
	FAILED,
	UNFINISHED,
	INCOMPLETE,
	MIN,
	MEAN,
	P50,
	P99,
	MAX,
	TOTAL,
	ERRORS,
	COLUMNS
};

static const struct column all_columns[COLUMNS] = {
	[FROM] = { .key = "from" },
	[THREAD] = { .key = "thread", .flags = COL_PEOPLE },
	[COMM] = { .key = "comm", .flags = COL_DATA },
	[TID] = { .key = "tid", .type = COL_NUMBER, .flags = COL_DATA },
	[CALL] = { .key = "call" },
	[COUNT] = { .key = "count", .type = COL_NUMBER },
	[FAILED] = { .key = "failed", .type = COL_NUMBER },
	[UNFINISHED] = { .key = "unfinished", .type = COL_NUMBER },
	[INCOMPLETE] = { .key = "incomplete", .type = COL_NUMBER },
	[MIN] = { .key = "min", .type = COL_DURATION, .flags = COL_SPARE },
	[MEAN] = { .key = "mean", .type = COL_DURATION, .flags = COL_SPARE },
	[P50] = { .key = "p50", .type = COL_DURATION },
	[P99] = { .key = "p99", .type = COL_DURATION, .flags = COL_SPARE },
	[MAX] = { .key = "max", .type = COL_DURATION },
	[TOTAL] = { .key = "total", .type = COL_DURATION },
	[ERRORS] = { .key = "errors", .flags = COL_FOLD },
};

/* Returns "ENOENT 3, EACCES 1", the most frequent first. */
static struct json_object *errors_text(const struct group *group)
{
	const enum call_machine machine = group->origin->text.machine;
	char *text = NULL;
	const char *name, *words;
	struct json_object *value;
	bool restarts;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	for (size_t i = 0; f && i < group->n_errors; i++) {
		name = call_error(group->errors[i].error, machine, &words, &restarts);
		fprintf(f, "%s", i ? ", " : "");
		if (name)
			fprintf(f, "%s %llu", name, (unsigned long long)group->errors[i].n);
		else
			fprintf(f, "%d %llu", group->errors[i].error,
				(unsigned long long)group->errors[i].n);
	}
	if (!f || fclose(f)) {
		free(text);
		return NULL;
	}
	value = val_words(text);
	free(text);
	return value;
}

static struct json_object *errors_json(const struct group *group)
{
	const enum call_machine machine = group->origin->text.machine;
	struct json_object *object = json_object_new_object();
	const char *name, *words;
	char number[16];
	bool restarts;

	for (size_t i = 0; i < group->n_errors; i++) {
		name = call_error(group->errors[i].error, machine, &words, &restarts);
		snprintf(number, sizeof(number), "%d", group->errors[i].error);
		json_object_object_add(object, name ? name : number,
				       val_number(group->errors[i].n));
	}
	return object;
}

static int by_count(const void *a, const void *b)
{
	const struct errors *x = a, *y = b;

	return x->n > y->n ? -1 : x->n < y->n;
}

const char *strace_call_name(const struct call_kind *kind, int number, char room[STRACE_CALL])
{
	if (kind->name)
		return kind->name;
	snprintf(room, STRACE_CALL, "syscall_0x%x", (unsigned int)number);
	return room;
}

static struct json_object *thread_of(const char *comm, int32_t tid)
{
	char *text __cleanup(free) = dkt__format("%s/%d", comm, tid);

	return val_text(text);
}

static void add_group(struct rows *rows, const size_t *shown, size_t n, struct group *group,
		      const struct strace_totals *totals, bool json)
{
	const struct dkt_record record = { .pid = group->tid, .stream = group->stream };
	const struct dkt__dist *dist = &group->dist;
	const char *comm = totals->source ? dkt_source_comm(totals->source, &record) : "<...>";
	struct json_object *values[COLUMNS], *picked[COLUMNS];

	if (group->n_errors)
		qsort(group->errors, group->n_errors, sizeof(*group->errors), by_count);
	values[FROM] = val_text(group->origin->name);
	values[THREAD] = thread_of(comm, group->tid);
	values[COMM] = val_text(comm);
	values[TID] = json_object_new_int(group->tid);
	values[CALL] = val_text(strace_call_name(group->kind, group->number, group->room));
	values[COUNT] = val_number(dist->count);
	values[FAILED] = val_number(group->failed);
	values[UNFINISHED] = val_number(group->unfinished);
	values[INCOMPLETE] = val_number(group->incomplete);
	values[MIN] = dist->count ? val_number(dist->min) : NULL;
	values[MEAN] = dist->count ? val_number(dist->sum / dist->count) : NULL;
	values[P50] = dist->count ? val_number(dkt__dist_quantile(dist, 0.5)) : NULL;
	values[P99] = dist->count ? val_number(dkt__dist_quantile(dist, 0.99)) : NULL;
	values[MAX] = dist->count ? val_number(dist->max) : NULL;
	values[TOTAL] = val_number(dist->sum);
	values[ERRORS] = json ? errors_json(group) : errors_text(group);
	for (size_t i = 0; i < COLUMNS; i++) {
		size_t to = 0;

		while (to < n && shown[to] != i)
			to++;
		if (to < n)
			picked[to] = values[i];
		else
			json_object_put(values[i]);
	}
	rows_add_values(rows, picked);
}

/* Text leaves out the columns that would be empty; all do so if there is one origin. */
static size_t choose_columns(const struct strace_summary *summary, bool text,
			     struct column columns[COLUMNS], size_t shown[COLUMNS])
{
	uint64_t unfinished = 0, incomplete = 0, failed = 0;
	size_t n = 0;

	for (size_t i = 0; i < summary->n; i++) {
		unfinished += summary->list[i]->unfinished;
		incomplete += summary->list[i]->incomplete;
		failed += summary->list[i]->failed;
	}
	for (size_t i = 0; i < COLUMNS; i++) {
		if (i == FROM && (!summary->n || !summary->list[0]->origin->name))
			continue;
		if (text && ((i == UNFINISHED && !unfinished) || (i == INCOMPLETE && !incomplete) ||
			     (i == ERRORS && !failed) || i == FAILED))
			continue;
		columns[n] = all_columns[i];
		shown[n++] = i;
	}
	return n;
}

static size_t place_of(const size_t *shown, size_t n, size_t column)
{
	size_t i = 0;

	while (i < n && shown[i] != column)
		i++;
	return i;
}

int strace_summary_print(struct strace_summary *summary, const struct app *app,
			 const struct strace_totals *totals)
{
	struct column columns[COLUMNS];
	size_t shown[COLUMNS], n, all;
	struct rows *rows;
	struct out out;
	int err = 0;

	print_begin(app, &out, 0);
	n = choose_columns(summary, out.form == OUT_TEXT, columns, shown);
	if (out.form != OUT_TEXT)
		columns[place_of(shown, n, ERRORS)].type = out.form == OUT_JSON ? COL_LIST :
										  COL_TEXT;
	rows = rows_new("calls", columns, n);
	for (size_t i = 0; i < summary->n; i++)
		add_group(rows, shown, n, summary->list[i], totals, out.form == OUT_JSON);
	rows_sort(rows, place_of(shown, n, TOTAL), true);
	all = rows_count(rows);
	if (totals->top)
		rows_cut(rows, totals->top);
	if (out.form == OUT_TEXT && !all)
		printf("no system call\n");
	out_rows(&out, rows);
	if (out.form == OUT_TEXT && totals->top && totals->top < all)
		printf("(%zu more rows)\n", all - totals->top);
	if (summary->callers)
		err = strace_callers_print(summary->callers, summary, &out, totals->top);
	print_losses(&out, &totals->all);
	return out_end(&out) ?: err;
}
