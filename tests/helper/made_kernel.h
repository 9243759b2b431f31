/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A made-up kernel in a few pages of memory: its types as BTF, its variables, ring buffers, events and
 * symbols. The layout of its structs is that of the structs below.
 */
#pragma once

#include "lib/source/page.h"
#include "lib/vmcore/core.h"
#include "tests/helper/btf.h"

#define MADE_BASE UINT64_C(0xffff800000000000)
#define MADE_SIZE 0x10000
#define MADE_PAGE 512

/* Where its variables are; the rest is for what it allocates. */
enum made_at {
	MADE_ARRAYS = 0x100, /* ftrace_trace_arrays */
	MADE_EVENTS = 0x110,
	MADE_COMMON = 0x120, /* ftrace_common_fields */
	MADE_SAVED = 0x130, /* savedcmd */
	MADE_MODULES = 0x140,
	MADE_FORMATS = 0x150, /* trace_bprintk_fmt_list */
	MADE_STRINGS = 0x160, /* __start___tracepoint_str, one */
	MADE_CLOCKS = 0x180,
	MADE_TASK = 0x200, /* init_task */
	MADE_NUM = 0x400, /* kallsyms_num_syms and so on */
	MADE_REL = 0x408,
	MADE_TOKEN_INDEX = 0x500,
	MADE_TOKENS = 0x700,
	MADE_NAMES = 0x900,
	MADE_OFFSETS = 0xa00,
	MADE_HEAP = 0xc00,
};

struct made_list {
	uint64_t next, prev;
};

struct made_page {
	struct made_list list;
	uint32_t read;
	uint64_t page;
};

struct made_cpu {
	uint64_t nr_pages, head_page, commit_page, reader_page, lost_events, last_overrun, overrun,
		commit_overrun, dropped_events;
};

struct made_buffer {
	uint32_t cpus;
	uint64_t buffers;
	uint32_t subbuf_order;
};

struct made_array {
	struct made_list list;
	uint64_t name;
	uint64_t buffer; /* array_buffer.buffer */
	uint32_t clock_id;
};

struct made_field {
	struct made_list link;
	uint64_t name, type;
	uint32_t offset, size;
	uint32_t is_signed : 1;
	uint32_t len;
};

struct made_class {
	uint64_t system, get_fields;
	struct made_list fields;
};

struct made_event {
	struct made_list list;
	uint64_t class;
	uint64_t name; /* or tp */
	uint32_t type; /* event.type */
	uint64_t print_fmt, data;
};

struct made_saved {
	uint32_t cmdline_num;
	uint64_t map_cmdline_to_pid, saved_cmdlines;
};

struct made_task {
	struct made_list tasks;
	uint32_t pid;
	char comm[16];
	uint64_t signal;
	struct made_list thread_node;
};

struct made_module {
	struct made_list list;
	char name[16];
	uint64_t kallsyms;
};

struct made_kallsyms {
	uint64_t symtab;
	uint32_t num_symtab;
	uint64_t strtab, typetab;
};

struct made_kernel {
	struct vm_memory memory; /* first */
	uint8_t bytes[MADE_SIZE];
	size_t size; /* that exist */
	size_t next; /* free memory */
	uint64_t absent; /* a page that the dump leaves out, 0: none */
	struct vm_core core;
};

static inline int made_read(struct vm_memory *memory, uint64_t address, void *bytes, size_t n)
{
	const struct made_kernel *made = (const struct made_kernel *)(const void *)memory;

	if (address < MADE_BASE || address - MADE_BASE > made->size ||
	    made->size - (address - MADE_BASE) < n)
		return -EFAULT;
	if (made->absent && address < made->absent + MADE_PAGE && address + n > made->absent)
		return -ENODATA;
	memcpy(bytes, made->bytes + (address - MADE_BASE), n);
	return 0;
}

/* ---- types ---- */

static inline int made_align(int at, int to)
{
	return (at + to - 1) / to * to;
}

/*
 * The members are "name:type name:type ...", with types u4 u8 c16, b1 (a bit of a u4), *NAME, **NAME
 * and =NAME for a struct inside; "^" before a name puts it in the place of the one before.
 */
struct made_type {
	const char *name;
	const char *members;
	int size;
};

static const struct made_type made_types[] = {
	{ "list_head", "next:*void prev:*void", sizeof(struct made_list) },
	{ "buffer_data_page", "time_stamp:u8 commit:u8", 16 },
	{ "buffer_page", "list:=list_head read:u4 page:*buffer_data_page",
	  sizeof(struct made_page) },
	{ "ring_buffer_per_cpu",
	  "nr_pages:u8 head_page:*buffer_page commit_page:*buffer_page reader_page:*buffer_page "
	  "lost_events:u8 last_overrun:u8 overrun:u8 commit_overrun:u8 dropped_events:u8",
	  sizeof(struct made_cpu) },
	{ "trace_buffer", "cpus:u4 buffers:**ring_buffer_per_cpu subbuf_order:u4",
	  sizeof(struct made_buffer) },
	{ "array_buffer", "buffer:*trace_buffer", 8 },
	{ "trace_array", "list:=list_head name:*char array_buffer:=array_buffer clock_id:u4",
	  sizeof(struct made_array) },
	{ "ftrace_event_field",
	  "link:=list_head name:*char type:*char offset:u4 size:u4 is_signed:b1 len:u4",
	  sizeof(struct made_field) },
	{ "tracepoint", "name:*char", 8 },
	{ "trace_event_class", "system:*char get_fields:*void fields:=list_head",
	  sizeof(struct made_class) },
	{ "trace_event", "type:u4", 4 },
	{ "trace_event_call",
	  "list:=list_head class:*trace_event_class name:*char ^tp:*tracepoint event:=trace_event print_fmt:*char "
	  "data:*void",
	  sizeof(struct made_event) },
	{ "saved_cmdlines_buffer", "cmdline_num:u4 map_cmdline_to_pid:*void saved_cmdlines:*char",
	  sizeof(struct made_saved) },
	{ "signal_struct", "thread_head:=list_head", sizeof(struct made_list) },
	{ "task_struct",
	  "tasks:=list_head pid:u4 comm:c16 signal:*signal_struct thread_node:=list_head",
	  sizeof(struct made_task) },
	{ "mod_kallsyms", "symtab:*void num_symtab:u4 strtab:*char typetab:*char",
	  sizeof(struct made_kallsyms) },
	{ "module", "list:=list_head name:c16 kallsyms:*mod_kallsyms", sizeof(struct made_module) },
	{ "trace_bprintk_fmt", "list:=list_head fmt:*char", 24 },
};

enum made_basic {
	MADE_VOID,
	MADE_U4,
	MADE_U8,
	MADE_CHAR,
	MADE_INDEX,
	MADE_C16,
	N_BASIC,
};

/* The IDs: of the basic types first, then three for each struct: it, a pointer, a pointer to that. */
static inline int made_id(const char *name, size_t n, int stars)
{
	static const char *const basic[] = { "void", "u4", "u8", "char", "", "c16" };
	int i;

	for (i = 0; i < N_BASIC; i++)
		if (strlen(basic[i]) == n && !memcmp(basic[i], name, n))
			return stars ? N_BASIC + (int)ARRAY_SIZE(made_types) * 3 +
					       (i == MADE_CHAR) :
				       i;
	for (i = 0; i < (int)ARRAY_SIZE(made_types); i++)
		if (strlen(made_types[i].name) == n && !memcmp(made_types[i].name, name, n))
			return N_BASIC + i * 3 + stars;
	abort();
}

static inline int made_size(const char *type, size_t n)
{
	for (size_t i = 0; i < ARRAY_SIZE(made_types); i++)
		if (*type == '=' && strlen(made_types[i].name) == n - 1 &&
		    !memcmp(made_types[i].name, type + 1, n - 1))
			return made_types[i].size;
	return *type == '*' ? 8 : atoi(type + 1) == 1 ? 4 : atoi(type + 1);
}

static inline void made_struct(struct btf *btf, const struct made_type *type)
{
	const char *p = type->members;
	int at = 0, last = 0;

	btf__add_struct(btf, type->name, (uint32_t)type->size);
	while (*p) {
		char name[64];
		size_t n = strcspn(p, ":"), len, stars;
		int size, align, id;

		snprintf(name, sizeof(name), "%.*s", (int)n, p);
		p += n + 1;
		len = strcspn(p, " ");
		size = made_size(p, len);
		align = *p == 'c' ? 1 : *p == '=' && size > 4 ? 8 : size;
		stars = strspn(p, "*");
		id = *p == 'b' ? MADE_U4 :
		     *p == '=' ? made_id(p + 1, len - 1, 0) :
				 made_id(p + stars, len - stars, (int)stars);
		at = *name == '^' ? last : made_align(at, align);
		last = at;
		btf__add_field(btf, name + (*name == '^'), id, (uint32_t)at * 8, *p == 'b');
		at += size;
		p += len + (p[len] == ' ');
	}
}

/* Makes the types; the order of the calls gives the IDs that made_id() tells. */
static inline struct btf *made_btf(void)
{
	struct btf *btf = btf__new_empty();

	btf__add_int(btf, "unsigned int", 4, 0);
	btf__add_int(btf, "unsigned long", 8, 0);
	btf__add_int(btf, "char", 1, BTF_INT_SIGNED);
	btf__add_int(btf, "__ARRAY_SIZE_TYPE__", 4, 0);
	btf__add_array(btf, MADE_INDEX, MADE_CHAR, 16);
	for (int i = 0; i < (int)ARRAY_SIZE(made_types); i++) {
		made_struct(btf, &made_types[i]);
		btf__add_ptr(btf, N_BASIC + i * 3);
		btf__add_ptr(btf, N_BASIC + i * 3 + 1);
	}
	btf__add_ptr(btf, MADE_VOID);
	btf__add_ptr(btf, MADE_CHAR);
	return btf;
}

static const char made_info[] =
	"OSRELEASE=6.0.0-made\nBUILD-ID=0123456789abcdef\nPAGESIZE=512\n"
	"SYMBOL(ftrace_trace_arrays)=ffff800000000100\nSYMBOL(ftrace_events)=ffff800000000110\n"
	"SYMBOL(ftrace_common_fields)=ffff800000000120\nSYMBOL(savedcmd)=ffff800000000130\n"
	"SYMBOL(modules)=ffff800000000140\nSYMBOL(trace_bprintk_fmt_list)=ffff800000000150\n"
	"SYMBOL(__start___tracepoint_str)=ffff800000000160\n"
	"SYMBOL(__stop___tracepoint_str)=ffff800000000168\n"
	"SYMBOL(trace_clocks)=ffff800000000180\nSYMBOL(init_task)=ffff800000000200\n"
	"SYMBOL(kallsyms_num_syms)=ffff800000000400\n"
	"SYMBOL(kallsyms_relative_base)=ffff800000000408\n"
	"SYMBOL(kallsyms_token_index)=ffff800000000500\n"
	"SYMBOL(kallsyms_token_table)=ffff800000000700\n"
	"SYMBOL(kallsyms_names)=ffff800000000900\nSYMBOL(kallsyms_offsets)=ffff800000000a00\n"
	"SYMBOL(_stext)=ffff800000001000\n";

/* A kernel without anything in its memory. */
static inline int made_new(struct dkt_ctx *ctx, struct made_kernel *made)
{
	struct btf *btf = made_btf();
	uint32_t size;
	const void *data = btf__raw_data(btf, &size);
	int err;

	*made = (struct made_kernel){ .memory.read = made_read,
				      .size = MADE_SIZE,
				      .next = MADE_HEAP };
	made->core = (struct vm_core){
		.ctx = ctx, .name = "made", .memory = &made->memory, .info = made_info
	};
	err = dkt__btf_parse(ctx, data, size, NULL, &made->core.btf);
	btf__free(btf);
	if (!err)
		made->core.types = dkt__btf_types(made->core.btf);
	return err;
}

/* ---- what is in its memory ---- */

#define MADE_AT(made, address) ((void *)((made)->bytes + ((address)-MADE_BASE)))

static inline uint64_t made_alloc(struct made_kernel *made, size_t n, size_t align)
{
	size_t at = (made->next + align - 1) / align * align;

	made->next = at + n;
	if (made->next > MADE_SIZE)
		abort();
	return MADE_BASE + at;
}

static inline uint64_t made_put(struct made_kernel *made, const void *bytes, size_t n)
{
	uint64_t at = made_alloc(made, n, 8);

	memcpy(MADE_AT(made, at), bytes, n);
	return at;
}

static inline uint64_t made_text(struct made_kernel *made, const char *text)
{
	return made_put(made, text, strlen(text) + 1);
}

static inline struct made_list *made_head(struct made_kernel *made, uint64_t at)
{
	struct made_list *list = MADE_AT(made, at);

	if (!list->next)
		*list = (struct made_list){ at, at };
	return list;
}

/* Links an entry in first, as the kernel's list_add() does. */
static inline void made_link(struct made_kernel *made, uint64_t head, uint64_t entry)
{
	struct made_list *list = made_head(made, head);
	struct made_list *first = MADE_AT(made, list->next), *mine = MADE_AT(made, entry);

	*mine = (struct made_list){ .next = list->next, .prev = head };
	first->prev = entry;
	list->next = entry;
}

/* A page with records of 4 bytes, whose values count on from first, a tick apart. */
static inline uint64_t made_data(struct made_kernel *made, uint64_t ts, uint32_t first, uint32_t n)
{
	uint64_t at = made_alloc(made, MADE_PAGE, 8), head[2] = { ts, (uint64_t)n * 8 };
	uint8_t *p = MADE_AT(made, at);

	memcpy(p, head, sizeof(head));
	for (uint32_t i = 0; i < n; i++) {
		uint32_t record[2] = { dkt__event_word(1, 1, DKT__BIG_ENDIAN), first + i };

		memcpy(p + 16 + i * sizeof(record), record, sizeof(record));
	}
	return at;
}

static inline uint64_t made_page(struct made_kernel *made, uint64_t data, uint32_t taken)
{
	struct made_page page = { .read = taken, .page = data };

	return made_put(made, &page, sizeof(page));
}

/* Closes a ring of n pages, the first of which is the head. */
static inline void made_ring(struct made_kernel *made, const uint64_t *pages, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct made_page *page = MADE_AT(made, pages[i]);

		page->list.next = pages[(i + 1) % n] | (i + 1 == n);
		page->list.prev = pages[(i + n - 1) % n];
	}
}

static inline uint64_t made_instance(struct made_kernel *made, const char *name, uint64_t cpu)
{
	uint64_t table[2] = { 0, cpu };
	struct made_buffer buffer = { .cpus = 2, .buffers = made_put(made, table, sizeof(table)) };
	struct made_array array = { .buffer = made_put(made, &buffer, sizeof(buffer)),
				    .name = name ? made_text(made, name) : 0 };
	uint64_t at = made_put(made, &array, sizeof(array));

	made_link(made, MADE_BASE + MADE_ARRAYS, at);
	return at;
}

static inline void made_add_field(struct made_kernel *made, uint64_t head, const char *type,
				  const char *name, uint32_t offset, uint32_t size, uint32_t sign,
				  uint32_t len)
{
	struct made_field field = { .name = made_text(made, name),
				    .type = made_text(made, type),
				    .offset = offset,
				    .size = size,
				    .is_signed = sign & 1,
				    .len = len };

	made_link(made, head, made_put(made, &field, sizeof(field)));
}

/* Adds an event; name is the address of its name, or of its tracepoint. Returns its class. */
static inline uint64_t made_add_event(struct made_kernel *made, const char *system, uint64_t name,
				      uint32_t id, const char *print)
{
	struct made_class class = { .system = made_text(made, system) };
	struct made_event event = { .class = made_put(made, &class, sizeof(class)),
				    .name = name,
				    .type = id,
				    .print_fmt = made_text(made, print) };

	made_head(made, event.class + offsetof(struct made_class, fields));
	made_link(made, MADE_BASE + MADE_EVENTS, made_put(made, &event, sizeof(event)));
	return event.class;
}
