/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints the tables of lustre: sorted, limited in number, with times as the log has them. */
#include <inttypes.h>

#include "compat/lustre_log/opcode.h"
#include "compat/lustre_log/rpc_text.h"
#include "ctl/app/groups.h"
#include "ctl/lustre_log/lustre_log.h"

#define ASCENDING  ".ascending"
#define DESCENDING ".descending"

struct json_object *lustre_time(const struct lustre *lustre, uint64_t ns)
{
	char text[48];

	if (!ns)
		return NULL;
	ns = (uint64_t)dkt__wall_time(ns, dkt_source_info(lustre->in.pipeline.source)->wall);
	snprintf(text, sizeof(text), "%" PRIu64 ".%06" PRIu64, ns / 1000000000,
		 ns / 1000 % 1000000);
	return json_object_new_double_s((double)ns / 1e9, text);
}

struct json_object *lustre_clock(const struct lustre *lustre, uint64_t ns)
{
	const struct dkt_source_info *info = dkt_source_info(lustre->in.pipeline.parts[0].source);

	return ns && info->has_wall ? val_when(dkt__wall_time(ns, info->wall) / DKT__NSEC_PER_SEC) :
				      NULL;
}

struct json_object *lustre_opcode(uint32_t opcode)
{
	char text[OPCODE_TEXT_SIZE];

	if (opcode == OPCODE_UNKNOWN)
		return NULL;
	dkl_opcode_text(opcode, text);
	return val_text(text);
}

void lustre_tell(uint64_t n, const char *noun, const char *words)
{
	if (n)
		app_say("%" PRIu64 " %s%s %s", n, noun, n == 1 ? "" : "s", words);
}

/* ---- order ---- */

static bool ends_in(const char *text, size_t *len, const char *end)
{
	size_t n = strlen(end);

	if (*len < n || memcmp(text + *len - n, end, n) != 0)
		return false;
	*len -= n;
	return true;
}

static int no_column(const char *text, size_t len, const struct column *columns, size_t n)
{
	struct dkt__guess guess;
	char names[256] = "";
	size_t used = 0;

	dkt__guess_start(&guess, text, len);
	for (size_t i = 0; i < n && used < sizeof(names); i++) {
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "",
					 columns[i].key);
		dkt__guess_try(&guess, columns[i].key);
	}
	return app_usage("--sort: '%.*s' is not a column; the columns are %s%s", (int)len, text,
			 names, dkt__guess_words(&guess));
}

int lustre_order_read(const struct app *app, const struct column *columns, size_t n, size_t usual,
		      struct lustre_order *order)
{
	const char *text = OPT(app, lustre)->sort;
	size_t len = text ? strlen(text) : 0;

	*order = (struct lustre_order){ .column = usual, .descending = true };
	if (!text)
		return 0;
	order->descending = ends_in(text, &len, DESCENDING) || !ends_in(text, &len, ASCENDING);
	for (size_t i = 0; i < n; i++)
		if (strlen(columns[i].key) == len && !memcmp(columns[i].key, text, len)) {
			order->column = i;
			return 0;
		}
	return no_column(text, len, columns, n);
}

void lustre_put(const struct lustre *lustre, struct out *out, struct rows *rows,
		const struct lustre_order *order, size_t most)
{
	size_t n = rows_count(rows),
	       top = OPT(lustre->app, print)->top ? (size_t)lustre->top : most;

	if (order)
		rows_sort(rows, order->column, order->descending);
	if (top)
		rows_cut(rows, top);
	out_rows(out, rows);
	if (out->form == OUT_TEXT && top && top < n)
		printf("(%zu more rows)\n", n - top);
}
