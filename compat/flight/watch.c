/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The conditions of a flight recorder: an instance with only their events tells when one happens. */
#include "flight/watch.h"

#include "base/buf.h"
#include "base/memory.h"

/* Only the first record is of interest, and the kernel overwrites the rest. */
#define SIZE (UINT64_C(64) << 10)

/* Bytes of a reason. */
#define REASON_MAX 200

int flight_watch_events(struct dkt_ctx *ctx, const char *log, const char *name, const char *events,
			struct flight_watch *watch)
{
	DKT_OPTS(dkt_live_opts, opts, .flags = DKT_LIVE_FOLLOW);
	const struct wanted_words words = { .events = events };
	pid_t self = getpid();
	int err = flight_create(ctx, log, name, 0, &words, &watch->group);

	if (!err)
		err = dkt_instance_set_size(watch->group.in,
					    SIZE * (uint64_t)dkt_instance_cpus(watch->group.in));
	/* Not an error: a kernel that cannot exclude the recorder lets it wake itself. */
	if (!err && dkt_instance_skip_pids(watch->group.in, &self, 1))
		dkt_log(ctx, DKT_LOG_INFO, "%s", dkt_error(ctx));
	return err ? err : dkt_source_live(watch->group.in, &opts, &watch->source);
}

static char *reason_of(struct dkt_source *source, const struct dkt_record *record)
{
	struct dkt_buf *buf;
	char *reason = NULL;
	const char *text;
	size_t len;

	if (dkt_buf_new(&buf))
		return NULL;
	dkt_record_line(record, buf);
	text = dkt_buf_data(buf, &len);
	if (!dkt_buf_error(buf))
		reason = dkt__format("%s:%s by %s-%d: %.*s", dkt_event_system(record->event),
				     dkt_event_name(record->event), dkt_source_comm(source, record),
				     record->pid, (int)DKT__MIN(len, REASON_MAX), text);
	dkt_buf_free(buf);
	return reason;
}

int flight_watch_look(struct flight_watch *watch, uint64_t *n, char **reason)
{
	struct dkt_record record;
	int err = dkt_source_wait(watch->source, 0);

	*n = 0;
	*reason = NULL;
	err = err == -EINTR ? 0 : err;
	while (!err && !(err = dkt_source_next(watch->source, &record))) {
		if (!record.event) {
			*n += record.lost == DKT_LOST_UNKNOWN ? 1 : record.lost;
			continue;
		}
		++*n;
		if (!*reason)
			*reason = reason_of(watch->source, &record);
	}
	if (err > 0)
		err = dkt_source_done(watch->source);
	if (!err && *n && !*reason)
		*reason = strdup("the condition's records were lost");
	return err;
}

void flight_watch_close(struct flight_watch *watch)
{
	dkt_source_close(watch->source);
	watch->source = NULL;
	flight_close(&watch->group);
}
