/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the capabilities that tracing needs and those that this process has. */
#include <linux/capability.h>
#include <sys/capability.h>
#include <sys/stat.h>

#include "caps.h"
#include "mount.h"

#define LOCKDOWN_FILE "/sys/kernel/security/lockdown"

/* Inode of the initial user namespace: include/linux/proc_ns.h, the same since 3.8. */
#define INITIAL_USER_NS 0xeffffffdU

/* Owner that stat() shows for one who does not exist in this user namespace. */
#define OVERFLOW_UID 65534

#define OF_INITIAL_NS " of the initial user namespace"

enum access { ACCESS_EXEC = 1, ACCESS_WRITE = 2, ACCESS_READ = 4 };

static const struct {
	cap_value_t cap;
	const char *name;
	const char *use;
} known_caps[] = {
	{ CAP_DAC_OVERRIDE, "cap_dac_override", "change what tracefs keeps for its owner" },
	{ CAP_DAC_READ_SEARCH, "cap_dac_read_search", "read what tracefs keeps for its owner" },
	{ CAP_SYS_ADMIN, "cap_sys_admin", "mount tracefs" },
	{ CAP_SYSLOG, "cap_syslog", "see kernel addresses, for the names of functions" },
};

/* ---- who we are ---- */

static int effective_caps(struct dkt_ctx *ctx, uint64_t *caps)
{
	cap_t set = cap_get_proc();
	cap_flag_value_t value;
	cap_value_t cap;

	*caps = 0;
	if (!set)
		return dkt_fail(ctx, -errno, "read this process' capabilities: %s",
				strerror(errno));
	for (cap = 0; cap < 64 && CAP_IS_SUPPORTED(cap); cap++)
		if (!cap_get_flag(set, cap, CAP_EFFECTIVE, &value) && value == CAP_SET)
			*caps |= 1ull << cap;
	cap_free(set);
	return 0;
}

/* Without /proc nothing can be said; then the kernel says it later. */
static bool in_initial_ns(void)
{
	struct stat st;

	return stat("/proc/self/ns/user", &st) || st.st_ino == INITIAL_USER_NS;
}

static bool has_cap(const struct dkt__rights *rights, cap_value_t cap)
{
	return rights->caps >> cap & 1;
}

/* ---- what they allow ---- */

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

/* Elsewhere than in the initial user namespace they do not reach the files of foreign owners. */
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
	if (asprintf(&path, "%s%s", dir, name) < 0) {
		path = NULL;
		return false;
	}
	return !stat(path, st);
}

static void begin_refusal(FILE *words, const char *purpose)
{
	fprintf(words, "%s%s: ", ftell(words) > 0 ? "; " : "", purpose);
}

static void say_refused(FILE *words, const struct need *need, const char *dir, const char *name,
			const struct stat *st)
{
	begin_refusal(words, need->purpose);
	fprintf(words, "no permission for %s%s (owner ", dir, name);
	if (st->st_uid)
		fprintf(words, "%u", (unsigned int)st->st_uid);
	else
		fputs("root", words);
	fprintf(words, ", mode %04o): need %s", (unsigned int)st->st_mode & 07777, need->caps);
}

/* True if all the places may be used; else says which one may not, and what is missing. */
static bool may_use(FILE *words, const struct dkt__rights *rights, const struct need *need,
		    const char *dir)
{
	struct stat st;

	for (size_t i = 0; i < ARRAY_SIZE(need->places) && need->places[i].name; i++) {
		const char *name = need->places[i].name;
		unsigned int want = need->places[i].want;

		if (!stat_place(dir, name, &st) || mode_allows(rights, &st, want) ||
		    caps_allow(rights, &st, want))
			continue;
		say_refused(words, need, dir ? dir : TRACEFS_PLACE, name, &st);
		if (!caps_reach(rights, &st))
			fputs(OF_INITIAL_NS, words);
		return false;
	}
	return true;
}

static bool may_mount(FILE *words, const struct dkt__rights *rights)
{
	if (has_cap(rights, CAP_SYS_ADMIN) && rights->initial_ns)
		return true;
	begin_refusal(words, "mount tracefs");
	fprintf(words, "need cap_sys_admin%s", rights->initial_ns ? "" : OF_INITIAL_NS);
	return false;
}

/* Writes what is missing for the needs; true if nothing is. */
static bool needs_met(FILE *words, const struct dkt__rights *rights, unsigned int needs,
		      const char *dir)
{
	bool ok = true;

	if (needs & DKT_NEED_MOUNT && !dir)
		ok = may_mount(words, rights);
	/* Who may control may read. */
	if (needs & DKT_NEED_CONTROL)
		ok = may_use(words, rights, &control_need, dir) && ok;
	else if (needs & DKT_NEED_READ)
		ok = may_use(words, rights, &read_need, dir) && ok;
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
	FILE *words;
	bool ok;

	if (!ctx->root && locked_down())
		return dkt_fail(ctx, -EPERM,
				"the kernel is locked down (confidentiality, see %s): it refuses "
				"tracefs to everybody",
				LOCKDOWN_FILE);
	words = open_memstream(&text, &size);
	if (!words)
		return dkt__no_memory(ctx);
	ok = needs_met(words, rights, needs, dir);
	fputs(rights->uid ? "; run as root" : "; this root was not given it (a container?)", words);
	if (fclose(words))
		return dkt__no_memory(ctx);
	return ok ? 0 : dkt_fail(ctx, -EPERM, "%s", text);
}

/* ---- this process ---- */

int dkt_caps_check(struct dkt_ctx *ctx, unsigned int needs)
{
	dkt__needs(NULL, ctx);

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
