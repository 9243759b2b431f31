/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prints a binary log in order of time to a file. Threads take slices of the log in turn. Each
 * merges and formats its own slice, and writes the text when the slices before are written. So
 * records never move from one CPU's cache to another's, which would take as long as all the rest.
 */
#include "compat/lustre/binary/sort.h"

#include <pthread.h>

#include "compat/lustre/binary/line.h"
#include "compat/lustre/binary/merge.h"
#include "lib/base/io.h"
#include "lib/base/memory.h"
#include "lib/base/pool.h"

/* Larger writes are slower: the file system then looks for larger contiguous memory. */
#define WRITE_MAX (128u << 10)

struct print {
	struct dkt_ctx *ctx; /* used only by the thread whose turn it is */
	const struct merge_log *log;
	int fd;
	uint64_t slice_size;
	pthread_mutex_t lock; /* protects the members below */
	pthread_cond_t turn;
	struct slices slices;
	uint64_t taken; /* number of slices taken */
	uint64_t written; /* number of slices written */
	uint64_t done; /* number of records */
	int err; /* the error of any thread ends all threads */
};

/* The state of one thread. */
struct printer {
	struct print *print;
	struct merge merge;
	struct record_line kept;
	uint64_t nr; /* number of the slice */
	bool our_turn;
	char *text;
	size_t size;
	size_t len;
};

static int write_out(struct dkt_ctx *ctx, int fd, const char *text, size_t len)
{
	size_t n;
	int err = 0;

	for (; !err && len; text += n, len -= n) {
		n = len < WRITE_MAX ? len : WRITE_MAX;
		err = dkt__write_all(fd, text, n);
	}
	return err ? dkt_fail(ctx, err, "write output: %s", strerror(-err)) : 0;
}

/* Takes the next slice. 1: no more slices. */
static int take_slice(struct printer *printer)
{
	struct print *print = printer->print;
	int err;

	pthread_mutex_lock(&print->lock);
	err = print->err ? 1 : dkl_merge_slice(&printer->merge, &print->slices, print->slice_size);
	if (!err)
		printer->nr = print->taken++;
	pthread_mutex_unlock(&print->lock);
	printer->our_turn = false;
	printer->len = 0;
	return err;
}

/* Waits until all earlier slices are written. -ECANCELED: another thread has failed. */
static int wait_turn(struct printer *printer)
{
	struct print *print = printer->print;
	int err;

	if (printer->our_turn)
		return 0;
	pthread_mutex_lock(&print->lock);
	while (print->written != printer->nr && !print->err)
		pthread_cond_wait(&print->turn, &print->lock);
	err = print->err ? -ECANCELED : 0;
	pthread_mutex_unlock(&print->lock);
	printer->our_turn = !err;
	return err;
}

static void end_turn(struct printer *printer)
{
	struct print *print = printer->print;

	pthread_mutex_lock(&print->lock);
	print->written++;
	pthread_cond_broadcast(&print->turn);
	pthread_mutex_unlock(&print->lock);
}

static int write_text(struct printer *printer)
{
	int err = wait_turn(printer);

	if (!err)
		err = write_out(printer->print->ctx, printer->print->fd, printer->text,
				printer->len);
	printer->len = 0;
	return err;
}

static int print_slice(struct printer *printer)
{
	const uint8_t *rec;
	uint32_t len;
	int end, err;

	while (!(end = dkl_merge_next(&printer->merge, &rec, &len))) {
		char *to = printer->text + printer->len;

		if (printer->size - printer->len < len + RECORD_LINE_EXTRA) {
			err = write_text(printer);
			if (err)
				return err;
			to = printer->text;
		}
		to = dkl_record_line(&printer->kept, rec, len, to);
		printer->len = (size_t)(to - printer->text);
	}
	err = write_text(printer);
	if (!err && end < 0)
		err = dkl_merge_fail(printer->print->ctx, &printer->merge, end);
	if (!err)
		end_turn(printer);
	return err;
}

static void print_slices(void *data, unsigned int thread)
{
	struct print *print = data;
	struct printer printer = { .print = print, .merge.log = print->log };
	int err;

	(void)thread;
	printer.size = print->slice_size / 4 * 5 + RECORD_MAX + RECORD_LINE_EXTRA;
	printer.text = malloc(printer.size);
	err = printer.text ? 0 : -ENOMEM;
	while (!err && !(err = take_slice(&printer)))
		err = print_slice(&printer);
	if (err == 1)
		err = 0;
	pthread_mutex_lock(&print->lock);
	print->done += printer.merge.done;
	/* Wake the other threads, which wait for a turn that never comes. */
	if (err && err != -ECANCELED)
		print->err = err;
	pthread_cond_broadcast(&print->turn);
	pthread_mutex_unlock(&print->lock);
	dkl_merge_clear(&printer.merge);
	free(printer.text);
}

int dkl_record_print(struct dkt_ctx *ctx, struct record_sort *sort, int fd)
{
	struct print print = { .ctx = ctx, .log = dkl_record_sort_log(sort), .fd = fd };
	unsigned int threads = dkl_record_sort_share(sort, &print.slice_size);

	pthread_mutex_init(&print.lock, NULL);
	pthread_cond_init(&print.turn, NULL);
	dkt__pool_run(threads, print_slices, &print);
	pthread_cond_destroy(&print.turn);
	pthread_mutex_destroy(&print.lock);
	free(print.slices.open);
	return print.err ? print.err : dkl_record_sort_check(sort, print.done);
}

int dkl_record_print_escaped(struct dkt_ctx *ctx, struct record_sort *sort, int fd)
{
	char *line __cleanup(free) = malloc(RECORD_MAX + RECORD_LINE_EXTRA);
	struct record_line kept = { 0 };
	struct dkt_buf *buf = NULL;
	const uint8_t *rec;
	uint32_t rec_len;
	int err = line ? dkt_buf_new(&buf) : dkt__no_memory(ctx);

	while (!err && !(err = dkl_record_sort_next(sort, &rec, &rec_len))) {
		const char *text;
		size_t len;

		dkt_buf_add(buf, line, (size_t)(dkl_record_line(&kept, rec, rec_len, line) - line));
		dkt_buf_escape(buf, 0);
		text = dkt_buf_data(buf, &len);
		err = dkt_buf_error(buf);
		if (!err)
			err = write_out(ctx, fd, text, len);
		dkt_buf_reset(buf);
	}
	dkt_buf_free(buf);
	return err == 1 ? 0 : err;
}
