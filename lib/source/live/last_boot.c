/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Records that the boot before this one left in an instance. They move to spools of their own,
 * with the kernel's last_boot_info, which is gone when the instance records again.
 */
#include "lib/last_boot.h"

#include "lib/base/gained.h"
#include "lib/base/io.h"
#include "lib/instance.h"
#include "lib/source/live.h"
#include "lib/tracefs.h"

/* The copy of the kernel's file in the directory of the spools. */
static char *kept_path(const struct dkt_instance *in)
{
	return in->spool ? dkt__format("%s" DKT__SPOOL_LAST_BOOT "/last_boot_info", in->spool) :
			   NULL;
}

static int read_kept(struct dkt_instance *in, char **text)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained_at(in->spool);
	char *path __cleanup(free) = kept_path(in);
	size_t len;

	return path ? dkt__read_file(path, SIZE_MAX, text, &len) : -ENOENT;
}

/* All or nothing: a part of the text may look like another distance. */
static int keep(struct dkt__live *live, const char *text)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained_at(live->in->spool);
	char *path __cleanup(free) = kept_path(live->in);
	int err = -ENOMEM;

	if (live->dir < 0)
		return 0;
	if (path)
		err = dkt__replace_file(path, text, strlen(text), false);
	return err ? dkt_fail(live->in->ctx, err, "keep last_boot_info: %s", strerror(-err)) : 0;
}

/* Gets the kept text, otherwise the kernel's. */
static int read_info(struct dkt_instance *in, char **text, struct dkt__last_boot *boot)
{
	int err;

	*boot = (struct dkt__last_boot){ 0 };
	if (!dkt__tfs_exists(in->ctx, "%slast_boot_info", in->prefix))
		return dkt_fail(in->ctx, -EOPNOTSUPP,
				"the buffers of the instance '%s' do not survive a reboot",
				in->name ? in->name : "");
	err = read_kept(in, text);
	if (err == -ENOENT)
		err = dkt__tfs_read(in->ctx, text, NULL, "%slast_boot_info", in->prefix);
	if (err)
		return dkt__fail_in(in->ctx, err, "read last_boot_info");
	err = dkt__last_boot_parse(*text, boot);
	if (err == -EINVAL)
		return dkt_fail(in->ctx, err,
				"last_boot_info of the instance '%s' is of unknown form",
				in->name ? in->name : "");
	return dkt__with_words(in->ctx, err);
}

static int no_records(struct dkt_instance *in)
{
	return dkt_fail(in->ctx, -ENODATA,
			"the instance '%s' has no records of the boot before this one", in->name);
}

/*
 * Tells whether all records are in the spools. The kernel of 6.12 does not tell whether there is
 * something to read.
 */
static int find_records(struct dkt_instance *in, const struct dkt__last_boot *boot, bool *kept)
{
	struct dkt_cpu_stats stats;
	struct dkt__spool_sum sum;
	uint64_t n = 0;
	int err = dkt__spool_dir_sum(in, DKT__SPOOL_LAST_BOOT, &sum);

	*kept = sum.whole;
	if (err || sum.bytes)
		return err;
	/* When all were saved, the records in the kernel are of this boot. */
	if (boot->current || sum.whole)
		return no_records(in);
	for (int cpu = 0; !err && cpu < in->cpus; cpu++) {
		err = dkt_instance_get_stats(in, cpu, &stats, sizeof(stats));
		n += err ? 0 : stats.entries;
	}
	return err || n ? err : no_records(in);
}

int dkt__instance_last_boot_get(struct dkt_instance *in, struct dkt__boot_before *out, size_t sz)
{
	dkt__needs(in ? in->ctx : NULL, dkt__blank(out, sz) && in);

	char *text __cleanup(free) = NULL;
	struct dkt__last_boot boot;
	struct dkt__boot_before mine = { 0 };
	int err = read_info(in, &text, &boot);

	if (!err)
		err = find_records(in, &boot, &mine.kept);
	if (!err) {
		mine.moved = dkt__last_boot_moved(in->ctx, &boot);
		mine.kernel = !boot.has_delta                    ? DKT__KERNEL_UNKNOWN :
			      boot.text_delta == boot.data_delta ? DKT__KERNEL_SAME :
								   DKT__KERNEL_OTHER;
	}
	dkt__last_boot_clear(&boot);
	return err ? err : dkt__fill(out, sz, &mine);
}

int dkt__instance_last_boot_find(struct dkt_ctx *ctx, char **name)
{
	dkt__needs(ctx, dkt__clear(name) && ctx);

	char *found __cleanup(free) = NULL;
	struct dkt__strings names = { 0 };
	size_t has = 0;
	int err = dkt_tracefs_open(ctx, 0);

	if (!err)
		err = dkt__tfs_list(ctx, &names, "instances");
	for (size_t i = 0; !err && i < names.n; i++) {
		char *more;

		if (!dkt__tfs_exists(ctx, "instances/%s/last_boot_info", names.list[i]))
			continue;
		more = has++ ? dkt__format("%s, %s", found, names.list[i]) : strdup(names.list[i]);
		free(found);
		found = more;
		err = more ? 0 : dkt__no_memory(ctx);
	}
	dkt__strings_clear(&names);
	if (!err && has > 1)
		return dkt_fail(ctx, -ENOTUNIQ, "several instances survive a reboot: %s", found);
	if (!err && !has)
		return dkt_fail(ctx, -ENOENT, "no instance has buffers that survive a reboot");
	*name = err ? NULL : found;
	if (!err)
		found = NULL;
	return err;
}

/* Later records in these buffers are those of this boot. */
static int fetch_pages(struct dkt__live *live)
{
	int err;

	if (dkt__whole_is(live)) {
		dkt__live_close_buffers(live, 0, live->streams.n);
		return 0;
	}
	err = dkt__live_save(live, false);
	if (!err)
		dkt__whole_mark(live);
	return err;
}

static int move_symbols(struct dkt_ctx *ctx, const struct dkt__last_boot *boot)
{
	char *modules __cleanup(free) = NULL;
	size_t len;

	if (dkt__read_file("/proc/modules", SIZE_MAX, &modules, &len))
		modules = NULL;
	return dkt__last_boot_symbols(ctx, boot, modules);
}

int dkt__last_boot_fetch(struct dkt__live *live)
{
	char *text __cleanup(free) = NULL;
	struct dkt__last_boot boot;
	bool kept;
	int err = read_info(live->in, &text, &boot);

	if (!err)
		err = find_records(live->in, &boot, &kept);
	/* The kernel forgets it as soon as an event is enabled. */
	if (!err)
		err = keep(live, text);
	if (!err)
		err = fetch_pages(live);
	if (!err)
		err = move_symbols(live->in->ctx, &boot);
	if (!err)
		err = dkt__live_learn(live);
	dkt__last_boot_clear(&boot);
	return err;
}

int dkt__instance_last_boot_mark(struct dkt_instance *in)
{
	dkt__needs(NULL, in);

	char text[sizeof(DKT__LAST_BOOT_MARK) + 24];
	int64_t wall;
	int err = dkt__instance_get_wall(in, &wall);

	if (err)
		return err;
	snprintf(text, sizeof(text), DKT__LAST_BOOT_MARK "%lld", (long long)wall);
	return dkt_instance_mark(in, text);
}

int dkt__instance_last_boot_clear(struct dkt_instance *in)
{
	dkt__needs(NULL, in);

	DKT_OPTS(dkt_live_opts, opts, .flags = DKT_LIVE_LAST_BOOT);
	char *text __cleanup(free) = NULL;
	struct dkt__last_boot boot;
	struct dkt__live *live = NULL;
	int err = read_info(in, &text, &boot);

	if (!err)
		err = dkt__live_open(in, &opts, &live);
	if (!err)
		err = keep(live, text);
	/* After the first reading, the records in the buffers are of this boot. */
	if (!err && !boot.current && !dkt__whole_is(live))
		err = dkt__buffers_clear(in);
	if (!err) {
		dkt__whole_reset(live);
		dkt__whole_mark(live);
	}
	dkt__live_free(live);
	dkt__last_boot_clear(&boot);
	return err;
}
