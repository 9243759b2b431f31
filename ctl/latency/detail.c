/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints what latency adds to its table: distribution, slowest pairs, uncounted records. */
#include <inttypes.h>

#include "compat/lustre/event_names.h"
#include "ctl/app/groups.h"
#include "ctl/app/print.h"
#include "ctl/latency/latency.h"
#include "ctl/out/bar.h"
#include "lib/base/buf.h"

#define N_POWERS 64

/* ---- the distribution: powers of two ---- */

static uint64_t power_from(unsigned int power)
{
	return power ? UINT64_C(1) << power : 0;
}

static uint64_t power_below(unsigned int power)
{
	return power < 63 ? UINT64_C(1) << (power + 1) : UINT64_MAX;
}

struct json_object *latency_powers(const struct latency_report *report, size_t group)
{
	static const struct column columns[] = { { .key = "from", .type = COL_DURATION },
						 { .key = "below", .type = COL_DURATION },
						 { .key = "count", .type = COL_NUMBER } };
	struct rows *rows = rows_new("log2", columns, ARRAY_SIZE(columns));
	struct json_object *list;

	for (unsigned int power = 0; power < N_POWERS; power++) {
		uint64_t count = dkt_intervals_power(report->pairs, group, power);

		if (count)
			rows_add(rows, val_number(power_from(power)),
				 val_number(power_below(power)), val_number(count));
	}
	list = rows_json(rows);
	rows_free(rows);
	return list;
}

void latency_print_powers(const struct latency_report *report)
{
	uint64_t counts[N_POWERS], max = 0;
	unsigned int first = N_POWERS, last = 0;
	char from[UNIT_SIZE], below[UNIT_SIZE], bar[BAR_SIZE], count[24];
	size_t room;

	for (unsigned int power = 0; power < N_POWERS; power++) {
		counts[power] = dkt_intervals_power(report->pairs, DKT_INTERVALS_ALL, power);
		if (!counts[power])
			continue;
		first = first == N_POWERS ? power : first;
		last = power;
		max = counts[power] > max ? counts[power] : max;
	}
	snprintf(count, sizeof(count), "%" PRIu64, max);
	room = bar_room(18 + 2 + strlen(count) + 1);
	putchar('\n');
	for (unsigned int power = first; power <= last && power < N_POWERS; power++) {
		duration_text(power_from(power), from);
		duration_text(power_below(power), below);
		bar_text(counts[power], max, bar, room);
		printf("%7s - %7s   %*" PRIu64 "%s%s\n", from, below, (int)strlen(count),
		       counts[power], *bar ? " " : "", bar);
	}
}

/* ---- the slowest ---- */

static const char *comm_of(const struct latency_report *report, const struct dkt_record *record)
{
	return report->source ? dkt_source_comm(report->source, record) : NULL;
}

/* The name of the system call if the record's text has only its number, as "NR 61 (...)". NULL: it has none. */
static const char *call_of(const struct latency_report *report, const struct dkt_record *record)
{
	const struct dkt_field *field = NULL;

	if (!strcmp(dkt_event_system(record->event), "raw_syscalls"))
		field = dkt_event_field(record->event, "id");
	return field ? dkt_syscall_name(report->ctx, (int)dkt_record_int(record, field)) : NULL;
}

static struct json_object *record_json(const struct latency_report *report,
				       const struct dkt_record *record, struct dkt_buf *buf)
{
	struct json_object *o = json_object_new_object();
	char *name __cleanup(free) = dkl_event_full_name(record->event);
	const char *text;
	size_t len;

	json_object_object_add(o, "time", val_number(record->ts));
	json_object_object_add(o, "cpu", val_number(record->cpu));
	json_object_object_add(o, "pid", json_object_new_int(record->pid));
	if (report->source)
		json_object_object_add(o, "comm", val_text(comm_of(report, record)));
	json_object_object_add(o, "event", val_text(name));
	if (call_of(report, record))
		json_object_object_add(o, "call", val_text(call_of(report, record)));
	dkt_buf_reset(buf);
	dkt_record_text(record, buf);
	text = dkt_buf_data(buf, &len);
	json_object_object_add(o, "text", json_object_new_string_len(text, (int)len));
	return o;
}

static void print_slow(const struct latency_report *report, const struct dkt_slow *slow,
		       struct dkt_buf *buf)
{
	const struct dkt_record *const records[] = { &slow->begin, &slow->end };
	const char *call = call_of(report, &slow->begin), *data;
	char text[UNIT_SIZE];
	size_t len;

	dkt_buf_reset(buf);
	for (size_t i = 0; i < ARRAY_SIZE(records); i++) {
		const char *comm = comm_of(report, records[i]);
		size_t from;

		dkt_buf_data(buf, &from);
		dkt_style_trace(records[i], comm ? comm : "<...>", buf);
		if (!OPT(report->app, print)->raw_text)
			dkt__buf_escape(buf, from);
	}
	duration_text(slow->ns, text);
	data = dkt_buf_data(buf, &len);
	printf("\n%s%s%s\n%.*s", text, call ? " " : "", call ?: "", (int)len, data);
}

int latency_put_slowest(const struct latency_report *report, struct out *out)
{
	static const struct column columns[] = { { .key = "ns", .type = COL_DURATION },
						 { .key = "begin", .type = COL_LIST },
						 { .key = "end", .type = COL_LIST } };
	struct rows *rows = rows_new("slowest", columns, ARRAY_SIZE(columns));
	struct dkt_buf *buf;
	struct dkt_slow slow;
	int err = dkt_buf_new(&buf);

	for (size_t i = 0; !err && !dkt_intervals_slow(report->pairs, i, &slow, sizeof(slow));
	     i++) {
		if (out->form == OUT_TEXT)
			print_slow(report, &slow, buf);
		else
			rows_add(rows, val_number(slow.ns), record_json(report, &slow.begin, buf),
				 record_json(report, &slow.end, buf));
		err = dkt_buf_error(buf);
	}
	dkt_buf_free(buf);
	out_data(out, rows);
	return err;
}

/* ---- uncounted records ---- */

static void note(uint64_t n, const char *text)
{
	if (n)
		app_say("%" PRIu64 " %s", n, text);
}

void latency_report_uncounted(const struct latency_report *report)
{
	struct dkt_intervals_info info;

	dkt_intervals_info(report->pairs, &info, sizeof(info));
	note(info.nested, "began again before they ended: the later beginning was counted");
	note(info.unmatched_ends, "ended without a recorded beginning");
	note(info.open + info.unmatched_begins, "began and did not end");
	note(info.spanned, "not counted because records were lost meanwhile");
}
