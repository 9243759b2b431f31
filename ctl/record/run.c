/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs a recording: sets up its instance, moves the records to the file, and ends it. */
#include <inttypes.h>
#include <sys/resource.h>

#include "compat/io/output.h"
#include "compat/pipeline/losses.h"
#include "ctl/app/print.h"
#include "ctl/record/record.h"
#include "recording/record/complete.h"
#include "recording/record/size.h"

/* How often all records go to the file, which bounds what a power failure can cost, in s. */
#define EACH 1.0

/* The reader's priority: above that of a workload which leaves no CPU idle. */
#define NICE (-10)

/* How often a command is asked whether it has ended, in ms. */
#define LOOK_MS 50

/* ---- the line that a terminal shows: rates, sizes, losses, time left ---- */

struct line {
	bool on; /* standard error is a terminal */
	double last;
	struct dkt_recorder_counts before;
};

/* Prints how long the disk will do at this rate. */
static void print_left(double seconds)
{
	if (seconds < 120)
		fprintf(stderr, ", disk full in %.0f s", seconds);
	else if (seconds < 2 * 3600)
		fprintf(stderr, ", disk full in %.0f min", seconds / 60);
	else if (seconds < 48 * 3600)
		fprintf(stderr, ", disk full in %.0f h", seconds / 3600);
	/* Beyond two days the rate of one second says little. */
}

static void line_begin(struct line *line)
{
	*line = (struct line){ .on = isatty(STDERR_FILENO), .last = live_now() };
}

/* Shows rates since the last call. */
static void line_show(struct line *line, const struct record *record)
{
	struct dkt_recorder_counts now;
	double time = live_now(), span = time - line->last, rate;
	uint64_t room;

	if (!line->on || span <= 0 || dkt_recorder_get_counts(record->recorder, &now, sizeof(now)))
		return;
	rate = (double)(now.bytes - line->before.bytes) / span;
	room = capture_file_room(&record->file);
	fprintf(stderr, "\r%.0f s: ", time - record->from);
	progress_amount((double)(now.records - line->before.records) / span, " events/s");
	fprintf(stderr, ", ");
	progress_amount(rate, "B/s");
	fprintf(stderr, ", ");
	progress_amount((double)now.bytes, "B");
	fprintf(stderr, ", %" PRIu64 " lost", now.lost);
	if (room != UINT64_MAX && rate > 0)
		print_left((double)room / rate);
	fprintf(stderr, "\033[K");
	line->before = now;
	line->last = time;
}

static void line_end(struct line *line)
{
	if (line->on)
		fprintf(stderr, "\r\033[K");
	line->on = false;
}

/* ---- setting up ---- */

static int enable_events(struct record *record)
{
	struct dkt_change *change;
	int err = dkt_change_new(record->in, &change);

	if (!err)
		err = dkl_wanted_apply(record->wanted, change);
	if (!err && record->spawn.pid && !OPT(record->app, record)->all)
		err = dkt_change_pids(change, &record->spawn.pid, 1, true);
	if (!err)
		err = dkt_change_commit(change);
	dkt_change_free(change);
	return err;
}

/* The part of the limit of ulimit -f that is kept for the end of the file: one in so many bytes. */
#define ENDING_PART 16

/* The process's limit for files is one for the recording, too. */
static void limit_size(struct record *record)
{
	struct rlimit limit;

	if (!record->file.regular || getrlimit(RLIMIT_FSIZE, &limit) ||
	    limit.rlim_cur == RLIM_INFINITY)
		return;
	limit.rlim_cur -= limit.rlim_cur / ENDING_PART;
	if (record->max_bytes && record->max_bytes <= limit.rlim_cur)
		return;
	record->max_bytes = DKT__MAX(limit.rlim_cur, 1);
	record->by_ulimit = true;
}

/* Returns how many bytes the file may still grow, and notes what will stop it. */
static uint64_t find_room(void *data, uint64_t written)
{
	struct record *record = data;
	uint64_t room = capture_file_room(&record->file);

	record->limit = "the disk is full up to the part that stays free for other programs";
	if (!record->max_bytes || record->max_bytes >= written + room)
		return room;
	record->limit = record->by_ulimit ? "the file has reached the limit of 'ulimit -f'" :
					    "the file has reached --max-size";
	return record->max_bytes > written ? record->max_bytes - written : 0;
}

static int open_recorder(struct record *record)
{
	DKT_OPTS(dkt_recorder_opts, opts, .flags = DKT_RECORDER_SKIP_SELF,
		 .compression = OPT(record->app, record)->compression, .room = find_room,
		 .data = record);
	int err = capture_set_size(record->in, record->buffer);

	if (!err)
		err = dkt_recorder_new(record->ctx, &opts, &record->recorder);
	return err ? err : dkt_recorder_add(record->recorder, record->in, "");
}

/* The least room for records, in bytes: some pages, and the names and marks that follow them. */
#define LEAST (256 << 10)

/* Refuses a limit that has no room for records, before the first is recorded. */
static int check_max_size(struct record *record)
{
	struct dkt_recorder_counts counts;
	int err = dkt_recorder_get_counts(record->recorder, &counts, sizeof(counts));

	if (err || !record->max_bytes || record->max_bytes >= counts.bytes + LEAST)
		return err;
	return dkt_fail(record->ctx, -EFBIG,
			"%s%s leaves no room for records: the file begins with %.1f MB of names"
			" and formats",
			record->by_ulimit ? "" : "--max-size: ",
			record->by_ulimit ? "'ulimit -f'" : OPT(record->app, record)->max_size,
			(double)counts.bytes / DKT__MB);
}

/* Prepares everything, so that recording can begin at one moment. */
static int set_up(struct record *record)
{
	char *name __cleanup(free) = live_name(record->app, "record");
	int err = name ? dkt_instance_own(record->ctx, name, &record->in) : -ENOMEM;

	if (!err)
		err = dkt_instance_set_on(record->in, false);
	if (!err)
		err = dkt_instance_set_clock(record->in, "mono");
	if (!err)
		err = open_recorder(record);
	if (!err)
		err = spawn_start(record->ctx, &record->spawn, record->command);
	/* Only while it moves pages does the reader compete with the workload, and then it is late. */
	setpriority(PRIO_PROCESS, 0, NICE);
	if (!err)
		err = enable_events(record);
	if (!err)
		err = dkl_full_advise(
			record->ctx,
			capture_file_in(&record->file,
					dkt_recorder_begin(record->recorder, record->file.fd)));
	if (!err)
		err = check_max_size(record);
	return err ? err : dkt_instance_set_on(record->in, true);
}

/* ---- running ---- */

/* With a command, the end of the time ends the recording but not the command. */
static bool is_over(struct record *record)
{
	return live_over(&record->spawn, record->from, record->seconds) ||
	       (record->seconds > 0 && live_now() - record->from >= record->seconds);
}

static int follow(struct record *record, struct line *line)
{
	double next = record->from + EACH;
	int err = 0;

	while (!err && !is_over(record)) {
		double left = next - live_now();
		int ms = left > 0 ? (int)(left * 1000) + 1 : 0;

		err = dkt_recorder_wait(record->recorder,
					record->command ? DKT__MIN(ms, LOOK_MS) : ms);
		err = capture_file_in(&record->file, err == -EINTR ? 0 : err);
		if (err || live_now() < next)
			continue;
		err = capture_file_in(&record->file, dkt_recorder_read(record->recorder));
		if (!err)
			err = capture_file_check(&record->file);
		line_show(line, record);
		next += EACH;
	}
	/* The file is complete up to the limit. */
	record->why = err == -EDQUOT ? record->limit : NULL;
	return record->why ? 0 : err;
}

static int record_all(struct record *record)
{
	struct line line;
	int err = live_begin(record->app, &record->spawn, "recording", record->seconds), end;

	if (err)
		return err;
	record->from = live_now();
	print_kept(record->file.path, record->file.kept);
	line_begin(&line);
	err = follow(record, &line);
	end = dkt_instance_set_on(record->in, false);
	if (!err)
		err = end ?: capture_file_in(&record->file, dkt_recorder_end(record->recorder));
	if (!err)
		err = capture_file_check(&record->file);
	line_end(&line);
	return dkl_full_advise(record->ctx, err);
}

/* ---- ending ---- */

static void tear_down(struct record *record)
{
	dkt_recorder_free(record->recorder);
	live_remove(record->app, record->in);
	dkl_wanted_free(record->wanted);
}

/* A recording in progress can be read too, but only by dktrace. */
static int complete(struct record *record)
{
	const struct capture_file *file = &record->file;
	char *name __cleanup(free) = NULL;
	int err;

	/* Standard output has no name to be replaced. */
	if (!file->regular || !strcmp(record->app->output, "-"))
		return 0;
	err = capture_complete_ended(record->ctx, file->path, file->fd,
				     OPT(record->app, record)->compression);
	if (err >= 0)
		return 0;
	app_say("%s", dkt_error(record->ctx));
	if (err == -EBADMSG)
		return EXIT_LOST;
	name = err == -ESTALE ? capture_file_name(file) : strdup(file->path);
	if (name)
		app_say("%s is complete for dktrace; 'dktrace recover %s' completes it for trace-cmd",
			name, name);
	return 0;
}

static int report(struct record *record)
{
	struct dkt_recorder_counts counts;
	uint64_t messages = 0, others = 0;
	bool missed;

	if (dkt_recorder_get_counts(record->recorder, &counts, sizeof(counts)))
		return app_fail(record->app);
	if (record->why)
		app_say("recording ended: %s", record->why);
	app_say("%s: %" PRIu64 " events, %.1f MB", record->file.path, counts.records,
		(double)counts.bytes / DKT__MB);
	dkl_losses_add_missed(dkt__recorder_missed(record->recorder), &messages, &others);
	missed = dkl_losses_report_missed(messages, others, "dktrace", NULL);
	if (!counts.lost)
		return missed ? EXIT_LOST : 0;
	app_say("%" PRIu64 " events were lost%s", counts.lost,
		record->why ? " because the file could not grow" :
			      " before they were read; a larger --buffer-size, fewer events or a"
			      " --filter keeps more");
	return EXIT_LOST;
}

int record_run(struct record *record)
{
	int err, rc;

	live_catch();
	limit_size(record);
	record->spawn = (struct spawn)SPAWN_INIT;
	err = set_up(record);
	if (!err)
		err = record_all(record);
	if (err == -EPIPE)
		rc = EXIT_PIPE;
	else
		rc = err ? app_fail(record->app) : report(record);
	/* A command that has not begun is still this program, with the buffers open. */
	if (!record->from)
		spawn_finish(&record->spawn);
	tear_down(record);
	if (!err)
		rc = complete(record) ?: rc;
	/* If the recording has ended first, the command still gets its signals. */
	if (record->command && record->from > 0)
		live_wait(&record->spawn, 0, NULL, NULL);
	spawn_finish(&record->spawn);
	return record->from > 0 && record->spawn.status ? record->spawn.status : rc;
}
