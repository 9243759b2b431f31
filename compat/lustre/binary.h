/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lustre's binary records: their layout, and a reader for streams that may be damaged. */
#pragma once

#include <stddef.h>

#include "lib/base/util.h"

/* The limit of Lustre's own lctl; with 64 KiB pages a kernel writes longer records. */
#define RECORD_LUSTRE_MAX 4094
#define RECORD_MAX        65536

#define RECORD_FIRST 1 /* in flags: the first record of an empty buffer */

/* The header, in host byte order. File and function, each with a NUL, and the text follow it. */
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

/* A header that only fills space: its length is 0, so readers skip it. */
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

/* Returns the sort key of a record: seconds, then microseconds, which have 30 bits if valid. */
static inline uint64_t record_key(const uint8_t *rec)
{
	uint64_t usec;
	uint32_t sec;

	memcpy(&sec, rec + offsetof(struct record_head, sec), sizeof(sec));
	memcpy(&usec, rec + offsetof(struct record_head, usec), sizeof(usec));
	return (uint64_t)sec << 32 | usec;
}

/*
 * Selects records. A record is hidden if it has subsystem bits but none of these, or class bits but
 * none of these.
 */
struct record_masks {
	uint32_t subsystems;
	uint32_t classes;
};

static inline bool record_shown(const uint8_t *rec, const struct record_masks *show)
{
	uint32_t bits[2];

	memcpy(bits, rec + offsetof(struct record_head, subsystem), sizeof(bits));
	return (!bits[0] || bits[0] & show->subsystems) && (!bits[1] || bits[1] & show->classes);
}

/* The texts of a record, without NULs at the end. A missing text is empty. */
struct record_texts {
	const char *file;
	const char *function;
	const char *text;
	size_t file_len;
	size_t function_len;
	size_t text_len; /* up to a NUL or the end of the record */
};

void dkl_record_texts(const uint8_t *rec, size_t len, struct record_texts *texts);

/* ---- reading ---- */

enum record_end {
	RECORD_END, /* at the end of a record */
	RECORD_END_SHORT, /* at a record that is too short for a text, where reading stops */
	RECORD_END_TORN, /* within a record */
};

/* The result of reading the log. */
struct record_counts {
	uint64_t kept;
	uint64_t dropped; /* not shown */
	uint32_t cpus; /* highest CPU of a kept record, plus 1 */
	uint64_t bad; /* damaged places, as Lustre's lctl counts them */
	uint64_t empty; /* headers with length 0, except RECORD_FILLER, which are skipped */
	uint64_t empty_at; /* offset of the first of them */
	uint64_t big; /* records above RECORD_LUSTRE_MAX, which Lustre's lctl would refuse */
	enum record_end end;
	uint64_t end_at; /* offset where reading ended, and remaining bytes */
	uint64_t end_len;
	int read_err; /* 0, or the error that ended the reading */
	uint64_t read_at; /* offset of the bytes that could not be read */
};

struct record_scan {
	int fd;
	bool seekable;
	uint8_t *buf;
	size_t at; /* the next bytes to look at */
	size_t len; /* bytes in buf */
	uint64_t base; /* offset of buf in the input */
	bool eof;
	bool plain; /* set by the caller: anything but a normal record ends the reading */
	bool quiet; /* still within a damaged place that was reported */
	/* Called for each damaged place, with the offset after the header; can be NULL. */
	void (*report_bad)(void *data, uint64_t offset, const struct record_head *head);
	void *data;
	struct record_counts counts; /* without kept, dropped and cpus */
	uint32_t longest;
};

/* Starts at the beginning of a seekable file, otherwise at the descriptor's position. */
int dkl_record_scan_open(struct record_scan *scan, int fd, bool seekable);
void dkl_record_scan_close(struct record_scan *scan);

/*
 * Gets the next valid record, which stays in memory until the next call. Returns 0; 1 at the end;
 * -errno if the input cannot be read.
 */
int dkl_record_scan_next(struct record_scan *scan, const uint8_t **rec, uint32_t *len);

/* Continues at an offset of a seekable file. */
void dkl_record_scan_seek(struct record_scan *scan, uint64_t offset);

/*
 * Moves to the next bytes that look like a chain of records; a text could contain such bytes, too.
 * Returns 0; 1 if no such bytes are nearby; -errno if the input cannot be read.
 */
int dkl_record_scan_find(struct record_scan *scan);

/* Returns the offset of the record that was returned last, which has this length. */
static inline uint64_t record_scan_offset(const struct record_scan *scan, uint32_t len)
{
	return scan->base + scan->at - len;
}
