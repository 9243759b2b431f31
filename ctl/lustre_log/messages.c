/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lustre messages: the source lines that filled the log. lustre masks: what the log lacks. */
#include <inttypes.h>

#include "compat/lustre/mask.h"
#include "compat/lustre_log/sites.h"
#include "ctl/lustre_log/lustre_log.h"
#include "ctl/out/bar.h"
#include "lib/base/buf.h"

#define USUAL_TOP 20

static int add_line(void *data, const struct log_line *line)
{
	return dkl_sites_add(data, line);
}

static int read_sites(struct lustre *lustre, struct sites *sites)
{
	const struct lustre_sink sink = { .line = add_line, .data = sites };

	dkl_sites_init(sites, lustre->app->ctx);
	return lustre_each(lustre, &sink);
}

/* ---- messages ---- */

enum { COUNT, BYTES, SHARE, CLASS, SUBSYSTEM, PLACE, COLUMNS };

static const struct column columns[COLUMNS] = {
	[COUNT] = { .key = "count", .type = COL_NUMBER },
	[BYTES] = { .key = "bytes", .type = COL_NUMBER },
	[SHARE] = { .key = "share", .type = COL_PERCENT, .flags = COL_PEOPLE },
	[CLASS] = { .key = "class", .none = "-" },
	[SUBSYSTEM] = { .key = "subsystem", .none = "-" },
	[PLACE] = { .key = "place" },
};

static struct json_object *mask_words(enum mask_kind kind, uint32_t mask)
{
	char text[MASK_TEXT_SIZE];

	if (!mask)
		return NULL;
	dkl_mask_format(kind, mask, text);
	return val_text(text);
}

static int add_site(const struct sites *sites, const struct message_site *site, struct rows *rows)
{
	char *place __cleanup(free) = dkt__format("%s:%" PRIu32 ":%s()",
						  name_text(&sites->names, site->file), site->line,
						  name_text(&sites->names, site->function));

	if (!place)
		return -ENOMEM;
	rows_add(rows, val_number(site->count), val_number(site->bytes), val_number(site->bytes),
		 mask_words(MASK_DEBUG, site->classes),
		 mask_words(MASK_SUBSYSTEM, site->subsystems), val_text(place));
	return 0;
}

static int print_messages(const struct lustre *lustre, const struct sites *sites,
			  const struct lustre_order *order)
{
	struct column own[COLUMNS];
	struct rows *rows;
	struct out out;
	int err = 0;

	memcpy(own, columns, sizeof(own));
	own[SHARE].total = sites->bytes;
	rows = rows_new("sites", own, COLUMNS);
	print_begin(lustre->app, &out, 0);
	for (size_t i = 0; !err && i < sites->n; i++)
		err = add_site(sites, &sites->list[i], rows);
	lustre_put(lustre, &out, rows, order, USUAL_TOP);
	out_json(&out, "messages", val_number(sites->count));
	out_json(&out, "bytes", val_number(sites->bytes));
	return out_end(&out) ? -ENOMEM : err;
}

int lustre_messages(struct lustre *lustre)
{
	struct lustre_order order;
	struct sites sites;
	int err = lustre_order_read(lustre->app, columns, COLUMNS, BYTES, &order);

	if (err)
		return err;
	err = read_sites(lustre, &sites);
	if (!err)
		err = print_messages(lustre, &sites, &order);
	dkl_sites_clear(&sites);
	return err;
}

/* ---- masks ---- */

/* The class that an analysis needs, and why. */
static const struct need {
	const char *analysis;
	const char *class;
	const char *gives;
} needs[] = {
	{ "rpc", "rpctrace", "requests, their queue and service times, resends" },
	{ "rpc", "ha", "recovery and why requests are sent again" },
	{ "rpc", "net", "when bytes leave and arrive, bulk transfers" },
	{ "locks", "dlmtrace", "enqueues, callbacks, cancels, conflicts" },
	{ "evictions", "ha", "connections, pings, recovery" },
	{ "evictions", "console", "evictions and lost connections" },
	{ "evictions", "rpctrace", "the last request of each client" },
	{ "evictions", "dlmtrace", "the callback that a client did not answer" },
	{ "leaks", "malloc", "each allocation and free" },
	{ "timeline", "vfstrace", "system calls on files, with their FIDs" },
	{ "timeline", "inode", "FIDs of objects and inodes" },
	{ "timeline", "info", "arrival of each request with its size" },
};

static void put_span(const struct sites *sites, struct out *out)
{
	uint64_t ns = sites->last > sites->first ? sites->last - sites->first : 0;
	char span[UNIT_SIZE];

	duration_text(ns, span);
	out_json(out, "span", val_number(ns));
	out_json(out, "messages", val_number(sites->count));
	out_line(out, "log", "%" PRIu64 " messages, %s from the first to the last", sites->count,
		 span);
}

static void put_present(const struct sites *sites, struct out *out)
{
	char text[MASK_TEXT_SIZE];

	dkl_mask_format(MASK_DEBUG, sites->classes, text);
	out_field(out, "classes", text);
	dkl_mask_format(MASK_SUBSYSTEM, sites->subsystems, text);
	out_field(out, "subsystems", text);
}

/* The setting that adds the classes of which the log has no message. */
static int put_setting(const struct sites *sites, struct out *out)
{
	char *words = strdup(""), *more;

	for (size_t i = 0; words && i < ARRAY_SIZE(needs); i++) {
		int bit = dkl_mask_bit(MASK_DEBUG, needs[i].class, strlen(needs[i].class));

		if (sites->by_class[bit] || strstr(words, needs[i].class))
			continue;
		more = dkt__format("%s+%s", words, needs[i].class);
		free(words);
		words = more;
	}
	if (words && *words)
		out_line(out, "to add", "lctl set_param debug=%s", words);
	out_put(out, "missing", words && *words ? val_text(words) : NULL);
	free(words);
	return words ? 0 : -ENOMEM;
}

int lustre_masks(struct lustre *lustre)
{
	static const struct column mask_columns[] = {
		{ .key = "analysis" },
		{ .key = "class" },
		{ .key = "messages", .type = COL_NUMBER },
		{ .key = "gives", .flags = COL_FOLD },
	};
	struct sites sites;
	struct out out;
	struct rows *rows;
	int err = read_sites(lustre, &sites);

	if (err) {
		dkl_sites_clear(&sites);
		return err;
	}
	print_begin(lustre->app, &out, 12);
	put_span(&sites, &out);
	put_present(&sites, &out);
	err = put_setting(&sites, &out);
	rows = rows_new("needs", mask_columns, ARRAY_SIZE(mask_columns));
	for (size_t i = 0; i < ARRAY_SIZE(needs); i++) {
		int bit = dkl_mask_bit(MASK_DEBUG, needs[i].class, strlen(needs[i].class));

		rows_add(rows, val_text(needs[i].analysis), val_text(needs[i].class),
			 val_number(sites.by_class[bit]), val_text(needs[i].gives));
	}
	out_rows(&out, rows);
	dkl_sites_clear(&sites);
	return out_end(&out) ? -ENOMEM : err;
}
