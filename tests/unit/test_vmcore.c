/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A made-up kernel's memory is walked: ring buffers, events, names, symbols, and what is wrong there. */
#include "lib/source/page.h"
#include "lib/vmcore/buffers.h"
#include "lib/vmcore/events.h"
#include "lib/vmcore/image.h"
#include "tests/helper/check.h"
#include "tests/helper/made_kernel.h"

static struct made_kernel *setup(struct dkt_ctx **ctx)
{
	struct made_kernel *made = malloc(sizeof(*made));

	assert_non_null(made);
	assert_int_equal(dkt_ctx_new(NULL, ctx), 0);
	assert_int_equal(made_new(*ctx, made), 0);
	return made;
}

static void finish(struct made_kernel *made, struct dkt_ctx *ctx)
{
	dkt__vm_core_clear(&made->core);
	free(made);
	dkt_ctx_free(ctx);
}

/* A CPU whose reader has taken 2 of 4 records; the ring has 3 pages, the last of them unused. */
static uint64_t add_cpu(struct made_kernel *made, uint64_t pages[4])
{
	struct made_cpu cpu = { .nr_pages = 3,
				.lost_events = 0,
				.last_overrun = 5,
				.overrun = 12,
				.dropped_events = 1 };

	for (uint32_t i = 0; i < 4; i++)
		pages[i] = made_page(made, made_data(made, 1000 * (i + 1), 10 * i, 4), i ? 0 : 16);
	made_ring(made, pages + 1, 3);
	cpu.reader_page = pages[0];
	/* The kernel's pointer to the head lags behind. */
	cpu.head_page = pages[3];
	cpu.commit_page = pages[2];
	return made_put(made, &cpu, sizeof(cpu));
}

static void check_page(struct made_kernel *made, struct vm_cpu *cpu, size_t nr, uint64_t ts,
		       uint32_t value, uint32_t n, uint64_t lost)
{
	struct dkt__page page = { .size = MADE_PAGE };
	struct dkt__page_record record;
	uint32_t have;
	int end;

	assert_int_equal(dkt__vm_page(&made->core, cpu, MADE_PAGE, nr), 0);
	end = dkt__page_load(&page, cpu->room, 0, &record);
	assert_int_equal(page.lost, lost);
	for (uint32_t i = 0; i < n; i++) {
		assert_int_equal(end, 0);
		memcpy(&have, record.data, sizeof(have));
		assert_int_equal(have, value + i);
		assert_int_equal(record.ts, ts + i);
		end = dkt__page_next(&page, &record);
	}
	assert_int_equal(end, 1);
}

static void pages_come_in_the_order_of_their_records(void **state)
{
	struct dkt_ctx *ctx;
	struct made_kernel *made = setup(&ctx);
	struct vm_buffers buffers;
	struct vm_cpu *cpu;
	uint64_t pages[4];

	(void)state;
	made_instance(made, NULL, add_cpu(made, pages));
	made_instance(made, "one", add_cpu(made, pages));
	assert_int_equal(dkt__vm_buffers(&made->core, &buffers), 0);
	assert_null(buffers.damage);
	assert_int_equal(buffers.n, 2);
	assert_string_equal(buffers.list[0].name, "");
	assert_string_equal(buffers.list[1].name, "one");
	assert_int_equal(buffers.list[0].n_cpus, 1);
	assert_int_equal(buffers.list[0].page_size, MADE_PAGE);
	cpu = buffers.list[0].cpus;
	assert_int_equal(cpu->cpu, 1);
	assert_int_equal(cpu->lost, 13);
	assert_int_equal(cpu->n_pages, 3);
	check_page(made, cpu, 0, 1003, 2, 2, 0);
	check_page(made, cpu, 1, 2001, 10, 4, 7);
	check_page(made, cpu, 2, 3001, 20, 4, 0);
	dkt__vm_buffers_clear(&buffers);
	finish(made, ctx);
}

static void a_page_that_is_missing_is_a_gap(void **state)
{
	struct dkt_ctx *ctx;
	struct made_kernel *made = setup(&ctx);
	struct vm_buffers buffers;
	struct vm_cpu *cpu;
	uint64_t pages[4];

	(void)state;
	made_instance(made, NULL, add_cpu(made, pages));
	assert_int_equal(dkt__vm_buffers(&made->core, &buffers), 0);
	cpu = buffers.list[0].cpus;
	made->absent = cpu->pages[1];
	check_page(made, cpu, 0, 1003, 2, 2, 0);
	assert_int_equal(dkt__vm_page(&made->core, cpu, MADE_PAGE, 1), -ENODATA);
	check_page(made, cpu, 2, 3001, 20, 4, DKT_LOST_UNKNOWN);
	/* A search takes the time of the page before. */
	assert_int_equal(dkt__vm_page_time(&made->core, cpu, 1), 1000);
	assert_int_equal(dkt__vm_page_time(&made->core, cpu, 2), 3000);
	dkt__vm_buffers_clear(&buffers);
	finish(made, ctx);
}

/* A record with a time of its own before it keeps its time when those before it are taken away. */
static void a_page_without_its_first_records_keeps_times(void **state)
{
	union {
		uint64_t words[64];
		uint8_t bytes[512];
	} room = { .words = { 5000, 32 } };
	/* record, time extend by 1 << 27, record, record */
	const uint32_t data[] = { dkt__event_word(1, 3, DKT__BIG_ENDIAN),  7,
				  dkt__event_word(30, 2, DKT__BIG_ENDIAN), 1,
				  dkt__event_word(1, 1, DKT__BIG_ENDIAN),  8,
				  dkt__event_word(1, 1, DKT__BIG_ENDIAN),  9 };
	struct dkt__page page = { .size = sizeof(room) };
	struct dkt__page_record record;

	(void)state;
	memcpy(room.bytes + 16, data, sizeof(data));
	dkt__page_drop(room.bytes, sizeof(room), 8);
	dkt__page_mark_lost(room.bytes, sizeof(room), 77);
	assert_int_equal(dkt__page_load(&page, room.bytes, 0, &record), 0);
	assert_int_equal(page.lost, 77);
	assert_int_equal(record.ts, 5000 + 3 + 2 + (1 << 27) + 1);
	assert_int_equal(*(const uint32_t *)record.data, 8);
	assert_int_equal(dkt__page_next(&page, &record), 0);
	assert_int_equal(record.ts, 5000 + 3 + 2 + (1 << 27) + 2);
	assert_int_equal(dkt__page_next(&page, &record), 1);
	dkt__page_drop(room.bytes, sizeof(room), 400);
	assert_int_equal(dkt__page_load(&page, room.bytes, 0, &record), 1);
	dkt__page_drop(room.bytes, sizeof(room), UINT32_MAX);
	assert_int_equal(dkt__page_load(&page, room.bytes, 0, &record), 1);
}

static void damaged_buffers_are_told(void **state)
{
	struct dkt_ctx *ctx;
	struct made_kernel *made = setup(&ctx);
	struct vm_buffers buffers;
	struct made_page *page;
	struct made_list *list;
	uint64_t pages[4], instance;

	(void)state;
	/* The ring leads away from the commit page. */
	made_instance(made, NULL, add_cpu(made, pages));
	page = MADE_AT(made, pages[1]);
	page->list.next = pages[1];
	instance = made_instance(made, "one", 0x1234);
	assert_int_equal(dkt__vm_buffers(&made->core, &buffers), 0);
	assert_int_equal(buffers.n, 2);
	assert_string_equal(
		buffers.damage,
		"buffer '', cpu 1: 4 pages were found, the next cannot be read: the list has no end; "
		"buffer 'one', cpu 1: 0 pages were found, the next cannot be read: the kernel has no "
		"memory at its address");
	dkt__vm_buffers_clear(&buffers);

	/* The list of instances never returns to its head. */
	list = MADE_AT(made, instance);
	list->prev = instance;
	assert_int_equal(dkt__vm_buffers(&made->core, &buffers), 0);
	assert_non_null(
		strstr(buffers.damage, "the list of instances breaks off: the list has no end"));
	dkt__vm_buffers_clear(&buffers);
	finish(made, ctx);
}

/* A ring that says it has any number of pages, and has a circle beside its last one. */
static void a_walk_has_a_bound(void **state)
{
	struct dkt_ctx *ctx;
	struct made_kernel *made = setup(&ctx);
	struct vm_place place;
	struct vm_cpu cpu = { 0 };
	struct made_page *page;
	uint64_t pages[4], steps = 100;

	(void)state;
	place.at = add_cpu(made, pages);
	((struct made_cpu *)MADE_AT(made, place.at))->nr_pages = UINT64_MAX;
	page = MADE_AT(made, pages[1]);
	page->list.next = pages[1];
	assert_int_equal(dkt__vm_struct(&made->core, "ring_buffer_per_cpu", &place.type), 0);
	assert_int_equal(dkt__vm_cpu_walk(&made->core, place, &cpu, &steps), -E2BIG);
	assert_int_equal(steps, 0);
	assert_true(cpu.n_pages < 101);
	free(cpu.pages);
	finish(made, ctx);
}

static void add_events(struct made_kernel *made)
{
	const uint64_t common = MADE_BASE + MADE_COMMON;
	uint64_t class, point = made_text(made, "open_file"), wrong;

	made_head(made, common);
	made_add_field(made, common, "unsigned short", "common_type", 0, 2, 0, 0);
	made_add_field(made, common, "int", "common_pid", 4, 4, 1, 0);
	point = made_put(made, &point, sizeof(point));
	class = made_add_event(made, "files", point, 300, "\"%s\", REC->name");
	class += offsetof(struct made_class, fields);
	made_add_field(made, class, "char[16]", "name", 8, 16, 0, 16);
	made_add_field(made, class, "__data_loc char[]", "path", 24, 4, 0, 0);
	made_add_field(made, class, "u8[]", "rest", 28, 0, 0, 0);
	made_add_event(made, "kprobes", made_text(made, "p_1"), 1000, "\"\"");
	wrong = made_text(made, "no name\n");
	made_add_event(made, "kprobes", wrong, 1001, "\"\"");
}

static void formats_are_those_of_the_kernel(void **state)
{
	struct dkt_ctx *ctx;
	struct made_kernel *made = setup(&ctx);
	struct dkt__given *list = NULL;
	size_t n = 0, bad = 0;

	(void)state;
	add_events(made);
	assert_int_equal(dkt__vm_events(&made->core, &list, &n, &bad), 0);
	assert_int_equal(n, 2);
	assert_int_equal(bad, 1);
	assert_string_equal(list[0].system, "kprobes");
	assert_string_equal(list[0].text, "name: p_1\nID: 1000\nformat:\n"
					  "\tfield:unsigned short common_type;\toffset:0;\tsize:2;"
					  "\tsigned:0;\n"
					  "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
					  "\n\nprint fmt: \"\"\n");
	assert_string_equal(list[1].system, "files");
	assert_string_equal(list[1].text,
			    "name: open_file\nID: 300\nformat:\n"
			    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
			    "\tfield:char name[16];\toffset:8;\tsize:16;\tsigned:0;\n"
			    "\tfield:__data_loc char[] path;\toffset:24;\tsize:4;\tsigned:0;\n"
			    "\tfield:u8 rest[];\toffset:28;\tsize:0;\tsigned:0;\n"
			    "\nprint fmt: \"%s\", REC->name\n");
	free(list);
	finish(made, ctx);
}

static void names_come_from_the_tracer_then_from_threads(void **state)
{
	struct dkt_ctx *ctx;
	struct made_kernel *made = setup(&ctx);
	struct dkt__comms comms = { 0 };
	const uint32_t pids[] = { 7, UINT32_MAX, 8 };
	const char names[3][16] = { "seven", "none", "eight" };
	struct made_saved saved = { .cmdline_num = 3 };
	struct made_task task = { .pid = 8, .comm = "eight-now" };
	struct made_list signal = { 0 };
	const uint64_t init = MADE_BASE + MADE_TASK;
	uint64_t pointer, at;

	(void)state;
	saved.map_cmdline_to_pid = made_put(made, pids, sizeof(pids));
	saved.saved_cmdlines = made_put(made, names, sizeof(names));
	pointer = made_put(made, &saved, sizeof(saved));
	memcpy(MADE_AT(made, MADE_BASE + MADE_SAVED), &pointer, sizeof(pointer));
	task.signal = made_put(made, &signal, sizeof(signal));
	made_head(made, task.signal);
	made_link(made, init, made_put(made, &task, sizeof(task)));
	task.pid = 9;
	strcpy(task.comm, "nine");
	at = made_put(made, &task, sizeof(task));
	made_link(made, task.signal, at + offsetof(struct made_task, thread_node));
	assert_int_equal(dkt__vm_comms(&made->core, &comms), 0);
	assert_string_equal(dkt__comms_get(&comms, 7), "seven");
	assert_string_equal(dkt__comms_get(&comms, 8), "eight");
	assert_string_equal(dkt__comms_get(&comms, 9), "nine");
	dkt__comms_clear(&comms);
	finish(made, ctx);
}

/* Offsets above the base, or, with percpu, negative ones below it. */
static void add_kallsyms(struct made_kernel *made, bool percpu)
{
	static const char text[] = "\0T\0d\0x\0_ste\0xt";
	static const char names[] = "\3Tab\3dxb\2ab";
	const uint32_t above[] = { 0x1000, 0x2000, 0x3000 };
	const uint32_t below[] = { (uint32_t)-0x1001, 0x40, (uint32_t)-0x3001 };
	const uint64_t base = MADE_BASE;
	const uint32_t n = 3;
	uint16_t index[256];
	char *tokens = MADE_AT(made, MADE_BASE + MADE_TOKENS);

	for (size_t i = 0; i < ARRAY_SIZE(index); i++)
		index[i] = 0;
	/* Token 'a' stands for "_ste", 'b' for "xt". */
	memcpy(tokens, text, sizeof(text));
	index['T'] = 1;
	index['d'] = 3;
	index['x'] = 5;
	index['a'] = 7;
	index['b'] = 12;
	memcpy(MADE_AT(made, MADE_BASE + MADE_TOKEN_INDEX), index, sizeof(index));
	memcpy(MADE_AT(made, MADE_BASE + MADE_NAMES), names, sizeof(names));
	memcpy(MADE_AT(made, MADE_BASE + MADE_OFFSETS), percpu ? below : above, sizeof(above));
	memcpy(MADE_AT(made, MADE_BASE + MADE_REL), &base, sizeof(base));
	memcpy(MADE_AT(made, MADE_BASE + MADE_NUM), &n, sizeof(n));
}

static void symbols_are_unpacked(void **state)
{
	static const char *const want[] = {
		"ffff800000001000 T _stext\nffff800000002000 d xxt\nffff800000003000 _ stext\n",
		"ffff800000001000 T _stext\n0000000000000040 d xxt\nffff800000003000 _ stext\n",
	};
	uint64_t address;

	(void)state;
	for (int percpu = 0; percpu < 2; percpu++) {
		struct dkt_ctx *ctx;
		struct made_kernel *made = setup(&ctx);

		add_kallsyms(made, percpu);
		assert_int_equal(dkt__vm_kallsyms(&made->core), 0);
		assert_int_equal(made->core.symbols.len, strlen(want[percpu]));
		assert_memory_equal(made->core.symbols.data, want[percpu], made->core.symbols.len);
		assert_int_equal(dkt__vm_symbol(&made->core, "xxt", &address), 0);
		assert_int_equal(address, percpu ? 0x40 : MADE_BASE + 0x2000);
		assert_int_equal(dkt__vm_symbol(&made->core, "xx", &address), -ENOENT);
		/* A table that does not fit VMCOREINFO is refused. */
		((uint8_t *)MADE_AT(made, MADE_BASE + MADE_REL))[2] ^= 1;
		assert_int_equal(dkt__vm_kallsyms(&made->core), -EINVAL);
		finish(made, ctx);
	}
}

static void values_of_vmcoreinfo(void **state)
{
	const char *info = "OSRELEASE=6.1\nX=\nSYMBOL(a)=ff\nSYMBOL(b)=zz\nLAST=1";
	char value[8];
	uint64_t address;

	(void)state;
	assert_true(dkt__vm_info(info, "OSRELEASE", value, sizeof(value)));
	assert_string_equal(value, "6.1");
	assert_true(dkt__vm_info(info, "X", value, sizeof(value)));
	assert_string_equal(value, "");
	assert_true(dkt__vm_info(info, "LAST", value, sizeof(value)));
	assert_string_equal(value, "1");
	assert_false(dkt__vm_info(info, "OSREL", value, sizeof(value)));
	assert_false(dkt__vm_info(info, "OSRELEASE", value, 3));
	assert_true(dkt__vm_info_symbol(info, "a", &address));
	assert_int_equal(address, 0xff);
	assert_false(dkt__vm_info_symbol(info, "b", &address));
}

/* ---- files ---- */

static void forms_of_dumps_are_told_apart(void **state)
{
	uint8_t elf[64] = { 0x7f, 'E', 'L', 'F', 2, DKT__BIG_ENDIAN ? 2 : 1 };
	const uint16_t core = 4, program = 2;

	(void)state;
	assert_int_equal(dkt__vm_form((const uint8_t *)"KDUMP   ", 8), VM_KDUMP);
	assert_int_equal(dkt__vm_form((const uint8_t *)"DISKDUMP", 8), VM_KDUMP);
	assert_int_equal(dkt__vm_form((const uint8_t *)"KDUMP   ", 7), VM_NONE);
	assert_int_equal(dkt__vm_form((const uint8_t *)"makedumpfile\0\0\0\0", 16), VM_FLAT);
	memcpy(elf + 16, &core, sizeof(core));
	assert_int_equal(dkt__vm_form(elf, sizeof(elf)), VM_ELF);
	assert_int_equal(dkt__vm_form(elf, 17), VM_NONE);
	memcpy(elf + 16, &program, sizeof(program));
	assert_int_equal(dkt__vm_form(elf, sizeof(elf)), VM_NONE);
}

/* Appends a piece of a flattened file: where it belongs, its size, and n bytes. */
static size_t put_piece(uint8_t *to, int64_t at, int64_t size, const char *text)
{
	const uint64_t head[] = { htobe64((uint64_t)at), htobe64((uint64_t)size) };

	memcpy(to, head, sizeof(head));
	memcpy(to + sizeof(head), text, strlen(text));
	return sizeof(head) + strlen(text);
}

static int unflatten(struct dkt_ctx *ctx, const uint8_t *bytes, size_t n, char *text, bool *cut)
{
	const struct dkt__file file = { .name = "flat", .data = bytes, .size = n, .fd = -1 };
	int fd, err = dkt__vm_unflatten(ctx, &file, &fd, cut);
	ssize_t got;

	if (err)
		return err;
	got = pread(fd, text, 20, 0);
	assert_true(got >= 0);
	text[got] = '\0';
	close(fd);
	return 0;
}

static void pieces_of_a_flattened_file_are_put_in_order(void **state)
{
	uint8_t bytes[4096 + 200] = "makedumpfile";
	struct dkt_ctx *ctx;
	char text[21];
	size_t n = 4096, end;
	bool cut;

	(void)state;
	assert_int_equal(dkt_ctx_new(NULL, &ctx), 0);
	n += put_piece(bytes + n, 3, 3, "def");
	n += put_piece(bytes + n, 0, 3, "abc");
	end = n + put_piece(bytes + n, -1, -1, "");
	assert_int_equal(unflatten(ctx, bytes, end, text, &cut), 0);
	assert_string_equal(text, "abcdef");
	assert_false(cut);
	assert_int_equal(unflatten(ctx, bytes, n - 1, text, &cut), 0);
	assert_memory_equal(text, "ab\0def", 6);
	assert_true(cut);
	assert_int_equal(unflatten(ctx, bytes, 100, text, &cut), 0);
	assert_true(cut);
	put_piece(bytes + n, -2, 1, "x");
	assert_int_equal(unflatten(ctx, bytes, end, text, &cut), -EBADMSG);
	put_piece(bytes + n, 5, -7, "");
	assert_int_equal(unflatten(ctx, bytes, end, text, &cut), -EBADMSG);
	assert_string_equal(dkt_error(ctx), "read flat: invalid piece at byte 4134");
	dkt_ctx_free(ctx);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages_come_in_the_order_of_their_records),
		cmocka_unit_test(a_page_that_is_missing_is_a_gap),
		cmocka_unit_test(a_page_without_its_first_records_keeps_times),
		cmocka_unit_test(damaged_buffers_are_told),
		cmocka_unit_test(a_walk_has_a_bound),
		cmocka_unit_test(formats_are_those_of_the_kernel),
		cmocka_unit_test(names_come_from_the_tracer_then_from_threads),
		cmocka_unit_test(symbols_are_unpacked),
		cmocka_unit_test(values_of_vmcoreinfo),
		cmocka_unit_test(forms_of_dumps_are_told_apart),
		cmocka_unit_test(pieces_of_a_flattened_file_are_put_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
