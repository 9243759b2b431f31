/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts the records that probes of the kernel miss because they are busy, while a file is recorded. */
#include "lib/event.h"
#include "lib/instance.h"
#include "lib/probe.h"
#include "lib/recorder.h"
#include "lib/tracefs.h"

static struct dkt__recorder_probe *get_probe(struct dkt_recorder *r, const char *name)
{
	struct dkt__recorder_probe made = { .missed = dkt__missed_get(r->ctx, &r->about.missed,
								      name) };

	for (size_t i = 0; i < r->n_probes; i++)
		if (r->probes[i].missed == made.missed)
			return &r->probes[i];
	if (!made.missed || dkt__append(r->probes, r->n_probes, made))
		return NULL;
	return &r->probes[r->n_probes - 1];
}

/* True if an instance records what the probe does not miss. */
static bool is_recorded(const struct dkt_recorder *r, const struct dkt_probe *probe)
{
	const struct dkt_event *event = dkt_event_find(r->ctx, probe->group, probe->name);

	for (size_t i = 0; event && i < r->n; i++)
		if (dkt__event_is_on(r->buffers[i].in, event))
			return true;
	return false;
}

static int note(struct dkt_recorder *r, const struct dkt_probe *probe)
{
	char *name __cleanup(free) = dkt__format("%s:%s", probe->group, probe->name);
	struct dkt__recorder_probe *its = name ? get_probe(r, name) : NULL;
	uint64_t more;

	if (!its)
		return dkt__no_memory(r->ctx);
	/* A probe that was removed and created again begins with 0. */
	more = probe->missed - (probe->missed < its->kernel ? 0 : its->kernel);
	its->kernel = probe->missed;
	if (more && is_recorded(r, probe))
		its->missed->n += more;
	return 0;
}

/* Most kernels have no probes, or those miss nothing: then only the profile is read. */
static int read_missed(struct dkt_recorder *r)
{
	const uint64_t sum = dkt__probes_missed(r->ctx);
	struct dkt_probes *probes;
	int err = 0;

	if (sum == r->probes_missed)
		return 0;
	/* A number that cannot be read does not stop the recording. */
	if (dkt_probes_read(r->ctx, &probes))
		return 0;
	r->probes_missed = sum;
	for (size_t i = 0; !err && i < probes->n; i++)
		if (probes->at[i].missed != DKT_PROBE_UNKNOWN && probes->at[i].missed)
			err = note(r, &probes->at[i]);
	dkt_probes_free(probes);
	return err;
}

int dkt__missed_read(struct dkt_ctx *ctx, struct dkt__missed **list)
{
	struct dkt_probes *probes;
	int err = 0;

	if (!*list && !dkt__probes_missed(ctx))
		return 0;
	err = dkt_probes_read(ctx, &probes);
	if (err)
		return err;
	for (size_t i = 0; !err && i < probes->n; i++) {
		const struct dkt_probe *probe = &probes->at[i];
		char *name __cleanup(free) = dkt__format("%s:%s", probe->group, probe->name);
		struct dkt__missed *missed;

		if (probe->missed == DKT_PROBE_UNKNOWN)
			continue;
		missed = name ? dkt__missed_get(ctx, list, name) : NULL;
		if (missed)
			missed->n = probe->missed;
		else
			err = dkt__no_memory(ctx);
	}
	dkt_probes_free(probes);
	return err;
}

int dkt__recorder_missed_since(struct dkt_recorder *r, const struct dkt__missed *list)
{
	r->missed_before = true;
	for (; list; list = list->next) {
		struct dkt__recorder_probe *its = get_probe(r, list->probe);

		if (!its)
			return dkt__no_memory(r->ctx);
		its->kernel = list->n;
		r->probes_missed += list->n;
	}
	return 0;
}

int dkt__recorder_missed_begin(struct dkt_recorder *r, bool fresh)
{
	int err = fresh && !r->missed_before ? read_missed(r) : 0;

	for (size_t i = 0; i < r->n_probes; i++)
		r->probes[i].missed->n = r->probes[i].told = 0;
	return err;
}

int dkt__recorder_missed_continue(struct dkt_recorder *r, const struct dkt_source *source)
{
	const struct dkt__missed *missed = dkt__source_missed(source);
	int err = dkt__recorder_missed_begin(r, true);

	for (; !err && missed; missed = missed->next) {
		struct dkt__recorder_probe *its = get_probe(r, missed->probe);

		err = its ? 0 : dkt__no_memory(r->ctx);
		if (!err)
			its->missed->n = its->told = missed->n;
	}
	return err;
}

int dkt__recorder_missed_put(struct dkt_recorder *r)
{
	const struct dkt_tracedat order = { .big_endian = r->ctx->big_endian };
	struct dkt_buf options = { 0 };
	int err = read_missed(r);

	for (size_t i = 0; !err && i < r->n_probes; i++)
		if (r->probes[i].missed->n != r->probes[i].told)
			dkt__tdw_missed(&order, &options, r->probes[i].missed->probe,
					r->probes[i].missed->n);
	if (!err && options.len) {
		dkt__tdw_number_option(&order, &options, DAT_DONE, 0, 8);
		err = dkt__recorder_put(r, DAT_DONE, &options);
		/* Later calls complete a section that has been begun. */
		for (size_t i = 0; err != -ENOMEM && i < r->n_probes; i++)
			r->probes[i].told = r->probes[i].missed->n;
	}
	free(options.data);
	return err;
}

const struct dkt__missed *dkt__recorder_missed(const struct dkt_recorder *r)
{
	return dkt__source_missed(&r->about);
}
