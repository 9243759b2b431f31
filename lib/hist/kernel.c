/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Histograms counted by the kernel: writes the trigger and reads the table. */
#include "lib/base/io.h"
#include "lib/event.h"
#include "lib/hist.h"
#include "lib/instance.h"
#include "lib/tracefs.h"

/* ---- the trigger ---- */

static void put_field(FILE *f, struct dkt_event *event, const struct dkt__key_spec *spec)
{
	fputs(dkt__key_kernel_name(event, spec->name), f);
	if (spec->mod && spec->mod != MOD_DEC && spec->mod < MOD_PERCENT)
		fprintf(f, ".%s", dkt__mod_name(spec->mod));
	if (spec->mod == MOD_BUCKETS)
		fprintf(f, "=%llu", (unsigned long long)spec->buckets);
}

static void put_keys(FILE *f, const struct dkt_hist *hist, struct dkt_event *event)
{
	fputs("hist:keys=", f);
	for (uint32_t i = 0; i < hist->n_keys; i++) {
		if (i)
			fputc(',', f);
		put_field(f, event, &hist->keys[i]);
	}
	/* The kernel requires a key; one_row() adds up the rows when they are read. */
	if (!hist->n_keys)
		fputs("common_cpu", f);
	for (uint32_t i = 0; i < hist->n_vals; i++) {
		fputs(i ? "," : ":vals=", f);
		if (hist->vals[i].raw)
			fputs(hist->vals[i].raw, f);
		else
			put_field(f, event, &hist->vals[i].spec);
	}
}

/*
 * Writes the actions. ".trace(EVENT,FIELD)" is written ".EVENT(FIELD)", which is the same, and which kernels before 5.2
 * know, too.
 */
static void put_actions(FILE *f, const char *actions)
{
	static const char trace[] = ".trace(";
	const char *p = actions, *found;

	fputc(':', f);
	while ((found = strstr(p, trace))) {
		const char *name = found + sizeof(trace) - 1;
		const size_t len = strcspn(name, ",)");

		fprintf(f, "%.*s.%.*s(", (int)(found - p), p, (int)len, name);
		p = name + len + (name[len] == ',');
	}
	fputs(p, f);
}

/* Writes the filter, and the condition that the process opts.skip does not count. */
static int put_filter(FILE *f, const struct dkt_hist *hist, const struct hist_event *counted)
{
	char *text __cleanup(free) = NULL;
	int err = 0;

	if (counted->filter)
		err = dkt_expr_text(counted->filter, counted->event, &text);
	if (err || (!text && !hist->opts.skip))
		return err;
	fputs(" if ", f);
	if (hist->opts.skip)
		fprintf(f, "common_pid != %d", (int)hist->opts.skip);
	if (hist->opts.skip && text)
		fprintf(f, " && (%s)", text);
	else if (text)
		fputs(text, f);
	return 0;
}

int dkt__hist_trigger(struct dkt_hist *hist, struct dkt_event *event, char **text)
{
	dkt__needs(hist ? hist->ctx : NULL, dkt__clear(text) && hist && event);

	const struct dkt_hist_opts *opts = &hist->opts;
	struct hist_event *counted;
	size_t len;
	FILE *f;
	int err;

	err = dkt__hist_find(hist, event, &counted);
	if (err)
		return err;
	f = open_memstream(text, &len);
	if (!f)
		return dkt__no_memory(hist->ctx);
	put_keys(f, hist, event);
	if (opts->vars)
		fprintf(f, ":%s", opts->vars);
	/* dkt_table_sort() sorts the rows; the kernel's order helps people who read the hist file. */
	if (opts->sort && !hist->by_event)
		fprintf(f, ":sort=%s", opts->sort);
	fprintf(f, ":size=%u", opts->size ? opts->size : HIST_SIZE_KERNEL);
	if (opts->actions)
		put_actions(f, opts->actions);
	err = put_filter(f, hist, counted);
	return dkt__with_words(hist->ctx, dkt__text_end(f, err, text));
}

/* ---- starting ---- */

/* Adds the reason to an error if the kernel rejects without one what histogram.rst allows. */
static int explain(struct dkt_hist *hist, int err)
{
	uint32_t strings = 0;

	for (uint32_t i = 0; i < hist->n_keys; i++)
		strings += hist->table->keys[i].kind != TABLE_NUMBER;
	if (err == -EOPNOTSUPP)
		return dkt_fail(hist->ctx, err, "this kernel has no histograms");
	if (err != -EINVAL || strstr(dkt_error(hist->ctx), "^"))
		return err;
	if (strings > 1)
		return dkt__fail_in(hist->ctx, err,
				    "the kernel's limit is one string or stack among the keys of a"
				    " histogram; these are %u",
				    strings);
	return err;
}

/* The kernel prints the name of the current process only, and only with its PID. */
static int check_keys(struct dkt_hist *hist)
{
	const char *name = hist->exec_key < 0 ? DKT__COMMON_PID : hist->keys[hist->exec_key].name;

	if (strcmp(name, DKT__COMMON_PID) != 0)
		return dkt_fail(hist->ctx, -EOPNOTSUPP,
				"the kernel supports execname of common_pid only, not"
				" '%s.execname'",
				name);
	for (size_t i = 0; i < hist->n_events; i++)
		for (uint32_t key = 0; hist->events[i].event && key < hist->n_keys; key++)
			if (hist->events[i].keys[key].kind == KEY_COMM)
				return dkt_fail(hist->ctx, -EOPNOTSUPP,
						"the kernel cannot count by COMM");
	return 0;
}

int dkt_hist_start(struct dkt_hist *hist, struct dkt_instance *instance)
{
	dkt__needs(hist ? hist->ctx : NULL, hist && instance);

	struct dkt_change *change = NULL;
	int err = check_keys(hist);

	if (err)
		return err;
	err = dkt_change_new(instance, &change);
	for (size_t i = 0; !err && i < hist->n_events; i++) {
		struct dkt_event *event = hist->events[i].event;
		char *text __cleanup(free) = NULL;

		if (!event)
			continue;
		err = dkt__hist_trigger(hist, event, &text);
		if (!err)
			err = dkt_change_trigger(change, event, text);
	}
	if (!err)
		err = dkt_change_commit(change);
	dkt_change_free(change);
	return err ? explain(hist, err) : 0;
}

/* ---- reading ---- */

/* Checks that the kernel's histogram is the requested one. */
static int check_columns(const struct dkt_hist *hist, struct dkt_table *table)
{
	uint32_t n = hist->n_keys ? hist->n_keys : 1;

	if (table->n_keys != n || table->n_vals != 1 + hist->n_vals)
		return dkt_fail(hist->ctx, -EINVAL,
				"the kernel's histogram has %u keys and %u values, requested were"
				" %u and %u",
				table->n_keys, table->n_vals, n, 1 + hist->n_vals);
	for (uint32_t i = 0; hist->n_keys && i < n; i++)
		if (table->keys[i].kind == TABLE_STRING && !table->map.n)
			table->keys[i].kind = TABLE_NUMBER;
	return 0;
}

/* Adds up the rows by CPU of a histogram that was requested without keys. */
static void one_row(struct dkt_table *table)
{
	for (uint32_t i = 1; i < table->map.n; i++)
		for (uint32_t v = 0; v < table->n_vals; v++)
			dkt__table_sums(table, 0)[v] += dkt__table_sums(table, i)[v];
	table->map.n = DKT__MIN(table->map.n, 1u);
	table->n_keys = 0;
}

/* Finds the names that the event's print format has for the keys. */
static int find_names(struct dkt_event *event, struct dkt_table *table)
{
	for (uint32_t i = 0; i < table->n_keys; i++) {
		struct table_column *column = &table->keys[i];
		struct dkt__key key;

		if (column->kind == TABLE_NUMBER &&
		    !dkt__key_bind(table->ctx, event, &column->spec, &key))
			column->names = key.names;
	}
	return dkt__table_finish(table);
}

int dkt__instance_get_hist(struct dkt_instance *instance, struct dkt_event *event,
			   struct dkt_table **table)
{
	dkt__needs(instance ? instance->ctx : NULL, dkt__clear(table) && instance && event);

	char *text __cleanup(free) = NULL;
	size_t len;
	int err = dkt__tfs_read(instance->ctx, &text, &len, "%sevents/%s/%s/hist", instance->prefix,
				event->system, event->name);

	if (!err)
		err = dkt__table_parse(instance->ctx, text, len, table);
	if (!err)
		err = find_names(event, *table);
	return err;
}

static int read_event(struct dkt_hist *hist, struct dkt_instance *instance, struct dkt_event *event,
		      struct dkt_table *table)
{
	struct dkt_table *one;
	char name[256];
	int err = dkt__instance_get_hist(instance, event, &one);

	if (!err)
		err = check_columns(hist, one);
	if (!err && !hist->n_keys)
		one_row(one);
	snprintf(name, sizeof(name), "%s:%s", event->system, event->name);
	if (!err)
		err = dkt__table_add(table, one, hist->by_event ? name : NULL);
	dkt_table_free(one);
	return err ? dkt__fail_in(hist->ctx, err, "histogram of %s", name) : 0;
}

int dkt__hist_read_kernel(struct dkt_hist *hist, struct dkt_instance *instance,
			  struct dkt_table **out)
{
	struct dkt_table *table = dkt__hist_table(hist);
	int err = table ? 0 : dkt__no_memory(instance->ctx);

	/* The kernel's text does not show which numbers are signed. */
	for (uint32_t i = 0; !err && i < table->n_keys; i++) {
		table->keys[i].is_signed = hist->table->keys[i].is_signed;
		table->keys[i].names = hist->table->keys[i].names;
	}
	for (uint32_t i = 0; !err && i < table->n_vals; i++)
		table->vals[i].is_signed = hist->table->vals[i].is_signed;
	for (uint32_t i = 0; !err && i < hist->n_events; i++)
		if (hist->events[i].event)
			err = read_event(hist, instance, hist->events[i].event, table);
	return dkt__table_return(table, err, out);
}
