/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sets the log's settings from a configuration file. */
#include "compat/set/saved.h"

#include "compat/set/filters.h"
#include "compat/set/functions.h"
#include "compat/set/param.h"
#include "compat/set/param/debug_words.h"
#include "compat/set/param/tree.h"
#include "compat/set/probes.h"
#include "compat/set/triggers.h"
#include "lib/base/buf.h"
#include "lib/inside.h"

/* One of Lustre's files that the change has written. */
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

/* ---- parameters ---- */

/* Returns the file of Lustre's parameter of that name; NULL: none, or Lustre is not loaded. */
static char *find_lustre(struct applying *a, const char *name)
{
	char *path;

	if (dkl_tree_first(a->tree, name, &path))
		return NULL;
	if (dkl_tree_is_kernel(path))
		return path;
	free(path);
	return NULL;
}

/* Notes the value before the change. Takes over the path. */
static int note_before(struct applying *a, const struct param *param, char *path)
{
	int err = dkt__append(a->written, a->n_written, (struct written){ .path = path });

	if (err) {
		free(path);
		return err;
	}
	err = dkl_param_file_read(param, path, a->written[a->n_written - 1].before);
	return err ? dkt_fail(a->log->ctx, err, "read %s: %s", path, strerror(-err)) : 0;
}

static void clear_written(struct applying *a, bool restore)
{
	while (a->n_written) {
		struct written *w = &a->written[--a->n_written];

		if (restore)
			dkl_param_file_write(w->path, w->before, NULL);
		free(w->path);
	}
	free(a->written);
}

/* Reads a mask back from Lustre, because the value may be relative to Lustre's mask. */
static int take_both(struct applying *a, const struct param *param, const char *value, char *path)
{
	char now[PARAM_FILE_MAX];
	char *theirs __cleanup(free) = NULL;
	int err = note_before(a, param, path);

	if (!err)
		err = dkl_param_for_lustre(a->log->ctx, param, value, &theirs);
	if (err)
		return err;
	err = theirs ? dkl_param_file_write(path, theirs, NULL) : 0;
	if (err)
		return dkt_fail(a->log->ctx, err, "write %s: %s", path, strerror(-err));
	err = dkl_param_is_mask(param) ? dkl_param_file_read(param, path, now) : 0;
	if (err)
		return dkt_fail(a->log->ctx, err, "read %s: %s", path, strerror(-err));
	return dkl_param_take_lustre(a->log, param, value, now, &a->set, a->notes);
}

/* Adds the place in the file and a guess to the error message. */
static int refuse(struct applying *a, const struct param *param, const struct conf_line *line,
		  int err)
{
	struct dkt__guess guess;
	size_t at = 0, len = 0;

	if (err == -EINVAL && dkl_param_is_mask(param) &&
	    dkl_param_misspelt(param, line->value, &guess, &at, &len))
		dkt_fail(a->log->ctx, err, "unknown mask '%.*s'%s", (int)len, line->value + at,
			 dkt__guess_words(&guess));
	return dkt__fail_in(a->log->ctx, err, "%s:%u:%zu", a->conf->file, line->nr,
			    line->column + at);
}

/* Parses the filter now, so that an error names the line. */
static int check_filter(struct applying *a)
{
	struct dkt_expr *expr;
	int err = dkl_mask_expr(a->log->ctx, a->set.filter, &expr);

	if (!err)
		dkt_expr_free(expr);
	return err;
}

static int take_one(struct applying *a, const struct param *param, const struct conf_line *line)
{
	char *path = find_lustre(a, dkl_param_name(param));
	int err;

	if (path)
		err = take_both(a, param, line->value, path);
	else
		err = dkl_param_take(a->log, param, line->value, &a->set, a->notes);
	if (!err && !strcmp(line->key, "debug_filter") && a->set.filter)
		err = check_filter(a);
	return err ? refuse(a, param, line, err) : 0;
}

static int take_all(struct applying *a)
{
	const struct param *param = NULL;
	int err = 0;

	while (!err && (param = dkl_param_next(param))) {
		const struct conf_line *line = dkl_conf_find(a->conf, dkl_param_name(param));

		if (line)
			err = take_one(a, param, line);
	}
	return err;
}

/* ---- other settings ---- */

/* Removes the key of the line, which then sets nothing. */
static int skip(struct applying *a, const struct conf_line *line)
{
	a->conf->lines[line - a->conf->lines].key = NULL;
	return dkl_note_add(a->notes, dkt__format("%s:%u: skipped: %s", a->conf->file, line->nr,
						  dkt_error(a->log->ctx)));
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
	return dkl_filters_take_pids(a->log->ctx, value, &a->set);
}

static int take_function(struct applying *a, const char *value)
{
	return dkl_functions_take(a->log->ctx, FUNCTIONS_CALLS, value, &a->set);
}

static int take_graph(struct applying *a, const char *value)
{
	if (dkl_conf_find(a->conf, CONF_FUNCTION))
		return dkt_fail(a->log->ctx, -EINVAL,
				"function is also set; there is only one function tracer");
	return dkl_functions_take(a->log->ctx, FUNCTIONS_GRAPH, value, &a->set);
}

static int create_probe(struct applying *a, const struct probe_words *words)
{
	const struct probes_opts opts = { .enable = !words->off, .keep = true };
	struct probes_result result = { 0 };
	struct dkt_probes *probes = NULL;
	int err = dkl_probe_words_define(a->log->ctx, words, &probes);

	if (!err)
		err = dkl_probes_create(a->log, words, probes, &opts, &result);
	dkt_probes_free(probes);
	free(result.message);
	return err;
}

static int take_probe(struct applying *a, const char *value)
{
	struct probe_words words;
	int err = dkl_probe_words_read(a->log->ctx, value, &words);

	if (!err)
		err = create_probe(a, &words);
	dkl_probe_words_clear(&words);
	return err;
}

static int take_event(struct applying *a, const char *value)
{
	return dkl_debug_word_take(a->log, value, &a->set);
}

static int take_filter(struct applying *a, const char *value)
{
	return dkl_filters_take(a->log, value, &a->set);
}

static int take_trigger(struct applying *a, const char *value)
{
	return dkl_triggers_take(a->log, value, &a->set);
}

/* Probes come before filters and triggers, which may be about their events. */
static const struct {
	const char *key;
	int (*take)(struct applying *a, const char *value);
} rest[] = {
	{ CONF_CPUS, take_cpus },         { CONF_PIDS, take_pids },
	{ CONF_FUNCTION, take_function }, { CONF_GRAPH, take_graph },
	{ CONF_PROBE, take_probe },       { CONF_EVENT, take_event },
	{ CONF_FILTER, take_filter },     { CONF_TRIGGER, take_trigger },
};

static int take_lines(struct applying *a, size_t i)
{
	const struct conf_line *line = NULL;
	int err = 0;

	while (!err && (line = dkl_conf_next(a->conf, rest[i].key, line))) {
		err = rest[i].take(a, line->value);
		if (err == -ESRCH || (err == -ENOENT && dkl_saved_may_come(a->log, line)))
			err = skip(a, line);
		else if (err)
			dkt__fail_in(a->log->ctx, err, "%s:%u:%u", a->conf->file, line->nr,
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

/* Only the kernel knows which functions exist; those of a module may come later. */
static int apply_without_functions(struct applying *a)
{
	const struct conf_line *line = dkl_conf_find(a->conf, CONF_FUNCTION);
	int err;

	line = line ? line : dkl_conf_find(a->conf, CONF_GRAPH);
	if (!line)
		return -ENOENT;
	err = skip(a, line);
	if (!err)
		err = dkl_settings_copy_functions(&a->set, &a->log->set);
	return err ? err : dkl_param_apply(a->log, &a->set, NULL, a->notes);
}

int dkl_saved_apply(struct debuglog *log, struct tree *tree, struct conf *conf, char **notes)
{
	struct applying a = { .log = log, .tree = tree, .conf = conf, .notes = notes };
	int err;

	*notes = NULL;
	err = dkl_settings_copy(&a.set, &log->set);
	if (err)
		return err;
	err = take_all(&a);
	if (!err)
		err = take_rest(&a);
	if (!err) {
		err = dkl_param_apply(log, &a.set, NULL, notes);
		if (err == -ENOENT)
			err = apply_without_functions(&a);
	}
	if (!err)
		err = dkl_probes_keep(log);
	if (err)
		dkl_probes_undo(log);
	clear_written(&a, err);
	dkl_settings_clear(&a.set);
	return err;
}
