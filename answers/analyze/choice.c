/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The processes whose rows are shown. */
#include "answers/analyze/running.h"

#include "compat/lustre/programs.h"

/* Returns the first column that has processes, or n if no column has. */
static size_t process_column(const struct result_column *columns, size_t n)
{
	size_t i = 0;

	while (i < n && columns[i].type != RESULT_PROCESS)
		i++;
	return i;
}

int choice_check(const struct analyze *a)
{
	const struct analysis_kind *kind = a->analysis->kind;
	bool any = !a->opts.who;

	for (size_t i = 0; !any && i < kind->n_tables; i++)
		any = process_column(kind->tables[i].columns, kind->tables[i].n) <
		      kind->tables[i].n;
	for (size_t i = 0; !any && i < kind->n_sets; i++)
		any = process_column(kind->sets[i].columns, kind->sets[i].n) < kind->sets[i].n;
	if (any)
		return 0;
	return dkt_fail(a->ctx, -EINVAL, "--%s: %s has no rows of processes",
			a->opts.who->n_pids ? "pid" : "comm", a->analysis->name);
}

static bool has_pid(const struct selection *who, uint64_t pid)
{
	for (size_t i = 0; i < who->n_pids; i++)
		if ((uint64_t)who->pids[i] == pid)
			return true;
	return !who->n_pids;
}

static bool has_name(const struct selection *who, const char *name)
{
	return !who->comms.n || (name && dkl_programs_have(&who->comms, name));
}

bool choice_has(const struct analyze *a, const struct result_column *columns, size_t n,
		const struct result_cell *cells)
{
	const struct selection *who = a->opts.who;
	size_t i;

	if (dkt__likely(!who))
		return true;
	i = process_column(columns, n);
	return i == n ||
	       (cells[i].known && has_pid(who, cells[i].number) && has_name(who, cells[i].text));
}
