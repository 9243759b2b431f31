/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Masks: every case of the legacy grammar, and printing that reads back. */
#include "compat/lustre/mask.h"
#include "tests/helper/check.h"

#define DEFAULT 0x130e0580u
#define EMERG   0x00040000u
#define SAME    0x100000000ll /* refused or without effect: the current mask stays */

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

struct row {
	const char *text;
	int64_t value;
	int err;
	const char *bad; /* the token named in the error */
	bool deprecated;
};

/* clang-format off */
/* Kinds of rows: a value, a value from a deprecated number, an unknown token, a lone operator. */
#define GIVES(t, v)   { .text = (t), .value = (v) }
#define NUMBER(t, v)  { .text = (t), .value = (v), .deprecated = true }
#define REFUSED(t, b) { .text = (t), .value = SAME, .err = -EINVAL, .bad = (b) }
#define DANGLING(t)   { .text = (t), .value = SAME, .err = -EINVAL }

static const struct row debug_rows[] = {
	GIVES("all", 0xffffffff), GIVES("ALL", 0xffffffff), GIVES("+all", 0xffffffff),
	GIVES("-1", 0xffffffff), GIVES("4294967295", 0xffffffff), GIVES("0xffffffff", 0xffffffff),
	GIVES("0", 0),
	NUMBER("0x5", 5), NUMBER("05", 5),
	NUMBER("010", 8),
	NUMBER("-5", 0xfffffffb),
	REFUSED("+5", "5"),
	REFUSED("0x", "0x"),
	GIVES("trace", 0x02060401),
	GIVES("trace net", 0x02060601), GIVES("Trace NET", 0x02060601),
	GIVES("trace+net", 0x02060601),
	GIVES("trace,net", 0x02060601), GIVES("trace, net", 0x02060601),
	GIVES("+trace", 0x130e0581),
	GIVES("-ioctl", 0x130e0500),
	GIVES("+trace net", 0x130e0781), GIVES("+trace +net", 0x130e0781),
	GIVES("+trace+net", 0x130e0781),
	GIVES("-ioctl ha", 0x130e0500),
	GIVES("-ioctl -ha", 0x13060500),
	GIVES("-error", 0x130c0580),
	GIVES("-all", 0x02060400),
	GIVES("all-trace-malloc", 0xffffffee),
	GIVES("all-trace-malloc-net-other-ha-info-inode", 0xfff7edac),
	GIVES("net-trace", 0x02060600),
	GIVES("-trace +net rpctrace", 0x131e0780),
	GIVES("none", 0x02060400),
	GIVES("default", DEFAULT),
	GIVES("trace default", DEFAULT),
	REFUSED("default trace", "default"),
	REFUSED("bogus", "bogus"), REFUSED("trace bogus", "bogus"),
	REFUSED("1 2", "1"), REFUSED("0 trace", "0"),
	REFUSED("trace 0", "0"),
	DANGLING("+"), DANGLING("trace +"),
	REFUSED("--trace", ""), REFUSED("++trace", ""),
	REFUSED("+-trace", ""), REFUSED("+,trace", ""),
	GIVES("+ trace", 0x130e0581), GIVES("- ioctl", 0x130e0500),
	GIVES(",", SAME),
	/* The rules of the text around the table. */
	GIVES("", SAME), GIVES(" \t\n", SAME), GIVES(", ,", SAME),
	GIVES(" \t trace \r\n net\v", 0x02060601),
	GIVES(",trace,", 0x02060401), DANGLING("trace,+"),
	REFUSED("tracex", "tracex"), REFUSED("trac", "trac"),
	GIVES("+default", DEFAULT), GIVES("-default", 0x02060400),
	GIVES("+trace -default", 0x02060401),
	GIVES("DEFAULT", DEFAULT), REFUSED("default,", "default"),
	GIVES("-none", SAME), GIVES("+none", 0x02060400), GIVES("+trace none", 0x02060400),
	GIVES("none trace", 0x02060401), GIVES("trace all", 0xffffffff),
	GIVES("trace -all", 0x02060400),
	NUMBER(" 0x10 ", 16), NUMBER("0X1F", 31),
	NUMBER("-0x5", 0xfffffffb), NUMBER("-010", 0xfffffff8),
	REFUSED("08", "08"), REFUSED("0xg", "0xg"), REFUSED("- 5", "5"),
	GIVES("4294967296", 0), NUMBER("4294967297", 1),
	NUMBER("18446744073709551617", 1), GIVES("-0", 0),
	GIVES("0xffffffffffffffffffff", 0xffffffff), REFUSED("12trace", "12trace"),
	REFUSED("trace;net", "trace;net"), REFUSED("\xe2\x82\xac", "\xe2\x82\xac"),
	REFUSED("mds", "mds"), REFUSED("~trace", "~trace"), REFUSED("~0", "~0"), REFUSED("-~net", "~net"),
	REFUSED("mds++ost", "mds"), REFUSED("trace++net", ""), REFUSED("trace +,net", ""),
};

/* Current mask: all ones. */
static const struct row subsystem_rows[] = {
	GIVES("mds ost", 0x14), GIVES("-lnet", 0xfffffbff), GIVES("-all", 0), GIVES("none", 0),
	NUMBER("0x400", 0x400), REFUSED("all_subs", "all_subs"),
	/* The empty word means bit 22, the first bit without a name. */
	GIVES("--lnet", 0xffbffbff), GIVES("mds++ost", 0x00400014), GIVES("mds +,ost", 0x00400014),
	GIVES("mds +,", 0x00400004), GIVES("- +ost", 0xffbfffff), DANGLING("++"),
	GIVES("mds+++ost", 0x00400014), REFUSED("--lnetx", "lnetx"), DANGLING("mds++"),
	GIVES("ALL", 0xffffffff), GIVES("None", 0), GIVES("-none", SAME), GIVES("mds all", 0xffffffff),
	GIVES("mds -all", 0), GIVES("mds,ost", 0x14), GIVES("MDS Ost", 0x14), GIVES("mds default", 0xffffffff),
	REFUSED("default mds", "default"), GIVES("none +default", 0xffffffff), GIVES("", SAME),
	REFUSED("~mds", "~mds"), REFUSED("~0", "~0"),
	GIVES("undefined", 1), GIVES("fld", 0x80000000), GIVES("default", 0xffffffff),
	GIVES("-default", 0),
	GIVES("0", 0), GIVES("-1", 0xffffffff), REFUSED("rpctrace", "rpctrace"),
};

/* Current mask: 0. What changes nothing still forces emerg on. */
static const struct row printk_rows[] = {
	GIVES("0", EMERG), GIVES("-emerg", EMERG), REFUSED("+bogus", "bogus"), DANGLING("+"),
	GIVES("trace", 0x02060401), GIVES("-all", 0x02060400), GIVES("", SAME), NUMBER("1", 0x00040001),
	/* `default` is that of debug. */
	GIVES("default", DEFAULT), GIVES("Default", DEFAULT), GIVES("+default", DEFAULT),
	GIVES("trace default", DEFAULT), GIVES("trace +default", DEFAULT | 1),
	GIVES("all -default", 0xeef7fe7f), GIVES("-default", 0x02060400),
	REFUSED("default trace", "default"), REFUSED("default,", "default"),
	GIVES("all", 0xffffffff), GIVES("-1", 0xffffffff), GIVES("none", 0x02060400),
	GIVES("-none", SAME), GIVES("+trace net", 0x00040201), GIVES("all-emerg", 0xffffffff),
	NUMBER("0x10", 0x00040010), NUMBER("-5", 0xfffffffb), REFUSED("++trace", ""),
	REFUSED("+5", "5"), REFUSED("~trace", "~trace"), REFUSED("mds", "mds"),
};
/* clang-format on */

static void check_row(enum mask_kind kind, const struct row *row, uint32_t current)
{
	uint32_t expected = row->value == SAME ? current : (uint32_t)row->value;
	struct mask_value got;
	int err = dkl_mask_parse(kind, row->text, current, &got);

	if (kind == MASK_PRINTK)
		expected |= EMERG;
	if (err != row->err || got.value != expected || got.deprecated != row->deprecated)
		fail_msg("'%s': %d %08x, expected %d %08x", row->text, err, got.value, row->err,
			 expected);
	if (!row->bad) {
		assert_null(got.bad);
		return;
	}
	assert_non_null(got.bad);
	assert_true(got.bad >= row->text && got.bad + got.bad_len <= row->text + strlen(row->text));
	assert_int_equal(got.bad_len, strlen(row->bad));
	assert_memory_equal(got.bad, row->bad, got.bad_len);
}

static void debug_follows_the_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(debug_rows); i++)
		check_row(MASK_DEBUG, &debug_rows[i], DEFAULT);
}

static void subsystem_follows_the_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(subsystem_rows); i++)
		check_row(MASK_SUBSYSTEM, &subsystem_rows[i], UINT32_MAX);
}

static void printk_keeps_emerg(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(printk_rows); i++)
		check_row(MASK_PRINTK, &printk_rows[i], 0);
}

static void a_mask_that_is_too_long_is_refused(void **state)
{
	static char text[MASK_INPUT_MAX + 2];
	struct mask_value value;

	(void)state;
	memset(text, ' ', MASK_INPUT_MAX + 1);
	memcpy(text, "trace", 5);
	assert_int_equal(dkl_mask_parse(MASK_DEBUG, text, 7, &value), -E2BIG);
	assert_int_equal(value.value, 7);
	/* Lustre does not look at it, so emerg is not forced on. */
	assert_int_equal(dkl_mask_parse(MASK_PRINTK, text, 0, &value), -E2BIG);
	assert_int_equal(value.value, 0);
	text[MASK_INPUT_MAX] = '\0';
	assert_int_equal(dkl_mask_parse(MASK_DEBUG, text, 7, &value), 0);
	assert_int_equal(value.value, 0x02060401);
}

static void masks_print_in_bit_order(void **state)
{
	char text[MASK_TEXT_SIZE];

	(void)state;
	dkl_mask_format(MASK_DEBUG, 0, text);
	assert_string_equal(text, "0");
	dkl_mask_format(MASK_DEBUG, DEFAULT, text);
	assert_string_equal(text, "ioctl neterror warning error emerg ha config console lfsck");
	dkl_mask_format(MASK_PRINTK, dkl_mask_initial(MASK_PRINTK), text);
	assert_string_equal(text, "warning error emerg console");
	dkl_mask_format(MASK_DEBUG, 5, text);
	assert_string_equal(text, "trace super");
	dkl_mask_format(MASK_SUBSYSTEM, UINT32_MAX, text);
	assert_string_equal(text, "undefined mdc mds osc ost class log llite rpc mgmt lnet lnd "
				  "pinger filter libcfs echo ldlm lov lquota osd lfsck snapshot  "
				  "lmv  sec gss  mgc mgs fid fld");
	dkl_mask_format(MASK_SUBSYSTEM, 1u << 22, text);
	assert_string_equal(text, "");
	dkl_mask_format(MASK_SUBSYSTEM, 1u << 22 | 1, text);
	assert_string_equal(text, "undefined ");
	dkl_mask_format(MASK_DEBUG, UINT32_MAX, text);
	assert_true(strlen(text) < MASK_TEXT_SIZE);
}

/* As `set_param debug="$(get_param -n debug)"` does, and the same with tr ' ' '+'. */
static void reads_back(enum mask_kind kind, uint32_t mask, uint32_t expected, bool plus)
{
	char text[MASK_TEXT_SIZE];
	struct mask_value value;

	dkl_mask_format(kind, mask, text);
	if (plus)
		for (char *p = text; *p; p++)
			if (*p == ' ')
				*p = '+';
	if (dkl_mask_parse(kind, text, 0, &value) || value.value != expected)
		fail_msg("'%s': %08x, expected %08x", text, value.value, expected);
}

static void printed_masks_read_back(void **state)
{
	const uint32_t unnamed = 1u << 22 | 1u << 24 | 1u << 27;
	unsigned int seed = 1;

	(void)state;
	for (int i = 0; i < 2032; i++) {
		uint32_t random = (uint32_t)rand_r(&seed) << 16 ^ (uint32_t)rand_r(&seed);
		uint32_t mask = i < 32 ? 1u << i : random;
		uint32_t floor = mask ? dkl_mask_floor(MASK_DEBUG) : 0;
		uint32_t named = mask & ~unnamed;

		for (int plus = 0; plus < 2; plus++) {
			reads_back(MASK_DEBUG, mask, mask | floor, plus);
			reads_back(MASK_SUBSYSTEM, named, named, plus);
		}
		/* A lone unnamed bit prints nothing, and nothing changes nothing. */
		reads_back(MASK_SUBSYSTEM, mask, named, false);
	}
	reads_back(MASK_DEBUG, 0, 0, true);
	/* As Lustre's test framework does with the mask that it finds. */
	reads_back(MASK_SUBSYSTEM, UINT32_MAX, (~unnamed) | 1u << 22, true);
}

static void names_and_bits_agree(void **state)
{
	static const enum mask_kind kinds[] = { MASK_DEBUG, MASK_SUBSYSTEM };
	int unnamed = 0;

	(void)state;
	for (size_t k = 0; k < ARRAY_SIZE(kinds); k++)
		for (unsigned int bit = 0; bit < MASK_BITS; bit++) {
			const char *name = dkl_mask_name(kinds[k], bit);

			if (*name)
				assert_int_equal(dkl_mask_bit(kinds[k], name, strlen(name)), bit);
			else
				unnamed++;
		}
	assert_int_equal(unnamed, 3);
	assert_int_equal(dkl_mask_bit(MASK_DEBUG, "RpcTrace", 8), 20);
	assert_int_equal(dkl_mask_bit(MASK_SUBSYSTEM, "ldlm,osd", 4), 16);
	assert_int_equal(dkl_mask_bit(MASK_SUBSYSTEM, "", 0), -ENOENT);
	assert_int_equal(dkl_mask_bit(MASK_DEBUG, "ext2", 4), -ENOENT);
	assert_string_equal(dkl_mask_name(MASK_DEBUG, 32), "");
}

/* A printed mask reads back as the same mask, whatever was set before. */
static void spelt_masks_read_back(void **state)
{
	static const struct {
		enum mask_kind kind;
		uint32_t value;
		const char *text;
	} rows[] = {
		{ MASK_DEBUG, 0x130e0580,
		  "ioctl neterror warning error emerg ha config console lfsck" },
		{ MASK_DEBUG, 0, "0" },
		{ MASK_DEBUG, 5, "0x00000005" },
		{ MASK_DEBUG, UINT32_MAX, "all" },
		{ MASK_SUBSYSTEM, 0x14, "mds ost" },
		{ MASK_SUBSYSTEM, 0, "0" },
		{ MASK_SUBSYSTEM, UINT32_MAX, "all" },
		{ MASK_SUBSYSTEM, 0x00400001, "0x00400001" },
		{ MASK_SOURCES, MASK_FROM_LUSTRE | MASK_FROM_KERNEL, "lustre kernel" },
		{ MASK_SOURCES, 0, "0" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct mask_value parsed;
		char text[MASK_TEXT_SIZE];

		dkl_mask_spell(rows[i].kind, rows[i].value, text);
		assert_string_equal(text, rows[i].text);
		assert_int_equal(dkl_mask_parse(rows[i].kind, text, 0x12345678, &parsed), 0);
		assert_int_equal(parsed.value, rows[i].value);
	}
}

/* debug_sources has three bits with names and no other bit, however it is set. */
static void sources_have_three_bits(void **state)
{
	static const struct {
		const char *text;
		uint32_t value;
	} rows[] = {
		{ "lustre", MASK_FROM_LUSTRE },
		{ "+kernel", MASK_FROM_LUSTRE | MASK_FROM_KERNEL },
		{ "+kernel+functions-lustre", MASK_FROM_KERNEL | MASK_FROM_FUNCTIONS },
		{ "kernel,Functions", MASK_FROM_KERNEL | MASK_FROM_FUNCTIONS },
		{ "all", 7 },
		{ "-1", 7 },
		{ "none", 0 },
		{ "-all", 0 },
		{ "0xfffffff9", MASK_FROM_LUSTRE },
	};
	struct mask_value parsed;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(
			dkl_mask_parse(MASK_SOURCES, rows[i].text, MASK_FROM_LUSTRE, &parsed), 0);
		assert_int_equal(parsed.value, rows[i].value);
	}
	assert_int_equal(dkl_mask_parse(MASK_SOURCES, "+rpctrace", 1, &parsed), -EINVAL);
	assert_int_equal(parsed.value, 1);
	assert_int_equal(dkl_mask_bit(MASK_SOURCES, "", 0), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spelt_masks_read_back),
		cmocka_unit_test(sources_have_three_bits),
		cmocka_unit_test(debug_follows_the_table),
		cmocka_unit_test(subsystem_follows_the_table),
		cmocka_unit_test(printk_keeps_emerg),
		cmocka_unit_test(a_mask_that_is_too_long_is_refused),
		cmocka_unit_test(masks_print_in_bit_order),
		cmocka_unit_test(printed_masks_read_back),
		cmocka_unit_test(names_and_bits_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
