/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The directory of a collection: a file for each host, and the description of the whole. */
#include <fcntl.h>
#include <sys/stat.h>

#include "compat/io/output.h"
#include "ctl/collect/collect.h"
#include "lib/base/buf.h"
#include "lib/base/memory.h"
#include "lib/base/temporary.h"
#include "lib/base/when.h"

static int make_dir(struct collect *collect)
{
	struct dkt_ctx *ctx = collect->app->ctx;
	const char *path = collect->app->output;

	/* An earlier collection stays as it is. */
	if (mkdir(path, 0700))
		return dkt_fail(ctx, -errno, "create the directory %s: %s", path,
				errno == EEXIST ? "it exists; give a new name" : strerror(errno));
	collect->dir = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return collect->dir < 0 ?
		       dkt_fail(ctx, -errno, "open the directory %s: %s", path, strerror(errno)) :
		       0;
}

static int open_file(struct collect *collect, struct fleet_host *host)
{
	struct dkt_ctx *ctx = collect->app->ctx;
	char *name __cleanup(free) = NULL;

	if (collect->dir < 0) {
		host->file = dkt__temporary_file(ctx, dkt__temporary_dir());
		return host->file < 0 ? host->file : 0;
	}
	name = dkt__format("%s.%s", host->name, collect->suffix);
	if (!name)
		return dkt__no_memory(ctx);
	host->file = openat(collect->dir, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			    0600);
	return host->file < 0 ? dkt_fail(ctx, -errno, "create %s/%s: %s", collect->app->output,
					 name, strerror(errno)) :
				0;
}

int collect_open(struct collect *collect)
{
	int err = collect->app->output ? make_dir(collect) : 0;

	for (size_t i = 0; !err && i < collect->fleet.n; i++)
		err = open_file(collect, &collect->fleet.hosts[i]);
	return err;
}

/* ---- the description ---- */

static char *copy(const char *text, int *err)
{
	char *mine = text ? strdup(text) : NULL;

	if (text && !mine)
		*err = -ENOMEM;
	return mine;
}

static const char *state_of(const struct fleet_host *host)
{
	static const char *const states[] = {
		[FLEET_WAITING] = "connecting", [FLEET_CONNECTING] = "connecting",
		[FLEET_RUNNING] = "running",    [FLEET_BROKEN] = "broken",
		[FLEET_ENDED] = "complete",     [FLEET_FAILED] = "failed",
	};

	return states[host->state];
}

static char *number_of(const struct collect *collect, const struct fleet_host *host)
{
	if (!collect->numbers)
		return NULL;
	return dkt__format("%016llx",
			   (unsigned long long)collect->numbers[host - collect->fleet.hosts]);
}

/* The trips stay the fleet's, which outlives the description. */
static int describe_host(const struct collect *collect, const struct fleet_host *host,
			 struct collection_host *about)
{
	int err = 0;

	*about =
		(struct collection_host){ .name = copy(host->name, &err),
					  .file = dkt__format("%s.%s", host->name, collect->suffix),
					  .state = copy(state_of(host), &err),
					  .message = copy(host->message, &err),
					  .hostname = copy(host->hostname, &err),
					  .boot = copy(host->boot, &err),
					  .version = copy(host->version, &err),
					  .wall_error = copy(host->wall_error, &err),
					  .load = number_of(collect, host),
					  .status = host->status,
					  .bytes = host->bytes,
					  .breaks = host->breaks,
					  .clock = host->clock };
	return about->file && (about->load || !collect->numbers) ? err : -ENOMEM;
}

int64_t collect_wall_offset(void)
{
	const int64_t wall = dkt__wall_ns();

	return wall - (int64_t)dkt__monotonic_ns();
}

static int fill(struct collect *collect, bool ended)
{
	struct collection *about = &collect->about;
	int err = 0;

	if (!about->began) {
		about->wall = collect_wall_offset();
		about->began = (int64_t)dkt__monotonic_ns() + about->wall;
		err = dkt__strings_copy(&about->command, &collect->args);
	}
	about->ended = ended ? (int64_t)dkt__monotonic_ns() + about->wall : 0;
	about->hosts = err ? NULL : calloc(collect->fleet.n, sizeof(*about->hosts));
	if (!about->hosts)
		return -ENOMEM;
	about->n = collect->fleet.n;
	for (size_t i = 0; !err && i < about->n; i++)
		err = describe_host(collect, &collect->fleet.hosts[i], &about->hosts[i]);
	return err;
}

void collect_forget(struct collect *collect)
{
	struct dkt__strings command = collect->about.command;
	const int64_t began = collect->about.began, wall = collect->about.wall;

	for (size_t i = 0; i < collect->about.n; i++)
		collect->about.hosts[i].clock = (struct clock){ 0 };
	collect->about.command = (struct dkt__strings){ 0 };
	collection_clear(&collect->about);
	collect->about.command = command;
	collect->about.began = began;
	collect->about.wall = wall;
}

int collect_describe(struct collect *collect, bool ended)
{
	struct dkt_ctx *ctx = collect->app->ctx;
	char *path __cleanup(free) = NULL;
	int err;

	if (collect->dir < 0)
		return 0;
	collect_forget(collect);
	err = fill(collect, ended);
	if (err)
		return dkt__no_memory(ctx);
	/* Fitting takes a millisecond for each host; whoever reads the file fits anyway. */
	if (ended)
		err = collection_fit(ctx, &collect->about);
	path = dkt__format("%s/" COLLECTION_NAME, collect->app->output);
	if (!path)
		return dkt__no_memory(ctx);
	if (!err)
		err = collection_write(ctx, &collect->about, path);
	for (size_t i = 0; !err && i < collect->fleet.n; i++)
		collect->fleet.hosts[i].described = collect->fleet.hosts[i].state;
	return err;
}
