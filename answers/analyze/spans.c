/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shows intervals as a log, as the longest, as statistics by group, or by their frequency. */
#include "answers/analyze/running.h"

#include "lib/base/guess.h"
#include "lib/base/memory.h"

#define TOP_DEFAULT 10

/* Columns of a table beside those of the set. */
#define MORE_COLUMNS 9

/* ---- tables ---- */

static const struct result_column times[] = {
	{ .key = "begin", .type = RESULT_TIME, .title = "Begin" },
	{ .key = "end", .type = RESULT_TIME, .title = "End" },
	{ .key = "duration", .type = RESULT_DURATION, .title = "Duration" },
};

static const struct result_column stats[] = {
	{ .key = "count", .type = RESULT_NUMBER, .title = "Count" },
	{ .key = "min", .type = RESULT_DURATION, .title = "Minimum" },
	{ .key = "mean", .type = RESULT_DURATION, .title = "Mean" },
	{ .key = "p50", .type = RESULT_DURATION, .title = "Median" },
	{ .key = "p90", .type = RESULT_DURATION, .title = "90th percentile" },
	{ .key = "p99", .type = RESULT_DURATION, .title = "99th percentile" },
	{ .key = "p99.9", .type = RESULT_DURATION, .title = "99.9th percentile" },
	{ .key = "max", .type = RESULT_DURATION, .title = "Maximum" },
	{ .key = "total", .type = RESULT_DURATION, .title = "Total" },
};

static const struct result_column freq[] = {
	{ .key = "from", .type = RESULT_DURATION, .title = "Duration (lower bound)" },
	{ .key = "below", .type = RESULT_DURATION, .title = "Duration (upper bound)" },
	{ .key = "count", .type = RESULT_NUMBER, .title = "Count" },
};

static const struct result_column of_all[] = {
	{ .key = "all", .type = RESULT_TEXT, .title = "Intervals" },
};

static bool is_list(const struct spans *spans)
{
	enum analysis_view view = spans->a->analysis->view;

	return view == VIEW_LOG || view == VIEW_TOP;
}

static void add_columns(struct span_shown *shown, const struct result_column *columns, size_t n)
{
	memcpy(shown->columns + shown->n_columns, columns, n * sizeof(*columns));
	shown->n_columns += n;
}

/* The columns and the table of one set. */
static int set_table(struct spans *spans, size_t i)
{
	enum analysis_view view = spans->a->analysis->view;
	struct span_shown *shown = &spans->shown[i];
	const struct span_set *set = shown->set;

	shown->columns = calloc(SPAN_CELLS + MORE_COLUMNS, sizeof(*shown->columns));
	if (!shown->columns)
		return dkt__no_memory(spans->a->ctx);
	if (is_list(spans)) {
		add_columns(shown, times, ARRAY_SIZE(times));
		add_columns(shown, set->columns, set->n);
	}
	for (size_t j = 0; !is_list(spans) && j < shown->n_by; j++)
		add_columns(shown, &set->columns[shown->by[j]], 1);
	if (view == VIEW_STATS)
		add_columns(shown, stats, ARRAY_SIZE(stats));
	else if (view == VIEW_FREQ)
		add_columns(shown, freq, ARRAY_SIZE(freq));
	spans->tables[i] = (struct result_table){
		.key = set->key,
		.title = set->title,
		.columns = shown->columns,
		.n = shown->n_columns,
		.log = view == VIEW_LOG,
		.by = view == VIEW_STATS ? (int)shown->n_columns - 1 : -1,
		.bar = view == VIEW_FREQ ? (int)shown->n_columns - 1 : -1,
	};
	return 0;
}

/* The table of statistics of all intervals: a row for each set. */
static int add_total(struct spans *spans)
{
	struct span_shown *total = &spans->shown[spans->n_sets];

	total->columns = calloc(1 + MORE_COLUMNS, sizeof(*total->columns));
	if (!total->columns)
		return dkt__no_memory(spans->a->ctx);
	add_columns(total, of_all, 1);
	add_columns(total, stats, ARRAY_SIZE(stats));
	spans->tables[spans->n_tables++] = (struct result_table){ .key = "total",
								  .title = "All intervals",
								  .columns = total->columns,
								  .n = total->n_columns,
								  .by = -1,
								  .bar = -1 };
	return 0;
}

/* ---- groups ---- */

static int column_of(const struct span_set *set, const char *word, size_t len)
{
	for (size_t i = 0; i < set->n; i++)
		if (strlen(set->columns[i].key) == len && !strncmp(set->columns[i].key, word, len))
			return (int)i;
	return -1;
}

static int unknown_group(struct spans *spans, const char *word, size_t len)
{
	const struct span_set *set = spans->shown[0].set;
	struct dkt__guess guess;
	char names[256] = "";
	size_t used = 0;

	dkt__guess_start(&guess, word, len);
	for (size_t i = 0; i < set->n; i++) {
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "",
					 set->columns[i].key);
		dkt__guess_try(&guess, set->columns[i].key);
	}
	return dkt_fail(spans->a->ctx, -EINVAL,
			"--keys: '%.*s' is not a column; the columns are %s%s", (int)len, word,
			names, dkt__guess_words(&guess));
}

/* Reads --keys for one set. A set that lacks one of the columns keeps its own groups. */
static bool read_groups(struct span_shown *shown, const char *text)
{
	const char *p = text;

	shown->n_by = 0;
	while (*p) {
		size_t len = strcspn(p, ",");
		int column = column_of(shown->set, p, len);

		if (column < 0 || shown->n_by == SPAN_GROUPS)
			return false;
		shown->by[shown->n_by++] = column;
		p += len + (p[len] == ',');
	}
	return true;
}

static void usual_groups(struct span_shown *shown)
{
	shown->n_by = 0;
	for (size_t i = 0; i < SPAN_GROUPS; i++)
		if (shown->set->by[i] >= 0)
			shown->by[shown->n_by++] = shown->set->by[i];
}

static int check_groups(struct spans *spans, const char *text)
{
	const char *p = text;
	size_t words = 0;

	for (; *p; p += strcspn(p, ","), p += *p == ',', words++) {
		bool known = false;

		for (size_t i = 0; i < spans->n_sets; i++)
			known |= column_of(spans->shown[i].set, p, strcspn(p, ",")) >= 0;
		if (!known)
			return unknown_group(spans, p, strcspn(p, ","));
	}
	if (words && words <= SPAN_GROUPS)
		return 0;
	return dkt_fail(spans->a->ctx, -EINVAL, "--keys: give one or two columns");
}

static int set_groups(struct spans *spans)
{
	const char *text = spans->a->opts.group_by;
	bool none = text && !strcmp(text, "none"), any = false;

	if (text && !none && check_groups(spans, text))
		return -EINVAL;
	for (size_t i = 0; i < spans->n_sets; i++) {
		struct span_shown *shown = &spans->shown[i];

		/* Without groups of the user, the frequencies are those of all intervals. */
		if (none || (!text && spans->a->analysis->view == VIEW_FREQ))
			shown->n_by = 0;
		else if (text && read_groups(shown, text))
			any = true;
		else
			usual_groups(shown);
		shown->keys.n_words = (uint32_t)DKT__MAX(2 * shown->n_by, 1);
	}
	if (text && !none && !any)
		return dkt_fail(spans->a->ctx, -EINVAL,
				"--keys: no intervals have all of these columns");
	return 0;
}

/* The text and the number of a cell are its key: equal texts have equal addresses. */
static void make_key(enum result_type type, const struct result_cell *cell, uint64_t key[2])
{
	key[0] = type == RESULT_PROCESS ? cell->process : (uintptr_t)cell->text;
	key[1] = cell->known ? cell->number : UINT64_MAX;
}

/* Returns the group; NULL: memory is out. */
static struct span_group *search_group(struct span_shown *shown, const uint64_t *key)
{
	bool added = false;
	uint32_t nr = dkt__keymap_add(&shown->keys, key, &added);

	if (nr == DKT__KEYMAP_NONE ||
	    (added && dkt__append(shown->groups, shown->n_groups, (struct span_group){ 0 })))
		return NULL;
	return &shown->groups[nr];
}

static inline struct span_group *find_group(struct span_shown *shown,
					    const uint64_t key[2 * SPAN_GROUPS])
{
	uint64_t h = dkt__mix(dkt__mix(dkt__mix(0, key[0]), key[1] ^ key[2]), key[3]);
	size_t slot = h % SPAN_NEAR;
	struct span_group *group;

	if (dkt__likely(shown->near[slot].next &&
			!memcmp(shown->near[slot].key, key, sizeof(shown->near[slot].key))))
		return &shown->groups[shown->near[slot].next - 1];
	group = search_group(shown, key);
	if (group) {
		memcpy(shown->near[slot].key, key, sizeof(shown->near[slot].key));
		shown->near[slot].next = (uint32_t)(group - shown->groups) + 1;
	}
	return group;
}

static int count(struct spans *spans, struct span_shown *shown, const struct span *span)
{
	uint64_t key[2 * SPAN_GROUPS] = { 0 };
	struct span_group *group;

	for (size_t i = 0; i < shown->n_by; i++)
		make_key(shown->set->columns[shown->by[i]].type, &span->cells[shown->by[i]],
			 key + 2 * i);
	group = find_group(shown, key);
	if (!group)
		return dkt__no_memory(spans->a->ctx);
	/* The last name of a process counts. */
	for (size_t i = 0; i < shown->n_by; i++)
		group->cells[i] = span->cells[shown->by[i]];
	return dkt__dist_add(&group->dist, span->end - span->begin) ?
		       dkt__no_memory(spans->a->ctx) :
		       0;
}

/* ---- the list ---- */

static int list_row(struct spans *spans, const struct span *span)
{
	struct result_cell cells[SPAN_CELLS + ARRAY_SIZE(times)] = {
		cell_number(span->begin),
		cell_number(span->end),
		cell_number(span->end - span->begin),
	};

	memcpy(cells + ARRAY_SIZE(times), span->cells, sizeof(span->cells));
	return analyze_row(spans->a, &spans->tables[span->set], cells);
}

/* The first one of equally long intervals stays. */
static int keep_top(struct spans *spans, struct span_shown *shown, const struct span *span)
{
	size_t most = spans->a->opts.top ? spans->a->opts.top : TOP_DEFAULT, i;
	uint64_t duration = span->end - span->begin;

	if (shown->n_top == most &&
	    duration <= shown->top[most - 1].end - shown->top[most - 1].begin)
		return 0;
	if (shown->n_top < most && dkt__append(shown->top, shown->n_top, *span))
		return dkt__no_memory(spans->a->ctx);
	for (i = shown->n_top - 1; i && duration > shown->top[i - 1].end - shown->top[i - 1].begin;
	     i--)
		shown->top[i] = shown->top[i - 1];
	shown->top[i] = *span;
	return 0;
}

static int show_span(struct spans *spans, const struct span *span)
{
	struct span_shown *shown = &spans->shown[span->set];

	switch (spans->a->analysis->view) {
	case VIEW_LOG:
		return list_row(spans, span);
	case VIEW_TOP:
		return keep_top(spans, shown, span);
	default:
		return count(spans, shown, span);
	}
}

/* Restores the recorded times. */
static void shift_back(const struct span_set *set, struct span *span, uint64_t shift)
{
	span->begin -= shift;
	span->end -= shift;
	for (size_t i = 0; i < set->n; i++)
		if (set->columns[i].type == RESULT_TIME)
			span->cells[i].number -= shift;
}

/* No loss can make it doubtful any more. */
static int show(struct spans *spans, struct span *span)
{
	struct analyze *a = spans->a;
	const struct analysis_kind *kind = a->analysis->kind;
	const struct span_set *set = spans->shown[span->set].set;
	bool chosen = choice_has(a, set->columns, set->n, span->cells);
	uint64_t ns = span->end - span->begin;
	int err = 0;

	a->missed.lost += chosen && span->lost;
	chosen &= !span->lost && ns >= a->opts.least && (!a->opts.most || ns <= a->opts.most);
	if (chosen && kind->span)
		err = kind->span(a, a->state, span);
	free(span->more);
	span->more = NULL;
	if (dkt__unlikely(a->shift) && chosen)
		shift_back(set, span, a->shift);
	return err || !chosen ? err : show_span(spans, span);
}

/* ---- the interface ---- */

int spans_begin(struct spans *spans, struct analyze *a)
{
	const struct analysis_kind *kind = a->analysis->kind;
	int err;

	*spans = (struct spans){ .a = a, .n_sets = kind->n_sets };
	if (!kind->n_sets)
		return 0;
	spans->open = calloc(kind->n_sets, sizeof(*spans->open));
	spans->shown = calloc(kind->n_sets + 1, sizeof(*spans->shown));
	spans->tables = calloc(kind->n_sets + 1, sizeof(*spans->tables));
	if (!spans->open || !spans->shown || !spans->tables)
		return dkt__no_memory(a->ctx);
	for (size_t i = 0; i < kind->n_sets; i++) {
		spans->shown[i].set = &kind->sets[i];
		spans_open(&spans->open[i], &kind->sets[i]);
	}
	err = set_groups(spans);
	for (size_t i = 0; !err && i < kind->n_sets; i++)
		err = set_table(spans, i);
	spans->n_tables = kind->n_sets;
	return err || a->analysis->view != VIEW_STATS ? err : add_total(spans);
}

int span_add(struct analyze *a, struct span *span)
{
	struct spans *spans = &a->spans;
	struct span *place;
	int err;

	/* No loss can make it doubtful, so that it need not wait. */
	if (spans->shown[span->set].set->one_cpu && span->begin <= span->end)
		return show(spans, span);
	/* Most of many analyses find nothing. */
	if (dkt__unlikely(!spans->ring))
		spans->ring = calloc(SPANS_RING, sizeof(*spans->ring));
	if (!spans->ring) {
		free(span->more);
		return dkt__no_memory(a->ctx);
	}
	place = &spans->ring[spans->head];
	err = spans->n == SPANS_RING ? show(spans, place) : 0;
	*place = *span;
	place->end = DKT__MAX(span->begin, span->end);
	spans->head = (spans->head + 1) % SPANS_RING;
	spans->n += spans->n < SPANS_RING;
	return err;
}

static void fill_stats(const struct dkt__dist *dist, struct result_cell *cells)
{
	cells[0] = cell_number(dist->count);
	cells[1] = cell_number(dist->min);
	cells[2] = cell_number(dist->count ? dist->sum / dist->count : 0);
	cells[3] = cell_number(dkt__dist_quantile(dist, 0.5));
	cells[4] = cell_number(dkt__dist_quantile(dist, 0.9));
	cells[5] = cell_number(dkt__dist_quantile(dist, 0.99));
	cells[6] = cell_number(dkt__dist_quantile(dist, 0.999));
	cells[7] = cell_number(dist->max);
	cells[8] = cell_number(dist->sum);
}

static int stats_rows(struct spans *spans, size_t i, struct dkt__dist *all)
{
	const struct span_shown *shown = &spans->shown[i];
	struct result_cell cells[SPAN_GROUPS + MORE_COLUMNS];
	int err = 0;

	for (uint32_t nr = 0; !err && nr < shown->n_groups; nr++) {
		memcpy(cells, shown->groups[nr].cells, sizeof(shown->groups[nr].cells));
		fill_stats(&shown->groups[nr].dist, cells + shown->n_by);
		if (shown->n_by)
			err = analyze_row(spans->a, &spans->tables[i], cells);
		if (!err)
			err = dkt__dist_merge(all, &shown->groups[nr].dist);
	}
	return err;
}

static int show_stats(struct spans *spans)
{
	struct result_cell cells[1 + MORE_COLUMNS];
	int err = 0;

	for (size_t i = 0; !err && i < spans->n_sets; i++) {
		struct dkt__dist all = { 0 };

		err = stats_rows(spans, i, &all);
		cells[0] = cell_text(spans->shown[i].set->key);
		fill_stats(&all, cells + 1);
		if (!err && all.count)
			err = analyze_row(spans->a, &spans->tables[spans->n_sets], cells);
		dkt__dist_clear(&all);
	}
	return err;
}

/* The powers of two from the shortest to the longest. */
static int freq_rows(struct spans *spans, size_t i, const struct span_group *group)
{
	const struct span_shown *shown = &spans->shown[i];
	struct result_cell cells[SPAN_GROUPS + ARRAY_SIZE(freq)];
	uint64_t seen = 0;
	int err = 0;

	memcpy(cells, group->cells, sizeof(group->cells));
	for (unsigned int power = 0; !err && power < 64 && seen < group->dist.count; power++) {
		uint64_t n = dkt__dist_power(&group->dist, power);

		if (!n && !seen)
			continue;
		seen += n;
		cells[shown->n_by] = cell_number(power ? UINT64_C(1) << power : 0);
		cells[shown->n_by + 1] =
			cell_number(power < 63 ? UINT64_C(1) << (power + 1) : UINT64_MAX);
		cells[shown->n_by + 2] = cell_number(n);
		err = analyze_row(spans->a, &spans->tables[i], cells);
	}
	return err;
}

int spans_flush(struct spans *spans)
{
	int err = 0;

	for (; !err && spans->n; spans->n--)
		err = show(spans, &spans->ring[(spans->head + SPANS_RING - spans->n) % SPANS_RING]);
	return err;
}

int spans_end(struct spans *spans)
{
	enum analysis_view view = spans->a->analysis->view;
	int err = spans_flush(spans);

	if (!err && view == VIEW_STATS && spans->n_sets)
		return show_stats(spans);
	for (size_t i = 0; !err && i < spans->n_sets; i++) {
		const struct span_shown *shown = &spans->shown[i];

		for (size_t j = 0; !err && j < shown->n_top; j++)
			err = list_row(spans, &shown->top[j]);
		for (uint32_t j = 0; !err && view == VIEW_FREQ && j < shown->n_groups; j++)
			err = freq_rows(spans, i, &shown->groups[j]);
	}
	return err;
}

void spans_clear(struct spans *spans)
{
	for (size_t i = 0; spans->shown && i <= spans->n_sets; i++) {
		struct span_shown *shown = &spans->shown[i];

		for (uint32_t j = 0; j < shown->n_groups; j++)
			dkt__dist_clear(&shown->groups[j].dist);
		dkt__keymap_clear(&shown->keys);
		free(shown->groups);
		free(shown->top);
		free(shown->columns);
	}
	for (size_t i = 1; i <= spans->n; i++)
		free(spans->ring[(spans->head + SPANS_RING - i) % SPANS_RING].more);
	for (size_t i = 0; spans->open && i < spans->n_sets; i++)
		dkt__open_clear(&spans->open[i]);
	free(spans->open);
	free(spans->ring);
	free(spans->shown);
	free(spans->tables);
	*spans = (struct spans){ 0 };
}
