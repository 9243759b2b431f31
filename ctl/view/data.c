/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The data of the page as JSON. Times are ns since the origin, which is a text: it has more digits. */
#include <inttypes.h>

#include "ctl/app/groups.h"
#include "ctl/input/collected.h"
#include "ctl/view/view.h"
#include "lib/base/buf.h"
#include "lib/base/intern.h"

/* The most frequent events that have counts over time of their own. */
#define EVENTS_MAX 48u

/* ---- numbers ---- */

struct json_object *view_series_json(const uint64_t *counts, uint32_t n)
{
	struct json_object *list = json_object_new_array();

	for (uint32_t i = 0; i < n; i++) {
		if (!counts[i])
			continue;
		json_object_array_add(list, val_number(i));
		json_object_array_add(list, val_number(counts[i]));
	}
	return list;
}

struct json_object *view_wide_json(const struct series *series)
{
	uint64_t wide[AXIS_BINS >> VIEW_WIDE_SHIFT] = { 0 };

	for (uint32_t i = 0; i < AXIS_BINS; i++)
		wide[i >> VIEW_WIDE_SHIFT] += series->counts[i];
	return view_series_json(wide, ARRAY_SIZE(wide));
}

struct json_object *view_time_json(const struct view *view, uint64_t ts)
{
	return json_object_new_int64((int64_t)(ts - view->axis.origin));
}

/* ---- the files ---- */

struct json_object *view_file_json(const struct view *view, size_t part)
{
	const struct inputs_file *file = &view->in->files[part];

	if (view->in->pipeline.n < 2)
		return NULL;
	return val_text(file->about ? file->name : view->in->pipeline.parts[part].name);
}

/* The records of a file over time. NULL: it is the only one, or memory is out. */
static struct json_object *file_series_json(const struct view *view, size_t part)
{
	struct series *sum __cleanup(free) = calloc(1, sizeof(*sum));
	const struct rates *rates = &view->rates;

	if (!sum || view->in->pipeline.n < 2)
		return NULL;
	for (uint32_t i = 0; i < rates->n_events; i++)
		for (uint32_t bin = 0; rates->events[i]->part == part && bin < AXIS_BINS; bin++)
			sum->counts[bin] += rates->events[i]->series.counts[bin];
	return view_wide_json(sum);
}

static struct json_object *files_json(const struct view *view)
{
	const struct pipeline *p = &view->in->pipeline;
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < p->n; i++) {
		const struct dkt_source_info *info = dkt_source_info(p->parts[i].source);
		struct json_object *object = json_object_new_object();
		const uint64_t error = dkl_pipeline_worst_error(p, i);
		char *damage __cleanup(free) = NULL;

		/* Without memory for the words the page lacks them, as json-c does with all of it. */
		if (dkl_losses_damage(view->in->files[i].lacks, info, &damage))
			damage = NULL;
		json_object_object_add(object, "path", val_text(view->in->files[i].path));
		json_object_object_add(object, "name", view_file_json(view, i));
		json_object_object_add(object, "kind", val_text(info->kind));
		json_object_object_add(object, "host", val_text(info->host));
		json_object_object_add(object, "kernel", val_text(info->kernel));
		json_object_object_add(object, "records", val_number(p->parts[i].losses.seen));
		json_object_object_add(object, "lost", val_number(p->parts[i].losses.lost));
		json_object_object_add(object, "lost_is_least",
				       val_bool(losses_is_least(&p->parts[i].losses)));
		json_object_object_add(object, "damage", val_text(damage));
		json_object_object_add(object, "series", file_series_json(view, i));
		if (p->several_clocks && error != BOUNDS_UNKNOWN)
			json_object_object_add(object, "error", val_number(error));
		json_object_array_add(list, object);
	}
	return list;
}

static bool has_file(const struct inputs *in, const struct collection_host *host)
{
	for (size_t i = 0; i < in->n; i++)
		if (in->files[i].about == host)
			return true;
	return false;
}

struct lacking {
	const struct inputs *in;
	struct json_object *list;
};

/* A host whose output is not all there; one that has sent something is among the files, too. */
static void add_lacking(void *data, const struct collection_host *host, const char *words)
{
	const struct lacking *lacking = data;
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "name", val_text(host->name));
	json_object_object_add(object, "sent", val_bool(has_file(lacking->in, host)));
	json_object_object_add(object, "damage", val_text(words));
	json_object_array_add(lacking->list, object);
}

/* The options and files for a report of the same records. */
static struct json_object *words_json(const struct view *view)
{
	const struct app *app = view->app;
	const struct select_options *given = OPT(app, select);
	const struct {
		const char *option, *value;
	} options[] = { { "--class", given->classes },
			{ "--subsystem", given->subsystems },
			{ "--event", given->events },
			{ "--filter", given->filter },
			{ "--pid", given->pid },
			{ "--comm", given->comm },
			{ "--cpu", given->cpu },
			{ "--offset", OPT(app, input)->offset },
			{ "--symbols", OPT(app, input)->symbols },
			{ "--vmlinux", OPT(app, input)->vmlinux },
			{ "--rate", given->rate } };
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		if (!options[i].value)
			continue;
		json_object_array_add(list, val_text(options[i].option));
		json_object_array_add(list, val_text(options[i].value));
	}
	for (size_t i = 0; i < view->in->n; i++)
		json_object_array_add(list, val_text(view->in->files[i].path));
	return list;
}

/* ---- rates ---- */

static int by_count(const void *a, const void *b)
{
	uint64_t p = (*(struct rates_event *const *)a)->series.total;
	uint64_t q = (*(struct rates_event *const *)b)->series.total;

	return p < q ? 1 : -(p > q);
}

static struct json_object *classes_of(const struct rates_event *event)
{
	struct json_object *list = json_object_new_array();

	for (unsigned int bit = 0; bit < MASK_BITS; bit++)
		if (event->bits.classes >> bit & 1 && !event->bits.fields)
			json_object_array_add(list, val_text(dkl_mask_name(MASK_DEBUG, bit)));
	return list;
}

static struct json_object *events_json(struct view *view)
{
	struct json_object *list = json_object_new_array();
	struct rates *rates = &view->rates;

	if (rates->n_events)
		qsort(rates->events, rates->n_events, sizeof(struct rates_event *), by_count);
	for (uint32_t i = 0; i < rates->n_events; i++) {
		const struct rates_event *event = rates->events[i];
		struct json_object *object = json_object_new_object();

		json_object_object_add(object, "system", val_text(dkt_event_system(event->event)));
		json_object_object_add(object, "name", val_text(dkt_event_name(event->event)));
		json_object_object_add(object, "file", view_file_json(view, event->part));
		json_object_object_add(object, "count", val_number(event->series.total));
		json_object_object_add(object, "classes", classes_of(event));
		if (i < EVENTS_MAX)
			json_object_object_add(object, "series",
					       view_series_json(event->series.counts, AXIS_BINS));
		json_object_array_add(list, object);
	}
	return list;
}

/* The events of one system after the first EVENTS_MAX. */
static struct json_object *rest_of(const struct rates *rates, const struct dkt__grouped *list,
				   size_t n)
{
	uint64_t counts[AXIS_BINS] = { 0 }, total = 0;
	struct json_object *object = json_object_new_object();

	for (size_t i = 0; i < n; i++) {
		const struct rates_event *event = rates->events[list[i].place];

		for (uint32_t bin = 0; bin < AXIS_BINS; bin++)
			counts[bin] += event->series.counts[bin];
		total += event->series.total;
	}
	json_object_object_add(object, "system", val_text(list->text));
	json_object_object_add(object, "n", val_number(n));
	json_object_object_add(object, "count", val_number(total));
	json_object_object_add(object, "series", view_series_json(counts, AXIS_BINS));
	return object;
}

/* The events are sorted: those after the first EVENTS_MAX, by system. */
static struct json_object *rest_json(const struct rates *rates)
{
	const size_t n = rates->n_events > EVENTS_MAX ? rates->n_events - EVENTS_MAX : 0;
	struct dkt__grouped *rest __cleanup(free) = calloc(n + 1, sizeof(*rest));
	struct json_object *list = json_object_new_array();
	size_t end;

	for (uint32_t i = 0; rest && i < n; i++)
		rest[i] = (struct dkt__grouped){ .text = dkt_event_system(
							 rates->events[EVENTS_MAX + i]->event),
						 .place = EVENTS_MAX + i };
	if (!rest || dkt__group(rest, n))
		return list;
	for (size_t i = 0; i < n; i = end) {
		for (end = i; end < n && rest[end].group == rest[i].group;)
			end++;
		json_object_array_add(list, rest_of(rates, rest + i, end - i));
	}
	return list;
}

static struct json_object *classes_json(const struct view *view)
{
	struct json_object *list = json_object_new_array();

	for (unsigned int bit = 0; bit < MASK_BITS; bit++) {
		struct series *series __cleanup(free) = rates_class(&view->rates, bit);
		struct json_object *object;

		if (!series || !series->total)
			continue;
		object = json_object_new_object();
		json_object_object_add(object, "name", val_text(dkl_mask_name(MASK_DEBUG, bit)));
		json_object_object_add(object, "count", val_number(series->total));
		json_object_object_add(object, "series",
				       view_series_json(series->counts, AXIS_BINS));
		json_object_array_add(list, object);
	}
	return list;
}

static struct json_object *losses_json(const struct view *view)
{
	const struct rates_losses *losses = &view->rates.losses;
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "lost", view_series_json(losses->lost.counts, AXIS_BINS));
	json_object_object_add(object, "gaps", view_series_json(losses->gaps.counts, AXIS_BINS));
	json_object_object_add(object, "shadow",
			       view_series_json(losses->shadow.counts, AXIS_BINS));
	json_object_object_add(object, "n", val_number(losses->gaps.total));
	json_object_object_add(object, "known", val_number(losses->lost.total));
	json_object_object_add(object, "unknown", val_number(losses->unknown));
	return object;
}

/* A sample: time, event, CPU, text. */
static struct json_object *samples_json(const struct view *view)
{
	struct json_object *list = json_object_new_array();

	for (uint32_t bin = 0; bin < AXIS_BINS; bin++)
		for (size_t i = 0; i < RATES_SAMPLES; i++) {
			const struct rates_sample *sample = &view->rates.samples[bin][i];
			struct json_object *object;

			if (!sample->text)
				continue;
			object = json_object_new_array();
			json_object_array_add(object, view_time_json(view, sample->ts));
			json_object_array_add(object, val_text(dkt_event_name(sample->event)));
			json_object_array_add(object, val_number(sample->cpu));
			json_object_array_add(object, val_text(sample->text));
			json_object_array_add(list, object);
		}
	return list;
}

/* ---- the whole ---- */

static struct json_object *title_json(const struct view *view)
{
	char *text __cleanup(free) =
		view->in->n > 1 ?
			dkt__format("%s and %zu more", view->in->files[0].path, view->in->n - 1) :
			NULL;

	return val_text(text ? text : view->in->files[0].path);
}

struct json_object *view_json(struct view *view)
{
	const struct dkt_source_info *info = dkt_source_info(view->in->pipeline.source);
	struct json_object *o = json_object_new_object();
	struct lacking lacking = { view->in, json_object_new_array() };
	const size_t hosts = collected_lacks(view->in, add_lacking, &lacking);
	const char *version;
	char *origin __cleanup(free) = dkt__format("%" PRIu64, view->axis.origin);
	char *wall __cleanup(free) = info->has_wall ? dkt__format("%" PRId64, info->wall) : NULL;

	dkt_version(&version);
	json_object_object_add(o, "version", val_text(version));
	json_object_object_add(o, "title", title_json(view));
	json_object_object_add(o, "files", files_json(view));
	json_object_object_add(o, "collected", val_number(hosts));
	json_object_object_add(o, "lacking", lacking.list);
	json_object_object_add(o, "words", words_json(view));
	json_object_object_add(o, "selects", val_bool(view->selects));
	json_object_object_add(o, "origin", val_text(origin));
	json_object_object_add(o, "wall", val_text(wall));
	json_object_object_add(o, "end", view_time_json(view, view->axis.last));
	json_object_object_add(o, "bin", val_number(UINT64_C(1) << view->axis.shift));
	json_object_object_add(o, "wide", val_number(1 << VIEW_WIDE_SHIFT));
	json_object_object_add(o, "events", events_json(view));
	json_object_object_add(o, "rest", rest_json(&view->rates));
	json_object_object_add(o, "classes", classes_json(view));
	json_object_object_add(o, "losses", losses_json(view));
	json_object_object_add(o, "samples", samples_json(view));
	json_object_object_add(o, "tasks", view_tasks_json(view));
	json_object_object_add(o, "pairs", view_pairs_json(view));
	json_object_object_add(o, "paths", view_paths_json(view));
	json_object_object_add(o, "n_paths", val_number(view->paths.count));
	json_object_object_add(o, "waterfall", view_lustre_json(view));
	json_object_object_add(o, "exchanges", view_hosts_json(view));
	json_object_object_add(o, "n_exchanges", val_number(view->all_ways));
	json_object_object_add(o, "stacks", view_stacks_json(view));
	return o;
}
