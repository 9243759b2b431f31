/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Intervals of some system calls among all. */
#include "lib/intervals.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/io.h"
#include "lib/base/memory.h"

/* Above the numbers of all machines. */
#define NUMBERS 2048

/* Calls that last until something happens, or until a time: they are slow on an idle machine. */
static const char *const waiting[] = {
	"accept",        "accept4",  "clock_nanosleep", "epoll_pwait",   "epoll_pwait2",
	"epoll_wait",    "futex",    "futex_wait",      "futex_waitv",   "io_getevents",
	"io_pgetevents", "msgrcv",   "nanosleep",       "pause",         "poll",
	"ppoll",         "pselect6", "restart_syscall", "rt_sigsuspend", "rt_sigtimedwait",
	"select",        "wait4",    "waitid",
};

static int number_of(struct dkt_ctx *ctx, const char *name, size_t len)
{
	for (int i = 0; i < NUMBERS; i++) {
		const char *one = dkt_syscall_name(ctx, i);

		if (one && strlen(one) == len && !strncmp(one, name, len))
			return i;
	}
	return -1;
}

const char *dkt__interval_call_field(const struct dkt_interval *row)
{
	return strncmp(row->begin, "raw_", 4) ? "__syscall_nr" : "id";
}

static void put_waiting(struct dkt_ctx *ctx, const char *field, FILE *f)
{
	for (size_t i = 0; i < ARRAY_SIZE(waiting); i++) {
		const int nr = number_of(ctx, waiting[i], strlen(waiting[i]));

		if (nr >= 0)
			fprintf(f, "%s%s != %d", ftell(f) ? " && " : "", field, nr);
	}
}

static int put_names(struct dkt_ctx *ctx, const char *field, const char *names, FILE *f)
{
	for (const char *p = names; *p; p += *p == ',') {
		const size_t len = strcspn(p, ",");
		const int nr = number_of(ctx, p, len);

		if (nr < 0)
			return dkt_fail(ctx, -ENOENT,
					"'%.*s' is neither a pair of events nor a system call;"
					" 'dktrace latency' lists the pairs",
					(int)len, p);
		fprintf(f, "%s%s == %d", ftell(f) ? " || " : "", field, nr);
		p += len;
	}
	return 0;
}

int dkt__interval_calls_filter(struct dkt_ctx *ctx, const struct dkt_interval *row,
			       const char *names, char **filter)
{
	const char *field = dkt__interval_call_field(row);
	size_t size;
	FILE *f = open_memstream(filter, &size);
	int err = 0;

	if (!f)
		return dkt__no_memory(ctx);
	if (strcmp(names, DKT__CALLS) != 0)
		err = put_names(ctx, field, names, f);
	else
		put_waiting(ctx, field, f);
	return dkt__with_words(ctx, dkt__text_end(f, err, filter));
}

const char *dkt__interval_call_name(struct dkt_ctx *ctx, const struct dkt_record *record,
				    const struct dkt_field *by)
{
	const struct dkt_field *field = by ? by : dkt_event_field(record->event, "id");

	if (!field)
		field = dkt_event_field(record->event, "__syscall_nr");
	return field ? dkt_syscall_name(ctx, (int)dkt_record_int(record, field)) : NULL;
}
