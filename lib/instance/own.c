/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Instances for one process only, and the removal of those that killed processes left. */
#include <fcntl.h>
#include <inttypes.h>

#include "base/io.h"
#include "base/parse.h"
#include "instance.h"
#include "tracefs.h"

/*
 * Gets the start time of a process in ticks since boot, field 22 of /proc/PID/stat. -ENOENT: the
 * process has exited, even if its parent has not asked for its status yet.
 */
static int start_time(int pid, uint64_t *ticks)
{
	char *text __cleanup(free) = NULL;
	char path[32];
	const char *p;
	size_t len;
	int err;

	*ticks = 0;
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	err = dkt__read_file(path, 4096, &text, &len);
	if (err)
		return err == -ESRCH ? -ENOENT : err;
	/* The name, field 2, is in parentheses and may hold anything. */
	p = strrchr(text, ')');
	if (p && (!strncmp(p, ") Z", 3) || !strncmp(p, ") X", 3)))
		return -ENOENT;
	for (int field = 2; p && field < 22; field++)
		p = strchr(p + 1, ' ');
	if (p++)
		dkt__take_u64(&p, NULL, DKT__DEC, ticks);
	return 0;
}

/*
 * Returns 1 if the text is PID-TIME, with mark for "-", of a process that has exited, and 0 if the
 * process lives; sets *process to it. -EINVAL: it is another text.
 */
static int has_exited(const char *text, char mark, pid_t *process)
{
	uint64_t ticks, now;
	int pid, n = 0, err;
	char between;

	if (sscanf(text, "%d%c%" SCNu64 "%n", &pid, &between, &ticks, &n) != 3 || text[n] ||
	    pid <= 0 || between != mark)
		return -EINVAL;
	*process = pid;
	/* If the start time is unknown, the process may still run. */
	err = start_time(pid, &now);
	return err ? err == -ENOENT : now != ticks;
}

/* True if the name is PREFIX-PID-TIME, with mark for "-", of a process that has exited. */
static bool is_stale(const char *name, const char *prefix, char mark)
{
	size_t len = strlen(prefix);
	pid_t process;

	return !strncmp(name, prefix, len) && name[len] == mark &&
	       has_exited(name + len + 1, mark, &process) > 0;
}

static int own_exited(const char *name, pid_t *process)
{
	const char *p = strrchr(name, '-');

	while (p && p > name && *--p != '-')
		;
	return p && p > name ? has_exited(p + 1, '-', process) : -EINVAL;
}

int dkt__own_exited(const char *name)
{
	pid_t process;

	return own_exited(name, &process);
}

pid_t dkt__own_process(const char *name)
{
	pid_t process;

	return own_exited(name, &process) ? 0 : process;
}

/* Builds a name that only this process has: prefix, PID and start time. */
static int own_name(const char *prefix, char mark, char **name)
{
	uint64_t ticks;
	int err = start_time(getpid(), &ticks);

	*name = err ? NULL :
		      dkt__format("%s%c%d%c%" PRIu64, prefix, mark, (int)getpid(), mark, ticks);
	return err || *name ? err : -ENOMEM;
}

/* Replaces the characters that the name of an event cannot have. */
static void make_identifier(char *text)
{
	for (; *text; text++)
		if (!(*text >= '0' && *text <= '9') && !(*text >= 'a' && *text <= 'z') &&
		    !(*text >= 'A' && *text <= 'Z'))
			*text = '_';
}

int dkt_own_group(struct dkt_ctx *ctx, const char *prefix, char **group)
{
	dkt__needs(ctx, dkt__clear(group) && ctx && prefix);

	int err = own_name(prefix, '_', group);

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

		if (exact ? !strcmp(owner, name) : is_stale(owner, name, '_'))
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
	size_t n_names;
	char **names;
	int err = dkt_tracefs_open(ctx, 0);

	*n = 0;
	if (!err)
		err = dkt__tfs_list(ctx, &names, &n_names, "instances");
	if (err)
		return err == -ENOENT ? 0 : err;
	for (size_t i = 0; i < n_names; i++) {
		if (!is_stale(names[i], prefix, '-'))
			continue;
		if (dkt_instance_remove(ctx, names[i]))
			err = -EBUSY;
		else
			(*n)++;
	}
	dkt__names_free(names, n_names);
	return err;
}

int dkt_instance_left(struct dkt_ctx *ctx, const char *prefix, char **names)
{
	dkt__needs(ctx, dkt__clear(names) && ctx && prefix);

	size_t n, len;
	char **all;
	FILE *f;
	int err = dkt_tracefs_open(ctx, 0);

	if (!err)
		err = dkt__tfs_list(ctx, &all, &n, "instances");
	if (err)
		return err == -ENOENT ? 0 : err;
	f = open_memstream(names, &len);
	for (size_t i = 0; f && i < n; i++)
		if (is_stale(all[i], prefix, '-'))
			fprintf(f, "%s%s", ftell(f) ? "\n" : "", all[i]);
	dkt__names_free(all, n);
	return dkt__with_words(ctx, dkt__text_end_some(f, 0, names));
}

int dkt_instance_sweep(struct dkt_ctx *ctx, const char *prefix, size_t *n)
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
		dkt_log(ctx, DKT_LOG_INFO, "remove instances of processes that have exited: %s",
			dkt_error(ctx));
	err = own_name(prefix, '-', &name);
	if (err)
		return dkt_fail(ctx, err, "name the objects of this process: %s", strerror(-err));
	err = dkt_instance_open(ctx, name, &opts, instance);
	if (err || dkt_instance_is_new(*instance))
		return err;
	dkt_instance_close(*instance);
	*instance = NULL;
	return dkt_fail(ctx, -EEXIST, "this process has an instance '%s' already", name);
}
