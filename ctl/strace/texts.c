/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Event probes that read the paths which calls point to, for kernels whose events have only addresses.
 */
#include "ctl/strace/strace.h"
#include "lib/base/buf.h"
#include "lib/inside.h"

/* The calls whose paths people look for; each probe costs time at the start and at the end. */
static const struct {
	const char *call;
	const char *event; /* its name in the kernel's events */
	const char *fields;
} texts[] = {
	{ "access", "access", "arg0=+0($filename):ustring" },
	{ "chdir", "chdir", "arg0=+0($filename):ustring" },
	{ "execve", "execve", "arg0=+0($filename):ustring" },
	{ "faccessat", "faccessat", "arg1=+0($filename):ustring" },
	{ "faccessat2", "faccessat2", "arg1=+0($filename):ustring" },
	{ "lstat", "newlstat", "arg0=+0($filename):ustring" },
	{ "mkdir", "mkdir", "arg0=+0($pathname):ustring" },
	{ "mkdirat", "mkdirat", "arg1=+0($pathname):ustring" },
	{ "newfstatat", "newfstatat", "arg1=+0($filename):ustring" },
	{ "open", "open", "arg0=+0($filename):ustring" },
	{ "openat", "openat", "arg1=+0($filename):ustring" },
	{ "readlink", "readlink", "arg0=+0($path):ustring" },
	{ "readlinkat", "readlinkat", "arg1=+0($pathname):ustring" },
	{ "rename", "rename", "arg0=+0($oldname):ustring arg1=+0($newname):ustring" },
	{ "renameat2", "renameat2", "arg1=+0($oldname):ustring arg3=+0($newname):ustring" },
	{ "stat", "newstat", "arg0=+0($filename):ustring" },
	{ "statx", "statx", "arg1=+0($filename):ustring" },
	{ "unlink", "unlink", "arg0=+0($pathname):ustring" },
	{ "unlinkat", "unlinkat", "arg1=+0($pathname):ustring" },
};

static bool wants(const struct strace_choice *choice, struct dkt_ctx *ctx, const char *call)
{
	if (!choice->any || descriptors_needs(call))
		return true;
	for (int i = 0; i < STRACE_CALLS; i++) {
		const char *name = choice->by_number[i] ? dkt_syscall_name(ctx, i) : NULL;

		if (name && !strcmp(name, call))
			return true;
	}
	return false;
}

/* Sets *made if there is a probe now. A call that this kernel lacks, or refuses to probe, has none. */
static int create(struct strace_texts *made, struct dkt_ctx *ctx, size_t i)
{
	char *place __cleanup(free) = dkt__format("syscalls.sys_enter_%s", texts[i].event);
	char *fields __cleanup(free) = dkt__format("nr=$__syscall_nr:s32 %s", texts[i].fields);
	DKT_OPTS(dkt_probe, probe, .kind = DKT_PROBE_EVENT, .group = made->group,
		 .name = texts[i].call, .place = place, .fields = fields);

	if (!place || !fields)
		return -ENOMEM;
	return dkt_probe_create(ctx, &probe) ? 0 : dkt__append(made->calls, made->n, texts[i].call);
}

int strace_texts_create(struct strace_texts *made, const struct app *app, struct dkt_ctx *ctx,
			const struct strace_choice *choice)
{
	char *prefix __cleanup(free) = live_name(app, "strace");
	int err = prefix ? 0 : -ENOMEM;

	made->paths = call_paths_recorded(ctx) ? CALL_PATHS_KERNEL : CALL_PATHS_NONE;
	if (made->paths == CALL_PATHS_KERNEL)
		return 0;
	if (!err)
		err = dkt_instance_own_group(ctx, prefix, &made->group);
	for (size_t i = 0; !err && i < ARRAY_SIZE(texts); i++) {
		if (!wants(choice, ctx, texts[i].call))
			continue;
		err = create(made, ctx, i);
		/* A kernel that refuses one probe of this kind has none of them. */
		if (!made->n)
			break;
		made->paths = CALL_PATHS_PROBES;
	}
	return err;
}

void strace_texts_remove(struct strace_texts *made, struct dkt_ctx *ctx)
{
	char *message = dkt__error_take(ctx);

	for (size_t i = 0; i < made->n; i++)
		if (dkt_probe_remove(ctx, made->group, made->calls[i]))
			app_say("%s; 'dktrace reset' will remove it", dkt_error(ctx));
	free(made->calls);
	free(made->group);
	dkt__error_give(ctx, 0, message);
}
