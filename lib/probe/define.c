/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parses a user's definition of a probe: its place and name, and which kind of probe resolves it.
 */
#include <ctype.h>

#include "lib/base/parse.h"
#include "lib/probe/define.h"
#include "lib/symbol.h"

/* ---- places ---- */

static int bad_place(struct dkt_ctx *ctx, const char *text, const char *why)
{
	return dkt_fail(ctx, -EINVAL, "place '%.120s': %s", text, why);
}

static void clear_place(struct probe_place *place)
{
	free(place->module);
	free(place->function);
	free(place->file);
	*place = (struct probe_place){ 0 };
}

/* Cuts off the last ":LINE". */
static bool cut_line(char *text, struct probe_place *place)
{
	char *colon = strrchr(text, ':');
	uint64_t line;

	if (!colon || dkt__parse_u64(colon + 1, DKT__AS_C, &line) || line > 10000000)
		return false;
	*colon = '\0';
	place->line = (int)line;
	place->has_line = true;
	return true;
}

static int set(char **to, const char *text, size_t n)
{
	*to = strndup(text, n);
	return *to ? 0 : -ENOMEM;
}

static int parse_function(struct dkt_ctx *ctx, const char *whole, char *text,
			  struct probe_place *place)
{
	char *plus = strchr(text, '+');

	if (plus) {
		*plus = '\0';
		if (dkt__parse_u64(plus + 1, DKT__AS_C, &place->offset))
			return bad_place(ctx, whole, "an offset is a number: FUNCTION+0x10");
	}
	if (!*text)
		return bad_place(ctx, whole, "a function's name is missing");
	place->is_glob = text[strcspn(text, "*?[")];
	if (place->is_glob && (plus || place->has_line))
		return bad_place(ctx, whole, "a glob cannot have an offset or a line");
	return set(&place->function, text, strlen(text));
}

static int parse(struct dkt_ctx *ctx, const char *whole, char *text, struct probe_place *place)
{
	char *colon;
	int err;

	if (isdigit((unsigned char)*text)) {
		place->has_address = true;
		return !dkt__parse_u64(text, DKT__AS_C, &place->address) ?
			       0 :
			       bad_place(ctx, whole, "an address is a number: 0x1234");
	}
	cut_line(text, place);
	/* A source file has a suffix; a function has at most one that the compiler added. */
	colon = strchr(text, ':');
	if (place->has_line && strpbrk(colon ? colon + 1 : text, "./") && !strstr(text, ".isra") &&
	    !strstr(text, ".constprop") && !strstr(text, ".part")) {
		err = colon ? set(&place->module, text, (size_t)(colon - text)) : 0;
		if (!place->line)
			return bad_place(ctx, whole, "lines of a file are counted from 1");
		text = colon ? colon + 1 : text;
		return err ? err : set(&place->file, text, strlen(text));
	}
	if (colon) {
		if (colon == text || strchr(colon + 1, ':'))
			return bad_place(ctx, whole, "it is not MODULE:FUNCTION");
		err = set(&place->module, text, (size_t)(colon - text));
		if (err)
			return err;
		text = colon + 1;
	}
	return parse_function(ctx, whole, text, place);
}

static int parse_place(struct dkt_ctx *ctx, const char *whole, struct probe_place *place)
{
	char *text __cleanup(free) = strdup(whole);
	char *percent;
	int err;

	*place = (struct probe_place){ 0 };
	if (!text)
		return dkt__no_memory(ctx);
	for (const unsigned char *p = (const unsigned char *)text; *p; p++)
		if (*p <= ' ' || *p == 0x7f || *p == '#')
			return bad_place(ctx, whole, "it has an invalid character");
	percent = strchr(text, '%');
	if (percent && strcmp(percent, "%return"))
		return bad_place(ctx, whole, "after % only 'return' is possible");
	if (percent) {
		*percent = '\0';
		place->on_return = true;
	}
	err = parse(ctx, whole, text, place);
	if (!err && place->on_return && (place->offset || place->has_line || place->has_address))
		err = bad_place(ctx, whole, "a function's return is FUNCTION%return");
	if (err)
		clear_place(place);
	return dkt__with_words(ctx, err);
}

/* ---- adding a probe ---- */

int dkt__probe_check_max(struct probe_define *define, size_t n, const char *what)
{
	if (n <= define->opts->max)
		return 0;
	return dkt_fail(define->ctx, -E2BIG, "'%s' matches %zu functions; the limit is %zu", what,
			n, define->opts->max);
}

int dkt__probe_lines(struct probe_define *define,
		     int (*add)(struct probe_define *define, const struct binary_symbol *symbol,
				uint64_t address, const char *suffix))
{
	const struct probe_place *place = &define->place;
	struct dwarf_line *lines __cleanup(free) = NULL;
	struct binary_symbol symbol;
	char suffix[24];
	size_t n;
	int err = dkt__dwarf_lines(define->binary, place->file, place->function, place->line,
				   &lines, &n);

	if (!err)
		err = dkt__probe_check_max(define, n, place->file ? place->file : place->function);
	snprintf(suffix, sizeof(suffix), "_L%d", place->line);
	for (size_t i = 0; !err && i < n; i++) {
		dkt__binary_at(define->binary, lines[i].address, &symbol);
		err = add(define, &symbol, lines[i].address, suffix);
	}
	return err;
}

/* The name that the user gave, or the name of the place turned into an event name. */
static int make_name(struct probe_define *define, const char *group, const char *base,
		     const char *suffix, char **name)
{
	if (define->opts->name) {
		*name = strdup(define->opts->name);
		return *name ? 0 : dkt__no_memory(define->ctx);
	}
	*name = dkt__format("%s%s%s", isdigit((unsigned char)*base) ? "at_" : "", base, suffix);
	for (unsigned int i = 2; *name; i++) {
		for (char *p = *name; *p; p++)
			if (!isalnum((unsigned char)*p))
				*p = '_';
		if (!dkt__probes_find(define->probes, group, *name))
			return 0;
		free(*name);
		*name = dkt__format("%s%s_%u", base, suffix, i);
	}
	return dkt__no_memory(define->ctx);
}

static int check_name(struct dkt_ctx *ctx, const char *what, const char *name)
{
	if (strlen(name) > PROBE_NAME_MAX)
		return dkt_fail(ctx, -E2BIG,
				"the %s's name '%s' has %zu characters; the kernel's limit is %d;"
				" choose another with --name",
				what, name, strlen(name), PROBE_NAME_MAX);
	if (!dkt__probe_is_name(name))
		return dkt_fail(ctx, -EINVAL,
				"'%.80s' cannot be the name of %s %s: use letters, digits"
				" and _",
				name, *what == 'e' ? "an" : "a", what);
	return 0;
}

int dkt__probe_add(struct probe_define *define, struct probe_scope *scope, const char *place,
		   const char *base, const char *suffix)
{
	DKT_OPTS(dkt_probe, probe, .kind = define->kind, .on_return = define->place.on_return,
		 .group = define->opts->group ? define->opts->group : PROBE_GROUP, .place = place,
		 .hits = DKT_PROBE_UNKNOWN, .missed = DKT_PROBE_UNKNOWN);
	char *fields __cleanup(free) = NULL;
	char *name __cleanup(free) = NULL;
	char *text __cleanup(free) = NULL;
	int err = make_name(define, probe.group, base, suffix, &name);

	if (!err)
		err = check_name(define->ctx, "event", name);
	if (!err)
		err = check_name(define->ctx, "group", probe.group);
	scope->is_glob = define->place.is_glob;
	if (!err)
		err = dkt__probe_fields(scope, define->args, define->n, &fields);
	if (err)
		return err;
	probe.name = name;
	probe.fields = fields;
	err = dkt__probe_text(define->ctx, &probe, &text);
	return err ? err : dkt__with_words(define->ctx, dkt__probes_add(define->probes, &probe));
}

/* ---- definitions ---- */

static void clear(struct probe_define *define)
{
	clear_place(&define->place);
	dkt_probes_free(define->probes);
	dkt__btf_free(define->btf);
	dkt__binary_close(define->binary);
	free(define->btf_module);
	free(define->binary_module);
	free(define->no_btf);
	free(define->no_binary);
}

static int resolve(struct probe_define *define)
{
	switch (define->kind) {
	case DKT_PROBE_UPROBE:
		return dkt__probe_program(define);
	case DKT_PROBE_TRACEPOINT:
		return dkt__probe_tracepoint(define);
	case DKT_PROBE_EVENT:
		return dkt__probe_event(define);
	case DKT_PROBE_SYNTHETIC:
		return dkt__probe_synthetic(define);
	default:
		return dkt__probe_kernel(define);
	}
}

int dkt_probe_define(struct dkt_ctx *ctx, const char *place, const char *const *args, size_t n,
		     const struct dkt_probe_opts *opts, struct dkt_probes **out)
{
	dkt__needs(ctx, dkt__clear(out) && ctx && place && (args || !n));

	struct dkt_probe_opts all;
	struct probe_define define = { .ctx = ctx, .opts = &all, .args = args, .n = n };
	int err = dkt__opts_take(ctx, dkt_probe_opts, &all, opts);

	if (err)
		return err;
	all.max = all.max ? all.max : 1;
	define.kind = all.kind;
	if (define.kind == DKT_PROBE_ANY)
		define.kind = all.exec || all.pid ? DKT_PROBE_UPROBE : DKT_PROBE_KPROBE;
	if (all.exec && define.kind != DKT_PROBE_UPROBE)
		return dkt_fail(ctx, -EINVAL, "a probe on a program must be a uprobe");
	if (!all.exec && !all.pid && define.kind == DKT_PROBE_UPROBE)
		return dkt_fail(ctx, -EINVAL, "a uprobe needs the program");
	dkt__probe_features(ctx, &define.features);
	define.probes = calloc(1, sizeof(*define.probes));
	err = define.probes ? parse_place(ctx, place, &define.place) : dkt__no_memory(ctx);
	if (!err)
		err = resolve(&define);
	if (!err) {
		*out = define.probes;
		define.probes = NULL;
	}
	clear(&define);
	return err;
}

/* ---- names of functions ---- */

struct beginning {
	const char *text;
	size_t n;
	dkt__function_fn fn;
	void *data;
};

static int try_beginning(void *data, const struct dkt__symbol *symbol)
{
	struct beginning *beginning = data;

	if (strncmp(symbol->name, beginning->text, beginning->n))
		return 0;
	return beginning->fn(beginning->data, symbol->module, symbol->name);
}

int dkt__kernel_functions(struct dkt_ctx *ctx, const char *text, dkt__function_fn fn, void *data)
{
	dkt__needs(ctx, ctx && text && fn);

	struct beginning beginning = { .text = text, .n = strlen(text), .fn = fn, .data = data };
	int err = dkt__symbols_each(ctx, try_beginning, &beginning);

	return err == -ENODATA ? dkt_fail(ctx, err, "the kernel's symbols cannot be read") :
				 dkt__with_words(ctx, err);
}
