/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The log's settings from a configuration file, and back into one. */
#include "saved.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "filters.h"
#include "param.h"
#include "param_file.h"
#include "select.h"
#include "triggers.h"
#include "util.h"

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
	struct written *more = reallocarray(a->written, a->n_written + 1, sizeof(*more));
	int err;

	if (!more) {
		free(path);
		return -ENOMEM;
	}
	a->written = more;
	more[a->n_written].path = path;
	err = param_file_before(param, path, more[a->n_written].before);
	a->n_written++;
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
	err = param_file_read(path, now);
	if (err)
		return dkt_fail(a->log->ctx, err, "read %s: %s", path, strerror(-err));
	return param_take_exact(a->log, param, now, &a->set);
}

/* In the words of a file: where it is, and what was perhaps meant. */
static int refuse(struct applying *a, const struct param *param, const struct conf_line *line,
		  int err)
{
	const char *guess = NULL;
	size_t at = 0, len = 0;

	if (err == -EINVAL && param_is_mask(param))
		guess = param_misspelt(param, line->value, &at, &len);
	if (len)
		dkt_fail(a->log->ctx, err, "unknown mask '%.*s'%s%s%s", (int)len, line->value + at,
			 guess ? "; did you mean " : "", guess ? guess : "", guess ? "?" : "");
	return dkt_fail_in(a->log->ctx, err, "%s:%u:%zu", a->conf->file, line->nr,
			   line->column + at);
}

/* While it is known which line it is. */
static int check_filter(struct applying *a)
{
	struct dkt_expr *expr;
	int err = debuglog_expr(a->log->ctx, a->set.filter, &expr);

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

/* An event by its name: of a module, say, that is not loaded yet. A class or subsystem has none. */
static bool may_come(struct applying *a, const char *line)
{
	char *words __cleanup(free) = strndup(line, strcspn(line, " \t"));
	struct select *select = NULL;
	bool missing;

	if (!words || !strchr(words, ':') || strpbrk(words, "+,"))
		return false;
	missing = !select_new(a->log->ctx, a->log->map, words, &select) &&
		  select_check(a->log->ctx, select) == -ENOENT;
	select_free(select);
	return missing;
}

/* The line then sets nothing. */
static int leave_out(struct applying *a, const struct conf_line *line)
{
	char *before __cleanup(free) = *a->notes;
	int n = asprintf(a->notes, "%s%s%s:%u: left out: %s", before ? before : "",
			 before ? "\n" : "", a->conf->file, line->nr, dkt_error(a->log->ctx));

	if (n < 0) {
		*a->notes = NULL;
		return -ENOMEM;
	}
	a->conf->lines[line - a->conf->lines].key = NULL;
	return 0;
}

static int take_cpus(struct debuglog *log, const char *value, struct settings *set)
{
	char *cpus = strdup(value);

	(void)log;
	if (!cpus)
		return -ENOMEM;
	free(set->cpus);
	set->cpus = cpus;
	return 0;
}

static int take_lines(struct applying *a, const char *key,
		      int (*take)(struct debuglog *log, const char *value, struct settings *set))
{
	const struct conf_line *line = NULL;
	int err = 0;

	while (!err && (line = conf_next(a->conf, key, line))) {
		err = take(a->log, line->value, &a->set);
		if (err == -ENOENT && may_come(a, line->value))
			err = leave_out(a, line);
		else if (err)
			dkt_fail_in(a->log->ctx, err, "%s:%u:%u", a->conf->file, line->nr,
				    line->column);
	}
	return err;
}

static int take_rest(struct applying *a)
{
	int err = take_lines(a, CONF_CPUS, take_cpus);

	if (!err)
		err = take_lines(a, CONF_FILTER, filters_take);
	return err ? err : take_lines(a, CONF_TRIGGER, triggers_take);
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
	if (!err)
		err = param_apply(log, &a.set, NULL, notes);
	if (err)
		put_back(&a);
	while (a.n_written)
		free(a.written[--a.n_written].path);
	free(a.written);
	settings_clear(&a.set);
	return err;
}

/* ---- saving ---- */

int saved_fill(const struct debuglog *log, struct conf *conf)
{
	const struct settings *set = &log->set;
	const bool named = strcmp(log->name, DEBUGLOG_DEFAULT);
	char text[MASK_TEXT_SIZE];
	int err = 0;

	if (named || conf_find(conf, CONF_INSTANCE))
		err = conf_set(conf, CONF_INSTANCE, log->name);
	mask_spell(MASK_DEBUG, set->debug, text);
	if (!err)
		err = conf_set(conf, "debug", text);
	mask_spell(MASK_SUBSYSTEM, set->subsystem_debug, text);
	if (!err)
		err = conf_set(conf, "subsystem_debug", text);
	mask_spell(MASK_PRINTK, set->printk, text);
	if (!err)
		err = conf_set(conf, "printk", text);
	snprintf(text, sizeof(text), "%" PRIu32, set->debug_mb);
	if (!err)
		err = conf_set(conf, "debug_mb", set->debug_mb ? text : NULL);
	if (!err && (set->filter || conf_find(conf, "debug_filter")))
		err = conf_set(conf, "debug_filter", set->filter ? set->filter : "none");
	if (!err)
		err = conf_set(conf, CONF_CPUS, set->cpus);
	if (!err)
		err = conf_set_list(conf, CONF_FILTER, &set->rules);
	if (!err)
		err = conf_set_list(conf, CONF_TRIGGER, &set->triggers);
	return err;
}
