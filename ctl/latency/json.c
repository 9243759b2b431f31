/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* latency as JSON, and as CSV: all times in ns. */
#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>

#include "latency/latency.h"
#include "out/csv.h"
#include "out/shown.h"

static const struct {
	const char *name;
	double part;
} parts[] = { { "p50", 0.5 }, { "p90", 0.9 }, { "p99", 0.99 }, { "p99.9", 0.999 } };

#define N_POWERS 64

static void put(struct json_object *o, const char *name, uint64_t value)
{
	json_object_object_add(o, name, json_object_new_uint64(value));
}

static struct json_object *group_json(const struct latency_report *report, size_t group)
{
	struct json_object *o = json_object_new_object(), *powers = json_object_new_array();
	struct dkt_latency latency;
	unsigned int power;
	size_t i;

	dkt_pairs_group(report->pairs, group, &latency);
	if (group != DKT_PAIRS_ALL)
		json_object_object_add(o, "group", json_object_new_string(latency.name));
	put(o, "count", latency.count);
	put(o, "min", latency.min);
	for (i = 0; i < ARRAY_SIZE(parts); i++)
		put(o, parts[i].name, dkt_pairs_quantile(report->pairs, group, parts[i].part));
	put(o, "max", latency.max);
	put(o, "total", latency.sum);
	for (power = 0; power < N_POWERS; power++) {
		uint64_t count = dkt_pairs_power(report->pairs, group, power);
		struct json_object *bucket;

		if (!count)
			continue;
		bucket = json_object_new_object();
		put(bucket, "from", power ? UINT64_C(1) << power : 0);
		put(bucket, "below", power < 63 ? UINT64_C(1) << (power + 1) : UINT64_MAX);
		put(bucket, "count", count);
		json_object_array_add(powers, bucket);
	}
	json_object_object_add(o, "log2", powers);
	return o;
}

static struct json_object *record_json(const struct latency_report *report,
				       const struct dkt_record *record)
{
	struct json_object *o = json_object_new_object();
	struct dkt_buf *buf;
	const char *text;
	size_t len;

	put(o, "time", record->ts);
	put(o, "cpu", record->cpu);
	json_object_object_add(o, "pid", json_object_new_int(record->pid));
	if (report->source)
		json_object_object_add(
			o, "comm", json_object_new_string(dkt_source_comm(report->source, record)));
	if (dkt_buf_new(&buf))
		return o;
	dkt_buf_printf(buf, "%s:%s", dkt_event_system(record->event),
		       dkt_event_name(record->event));
	text = dkt_buf_data(buf, &len);
	json_object_object_add(o, "event", json_object_new_string_len(text, (int)len));
	dkt_buf_reset(buf);
	dkt_record_text(record, buf);
	text = dkt_buf_data(buf, &len);
	json_object_object_add(o, "text", json_object_new_string_len(text, (int)len));
	dkt_buf_free(buf);
	return o;
}

static struct json_object *slowest_json(const struct latency_report *report)
{
	struct json_object *list = json_object_new_array();
	struct dkt_slow slow;
	size_t i;

	for (i = 0; !dkt_pairs_slow(report->pairs, i, &slow); i++) {
		struct json_object *o = json_object_new_object();

		put(o, "ns", slow.ns);
		json_object_object_add(o, "begin", record_json(report, &slow.begin));
		json_object_object_add(o, "end", record_json(report, &slow.end));
		json_object_array_add(list, o);
	}
	return list;
}

int latency_print_json(const struct latency_report *report, FILE *out)
{
	size_t i, n, *order __cleanup(free) = latency_order(report, &n);
	struct json_object *root, *groups;
	struct dkt_pairs_info info;

	if (!order)
		return -ENOMEM;
	root = json_object_new_object();
	groups = json_object_new_array();
	dkt_pairs_info(report->pairs, &info);
	json_object_object_add(root, "all", group_json(report, DKT_PAIRS_ALL));
	for (i = 0; *report->title && i < latency_rows(report, n); i++)
		json_object_array_add(groups, group_json(report, order[i]));
	json_object_object_add(root, "groups", groups);
	json_object_object_add(root, "slowest", slowest_json(report));
	put(root, "begins", info.begins);
	put(root, "ends", info.ends);
	put(root, "nested", info.nested);
	put(root, "unmatched_begins", info.open + info.unmatched_begins);
	put(root, "unmatched_ends", info.unmatched_ends);
	put(root, "spanned", info.spanned);
	put(root, "records", report->seen);
	put(root, "lost", report->lost);
	return shown_object(root, out);
}

int latency_print_csv(const struct latency_report *report, FILE *out)
{
	size_t i, n, *order __cleanup(free) = latency_order(report, &n);
	size_t part;

	if (!order)
		return -ENOMEM;
	fprintf(out, "group,count,min,p50,p90,p99,p99.9,max,total\n");
	for (i = 0; i < latency_rows(report, n); i++) {
		struct dkt_latency latency;

		dkt_pairs_group(report->pairs, order[i], &latency);
		csv_text(latency.name, report->app->raw_text, out);
		fprintf(out, ",%" PRIu64 ",%" PRIu64, latency.count, latency.min);
		for (part = 0; part < ARRAY_SIZE(parts); part++)
			fprintf(out, ",%" PRIu64,
				dkt_pairs_quantile(report->pairs, order[i], parts[part].part));
		fprintf(out, ",%" PRIu64 ",%" PRIu64 "\n", latency.max, latency.sum);
	}
	return 0;
}
