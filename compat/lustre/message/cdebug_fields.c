/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The fields of the probe dktrace:cdebug on the function that all messages of Lustre pass through.
 *
 * They have the same names as those of lustre_debug:lustre_debug_msg, but instead of the text
 * it records the format and the raw arguments:
 *   a0, a1, ...  the argument words that follow the format
 *   s0, ...      the strings that they may point to
 *   q0, ...      the first 8 bytes that they point to
 *   v_fmt        the format of a %pV that is the first argument, or the third
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
 * probe of their own, dktrace:cdebug_nested, as do the few messages that name a dentry late. Where the
 * nested format can be the third argument, one more probe, dktrace:cdebug_nested_third, records the
 * same of that. The kernel drops a record that is larger than a page,
 * without counting it; therefore dktrace:cdebug then records only the words, the names and the
 * format, and dktrace:cdebug_strings records the strings of the same message. It has the format
 * again, so that a filter of the kernel can tell which strings are arguments. A failed dereference
 * leaves a field empty.
 *
 * The kernel measures all strings before it copies them. If one has grown meanwhile, the last ones
 * are cut. A word that is no argument may point to memory that changes, so the fields that are
 * strings more often come first.
 */
#include "compat/lustre/message/cdebug.h"
#include "lib/base/io.h"
#include "lib/base/util.h"
#include "lib/inside.h"

/* The number of fields of each kind that a probe records. */
struct tier {
	unsigned int words; /* a */
	unsigned int strings; /* s, for the first words */
	unsigned int shorts; /* q, for the next words */
	unsigned int more; /* s again, for the words after these */
	unsigned int raw; /* q, for the first words */
	unsigned int nested; /* words of a va_list, registers first */
	unsigned int nested_strings; /* t, from t2 on */
	unsigned int names; /* d, for the first words */
};

/* clang-format off */

/*
 * The line of an RPC request has 42 arguments: names, then one-letter flags, then the name of a
 * job. In that of a lock on an extent the NID is the 22nd. Most messages have only a few, and the data
 * that their other words point to wastes space.
 */
static const struct tier full[] = {
	{ 42, 22, 14, 5, 0, 18, 12, 1 },
	{ 28, 22, 6, 0, 0, 18, 8, 1 },
	{ 28, 16, 0, 0, 0, 18, 4, 0 },
	{ 16, 8, 0, 0, 0, 12, 0, 0 },
	{ 8, 4, 0, 0, 0, 8, 0, 0 },
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
	{ .strings = 9, .shorts = 3, .raw = 4, .names = 3 },
	{ .strings = 6, .raw = 2 },
};

/* clang-format on */

enum cdebug_machine dkl_cdebug_machine(void)
{
#if defined(__x86_64__)
	return CDEBUG_X86_64;
#elif defined(__aarch64__)
	return CDEBUG_ARM64;
#else
	return CDEBUG_OTHER;
#endif
}

enum cdebug_machine dkl_cdebug_machine_of(const struct dkt_event *event)
{
	const char *const name = dkt__event_machine(event);

	if (!*name)
		return dkl_cdebug_machine();
	return !strcmp(name, "x86_64")  ? CDEBUG_X86_64 :
	       !strcmp(name, "aarch64") ? CDEBUG_ARM64 :
					  CDEBUG_OTHER;
}

unsigned int dkl_cdebug_va_registers(enum cdebug_machine machine)
{
	return machine == CDEBUG_X86_64 ? 6 : 8;
}

unsigned int dkl_cdebug_call_stack(enum cdebug_machine machine)
{
	return machine == CDEBUG_X86_64 ? 8 : 0;
}

bool dkl_cdebug_is_at_call(const char *name)
{
	return !strcmp(name, CDEBUG_NESTED) || !strcmp(name, CDEBUG_NESTED_THIRD);
}

/*
 * Returns argument i of the function, counted from 1. Within the function, the first word of the
 * stack is the return address on x86-64. Registers have their names, because RHEL 8's kernel knows no
 * $argN, and no kernel knows it at the call.
 */
static const char *argument(enum cdebug_machine machine, enum cdebug_place place, unsigned int i,
			    char *text, size_t size)
{
	static const char *const x86_64[] = { "di", "si", "dx", "cx", "r8", "r9" };
	unsigned int registers = dkl_cdebug_va_registers(machine);
	bool call = place == CDEBUG_CALL || place == CDEBUG_CALL_THIRD;
	bool returns = machine == CDEBUG_X86_64 && !call;

	if (i > registers)
		snprintf(text, size, "$stack%u", i - registers - !returns);
	else if (machine == CDEBUG_X86_64)
		snprintf(text, size, "%%%s", x86_64[i - 1]);
	else
		snprintf(text, size, "%%x%u", i - 1);
	return text;
}

/*
 * Writes word i of a va_list; `list` is the expression for its address, such as %dx.
 * x86-64: { gp_offset, fp_offset, overflow_arg_area, reg_save_area }.
 * arm64: { stack, gr_top, vr_top, gr_offs, vr_offs }; the registers end at gr_top.
 */
static void put_va_word(FILE *f, enum cdebug_machine machine, const char *list, unsigned int i)
{
	unsigned int registers = dkl_cdebug_va_registers(machine);

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
	fprintf(f, " v_offset=+%u(%s):s32", machine == CDEBUG_X86_64 ? 0 : 24, list);
	for (unsigned int i = 0; i < tier->nested; i++) {
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
 * costs a fault, so only the first three arguments are recorded, where most of Lustre's messages have
 * it, or only the first one in a probe that records all data. These are recorded at the call: the fourth
 * and the fifth where the store in memory deletes and inserts a name, the sixth of a rename, in Lustre
 * 2.17 the seventh, and the ninth of a link.
 */
static void put_names(FILE *f, enum cdebug_machine machine, enum cdebug_place place,
		      const struct tier *tier, unsigned int dentry_name)
{
	static const unsigned int at_call[] = { 0, 3, 4, 5, 6, 8 };
	const bool call = place == CDEBUG_CALL;
	const unsigned int n = call && tier->names ? ARRAY_SIZE(at_call) : tier->names;
	char arg[16], list[16];

	argument(machine, place, 3, list, sizeof(list));
	for (unsigned int i = 0; dentry_name && i < n; i++) {
		const unsigned int at = call ? at_call[i] : i;

		if (place == CDEBUG_MSG || place == CDEBUG_POINTEES || call) {
			fprintf(f, " d%u=+0(+%u(%s)):string", at, dentry_name,
				argument(machine, place, 3 + at, arg, sizeof(arg)));
		} else if (place == CDEBUG_VMSG2) {
			fprintf(f, " n%u=+0(+%u(", 2 + i, dentry_name);
			put_va_word(f, machine, list, 2 + i);
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
			" msg_file=+0(+0(%s)):string msg_fn=+0(+8(%s)):string msg_line=+20(%s):s32",
			data, data, data);
	fprintf(f, " fmt=+0(%s):string", argument(machine, place, 2, fmt, sizeof(fmt)));
}

/* The argument of %pV points to struct { const char *fmt; va_list *va; }. */
static void put_nested(FILE *f, enum cdebug_machine machine, enum cdebug_place place,
		       const struct tier *tier)
{
	char arg[16], list[32];

	argument(machine, place, 3 + (place == CDEBUG_CALL_THIRD ? CDEBUG_THIRD : 0), arg,
		 sizeof(arg));
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
	return place == CDEBUG_WORDS || place == CDEBUG_POINTEES || place == CDEBUG_CALL ||
	       place == CDEBUG_CALL_THIRD;
}

int dkl_cdebug_fields(enum cdebug_machine machine, enum cdebug_place place, unsigned int nr,
		      unsigned int dentry_name, char **fields)
{
	const struct tier *tier = find_tier(place, nr);
	char list[16], fmt2[16];
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
		argument(machine, place, 3, list, sizeof(list));
		fprintf(f, " fmt2=+0(%s):string", argument(machine, place, 4, fmt2, sizeof(fmt2)));
		put_names(f, machine, place, tier, dentry_name);
		put_va_list(f, machine, list, tier);
		put_words(f, machine, place, tier, 5);
	} else {
		put_names(f, machine, place, tier, dentry_name);
		if (place == CDEBUG_CALL || place == CDEBUG_CALL_THIRD)
			put_nested(f, machine, place, tier);
		put_words(f, machine, place, tier, 3);
		if (place == CDEBUG_MSG)
			put_nested(f, machine, place, tier);
	}
	return dkt__text_end(f, 0, fields);
}
