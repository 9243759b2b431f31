/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzzes what users write of a probe, a place and its arguments in lines: a definition that comes of
 * it is one line that the kernel could take, and reads again as the same probe.
 */
#include "lib/probe.h"
#include "lib/inside.h"
#include "lib/probe/arg.h"
#include "tests/fuzz/replay.h"
#include "tests/helper/probe_tree.h"

#define ARGS_MAX 8

static char dir[] = "/dev/shm/dkt-fuzz-probe-XXXXXX";
static struct dkt_ctx *kernel;

static void remove_tree(void)
{
	char *command __cleanup(free) = NULL;

	dkt_ctx_free(kernel);
	if (asprintf(&command, "rm -r %s", dir) >= 0 && system(command))
		perror(dir);
}

static void make_tree(void)
{
	DKT_OPTS(dkt_ctx_opts, opts, .root = dir);

	if (!mkdtemp(dir) || probe_tree_make(dir) || dkt_ctx_new(&opts, &kernel) ||
	    dkt_tracefs_open(kernel, 0))
		abort();
	atexit(remove_tree);
}

static void check_fields(const char *fields)
{
	while (*fields) {
		size_t n = strcspn(fields, " "), name = strcspn(fields, "=");

		/* A quoted string may contain spaces. */
		if (strchr(fields, '"'))
			return;
		if (name >= n || name > PROBE_FIELD_MAX || n - name - 1 > PROBE_FETCH_MAX)
			abort();
		fields += n + (fields[n] == ' ');
	}
}

static void check(struct dkt_ctx *ctx, const struct dkt_probe *probe)
{
	struct dkt_probes *again;
	char *text;
	const char *p;

	if (dkt__probe_text(ctx, probe, &text))
		abort();
	for (p = text; *p; p++)
		if ((unsigned char)*p < 0x20)
			abort();
	if (dkt__probe_from_text(ctx, text, &again) ||
	    !dkt__probe_same(probe, dkt_probes_at(again, 0)))
		abort();
	if (probe->kind != DKT_PROBE_SYNTHETIC)
		check_fields(probe->fields);
	dkt_probes_free(again);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *args[ARGS_MAX] = { NULL };
	char *text = strndup((const char *)data + !!size, size - !!size), *rest = text, *place;
	DKT_OPTS(dkt_probe_opts, opts, .max = 4, .kind = size ? data[0] % 7 : 0);
	struct dkt_probes *probes;
	size_t n = 0, i;

	if (!kernel)
		make_tree();
	/* One of its own kind: definitions as the kernel lists them. */
	if (!dkt__probe_from_text(kernel, text, &probes)) {
		const struct dkt_probe *probe = dkt_probes_at(probes, 0);
		char *again;

		if (!dkt__probe_text(kernel, probe, &again))
			free(again);
		dkt_probes_free(probes);
	}
	place = strsep(&rest, "\n");
	while (rest && n < ARGS_MAX)
		args[n++] = strsep(&rest, "\n");
	if (opts.kind != DKT_PROBE_UPROBE &&
	    !dkt_probe_define(kernel, place, args, n, &opts, &probes)) {
		for (i = 0; dkt_probes_at(probes, i); i++)
			check(kernel, dkt_probes_at(probes, i));
		dkt_probes_free(probes);
	}
	free(text);
	return 0;
}
