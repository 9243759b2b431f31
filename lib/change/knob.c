/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Steps of a change that write files with one value, such as the recorded threads and CPUs. */
#include <inttypes.h>

#include "lib/base/io.h"
#include "lib/base/parse.h"
#include "lib/change.h"
#include "lib/expr.h"
#include "lib/instance.h"
#include "lib/tracefs.h"

#define PIDS "set_event_pid"
#define FORK "options/event-fork"
#define CPUS "tracing_cpumask"
#define DATA DKT__USER_DATA

/* Adds a step that writes the value, of which it takes ownership. */
static int add_knob(struct dkt_change *change, const char *file, char *value)
{
	int err = value ? dkt__append(change->knobs, change->n_knobs,
				      (struct dkt__knob){ .file = file, .value = value }) :
			  dkt__no_memory(change->in->ctx);

	if (err)
		free(value);
	return dkt__with_words(change->in->ctx, err);
}

int dkt_change_pids(struct dkt_change *change, const pid_t *pids, size_t n, bool children)
{
	dkt__needs(change ? change->in->ctx : NULL, change && (pids || !n));

	char *list = NULL;
	size_t len;
	FILE *f;
	int err;

	/* Set the option first: the kernel adds a child to the list when it is forked. */
	err = add_knob(change, FORK, strdup(children ? "1" : "0"));
	if (err)
		return err;
	/* One PID per line, as the kernel prints the file, to which apply_knob() compares it. */
	f = open_memstream(&list, &len);
	for (size_t i = 0; f && i < n; i++)
		fprintf(f, "%s%d", i ? "\n" : "", (int)pids[i]);
	err = dkt__with_words(change->in->ctx, dkt__text_end(f, 0, &list));
	return err ? err : add_knob(change, PIDS, list);
}

/* The kernel's text of a bitmap: groups of 32 bits in hex, separated by commas, highest first. */
static char *mask_text(const struct expr_cpus *cpus, int n)
{
	int words = (n + 31) / 32;
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	for (int i = words; f && i-- > 0;) {
		uint32_t word = (uint32_t)(cpus->bits[i / 2] >> i % 2 * 32);

		fprintf(f, i < words - 1 ? ",%08x" : "%x", word);
	}
	dkt__text_end(f, 0, &text);
	return text;
}

int dkt_change_cpus(struct dkt_change *change, const char *list)
{
	dkt__needs(NULL, change);

	struct expr_cpus *cpus __cleanup(free) = calloc(1, sizeof(*cpus));
	char all[24];
	int n = change->in->cpus;

	if (!cpus)
		return dkt__no_memory(change->in->ctx);
	snprintf(all, sizeof(all), "0-%d", n - 1);
	list = list ? list : all;
	if (!*list || dkt__expr_cpus_parse(list, strlen(list), cpus) || !cpus->weight)
		return dkt_fail(change->in->ctx, -EINVAL,
				"'%.60s' is not a list of CPUs such as 0-3,5", list);
	for (int cpu = EXPR_MAX_CPUS - 1; cpu >= n; cpu--)
		if (dkt__expr_cpus_has(cpus, (uint64_t)cpu))
			return dkt_fail(change->in->ctx, -EINVAL,
					"CPU %d does not exist; the last one is %d", cpu, n - 1);
	return add_knob(change, CPUS, mask_text(cpus, n));
}

int dkt_change_user_data(struct dkt_change *change, uint32_t bytes)
{
	dkt__needs(NULL, change);

	struct dkt_instance *in = change->in;

	if (bytes && !dkt__tfs_exists(in->ctx, "%s" DATA, in->prefix))
		return dkt_fail(in->ctx, -EOPNOTSUPP,
				"this kernel does not record the data that system calls point to"
				" (" DATA ")");
	return add_knob(change, DATA, dkt__format("%" PRIu32, bytes));
}

/* ---- reading ---- */

int dkt__instance_get_pids(const struct dkt_instance *in, pid_t **pids, size_t *n, bool *children)
{
	dkt__needs(in ? in->ctx : NULL,
		   dkt__clear(pids) && dkt__clear(n) && dkt__clear(children) && in);

	char *text __cleanup(free) = NULL;
	uint64_t fork = 0, pid;
	int err = dkt__tfs_read(in->ctx, &text, NULL, "%s" PIDS, in->prefix);

	if (!err)
		err = dkt__tfs_read_u64(in->ctx, &fork, "%s" FORK, in->prefix);
	if (err)
		return err;
	*pids = calloc(strlen(text) / 2 + 1, sizeof(**pids));
	if (!*pids)
		return dkt__no_memory(in->ctx);
	for (const char *p = text; !dkt__take_u64(&p, NULL, DKT__DEC, &pid); p += *p == '\n')
		(*pids)[(*n)++] = (pid_t)pid;
	*children = *n && fork;
	return 0;
}

/* Lists the CPUs in the form "0-3,5". NULL: all CPUs are set. */
static int list_cpus(const bool *set, int n, char **list)
{
	int to, missing = 0;
	size_t len;
	FILE *f = open_memstream(list, &len);

	for (int from = 0; f && from < n; from = to + 1) {
		for (to = from; to < n && set[to]; to++)
			;
		missing += to < n;
		if (to == from)
			continue;
		fprintf(f, "%s%d", ftell(f) ? "," : "", from);
		if (to > from + 1)
			fprintf(f, "-%d", to - 1);
	}
	if (!f || fclose(f))
		return -ENOMEM;
	if (!missing) {
		free(*list);
		*list = NULL;
	}
	return 0;
}

int dkt__instance_get_cpus(const struct dkt_instance *in, char **cpus)
{
	dkt__needs(in ? in->ctx : NULL, dkt__clear(cpus) && in);

	bool *set __cleanup(free) = calloc((size_t)in->cpus + 4, sizeof(*set));
	char *text __cleanup(free) = NULL;
	int err = dkt__tfs_read(in->ctx, &text, NULL, "%s" CPUS, in->prefix);
	int cpu = 0;

	if (err || !set)
		return err ? err : dkt__no_memory(in->ctx);
	/* The last hex digit stands for the first four CPUs. */
	for (const char *p = text + strcspn(text, "\n"); p-- > text;) {
		const char digit[] = { *p, '\0' };
		uint64_t bits;

		dkt__parse_u64(digit, DKT__HEX, &bits);
		for (int i = 0; *p != ',' && i < 4 && cpu < in->cpus; i++, cpu++)
			set[cpu] = bits >> i & 1;
	}
	return dkt__with_words(in->ctx, list_cpus(set, in->cpus, cpus));
}

int dkt__instance_get_user_data(const struct dkt_instance *in, uint64_t *bytes)
{
	dkt__needs(in ? in->ctx : NULL, dkt__clear(bytes) && in);

	if (!dkt__tfs_exists(in->ctx, "%s" DATA, in->prefix))
		return 0;
	return dkt__tfs_read_u64(in->ctx, bytes, "%s" DATA, in->prefix);
}

/* ---- steps ---- */

static int write_knob(struct dkt_instance *in, const char *file, const char *value)
{
	/* Opening a list with O_TRUNC empties it. */
	return dkt__tfs_set(in->ctx, value, "%s%s", in->prefix, file);
}

static int apply_knob(struct dkt_instance *in, struct dkt__knob *knob)
{
	size_t len;
	int err = dkt__tfs_read(in->ctx, &knob->before, &len, "%s%s", in->prefix, knob->file);

	/* A kernel without the file already has the empty or zero value. */
	if (err == -ENOENT && (!*knob->value || !strcmp(knob->value, "0")))
		return 0;
	if (err)
		return err;
	while (len && knob->before[len - 1] == '\n')
		knob->before[--len] = '\0';
	return strcmp(knob->before, knob->value) ? write_knob(in, knob->file, knob->value) : 0;
}

int dkt__knobs_apply(struct dkt_change *change)
{
	int err = 0;

	for (size_t i = 0; !err && i < change->n_knobs; i++)
		err = apply_knob(change->in, &change->knobs[i]);
	return err;
}

int dkt__knobs_undo(struct dkt_change *change)
{
	int err = 0, one;

	for (size_t i = change->n_knobs; i-- > 0;) {
		struct dkt__knob *knob = &change->knobs[i];

		if (!knob->before || !strcmp(knob->before, knob->value))
			continue;
		one = write_knob(change->in, knob->file, knob->before);
		err = one ? one : err;
	}
	return err;
}

void dkt__knobs_free(struct dkt_change *change)
{
	for (size_t i = 0; i < change->n_knobs; i++) {
		free(change->knobs[i].value);
		free(change->knobs[i].before);
	}
	free(change->knobs);
}
