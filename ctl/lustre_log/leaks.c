/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lustre leaks: memory that was allocated and not freed, by source line. */
#include <inttypes.h>

#include "compat/lustre_log/leaks.h"
#include "ctl/lustre_log/lustre_log.h"
#include "lib/base/buf.h"

enum { BYTES, PIECES, ALLOCATED, TWICE, UNKNOWN, SIZES, AGAIN, PLACE, NAME, FUNCTION, COLUMNS };

static const struct column columns[COLUMNS] = {
	[BYTES] = { .key = "bytes", .type = COL_NUMBER },
	[PIECES] = { .key = "leaked", .type = COL_NUMBER },
	[ALLOCATED] = { .key = "allocated", .type = COL_NUMBER },
	[TWICE] = { .key = "double_frees", .type = COL_NUMBER, .heading = "DOUBLE" },
	[UNKNOWN] = { .key = "unknown_frees", .type = COL_NUMBER, .heading = "UNKNOWN" },
	[SIZES] = { .key = "other_sizes", .type = COL_NUMBER, .heading = "SIZES" },
	[AGAIN] = { .key = "allocated_again", .type = COL_NUMBER, .heading = "AGAIN" },
	[PLACE] = { .key = "place" },
	[NAME] = { .key = "variable" },
	[FUNCTION] = { .key = "function", .flags = COL_DATA },
};

struct view {
	struct lustre *lustre;
	struct leaks leaks;
	struct lustre_order order;
};

static int add_line(void *data, const struct log_line *line)
{
	return dkl_leaks_add(&((struct view *)data)->leaks, line);
}

static int add_gap(void *data, uint32_t host, const struct dkt_record *gap)
{
	(void)host;
	(void)gap;
	((struct view *)data)->leaks.lost = true;
	return 0;
}

static bool is_of_interest(const struct leak_site *site)
{
	return site->allocated != site->freed || site->twice || site->unknown || site->other_size ||
	       site->again;
}

static int add_site(const struct leaks *leaks, const struct leak_site *site, struct rows *rows)
{
	char *place __cleanup(free) =
		dkt__format("%s:%" PRIu32, name_text(&leaks->names, site->file), site->line);

	if (!place)
		return -ENOMEM;
	rows_add(rows, val_number(site->live_bytes), val_number(site->allocated - site->freed),
		 val_number(site->allocated), val_number(site->twice), val_number(site->unknown),
		 val_number(site->other_size), val_number(site->again), val_text(place),
		 val_text(name_text(&leaks->names, site->name)),
		 val_text(name_text(&leaks->names, site->function)));
	return 0;
}

static int print(struct view *view)
{
	const struct leaks *leaks = &view->leaks;
	struct rows *rows = rows_new("sites", columns, COLUMNS);
	struct out out;
	int err = 0;

	print_begin(view->lustre->app, &out, 0);
	for (size_t i = 0; !err && i < leaks->n_sites; i++)
		if (is_of_interest(&leaks->sites[i]))
			err = add_site(leaks, &leaks->sites[i], rows);
	lustre_put(view->lustre, &out, rows, &view->order, 0);
	if (out.form == OUT_TEXT && out.any)
		putchar('\n');
	out_line(&out, "",
		 "%" PRIu64 " bytes leaked, at most %" PRIu64 " in use; %" PRIu64
		 " allocations, %" PRIu64 " frees; %" PRIu64 " double frees, %" PRIu64
		 " frees of memory that the log does not allocate",
		 leaks->bytes, leaks->most, leaks->allocs, leaks->frees, leaks->twice,
		 leaks->unknown);
	out_json(&out, "leaked", val_number(leaks->bytes));
	out_json(&out, "most", val_number(leaks->most));
	out_json(&out, "allocations", val_number(leaks->allocs));
	out_json(&out, "frees", val_number(leaks->frees));
	out_json(&out, "double_frees", val_number(leaks->twice));
	out_json(&out, "unknown_frees", val_number(leaks->unknown));
	out_json(&out, "lost", val_bool(leaks->lost));
	return out_end(&out) ? -ENOMEM : err;
}

static int restart(void *data, uint32_t host)
{
	struct view *view = data;

	dkl_leaks_restart(&view->leaks, host);
	return 0;
}

int lustre_leaks(struct lustre *lustre)
{
	struct view view = { .lustre = lustre };
	const struct lustre_sink sink = { add_line, add_gap, restart, NULL, &view };
	int err = lustre_order_read(lustre->app, columns, COLUMNS, BYTES, &view.order);

	if (err)
		return err;
	dkl_leaks_init(&view.leaks, lustre->app->ctx);
	err = lustre_each(lustre, &sink);
	for (size_t i = 0; i < lustre->in.pipeline.n; i++)
		view.leaks.lost |= lustre->in.pipeline.parts[i].losses.messages != 0;
	if (!err && !view.leaks.allocs && !view.leaks.frees)
		app_say("no messages about memory: set debug=+malloc before the log is made");
	if (!err && view.leaks.lost)
		app_say("records were lost: memory may have been freed that is counted as leaked");
	if (!err) {
		lustre_tell(
			view.leaks.hidden, "message",
			"not counted: without an address, as a kernel writes until it has random"
			" numbers");
		lustre_tell(
			view.leaks.cut, "allocation",
			"not counted as leaked: in use when a host was started again, or its clock"
			" set back");
	}
	if (!err)
		err = print(&view);
	dkl_leaks_clear(&view.leaks);
	return err;
}
