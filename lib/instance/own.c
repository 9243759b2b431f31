/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Instances for one process only, and the removal of those that killed processes left. */
#include "lib/base/io.h"
#include "lib/base/own_name.h"
#include "lib/instance.h"
#include "lib/tracefs.h"

/* Replaces the characters that the name of an event cannot have. */
static void make_identifier(char *text)
{
	for (; *text; text++)
		if (!(*text >= '0' && *text <= '9') && !(*text >= 'a' && *text <= 'z') &&
		    !(*text >= 'A' && *text <= 'Z'))
			*text = '_';
}

int dkt_instance_own_group(struct dkt_ctx *ctx, const char *prefix, char **group)
{
	dkt__needs(ctx, dkt__clear(group) && ctx && prefix);

	int err = dkt__own_name(prefix, '_', group);

	if (err)
		return dkt_fail(ctx, err, "name the objects of this process: %s", strerror(-err));
	make_identifier(*group);
	return 0;
}

/*
 * Removes probes by their group, and synthetic events, which share one group, by their name. exact:
 * only those of the instance with that name, not those of all processes that have exited.
 */
static void sweep_probes(struct dkt_ctx *ctx, const char *prefix, bool exact)
{
	char *name __cleanup(free) = strdup(prefix);
	const struct dkt_probe *probe;
	struct dkt_probes *probes;

	if (!name || dkt_probes_read(ctx, &probes))
		return;
	make_identifier(name);
	for (size_t i = 0; (probe = dkt_probes_at(probes, i)); i++) {
		const char *owner = probe->kind == DKT_PROBE_SYNTHETIC ? probe->name : probe->group;

		if (exact ? !strcmp(owner, name) : dkt__own_is_stale(owner, name, '_'))
			dkt_probe_remove(ctx, probe->group, probe->name);
	}
	dkt_probes_free(probes);
}

int dkt__own_remove(struct dkt_ctx *ctx, const char *name)
{
	int err = dkt_instance_remove(ctx, name);

	if (!err)
		sweep_probes(ctx, name, true);
	return err;
}

static int sweep_instances(struct dkt_ctx *ctx, const char *prefix, size_t *n)
{
	struct dkt__strings names;
	int err = dkt_tracefs_open(ctx, 0);

	*n = 0;
	if (!err)
		err = dkt__tfs_list(ctx, &names, "instances");
	if (err)
		return err == -ENOENT ? 0 : err;
	for (size_t i = 0; i < names.n; i++) {
		int one;

		if (!dkt__own_is_stale(names.list[i], prefix, '-'))
			continue;
		one = dkt_instance_remove(ctx, names.list[i]);
		*n += !one;
		/* The process has removed it and then exited, or another one sweeps. */
		if (one && one != -ENOENT)
			err = -EBUSY;
	}
	dkt__strings_clear(&names);
	return err;
}

int dkt__instance_names_to_sweep(struct dkt_ctx *ctx, const char *prefix, char **names)
{
	dkt__needs(ctx, dkt__clear(names) && ctx && prefix);

	struct dkt__strings all;
	size_t len;
	FILE *f;
	int err = dkt_tracefs_open(ctx, 0);

	if (!err)
		err = dkt__tfs_list(ctx, &all, "instances");
	if (err)
		return err == -ENOENT ? 0 : err;
	f = open_memstream(names, &len);
	for (size_t i = 0; f && i < all.n; i++)
		if (dkt__own_is_stale(all.list[i], prefix, '-'))
			fprintf(f, "%s%s", ftell(f) ? "\n" : "", all.list[i]);
	dkt__strings_clear(&all);
	return dkt__with_words(ctx, dkt__text_end_some(f, 0, names));
}

int dkt__instance_sweep(struct dkt_ctx *ctx, const char *prefix, size_t *n)
{
	dkt__needs(ctx, ctx && prefix);

	size_t done = 0;
	int err = sweep_instances(ctx, prefix, &done);

	sweep_probes(ctx, prefix, false);
	if (n)
		*n = done;
	return err;
}

int dkt_instance_own(struct dkt_ctx *ctx, const char *prefix, struct dkt_instance **instance)
{
	dkt__needs(ctx, dkt__clear(instance) && ctx && prefix);

	DKT_OPTS(dkt_instance_opts, opts, .flags = DKT_CREATE);
	char *name __cleanup(free) = NULL;
	size_t n;
	int err;

	/* A later command, or the user, removes instances that cannot be removed now. */
	if (sweep_instances(ctx, prefix, &n))
		dkt__log(ctx, DKT_LOG_INFO, "remove instances of processes that have exited: %s",
			 dkt_error(ctx));
	err = dkt__own_name(prefix, '-', &name);
	if (err)
		return dkt_fail(ctx, err, "name the objects of this process: %s", strerror(-err));
	err = dkt_instance_open(ctx, name, &opts, instance);
	if (err || dkt__instance_is_new(*instance))
		return err;
	dkt_instance_close(*instance);
	*instance = NULL;
	return dkt_fail(ctx, -EEXIST, "this process has an instance '%s' already", name);
}
