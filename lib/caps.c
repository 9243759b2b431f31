/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the capabilities that tracing needs and those that this process has; drops them, for good or for a while. */
#include <linux/capability.h>
#include <sys/capability.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "lib/base/gained.h"
#include "lib/caps.h"
#include "lib/mount.h"

#define LOCKDOWN_FILE "/sys/kernel/security/lockdown"

/* Inode of the initial user namespace: include/linux/proc_ns.h, the same since 3.8. */
#define INITIAL_USER_NS 0xeffffffdU

/* The owner that stat() reports if the real one has no ID in this user namespace. */
#define OVERFLOW_UID 65534

#define OF_INITIAL_NS " of the initial user namespace"

enum access { ACCESS_EXEC = 1, ACCESS_WRITE = 2, ACCESS_READ = 4 };

static const struct {
	cap_value_t cap;
	const char *name;
	const char *use;
} known_caps[] = {
	{ CAP_DAC_OVERRIDE, "cap_dac_override", "change another user's files in tracefs" },
	{ CAP_DAC_READ_SEARCH, "cap_dac_read_search", "read another user's files in tracefs" },
	{ CAP_SYS_ADMIN, "cap_sys_admin", "mount tracefs" },
	{ CAP_CHOWN, "cap_chown", "create /run/dktrace, which belongs to root" },
	{ CAP_SYSLOG, "cap_syslog", "see kernel addresses, for the names of functions" },
};

/* ---- the privileges of this process ---- */

static int effective_caps(struct dkt_ctx *ctx, uint64_t *caps)
{
	cap_t set = cap_get_proc();
	/* Those that the program's file gave become effective when they are needed. */
	const cap_flag_t flag = dkt__is_gained() ? CAP_PERMITTED : CAP_EFFECTIVE;
	cap_flag_value_t value;
	cap_value_t cap;

	*caps = 0;
	if (!set)
		return dkt_fail(ctx, -errno, "read this process' capabilities: %s",
				strerror(errno));
	for (cap = 0; cap < 64 && CAP_IS_SUPPORTED(cap); cap++)
		if (!cap_get_flag(set, cap, flag, &value) && value == CAP_SET)
			*caps |= 1ull << cap;
	cap_free(set);
	return 0;
}

/* Without /proc, assumes that it is; if it is not, the kernel refuses later. */
static bool in_initial_ns(void)
{
	struct stat st;

	return stat("/proc/self/ns/user", &st) || st.st_ino == INITIAL_USER_NS;
}

static bool has_cap(const struct dkt__rights *rights, cap_value_t cap)
{
	return rights->caps >> cap & 1;
}

/* ---- access to tracefs ---- */

static bool in_group(const struct dkt__rights *rights, gid_t gid)
{
	for (size_t i = 0; i < rights->n_groups; i++)
		if (rights->groups[i] == gid)
			return true;
	return rights->gid == gid;
}

static bool mode_allows(const struct dkt__rights *rights, const struct stat *st, unsigned int want)
{
	unsigned int bits = st->st_mode & 7;

	if (st->st_uid == rights->uid)
		bits = st->st_mode >> 6 & 7;
	else if (in_group(rights, st->st_gid))
		bits = st->st_mode >> 3 & 7;
	return (bits & want) == want;
}

/* In another user namespace, capabilities do not apply to files whose owner has no ID there. */
static bool caps_reach(const struct dkt__rights *rights, const struct stat *st)
{
	return rights->initial_ns || st->st_uid != OVERFLOW_UID;
}

static bool caps_allow(const struct dkt__rights *rights, const struct stat *st, unsigned int want)
{
	if (!caps_reach(rights, st))
		return false;
	return has_cap(rights, CAP_DAC_OVERRIDE) ||
	       (!(want & ACCESS_WRITE) && has_cap(rights, CAP_DAC_READ_SEARCH));
}

/* The files that a need touches first; a saved tree may lack some of them. */
struct need {
	const char *purpose;
	const char *caps;
	struct {
		const char *name;
		unsigned int want;
	} places[5];
};

static const struct need read_need = {
	"read tracefs",
	"cap_dac_read_search or cap_dac_override",
	{ { "", ACCESS_READ | ACCESS_EXEC }, { "/trace_clock", ACCESS_READ } },
};

static const struct need control_need = {
	"control the tracer",
	"cap_dac_override",
	{ { "", ACCESS_READ | ACCESS_EXEC },
	  { "/instances", ACCESS_READ | ACCESS_WRITE | ACCESS_EXEC },
	  { "/set_event", ACCESS_READ | ACCESS_WRITE } },
};

/* All that a log changes, of an instance that root has given to a user or a group. */
static const struct need instance_need = {
	"control the instance",
	"cap_dac_override",
	{ { "", ACCESS_READ | ACCESS_EXEC },
	  { "/events", ACCESS_READ | ACCESS_EXEC },
	  { "/set_event", ACCESS_READ | ACCESS_WRITE },
	  { "/trace", ACCESS_READ | ACCESS_WRITE },
	  { "/tracing_on", ACCESS_READ | ACCESS_WRITE } },
};

/* The result of stat(), or of a future mount if tracefs is not mounted (dir NULL). */
static bool stat_place(const char *dir, const char *name, struct stat *st)
{
	char *path __cleanup(free) = NULL;

	if (!dir) {
		*st = (struct stat){ .st_mode = S_IFDIR | 0700 };
		return true;
	}
	path = dkt__format("%s%s", dir, name);
	return path && !stat(path, st);
}

static void begin_refusal(FILE *text, const char *purpose)
{
	fprintf(text, "%s%s: ", ftell(text) > 0 ? "; " : "", purpose);
}

static void report_refusal(FILE *text, const struct need *need, const char *dir, const char *name,
			   const struct stat *st)
{
	begin_refusal(text, need->purpose);
	fprintf(text, "no permission for %s%s (owner ", dir, name);
	if (st->st_uid)
		fprintf(text, "%u", (unsigned int)st->st_uid);
	else
		fputs("root", text);
	fprintf(text, ", mode %04o): need %s", (unsigned int)st->st_mode & 07777, need->caps);
}

/* Returns the first place that may not be used, or NULL. */
static const char *first_refused(const struct dkt__rights *rights, const struct need *need,
				 const char *dir, struct stat *st)
{
	for (size_t i = 0; i < ARRAY_SIZE(need->places) && need->places[i].name; i++)
		if (stat_place(dir, need->places[i].name, st) &&
		    !mode_allows(rights, st, need->places[i].want) &&
		    !caps_allow(rights, st, need->places[i].want))
			return need->places[i].name;
	return NULL;
}

/* True if all places may be used; otherwise reports the first refusal and the missing capability. */
static bool may_use(FILE *text, const struct dkt__rights *rights, const struct need *need,
		    const char *dir)
{
	struct stat st;
	const char *name = first_refused(rights, need, dir, &st);

	if (!name)
		return true;
	report_refusal(text, need, dir ? dir : TRACEFS_PLACE, name, &st);
	if (!caps_reach(rights, &st))
		fputs(OF_INITIAL_NS, text);
	return false;
}

/* True for an instance that is there, with files that may be used although others of tracefs may not. */
static bool is_given(const struct dkt__rights *rights, const char *dir)
{
	char *instance __cleanup(free) =
		dir && rights->instance ? dkt__format("%s/instances/%s", dir, rights->instance) :
					  NULL;
	struct stat st;

	return instance && !stat(instance, &st) &&
	       !first_refused(rights, &instance_need, instance, &st);
}

static bool may_mount(FILE *text, const struct dkt__rights *rights)
{
	if (has_cap(rights, CAP_SYS_ADMIN) && rights->initial_ns)
		return true;
	begin_refusal(text, "mount tracefs");
	fprintf(text, "need cap_sys_admin%s", rights->initial_ns ? "" : OF_INITIAL_NS);
	return false;
}

/* True if nothing is missing for the needs; otherwise reports what is. */
static bool needs_met(FILE *text, const struct dkt__rights *rights, unsigned int needs,
		      const char *dir)
{
	bool ok = true;

	if (needs & DKT_NEED_MOUNT && !dir)
		ok = may_mount(text, rights);
	/* Permission to control includes permission to read. */
	if (needs & DKT_NEED_CONTROL)
		ok = (is_given(rights, dir) || may_use(text, rights, &control_need, dir)) && ok;
	else if (needs & DKT_NEED_READ)
		ok = may_use(text, rights, &read_need, dir) && ok;
	return ok;
}

bool dkt__lockdown_refuses(const char *text)
{
	return strstr(text, "[confidentiality]");
}

static bool locked_down(void)
{
	FILE *f __cleanup(fclose) = fopen(LOCKDOWN_FILE, "re");
	char text[128];

	return f && fgets(text, sizeof(text), f) && dkt__lockdown_refuses(text);
}

int dkt__rights_check(struct dkt_ctx *ctx, const struct dkt__rights *rights, unsigned int needs)
{
	char *dir __cleanup(free) = ctx->dir ? strdup(ctx->dir) : dkt__mount_where(ctx);
	char *text __cleanup(free) = NULL;
	size_t size;
	FILE *f;
	bool ok;

	if (!dir && (ctx->dir || ctx->root))
		return dkt__no_memory(ctx);
	if (!ctx->root && locked_down())
		return dkt_fail(ctx, -EPERM,
				"the kernel is locked down (confidentiality, see %s): it refuses "
				"tracefs to everybody",
				LOCKDOWN_FILE);
	f = open_memstream(&text, &size);
	if (!f)
		return dkt__no_memory(ctx);
	ok = needs_met(f, rights, needs, dir);
	fputs(rights->uid ? "; run as root" : "; this root was not given it (a container?)", f);
	if (fclose(f))
		return dkt__no_memory(ctx);
	return ok ? 0 : dkt_fail(ctx, -EPERM, "%s", text);
}

/* ---- the calls ---- */

static int check(struct dkt_ctx *ctx, unsigned int needs, const char *instance)
{
	/* To see the modes of what is in directories of others. */
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained(!ctx->root);
	struct dkt__rights rights = {
		.uid = geteuid(),
		.gid = getegid(),
		.initial_ns = in_initial_ns(),
		.instance = instance,
	};
	gid_t *groups __cleanup(free) = NULL;
	int n, err = effective_caps(ctx, &rights.caps);

	if (err)
		return err;
	n = getgroups(0, NULL);
	groups = calloc(n > 0 ? (size_t)n : 1, sizeof(*groups));
	if (!groups)
		return dkt__no_memory(ctx);
	n = getgroups(n, groups);
	rights.groups = groups;
	rights.n_groups = n > 0 ? (size_t)n : 0;
	return dkt__rights_check(ctx, &rights, needs);
}

int dkt_caps_check(struct dkt_ctx *ctx, unsigned int needs)
{
	dkt__needs(NULL, ctx);

	int err = dkt__flags_check(ctx, "dkt_caps_check", needs,
				   DKT_NEED_READ | DKT_NEED_CONTROL | DKT_NEED_MOUNT);

	return err ? err : check(ctx, needs, NULL);
}

int dkt__caps_check_instance(struct dkt_ctx *ctx, const char *name)
{
	return check(ctx, DKT_NEED_CONTROL, name);
}

int dkt__caps_get(struct dkt_ctx *ctx, size_t i, struct dkt__cap *cap, size_t sz)
{
	dkt__needs(ctx, dkt__blank(cap, sz) && ctx);

	uint64_t caps;
	int err;

	if (i >= ARRAY_SIZE(known_caps))
		return 1;
	err = effective_caps(ctx, &caps);
	if (err)
		return err;
	return dkt__fill(
		cap, sz,
		&((struct dkt__cap){ .name = known_caps[i].name,
				     .use = known_caps[i].use,
				     .have = caps >> known_caps[i].cap & 1 && in_initial_ns() }));
}

/* ---- dropping capabilities for good ---- */

static const struct {
	unsigned int keep;
	cap_value_t cap;
} kept[] = {
	/* clang-format off */
	{ DKT__KEEP_SYMBOLS,   CAP_SYSLOG },
	{ DKT__KEEP_TRACEFS,   CAP_DAC_OVERRIDE },
	{ DKT__KEEP_TRACEFS,   CAP_DAC_READ_SEARCH },
	{ DKT__KEEP_INPUT,     CAP_DAC_READ_SEARCH },
	{ DKT__KEEP_OUTPUT,    CAP_DAC_OVERRIDE },
	{ DKT__KEEP_OUTPUT,    CAP_FOWNER },
	{ DKT__KEEP_KILL,      CAP_KILL },
	{ DKT__KEEP_PROCESSES, CAP_SYS_PTRACE },
	{ DKT__KEEP_PROCESSES, CAP_DAC_READ_SEARCH },
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

int dkt__caps_limit(struct dkt_ctx *ctx, unsigned int keep)
{
	dkt__needs(NULL, ctx);

	cap_t now, limited;
	int err = dkt__flags_check(ctx, "dkt__caps_limit", keep,
				   DKT__KEEP_SYMBOLS | DKT__KEEP_TRACEFS | DKT__KEEP_INPUT |
					   DKT__KEEP_OUTPUT | DKT__KEEP_KILL | DKT__KEEP_PROCESSES);

	if (err)
		return err;
	if (!is_foreign(ctx))
		keep &= ~(unsigned int)DKT__KEEP_TRACEFS;
	/* Capabilities of the program's file are for tracefs, not for files of the caller's choice. */
	if (dkt__is_gained())
		keep &= DKT__KEEP_SYMBOLS | DKT__KEEP_TRACEFS;
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

/* ---- lowering them while files are opened ---- */

int dkt__caps_lower(struct dkt_ctx *ctx, enum dkt__lower which)
{
	dkt__needs(NULL, ctx);

	cap_t now;
	int err = 0;

	if (which == DKT__LOWER_GAINED && !dkt__is_gained())
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
	ctx->fs_gid = setfsgid(which == DKT__LOWER_GAINED ? getgid() : (gid_t)-1);
	ctx->fs_uid = setfsuid(which == DKT__LOWER_GAINED ? getuid() : (uid_t)-1);
	if (!err && cap_set_proc(now))
		err = -errno;
	cap_free(now);
	if (!err)
		return 0;
	dkt__caps_raise(ctx);
	return dkt_fail(ctx, err, "lower capabilities: %s", strerror(-err));
}

int dkt__caps_raise(struct dkt_ctx *ctx)
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
