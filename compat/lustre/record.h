/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lustre's binary records: their layout, and a reader for streams that may be damaged. */
#pragma once

#include <stddef.h>

#include "base/util.h"

/* The limit of Lustre's own lctl; with 64 KiB pages a kernel writes longer records. */
#define RECORD_LUSTRE_MAX 4094
#define RECORD_MAX        65536

#define RECORD_FIRST 1 /* in flags: the first one of an empty buffer */

/* The header, in the byte order of the host; file and function with their NULs and the text follow. */
struct record_head {
	uint32_t len; /* of the whole record */
	uint32_t flags;
	uint32_t subsystem;
	uint32_t mask;
	uint16_t cpu;
	uint16_t type; /* 0 process, 1 softirq, 2 hardirq */
	uint32_t sec;
	uint64_t usec;
	uint32_t stack;
	uint32_t pid;
	uint32_t extern_pid;
	uint32_t line;
};

_Static_assert(sizeof(struct record_head) == 48, "the layout is Lustre's");

/* A header that takes room and holds nothing: readers pass over length 0. */
#define RECORD_FILLER_PID 0x444b5450u
#define RECORD_FILLER                                                                              \
	{                                                                                          \
		.sec = 1u << 30, .extern_pid = RECORD_FILLER_PID                                   \
	}

/* Records need not be aligned. */
static inline struct record_head record_head(const uint8_t *rec)
{
	struct record_head head;

	memcpy(&head, rec, sizeof(head));
	return head;
}

static inline uint16_t record_cpu(const uint8_t *rec)
{
	uint16_t cpu;

	memcpy(&cpu, rec + offsetof(struct record_head, cpu), sizeof(cpu));
	return cpu;
}

/* The sort key of a record: seconds, then microseconds, which have 30 bits in a valid record. */
static inline uint64_t record_key(const uint8_t *rec)
{
	uint64_t usec;
	uint32_t sec;

	memcpy(&sec, rec + offsetof(struct record_head, sec), sizeof(sec));
	memcpy(&usec, rec + offsetof(struct record_head, usec), sizeof(usec));
	return (uint64_t)sec << 32 | usec;
}

/* Which records are shown: one is not if it has a subsystem or a type and none of these bits. */
struct record_masks {
	uint32_t subsystems;
	uint32_t types;
};

static inline bool record_shown(const uint8_t *rec, const struct record_masks *show)
{
	uint32_t bits[2];

	memcpy(bits, rec + offsetof(struct record_head, subsystem), sizeof(bits));
	return (!bits[0] || bits[0] & show->subsystems) && (!bits[1] || bits[1] & show->types);
}

/* The texts of a record, none of them terminated; those that are not there are empty. */
struct record_texts {
	const char *file;
	const char *function;
	const char *text;
	size_t file_len;
	size_t function_len;
	size_t text_len; /* up to a NUL or the record's end */
};

void record_texts(const uint8_t *rec, size_t len, struct record_texts *texts);

/* ---- reading ---- */

enum record_end {
	RECORD_END, /* at the end of a record */
	RECORD_END_SHORT, /* at a record whose length leaves no room for a text: reading stops there */
	RECORD_END_TORN, /* within a record */
};

struct record_scan {
	int fd;
	bool seekable;
	uint8_t *buf;
	size_t at; /* the next bytes to look at */
	size_t len; /* bytes in buf */
	uint64_t base; /* where in the input buf begins */
	bool eof;
	bool plain; /* to be set: all that is not simply a good record is the end */
	bool quiet; /* a damaged place has been told and is not over */
	/* Called for each damaged place with the offset behind the header. NULL: nobody cares. */
	void (*tell_bad)(void *data, uint64_t offset, const struct record_head *head);
	void *data;
	uint64_t bad; /* damaged places, as Lustre's lctl counts them */
	uint64_t empty; /* headers that say length 0 and are no filler of ours */
	uint64_t empty_at; /* the first of them */
	uint64_t big; /* records longer than Lustre's lctl takes */
	uint32_t longest;
	int err; /* 0, or why it cannot be read further */
	enum record_end end;
	uint64_t end_at; /* where what ended it begins */
	uint64_t end_len; /* bytes of it that are there */
};

/* Starts at the beginning of a file that can be read twice, else where the descriptor is. */
int record_scan_open(struct record_scan *scan, int fd, bool seekable);
void record_scan_close(struct record_scan *scan);

/*
 * The next good record; valid until the next call, at is behind it. 0: there is one; 1: end.
 * Negative: the input cannot be read further.
 */
int record_scan_next(struct record_scan *scan, const uint8_t **rec, uint32_t *len);

/* Goes on at that offset of a file that can be read twice. */
void record_scan_seek(struct record_scan *scan, uint64_t offset);

/*
 * Moves on to what seems to be a record, as others follow it; a text may hold them, too. 1: there
 * is none near. Negative: the input cannot be read.
 */
int record_scan_find(struct record_scan *scan);

/* Where the record that was returned last begins. */
static inline uint64_t record_scan_offset(const struct record_scan *scan, uint32_t len)
{
	return scan->base + scan->at - len;
}
