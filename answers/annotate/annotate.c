/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The samples in one function, by instruction. */
#include "answers/annotate/annotate.h"

#include "lib/base/buf.h"

/* More functions than programs have; a file can have any names. */
#define FUNCTIONS_MAX 262144u

void annotate_init(struct annotate *annotate, const struct annotate_opts *opts)
{
	*annotate = (struct annotate){ .opts = *opts, .known.n_words = 4 };
}

void annotate_clear(struct annotate *annotate)
{
	for (uint32_t i = 0; i < annotate->n; i++) {
		free(annotate->list[i].name);
		free(annotate->list[i].dso);
		free(annotate->list[i].list);
		dkt__keymap_clear(&annotate->list[i].known);
	}
	free(annotate->list);
	dkt__keymap_clear(&annotate->known);
	dkt__intern_clear(&annotate->names);
	for (uint32_t i = 0; i < annotate->n_others; i++)
		free((char *)annotate->others[i].name);
	free(annotate->others);
	free(annotate->event);
}

/* ---- events ---- */

/* Only samples of perf that are no tracepoints have a place. */
static void look_at_event(struct annotate *annotate, struct dkt_event *event)
{
	const bool is_sample = !strcmp(dkt_event_system(event), "perf");

	annotate->last = event;
	annotate->sym = is_sample ? dkt_event_field(event, "sym") : NULL;
	annotate->dso = is_sample ? dkt_event_field(event, "dso") : NULL;
	annotate->symoff = is_sample ? dkt_event_field(event, "symoff") : NULL;
	annotate->period = is_sample ? dkt_event_field(event, "period") : NULL;
	if (!annotate->dso || !annotate->symoff)
		annotate->sym = NULL;
	annotate->shown = annotate->event && !strcmp(annotate->event, dkt_event_name(event));
}

static int add_other(struct annotate *annotate, const char *name)
{
	struct annotate_other other = { .samples = 1 };

	for (uint32_t i = 0; i < annotate->n_others; i++) {
		if (strcmp(annotate->others[i].name, name) != 0)
			continue;
		annotate->others[i].samples++;
		return 0;
	}
	other.name = strdup(name);
	if (other.name && !dkt__append(annotate->others, annotate->n_others, other))
		return 0;
	free((char *)other.name);
	return -ENOMEM;
}

/* The event of the first sample is the one that counts. */
static int choose_event(struct annotate *annotate)
{
	if (!annotate->event) {
		annotate->event = strdup(dkt_event_name(annotate->last));
		annotate->shown = annotate->event;
	}
	if (!annotate->event)
		return -ENOMEM;
	return annotate->shown ? 0 : add_other(annotate, dkt_event_name(annotate->last)) ?: 1;
}

/* ---- samples ---- */

static void add_value(struct annotate_value *to, uint64_t weight)
{
	to->samples++;
	to->weight += weight;
}

static const char *text_of(const struct dkt_record *record, const struct dkt_field *field,
			   size_t *len)
{
	const char *text = dkt_record_bytes(record, field, len);

	*len = text ? strnlen(text, *len) : 0;
	return text;
}

static bool is_text(const char *wanted, const char *text, size_t len)
{
	return strlen(wanted) == len && !memcmp(wanted, text, len);
}

/* The recorded name has no directory. */
static bool is_dso(const struct annotate *annotate, const char *dso, size_t len)
{
	const char *wanted = annotate->opts.dso, *slash = wanted ? strrchr(wanted, '/') : NULL;

	return !wanted || is_text(slash ? slash + 1 : wanted, dso, len);
}

static struct annotate_function *find_function(struct annotate *annotate,
					       const struct dkt__spot *start, const char *name,
					       size_t n_name, const char *dso, size_t n_dso)
{
	const uint64_t key[] = { (uintptr_t)start->source, (uintptr_t)start->program, start->at,
				 !start->program };
	struct annotate_function *function;
	bool added;
	uint32_t entry;

	if (annotate->known.n >= FUNCTIONS_MAX &&
	    dkt__keymap_find(&annotate->known, key) == DKT__KEYMAP_NONE) {
		annotate->left_out = true;
		return NULL;
	}
	entry = dkt__keymap_add(&annotate->known, key, &added);
	if (entry == DKT__KEYMAP_NONE)
		return NULL;
	function = dkt__reach(annotate->list, annotate->n, entry);
	if (!function || !added)
		return function;
	function->known.n_words = 1;
	function->spot = *start;
	function->name = strndup(name, n_name);
	function->dso = strndup(dso, n_dso);
	return function->name && function->dso ? function : NULL;
}

static int add_at(struct annotate_function *function, uint64_t offset, uint64_t weight)
{
	struct annotate_at *at;
	bool added;
	uint32_t entry = dkt__keymap_add(&function->known, &offset, &added);

	at = entry == DKT__KEYMAP_NONE ? NULL : dkt__reach(function->list, function->n, entry);
	if (!at)
		return -ENOMEM;
	at->offset = offset;
	add_value(&at->value, weight);
	add_value(&function->value, weight);
	return 0;
}

int annotate_add(struct annotate *annotate, struct dkt_source *source,
		 const struct dkt_record *record)
{
	struct annotate_function *function;
	struct dkt__spot spot;
	const char *sym, *dso;
	size_t n_sym, n_dso;
	uint64_t weight, offset;
	int err;

	annotate->records++;
	if (!record->event)
		return 0;
	if (record->event != annotate->last)
		look_at_event(annotate, record->event);
	if (!annotate->sym)
		return 0;
	err = choose_event(annotate);
	if (err)
		return DKT__MIN(err, 0);
	weight = annotate->period && !annotate->opts.count ?
			 (uint64_t)dkt_record_int(record, annotate->period) :
			 1;
	add_value(&annotate->all, weight);
	sym = text_of(record, annotate->sym, &n_sym);
	dso = text_of(record, annotate->dso, &n_dso);
	if (!n_sym || is_text("[unknown]", sym, n_sym))
		return 0;
	if (is_text(annotate->opts.function, sym, n_sym) && !is_dso(annotate, dso, n_dso))
		return 0;
	if (!is_text(annotate->opts.function, sym, n_sym))
		return dkt__intern(&annotate->names, sym, (uint32_t)n_sym) == UINT32_MAX ? -ENOMEM :
											   0;
	if (dkt__source_spot(source, record, &spot))
		return 0;
	offset = (uint64_t)dkt_record_int(record, annotate->symoff);
	spot.at -= offset;
	if (annotate->opts.dso && strchr(annotate->opts.dso, '/') &&
	    (!spot.path || strcmp(spot.path, annotate->opts.dso) != 0))
		return 0;
	function = find_function(annotate, &spot, sym, n_sym, dso, n_dso);
	if (!function)
		return annotate->left_out ? 0 : -ENOMEM;
	return add_at(function, offset, weight);
}

/* ---- the end ---- */

static int by_offset(const void *a, const void *b)
{
	const struct annotate_at *x = a, *y = b;

	return (x->offset > y->offset) - (x->offset < y->offset);
}

static int by_weight(const void *a, const void *b)
{
	const struct annotate_function *x = a, *y = b;

	if (x->value.weight != y->value.weight)
		return x->value.weight < y->value.weight ? 1 : -1;
	return strcmp(x->name, y->name) ?: strcmp(x->dso, y->dso);
}

void annotate_end(struct annotate *annotate)
{
	for (uint32_t i = 0; i < annotate->n; i++) {
		qsort(annotate->list[i].list, annotate->list[i].n, sizeof(*annotate->list[i].list),
		      by_offset);
		dkt__keymap_clear(&annotate->list[i].known);
	}
	if (annotate->n)
		qsort(annotate->list, annotate->n, sizeof(*annotate->list), by_weight);
	dkt__keymap_clear(&annotate->known);
}

const char *annotate_guess(struct annotate *annotate, struct dkt__guess *guess)
{
	uint32_t len;

	dkt__guess_start(guess, annotate->opts.function, strlen(annotate->opts.function));
	for (uint32_t i = 0; i < annotate->names.n; i++)
		dkt__guess_try(guess, dkt__interned(&annotate->names, i, &len));
	return dkt__guess_words(guess);
}
