/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The trace style: lines with the columns of trace-cmd report and of the kernel's trace file. */
#include "style.h"

#include "banned.h"

#define COMM_WIDTH 16
#define NAME_WIDTH 20

static char *put_spaces(char *p, size_t n)
{
	memset(p, ' ', n);
	return p + n;
}

static char *put_comm(char *p, const char *comm, size_t len)
{
	if (len < COMM_WIDTH)
		p = put_spaces(p, COMM_WIDTH - len);
	memcpy(p, comm, len);
	return p + len;
}

/* %-5d */
static char *put_pid(char *p, int32_t pid)
{
	char *end = dkt__put_int(p, pid);

	return end - p < 5 ? put_spaces(end, (size_t)(5 - (end - p))) : end;
}

/* %03u */
static char *put_cpu(char *p, uint32_t cpu)
{
	if (cpu < 100)
		*p++ = '0';
	if (cpu < 10)
		*p++ = '0';
	return dkt__put_dec(p, cpu);
}

/* %5llu.%06llu of microseconds, rounded as trace-cmd rounds them. */
static char *put_time(char *p, uint64_t ts)
{
	uint64_t us = ts > UINT64_MAX - 500 ? ts / 1000 : (ts + 500) / 1000, limit;
	uint32_t part = (uint32_t)(us % 1000000);

	us /= 1000000;
	for (limit = 10000; limit > 1 && us < limit; limit /= 10)
		*p++ = ' ';
	p = dkt__put_dec(p, us);
	*p++ = '.';
	memcpy(p, dkt__digit_pairs + part / 10000 * 2, 2);
	memcpy(p + 2, dkt__digit_pairs + part / 100 % 100 * 2, 2);
	memcpy(p + 4, dkt__digit_pairs + part % 100 * 2, 2);
	return p + 6;
}

static void style_gap(const struct dkt_record *record, struct dkt_buf *buf)
{
	dkt_buf_str(buf, "CPU:");
	dkt_buf_u64(buf, record->cpu, 0, ' ');
	dkt_buf_str(buf, " [");
	if (record->lost != DKT_LOST_UNKNOWN) {
		dkt_buf_u64(buf, record->lost, 0, ' ');
		dkt_buf_str(buf, " ");
	}
	dkt_buf_str(buf, "EVENTS DROPPED]\n");
}

void dkt_style_trace_head(const struct dkt_record *record, const char *comm, struct dkt_buf *buf)
{
	const char *name = record->event->name;
	size_t comm_len = strlen(comm), name_len = strlen(name);
	char *p;

	p = dkt__buf_room(buf, comm_len + name_len + 160);
	if (!p)
		return;
	p = put_comm(p, comm, comm_len);
	*p++ = '-';
	p = put_pid(p, record->pid);
	memcpy(p, " [", 2);
	p = put_cpu(p + 2, record->cpu);
	memcpy(p, "] ", 2);
	p = put_time(p + 2, record->ts);
	memcpy(p, ": ", 2);
	memcpy(p + 2, name, name_len);
	p += 2 + name_len;
	memcpy(p, ": ", 2);
	p += 2;
	if (name_len < NAME_WIDTH)
		p = put_spaces(p, NAME_WIDTH - name_len);
	buf->len = (size_t)(p - buf->data);
}

void dkt_style_trace(const struct dkt_record *record, const char *comm, struct dkt_buf *buf)
{
	if (!record->event) {
		style_gap(record, buf);
		return;
	}
	dkt_style_trace_head(record, comm, buf);
	dkt_record_text(record, buf);
	dkt_buf_add(buf, "\n", 1);
}

/* ---- as a style ---- */

static int trace_record(struct dkt_style *style, const struct dkt_record *record, const char *comm,
			struct dkt_buf *buf)
{
	struct dkt_record shown = *record;

	if (style->opts.wall)
		shown.ts += (uint64_t)style->source.wall;
	if (!record->event) {
		style_gap(&shown, buf);
		return buf->err;
	}
	dkt_style_trace_head(&shown, comm, buf);
	dkt__style_text(style, record, buf);
	dkt_buf_add(buf, "\n", 1);
	return buf->err;
}

const struct dkt__style_ops dkt__style_trace_ops = {
	.name = "trace",
	.words = "the columns of trace-cmd report",
	.size = sizeof(struct dkt_style),
	.record = trace_record,
};
