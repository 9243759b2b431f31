/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Frames: what `dktrace collect` and `dktrace remote` on another host send each other. The far side first
 * sends a line, the greeting; what a login shell prints before it is skipped. A frame is a header of 8
 * bytes, the length of the body as 32 bits, little endian, the kind as one byte and three zeros, and the
 * body.
 */
#pragma once

#include "lib/base/buf.h"

#define FRAME_GREETING "dktrace-remote 1\n"

#define FRAME_HEAD 8

/* The longest body of a frame, in bytes: of text that is part of a stream, and of everything else. */
#define FRAME_MAX_STREAM (64 << 10)
#define FRAME_MAX_BODY   (128 << 10)

/*
 * Bytes of output that may be under way: sent, and not acknowledged. The pipe behind ssh has room for them,
 * because ssh spends most of its time on moving its buffers as soon as these fill.
 */
#define FRAME_WINDOW (1 << 20)

/* The receiver acknowledges output after this many bytes, and otherwise several times a second. */
#define FRAME_ACK_BYTES (FRAME_WINDOW / 4)

/* Bytes that may come before the greeting. */
#define FRAME_MAX_NOISE (64 << 10)

enum frame_kind {
	/* To the far side. Numbers are 64 bits, little endian; a text ends with a NUL. */
	FRAME_RUN = 'r', /* bytes to keep, ns to wait for a new connection, argv as texts */
	/* The bytes of output that have arrived, the ID of the run. Nothing follows before the answer. */
	FRAME_RESUME = 'c',
	FRAME_ACK = 'a', /* the bytes of output that are stored */
	FRAME_IN = 'i', /* for the command's standard input, if it reads that */
	FRAME_STOP = 's', /* end the command as Ctrl-C does */
	FRAME_QUIT =
		'q', /* forget the command and what it wrote: all is here, or is not wanted any more */
	/* In both directions: the asker's time; the answer is a struct frame_time. */
	FRAME_TIME = 't',
	/* From the far side. */
	FRAME_HELLO = 'H', /* lines NAME=VALUE */
	FRAME_RESUMED = 'C', /* the answer to FRAME_RESUME */
	FRAME_OUT = 'O', /* standard output of the command */
	FRAME_ERR = 'E', /* standard error; after FRAME_RESUMED from its beginning */
	FRAME_END = 'Q', /* exit status, bytes of output in all */
	FRAME_REFUSED =
		'X', /* the reason as text: nothing was run, or there is nothing to resume */
};

/* The answer to FRAME_TIME, in ns; each number is 64 bits, little endian. */
struct frame_time {
	uint64_t asked; /* the asker's time */
	uint64_t received, sent; /* CLOCK_MONOTONIC of the far side */
	int64_t wall; /* CLOCK_REALTIME minus CLOCK_MONOTONIC there */
};

#define FRAME_TIME_SIZE 32

/* ---- writing ---- */

void frame_put_head(uint8_t head[FRAME_HEAD], enum frame_kind kind, size_t len);
/* Appends a whole frame. Returns 0 or -ENOMEM. */
int frame_add(struct dkt_buf *queue, enum frame_kind kind, const void *bytes, size_t len);
void frame_put_u64(uint8_t *p, uint64_t value);
void frame_put_time(uint8_t p[FRAME_TIME_SIZE], const struct frame_time *time);

/* ---- reading ---- */

uint64_t frame_get_u64(const uint8_t *p);

/* Returns false if a body of that length is no such answer. */
bool frame_get_time(const uint8_t *p, size_t len, struct frame_time *time);

/* A reader of frames from a stream. All zeros: expects the greeting first. */
struct frame_reader {
	bool greeted;
	uint32_t noise; /* bytes before the greeting */
	uint32_t matched; /* of the greeting */
	uint8_t head[FRAME_HEAD];
	uint32_t n_head;
	uint32_t left; /* of the body */
	uint8_t *body; /* as much as has come, of frames other than FRAME_OUT */
	uint32_t len;
};

/*
 * Takes a frame. FRAME_OUT comes in parts, as the bytes arrive; every other frame comes whole, and a NUL
 * follows the bytes. The bytes are borrowed. An error ends frame_read().
 */
typedef int (*frame_fn)(void *data, enum frame_kind kind, const uint8_t *bytes, size_t len);

/*
 * Reads the next bytes of the stream, which may begin and end anywhere. -EPROTO: they are no frames, and
 * nothing that follows can be read.
 */
int frame_read(struct frame_reader *reader, const uint8_t *bytes, size_t len, frame_fn fn,
	       void *data);

void frame_reader_clear(struct frame_reader *reader);
