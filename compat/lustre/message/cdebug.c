/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The probe dktrace:cdebug on the function that all messages of Lustre pass through.
 *
 * Its fields have the same names as those of lustre_debug:lustre_debug_msg, but instead of the text
 * it records the format and the raw arguments:
 *   a0, a1, ...  the argument words that follow the format
 *   s0, ...      the strings that they may point to
 *   q0, ...      the first 8 bytes that they point to
 *   v_fmt        the format of a %pV that is the first argument
 *   v0, ...      the words of its arguments, registers first
 *   t0, ...      the strings that these may point to
 *   d0, n0, ...  the names of a struct dentry that word a0, v0, ... may point to
 * On Lustre 2.12, v0, ... belong to fmt, and a0, ... to a second format, fmt2, whose text follows
 * that of the first.
 *
 * The kernel fetches all fields before it applies a filter, and only the format shows which words
 * are arguments. Following a word that is not an address costs two page faults, so dktrace:cdebug
 * does not record everything for every message. Messages with a nested format have some forty
 * arguments and come from a few functions; if the calls in these functions are found, they get a
 * probe of their own, dktrace:cdebug_nested. The kernel drops a record that is larger than a page,
 * without counting it; therefore dktrace:cdebug then records only the words, the names and the
 * format, and dktrace:cdebug_strings records the strings of the same message. A failed dereference
 * leaves a field empty.
 */
#include "lustre/message/cdebug.h"

#include <fcntl.h>

#include "base/io.h"
#include "base/util.h"
#include "io/run_dir.h"
#include "lustre/lustre_masks.h"
#include "lustre/message/call_sites.h"

#define MSG "libcfs:libcfs_debug_msg"

/* The name begins with a dot, so that the file does not count as a debug log. */
#define NOTE RUN_DIR "/.cdebug"

/* Functions that pass their caller's format on as %pV, for requests, locks and quota. */
static const char *const nesting[] = {
	"_debug_req",
	"_ldlm_lock_debug",
	"qmt_lqe_debug",
	"qsd_lqe_debug",
};

/* The number of fields of each kind that a probe records. */
struct tier {
	unsigned int words; /* a */
	unsigned int strings; /* s, for the first words */
	unsigned int shorts; /* q, for the next words */
	unsigned int more; /* s again, for the words after these */
	unsigned int raw; /* q, for the first words */
	unsigned int nested; /* words of a va_list that were on the stack */
	unsigned int nested_strings; /* t, from t2 on */
	unsigned int names; /* d, for the first words */
};

/* clang-format off */

/*
 * The line of an RPC request has 42 arguments: names, then one-letter flags, then the name of a
 * job. Most messages have only a few, and the data that their other words point to wastes space.
 */
static const struct tier full[] = {
	{ 44, 17, 19, 5, 0, 12, 13, 1 },
	{ 28, 17, 11, 0, 0, 12, 8, 1 },
	{ 28, 16, 0, 0, 0, 12, 4, 0 },
	{ 16, 8, 0, 0, 0, 6, 0, 0 },
	{ 8, 4, 0, 0, 0, 0, 0, 0 },
};

/*
 * No message of Lustre 2.17 without a nested format has more arguments. In 6 of 1000, the ninth or
 * a later argument is a string, in 2 of 1000 the thirteenth or a later one. Network addresses, such
 * as %pIS, are nearly always among the first four.
 */
static const struct tier words_only[] = {
	{ .words = 32 },
	{ .words = 12 },
};

static const struct tier pointees[] = {
	{ .strings = 8, .shorts = 4, .raw = 4, .names = 1 },
	{ .strings = 6, .raw = 2 },
};

/* clang-format on */

enum cdebug_machine cdebug_machine(void)
{
#if defined(__x86_64__)
	return CDEBUG_X86_64;
#elif defined(__aarch64__)
	return CDEBUG_ARM64;
#else
	return CDEBUG_OTHER;
#endif
}

unsigned int cdebug_va_registers(enum cdebug_machine machine)
{
	return machine == CDEBUG_X86_64 ? 6 : 8;
}

unsigned int cdebug_call_stack(enum cdebug_machine machine)
{
	return machine == CDEBUG_X86_64 ? 8 : 0;
}

/* ---- the definition ---- */

/*
 * Returns argument i of the function, counted from 1. Within the function, the first word of the
 * stack is the return address on x86-64. At the call, the kernel accepts only names of registers.
 */
static const char *argument(enum cdebug_machine machine, enum cdebug_place place, unsigned int i,
			    char *text, size_t size)
{
	static const char *const x86_64[] = { "di", "si", "dx", "cx", "r8", "r9" };
	unsigned int registers = cdebug_va_registers(machine);
	bool returns = machine == CDEBUG_X86_64 && place != CDEBUG_CALL;

	if (i > registers)
		snprintf(text, size, "$stack%u", i - registers - !returns);
	else if (place != CDEBUG_CALL)
		snprintf(text, size, "$arg%u", i);
	else if (machine == CDEBUG_X86_64)
		snprintf(text, size, "%%%s", x86_64[i - 1]);
	else
		snprintf(text, size, "%%x%u", i - 1);
	return text;
}

/*
 * Writes word i of a va_list; `list` is the expression for its address, such as +0($arg3).
 * x86-64: { gp_offset, fp_offset, overflow_arg_area, reg_save_area }.
 * arm64: { stack, gr_top, vr_top, gr_offs, vr_offs }; the registers end at gr_top.
 */
static void put_va_word(FILE *f, enum cdebug_machine machine, const char *list, unsigned int i)
{
	unsigned int registers = cdebug_va_registers(machine);

	if (i >= registers)
		fprintf(f, "+%u(+%u(%s))", 8 * (i - registers), machine == CDEBUG_X86_64 ? 8 : 0,
			list);
	else if (machine == CDEBUG_X86_64)
		fprintf(f, "+%u(+16(%s))", 8 * i, list);
	else
		fprintf(f, "-%u(+8(%s))", 8 * (registers - i), list);
}

static void put_va_list(FILE *f, enum cdebug_machine machine, const char *list,
			const struct tier *tier)
{
	unsigned int registers = cdebug_va_registers(machine);

	fprintf(f, " v_offset=+%u(%s):s32", machine == CDEBUG_X86_64 ? 0 : 24, list);
	for (unsigned int i = 0; i < registers + tier->nested; i++) {
		fprintf(f, " v%u=", i);
		put_va_word(f, machine, list, i);
	}
	/* A function that takes a format has at least one argument before it. */
	for (unsigned int i = 2; i < 2 + tier->nested_strings; i++) {
		fprintf(f, " t%u=+0(", i);
		put_va_word(f, machine, list, i);
		fprintf(f, "):string");
	}
}

/* Writes the words from an argument of the function on, and the data that they may point to. */
static void put_words(FILE *f, enum cdebug_machine machine, enum cdebug_place place,
		      const struct tier *tier, unsigned int first)
{
	char arg[16];

	for (unsigned int i = 0; i < tier->words; i++)
		fprintf(f, " a%u=%s", i, argument(machine, place, first + i, arg, sizeof(arg)));
	for (unsigned int i = 0; i < tier->strings + tier->shorts + tier->more; i++) {
		bool is_short = i >= tier->strings && i < tier->strings + tier->shorts;

		fprintf(f, " %c%u=+0(%s):%s", is_short ? 'q' : 's', i,
			argument(machine, place, first + i, arg, sizeof(arg)),
			is_short ? "x64" : "string");
	}
	for (unsigned int i = 0; i < tier->raw; i++)
		fprintf(f, " q%u=+0(%s):x64", i,
			argument(machine, place, first + i, arg, sizeof(arg)));
}

/*
 * The name of a dentry, for messages whose first argument is not a %pV. If it is not a dentry, this
 * costs a fault, so only the first argument is recorded, where Lustre's own messages have it.
 */
static void put_names(FILE *f, enum cdebug_machine machine, enum cdebug_place place,
		      const struct tier *tier, unsigned int dentry_name)
{
	char arg[16];

	for (unsigned int i = 0; dentry_name && i < tier->names; i++) {
		if (place == CDEBUG_MSG || place == CDEBUG_POINTEES) {
			fprintf(f, " d%u=+0(+%u(%s)):string", i, dentry_name,
				argument(machine, place, 3 + i, arg, sizeof(arg)));
		} else if (place == CDEBUG_VMSG2) {
			fprintf(f, " n%u=+0(+%u(", 2 + i, dentry_name);
			put_va_word(f, machine, "$arg3", 2 + i);
			fprintf(f, ")):string");
		}
	}
}

/* Writes location, class, subsystem and format. */
static void put_head(FILE *f, enum cdebug_machine machine, enum cdebug_place place)
{
	char data[16], fmt[16];

	argument(machine, place, 1, data, sizeof(data));
	fprintf(f, "msg_subsys=+16(%s):x32 msg_mask=+24(%s):x32", data, data);
	if (place != CDEBUG_POINTEES)
		fprintf(f,
			" msg_file=+0(+0(%s)):string msg_fn=+0(+8(%s)):string"
			" msg_line=+20(%s):s32 fmt=+0(%s):string",
			data, data, data, argument(machine, place, 2, fmt, sizeof(fmt)));
}

/* The argument of %pV points to struct { const char *fmt; va_list *va; }. */
static void put_nested(FILE *f, enum cdebug_machine machine, enum cdebug_place place,
		       const struct tier *tier)
{
	char arg[16], list[32];

	argument(machine, place, 3, arg, sizeof(arg));
	snprintf(list, sizeof(list), "+8(%s)", arg);
	fprintf(f, " v_fmt=+0(+0(%s)):string", arg);
	put_va_list(f, machine, list, tier);
}

static const struct tier *find_tier(enum cdebug_place place, unsigned int nr)
{
	switch (place) {
	case CDEBUG_WORDS:
		return nr < ARRAY_SIZE(words_only) ? &words_only[nr] : NULL;
	case CDEBUG_POINTEES:
		return nr < ARRAY_SIZE(pointees) ? &pointees[nr] : NULL;
	default:
		return nr < ARRAY_SIZE(full) ? &full[nr] : NULL;
	}
}

static bool in_parts(enum cdebug_place place)
{
	return place == CDEBUG_WORDS || place == CDEBUG_POINTEES || place == CDEBUG_CALL;
}

int cdebug_fields(enum cdebug_machine machine, enum cdebug_place place, unsigned int nr,
		  unsigned int dentry_name, char **fields)
{
	const struct tier *tier = find_tier(place, nr);
	size_t len;
	FILE *f;

	*fields = NULL;
	if (machine == CDEBUG_OTHER || !tier)
		return -ENOENT;
	f = open_memstream(fields, &len);
	if (!f)
		return -ENOMEM;
	put_head(f, machine, place);
	/* The records of one message have the same stack pointer. */
	if (in_parts(place))
		fprintf(f, " sp=$stack");
	if (place == CDEBUG_VMSG2) {
		fprintf(f, " fmt2=+0($arg4):string");
		put_words(f, machine, place, tier, 5);
		put_va_list(f, machine, "$arg3", tier);
	} else {
		put_words(f, machine, place, tier, 3);
		if (place == CDEBUG_MSG || place == CDEBUG_CALL)
			put_nested(f, machine, place, tier);
	}
	put_names(f, machine, place, tier, dentry_name);
	return dkt__text_end(f, 0, fields);
}

/* ---- creating the probes ---- */

/* If both functions exist, probe the one with a va_list, because the other calls it. */
static enum cdebug_place find_place(void)
{
	enum cdebug_place place = CDEBUG_MSG;
	char *line __cleanup(free) = NULL;
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
		  unsigned int *tier)
{
	const unsigned int dentry_name = find_dentry_name(ctx);
	int err = -ENOENT;

	for (*tier = 0;; (*tier)++) {
		char *fields __cleanup(free) = NULL;
		int bad = cdebug_fields(cdebug_machine(), place, *tier, dentry_name, &fields);

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

/* Creates one probe on all calls; -ENOENT: no calls. */
static int create_calls(struct dkt_ctx *ctx, char *const *calls)
{
	char *fields __cleanup(free) = NULL;
	unsigned int tier;
	int err;

	if (!*calls)
		return -ENOENT;
	err = create(ctx, CDEBUG_NESTED, CDEBUG_CALL, *calls++, &tier);
	if (err)
		return err;
	err = cdebug_fields(cdebug_machine(), CDEBUG_CALL, tier, 0, &fields);
	for (; !err && *calls; calls++)
		err = define(ctx, CDEBUG_NESTED, *calls, fields, dkt_probe_add_place);
	if (err)
		dkt_probe_remove(ctx, CDEBUG_GROUP, CDEBUG_NESTED);
	return err;
}

static void remove_parts(struct dkt_ctx *ctx)
{
	char *words = dkt_error_take(ctx);

	dkt_probe_remove(ctx, CDEBUG_GROUP, CDEBUG_NAME);
	dkt_probe_remove(ctx, CDEBUG_GROUP, CDEBUG_NESTED);
	dkt_error_give(ctx, 0, words);
}

/*
 * The kernel runs the newest probe first, so create cdebug, whose record ends a message, before
 * strings.
 */
static int create_parts(struct dkt_ctx *ctx)
{
	char **calls = NULL;
	unsigned int tier;
	int err = call_sites("libcfs_debug_msg", nesting, ARRAY_SIZE(nesting), &calls);

	if (!err)
		err = create_calls(ctx, calls);
	call_sites_free(calls);
	if (err)
		return err;
	err = create(ctx, CDEBUG_NAME, CDEBUG_WORDS, MSG, &tier);
	if (!err)
		err = create(ctx, CDEBUG_STRINGS, CDEBUG_POINTEES, MSG, &tier);
	if (err)
		remove_parts(ctx);
	return err;
}

/* If the calls are not found, one probe records all data of every message. */
static int create_all(struct dkt_ctx *ctx)
{
	enum cdebug_place place = find_place();
	unsigned int tier;

	if (place == CDEBUG_MSG && !create_parts(ctx))
		return 0;
	return create(ctx, CDEBUG_NAME, place,
		      place == CDEBUG_VMSG2 ? "libcfs:libcfs_debug_vmsg2" : MSG, &tier);
}

bool cdebug_is_ours(void)
{
	return !access(NOTE, F_OK);
}

static int leave_note(struct dkt_ctx *ctx)
{
	int fd = open(NOTE, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0)
		return dkt_fail(ctx, -errno, "write the mark of the probe: %s", strerror(errno));
	close(fd);
	return 0;
}

int cdebug_create(struct dkt_ctx *ctx, bool *created)
{
	int err;

	*created = false;
	if (!lustre_is_loaded())
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

bool cdebug_is_heavy(struct dkt_ctx *ctx)
{
	char **calls = NULL;
	bool heavy;

	if (!dkt_event_find(ctx, CDEBUG_GROUP, CDEBUG_NAME) ||
	    dkt_event_find(ctx, CDEBUG_GROUP, CDEBUG_STRINGS) || find_place() != CDEBUG_MSG)
		return false;
	heavy = !call_sites("libcfs_debug_msg", nesting, ARRAY_SIZE(nesting), &calls) && *calls;
	call_sites_free(calls);
	return heavy;
}

uint64_t cdebug_missed(struct dkt_ctx *ctx)
{
	const struct dkt_probe *probe;
	struct dkt_probes *probes;
	uint64_t missed = 0;

	if (!dkt_event_find(ctx, CDEBUG_GROUP, CDEBUG_NAME) || dkt_probes_read(ctx, &probes))
		return 0;
	probe = dkt_probes_find(probes, CDEBUG_GROUP, CDEBUG_NAME);
	if (probe && probe->missed != DKT_PROBE_UNKNOWN)
		missed = probe->missed;
	dkt_probes_free(probes);
	return missed;
}

int cdebug_remove(struct dkt_ctx *ctx)
{
	int err;

	if (!cdebug_is_ours())
		return 0;
	err = dkt_probe_remove(ctx, CDEBUG_GROUP, CDEBUG_NAME);
	if (!err || err == -ENOENT)
		err = dkt_probe_remove(ctx, CDEBUG_GROUP, CDEBUG_STRINGS);
	if (!err || err == -ENOENT)
		err = dkt_probe_remove(ctx, CDEBUG_GROUP, CDEBUG_NESTED);
	/* Another log has enabled the probe, and will remove it. */
	if (err == -EBUSY)
		return 0;
	if (!err || err == -ENOENT)
		unlink(NOTE);
	return err == -ENOENT ? 0 : err;
}
