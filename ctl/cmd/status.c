/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* status: shows the settings, how full the buffers are, and how many records were lost. */
#include <fcntl.h>
#include <inttypes.h>

#include "compat/apply/apply.h"
#include "compat/log/debuglog.h"
#include "compat/log/directory.h"
#include "compat/log/probe_list.h"
#include "compat/lustre/mask.h"
#include "compat/set/functions.h"
#include "compat/set/param.h"
#include "compat/set/param/debug_words.h"
#include "compat/set/sources.h"
#include "ctl/app/app.h"
#include "ctl/app/commands.h"
#include "ctl/app/print.h"
#include "lib/base/buf.h"
#include "lib/base/parse.h"
#include "lib/inside.h"

struct status_cpu {
	struct dkt_cpu_stats stats;
	bool offline; /* now; its buffer can still be read */
};

struct status {
	bool started;
	struct recording recording;
	struct dkt_instance_info info;
	size_t events_on;
	size_t filtered; /* events with a filter */
	enum dkt__snapshot_state snapshot;
	uint64_t kept; /* bytes in the spool, which show has read and the next dk prints */
	struct source_state sources[SOURCES];
	char *left; /* the instances of killed commands; NULL: none */
	char *drift; /* a line for each difference to the kernel; NULL: none */
	struct status_cpu *cpus;
	int n_cpus;
};

/* The width of the column of labels. */
#define LABELS 17

/* Text shows at most so many filters and triggers. */
#define MAX_SHOWN 5

#define ATTENTION "attention"

/* ---- the instance ---- */

static const char *state_of(const struct debuglog *log, const struct status *status)
{
	const struct recording *now = &status->recording;

	if (!status->started)
		return log->set.has_instance ?
			       "removed by another program; set_param creates it again" :
			       "not started: set_param debug=... starts it";
	if (!now->borrowed || now->on == now->top_on)
		return now->on ? "recording" : "stopped: tracing_on is 0; dktrace start sets it";
	return now->on ? "recording, but no entry and exit of functions: tracing_on of the top"
			 " instance is 0; dktrace start sets it" :
			 "stopped, but the top instance still records entry and exit of functions;"
			 " dktrace stop stops it";
}

static void put_instance(struct out *out, const struct debuglog *log, const struct status *status)
{
	out_line(out, "instance", "%s (%s)", log->name, state_of(log, status));
	out_put(out, "instance", val_text(log->name));
	out_put(out, "started", val_bool(status->started));
	out_put(out, "recording", val_bool(status->recording.on));
	if (status->recording.borrowed)
		out_put(out, "recording_top", val_bool(status->recording.top_on));
	out_put(out, "interrupted", val_bool(log->interrupted));
	if (log->interrupted)
		out_line(out, ATTENTION,
			 "the last change was interrupted; the next change, or reset, undoes it");
	out_put(out, "rebuilt", val_bool(log->rebuilt));
	if (log->rebuilt)
		out_line(out, ATTENTION,
			 "the file of settings is missing; this is the state of the kernel");
	out_put(out, "left_over", val_text(status->left));
	if (status->left)
		out_line(out, ATTENTION,
			 "commands that were killed left %s; the next change, hist or latency, or"
			 " dktrace reset, removes it",
			 status->left);
}

/* Prints each change in the kernel on a line. */
static void put_drift(struct out *out, const struct status *status)
{
	struct json_object *changes = json_object_new_array();
	const char *line = status->drift;

	for (; line && *line; line += strcspn(line, "\n"), line += *line != '\0') {
		int len = (int)strcspn(line, "\n");

		out_line(out, ATTENTION, "%.*s", len, line);
		json_object_array_add(changes, json_object_new_string_len(line, len));
	}
	out_put(out, "changes", changes);
}

/* ---- settings ---- */

/* Prints "all" for all bits, and one space where lctl prints two: for a bit without a name. */
static void make_readable(char *value)
{
	char all[MASK_TEXT_SIZE];
	char *to = value;

	for (enum mask_kind kind = MASK_DEBUG; kind <= MASK_PRINTK; kind++) {
		dkl_mask_format(kind, UINT32_MAX, all);
		if (!strcmp(value, all))
			memcpy(value, "all", sizeof("all"));
	}
	for (char *from = value; *from; from++)
		if (from[0] != ' ' || from[1] != ' ')
			*to++ = *from;
	*to = '\0';
}

/* The classes of debug; the events that it names are a row of their own. */
static int get_param(struct debuglog *log, const struct param *param, char **value)
{
	char mask[MASK_TEXT_SIZE];

	if (!dkl_param_is_mask(param))
		return dkl_param_get(log, param, value);
	dkl_mask_format(dkl_param_mask_kind(param),
			*dkl_settings_mask(&log->set, dkl_param_mask_kind(param)), mask);
	*value = strdup(mask);
	return *value ? 0 : -ENOMEM;
}

static void put_named(struct out *out, const struct settings *set)
{
	char *events __cleanup(free) = dkl_debug_words_text(set);
	struct json_object *list;

	if (!set->events.n)
		return;
	list = json_object_new_array();
	for (size_t i = 0; list && i < set->events.n; i++)
		json_object_array_add(list, json_object_new_string(set->events.list[i]));
	out_put(out, "named_events", list);
	if (events)
		out_text(out, "named events", events);
}

static void put_params(struct out *out, struct debuglog *log)
{
	const struct param *param = NULL;

	while ((param = dkl_param_next(param))) {
		const char *name = dkl_param_name(param);
		char *value __cleanup(free) = NULL;

		if (get_param(log, param, &value)) {
			out_line(out, name, "?");
			continue;
		}
		if (!strcmp(name, "debug_mb") || !strcmp(name, "debug_user_data"))
			out_put(out, name, val_number(dkt__line_u64(value, "")));
		else
			out_put(out, name, val_text(value));
		if (strcmp(name, "debug_filter"))
			make_readable(value);
		out_line(out, name, "%s", value);
	}
}

/* Prints a line of text with the first entries, and a table of all for programs. */
static void put_entries(struct out *out, const struct entries *entries, const char *name,
			const struct column columns[2])
{
	struct rows *rows = rows_new(name, columns, 2);
	char *text __cleanup(free) = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	for (size_t i = 0; f && i < entries->n; i++) {
		const struct entry *entry = &entries->list[i];

		rows_add(rows, val_text(entry->events), val_text(entry->text));
		if (i < MAX_SHOWN)
			fprintf(f, "%s%s %s", i ? "; " : "", entry->events, entry->text);
	}
	if (f && entries->n > MAX_SHOWN)
		fprintf(f, " and %zu more", entries->n - MAX_SHOWN);
	if (f && !fclose(f))
		out_text(out, name, text);
	out_data(out, rows);
}

static void put_limits(struct out *out, const struct settings *set)
{
	static const struct column filters[] = { { .key = "events" }, { .key = "filter" } };
	static const struct column triggers[] = { { .key = "event" }, { .key = "trigger" } };
	char *functions __cleanup(free) = dkl_functions_text(set);
	char *pids __cleanup(free) = dkl_threads_text(&set->threads, set->children);
	struct json_object *list = pids ? json_object_new_array() : NULL;

	for (size_t i = 0; list && i < set->threads.n; i++)
		json_object_array_add(list, json_object_new_int(set->threads.list[i]));
	out_put(out, "pids", list);
	out_put(out, "children", val_bool(set->children));
	out_text(out, "pids", pids);
	out_put(out, "cpus_recorded", val_text(set->cpus));
	out_text(out, "cpus", set->cpus);
	out_field(out, "functions", functions);
	put_entries(out, &set->rules, "filters", filters);
	put_entries(out, &set->triggers, "triggers", triggers);
}

/* "dktrace:vfs_read (enabled), dktrace:vfs_write (disabled)" */
static void put_probes(struct out *out, struct debuglog *log)
{
	static const struct column columns[] = { { .key = "probe" },
						 { .key = "on", .type = COL_BOOL } };
	struct rows *rows = rows_new("probes", columns, ARRAY_SIZE(columns));
	size_t len, n = dkl_probes_load(log) ? 0 : log->probes->n;
	char *text __cleanup(free) = NULL;
	FILE *f = open_memstream(&text, &len);

	for (size_t i = 0; f && i < n; i++) {
		const struct dkt_probe *probe = probes_at(log->probes, i);
		bool on = log->probes->list[i].state == PROBE_ON;
		char name[256];

		snprintf(name, sizeof(name), "%s:%s", probe->group, probe->name);
		rows_add(rows, val_text(name), val_bool(on));
		fprintf(f, "%s%s (%s)", i ? ", " : "", name, on ? "enabled" : "disabled");
	}
	if (f && !fclose(f))
		out_text(out, "probes", text);
	out_data(out, rows);
}

/* Names the instance in which hist --keep counts. */
static void put_hist(struct out *out, const struct debuglog *log)
{
	char *name __cleanup(free) = dkt__format("%s-hist", log->name);
	struct dkt_instance *in = NULL;
	bool kept;

	kept = name && !dkt_instance_open(log->ctx, name, NULL, &in);
	dkt_instance_close(in);
	out_put(out, "histograms", val_text(kept ? name : NULL));
	if (kept)
		out_line(out, "histograms", "kept in the instance %s; 'dktrace hist' shows them",
			 name);
}

/* ---- buffers ---- */

static void put_buffers(struct out *out, const struct status *status)
{
	char offline[40] = "";
	int n = 0;

	for (int cpu = 0; cpu < status->n_cpus; cpu++)
		n += status->cpus[cpu].offline;
	if (n)
		snprintf(offline, sizeof(offline), ", %d of them offline", n);
	out_put(out, "events_on", val_number(status->events_on));
	out_put(out, "events_filtered", val_number(status->filtered));
	out_line(out, "events", "%zu enabled, %zu with a filter", status->events_on,
		 status->filtered);
	out_put(out, "buffer_bytes", val_number(status->info.bytes));
	out_put(out, "clock", val_text(status->info.clock));
	out_line(out, "buffers", "%.1f MB for %d CPU%s%s, clock %s",
		 (double)status->info.bytes / DKT__MB, status->n_cpus,
		 status->n_cpus == 1 ? "" : "s", offline, status->info.clock);
	out_put(out, "kept_bytes", val_number(status->kept));
	if (status->kept)
		out_line(out, "kept", "%" PRIu64 " KB read already, which the next dk prints too",
			 (status->kept + 1023) >> 10);
}

static void put_snapshot(struct out *out, const struct status *status)
{
	const bool full = status->snapshot == DKT__SNAPSHOT_FULL;

	if (status->snapshot == DKT__SNAPSHOT_NONE)
		return;
	out_put(out, "snapshot", val_text(full ? "taken" : "empty"));
	out_line(
		out, "snapshot", "%s",
		full ? "taken; dktrace snapshot show prints it, snapshot free gives its memory back" :
		       "empty; dktrace snapshot free gives its memory back");
}

static bool same_note(const struct source_state *a, const struct source_state *b)
{
	return !a->used && !b->used && !strcmp(a->note, b->note);
}

/* In text, unused sources with the same note share a line. */
static void put_sources(struct out *out, const struct status *status)
{
	static const struct column columns[] = { { .key = "source" },
						 { .key = "used", .type = COL_BOOL },
						 { .key = "note" } };
	struct rows *rows = rows_new("sources", columns, ARRAY_SIZE(columns));
	const struct source_state *source = status->sources;
	const struct source_state *end = source + (status->started ? SOURCES : 0);
	const char *label = "sources";
	char names[128] = "";
	size_t len = 0;

	for (; source < end; source++) {
		rows_add(rows, val_text(source->name), val_bool(source->used),
			 val_text(source->note));
		len += (size_t)snprintf(names + len, sizeof(names) - len, "%s%s", len ? ", " : "",
					source->name);
		if (source + 1 < end && same_note(source, source + 1))
			continue;
		out_line(out, label, "%s: %s%s", names,
			 source->used ? "" : "not used: ", source->note);
		label = "";
		len = 0;
	}
	out_data(out, rows);
}

static void put_cpus(struct out *out, const struct status *status)
{
	static const struct column columns[] = {
		{ .key = "cpu", .type = COL_NUMBER },
		{ .key = "online", .type = COL_BOOL, .flags = COL_DATA },
		{ .key = "records", .type = COL_NUMBER },
		{ .key = "bytes", .type = COL_NUMBER },
		{ .key = "read", .type = COL_NUMBER },
		{ .key = "overwritten", .type = COL_NUMBER },
		{ .key = "dropped", .type = COL_NUMBER },
		{ .key = "lost", .type = COL_NUMBER, .flags = COL_DATA },
	};
	struct rows *rows = rows_new("cpus", columns, ARRAY_SIZE(columns));

	for (int cpu = 0; cpu < status->n_cpus; cpu++) {
		const struct dkt_cpu_stats *s = &status->cpus[cpu].stats;
		uint64_t dropped = s->commit_overrun + s->dropped;

		rows_add(rows, val_number((uint64_t)cpu), val_bool(!status->cpus[cpu].offline),
			 val_number(s->entries), val_number(s->bytes), val_number(s->read),
			 val_number(s->overrun), val_number(dropped),
			 val_number(s->overrun + dropped));
	}
	out_rows(out, rows);
}

/* Prints the state on stdout. Returns 0 or -ENOMEM. */
static int status_print(const struct app *app, struct debuglog *log, const struct status *status)
{
	struct out out;

	print_begin(app, &out, LABELS);
	put_instance(&out, log, status);
	put_drift(&out, status);
	put_params(&out, log);
	put_named(&out, &log->set);
	put_limits(&out, &log->set);
	put_probes(&out, log);
	put_hist(&out, log);
	if (status->started)
		put_buffers(&out, status);
	put_snapshot(&out, status);
	put_sources(&out, status);
	put_cpus(&out, status);
	return out_end(&out);
}

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
		err = dkt_instance_info(log->in, &status->info, sizeof(status->info));
	if (!err)
		err = dkl_debuglog_on(log, &on, &status->events_on);
	if (!err)
		err = dkt__spool_bytes(log->in, &status->kept);
	if (!err)
		err = dkl_debuglog_sources(log, status->sources);
	if (!err)
		err = dkl_debuglog_drift(log, &status->drift);
	/* A kernel may have no snapshots. */
	if (!err && dkt__instance_snapshot_get(log->in, &status->snapshot))
		status->snapshot = DKT__SNAPSHOT_NONE;
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
