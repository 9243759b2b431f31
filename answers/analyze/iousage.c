/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* iousagetop: the bytes that processes read and write by system calls, and where the data are. */
#include "answers/analyze/flows.h"
#include "answers/analyze/io.h"
#include "answers/analyze/kinds.h"

#include "lib/base/memory.h"

#define PLACES 3

/* From linux/sched.h and the numbers of address families, which are the same everywhere. */
#define CLONE_FILES 0x400
#define AF_INET_NR  2
#define AF_INET6_NR 10

/* Forks between a process and the one that opened its descriptor, at most. */
#define MAX_FORKS 8

struct usage {
	uint64_t read[PLACES], written[PLACES];
};

/* A table of descriptors, which threads share. */
struct table {
	uint32_t parent; /* index + 1 of the table that it was copied from; 0: none */
};

struct file {
	enum io_place place;
	bool closed;
	const char *name; /* NULL: unknown */
};

struct iousage {
	struct io io;
	struct usage *usages; /* by process */
	uint32_t n_usages;
	struct dkt__keymap tids; /* from a thread to the table */
	uint32_t *table_of; /* by entry of tids */
	uint32_t n_table_of;
	struct table *tables;
	uint32_t n_tables;
	struct dkt__keymap fds; /* from a table and a descriptor to a file */
	struct file *files;
	uint32_t n_files;
	struct dkt__keymap names; /* from the name of a file to its usage */
	struct usage *by_name;
	uint32_t n_by_name;
	struct flows disks, interfaces;
};

enum { BY_PROCESS, BY_FILE, BY_DISK, BY_INTERFACE, TOTAL };

#define BYTE_COLUMNS                                                                               \
	{ "read", RESULT_BYTES, "Read", NULL, NULL },                                              \
		{ "written", RESULT_BYTES, "Written", NULL, NULL },                                \
		{ "disk_read", RESULT_BYTES, "Read from files", NULL, NULL },                      \
		{ "disk_written", RESULT_BYTES, "Written to files", NULL, NULL },                  \
		{ "net_read", RESULT_BYTES, "Read from the network", NULL, NULL },                 \
		{ "net_written", RESULT_BYTES, "Written to the network", NULL, NULL },             \
		{ "unknown_read", RESULT_BYTES, "Read from elsewhere", NULL, NULL },               \
	{                                                                                          \
		"unknown_written", RESULT_BYTES, "Written elsewhere", NULL, NULL                   \
	}

static const struct result_column process_columns[] = {
	{ "process", RESULT_PROCESS, "Process", NULL, "pid" },
	BYTE_COLUMNS,
};

static const struct result_column file_columns[] = {
	{ "file", RESULT_PATH, "File", NULL, NULL },
	{ "read", RESULT_BYTES, "Read", NULL, NULL },
	{ "written", RESULT_BYTES, "Written", NULL, NULL },
};

static const struct result_column disk_columns[] = {
	{ "disk", RESULT_DISK, "Block device", NULL, NULL },
	{ "reads", RESULT_NUMBER, "Reads", NULL, NULL },
	{ "read", RESULT_BYTES, "Read", NULL, NULL },
	{ "writes", RESULT_NUMBER, "Writes", NULL, NULL },
	{ "written", RESULT_BYTES, "Written", NULL, NULL },
};

static const struct result_column interface_columns[] = {
	{ "interface", RESULT_TEXT, "Network interface", NULL, NULL },
	{ "packets_in", RESULT_NUMBER, "Packets received", NULL, NULL },
	{ "received", RESULT_BYTES, "Received", NULL, NULL },
	{ "packets_out", RESULT_NUMBER, "Packets sent", NULL, NULL },
	{ "sent", RESULT_BYTES, "Sent", NULL, NULL },
};

static const struct result_column total_columns[] = { BYTE_COLUMNS };

static const struct result_table tables[] = {
	[BY_PROCESS] = { "processes", "Bytes read and written by processes", process_columns,
			 ARRAY_SIZE(process_columns), .by = 2, .bar = -1 },
	[BY_FILE] = { "files", "Bytes read from and written to files", file_columns,
		      ARRAY_SIZE(file_columns), .by = 2, .bar = -1 },
	[BY_DISK] = { "disks", "Bytes read from and written to block devices", disk_columns,
		      ARRAY_SIZE(disk_columns), .by = 4, .bar = -1 },
	[BY_INTERFACE] = { "interfaces", "Bytes received and sent by network interfaces",
			   interface_columns, ARRAY_SIZE(interface_columns), .by = 2, .bar = -1 },
	[TOTAL] = { "total", "Bytes read and written by all processes", total_columns,
		    ARRAY_SIZE(total_columns), .by = -1, .bar = -1 },
};

/* ---- descriptors ---- */

/* Returns the index of the thread's table; UINT32_MAX: memory is out. */
static uint32_t table_of(struct iousage *all, int32_t tid)
{
	uint64_t key = (uint32_t)tid;
	bool added = false;
	uint32_t entry, *table;

	all->tids.n_words = 1;
	entry = dkt__keymap_add(&all->tids, &key, &added);
	table = entry == DKT__KEYMAP_NONE ? NULL :
					    dkt__reach(all->table_of, all->n_table_of, entry);
	if (!table)
		return UINT32_MAX;
	if (added) {
		*table = all->n_tables;
		if (dkt__append(all->tables, all->n_tables, (struct table){ 0 }))
			return UINT32_MAX;
	}
	return *table;
}

/* Returns the file of a descriptor, created if add is set. NULL: unknown, or memory is out. */
static struct file *file_of(struct iousage *all, uint32_t table, int64_t fd, bool add)
{
	uint64_t key[2] = { table, (uint64_t)fd };
	bool added = false;
	uint32_t entry;

	all->fds.n_words = 2;
	if (add)
		entry = dkt__keymap_add(&all->fds, key, &added);
	else
		entry = all->fds.n ? dkt__keymap_find(&all->fds, key) : DKT__KEYMAP_NONE;
	return entry == DKT__KEYMAP_NONE ? NULL : dkt__reach(all->files, all->n_files, entry);
}

/* A process has the descriptors of the one that forked it. */
static const struct file *find_file(struct iousage *all, uint32_t table, int64_t fd)
{
	for (int i = 0; i < MAX_FORKS && table < all->n_tables; i++) {
		const struct file *file = file_of(all, table, fd, false);

		if (file)
			return file->closed ? NULL : file;
		table = all->tables[table].parent - 1;
	}
	return NULL;
}

static int set_file(struct iousage *all, uint32_t table, int64_t fd, struct file file)
{
	struct file *to = file_of(all, table, fd, true);

	if (!to)
		return -ENOMEM;
	*to = file;
	return 0;
}

/* The path of a call that opens a file; NULL: it is not recorded. */
static const char *path_of(struct analyze *a, const struct call *call)
{
	for (size_t i = 0; i < CALL_ARGS; i++)
		if (call->texts[i])
			return texts_keep(&a->texts, call->texts[i], strlen(call->texts[i]));
	return NULL;
}

static int open_file(struct analyze *a, struct iousage *all, uint32_t table,
		     const struct call *call, const struct io_call *row)
{
	struct file file = { .place = row->place, .name = path_of(a, call) };
	const struct file *old;

	if (call->ret < 0)
		return 0;
	if (row->op == IO_DUP) {
		old = find_file(all, table, (int32_t)call->args[0]);
		file = old ? *old : (struct file){ 0 };
	} else if (!strcmp(row->name, "socket") && call->n_args && call->args[0] != AF_INET_NR &&
		   call->args[0] != AF_INET6_NR) {
		file.place = IO_UNKNOWN;
	}
	return set_file(all, table, call->ret, file);
}

/* ---- bytes ---- */

static int count(struct analyze *a, struct iousage *all, uint32_t table, uint32_t process,
		 int64_t fd, uint64_t bytes, enum io_place place, bool writes)
{
	const struct file *file = find_file(all, table, fd);
	struct usage *usage = dkt__reach(all->usages, all->n_usages, process), *named;
	bool added = false;
	uint64_t key;
	uint32_t entry;

	if (!usage)
		return dkt__no_memory(a->ctx);
	if (file && file->place != IO_UNKNOWN)
		place = file->place;
	*(writes ? &usage->written[place] : &usage->read[place]) += bytes;
	if (!file || !file->name)
		return 0;
	key = (uintptr_t)file->name;
	all->names.n_words = 1;
	entry = dkt__keymap_add(&all->names, &key, &added);
	named = entry == DKT__KEYMAP_NONE ? NULL : dkt__reach(all->by_name, all->n_by_name, entry);
	if (!named)
		return dkt__no_memory(a->ctx);
	*(writes ? &named->written[0] : &named->read[0]) += bytes;
	return 0;
}

static int add_call(struct analyze *a, void *state, const struct call *call,
		    const struct io_call *row)
{
	struct iousage *all = state;
	uint32_t table, process;
	int64_t fd = (int32_t)call->args[0];
	int err;

	if (!row || !call->n_args)
		return 0;
	table = table_of(all, call->tid);
	if (table == UINT32_MAX)
		return dkt__no_memory(a->ctx);
	if (row->op == IO_OPEN || row->op == IO_DUP)
		return open_file(a, all, table, call, row);
	if (row->op == IO_CLOSE)
		return set_file(all, table, fd, (struct file){ .closed = true });
	if (row->op == IO_SYNC || call->ret < 0)
		return 0;
	process = io_process(&all->io, call);
	if (process == PROCESS_NONE)
		return -ENOMEM;
	err = count(a, all, table, process, fd, (uint64_t)call->ret, row->place,
		    row->op != IO_READ);
	if (err || row->op != IO_COPY)
		return err;
	return count(a, all, table, process, (int32_t)call->args[1], (uint64_t)call->ret,
		     row->place, false);
}

static int add_task(struct analyze *a, void *state, const struct call_task *task)
{
	struct iousage *all = state;
	uint64_t key = (uint32_t)task->tid;
	uint32_t parent, entry;

	if (!task->began) {
		if (all->tids.n)
			dkt__keymap_remove(&all->tids, &key);
		return 0;
	}
	parent = table_of(all, task->parent);
	if (parent == UINT32_MAX || table_of(all, task->tid) == UINT32_MAX)
		return dkt__no_memory(a->ctx);
	entry = dkt__keymap_find(&all->tids, &key);
	if (task->flags & CLONE_FILES)
		all->table_of[entry] = parent;
	else
		all->tables[all->table_of[entry]].parent = parent + 1;
	return 0;
}

/* ---- rows ---- */

static uint64_t sum(const uint64_t bytes[PLACES])
{
	return bytes[IO_UNKNOWN] + bytes[IO_DISK] + bytes[IO_NET];
}

static void fill(const struct usage *usage, struct result_cell *cells)
{
	static const enum io_place order[] = { IO_DISK, IO_NET, IO_UNKNOWN };

	*cells++ = cell_number(sum(usage->read));
	*cells++ = cell_number(sum(usage->written));
	for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
		*cells++ = cell_number(usage->read[order[i]]);
		*cells++ = cell_number(usage->written[order[i]]);
	}
}

static int file_rows(struct analyze *a, const struct iousage *all)
{
	struct result_cell cells[ARRAY_SIZE(file_columns)];
	int err = 0;

	for (uint32_t i = 0; !err && i < all->n_by_name; i++) {
		cells[0] = cell_text((const char *)(uintptr_t)*dkt__keymap_key(&all->names, i));
		cells[1] = cell_number(all->by_name[i].read[0]);
		cells[2] = cell_number(all->by_name[i].written[0]);
		err = analyze_row(a, &tables[BY_FILE], cells);
	}
	return err;
}

static int on_end(struct analyze *a, void *state)
{
	struct iousage *all = state;
	struct result_cell cells[ARRAY_SIZE(process_columns)];
	struct usage total = { 0 };
	int err = io_end(&all->io);

	for (uint32_t i = 0; !err && i < all->n_usages; i++) {
		const struct usage *usage = &all->usages[i];

		for (size_t j = 0; j < PLACES; j++) {
			total.read[j] += usage->read[j];
			total.written[j] += usage->written[j];
		}
		if (!sum(usage->read) && !sum(usage->written))
			continue;
		cells[0] = analyze_cell(a, i);
		fill(usage, cells + 1);
		err = analyze_row(a, &tables[BY_PROCESS], cells);
	}
	if (!err)
		err = file_rows(a, all);
	if (!err)
		err = flows_rows(a, &all->disks, &tables[BY_DISK]);
	if (!err)
		err = flows_rows(a, &all->interfaces, &tables[BY_INTERFACE]);
	fill(&total, cells);
	return err || !all->n_usages ? err : analyze_row(a, &tables[TOTAL], cells);
}

static int on_begin(struct analyze *a, void *state)
{
	struct iousage *all = state;

	all->io.call = add_call;
	all->io.task = add_task;
	return io_begin(a, &all->io);
}

static void clear(void *state)
{
	struct iousage *all = state;

	io_clear(&all->io);
	dkt__keymap_clear(&all->tids);
	dkt__keymap_clear(&all->fds);
	dkt__keymap_clear(&all->names);
	free(all->usages);
	free(all->table_of);
	free(all->tables);
	free(all->files);
	free(all->by_name);
	flows_clear(&all->disks);
	flows_clear(&all->interfaces);
}

static int on_block(struct analyze *a, void *state, const struct analysis_record *r)
{
	return flows_block(a, &((struct iousage *)state)->disks, r);
}

static int on_receive(struct analyze *a, void *state, const struct analysis_record *r)
{
	return flows_receive(a, &((struct iousage *)state)->interfaces, r);
}

static int on_send(struct analyze *a, void *state, const struct analysis_record *r)
{
	return flows_send(a, &((struct iousage *)state)->interfaces, r);
}

static const struct analysis_event events[] = {
	IO_EVENTS(io_record),
	{ "block:block_rq_complete", NEED_NONE, on_block, FLOW_BLOCK_FIELDS },
	{ "net:netif_receive_skb", NEED_NONE, on_receive, FLOW_NET_FIELDS },
	{ "net:net_dev_xmit", NEED_NONE, on_send, FLOW_NET_FIELDS },
};

const struct analysis_kind iousage_kind = {
	.events = events,
	.n_events = ARRAY_SIZE(events),
	.size = sizeof(struct iousage),
	.begin = on_begin,
	.gap = io_gap,
	.end = on_end,
	.clear = clear,
	.tables = tables,
	.n_tables = ARRAY_SIZE(tables),
};
