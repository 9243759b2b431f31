/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the names of programs, and makes the same test of them for records and for the kernel. */
#include "compat/lustre/programs.h"

#include "lib/base/glob.h"
#include "lib/base/memory.h"

/* TASK_COMM_LEN without the NUL: the kernel stores only these bytes of a program's name. */
#define COMM_MAX 15

/* A name without these is compared as it is, also one with a backslash. */
static bool is_glob(const char *name)
{
	return strpbrk(name, "*?[");
}

/* The kernel's filter language has no escapes within quotes. */
static char quote_for(const char *name)
{
	return strchr(name, '"') ? '\'' : '"';
}

/* Returns what is wrong with the name, or NULL. */
static const char *check(const char *name)
{
	const char *open = strchr(name, '[');

	if (!*name || strpbrk(name, "\n\r") || strchr(name, quote_for(name)))
		return "cannot be the name of a program";
	return open && !strchr(open, ']') ? "has a '[' without its ']'" : NULL;
}

int dkl_programs_read(struct dkt_ctx *ctx, const char *text, struct dkt__strings *programs)
{
	char *copy __cleanup(free) = strdup(text);
	char *rest = copy, *name;
	const char *wrong;
	int err = copy ? 0 : dkt__no_memory(ctx);

	while (!err && (name = strsep(&rest, ","))) {
		name += strspn(name, " ");
		wrong = check(name);
		err = wrong ? dkt_fail(ctx, -EINVAL, "--comm: '%.60s' %s", name, wrong) :
			      dkt__with_words(ctx, dkt__strings_add(programs, name));
	}
	return err;
}

bool dkl_programs_have(const struct dkt__strings *programs, const char *comm)
{
	for (size_t i = 0; i < programs->n; i++) {
		const char *name = programs->list[i];

		if (is_glob(name) ? dkt__glob(name, comm) : !strncmp(name, comm, COMM_MAX))
			return true;
	}
	return false;
}

void dkl_programs_print(FILE *out, const struct dkt__strings *programs)
{
	for (size_t i = 0; i < programs->n; i++) {
		const char *name = programs->list[i], quote = quote_for(name);

		fputs(i ? " || " : "", out);
		/* The kernel takes a '!' before a glob as a negation. */
		if (is_glob(name))
			fprintf(out, "COMM ~ %c%s%s%c", quote, *name == '!' ? "\\" : "", name,
				quote);
		else
			fprintf(out, "COMM == %c%.*s%c", quote, COMM_MAX, name, quote);
	}
}
