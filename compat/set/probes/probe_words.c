/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parses probes as a user writes them, on the command line or in a file: place, arguments, options.
 */
#include "compat/set/probes/probe_words.h"

#include "compat/log/threads.h"
#include "lib/base/buf.h"
#include "lib/base/io.h"
#include "lib/inside.h"

static const struct {
	const char *name;
	enum dkt_probe_kind kind;
} kinds[] = {
	{ "kprobe", DKT_PROBE_KPROBE }, { "uprobe", DKT_PROBE_UPROBE },
	{ "fprobe", DKT_PROBE_FPROBE }, { "tracepoint", DKT_PROBE_TRACEPOINT },
	{ "event", DKT_PROBE_EVENT },   { "synthetic", DKT_PROBE_SYNTHETIC },
};

const char *dkl_probe_kind_name(enum dkt_probe_kind kind)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].kind == kind)
			return kinds[i].name;
	return "?";
}

enum dkt_probe_kind dkl_probe_kind_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(name, kinds[i].name))
			return kinds[i].kind;
	return DKT_PROBE_ANY;
}

/* ---- reading ---- */

/* Joins the arguments: dkt_probe_define() splits them, because it knows the syntax of expressions. */
static int join(char *const *list, size_t n, struct probe_words *words)
{
	struct dkt_buf buf = { 0 };

	for (size_t i = 0; i < n; i++)
		dkt_buf_printf(&buf, "%s%s", i ? " " : "", list[i]);
	words->joined = dkt__buf_take(&buf);
	if (!words->joined)
		return -ENOMEM;
	words->args = (const char *const *)&words->joined;
	words->n_args = n ? 1 : 0;
	return 0;
}

static int read_kind(struct dkt_ctx *ctx, const char *kind, struct dkt_probe_opts *opts)
{
	opts->kind = kind ? dkl_probe_kind_find(kind) : DKT_PROBE_ANY;
	if (kind && !opts->kind)
		return dkt_fail(ctx, -EINVAL, "--kind: unknown kind '%.40s'", kind);
	return 0;
}

static int read_words(struct dkt_ctx *ctx, struct probe_words *words)
{
	const char *kind = NULL;
	const struct option_word known[] = {
		{ "--debug-file", &words->opts.debug_file, NULL },
		{ "--exec", &words->opts.exec, NULL },
		{ "--force", NULL, &words->opts.inside },
		{ "--group", &words->opts.group, NULL },
		{ "--kind", &kind, NULL },
		{ "--name", &words->opts.name, NULL },
		{ "--off", NULL, &words->off },
	};
	char **list __cleanup(free) = NULL;
	size_t n;
	int err = dkl_option_words(ctx, words->line, known, ARRAY_SIZE(known), &list, &n);

	if (!err && !n)
		err = dkt_fail(ctx, -EINVAL, "expected PLACE [ARGUMENT...]");
	if (!err)
		err = read_kind(ctx, kind, &words->opts);
	if (err)
		return err;
	words->place = list[0];
	return join(list + 1, n - 1, words);
}

/* Cuts an option off the end of a definition. Returns whether it was there. */
static bool cut_option(char *line, const char *option)
{
	const size_t len = strlen(line), n = strlen(option);

	if (len <= n || line[len - n - 1] != ' ' || strcmp(line + len - n, option) != 0)
		return false;
	line[len - n - 1] = '\0';
	return true;
}

int dkl_probe_words_read(struct dkt_ctx *ctx, const char *text, struct probe_words *words)
{
	struct dkt_probes *probes = NULL;

	*words =
		(struct probe_words){ .opts = { .sz = sizeof(words->opts), .max = PROBE_WORDS_MAX },
				      .line = strdup(text) };
	if (!words->line)
		return -ENOMEM;
	words->defined = !dkt__probe_from_text(ctx, text, &probes);
	dkt_probes_free(probes);
	if (!words->defined)
		return read_words(ctx, words);
	words->off = cut_option(words->line, "--off");
	words->opts.inside = cut_option(words->line, "--force");
	words->place = words->line;
	return 0;
}

void dkl_probe_words_clear(struct probe_words *words)
{
	free(words->line);
	free(words->joined);
	*words = (struct probe_words){ 0 };
}

/* ---- the probes that they define ---- */

/* The program may have changed since: its instructions may begin elsewhere now. */
static int check_place(struct dkt_ctx *ctx, const struct dkt_probe *probe)
{
	const char *colon = strrchr(probe->place, ':');
	char *exec __cleanup(free) = NULL, *offset __cleanup(free) = NULL;
	DKT_OPTS(dkt_probe_opts, opts);
	struct dkt_probes *probes = NULL;
	int err;

	if (probe->kind != DKT_PROBE_UPROBE || probe->on_return || !colon)
		return 0;
	opts.exec = exec = strndup(probe->place, (size_t)(colon - probe->place));
	offset = strndup(colon + 1, strcspn(colon + 1, "("));
	if (!exec || !offset)
		return -ENOMEM;
	err = dkt_probe_define(ctx, offset, NULL, 0, &opts, &probes);
	dkt_probes_free(probes);
	if (err == -EILSEQ)
		return err;
	/* The kernel tells what else is wrong with it. */
	if (err)
		free(dkt__error_take(ctx));
	return 0;
}

static int parse_definition(struct dkt_ctx *ctx, const struct probe_words *words,
			    struct dkt_probes **probes)
{
	const struct dkt_probe *probe;
	int err = dkt__probe_from_text(ctx, words->place, probes);

	for (size_t i = 0; !err && !words->opts.inside && (probe = dkt_probes_at(*probes, i)); i++)
		err = check_place(ctx, probe);
	return err;
}

int dkl_probe_words_define(struct dkt_ctx *ctx, const struct probe_words *words,
			   struct dkt_probes **probes)
{
	if (words->defined)
		return parse_definition(ctx, words, probes);
	return dkt_probe_define(ctx, words->place, words->args, words->n_args, &words->opts,
				probes);
}

/* Ignores the arguments: a misspelt name there gives -ENOENT, too. */
static bool is_missing(struct dkt_ctx *ctx, const char *place, const struct dkt_probe_opts *opts)
{
	struct dkt_probes *probes = NULL;
	int err = dkt_probe_define(ctx, place, NULL, 0, opts, &probes);

	dkt_probes_free(probes);
	return err == -ENOENT;
}

/* Checks vfs_read for the place "vfs_read+16", and /bin/sh for "/bin/sh:0x1234". */
static bool is_defined_missing(struct dkt_ctx *ctx, const struct dkt_probe *probe)
{
	const char mark = probe->kind == DKT_PROBE_UPROBE ? ':' : '+';
	const char *end = strrchr(probe->place, mark);
	char *place __cleanup(free) =
		strndup(probe->place, end ? (size_t)(end - probe->place) : strlen(probe->place));
	DKT_OPTS(dkt_probe_opts, opts, .kind = probe->kind);

	if (!place)
		return false;
	if (probe->kind == DKT_PROBE_UPROBE)
		return access(place, F_OK);
	return (probe->kind == DKT_PROBE_KPROBE || probe->kind == DKT_PROBE_FPROBE) &&
	       is_missing(ctx, place, &opts);
}

bool dkl_probe_words_may_come(struct dkt_ctx *ctx, const struct probe_words *words)
{
	struct dkt_probes *probes = NULL;
	bool missing = false;

	if (!words->defined)
		missing = is_missing(ctx, words->place, &words->opts);
	else if (!dkt__probe_from_text(ctx, words->place, &probes))
		missing = is_defined_missing(ctx, dkt_probes_at(probes, 0));
	dkt_probes_free(probes);
	return missing;
}

bool dkl_probe_words_is_glob(const struct probe_words *words)
{
	return !words->defined && strpbrk(words->place, "*?[");
}

/* ---- printing ---- */

/* False if dkl_option_words() would split the text, or dkl_conf_parse() would change it. */
static bool is_plain(const char *text)
{
	return !text || (*text && strncmp(text, "--", 2) && !text[strcspn(text, " \t\n\r#")]);
}

static bool may_be_words(const struct probe_words *words, const struct dkt_probe *probe, size_t n)
{
	if (words->defined || words->opts.pid || probe->kind == DKT_PROBE_SYNTHETIC)
		return false;
	/* Probes on several source lines, or functions of a program: their names are unknown. */
	if (n > 1 && (!dkl_probe_words_is_glob(words) || probe->kind == DKT_PROBE_UPROBE))
		return false;
	for (size_t i = 0; i < words->n_args; i++)
		if (strpbrk(words->args[i], "\n\r") || strstr(words->args[i], "--"))
			return false;
	return is_plain(words->place) && is_plain(words->opts.debug_file);
}

static void print(FILE *out, const struct probe_words *words, const struct dkt_probe *probe,
		  size_t n)
{
	const struct dkt_probe_opts *opts = &words->opts;
	const char *colon = strrchr(probe->place, ':');

	fprintf(out, "%s%s", n > 1 ? probe->place : words->place,
		n > 1 && probe->on_return ? "%return" : "");
	for (size_t i = 0; i < words->n_args; i++)
		fprintf(out, " %s", words->args[i]);
	if (probe->kind == DKT_PROBE_UPROBE && colon)
		fprintf(out, " --exec %.*s", (int)(colon - probe->place), probe->place);
	dkl_option_word_print(out, "--debug-file", opts->debug_file);
	if (opts->inside)
		fputs(" --force", out);
	dkl_option_word_print(out, "--group", opts->group);
	dkl_option_word_print(out, "--kind", opts->kind ? dkl_probe_kind_name(opts->kind) : NULL);
	dkl_option_word_print(out, "--name", probe->name);
}

int dkl_probe_words_of(const struct probe_words *words, const struct dkt_probe *probe, size_t n,
		       char **text)
{
	FILE *out;
	size_t len;

	*text = NULL;
	if (!may_be_words(words, probe, n))
		return 0;
	out = open_memstream(text, &len);
	if (out)
		print(out, words, probe, n);
	return dkt__text_end(out, 0, text);
}
