/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sets the log's settings from a configuration file. */
#include "set/saved.h"

#include <inttypes.h>

#include "base/util.h"
#include "set/filters.h"
#include "set/functions.h"
#include "set/param.h"
#include "set/param/file.h"
#include "set/probes.h"
#include "set/triggers.h"

/* One of Lustre's files that has been written. */
struct written {
	char *path;
	char before[PARAM_FILE_MAX];
};

struct applying {
	struct debuglog *log;
	struct tree *tree;
	struct conf *conf;
	struct settings set;
	struct written *written;
	size_t n_written;
	char **notes;
};

/* ---- applying ---- */

/* Lustre's own parameter of that name; NULL: it has none, or is not loaded. */
static char *find_lustre(struct applying *a, const char *name)
{
	char *path;

	if (tree_first(a->tree, name, &path))
		return NULL;
	if (tree_is_kernel(path))
		return path;
	free(path);
	return NULL;
}

/* Takes over the path. */
static int remember(struct applying *a, const struct param *param, char *path)
{
	int err = dkt__append(a->written, a->n_written, (struct written){ .path = path });

	if (err) {
		free(path);
		return err;
	}
	err = param_file_read(param, path, a->written[a->n_written - 1].before);
	return err ? dkt_fail(a->log->ctx, err, "read %s: %s", path, strerror(-err)) : 0;
}

static void put_back(struct applying *a)
{
	while (a->n_written) {
		struct written *w = &a->written[--a->n_written];

		param_file_write(w->path, w->before, NULL);
		free(w->path);
	}
}

/* A mask is then as Lustre has it, since what was written may be relative to it. */
static int take_both(struct applying *a, const struct param *param, const char *value, char *path)
{
	char now[PARAM_FILE_MAX];
	int err = remember(a, param, path);

	if (err)
		return err;
	err = param_file_write(path, value, NULL);
	if (err)
		return dkt_fail(a->log->ctx, err, "write %s: %s", path, strerror(-err));
	if (!param_is_mask(param))
		return param_take(a->log, param, value, &a->set, a->notes);
	err = param_file_read(param, path, now);
	if (err)
		return dkt_fail(a->log->ctx, err, "read %s: %s", path, strerror(-err));
	return param_take_exact(a->log, param, now, &a->set);
}

/* In the words of a file: where it is, and what was perhaps meant. */
static int refuse(struct applying *a, const struct param *param, const struct conf_line *line,
		  int err)
{
	struct dkt__guess guess;
	size_t at = 0, len = 0;

	if (err == -EINVAL && param_is_mask(param) &&
	    param_misspelt(param, line->value, &guess, &at, &len))
		dkt_fail(a->log->ctx, err, "unknown mask '%.*s'%s", (int)len, line->value + at,
			 dkt__guess_words(&guess));
	return dkt_fail_in(a->log->ctx, err, "%s:%u:%zu", a->conf->file, line->nr,
			   line->column + at);
}

/* While it is known which line it is. */
static int check_filter(struct applying *a)
{
	struct dkt_expr *expr;
	int err = mask_expr(a->log->ctx, a->set.filter, &expr);

	if (!err)
		dkt_expr_free(expr);
	return err;
}

static int take_one(struct applying *a, const struct param *param, const struct conf_line *line)
{
	char *path = find_lustre(a, param_name(param));
	int err;

	if (path)
		err = take_both(a, param, line->value, path);
	else
		err = param_take(a->log, param, line->value, &a->set, a->notes);
	if (!err && !strcmp(line->key, "debug_filter") && a->set.filter)
		err = check_filter(a);
	return err ? refuse(a, param, line, err) : 0;
}

static int take_all(struct applying *a)
{
	const struct param *param = NULL;
	int err = 0;

	while (!err && (param = param_next(param))) {
		const struct conf_line *line = conf_find(a->conf, param_name(param));

		if (line)
			err = take_one(a, param, line);
	}
	return err;
}

/* ---- what is about some of the events ---- */

/* The line then sets nothing. */
static int leave_out(struct applying *a, const struct conf_line *line)
{
	char *before __cleanup(free) = *a->notes;
	int n = asprintf(a->notes, "%s%s%s:%u: skipped: %s", before ? before : "",
			 before ? "\n" : "", a->conf->file, line->nr, dkt_error(a->log->ctx));

	if (n < 0) {
		*a->notes = NULL;
		return -ENOMEM;
	}
	a->conf->lines[line - a->conf->lines].key = NULL;
	return 0;
}

static int take_cpus(struct applying *a, const char *value)
{
	char *cpus = strdup(value);

	if (!cpus)
		return -ENOMEM;
	free(a->set.cpus);
	a->set.cpus = cpus;
	return 0;
}

static int take_pids(struct applying *a, const char *value)
{
	return filters_take_pids(a->log->ctx, value, &a->set);
}

static int take_function(struct applying *a, const char *value)
{
	return functions_take(a->log->ctx, FUNCTIONS_CALLS, value, &a->set);
}

static int take_graph(struct applying *a, const char *value)
{
	if (conf_find(a->conf, CONF_FUNCTION))
		return dkt_fail(a->log->ctx, -EINVAL,
				"function is also set; there is only one function tracer");
	return functions_take(a->log->ctx, FUNCTIONS_GRAPH, value, &a->set);
}

static int make_probe(struct applying *a, const struct probe_words *words)
{
	const struct probes_opts opts = { .enable = !words->off, .keep = true };
	struct probes_result result = { 0 };
	struct dkt_probes *probes = NULL;
	int err = probe_words_define(a->log->ctx, words, &probes);

	if (!err)
		err = probes_make(a->log, words, probes, &opts, &result);
	dkt_probes_free(probes);
	free(result.words);
	return err;
}

static int take_probe(struct applying *a, const char *value)
{
	struct probe_words words;
	int err = probe_words_read(a->log->ctx, value, &words);

	if (!err)
		err = make_probe(a, &words);
	probe_words_clear(&words);
	return err;
}

static int take_filter(struct applying *a, const char *value)
{
	return filters_take(a->log, value, &a->set);
}

static int take_trigger(struct applying *a, const char *value)
{
	return triggers_take(a->log, value, &a->set);
}

/* Probes before what may be about their events. */
static const struct {
	const char *key;
	int (*take)(struct applying *a, const char *value);
} rest[] = {
	{ CONF_CPUS, take_cpus },         { CONF_PIDS, take_pids },
	{ CONF_FUNCTION, take_function }, { CONF_GRAPH, take_graph },
	{ CONF_PROBE, take_probe },       { CONF_FILTER, take_filter },
	{ CONF_TRIGGER, take_trigger },
};

static int take_lines(struct applying *a, size_t i)
{
	const struct conf_line *line = NULL;
	int err = 0;

	while (!err && (line = conf_next(a->conf, rest[i].key, line))) {
		err = rest[i].take(a, line->value);
		if (err == -ESRCH || (err == -ENOENT && saved_may_come(a->log, line)))
			err = leave_out(a, line);
		else if (err)
			dkt_fail_in(a->log->ctx, err, "%s:%u:%u", a->conf->file, line->nr,
				    line->column);
	}
	return err;
}

static int take_rest(struct applying *a)
{
	int err = 0;

	for (size_t i = 0; !err && i < ARRAY_SIZE(rest); i++)
		err = take_lines(a, i);
	return err;
}

/* Which functions there are is known when it is tried: those of a module may come. */
static int without_functions(struct applying *a)
{
	const struct conf_line *line = conf_find(a->conf, CONF_FUNCTION);
	int err;

	line = line ? line : conf_find(a->conf, CONF_GRAPH);
	if (!line)
		return -ENOENT;
	err = leave_out(a, line);
	if (!err)
		err = settings_copy_functions(&a->set, &a->log->set);
	return err ? err : param_apply(a->log, &a->set, NULL, a->notes);
}

int saved_apply(struct debuglog *log, struct tree *tree, struct conf *conf, char **notes)
{
	struct applying a = { .log = log, .tree = tree, .conf = conf, .notes = notes };
	int err;

	*notes = NULL;
	err = settings_copy(&a.set, &log->set);
	if (err)
		return err;
	err = take_all(&a);
	if (!err)
		err = take_rest(&a);
	if (!err) {
		err = param_apply(log, &a.set, NULL, notes);
		if (err == -ENOENT)
			err = without_functions(&a);
	}
	if (!err)
		err = probes_keep(log);
	if (err) {
		probes_take_back(log);
		put_back(&a);
	}
	while (a.n_written)
		free(a.written[--a.n_written].path);
	free(a.written);
	settings_clear(&a.set);
	return err;
}
