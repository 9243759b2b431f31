/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Makes records of known events from bytes. Each record of the input is its event, CPU, kind, length, time, process
 * and bytes.
 */
#ifndef DKT_MADE_RECORDS_H
#define DKT_MADE_RECORDS_H

#include <dktrace/dktrace.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/util.h"
#include "tests/fuzz/replay.h"

/* The formats of the events. */
#define FORMATS "tests/fixture/analyze"

/* The bytes of a record before its own, and records of an input at most. */
#define HEAD        16
#define RECORDS_MAX 500

enum { KIND_GAP = 1, KIND_ANY_TIME = 2 };

/* Opens a file of bytes that has no name. */
static inline int open_bytes(const void *bytes, size_t n)
{
	int fd = memfd_create("bytes", MFD_CLOEXEC);

	must(fd >= 0 && write(fd, bytes, n) == (ssize_t)n);
	return fd;
}

/* Opens a text, whose records are not read; it knows the name of a process. */
static inline int open_text(void)
{
	static const char text[] = "p1-1 [000] d..2. 1.000000: sched_wakeup: comm=p2 pid=2 prio=120"
				   " target_cpu=000\n";

	return open_bytes(text, sizeof(text) - 1);
}

/* Calls fn for each record of the input. The time of the last one is returned. */
static inline uint64_t make_records(const uint8_t *data, size_t size,
				    struct dkt_event *const *events, size_t n_events,
				    void (*fn)(void *to, const struct dkt_record *record), void *to)
{
	uint64_t now = 0;

	for (int i = 0; i < RECORDS_MAX && size >= HEAD; i++) {
		const size_t len = DKT__MIN((size_t)data[3], size - HEAD);
		/* An exact copy, so that a sanitizer sees one byte too far. */
		uint8_t *bytes = malloc(len + 1);
		struct dkt_record record = { .cpu = data[1] % 8,
					     .data = bytes,
					     .size = (uint32_t)len };
		uint64_t time;
		int32_t pid;

		must(bytes);
		memcpy(&time, data + 4, sizeof(time));
		memcpy(&pid, data + 12, sizeof(pid));
		memcpy(bytes, data + HEAD, len);
		now = data[2] & KIND_ANY_TIME ? time : now + (time & 0xfffff);
		record.ts = now;
		record.pid = pid;
		if (data[2] & KIND_GAP)
			record.lost = time ? time : 1;
		else
			record.event = events[data[0] % n_events];
		fn(to, &record);
		free(bytes);
		data += HEAD + len;
		size -= HEAD + len;
	}
	return now;
}

#endif
