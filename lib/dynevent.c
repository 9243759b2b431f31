/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events that are made at run time: probes on functions of the kernel. */
#include "event.h"
#include "tracefs.h"

#include "banned.h"

#define KPROBES "kprobe_events"

/* The kernel takes a definition of less than a page in one write. */
#define DEFINITION_MAX 4094

void dkt_events_forget(struct dkt_ctx *ctx)
{
	/* A file's events do not change. */
	if (ctx->given)
		return;
	dkt__events_free(ctx->events);
	ctx->events = NULL;
	/* It keeps formats by number, and numbers are given again. */
	dkt__tep_free(ctx);
}

/* The line that defines GROUP/NAME, without its newline; NULL if there is none. */
static char *find_line(char *text, const char *group, const char *name)
{
	size_t n_group = strlen(group), n_name = strlen(name);
	char *line, *rest = text;

	while ((line = strsep(&rest, "\n"))) {
		const char *p = strchr(line, ':');

		if (p && !strncmp(p + 1, group, n_group) && p[1 + n_group] == '/' &&
		    !strncmp(p + 2 + n_group, name, n_name) && p[2 + n_group + n_name] == ' ')
			return line;
	}
	return NULL;
}

int dkt_kprobe_get(struct dkt_ctx *ctx, const char *group, const char *name, char **definition)
{
	char *text __cleanup(free) = NULL;
	char *line;
	int err = dkt__tfs_read(ctx, &text, NULL, KPROBES);

	*definition = NULL;
	if (err)
		return err;
	line = find_line(text, group, name);
	if (!line)
		return dkt_fail(ctx, -ENOENT, "there is no probe %s/%s", group, name);
	*definition = strdup(line);
	return *definition ? 0 : -ENOMEM;
}

int dkt_kprobe_create(struct dkt_ctx *ctx, const char *group, const char *name, const char *place,
		      const char *fields)
{
	char *text __cleanup(free) = NULL;
	int n, err;

	/* The kernel would add a second place to an event that somebody else has made. */
	if (dkt__tfs_exists(ctx, "events/%s/%s", group, name))
		return dkt_fail(ctx, -EEXIST, "there is an event %s:%s", group, name);
	n = asprintf(&text, "p:%s/%s %s %s", group, name, place, fields);
	if (n < 0) {
		text = NULL;
		return -ENOMEM;
	}
	if (n > DEFINITION_MAX)
		return dkt_fail(ctx, -E2BIG, "the definition of %s/%s has %d bytes", group, name,
				n);
	err = dkt__tfs_add(ctx, text, KPROBES);
	if (!err)
		dkt_events_forget(ctx);
	return err;
}

int dkt_kprobe_remove(struct dkt_ctx *ctx, const char *group, const char *name)
{
	char *text __cleanup(free) = NULL;
	int err = dkt_kprobe_get(ctx, group, name, &text);

	if (err)
		return err;
	free(text);
	if (asprintf(&text, "-:%s/%s", group, name) < 0) {
		text = NULL;
		return -ENOMEM;
	}
	err = dkt__tfs_add(ctx, text, KPROBES);
	if (!err)
		dkt_events_forget(ctx);
	return err;
}
