/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The records that the debug log gets, by event and class: an instance that records the same. */
#include "answers/top/log_counter.h"

#include <sys/stat.h>

#include "compat/apply/apply.h"
#include "compat/lustre/message/reader.h"
#include "compat/pipeline/losses.h"
#include "compat/set/param/memory.h"
#include "lib/base/buf.h"
#include "lib/base/gained.h"
#include "lib/inside.h"

/* The buffers have at most so many bytes per CPU, and this part of the available memory. */
#define BUFFER_MAX  (UINT64_C(16) << 20)
#define BUFFER_PART 16

#define WAKE_PERCENT 50

struct counted {
	struct log_event now; /* of the interval */
	/* Its records have their own class; NULL: they have those of the event. */
	const struct message *message;
	bool part; /* they are only parts of messages, which count once */
};

struct log_counter {
	struct dkt_ctx *ctx;
	const struct class_map *map;
	char *name; /* of the log */
	char *settings; /* the file with the log's settings */
	struct stat read; /* that file when it was read */
	uint32_t debug;
	struct message_reader *messages;
	struct dkt_instance *log, *own;
	struct dkt_source *source; /* of own */
	struct counted *events; /* all that were ever enabled */
	size_t n_events;
	uint32_t *event_of; /* by dkt__event_index(): number in events plus 1 */
	size_t n_event_of;
	uint64_t of_messages[LOG_NO_CLASS + 1]; /* records of messages, by class */
	struct losses losses; /* of source, since it was opened */
};

/* ---- the log's settings ---- */

static int copy_limits(struct dkt_instance *log, struct dkt_change *change)
{
	pid_t *pids __cleanup(free) = NULL;
	char *cpus __cleanup(free) = NULL;
	bool children;
	size_t n;
	int err = dkt__instance_get_pids(log, &pids, &n, &children);

	if (!err)
		err = dkt_change_pids(change, pids, n, children);
	if (!err)
		err = dkt__instance_get_cpus(log, &cpus);
	return err ? err : dkt_change_cpus(change, cpus);
}

static int copy_events(struct dkt_instance *log, struct dkt_event *const *on, size_t n,
		       struct dkt_change *change)
{
	int err = dkt_change_events(change, on, n);

	for (size_t i = 0; !err && i < n; i++) {
		char *filter __cleanup(free) = NULL;

		err = dkt_instance_get_filter(log, on[i], &filter);
		if (!err)
			err = dkt_change_filter(change, on[i], filter);
	}
	return err;
}

static int add_event(struct log_counter *counter, struct dkt_event *event)
{
	const struct class_bits *bits = dkl_class_map_event(counter->map, event);
	uint32_t *nr = dkt__reach(counter->event_of, counter->n_event_of, dkt__event_index(event));
	struct counted new = { .now.event = event };
	int err;

	if (!nr)
		return -ENOMEM;
	if (!*nr) {
		if (bits->fields)
			new.message = dkl_message_reader_get(counter->messages, event);
		new.part = dkl_message_is_part(event);
		err = dkt__append(counter->events, counter->n_events, new);
		if (err)
			return err;
		*nr = (uint32_t)counter->n_events;
	}
	counter->events[*nr - 1].now.enabled = true;
	counter->events[*nr - 1].now.classes = bits->classes & counter->debug;
	return 0;
}

static int follow_events(struct log_counter *counter, struct debuglog *log)
{
	struct dkt_change *change = NULL;
	struct dkt_event *const *on;
	size_t n;
	int err = dkl_debuglog_on(log, &on, &n);

	if (!err)
		err = dkt_change_new(counter->own, &change);
	if (!err)
		err = copy_limits(log->in, change);
	if (!err)
		err = copy_events(log->in, on, n, change);
	if (!err)
		err = dkt_change_commit(change);
	dkt_change_free(change);
	counter->debug = log->set.debug;
	for (size_t i = 0; i < counter->n_events; i++)
		counter->events[i].now.enabled = false;
	for (size_t i = 0; !err && i < n; i++)
		err = add_event(counter, on[i]);
	return err;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* Takes over the settings of the log if they have changed. -ENOENT: there is no log. */
static int follow(struct log_counter *counter)
{
	struct debuglog *log;
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained_at(counter->settings);
	struct stat now = { 0 };
	bool on;
	int err = dkt__instance_get_on(counter->log, &on);

	if (!err)
		err = dkt_instance_set_on(counter->own, on);
	if (err)
		return err;
	/* The file is replaced at the end of each change. Without it there was none. */
	if (!stat(counter->settings, &now) && is_same(&now, &counter->read))
		return 0;
	counter->read = now;
	err = dkl_debuglog_open(counter->ctx, counter->name, 0, &log);
	if (err)
		return err;
	err = log->in ? follow_events(counter, log) : -ENOENT;
	dkl_debuglog_close(log);
	return err;
}

/* ---- begin and end ---- */

static int set_up(struct log_counter *counter, const char *owner)
{
	DKT_OPTS(dkt_live_opts, opts, .flags = DKT_LIVE_FOLLOW, .wake_percent = WAKE_PERCENT);
	struct dkt_ctx *ctx = counter->ctx;
	const pid_t self = getpid();
	uint64_t most;
	int err = dkt_instance_open(ctx, counter->name, NULL, &counter->log);

	if (!err)
		err = dkt_instance_own(ctx, owner, &counter->own);
	if (err)
		return err;
	most = (uint64_t)dkt_instance_n_cpus(counter->own) * BUFFER_MAX;
	err = dkt_instance_set_size(counter->own, dkl_memory_share(most, BUFFER_PART));
	/* Not an error: a kernel that cannot exclude processes records this one too. */
	dkt__instance_set_skipped_pids(counter->own, &self, 1);
	if (!err)
		err = dkt_source_live(counter->own, &opts, &counter->source);
	return err ? err : follow(counter);
}

int log_counter_open(struct dkt_ctx *ctx, const struct class_map *map, const char *log,
		     const char *owner, struct log_counter **made)
{
	struct log_counter *counter = *made = calloc(1, sizeof(*counter));
	int err;

	if (!counter)
		return -ENOMEM;
	counter->ctx = ctx;
	counter->map = map;
	counter->name = strdup(log);
	counter->settings = dkt__format(RUN_DIR "/%s/" DEBUGLOG_SETTINGS, log);
	err = counter->name && counter->settings ? dkl_message_reader_new(ctx, &counter->messages) :
						   -ENOMEM;
	if (!err)
		err = set_up(counter, owner);
	if (!err)
		return 0;
	*made = NULL;
	log_counter_close(counter);
	return err;
}

int log_counter_close(struct log_counter *counter)
{
	char *name __cleanup(free) = NULL;
	int err = 0;

	if (!counter)
		return 0;
	dkt_source_close(counter->source);
	name = counter->own ? strdup(dkt_instance_name(counter->own)) : NULL;
	dkt_instance_close(counter->own);
	dkt_instance_close(counter->log);
	if (name)
		err = dkt_instance_remove(counter->ctx, name);
	dkl_message_reader_free(counter->messages);
	free(counter->events);
	free(counter->event_of);
	dkl_losses_clear(&counter->losses);
	free(counter->settings);
	free(counter->name);
	free(counter);
	return err;
}

/* ---- records ---- */

static void add_classes(struct log_counter *counter, uint32_t classes)
{
	if (!classes)
		counter->of_messages[LOG_NO_CLASS]++;
	for (; classes; classes &= classes - 1)
		counter->of_messages[__builtin_ctz(classes)]++;
}

static void add_record(struct log_counter *counter, const struct dkt_record *record)
{
	const size_t index = record->event ? dkt__event_index(record->event) : 0;
	const uint32_t nr = index < counter->n_event_of ? counter->event_of[index] : 0;

	if (nr) {
		struct counted *counted = &counter->events[nr - 1];

		counted->now.records++;
		if (counted->message && !counted->part)
			add_classes(counter, dkl_message_classes(counted->message, record));
	}
}

int log_counter_read(struct log_counter *counter)
{
	struct dkt_record record;
	int err;

	while (!(err = dkt_source_next(counter->source, &record)))
		add_record(counter, &record);
	if (err > 0)
		err = dkt_source_done(counter->source);
	return err ? err : dkt_source_wait(counter->source, 0);
}

/* ---- intervals ---- */

/* The records and the enabled events of a class. */
static struct log_class count_class(const struct log_counter *counter, unsigned int bit)
{
	struct log_class class = { .bit = bit, .records = counter->of_messages[bit] };

	for (size_t i = 0; i < counter->n_events; i++) {
		const struct counted *counted = &counter->events[i];
		const uint32_t classes = counted->now.classes;

		if (bit == LOG_NO_CLASS ? classes : !(classes & UINT32_C(1) << bit))
			continue;
		class.events += counted->now.enabled;
		class.records += counted->message ? 0 : counted->now.records;
	}
	return class;
}

static int take_classes(const struct log_counter *counter, struct log_counts *counts)
{
	counts->classes = calloc(LOG_NO_CLASS + 1, sizeof(*counts->classes));
	if (!counts->classes)
		return -ENOMEM;
	for (unsigned int bit = 0; bit <= LOG_NO_CLASS; bit++) {
		const struct log_class class = count_class(counter, bit);

		if (class.events || class.records)
			counts->classes[counts->n_classes++] = class;
	}
	return 0;
}

static int take_events(const struct log_counter *counter, struct log_counts *counts)
{
	counts->events = calloc(counter->n_events + 1, sizeof(*counts->events));
	if (!counts->events)
		return -ENOMEM;
	for (size_t i = 0; i < counter->n_events; i++)
		if (counter->events[i].now.enabled || counter->events[i].now.records)
			counts->events[counts->n_events++] = counter->events[i].now;
	return 0;
}

int log_counter_take(struct log_counter *counter, struct log_counts *counts)
{
	int err;

	*counts = (struct log_counts){ 0 };
	err = dkl_losses_raise(&counter->losses, counter->source, &counts->lost);
	if (!err)
		err = take_classes(counter, counts);
	if (!err)
		err = take_events(counter, counts);
	for (size_t i = 0; i < counter->n_events; i++)
		counter->events[i].now.records = 0;
	memset(counter->of_messages, 0, sizeof(counter->of_messages));
	return err ? err : follow(counter);
}

void log_counts_clear(struct log_counts *counts)
{
	free(counts->events);
	free(counts->classes);
	*counts = (struct log_counts){ 0 };
}
