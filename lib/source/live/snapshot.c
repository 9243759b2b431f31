/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Snapshots: a second set of buffers, which the kernel swaps with those that it records to. Reading
 * it removes its records, so they move to spools of their own.
 */
#include <fcntl.h>

#include "lib/instance.h"
#include "lib/source/live.h"
#include "lib/tracefs.h"

/* The words that the kernel's file takes. */
#define WORD_FREE  "0"
#define WORD_TAKE  "1"
#define WORD_CLEAR "2"

static int check_file(struct dkt_instance *in)
{
	if (dkt__tfs_exists(in->ctx, "%ssnapshot", in->prefix))
		return 0;
	if (dkt__tfs_exists(in->ctx, "%slast_boot_info", in->prefix))
		return dkt_fail(
			in->ctx, -EOPNOTSUPP,
			"the kernel takes no snapshots of '%s', whose buffers survive a reboot",
			in->name);
	return dkt_fail(in->ctx, -EOPNOTSUPP, "this kernel has no snapshots");
}

/*
 * Reads the state from the head of the file: the rest is the text of all records. The head of a
 * snapshot without records says whether it has memory.
 */
static int kernel_state(struct dkt_instance *in, enum dkt__snapshot_state *state)
{
	int fd __cleanup(close) = -1;
	char head[512];
	size_t have = 0;
	ssize_t n = 1;
	int err = check_file(in);

	*state = DKT__SNAPSHOT_NONE;
	if (err)
		return err;
	fd = dkt__tfs_open(in->ctx, O_RDONLY, "%ssnapshot", in->prefix);
	if (fd < 0)
		return fd;
	while (n > 0 && have < sizeof(head) - 1) {
		n = read(fd, head + have, sizeof(head) - 1 - have);
		if (n < 0)
			return dkt_fail(in->ctx, -errno, "read %ssnapshot: %s", in->prefix,
					strerror(errno));
		have += (size_t)n;
	}
	head[have] = '\0';
	if (!strstr(head, "* Snapshot is freed *"))
		*state = strstr(head, "* Snapshot is allocated *") ? DKT__SNAPSHOT_EMPTY :
								     DKT__SNAPSHOT_FULL;
	return 0;
}

int dkt__instance_snapshot_get(struct dkt_instance *in, enum dkt__snapshot_state *state)
{
	dkt__needs(in ? in->ctx : NULL, dkt__clear(state) && in);

	struct dkt__spool_sum sum = { 0 };
	int err = kernel_state(in, state);

	if (!err && *state == DKT__SNAPSHOT_EMPTY)
		err = dkt__spool_dir_sum(in, DKT__SPOOL_SNAPSHOT, &sum);
	if (sum.bytes)
		*state = DKT__SNAPSHOT_FULL;
	return err;
}

/* Has the kernel act on its snapshot; records of the earlier one are forgotten. */
static int change(struct dkt_instance *in, const char *word, const char *then)
{
	DKT_OPTS(dkt_live_opts, opts, .flags = DKT_LIVE_SNAPSHOT);
	struct dkt__live *live = NULL;
	int err = in->spool ? dkt__live_open(in, &opts, &live) : 0;

	if (!err && word)
		err = dkt__tfs_set(in->ctx, word, "%ssnapshot", in->prefix);
	if (!err && then)
		err = dkt__tfs_set(in->ctx, then, "%ssnapshot", in->prefix);
	if (!err && live)
		dkt__whole_reset(live);
	dkt__live_free(live);
	return err;
}

int dkt_instance_snapshot_take(struct dkt_instance *in)
{
	dkt__needs(NULL, in);

	enum dkt__snapshot_state state;
	int err = kernel_state(in, &state);

	/* The kernel would go on recording behind the records of an earlier snapshot. */
	if (!err)
		err = change(in, state == DKT__SNAPSHOT_NONE ? NULL : WORD_CLEAR, WORD_TAKE);
	if (err == -ENOMEM)
		return dkt_fail(
			in->ctx, err,
			"take a snapshot: the kernel has no memory for as many buffers again");
	return err ? dkt__fail_in(in->ctx, err, "take a snapshot") : 0;
}

int dkt_instance_snapshot_free(struct dkt_instance *in)
{
	dkt__needs(NULL, in);

	int err = check_file(in);

	if (!err)
		err = change(in, WORD_FREE, NULL);
	return err ? dkt__fail_in(in->ctx, err, "free the snapshot") : 0;
}

int dkt__snapshot_fetch(struct dkt__live *live)
{
	enum dkt__snapshot_state state;
	int err = kernel_state(live->in, &state);

	if (err)
		return err;
	/* The kernel has another snapshot than the one that was read. */
	if (state == DKT__SNAPSHOT_FULL && dkt__whole_is(live))
		dkt__whole_reset(live);
	err = dkt__live_save(live, false);
	if (!err)
		dkt__whole_mark(live);
	return err;
}

int dkt__snapshot_any(struct dkt_instance *in, bool *any)
{
	enum dkt__snapshot_state state;
	int err = dkt__instance_snapshot_get(in, &state);

	*any = !err && state == DKT__SNAPSHOT_FULL;
	if (err != -EOPNOTSUPP)
		return err;
	free(dkt__error_take(in->ctx));
	return 0;
}

int dkt__snapshot_save(struct dkt_instance *in)
{
	DKT_OPTS(dkt_live_opts, opts, .flags = DKT_LIVE_KEEP | DKT_LIVE_SNAPSHOT);
	struct dkt__live *live = NULL;
	bool any;
	int err = dkt__snapshot_any(in, &any);

	if (!err && any)
		err = dkt__live_open(in, &opts, &live);
	if (!err && live)
		err = dkt__snapshot_fetch(live);
	dkt__live_free(live);
	return err;
}
