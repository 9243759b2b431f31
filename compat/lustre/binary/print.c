/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prints a binary log in order of time to a file. Threads take slices of the log in turn. Each
 * merges and formats its own slice, and writes the text when the slices before are written. So
 * records never move from one CPU's cache to another's, which would take as long as all the rest.
 */
#include "compat/lustre/binary/sort.h"

#include "compat/lustre/binary/line.h"
#include "compat/lustre/binary/merge.h"
#include "lib/base/buf.h"
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
	struct dkt__order order; /* of slices; its lock protects the members below */
	struct slices slices;
	uint64_t done; /* number of records */
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

	pthread_mutex_lock(&print->order.lock);
	err = print->order.err ?
		      1 :
		      dkl_merge_slice(&printer->merge, &print->slices, print->slice_size);
	if (!err)
		printer->nr = print->order.taken++;
	pthread_mutex_unlock(&print->order.lock);
	printer->our_turn = false;
	printer->len = 0;
	return err;
}

static int write_text(struct printer *printer)
{
	struct print *print = printer->print;
	int err = printer->our_turn ? 0 : dkt__order_wait(&print->order, printer->nr);

	printer->our_turn = true;
	if (!err)
		err = write_out(print->ctx, print->fd, printer->text, printer->len);
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
		dkt__order_next(&printer->print->order);
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
	dkt__order_fail(&print->order, DKT__MIN(err, 0));
	pthread_mutex_lock(&print->order.lock);
	print->done += printer.merge.done;
	pthread_mutex_unlock(&print->order.lock);
	dkl_merge_clear(&printer.merge);
	free(printer.text);
}

int dkl_record_print(struct dkt_ctx *ctx, struct record_sort *sort, int fd)
{
	struct print print = {
		.ctx = ctx, .log = dkl_record_sort_log(sort), .fd = fd, .order = DKT__ORDER_INIT
	};
	unsigned int threads = dkl_record_sort_share(sort, &print.slice_size);

	dkt__pool_run(threads, print_slices, &print);
	free(print.slices.open);
	return print.order.err ? print.order.err : dkl_record_sort_check(sort, print.done);
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

		dkt__buf_add(buf, line,
			     (size_t)(dkl_record_line(&kept, rec, rec_len, line) - line));
		dkt__buf_escape(buf, 0);
		text = dkt_buf_data(buf, &len);
		err = dkt_buf_error(buf);
		if (!err)
			err = write_out(ctx, fd, text, len);
		dkt_buf_reset(buf);
	}
	dkt_buf_free(buf);
	return err == 1 ? 0 : err;
}
