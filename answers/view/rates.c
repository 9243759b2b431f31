/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts records over time by event and class, and keeps a few of them as text. */
#include "answers/view/rates.h"

/* CPU numbers above this are damage. */
#define CPUS_MAX 65536u

int rates_init(struct rates *rates, struct axis *axis, struct pipeline *p)
{
	DKT_OPTS(dkt_style_opts, opts, .source = dkt_source_info(p->source));
	int err;

	*rates = (struct rates){ .axis = axis,
				 .p = p,
				 .known.n_words = 1,
				 .styles = calloc(p->n, sizeof(struct style *)) };
	err = rates->styles ? dkt_buf_new(&rates->text) : -ENOMEM;
	for (size_t i = 0; !err && i < p->n; i++) {
		err = dkl_pipeline_map(p, &p->parts[i]);
		if (!err)
			err = dkl_style_new(p->parts[i].ctx, p->parts[i].map, NULL, "trace", &opts,
					    &rates->styles[i]);
	}
	return dkl_pipeline_fail(p, err);
}

static void samples_clear(struct rates_sample *samples)
{
	for (size_t i = 0; i < RATES_SAMPLES; i++)
		free(samples[i].text);
	memset(samples, 0, RATES_SAMPLES * sizeof(*samples));
}

void rates_clear(struct rates *rates)
{
	for (size_t i = 0; rates->styles && i < rates->p->n; i++)
		dkl_style_free(rates->styles[i]);
	free(rates->styles);
	for (uint32_t i = 0; i < rates->n_events; i++)
		free(rates->events[i]);
	free(rates->events);
	dkt__keymap_clear(&rates->known);
	for (size_t i = 0; i < MASK_BITS; i++)
		free(rates->classes[i]);
	for (uint32_t i = 0; i < AXIS_BINS; i++)
		samples_clear(rates->samples[i]);
	free(rates->last);
	dkt_buf_free(rates->text);
}

/* ---- samples ---- */

/* When two bins become one, their first records stay. */
static void samples_fold(struct rates *rates)
{
	struct rates_sample(*bins)[RATES_SAMPLES] = rates->samples;

	if (!rates->samples_shift)
		rates->samples_shift = rates->axis->shift;
	for (; rates->samples_shift < rates->axis->shift; rates->samples_shift++) {
		for (uint32_t i = 0; i < AXIS_BINS; i++) {
			struct rates_sample *to = bins[i / 2], *from = bins[i];
			size_t n = 0;

			if (to == from)
				continue;
			if (!(i % 2))
				samples_clear(to);
			while (n < RATES_SAMPLES && to[n].text)
				n++;
			for (size_t j = 0; n < RATES_SAMPLES && j < RATES_SAMPLES; j++, n++) {
				to[n] = from[j];
				from[j].text = NULL;
			}
			samples_clear(from);
		}
	}
}

static int samples_add(struct rates *rates, uint32_t bin, size_t part, struct dkt_source *source,
		       const struct dkt_record *record)
{
	struct rates_sample *samples;
	const char *text;
	size_t len, n = 0;
	int err;

	if (dkt__unlikely(rates->samples_shift != rates->axis->shift))
		samples_fold(rates);
	samples = rates->samples[bin];
	if (dkt__likely(samples[RATES_SAMPLES - 1].text))
		return 0;
	while (samples[n].text)
		n++;
	dkt_buf_reset(rates->text);
	err = dkl_style_record(rates->styles[part], record, dkt_source_comm(source, record),
			       rates->text);
	text = dkt_buf_data(rates->text, &len);
	/* A part of a message has no text of its own. */
	if (err || !len)
		return err;
	samples[n] = (struct rates_sample){ .ts = record->ts,
					    .event = record->event,
					    .cpu = record->cpu,
					    .text = strndup(text, len - (text[len - 1] == '\n')) };
	return samples[n].text ? 0 : -ENOMEM;
}

/* ---- losses ---- */

static void add_gap(struct rates *rates, uint32_t bin, const struct dkt_record *gap, uint64_t since)
{
	struct rates_losses *losses = &rates->losses;

	series_add(&losses->gaps, rates->axis, bin, 1);
	if (gap->lost == DKT_LOST_UNKNOWN)
		losses->unknown++;
	else
		series_add(&losses->lost, rates->axis, bin, gap->lost);
	/* At least 1 ns, so that each gap shows. */
	series_add_span(&losses->shadow, rates->axis,
			since && since < gap->ts ? since : gap->ts - !!gap->ts, gap->ts);
}

/* ---- records ---- */

static void learn_event(struct rates_event *event)
{
	const char *name = dkt_event_name(event->event);

	if (strcmp(name, "sched_switch") != 0)
		return;
	event->sched = (struct rates_switch){ dkt_event_field(event->event, "prev_pid"),
					      dkt_event_field(event->event, "next_pid"),
					      dkt_event_field(event->event, "prev_comm"),
					      dkt_event_field(event->event, "next_comm") };
	if (!event->sched.prev_pid || !event->sched.next_pid || !event->sched.prev_comm ||
	    !event->sched.next_comm)
		event->sched = (struct rates_switch){ 0 };
}

static struct rates_event *find_event(struct rates *rates, size_t part,
				      const struct dkt_record *record)
{
	uint64_t key = (uintptr_t)record->event;
	struct rates_event *event;
	bool added;
	uint32_t entry = dkt__keymap_add(&rates->known, &key, &added);

	if (entry == DKT__KEYMAP_NONE)
		return NULL;
	if (!added)
		return rates->events[entry];
	event = calloc(1, sizeof(*event));
	if (!event || dkt__append(rates->events, rates->n_events, event)) {
		free(event);
		dkt__keymap_remove(&rates->known, &key);
		return NULL;
	}
	event->event = record->event;
	event->part = (uint32_t)part;
	learn_event(event);
	if (rates->p->parts[part].map)
		event->bits = *dkl_class_map_event(rates->p->parts[part].map, record->event);
	else
		event->bits.fields = true;
	/* A message counts once, with its last record. */
	if (dkl_message_is_part(record->event))
		event->bits = (struct class_bits){ 0 };
	return event;
}

static int add_classes(struct rates *rates, uint32_t bin, uint32_t classes)
{
	for (; classes; classes &= classes - 1) {
		struct series **series = &rates->classes[__builtin_ctz(classes)];

		if (!*series)
			*series = calloc(1, sizeof(**series));
		if (!*series)
			return -ENOMEM;
		series_add(*series, rates->axis, bin, 1);
	}
	return 0;
}

int rates_add(struct rates *rates, struct dkt_source *source, const struct dkt_record *record,
	      const struct rates_event **event)
{
	size_t part = rates->p->part_of ? rates->p->part_of[record->stream] : 0;
	uint32_t bin = axis_bin(rates->axis, record->ts), cpu = record->cpu % CPUS_MAX;
	uint64_t *last = dkt__reach(rates->last, rates->n_last, cpu);
	struct rates_event *known;
	int err = 0;

	*event = NULL;
	if (!last)
		return -ENOMEM;
	if (!record->event) {
		add_gap(rates, bin, record, *last);
		return 0;
	}
	*last = record->ts;
	known = find_event(rates, part, record);
	if (!known)
		return -ENOMEM;
	*event = known;
	series_add(&known->series, rates->axis, bin, 1);
	if (known->bits.fields)
		err = add_classes(rates, bin,
				  dkl_legacy_style_bits(dkl_style_legacy(rates->styles[part]),
							record)
					  .classes);
	return err ? err : samples_add(rates, bin, part, source, record);
}

void rates_finish(struct rates *rates)
{
	struct rates_losses *losses = &rates->losses;

	samples_fold(rates);
	series_fold(&losses->lost, rates->axis);
	series_fold(&losses->gaps, rates->axis);
	series_fold(&losses->shadow, rates->axis);
	for (uint32_t i = 0; i < rates->n_events; i++)
		series_fold(&rates->events[i]->series, rates->axis);
	for (size_t i = 0; i < MASK_BITS; i++)
		if (rates->classes[i])
			series_fold(rates->classes[i], rates->axis);
}

struct series *rates_class(const struct rates *rates, unsigned int bit)
{
	struct series *sum = calloc(1, sizeof(*sum));

	if (!sum)
		return NULL;
	if (rates->classes[bit])
		*sum = *rates->classes[bit];
	for (uint32_t i = 0; i < rates->n_events; i++) {
		const struct rates_event *event = rates->events[i];

		if (event->bits.fields || !(event->bits.classes >> bit & 1))
			continue;
		sum->total += event->series.total;
		for (uint32_t bin = 0; bin < AXIS_BINS; bin++)
			sum->counts[bin] += event->series.counts[bin];
	}
	return sum;
}
