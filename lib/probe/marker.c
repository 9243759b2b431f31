/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Probes on the static markers of programs: PROVIDER:NAME. */
#include <fnmatch.h>

#include "lib/debuginfo/sdt.h"
#include "lib/probe/define.h"

/* A marker's arguments come from its note, variables from debug information. */
struct marker_place {
	struct dwarf_place at; /* first: the callbacks for DWARF get its address */
	const struct sdt_note *note;
};

static int marker_argument(struct probe_scope *scope, unsigned int n, struct probe_value *value)
{
	const struct marker_place *place = scope->data;
	struct sdt_arg arg;
	const char *why = dkt__sdt_arg(scope->machine, place->note->args, n, &arg);

	if (why)
		return dkt_fail(scope->ctx, -EINVAL,
				"argument %u of %s cannot be fetched: %s (its arguments: %s)", n,
				scope->where, why, *place->note->args ? place->note->args : "none");
	snprintf(value->fetch, sizeof(value->fetch), "%s", arg.fetch);
	snprintf(value->plain, sizeof(value->plain), "%s", arg.type);
	return 0;
}

/* Returns "arg1 arg2 arg3", the default: markers exist for their arguments. */
static char *all_arguments(const struct sdt_note *note)
{
	unsigned int n = dkt__sdt_args(note->args);
	struct dkt_buf buf = { 0 };

	for (unsigned int i = 1; i <= n; i++)
		dkt_buf_printf(&buf, "%sarg%u", i > 1 ? " " : "", i);
	return dkt__buf_take(&buf);
}

/* Sets *text to FILE:OFFSET, followed by the offset of the marker's counter if it has one. */
static int place_text(struct dkt__binary *binary, const struct sdt_note *note, char **text)
{
	uint64_t offset, counter = 0;
	char behind[24] = "";
	int err = dkt__binary_offset(binary, note->address, &offset);

	if (!err && note->semaphore)
		err = dkt__binary_data_offset(binary, note->semaphore, &counter);
	if (err)
		return err;
	if (note->semaphore)
		snprintf(behind, sizeof(behind), "(0x%llx)", (unsigned long long)counter);
	*text = dkt__format("%s:0x%llx%s", binary->path, (unsigned long long)offset, behind);
	return *text ? 0 : dkt__no_memory(binary->ctx);
}

static int add_marker(struct probe_define *define, const struct sdt_note *note)
{
	struct dkt__binary *binary = define->binary;
	struct marker_place place = { .note = note };
	char *where __cleanup(free) = dkt__format("%s:%s", note->provider, note->name);
	struct probe_scope scope = { .ctx = define->ctx,
				     .features = &define->features,
				     .machine = binary->machine,
				     .is_user = true };
	const char *const *given = define->args;
	char *all __cleanup(free) = define->n ? NULL : all_arguments(note);
	size_t n_given = define->n;
	char *text __cleanup(free) = NULL;
	int err = place_text(binary, note, &text);

	if (!err)
		err = dkt__probe_check_instruction(define, note->address, false);
	if (!err && (!where || (!define->n && !all)))
		err = dkt__no_memory(define->ctx);
	if (err)
		return err;
	scope.where = where;
	if (!dkt__dwarf_place(binary, note->address, &place.at))
		dkt__probe_dwarf_scope(&scope, &place.at);
	scope.data = &place;
	scope.argument = marker_argument;
	scope.result = NULL;
	if (all) {
		define->args = (const char *const *)&all;
		define->n = 1;
	}
	err = dkt__probe_add(define, &scope, text, where, "");
	define->args = given;
	define->n = n_given;
	dkt__dwarf_place_clear(&place.at);
	return err;
}

/* ---- markers by name ---- */

struct wanted {
	struct probe_define *define;
	struct dkt__guess guess;
	size_t n, markers;
	bool add;
};

static int try_note(void *data, const struct sdt_note *note)
{
	struct wanted *wanted = data;
	const struct probe_place *place = &wanted->define->place;
	char name[256];

	wanted->markers++;
	snprintf(name, sizeof(name), "%s:%s", note->provider, note->name);
	dkt__guess_try(&wanted->guess, name);
	if (fnmatch(place->module, note->provider, 0) || fnmatch(place->function, note->name, 0))
		return 0;
	wanted->n++;
	return wanted->add ? add_marker(wanted->define, note) : 0;
}

static int none_wanted(struct wanted *wanted, const char *name)
{
	struct probe_define *define = wanted->define;

	if (!wanted->markers)
		return dkt_fail(
			define->ctx, -ENOENT,
			"%s has no static markers, and functions of a program have no module:"
			" '%s'",
			define->binary->path, name);
	return dkt_fail(define->ctx, -ENOENT, "%s has no marker '%s'%s", define->binary->path, name,
			dkt__guess_words(&wanted->guess));
}

/* A marker can be at several places, each with its own arguments, so each gets a probe. */
int dkt__probe_marker(struct probe_define *define)
{
	const struct probe_place *place = &define->place;
	struct wanted wanted = { .define = define };
	char *name __cleanup(free) = NULL;
	int err;

	if (!place->function || place->offset || place->has_line || place->on_return)
		return dkt_fail(define->ctx, -EINVAL,
				"write a marker as PROVIDER:NAME, without offset, line or"
				" return");
	name = dkt__format("%s:%s", place->module, place->function);
	if (!name)
		return dkt__no_memory(define->ctx);
	dkt__guess_start(&wanted.guess, name, strlen(name));
	err = dkt__sdt_each(define->binary, try_note, &wanted);
	if (!err && !wanted.n)
		err = none_wanted(&wanted, name);
	if (!err && wanted.n > define->opts->max)
		err = dkt_fail(define->ctx, -E2BIG, "'%s' is at %zu places; the limit is %zu", name,
			       wanted.n, define->opts->max);
	wanted.add = true;
	return err ? err : dkt__sdt_each(define->binary, try_note, &wanted);
}

/* ---- listing ---- */

struct listing {
	struct dkt__binary *binary;
	dkt__marker_fn fn;
	void *data;
};

static int show_note(void *data, const struct sdt_note *note)
{
	const struct listing *listing = data;
	struct dkt__marker marker = { .provider = note->provider,
				      .name = note->name,
				      .args = note->args };

	/* Skip a note whose place is not in the file. */
	if (dkt__binary_offset(listing->binary, note->address, &marker.offset) ||
	    (note->semaphore &&
	     dkt__binary_data_offset(listing->binary, note->semaphore, &marker.semaphore)))
		return 0;
	return listing->fn(listing->data, &marker);
}

int dkt__markers(struct dkt_ctx *ctx, const char *path, dkt__marker_fn fn, void *data)
{
	dkt__needs(ctx, ctx && path && fn);

	struct listing listing = { .fn = fn, .data = data };
	int err = dkt__binary_open(ctx, path, NULL, NULL, &listing.binary);

	if (err)
		return err;
	err = dkt__sdt_each(listing.binary, show_note, &listing);
	dkt__binary_close(listing.binary);
	return err;
}
