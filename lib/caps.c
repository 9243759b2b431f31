/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the capabilities that tracing needs and those that this process has. */
#include <linux/capability.h>
#include <sys/capability.h>
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
	} places[3];
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

/* True if all places may be used; otherwise reports the first refusal and the missing capability. */
static bool may_use(FILE *text, const struct dkt__rights *rights, const struct need *need,
		    const char *dir)
{
	struct stat st;

	for (size_t i = 0; i < ARRAY_SIZE(need->places) && need->places[i].name; i++) {
		const char *name = need->places[i].name;
		unsigned int want = need->places[i].want;

		if (!stat_place(dir, name, &st) || mode_allows(rights, &st, want) ||
		    caps_allow(rights, &st, want))
			continue;
		report_refusal(text, need, dir ? dir : TRACEFS_PLACE, name, &st);
		if (!caps_reach(rights, &st))
			fputs(OF_INITIAL_NS, text);
		return false;
	}
	return true;
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
		ok = may_use(text, rights, &control_need, dir) && ok;
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

int dkt_caps_check(struct dkt_ctx *ctx, unsigned int needs)
{
	dkt__needs(NULL, ctx);

	/* To see the modes of what is in directories of others. */
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained(!ctx->root);
	struct dkt__rights rights = {
		.uid = geteuid(),
		.gid = getegid(),
		.initial_ns = in_initial_ns(),
	};
	gid_t *groups __cleanup(free) = NULL;
	int n, err = dkt__flags_check(ctx, "dkt_caps_check", needs,
				      DKT_NEED_READ | DKT_NEED_CONTROL | DKT_NEED_MOUNT);

	if (err)
		return err;
	err = effective_caps(ctx, &rights.caps);
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

int dkt_caps_get(struct dkt_ctx *ctx, size_t i, struct dkt_cap *cap, size_t sz)
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
		&((struct dkt_cap){ .name = known_caps[i].name,
				    .use = known_caps[i].use,
				    .have = caps >> known_caps[i].cap & 1 && in_initial_ns() }));
}
