/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lustre's device list from messages as its kernel module sends them, and from damaged ones. */
#include <netlink/attr.h>
#include <netlink/msg.h>

#include "compat/lustre/devices.h"
#include "compat/lustre/keyval.h"
#include "lib/inside.h"
#include "tests/helper/check.h"

/* Attributes of a table of keys. */
enum { LIST = 1, LIST_SIZE, INDEX, TYPE, VALUE, INT_VALUE, KEY_FORMAT };

struct key {
	const char *name;
	uint16_t type;
};

/* clang-format off */
static const struct key device_keys[] = {
	{ "devices", NLA_NUL_STRING },
	{ "index", NLA_U16 },
	{ "status", NLA_STRING },
	{ "type", NLA_STRING },
	{ "name", NLA_STRING },
	{ "uuid", NLA_STRING },
	{ "refcount", NLA_U32 },
};
/* clang-format on */

#define N_KEYS ((uint16_t)(sizeof(device_keys) / sizeof(device_keys[0])))

/* ---- messages ---- */

static struct nlattr *begin_key(struct nl_msg *msg, uint16_t index, const char *name, uint16_t type)
{
	struct nlattr *nest = nla_nest_start(msg, index);

	assert_non_null(nest);
	nla_put_u16(msg, INDEX, index);
	if (name)
		nla_put_string(msg, VALUE, name);
	nla_put_u16(msg, TYPE, type);
	return nest;
}

static struct nl_msg *device_table(void)
{
	struct nl_msg *msg = nlmsg_alloc_simple(16, 0);
	struct nlattr *list, *nest;

	assert_non_null(msg);
	list = nla_nest_start(msg, LIST);
	for (uint16_t i = 1; i <= N_KEYS; i++) {
		nest = nla_nest_start(msg, i);
		if (i == 1)
			nla_put_u16(msg, LIST_SIZE, N_KEYS);
		nla_put_u16(msg, INDEX, i);
		nla_put_string(msg, VALUE, device_keys[i - 1].name);
		if (i == 1)
			nla_put_u16(msg, KEY_FORMAT, 2 | 4);
		nla_put_u16(msg, TYPE, device_keys[i - 1].type);
		nla_nest_end(msg, nest);
	}
	nla_nest_end(msg, list);
	return msg;
}

static struct nl_msg *device_row(uint16_t index, const char *status, const char *type,
				 const char *name, const char *uuid, uint32_t refcount)
{
	struct nl_msg *msg = nlmsg_alloc_simple(16, 0);

	assert_non_null(msg);
	if (!index)
		nla_put_string(msg, 1, "");
	nla_put_u16(msg, 2, index);
	nla_put_string(msg, 3, status);
	nla_put_string(msg, 4, type);
	nla_put_string(msg, 5, name);
	nla_put_string(msg, 6, uuid);
	nla_put_u32(msg, 7, refcount);
	return msg;
}

/* Takes in as much of the message, from an exact copy, and frees the message. */
static int feed_part(struct devices *devices, struct nl_msg *msg, size_t len)
{
	void *copy = malloc(len ? len : 1);
	int err;

	assert_non_null(copy);
	memcpy(copy, nlmsg_data(nlmsg_hdr(msg)), len);
	err = dkl_devices_message(devices, copy, len);
	free(copy);
	nlmsg_free(msg);
	return err;
}

static int feed(struct devices *devices, struct nl_msg *msg)
{
	return feed_part(devices, msg, (size_t)nlmsg_datalen(nlmsg_hdr(msg)));
}

static size_t size_of(struct nl_msg *msg)
{
	size_t len = (size_t)nlmsg_datalen(nlmsg_hdr(msg));

	nlmsg_free(msg);
	return len;
}

static void prints_as(const struct devices *devices, const char *want)
{
	struct dkt_buf *buf;
	const char *text;
	size_t i, len;

	assert_int_equal(dkt_buf_new(&buf), 0);
	for (i = 0; i < devices->n; i++)
		dkl_device_print(&devices->rows[i], buf);
	text = dkt_buf_data(buf, &len);
	assert_int_equal(len, strlen(want));
	assert_memory_equal(text, want, len);
	dkt_buf_free(buf);
}

/* ---- devices ---- */

static void two_devices(void **state)
{
	struct devices devices = { 0 };

	(void)state;
	assert_int_equal(feed(&devices, device_table()), 0);
	assert_int_equal(devices.n, 0);
	assert_int_equal(feed(&devices, device_row(0, "UP", "osd-ldiskfs", "lfs-MDT0000-osd",
						   "lfs-MDT0000-osd_UUID", 11)),
			 0);
	assert_int_equal(feed(&devices, device_row(17, "ST", "osc", "lfs-OST0000-osc-ffff8a",
						   "9f3c\tx\x1b", 4000000000u)),
			 0);
	assert_int_equal(devices.n, 2);
	assert_int_equal(devices.rows[1].index, 17);
	assert_string_equal(devices.rows[1].type, "osc");
	prints_as(&devices, "  0 UP osd-ldiskfs lfs-MDT0000-osd lfs-MDT0000-osd_UUID 11\n"
			    " 17 ST osc lfs-OST0000-osc-ffff8a 9f3c\\tx\\x1b 4000000000\n");
	dkl_devices_clear(&devices);
	assert_null(devices.rows);
	dkl_devices_clear(&devices);
}

static void missing_values_keep_their_columns(void **state)
{
	struct devices devices = { 0 };
	struct nl_msg *msg = nlmsg_alloc_simple(16, 0);

	(void)state;
	nla_put_u16(msg, 2, 3);
	nla_put_string(msg, 40, "no key for this");
	nla_put_string(msg, 5, "");
	assert_int_equal(feed(&devices, device_table()), 0);
	assert_int_equal(feed(&devices, msg), 0);
	prints_as(&devices, "  3  - - - - 0\n");
	dkl_devices_clear(&devices);
}

static void text_without_end_is_bounded(void **state)
{
	struct devices devices = { 0 };
	struct nl_msg *msg = nlmsg_alloc_simple(16, 0);

	(void)state;
	nla_put(msg, 5, 4, "abcd");
	assert_int_equal(feed(&devices, device_table()), 0);
	assert_int_equal(feed(&devices, msg), 0);
	assert_string_equal(devices.rows[0].name, "abcd");
	dkl_devices_clear(&devices);
}

static void a_message_without_a_table_has_no_devices(void **state)
{
	struct devices devices = { 0 };

	(void)state;
	assert_int_equal(dkl_devices_message(&devices, NULL, 0), -EBADMSG);
	assert_int_equal(feed(&devices, device_row(3, "UP", "a", "b", "c", 1)), -EBADMSG);
	assert_null(devices.keys);
	dkl_devices_clear(&devices);
}

static void every_truncation_is_refused_or_complete(void **state)
{
	size_t table = size_of(device_table());
	size_t row = size_of(device_row(1, "UP", "osc", "name", "uuid", 1));

	(void)state;
	for (size_t len = 0; len < table; len++) {
		struct devices devices = { 0 };

		assert_int_equal(feed_part(&devices, device_table(), len), -EBADMSG);
		dkl_devices_clear(&devices);
	}
	for (size_t len = 0; len < row; len++) {
		struct devices devices = { 0 };
		int err;

		assert_int_equal(feed(&devices, device_table()), 0);
		err = feed_part(&devices, device_row(1, "UP", "osc", "name", "uuid", 1), len);
		assert_int_equal(devices.n, err ? 0 : 1);
		dkl_devices_clear(&devices);
	}
}

static void short_number_is_refused(void **state)
{
	struct devices devices = { 0 };
	struct nl_msg *msg = nlmsg_alloc_simple(16, 0);

	(void)state;
	nla_put(msg, 7, 3, "abc");
	assert_int_equal(feed(&devices, device_table()), 0);
	assert_int_equal(feed(&devices, msg), -EBADMSG);
	assert_int_equal(devices.n, 0);
	dkl_devices_clear(&devices);
}

/* ---- tables ---- */

static int table_of(struct nl_msg *msg, struct keyval_table **table)
{
	struct nlmsghdr *hdr = nlmsg_hdr(msg);
	int err = dkl_keyval_table_new(nlmsg_data(hdr), (size_t)nlmsg_datalen(hdr), table);

	nlmsg_free(msg);
	return err;
}

/* A key that has a table with a key that has a table ..., and values as deep. */
static struct nl_msg *nested_table(unsigned int depth)
{
	struct nl_msg *msg = nlmsg_alloc_simple(16, 0);
	struct nlattr *list[64], *key[64];
	unsigned int i;

	assert_non_null(msg);
	for (i = 0; i < depth; i++) {
		list[i] = nla_nest_start(msg, LIST);
		key[i] = begin_key(msg, 1, i + 1 < depth ? "nest" : "leaf",
				   i + 1 < depth ? NLA_NESTED : NLA_S32);
	}
	while (i--) {
		nla_nest_end(msg, key[i]);
		nla_nest_end(msg, list[i]);
	}
	return msg;
}

static void deep_tables_are_refused(void **state)
{
	struct keyval_table *table;

	(void)state;
	assert_int_equal(table_of(nested_table(KEYVAL_DEPTH), &table), 0);
	dkl_keyval_table_free(table);
	assert_int_equal(table_of(nested_table(KEYVAL_DEPTH + 1), &table), -EBADMSG);
	assert_null(table);
	assert_int_equal(table_of(nested_table(60), &table), -EBADMSG);
	assert_null(table);
}

static void endless_tables_are_refused(void **state)
{
	struct nl_msg *msg = nlmsg_alloc_size(64 * 1024);
	struct keyval_table *table;
	struct nlattr *list;

	(void)state;
	assert_non_null(nlmsg_put(msg, 0, 0, 16, 0, 0));
	list = nla_nest_start(msg, LIST);
	for (uint16_t i = 1; i <= KEYVAL_KEYS + 1; i++)
		nla_nest_end(msg, begin_key(msg, i, "key", NLA_U8));
	nla_nest_end(msg, list);
	assert_int_equal(table_of(msg, &table), -EBADMSG);
	assert_null(table);
}

struct seen {
	char text[256];
	int stop_with;
};

static int write_item(void *data, const struct keyval_item *item)
{
	struct seen *seen = data;
	size_t used = strlen(seen->text);

	if (item->is_text)
		snprintf(seen->text + used, sizeof(seen->text) - used, "%u:%s=%.*s;", item->depth,
			 item->key, (int)item->len, item->text);
	else
		snprintf(seen->text + used, sizeof(seen->text) - used, "%u:%s=%lld;", item->depth,
			 item->key, (long long)item->number);
	return seen->stop_with;
}

static void put_values(struct nl_msg *msg)
{
	struct nlattr *list, *row;

	nla_put_u8(msg, 1, 255);
	nla_put_s8(msg, 2, -1);
	nla_put_s16(msg, 3, -300);
	nla_put_u64(msg, 4, 1ull << 40);
	nla_put_s64(msg, 5, INT64_MIN);
	nla_put_flag(msg, 6);
	list = nla_nest_start(msg, 7);
	for (int i = 0; i < 2; i++) {
		row = nla_nest_start(msg, i + 1);
		nla_put_s32(msg, 1, -i);
		nla_nest_end(msg, row);
	}
	nla_nest_end(msg, list);
	nla_put(msg, 8, 3, "\1\2\3");
}

static struct nl_msg *table_of_all_kinds(void)
{
	static const struct key keys[] = {
		{ "u8", NLA_U8 },     { "s8", NLA_S8 },      { "s16", NLA_S16 },
		{ "u64", NLA_U64 },   { "s64", NLA_S64 },    { "flag", NLA_FLAG },
		{ NULL, NLA_NESTED }, { "raw", NLA_BINARY },
	};
	struct nl_msg *msg = nlmsg_alloc_simple(16, 0);
	struct nlattr *list = nla_nest_start(msg, LIST), *nest, *inner;

	for (uint16_t i = 1; i <= sizeof(keys) / sizeof(keys[0]); i++) {
		nest = begin_key(msg, i, keys[i - 1].name, keys[i - 1].type);
		if (keys[i - 1].type == NLA_NESTED) {
			inner = nla_nest_start(msg, LIST);
			nla_nest_end(msg, begin_key(msg, 1, "n", NLA_S32));
			nla_nest_end(msg, inner);
		}
		nla_nest_end(msg, nest);
	}
	nla_nest_end(msg, list);
	return msg;
}

static void every_kind_of_value(void **state)
{
	struct nl_msg *msg = nlmsg_alloc_simple(16, 0);
	struct nlmsghdr *hdr = nlmsg_hdr(msg);
	struct seen all = { .text = "" }, one = { .text = "", .stop_with = 5 };
	struct keyval_table *table;
	size_t len;

	(void)state;
	assert_int_equal(table_of(table_of_all_kinds(), &table), 0);
	put_values(msg);
	len = (size_t)nlmsg_datalen(hdr);
	assert_int_equal(dkl_keyval_each(table, nlmsg_data(hdr), len, write_item, &all), 0);
	assert_string_equal(all.text, "0:u8=255;0:s8=-1;0:s16=-300;0:u64=1099511627776;"
				      "0:s64=-9223372036854775808;0:flag=1;1:n=0;1:n=-1;");
	assert_int_equal(dkl_keyval_each(table, nlmsg_data(hdr), len, write_item, &one), 5);
	assert_string_equal(one.text, "0:u8=255;");
	nlmsg_free(msg);
	dkl_keyval_table_free(table);
}

/* ---- this machine ---- */

static void a_missing_lustre_is_reported(void **state)
{
	struct devices devices;
	struct dkt_ctx *ctx;

	(void)state;
	assert_int_equal(dkt_ctx_new(NULL, &ctx), 0);
	if (dkt__netlink_family(ctx, "lustre")) {
		print_message("skipped: this machine has Lustre, or no netlink\n");
		dkt_ctx_free(ctx);
		skip();
	}
	assert_fails(ctx, -ENOENT, "list Lustre's devices: no generic netlink family 'lustre'",
		     dkl_devices_read(ctx, &devices));
	dkt_ctx_free(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_devices),
		cmocka_unit_test(missing_values_keep_their_columns),
		cmocka_unit_test(text_without_end_is_bounded),
		cmocka_unit_test(a_message_without_a_table_has_no_devices),
		cmocka_unit_test(every_truncation_is_refused_or_complete),
		cmocka_unit_test(short_number_is_refused),
		cmocka_unit_test(deep_tables_are_refused),
		cmocka_unit_test(endless_tables_are_refused),
		cmocka_unit_test(every_kind_of_value),
		cmocka_unit_test(a_missing_lustre_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
