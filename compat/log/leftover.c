/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Removes temporary instances and probes that killed commands left. */
#include "compat/log/leftover.h"

#include "lib/base/buf.h"
#include "lib/base/io.h"
#include "lib/inside.h"

const char *dkl_leftover_kind(size_t i)
{
	static const char *const kinds[] = { "analyze", "hist", "latency",
					     "record",  "top",  "top-log" };

	return i < ARRAY_SIZE(kinds) ? kinds[i] : NULL;
}

int dkl_leftovers_remove(struct dkt_ctx *ctx, const char *log)
{
	const char *kind;
	int err = 0;

	for (size_t i = 0; !err && (kind = dkl_leftover_kind(i)); i++) {
		char *prefix __cleanup(free) = dkt__format("%s-%s", log, kind);

		err = prefix ? dkt__instance_sweep(ctx, prefix, NULL) : -ENOMEM;
	}
	return err;
}

static void print_one(struct dkt_ctx *ctx, const char *name, FILE *out)
{
	struct dkt_instance *in;
	uint64_t bytes;

	fprintf(out, "%s%s", ftell(out) ? ", " : "", name);
	if (dkt_instance_open(ctx, name, NULL, &in))
		return;
	if (!dkt_instance_get_size(in, &bytes))
		fprintf(out, " (%.1f MB)", (double)bytes / DKT__MB);
	dkt_instance_close(in);
}

static int print_kind(struct dkt_ctx *ctx, const char *log, const char *kind, FILE *out)
{
	char *prefix __cleanup(free) = dkt__format("%s-%s", log, kind);
	char *names __cleanup(free) = NULL;
	char *save = NULL;
	int err = prefix ? dkt__instance_names_to_sweep(ctx, prefix, &names) : -ENOMEM;

	for (char *name = names ? strtok_r(names, "\n", &save) : NULL; name;
	     name = strtok_r(NULL, "\n", &save))
		print_one(ctx, name, out);
	return err;
}

int dkl_leftovers_list(struct dkt_ctx *ctx, const char *log, char **list)
{
	const char *kind;
	size_t len = 0;
	FILE *out = open_memstream(list, &len);
	int err = out ? 0 : -ENOMEM;

	for (size_t i = 0; !err && (kind = dkl_leftover_kind(i)); i++)
		err = print_kind(ctx, log, kind, out);
	return dkt__text_end_some(out, err, list);
}
