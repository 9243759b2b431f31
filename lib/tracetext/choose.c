/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Chooses among the known texts of an event the one that the lines of a file have, and has the fields of others
 * derived from their lines.
 */
#include "lib/plan.h"
#include "lib/tracetext/format.h"
#include "lib/tracetext/rows.h"

/* Compare so many lines of an event: rare values tell kernels apart. */
#define COMPARED_MAX 4096

/* Known texts of one event, and the format of the saved tree. */
#define CANDIDATES_MAX 8

#define TREE_SYSTEM "tree"

/* The texts that the lines of one name could have. */
struct choice {
	struct dkt_event *events[CANDIDATES_MAX];
	const struct dkt__text_known *known[CANDIDATES_MAX]; /* NULL: the format of the tree */
	unsigned int matches[CANDIDATES_MAX];
	unsigned int n, compared;
};

struct trial {
	struct dkt_ctx *ctx; /* has the candidates as events; their systems are numbers */
	struct dkt__given *given;
	size_t n_given;
	struct choice *choices; /* by name */
	uint8_t *data;
};

static int give(struct trial *trial, const char *system, struct dkt_buf *buf)
{
	int err = buf->err;

	if (!err)
		err = dkt__given_add(trial->ctx, &trial->given, &trial->n_given, system, buf->data,
				     buf->len);
	dkt_buf_reset(buf);
	return err;
}

static int give_candidates(struct trial *trial, const char *name, struct dkt_event *of_tree,
			   struct dkt_buf *buf)
{
	const struct dkt__text_known *known;
	char system[16];
	int err = 0;

	if (of_tree)
		err = dkt__text_printed(of_tree, buf);
	if (!err && buf->len)
		err = give(trial, TREE_SYSTEM, buf);
	for (size_t i = 0; !err && (known = dkt__text_known(name, i)); i++) {
		snprintf(system, sizeof(system), "%zu", i);
		dkt__text_known_format(known, 1 + (int)trial->n_given, buf);
		err = give(trial, system, buf);
	}
	return err;
}

static void add(struct trial *trial, struct choice *choice, const char *system, const char *name,
		const struct dkt__text_known *known)
{
	struct dkt_event *event = dkt_event_find(trial->ctx, system, name);

	if (!event || choice->n == CANDIDATES_MAX)
		return;
	choice->events[choice->n] = event;
	choice->known[choice->n++] = known;
}

static int give_all(struct trial *trial, const struct dkt__text_names *names,
		    struct dkt_ctx *kernel)
{
	struct dkt_buf buf = { 0 };
	int err = 0;

	for (size_t i = 0; !err && i < names->n; i++) {
		const struct dkt__text_known *known = dkt__text_known(names->list[i].name, 0);

		if (known)
			err = give_candidates(
				trial, known->name,
				kernel ? dkt_event_find(kernel, known->system, known->name) : NULL,
				&buf);
	}
	free(buf.data);
	return err ? err : dkt__events_given(trial->ctx, trial->given, trial->n_given);
}

static void bind(struct trial *trial, const struct dkt__text_names *names)
{
	const struct dkt__text_known *known;
	char system[16];

	for (size_t i = 0; i < names->n; i++) {
		const char *name = names->list[i].name;

		if (!dkt__text_known(name, 0))
			continue;
		add(trial, &trial->choices[i], TREE_SYSTEM, name, NULL);
		for (size_t k = 0; (known = dkt__text_known(name, k)); k++) {
			snprintf(system, sizeof(system), "%zu", k);
			add(trial, &trial->choices[i], system, name, known);
		}
	}
}

static void compare(struct trial *trial, struct choice *choice, const struct dkt__line *line)
{
	if (choice->n < 2 || choice->compared == COMPARED_MAX)
		return;
	choice->compared++;
	for (unsigned int i = 0; i < choice->n; i++)
		choice->matches[i] += dkt__unprint(choice->events[i], line->text, line->text_len,
						   trial->data, DKT__TEXT_RECORD_MAX) != 0;
}

/* Reads the line of a row. Returns its name; NULL: it is not the record of an event. */
static struct dkt__text_name *read_row(struct dkt__text *text, size_t i, struct dkt__line *line)
{
	char name[DKT__TEXT_NAME];

	dkt__text_line(&text->file, text->rows[i].at, line);
	if (line->kind != DKT__LINE_RECORD || line->graph.call)
		return NULL;
	dkt__text_name(line, name);
	return dkt__text_get(&text->names, name);
}

static void compare_all(struct dkt__text *text, struct trial *trial)
{
	struct dkt__text_name *name;
	struct dkt__line line;

	for (size_t i = 0; i < text->n; i++) {
		name = read_row(text, i, &line);
		if (name)
			compare(trial, &trial->choices[name - text->names.list], &line);
	}
}

int dkt__text_derive(struct dkt__text *text)
{
	struct dkt__text_name *name;
	struct dkt__line line;
	int err = 0;

	for (size_t i = 0; !err && i < text->n; i++) {
		name = read_row(text, i, &line);
		if (name && dkt__text_is_unknown(name))
			err = dkt__derive_keys(&name->keys, &line);
	}
	for (size_t i = 0; i < text->names.n; i++)
		dkt__derive_types(&text->names.list[i].keys);
	return err;
}

int dkt__text_choose(struct dkt__text *text, struct dkt_ctx *kernel)
{
	struct dkt__text_names *names = &text->names;
	struct trial trial = { .choices = calloc(names->n + 1, sizeof(*trial.choices)),
			       .data = text->data };
	int err = trial.choices ? dkt_ctx_new(NULL, &trial.ctx) : -ENOMEM;

	if (!err)
		err = give_all(&trial, names, kernel);
	if (!err) {
		bind(&trial, names);
		compare_all(text, &trial);
	}
	for (size_t i = 0; !err && i < names->n; i++) {
		const struct choice *choice = &trial.choices[i];
		unsigned int best = 0;

		for (unsigned int k = 1; k < choice->n; k++)
			if (choice->matches[k] > choice->matches[best])
				best = k;
		names->list[i].known = choice->n ? choice->known[best] : NULL;
	}
	free(trial.given);
	free(trial.choices);
	dkt_ctx_free(trial.ctx);
	return err;
}
