/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Call stacks of a record: in the record, below it, in the next record. */
#include "lib/symbol.h"
#include "tests/helper/check.h"
#include "tests/helper/style_room.h"

/* The head of a stack's record and its callers. */
struct calls {
	struct dkt_stack stack;
	uint64_t data[5];
};

struct carried {
	struct room room;
	struct calls kernel, user;
};

static void carried_open(struct carried *c, const char *style, const char *const *fields, size_t n)
{
	static const char in_kernel[] = "f+0x1c/0x40", in_program[] = "a\"b+0x12f0";
	struct dkt_ctx *ctx;

	room_open(&c->room, style, fields, n);
	ctx = c->room.ctx;
	c->user = (struct calls){
		.data = { 0, 0, dkt__symbol_create_whole(ctx, in_program, strlen(in_program)),
			  0x401000, 0 },
		.stack = { .event = styled_stack(ctx, "user_stack", 101), .size = 40 }
	};
	c->user.stack.data = c->user.data;
	/* The bytes after the end of a stack are not callers. */
	c->kernel = (struct calls){
		.data = { 0, 0, dkt__symbol_create(ctx, in_kernel, strlen(in_kernel)), UINT64_MAX,
			  0x7777 },
		.stack = { .event = styled_stack(ctx, "kernel_stack", 100), .size = 40 }
	};
	c->kernel.stack.data = c->kernel.data;
	c->kernel.stack.next = &c->user.stack;
	c->room.record.stacks = &c->kernel.stack;
}

static void a_record_has_its_stacks(void **state)
{
	struct dkt_record stack, *record;
	struct carried c;

	(void)state;
	carried_open(&c, "json", NULL, 0);
	record = &c.room.record;
	assert_int_equal(dkt_record_stack(record, 0, &stack), 0);
	assert_ptr_equal(stack.event, c.kernel.stack.event);
	assert_ptr_equal(stack.data, c.kernel.data);
	assert_int_equal(stack.size, 40);
	assert_int_equal(stack.ts, record->ts);
	assert_int_equal(stack.cpu, record->cpu);
	assert_int_equal(stack.pid, record->pid);
	assert_null(stack.stacks);
	assert_int_equal(dkt_record_stack(record, 1, &stack), 0);
	assert_ptr_equal(stack.event, c.user.stack.event);
	assert_int_equal(dkt_record_stack(record, 2, &stack), 1);
	record->stacks = NULL;
	assert_int_equal(dkt_record_stack(record, 0, &stack), 1);
	room_close(&c.room);
}

static void json_prints_stacks(void **state)
{
	static const char *const with[] = { "i", "user_stack", "text" }, *const without[] = { "i" };
	struct carried c;

	(void)state;
	carried_open(&c, "json", NULL, 0);
	assert_has(styled(&c.room, "dd"), "\"odd\":\"010203\"},\"kernel_stack\":[\"f+0x1c\"],"
					  "\"user_stack\":[\"a\\\"b+0x12f0\",\"0x401000\"]}\n");
	c.room.record.event = NULL;
	assert_has(styled(&c.room, ""), "\"lost\":0}\n");
	room_close(&c.room);
	carried_open(&c, "json", with, ARRAY_SIZE(with));
	assert_non_null(
		strstr(styled(&c.room, "dd"),
		       "\"text\":\"some tex\"},\"text\":\"i=-5 ip=0xffffffff81000010 "
		       "text=some tex\",\"user_stack\":[\"a\\\"b+0x12f0\",\"0x401000\"]}\n"));
	room_close(&c.room);
	carried_open(&c, "json", without, ARRAY_SIZE(without));
	assert_has(styled(&c.room, "dd"), "\"fields\":{\"i\":-5}}\n");
	room_close(&c.room);
}

static void trace_prints_stacks(void **state)
{
	static const char hostile[] = "evil\nforged";
	struct carried c;

	(void)state;
	carried_open(&c, "trace", NULL, 0);
	assert_has(styled(&c.room, "dd"), "text=some tex\n => f\n => a\"b+0x12f0\n => 0x401000\n");
	c.user.data[3] = dkt__symbol_create_whole(c.room.ctx, hostile, strlen(hostile));
	assert_has(styled(&c.room, "dd"), "\n => evil\\nforged\n");
	room_close(&c.room);
}

static void csv_prints_stacks(void **state)
{
	static const char *const fields[] = { "cpu", "user_stack", "kernel_stack" };
	struct carried c;

	(void)state;
	carried_open(&c, "csv", fields, ARRAY_SIZE(fields));
	assert_string_equal(styled(&c.room, "dd"), "3,\"a\"\"b+0x12f0 => 0x401000\",f\r\n");
	room_close(&c.room);
	carried_open(&c, "csv", NULL, 0);
	assert_has(styled(&c.room, "dd"), "\r\nftrace,kernel_stack,");
	room_close(&c.room);
}

/* Styles without stacks print them as records. */
static void other_styles_print_stacks_as_records(void **state)
{
	struct carried c;
	const char *text;

	(void)state;
	carried_open(&c, "raw", NULL, 0);
	text = strstr(styled(&c.room, "dd"), "kernel_stack:");
	assert_non_null(text);
	assert_has(text, "user_stack:");
	room_close(&c.room);
	carried_open(&c, "folded", NULL, 0);
	styled(&c.room, "dd");
	dkt_buf_reset(c.room.buf);
	assert_int_equal(dkt_style_end(c.room.style, c.room.buf), 0);
	dkt__buf_add(c.room.buf, "", 1);
	assert_string_equal(dkt_buf_data(c.room.buf, &(size_t){ 0 }),
			    "sample;dd;0x401000;a\"b+0x12f0;f 1\n");
	room_close(&c.room);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_record_has_its_stacks),
		cmocka_unit_test(json_prints_stacks),
		cmocka_unit_test(trace_prints_stacks),
		cmocka_unit_test(csv_prints_stacks),
		cmocka_unit_test(other_styles_print_stacks_as_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
