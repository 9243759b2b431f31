/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Drops capabilities, for good or while files are opened. */
#include <sys/capability.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "lib/base/gained.h"
#include "lib/ctx.h"

/* ---- for good ---- */

static const struct {
	unsigned int keep;
	cap_value_t cap;
} kept[] = {
	/* clang-format off */
	{ DKT_KEEP_SYMBOLS,   CAP_SYSLOG },
	{ DKT_KEEP_TRACEFS,   CAP_DAC_OVERRIDE },
	{ DKT_KEEP_TRACEFS,   CAP_DAC_READ_SEARCH },
	{ DKT_KEEP_INPUT,     CAP_DAC_READ_SEARCH },
	{ DKT_KEEP_OUTPUT,    CAP_DAC_OVERRIDE },
	{ DKT_KEEP_OUTPUT,    CAP_FOWNER },
	{ DKT_KEEP_KILL,      CAP_KILL },
	{ DKT_KEEP_PROCESSES, CAP_SYS_PTRACE },
	{ DKT_KEEP_PROCESSES, CAP_DAC_READ_SEARCH },
	/* clang-format on */
};

/* True if tracefs belongs to another user; its owner needs no capabilities for it. */
static bool is_foreign(const struct dkt_ctx *ctx)
{
	struct stat st;

	return ctx->dir && (stat(ctx->dir, &st) || st.st_uid != geteuid());
}

/* Copies the capabilities to keep, if they are effective now, or gained, which are for a while only. */
static int copy_kept(cap_t from, cap_t to, unsigned int keep)
{
	const cap_flag_t source = dkt__is_gained() ? CAP_PERMITTED : CAP_EFFECTIVE;

	for (size_t i = 0; i < ARRAY_SIZE(kept); i++) {
		const cap_value_t *cap = &kept[i].cap;
		cap_flag_value_t have, effective;

		if (!(kept[i].keep & keep))
			continue;
		if (cap_get_flag(from, *cap, source, &have) ||
		    cap_get_flag(from, *cap, CAP_EFFECTIVE, &effective))
			return -errno;
		if (have == CAP_SET && (cap_set_flag(to, CAP_PERMITTED, 1, cap, CAP_SET) ||
					cap_set_flag(to, CAP_EFFECTIVE, 1, cap, effective)))
			return -errno;
	}
	return 0;
}

int dkt_caps_limit(struct dkt_ctx *ctx, unsigned int keep)
{
	dkt__needs(NULL, ctx);

	cap_t now, limited;
	int err = dkt__flags_check(ctx, "dkt_caps_limit", keep,
				   DKT_KEEP_SYMBOLS | DKT_KEEP_TRACEFS | DKT_KEEP_INPUT |
					   DKT_KEEP_OUTPUT | DKT_KEEP_KILL | DKT_KEEP_PROCESSES);

	if (err)
		return err;
	if (!is_foreign(ctx))
		keep &= ~(unsigned int)DKT_KEEP_TRACEFS;
	/* Capabilities of the program's file are for tracefs, not for files of the caller's choice. */
	if (dkt__is_gained())
		keep &= DKT_KEEP_SYMBOLS | DKT_KEEP_TRACEFS;
	/* Otherwise a program that this process executes as root would regain them all. */
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return dkt_fail(ctx, -errno, "give up new privileges: %s", strerror(errno));
	now = cap_get_proc();
	limited = cap_init();
	err = now && limited ? copy_kept(now, limited, keep) : -ENOMEM;
	if (!err && cap_set_proc(limited))
		err = -errno;
	if (err)
		dkt_fail(ctx, err, "drop capabilities: %s", strerror(-err));
	cap_free(now);
	cap_free(limited);
	return err;
}

/* ---- for a while ---- */

int dkt_caps_lower(struct dkt_ctx *ctx, enum dkt_lower which)
{
	dkt__needs(NULL, ctx);

	cap_t now;
	int err = 0;

	if (which == DKT_LOWER_GAINED && !dkt__is_gained())
		return 0;
	if (ctx->lowered) {
		ctx->n_lowered++;
		return 0;
	}
	ctx->lowered = cap_get_proc();
	now = cap_dup(ctx->lowered);
	if (!now || cap_clear_flag(now, CAP_EFFECTIVE))
		err = -errno;
	/* An invalid ID changes nothing, and returns the present one. */
	ctx->fs_gid = setfsgid(which == DKT_LOWER_GAINED ? getgid() : (gid_t)-1);
	ctx->fs_uid = setfsuid(which == DKT_LOWER_GAINED ? getuid() : (uid_t)-1);
	if (!err && cap_set_proc(now))
		err = -errno;
	cap_free(now);
	if (!err)
		return 0;
	dkt_caps_raise(ctx);
	return dkt_fail(ctx, err, "lower capabilities: %s", strerror(-err));
}

int dkt_caps_raise(struct dkt_ctx *ctx)
{
	dkt__needs(NULL, ctx);

	int err = 0;

	if (!ctx->lowered)
		return 0;
	if (ctx->n_lowered) {
		ctx->n_lowered--;
		return 0;
	}
	setfsuid((uid_t)ctx->fs_uid);
	setfsgid((gid_t)ctx->fs_gid);
	if (cap_set_proc(ctx->lowered))
		err = dkt_fail(ctx, -errno, "raise capabilities: %s", strerror(errno));
	cap_free(ctx->lowered);
	ctx->lowered = NULL;
	return err;
}
