/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of system calls. Their numbers differ between architectures; libseccomp has the tables. */
#include <fnmatch.h>
#include <seccomp.h>

#include "lib/ctx.h"

/* Machines that libseccomp names differently; wide: their name if the kernel's long has 8 bytes. */
static const struct {
	const char *machine, *name, *wide;
} machines[] = {
	/* A 64-bit kernel, too, if trace-cmd ran with a 32-bit personality (linux32(8)). */
	{ "i[3-6]86", "x86", "x86_64" },
	{ "arm*", "arm", "aarch64" },
	{ "aarch64_be", "aarch64", "aarch64" },
	{ "ppc", "ppc", "ppc64" },
	{ "s390", "s390", "s390x" },
	/* Unknown: libseccomp counts from 0, the kernel from 4000, 5000 and 6000. */
	{ "mips*", "", "" },
};

/* Returns libseccomp's number of the machine; 0: unknown. */
static uint32_t find_arch(const struct dkt_ctx *ctx)
{
	const char *name = ctx->machine;

	/* Only a file has the size of the kernel's long. */
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++)
		if (!fnmatch(machines[i].machine, ctx->machine, 0))
			name = ctx->given && ctx->long_size == 8 ? machines[i].wide :
								   machines[i].name;
	return seccomp_arch_resolve_name(name);
}

/* libseccomp searches its table and copies the name each time, so the caller keeps the name. */
static const char *find_name(struct dkt_ctx *ctx, int number)
{
	char *name __cleanup(free) = NULL;

	errno = 0;
	if (ctx->arch)
		name = seccomp_syscall_resolve_num_arch(ctx->arch, number);
	if (!name)
		return errno == ENOMEM ? NULL : "";
	return dkt__ctx_strndup(ctx, name, strlen(name));
}

const char *dkt_syscall_name(struct dkt_ctx *ctx, int number)
{
	if (!ctx)
		return NULL;

	const char **name;

	if (number < 0 || number >= DKT__SYSCALLS)
		return NULL;
	if (!ctx->syscalls) {
		ctx->arch = find_arch(ctx);
		ctx->syscalls = dkt__ctx_keep(ctx, DKT__SYSCALLS * sizeof(*ctx->syscalls));
		if (!ctx->syscalls) {
			dkt__starve(ctx, dkt__no_memory(ctx));
			return NULL;
		}
	}
	name = &ctx->syscalls[number];
	if (!*name)
		*name = find_name(ctx, number);
	if (!*name)
		dkt__starve(ctx, dkt__no_memory(ctx));
	return *name && **name ? *name : NULL;
}
