/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The probe dktrace:cdebug on the function that all messages of Lustre go through.
 *
 * Its fields have the names of those of lustre_debug:lustre_debug_msg, but in place of the text the
 * format and the raw arguments: a0, a1, ... are the words behind the format, s0, ... the strings that
 * they may point at, q17, ... only the first 8 bytes of them; v_fmt is the format of a %pV that is the first argument, v0, ... the words of its
 * arguments (registers first), t0, ... what they may point at. On 2.12 v0, ... belong to fmt itself,
 * and a0, ... to a second format, fmt2, whose text follows that of the first.
 *
 * Which of the words are arguments is known only when the format is read. A dereference that fails
 * leaves an empty field.
 */
#include "cdebug.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "util.h"

/* Hidden, so that it does not count as a debug log. */
#define NOTE ".cdebug"

/* How much of a message is recorded. */
static const struct tier {
	unsigned int words; /* a */
	unsigned int strings; /* s, of the first words */
	unsigned int shorts; /* q, of those after them */
	unsigned int more; /* s again */
	unsigned int nested; /* words of a va_list that were on the stack */
	unsigned int nested_strings; /* t, from t2 on */
} tiers[] = {
	/*
	 * The line of an RPC request has 42 arguments: names, then flags of a letter, then the
	 * name of a job. Most messages have few; what their other words point at takes room.
	 */
	/* clang-format off */
	{ 44, 17, 19, 5, 12, 13 },
	{ 28, 17, 11, 0, 12, 8 },
	{ 28, 16, 0, 0, 12, 4 },
	{ 16, 8, 0, 0, 6, 0 },
	{ 8, 4, 0, 0, 0, 0 },
	/* clang-format on */
};

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

/* ---- the definition ---- */

/* Argument i of the function, counted from 1. On the stack of x86-64 the return address is first. */
static void put_argument(FILE *f, enum cdebug_machine machine, unsigned int i)
{
	unsigned int registers = cdebug_va_registers(machine);

	if (i <= registers)
		fprintf(f, "$arg%u", i);
	else
		fprintf(f, "$stack%u", i - registers - (machine == CDEBUG_ARM64));
}

/*
 * Word i of the arguments of a va_list, whose address is the expression: +0($arg3) and the like.
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
	unsigned int i, registers = cdebug_va_registers(machine);

	fprintf(f, " v_offset=+%u(%s):s32", machine == CDEBUG_X86_64 ? 0 : 24, list);
	for (i = 0; i < registers + tier->nested; i++) {
		fprintf(f, " v%u=", i);
		put_va_word(f, machine, list, i);
	}
	/* A function that takes a format has at least one argument before it. */
	for (i = 2; i < 2 + tier->nested_strings; i++) {
		fprintf(f, " t%u=+0(", i);
		put_va_word(f, machine, list, i);
		fprintf(f, "):string");
	}
}

/* The words from the function's argument on, and what they may point at. */
static void put_words(FILE *f, enum cdebug_machine machine, const struct tier *tier,
		      unsigned int argument)
{
	unsigned int i;

	for (i = 0; i < tier->words; i++) {
		fprintf(f, " a%u=", i);
		put_argument(f, machine, argument + i);
	}
	for (i = 0; i < tier->strings + tier->shorts + tier->more; i++) {
		bool is_short = i >= tier->strings && i < tier->strings + tier->shorts;

		fprintf(f, " %c%u=+0(", is_short ? 'q' : 's', i);
		put_argument(f, machine, argument + i);
		fprintf(f, is_short ? "):x64" : "):string");
	}
}

int cdebug_fields(enum cdebug_machine machine, enum cdebug_place place, unsigned int nr,
		  char **fields)
{
	const struct tier *tier;
	size_t len;
	FILE *f;

	*fields = NULL;
	if (machine == CDEBUG_OTHER || nr >= ARRAY_SIZE(tiers))
		return -ENOENT;
	tier = &tiers[nr];
	f = open_memstream(fields, &len);
	if (!f)
		return -ENOMEM;
	fprintf(f, "msg_file=+0(+0($arg1)):string msg_fn=+0(+8($arg1)):string"
		   " msg_subsys=+16($arg1):x32 msg_line=+20($arg1):s32 msg_mask=+24($arg1):x32"
		   " fmt=+0($arg2):string");
	/* A va_list is handed over by its address; %pV is struct { const char *fmt; va_list *va; }. */
	if (place == CDEBUG_VMSG2) {
		fprintf(f, " fmt2=+0($arg4):string");
		put_words(f, machine, tier, 5);
		put_va_list(f, machine, "$arg3", tier);
	} else {
		put_words(f, machine, tier, 3);
		fprintf(f, " v_fmt=+0(+0($arg3)):string");
		put_va_list(f, machine, "+8($arg3)", tier);
	}
	return fclose(f) ? -ENOMEM : 0;
}

/* ---- making it ---- */

static bool libcfs_is_loaded(void)
{
	return !access("/sys/module/libcfs", F_OK);
}

/* Where both functions are, the one that takes a va_list is called by the other. */
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

static int create_one(struct dkt_ctx *ctx, const char *where, const char *fields)
{
	const struct dkt_probe probe = { .kind = DKT_PROBE_KPROBE,
					 .group = CDEBUG_GROUP,
					 .name = CDEBUG_NAME,
					 .place = where,
					 .fields = fields };

	return dkt_probe_create(ctx, &probe);
}

/* The richest probe on the function that the kernel takes. */
static int create(struct dkt_ctx *ctx, enum cdebug_place place)
{
	const char *const where = place == CDEBUG_VMSG2 ? "libcfs:libcfs_debug_vmsg2" :
							  "libcfs:libcfs_debug_msg";
	unsigned int tier;
	int err = -ENOENT;

	for (tier = 0; tier < ARRAY_SIZE(tiers); tier++) {
		char *fields __cleanup(free) = NULL;
		int bad = cdebug_fields(cdebug_machine(), place, tier, &fields);

		if (bad)
			return bad == -ENOENT ? dkt_fail(ctx, -EOPNOTSUPP,
							 "how this machine passes arguments"
							 " is not known") :
						bad;
		err = create_one(ctx, where, fields);
		if (err != -EINVAL && err != -E2BIG && err != -ENOSPC)
			break;
	}
	return err;
}

static int leave_note(struct dkt_ctx *ctx, int dirfd)
{
	int fd = openat(dirfd, "../" NOTE, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0)
		return dkt_fail(ctx, -errno, "leave a note of the probe: %s", strerror(errno));
	close(fd);
	return 0;
}

int cdebug_make(struct dkt_ctx *ctx, int dirfd, bool *made)
{
	int err;

	*made = false;
	if (!libcfs_is_loaded())
		return 0;
	/* It may have been loaded since the catalogue was read. */
	dkt_events_forget(ctx);
	if (dkt_event_find(ctx, CDEBUG_GROUP, CDEBUG_NAME) ||
	    dkt_event_find(ctx, "lustre_debug", "lustre_debug_msg"))
		return 0;
	err = leave_note(ctx, dirfd);
	if (err)
		return err;
	err = create(ctx, find_place());
	*made = !err;
	if (err == -EEXIST)
		return 0;
	if (err)
		unlinkat(dirfd, "../" NOTE, 0);
	return err;
}

int cdebug_remove(struct dkt_ctx *ctx, int dirfd)
{
	int err;

	if (faccessat(dirfd, "../" NOTE, F_OK, 0))
		return 0;
	err = dkt_probe_remove(ctx, CDEBUG_GROUP, CDEBUG_NAME);
	/* Who has it on as well takes it away at the end. */
	if (err == -EBUSY)
		return 0;
	if (!err || err == -ENOENT)
		unlinkat(dirfd, "../" NOTE, 0);
	return err == -ENOENT ? 0 : err;
}
