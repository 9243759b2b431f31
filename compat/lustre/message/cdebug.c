/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Creates and removes the probe dktrace:cdebug, whose fields cdebug_fields.c has. */
#include "compat/lustre/message/cdebug.h"

#include <fcntl.h>
#include <inttypes.h>

#include "compat/io/run_dir.h"
#include "compat/io/say.h"
#include "compat/lustre/lustre_masks.h"
#include "lib/base/gained.h"
#include "lib/base/io.h"
#include "lib/base/util.h"
#include "lib/inside.h"

#define MSG "libcfs:libcfs_debug_msg"

/* The name begins with a dot, so that the file does not count as a debug log. */
#define NOTE RUN_DIR "/.cdebug"

/*
 * Functions whose messages need more data than others. The last four name a dentry late. The others
 * pass their caller's format on as %pV: for requests, locks, quota, encryption, the scheduling of
 * requests and the network of Cray.
 */
static const char *const callers[] = {
	"_debug_req",
	"_ldlm_lock_debug",
	"qmt_lqe_debug",
	"qsd_lqe_debug",
	"llcrypt_msg",
	"__nrs_tbf_cli_debug",
	"_kgnilnd_debug_msg",
	"_kgnilnd_debug_conn",
	"_kgnilnd_debug_tx",
	"_kgnilnd_api_rc_lbug",
	"ll_link",
	"ll_rename",
	"osd_index_dir_delete",
	"osd_index_dir_insert",
};

/* The beginning of a place in the function of requests, which is in the module ptlrpc. */
#define REQUESTS "_debug_req+"

/* The beginning of places in functions that pass it on as the third argument, too. */
static const char *const third[] = {
	"llcrypt_msg+",
	"__nrs_tbf_cli_debug+",
};

static const char *const names[] = { CDEBUG_NAME, CDEBUG_STRINGS, CDEBUG_NESTED,
				     CDEBUG_NESTED_THIRD };

/* If both functions exist, probe the one with a va_list, because the other calls it. */
static enum cdebug_place find_place(void)
{
	enum cdebug_place place = CDEBUG_MSG;
	char *line __cleanup(free) = NULL;
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained(true);
	FILE *f = fopen("/proc/kallsyms", "re");
	size_t size = 0;

	while (f && place == CDEBUG_MSG && getline(&line, &size, f) > 0)
		if (strstr(line, " libcfs_debug_vmsg2\t[libcfs]"))
			place = CDEBUG_VMSG2;
	if (f)
		fclose(f);
	return place;
}

static int define(struct dkt_ctx *ctx, const char *name, const char *where, const char *fields,
		  int (*fn)(struct dkt_ctx *ctx, const struct dkt_probe *probe))
{
	const DKT_OPTS(dkt_probe, probe, .kind = DKT_PROBE_KPROBE, .group = CDEBUG_GROUP,
		       .name = name, .place = where, .fields = fields);

	return fn(ctx, &probe);
}

/*
 * Returns the offset of the name's address in a struct dentry, from the kernel's BTF; 0: unknown.
 */
static unsigned int find_dentry_name(struct dkt_ctx *ctx)
{
	static const char *const args[] = { "dentry->d_name.name:x64" };
	DKT_OPTS(dkt_probe_opts, opts, .kind = DKT_PROBE_KPROBE);
	struct dkt_probes *probes = NULL;
	unsigned int offset = 0;
	const char *plus;

	if (dkt_probe_define(ctx, "dput", args, ARRAY_SIZE(args), &opts, &probes))
		return 0;
	plus = strchr(dkt_probes_at(probes, 0)->fields, '+');
	if (!plus || sscanf(plus, "+%u(", &offset) != 1)
		offset = 0;
	dkt_probes_free(probes);
	return offset;
}

/* Creates the probe with the most fields that the kernel accepts; stores its tier. */
static int create(struct dkt_ctx *ctx, const char *name, enum cdebug_place place, const char *where,
		  unsigned int dentry_name, unsigned int *tier)
{
	int err = -ENOENT;

	for (*tier = 0;; (*tier)++) {
		char *fields __cleanup(free) = NULL;
		int bad =
			dkl_cdebug_fields(dkl_cdebug_machine(), place, *tier, dentry_name, &fields);

		if (bad == -ENOENT && !*tier)
			return dkt_fail(
				ctx, -EOPNOTSUPP,
				"how functions get their arguments on this machine is unknown");
		if (bad)
			return bad == -ENOENT ? err : bad;
		err = define(ctx, name, where, fields, dkt_probe_create);
		if (err != -EINVAL && err != -E2BIG && err != -ENOSPC)
			return err;
	}
}

/* True if the place, MODULE:FUNCTION+0xOFFSET, is in one of the functions, FUNCTION+. */
static bool is_in(const char *place, const char *const *functions, size_t n)
{
	const char *colon = strchr(place, ':');

	for (size_t i = 0; colon && i < n; i++)
		if (!strncmp(colon + 1, functions[i], strlen(functions[i])))
			return true;
	return false;
}

/* False: ptlrpc is not loaded, or the kernel's memory cannot be read. */
static bool has_requests(char *const *calls)
{
	static const char *const requests[] = { REQUESTS };

	while (*calls && !is_in(*calls, requests, ARRAY_SIZE(requests)))
		calls++;
	return *calls;
}

/* Creates one probe on the calls, or only on those with a third argument. */
static int create_calls(struct dkt_ctx *ctx, char *const *calls, const char *name,
			enum cdebug_place place, unsigned int dentry_name)
{
	char *fields __cleanup(free) = NULL;
	unsigned int tier;
	int err = 0;

	for (; !err && *calls; calls++) {
		if (place == CDEBUG_CALL_THIRD && !is_in(*calls, third, ARRAY_SIZE(third)))
			continue;
		if (fields) {
			err = define(ctx, name, *calls, fields, dkt__probe_add_place);
			continue;
		}
		err = create(ctx, name, place, *calls, dentry_name, &tier);
		if (!err)
			err = dkl_cdebug_fields(dkl_cdebug_machine(), place, tier, dentry_name,
						&fields);
	}
	return err;
}

static void remove_parts(struct dkt_ctx *ctx)
{
	char *words = dkt__error_take(ctx);

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		dkt_probe_remove(ctx, CDEBUG_GROUP, names[i]);
	dkt__error_give(ctx, 0, words);
}

/*
 * These are kprobes: an fprobe costs a quarter less and misses nothing while another one runs, but
 * after its module was loaded again at another address it records nothing. The kernel runs the
 * newest probe first, so create cdebug, whose record ends a message, before strings.
 */
static int create_parts(struct dkt_ctx *ctx, unsigned int dentry_name)
{
	char **calls = NULL;
	unsigned int tier;
	int err = dkl_call_sites("libcfs_debug_msg", callers, ARRAY_SIZE(callers), &calls);

	if (!err && !has_requests(calls))
		err = -ENOENT;
	if (!err)
		err = create_calls(ctx, calls, CDEBUG_NESTED, CDEBUG_CALL, dentry_name);
	if (!err)
		err = create_calls(ctx, calls, CDEBUG_NESTED_THIRD, CDEBUG_CALL_THIRD, dentry_name);
	dkl_call_sites_free(calls);
	if (!err)
		err = create(ctx, CDEBUG_NAME, CDEBUG_WORDS, MSG, dentry_name, &tier);
	if (!err)
		err = create(ctx, CDEBUG_STRINGS, CDEBUG_POINTEES, MSG, dentry_name, &tier);
	if (err)
		remove_parts(ctx);
	return err;
}

/* If the calls are not found, one probe records all data of every message. */
static int create_all(struct dkt_ctx *ctx)
{
	const unsigned int dentry_name = find_dentry_name(ctx);
	enum cdebug_place place = find_place();
	unsigned int tier;

	if (place == CDEBUG_MSG && !create_parts(ctx, dentry_name))
		return 0;
	return create(ctx, CDEBUG_NAME, place,
		      place == CDEBUG_VMSG2 ? "libcfs:libcfs_debug_vmsg2" : MSG, dentry_name,
		      &tier);
}

bool dkl_cdebug_is_ours(void)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained_at(RUN_DIR);

	return !faccessat(AT_FDCWD, NOTE, F_OK, AT_EACCESS);
}

static int leave_note(struct dkt_ctx *ctx)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained_at(RUN_DIR);
	int fd = open(NOTE, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0)
		return dkt_fail(ctx, -errno, "write the mark of the probe: %s", strerror(errno));
	close(fd);
	return 0;
}

int dkl_cdebug_create(struct dkt_ctx *ctx, bool *created)
{
	int err;

	*created = false;
	if (!dkl_lustre_is_loaded())
		return 0;
	/* Lustre may have been loaded after the events were read. */
	dkt_events_forget(ctx);
	if (dkt_event_find(ctx, CDEBUG_GROUP, CDEBUG_NAME) ||
	    dkt_event_find(ctx, "lustre_debug", "lustre_debug_msg"))
		return 0;
	err = leave_note(ctx);
	if (err)
		return err;
	err = create_all(ctx);
	*created = !err;
	if (err == -EEXIST)
		return 0;
	if (err)
		unlink(NOTE);
	return err;
}

bool dkl_cdebug_is_heavy(struct dkt_ctx *ctx)
{
	char **calls = NULL;
	bool heavy;

	if (!dkt_event_find(ctx, CDEBUG_GROUP, CDEBUG_NAME) ||
	    dkt_event_find(ctx, CDEBUG_GROUP, CDEBUG_STRINGS) || find_place() != CDEBUG_MSG)
		return false;
	heavy = !dkl_call_sites("libcfs_debug_msg", callers, ARRAY_SIZE(callers), &calls) &&
		has_requests(calls);
	dkl_call_sites_free(calls);
	return heavy;
}

uint64_t dkl_cdebug_missed(struct dkt_ctx *ctx)
{
	const struct dkt_probe *probe;
	struct dkt_probes *probes;
	uint64_t missed = 0;

	if (!dkt_event_find(ctx, CDEBUG_GROUP, CDEBUG_NAME) || dkt_probes_read(ctx, &probes))
		return 0;
	probe = dkt__probes_find(probes, CDEBUG_GROUP, CDEBUG_NAME);
	if (probe && probe->missed != DKT_PROBE_UNKNOWN)
		missed = probe->missed;
	dkt_probes_free(probes);
	return missed;
}

bool dkl_cdebug_report_missed(uint64_t missed, const char *self, const char *name,
			      const char *words)
{
	if (missed)
		dkl_say_line(stderr,
			     "%s%s%s: messages of Lustre that were not recorded because the"
			     " probe was busy: %" PRIu64 "%s",
			     self, name ? ": " : "", name ? name : "", missed, words);
	return missed;
}

int dkl_cdebug_remove(struct dkt_ctx *ctx)
{
	int err = 0;

	if (!dkl_cdebug_is_ours())
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(names) && (!err || err == -ENOENT); i++)
		err = dkt_probe_remove(ctx, CDEBUG_GROUP, names[i]);
	/* Another log has enabled the probe, and will remove it. */
	if (err == -EBUSY)
		return 0;
	if (!err || err == -ENOENT)
		unlink(NOTE);
	return err == -ENOENT ? 0 : err;
}

/* ---- for the duration of a command that names them ---- */

bool dkl_cdebug_is_named(const char *text)
{
	return strstr(text, CDEBUG_GROUP ":" CDEBUG_NAME);
}

int dkl_cdebug_lend(struct dkt_ctx *ctx, bool *created)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained_at(RUN_DIR);
	int err;

	*created = false;
	if (!dkl_lustre_is_loaded())
		return 0;
	err = dkl_run_dir_create(ctx, NULL);
	return err < 0 ? err : dkl_cdebug_create(ctx, created);
}

bool dkl_cdebug_try_lend(struct dkt_ctx *ctx)
{
	bool created = false;
	int err;

	if (!dkl_lustre_is_loaded() || dkt_caps_check(ctx, DKT_NEED_CONTROL))
		return false;
	err = dkt_tracefs_open(ctx, 0);
	if (!err)
		err = dkl_cdebug_lend(ctx, &created);
	if (err)
		dkt__log(ctx, DKT_LOG_WARN, "messages of Lustre cannot be probed: %s",
			 dkt_error(ctx));
	return created;
}

void dkl_cdebug_take_back(struct dkt_ctx *ctx)
{
	dkl_cdebug_remove(ctx);
	/* This fails, as it should, if a debug log exists. */
	dkt__run_dir_remove();
}

bool dkl_cdebug_is_probe(const struct dkt_probe *probe)
{
	for (size_t i = 0; !strcmp(probe->group, CDEBUG_GROUP) && i < ARRAY_SIZE(names); i++)
		if (!strcmp(probe->name, names[i]))
			return true;
	return false;
}
