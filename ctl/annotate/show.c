/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints the lines and instructions of a function with their shares of its samples. */
#include <inttypes.h>
#include <sys/stat.h>

#include "ctl/annotate/annotate.h"
#include "ctl/out/bar.h"
#include "lib/base/buf.h"

/* The share from which on an arrow points at an instruction. */
#define HOT 0.1

/* The smallest part of the listing: an instruction, or without instructions a place that has samples. */
struct unit {
	uint64_t offset;
	const char *text; /* NULL: the instruction is unknown */
	struct annotate_value value;
	struct dkt__listing_line line; /* file NULL: unknown */
};

/* A line of the source, wherever its code is. */
struct line {
	struct dkt__listing_line line;
	struct annotate_value value;
};

struct pieces {
	const struct annotate_view *view;
	const struct annotate_function *function;
	struct dkt__listing *listing;
	struct unit *units;
	size_t n;
	struct line *lines;
	size_t n_lines;
	struct source_files sources;
	uid_t owner; /* of the program; -1: unknown */
};

static void dkt__piecesp(struct pieces *pieces)
{
	free(pieces->units);
	free(pieces->lines);
	source_files_clear(&pieces->sources);
}

static double share_of(const struct pieces *pieces, const struct annotate_value *value)
{
	const uint64_t all = pieces->function->value.weight;

	return all ? (double)value->weight / (double)all : 0;
}

/* Nothing for people where there are no samples. */
static struct json_object *share_value(const struct pieces *pieces,
				       const struct annotate_value *value)
{
	return value->samples ? json_object_new_double(share_of(pieces, value)) : NULL;
}

/* ---- pieces ---- */

static bool same_line(const struct dkt__listing_line *a, const struct dkt__listing_line *b)
{
	if (!a->file || !b->file)
		return a->file == b->file;
	return a->line == b->line && !strcmp(a->file, b->file);
}

/* A sample can be within an instruction if the listing goes wrong: it counts for that one. */
static int make_units(struct pieces *pieces)
{
	const struct dkt__listing *listing = pieces->listing;
	const struct annotate_function *function = pieces->function;
	uint32_t at = 0;
	int err = 0;

	for (size_t i = 0; !err && i < listing->n; i++) {
		struct unit unit = { .offset = listing->list[i].offset,
				     .text = listing->list[i].text };

		for (; at < function->n &&
		       function->list[at].offset < unit.offset + listing->list[i].size;
		     at++) {
			unit.value.samples += function->list[at].value.samples;
			unit.value.weight += function->list[at].value.weight;
		}
		err = dkt__append(pieces->units, pieces->n, unit);
	}
	for (; !err && at < function->n; at++)
		err = dkt__append(pieces->units, pieces->n,
				  (struct unit){ .offset = function->list[at].offset,
						 .value = function->list[at].value });
	for (size_t i = 0; !err && listing->binary && i < pieces->n; i++)
		dkt__listing_line(pieces->listing, pieces->units[i].offset, &pieces->units[i].line);
	return err;
}

static int by_place(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	return strcmp(x->line.file, y->line.file) ?: x->line.line - y->line.line;
}

static int by_weight(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->value.weight != y->value.weight)
		return x->value.weight < y->value.weight ? 1 : -1;
	return by_place(a, b);
}

static int make_lines(struct pieces *pieces)
{
	size_t n = 0;

	for (size_t i = 0; i < pieces->n; i++) {
		const struct unit *unit = &pieces->units[i];

		if (unit->line.file && unit->value.samples &&
		    dkt__append(pieces->lines, pieces->n_lines,
				(struct line){ unit->line, unit->value }))
			return -ENOMEM;
	}
	if (!pieces->n_lines)
		return 0;
	qsort(pieces->lines, pieces->n_lines, sizeof(*pieces->lines), by_place);
	for (size_t i = 1; i < pieces->n_lines; i++) {
		if (!same_line(&pieces->lines[n].line, &pieces->lines[i].line)) {
			pieces->lines[++n] = pieces->lines[i];
			continue;
		}
		pieces->lines[n].value.samples += pieces->lines[i].value.samples;
		pieces->lines[n].value.weight += pieces->lines[i].value.weight;
	}
	pieces->n_lines = n + 1;
	qsort(pieces->lines, pieces->n_lines, sizeof(*pieces->lines), by_weight);
	return 0;
}

/* ---- texts ---- */

/* "prog.c:12 (inlined: add)" */
static char *line_words(const struct dkt__listing_line *line)
{
	const char *slash = strrchr(line->file, '/');

	return dkt__format("%s:%d%s%s%s", slash ? slash + 1 : line->file, line->line,
			   line->inlined ? " (" : "", line->inlined ? line->inlined : "",
			   line->inlined ? ")" : "");
}

static const char *source_of(struct pieces *pieces, const struct dkt__listing_line *line)
{
	return line->file ? source_line(&pieces->sources, line->file, line->line, pieces->owner) :
			    NULL;
}

static const char *without_indent(const char *text)
{
	return text ? text + strspn(text, " \t") : NULL;
}

/* ---- the facts ---- */

static void put_facts(const struct pieces *pieces, const char *missing, struct out *out)
{
	const struct annotate *annotate = pieces->view->annotate;
	const struct annotate_function *function = pieces->function;
	const struct dkt__listing *listing = pieces->listing;
	const double share = annotate->all.weight ?
				     (double)function->value.weight / (double)annotate->all.weight :
				     0;
	const char *file = listing->path       ? listing->path :
			   function->spot.path ? function->spot.path :
						 function->dso;
	char more[48] = "";

	if (pieces->view->n_files > 1)
		snprintf(more, sizeof(more), " and %zu more", pieces->view->n_files - 1);
	out_line(out, "", "%s%s: %" PRIu64 " of %" PRIu64 " samples of %s (%.2f %%) are in %s, %s",
		 pieces->view->path, more, function->value.samples, annotate->all.samples,
		 annotate->event, 100 * share, function->name, file);
	if (listing->copy)
		out_line(out, "", "It is a copy of %s, of the same build.", function->spot.path);
	if (missing)
		out_line(out, "",
			 "Instructions and lines are unknown: %s. Addresses are distances from the"
			 " start of the function.",
			 missing);
	if (listing->no_code)
		out_line(out, "", "Instructions are unknown: %s.", listing->no_code);
	if (listing->no_lines)
		out_line(out, "", "Lines of the source are unknown: %s.", listing->no_lines);
	out_json(out, "function", val_text(function->name));
	out_json(out, "file", val_text(file));
	out_json(out, "recorded_file", val_text(function->spot.path));
	out_json(out, "event", val_text(annotate->event));
	out_json(out, "samples", val_number(function->value.samples));
	out_json(out, "weight", val_number(function->value.weight));
	out_json(out, "share", json_object_new_double(share));
	out_json(out, "address", listing->path ? val_number(listing->address) : NULL);
	out_json(out, "without_instructions", val_text(missing ? missing : listing->no_code));
	out_json(out, "without_lines", val_text(missing ? missing : listing->no_lines));
}

/* Names what has the function's name too, and events that are not shown. */
static void put_others(const struct pieces *pieces, struct out *out)
{
	const struct annotate *annotate = pieces->view->annotate;
	struct json_object *list = json_object_new_array();

	for (uint32_t i = 1; i < annotate->n; i++) {
		const struct annotate_function *function = &annotate->list[i];
		struct json_object *object = json_object_new_object();

		json_object_object_add(object, "file",
				       val_text(function->spot.path ? function->spot.path :
								      function->dso));
		json_object_object_add(object, "samples", val_number(function->value.samples));
		json_object_array_add(list, object);
		out_line(out, "", "Not shown: %" PRIu64 " samples of %s in %s; --dso selects it.",
			 function->value.samples, function->name,
			 function->spot.path ? function->spot.path : function->dso);
	}
	out_json(out, "others", list);
	for (uint32_t i = 0; i < annotate->n_others; i++)
		out_line(out, "",
			 "Not shown: %" PRIu64 " samples of %s; -e 'perf:%s' selects them.",
			 annotate->others[i].samples, annotate->others[i].name,
			 annotate->others[i].name);
	if (annotate->left_out)
		out_line(out, "", "There are more functions of that name than are looked at.");
}

/* Says once of each file why its text is not there. */
static void put_unshown(const struct pieces *pieces, struct out *out)
{
	for (size_t i = 0; i < pieces->sources.n; i++)
		if (pieces->sources.list[i]->reason)
			out_line(out, "", "%s is not shown: %s.", pieces->sources.list[i]->path,
				 pieces->sources.list[i]->reason);
}

/* ---- the tables ---- */

static void put_lines(struct pieces *pieces, struct out *out)
{
	static const struct column columns[] = {
		{ .key = "share", .type = COL_SHARE },
		{ .key = "samples", .type = COL_NUMBER },
		{ .key = "weight", .type = COL_NUMBER, .flags = COL_DATA },
		{ .key = "file", .flags = COL_DATA },
		{ .key = "line", .type = COL_NUMBER, .flags = COL_DATA },
		{ .key = "inlined", .flags = COL_DATA },
		{ .key = "line_words", .heading = "LINE", .flags = COL_PEOPLE },
		{ .key = "source", .flags = COL_FOLD },
	};
	struct rows *rows = rows_new("lines", columns, ARRAY_SIZE(columns));

	for (size_t i = 0; i < pieces->n_lines && i < pieces->view->top; i++) {
		const struct line *line = &pieces->lines[i];
		char *words __cleanup(free) = line_words(&line->line);

		rows_add(rows, share_value(pieces, &line->value), val_number(line->value.samples),
			 val_number(line->value.weight), val_text(line->line.file),
			 val_number((uint64_t)line->line.line), val_text(line->line.inlined),
			 val_text(words), val_text(without_indent(source_of(pieces, &line->line))));
	}
	out_rows(out, rows);
}

/* The sum of the units from i on that are of the same line. */
static struct annotate_value sum_of(const struct pieces *pieces, size_t i)
{
	const struct dkt__listing_line *line = &pieces->units[i].line;
	struct annotate_value sum = { 0 };

	for (; i < pieces->n && same_line(line, &pieces->units[i].line); i++) {
		sum.samples += pieces->units[i].value.samples;
		sum.weight += pieces->units[i].value.weight;
	}
	return sum;
}

enum { CODE_SHARE, CODE_ARROW, CODE_ADDRESS, CODE_TEXT, CODE_COLUMNS };

static void put_line_row(struct pieces *pieces, size_t i, struct rows *rows)
{
	const struct unit *unit = &pieces->units[i];
	const struct annotate_value sum = sum_of(pieces, i);
	char *words __cleanup(free) = line_words(&unit->line);
	const char *source = source_of(pieces, &unit->line);
	char *text __cleanup(free) =
		dkt__format("%s%s%s", words ? words : "", source ? "  " : "", source ? source : "");

	rows_add(rows, share_value(pieces, &sum), NULL, NULL, val_text(text));
}

/* For people a line of the source is above its instructions. */
static void put_listing(struct pieces *pieces, struct out *out)
{
	static const struct column columns[] = {
		[CODE_SHARE] = { .key = "share", .type = COL_SHARE },
		[CODE_ARROW] = { .key = "hot", .heading = "" },
		[CODE_ADDRESS] = { .key = "address", .type = COL_HEX },
		[CODE_TEXT] = { .key = "code" },
	};
	struct rows *rows = rows_new("listing", columns, ARRAY_SIZE(columns));

	for (size_t i = 0; i < pieces->n; i++) {
		const struct unit *unit = &pieces->units[i];
		const bool begins = !i || !same_line(&unit->line, &pieces->units[i - 1].line);
		char *text __cleanup(free) = dkt__format("    %s", unit->text ? unit->text : "");

		if (unit->line.file && begins)
			put_line_row(pieces, i, rows);
		rows_add(rows, share_value(pieces, &unit->value),
			 val_text(share_of(pieces, &unit->value) >= HOT ? "->" : ""),
			 val_number(pieces->listing->address + unit->offset), val_text(text));
	}
	out_rows(out, rows);
}

/* Programs get one kind of rows. */
static void put_instructions(struct pieces *pieces, struct out *out)
{
	static const struct column columns[] = {
		{ .key = "share", .type = COL_SHARE },
		{ .key = "samples", .type = COL_NUMBER },
		{ .key = "weight", .type = COL_NUMBER },
		{ .key = "address", .type = COL_NUMBER },
		{ .key = "offset", .type = COL_NUMBER },
		{ .key = "instruction" },
		{ .key = "file" },
		{ .key = "line", .type = COL_NUMBER },
		{ .key = "inlined" },
		{ .key = "source" },
	};
	struct rows *rows = rows_new("instructions", columns, ARRAY_SIZE(columns));

	for (size_t i = 0; i < pieces->n; i++) {
		const struct unit *unit = &pieces->units[i];
		const struct dkt__listing_line *line = &unit->line;

		rows_add(rows, json_object_new_double(share_of(pieces, &unit->value)),
			 val_number(unit->value.samples), val_number(unit->value.weight),
			 val_number(pieces->listing->address + unit->offset),
			 val_number(unit->offset), val_text(unit->text), val_text(line->file),
			 line->file ? val_number((uint64_t)line->line) : NULL,
			 val_text(line->inlined), val_text(source_of(pieces, line)));
	}
	out_data(out, rows);
}

int annotate_show(const struct annotate_view *view, struct dkt__listing *listing,
		  const char *missing, struct out *out)
{
	struct pieces pieces __cleanup(pieces) = { .view = view,
						   .function = &view->annotate->list[0],
						   .listing = listing,
						   .owner = (uid_t)-1 };
	struct stat st;
	int err = make_units(&pieces);

	/* A copy belongs to whoever keeps it. */
	if (listing->path && !listing->copy && !stat(listing->path, &st))
		pieces.owner = st.st_uid;
	if (!err)
		err = make_lines(&pieces);
	if (err)
		return err;
	put_facts(&pieces, missing, out);
	put_others(&pieces, out);
	put_lines(&pieces, out);
	if (out->form == OUT_TEXT)
		put_listing(&pieces, out);
	else
		put_instructions(&pieces, out);
	put_unshown(&pieces, out);
	return 0;
}
