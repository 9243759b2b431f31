/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the names of processes and the constant strings of records in a dump. */
#include "lib/vmcore/events.h"

/* As in include/linux/threads.h and sched.h. */
#define PIDS_MAX (4u << 20)
#define COMM_LEN 16

#define STRINGS_MAX 65536
#define STRING_MAX  4096
#define TEXT_MAX    (64u << 20)

/* ---- names ---- */

/* The table that the tracer fills when a thread's name changes (saved_cmdlines). */
static int add_saved(const struct vm_core *core, struct dkt__comms *comms)
{
	struct vm_place table;
	uint64_t pointer, pids, names, n;
	int missing = 0, err = dkt__vm_struct(core, "saved_cmdlines_buffer", &table.type);

	if (!err)
		err = dkt__vm_symbol(core, "savedcmd", &pointer);
	if (!err)
		err = dkt__vm_number(core->memory, pointer, sizeof(table.at), &table.at);
	if (!err)
		err = dkt__vm_get(core, table, "cmdline_num", &n);
	if (!err)
		err = dkt__vm_get(core, table, "map_cmdline_to_pid", &pids);
	if (!err)
		err = dkt__vm_get(core, table, "saved_cmdlines", &names);
	if (err == -EINVAL) {
		/* Since 6.9 the names follow the struct. */
		struct vm_place place;

		err = dkt__vm_go(core, table, "saved_cmdlines", &place);
		names = place.at;
	}
	if (err)
		return err;
	/* Continue without a name that the dump lacks. */
	for (uint64_t i = 0; err != -ENOMEM && i < DKT__MIN(n, PIDS_MAX); i++) {
		char name[COMM_LEN];
		uint64_t pid;

		err = dkt__vm_number(core->memory, pids + i * sizeof(uint32_t), sizeof(uint32_t),
				     &pid);
		if (!err && pid && pid <= PIDS_MAX)
			err = dkt__vm_read(core->memory, names + i * COMM_LEN, name, sizeof(name));
		if (!err && pid && pid <= PIDS_MAX)
			err = dkt__comms_set(comms, (int32_t)pid, name, strnlen(name, COMM_LEN));
		missing = err ? err : missing;
	}
	return missing;
}

static int add_thread(const struct vm_core *core, struct vm_place thread, struct dkt__comms *comms)
{
	char name[COMM_LEN];
	struct vm_place comm;
	uint64_t pid;
	int err = dkt__vm_get(core, thread, "pid", &pid);

	if (!err)
		err = dkt__vm_go(core, thread, "comm", &comm);
	if (!err)
		err = dkt__vm_read(core->memory, comm.at, name, sizeof(name));
	/* A name that the tracer kept is that at the time of the records. */
	if (err || !pid || pid > PIDS_MAX || dkt__comms_get(comms, (int32_t)pid))
		return err;
	return dkt__comms_set(comms, (int32_t)pid, name, strnlen(name, COMM_LEN));
}

/* Since 6.7 only the process has a list of its threads. */
static int find_threads(const struct vm_core *core, struct vm_place process, struct vm_list *list)
{
	uint64_t offset;
	struct vm_place head;
	int err = dkt__vm_go(core, process, "signal->thread_head", &head);

	if (!err)
		err = dkt__vm_offset(core, process.type, "thread_node", &offset);
	if (!err)
		*list = dkt__vm_list(core->memory, head.at, offset);
	return err;
}

static int add_threads(const struct vm_core *core, struct dkt__comms *comms)
{
	struct vm_place init, process, thread;
	struct vm_list processes, threads;
	uint64_t offset, n = 0;
	int err = dkt__vm_struct(core, "task_struct", &init.type);

	if (!err)
		err = dkt__vm_symbol(core, "init_task", &init.at);
	if (!err)
		err = dkt__vm_offset(core, init.type, "tasks", &offset);
	if (err)
		return err;
	processes = dkt__vm_list(core->memory, init.at + offset, offset);
	process.type = thread.type = init.type;
	while (err != -ENOMEM && dkt__vm_list_next(&processes, &process.at) && n++ < PIDS_MAX) {
		err = add_thread(core, process, comms);
		if (err || find_threads(core, process, &threads))
			continue;
		while (err != -ENOMEM && dkt__vm_list_next(&threads, &thread.at) && n++ < PIDS_MAX)
			err = add_thread(core, thread, comms);
	}
	return err ? err : processes.err;
}

int dkt__vm_comms(const struct vm_core *core, struct dkt__comms *comms)
{
	int saved = add_saved(core, comms);
	int threads = saved == -ENOMEM ? saved : add_threads(core, comms);

	return threads == -ENOMEM || !saved ? threads : saved;
}

/* ---- strings ---- */

static void put_string(struct dkt_buf *buf, uint64_t address, const char *text)
{
	dkt_buf_printf(buf, "0x%llx : \"", (unsigned long long)address);
	for (; *text; text++) {
		const char *at = strchr("\n\t\\\"", *text);

		if (at)
			dkt_buf_printf(buf, "\\%c", "nt\\\""[at - "\n\t\\\""]);
		else
			dkt__buf_add(buf, text, 1);
	}
	dkt_buf_str(buf, "\"\n");
}

/* Appends the strings of an array of pointers that two symbols enclose. */
static int put_array(const struct vm_core *core, const char *first, const char *end,
		     struct dkt_buf *buf)
{
	uint64_t at, stop;
	int err = dkt__vm_symbol(core, first, &at);

	if (!err)
		err = dkt__vm_symbol(core, end, &stop);
	for (size_t i = 0; !err && at < stop && i < STRINGS_MAX && buf->len < TEXT_MAX;
	     i++, at += sizeof(at)) {
		char *text __cleanup(free) = NULL;
		uint64_t pointer;

		err = dkt__vm_number(core->memory, at, sizeof(at), &pointer);
		if (err || dkt__vm_string(core->memory, pointer, STRING_MAX, &text))
			continue;
		put_string(buf, pointer, text);
	}
	return err;
}

/* Modules' formats are copied into a list. */
static int put_list(const struct vm_core *core, struct dkt_buf *buf)
{
	struct vm_place format;
	struct vm_list list;
	uint64_t n = 0;
	int err = dkt__vm_walk(core, "trace_bprintk_fmt_list", "trace_bprintk_fmt", &format, &list);

	if (err)
		return err;
	while (dkt__vm_list_next(&list, &format.at) && n++ < STRINGS_MAX && buf->len < TEXT_MAX) {
		char *text __cleanup(free) = NULL;
		uint64_t pointer;

		if (!dkt__vm_get(core, format, "fmt", &pointer) &&
		    !dkt__vm_string(core->memory, pointer, STRING_MAX, &text))
			put_string(buf, pointer, text);
	}
	return list.err;
}

int dkt__vm_strings(const struct vm_core *core, struct dkt_buf *buf)
{
	int err = put_array(core, "__start___trace_bprintk_fmt", "__stop___trace_bprintk_fmt", buf);
	int strings = put_array(core, "__start___tracepoint_str", "__stop___tracepoint_str", buf);
	int list = put_list(core, buf);

	/* A kernel without calls of trace_printk() has none of them. */
	if (buf->err)
		return buf->err;
	if (err && err != -ENOENT)
		return err;
	if (strings && strings != -ENOENT)
		return strings;
	return list == -ENOENT ? 0 : list;
}
