/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the reason why the kernel refused a probe, if the kernel did not give one. */
#include <ctype.h>
#include <fcntl.h>

#include "lib/base/gained.h"
#include "lib/probe.h"
#include "lib/probe/arg.h"
#include "lib/tracefs.h"

/* "0xffffffff81000000-0xffffffff81000100	name" */
static bool is_blacklisted(struct dkt_ctx *ctx, const char *function)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained(!ctx->root);
	char *path __cleanup(free) = NULL;
	char *line __cleanup(free) = NULL;
	FILE *f __cleanup(fclose) = NULL;
	size_t size = 0;

	path = dkt__format("%s/kprobes/blacklist", ctx->root ? ctx->root : "/sys/kernel/debug");
	f = path ? fopen(path, "re") : NULL;
	while (f && getline(&line, &size, f) > 0) {
		char *name = strpbrk(line, "\t ");

		if (!name)
			continue;
		name += strspn(name, "\t ");
		name[strcspn(name, "\n\t ")] = '\0';
		if (!strcmp(name, function))
			return true;
	}
	return false;
}

/* True if ftrace has a list of functions, and this one is not in it. */
static bool is_notrace(struct dkt_ctx *ctx, const char *function)
{
	char *text __cleanup(free) = NULL;
	size_t n = strlen(function);

	if (dkt__tfs_read(ctx, &text, NULL, "available_filter_functions") || !*text)
		return false;
	for (const char *p = text; (p = strstr(p, function)); p += n)
		if ((p == text || p[-1] == '\n') && strchr("\n \t", p[n]))
			return false;
	return true;
}

int dkt__probe_refused(struct dkt_ctx *ctx, const struct dkt_probe *probe, int err)
{
	dkt__needs(ctx, ctx && probe);

	const char *colon = strchr(probe->place ? probe->place : "", ':');
	const char *place = colon ? colon + 1 : probe->place;
	char *function __cleanup(free) = NULL;
	char *words __cleanup(free) = strdup(dkt_error(ctx));

	/* The kernel's README lists event probes even if the kernel does not have them. */
	if (words && probe->kind == DKT_PROBE_EVENT && err == -EINVAL && !strchr(words, '\n'))
		return dkt_fail(ctx, err,
				"%s; if the kernel gives no reason, it has no probes on events"
				" (CONFIG_EPROBE_EVENTS)",
				words);
	if (!words || (probe->kind != DKT_PROBE_KPROBE && probe->kind != DKT_PROBE_FPROBE))
		return err;
	function = strndup(place, strcspn(place, "+"));
	if (!function || isdigit((unsigned char)*function))
		return err;
	if (is_blacklisted(ctx, function))
		return dkt_fail(ctx, err,
				"%s is blacklisted: the kernel's probes themselves need it",
				function);
	if (probe->on_return && strstr(probe->fields ? probe->fields : "", "$arg"))
		return dkt_fail(ctx, err,
				"%s: this kernel has no arguments on return; probe the"
				" entry to record them",
				words);
	if (err == -EINVAL && is_notrace(ctx, function))
		return dkt_fail(
			ctx, err,
			"%s is marked notrace, or part of the kernel's tracing: it cannot be"
			" probed",
			function);
	return dkt_fail(ctx, err, "%s", words);
}
