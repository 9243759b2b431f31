/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* status: shows the settings, how full the buffers are, and how many records were lost. */
#include <fcntl.h>

#include "compat/apply/drift.h"
#include "compat/log/leftover.h"
#include "ctl/app/commands.h"
#include "ctl/cmd/status.h"
#include "lib/inside.h"

/* ---- CPUs ---- */

#define SYS_CPU "/sys/devices/system/cpu"

/* tracefs has a buffer for every possible CPU, sysfs a directory for every CPU that is present. */
static bool is_offline(int cpu)
{
	char path[64], state = '1';
	int fd;

	snprintf(path, sizeof(path), SYS_CPU "/cpu%d", cpu);
	if (access(SYS_CPU, F_OK))
		return false;
	if (access(path, F_OK))
		return true;
	/* A CPU that cannot be taken offline has no such file. */
	snprintf(path, sizeof(path), SYS_CPU "/cpu%d/online", cpu);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (read(fd, &state, 1) != 1)
		state = '1';
	close(fd);
	return state == '0';
}

static int read_cpus(const struct app *app, struct debuglog *log, struct status *status)
{
	int err = 0;

	status->n_cpus = dkt_instance_n_cpus(log->in);
	status->cpus = calloc((size_t)status->n_cpus, sizeof(*status->cpus));
	if (!status->cpus)
		return -ENOMEM;
	for (int cpu = 0; !err && cpu < status->n_cpus; cpu++) {
		err = dkt_instance_get_stats(log->in, cpu, &status->cpus[cpu].stats,
					     sizeof(status->cpus[cpu].stats));
		/* A saved tree may be of another machine. */
		status->cpus[cpu].offline = !app->root && is_offline(cpu);
	}
	return err;
}

/* ---- all ---- */

static void status_clear(struct status *status)
{
	free(status->clock);
	free(status->left);
	free(status->drift);
	dkl_sources_clear(status->sources);
	free(status->cpus);
}

static int read_status(const struct app *app, struct debuglog *log, struct status *status)
{
	struct dkt_event *const *on;
	int err;

	*status = (struct status){ .started = log->in, .filtered = log->set.filtered.n };
	err = *dkt_tracefs_dir(log->ctx) ? dkl_leftovers_list(log->ctx, log->name, &status->left) :
					   0;
	if (err || !log->in)
		return err;
	err = dkl_recording_get(log, &status->recording);
	if (!err)
		err = dkt_instance_get_size(log->in, &status->size);
	if (!err)
		err = dkt_instance_get_clock(log->in, &status->clock);
	if (!err)
		err = dkl_debuglog_on(log, &on, &status->events_on);
	if (!err)
		err = dkt__spool_bytes(log->in, &status->kept);
	if (!err)
		err = dkl_debuglog_sources(log, status->sources);
	if (!err)
		err = dkl_debuglog_drift(log, &status->drift);
	/* A kernel may have no snapshots. */
	if (!err && dkt_instance_snapshot_get(log->in, &status->snapshot))
		status->snapshot = DKT_SNAPSHOT_NONE;
	return err ? err : read_cpus(app, log, status);
}

int cmd_status(struct app *app, int argc, char **argv)
{
	struct status status = { 0 };
	struct debuglog *log;
	int err;

	(void)argc, (void)argv;
	if (dkl_debuglog_open(app->ctx, app->instance, 0, &log))
		return app_fail(app);
	err = read_status(app, log, &status);
	if (!err)
		err = status_print(app, log, &status);
	status_clear(&status);
	dkl_debuglog_close(log);
	return err ? app_fail(app) : 0;
}
