/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* recover: completes a recording whose writer was killed. */
#include <fcntl.h>
#include <inttypes.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "compat/pipeline/losses.h"
#include "ctl/app/commands.h"
#include "ctl/app/groups.h"
#include "ctl/app/print.h"
#include "ctl/app/privileges.h"
#include "lib/inside.h"
#include "recording/record/complete.h"

OPT_TABLE(recover,
	{ "compression", 0, "NAME", AT(sink, compression), "write the records with zstd, zlib or none (default: as they are)", .check = value_compression, .words = value_compressions },
	{ "output", 'o', "FILE", AT_APP(output), "write to FILE (default: in place of the recording)" },
);

/* Facts to tell once the recording is complete. */
struct facts {
	uint64_t bytes, lost;
	char *damage;
	uint64_t messages, others; /* that probes missed, as in struct losses */
};

static int open_file(struct app *app, const char *path)
{
	int open_fd = privileges_file(app, path) - 1;
	int fd = open_fd >= 0 ? fcntl(open_fd, F_DUPFD_CLOEXEC, 0) :
				open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (fd < 0)
		return dkt_fail(app->ctx, -errno, "open %s: %s", path, strerror(errno));
	if (!flock(fd, LOCK_EX | LOCK_NB))
		return fd;
	/* NFS gives this lock only to who can write; the other one shows a recorder, too. */
	if (errno != EWOULDBLOCK && (!flock(fd, LOCK_SH | LOCK_NB) || errno != EWOULDBLOCK))
		return fd;
	close(fd);
	return dkt_fail(app->ctx, -EBUSY,
			"recover %s: it is being written; stop the recording first", path);
}

/* Opens the file for writing too. Returns -1 if that cannot be. */
static int open_to_write(const char *path, int fd)
{
	int other = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat a, b;

	if (other >= 0 && !fstat(fd, &a) && !fstat(other, &b) && a.st_dev == b.st_dev &&
	    a.st_ino == b.st_ino)
		return other;
	if (other >= 0)
		close(other);
	return -1;
}

/* Adds the records that the killed command's instance still holds. */
static int rescue(struct app *app, const char *path, int fd)
{
	int write_fd __cleanup(close) = open_to_write(path, fd);
	uint64_t records;
	int err = dkt__recorder_rescue(app->ctx, write_fd < 0 ? fd : write_fd, &records);

	if (!err)
		app_say("%s: %" PRIu64 " records were still in the kernel", path, records);
	/* The records that the file has can be saved in any case. */
	if (err == -ENOENT || err == -EACCES || err == -EPERM) {
		app_say("%s: the records of its last moment are missing: %s", path,
			dkt_error(app->ctx));
		return 0;
	}
	return err < 0 ? dkt__fail_in(app->ctx, err, "recover %s", path) : 0;
}

static int take_facts(struct facts *facts, struct dkt_source *source)
{
	const struct dkt_source_info *info = dkt_source_info(source);
	struct dkt_loss loss;
	uint64_t done = 0;
	int err = dkt__source_get_bytes(source, &done, &facts->bytes);

	for (int cpu = 0; !err && cpu < info->cpus; cpu++) {
		err = dkt_source_get_loss(source, cpu, &loss, sizeof(loss));
		facts->lost += err ? 0 : loss.lost;
	}
	dkl_losses_add_missed(dkt__source_missed(source), &facts->messages, &facts->others);
	facts->damage = info->damage ? strdup(info->damage) : NULL;
	return err ?: info->damage && !facts->damage ? -ENOMEM : 0;
}

/* Reads the facts by a context of its own, because the file defines events. */
static int read_facts(struct app *app, const char *path, int fd, struct facts *facts)
{
	DKT_OPTS(dkt_source_opts, opts, .flags = DKT_SOURCE_ALL, .name = path, .fd = fd + 1);
	struct dkt_source *source;
	struct dkt_ctx *ctx;
	int err = app_new_ctx(app, NULL, &ctx);

	if (err)
		return err;
	err = dkt_source_open(ctx, path, &opts, &source);
	if (!err) {
		err = take_facts(facts, source);
		dkt_source_close(source);
	}
	if (err)
		dkt_fail(app->ctx, err, "%s", dkt_error(ctx));
	dkt_ctx_free(ctx);
	return err;
}

static int report(const char *path, const struct facts *facts)
{
	bool lost;

	app_say("%s: %.1f MB of records are complete", path, (double)facts->bytes / DKT__MB);
	if (facts->damage)
		app_say("%s: %s", path, facts->damage);
	if (facts->lost)
		app_say("%s: %" PRIu64 " records were lost during the recording", path,
			facts->lost);
	lost = dkl_losses_report_missed(facts->messages, facts->others, "dktrace", path);
	return lost || facts->lost ? EXIT_LOST : 0;
}

int cmd_recover(struct app *app, int argc, char **argv)
{
	const char *path = argv[1], *to = app->output ? app->output : path;
	struct outfile out = { .fd = -1, .placer = &app->placer };
	struct facts facts = { 0 };
	int fd __cleanup(close) = open_file(app, path), err, rc;

	(void)argc;
	err = fd < 0 ? fd : rescue(app, path, fd);
	if (!err)
		err = read_facts(app, path, fd, &facts);
	if (!err)
		err = capture_complete_as(app->ctx, path, fd, to, OPT(app, sink)->compression,
					  &out);
	if (err == 1)
		app_say("%s is not an incomplete recording: there is nothing to recover", path);
	print_kept(to, out.kept);
	dkl_outfile_close(&out);
	rc = err < 0 ? app_fail(app) : err ? 0 : report(to, &facts);
	free(facts.damage);
	return rc;
}
