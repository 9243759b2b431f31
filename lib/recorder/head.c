/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The beginning of a recording: its ID, what is left out, and the tables of a trace.dat file of version 7. */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "lib/base/io.h"
#include "lib/event.h"
#include "lib/instance.h"
#include "lib/recorder.h"
#include "lib/tracedat/write.h"
#include "lib/tracefs.h"

/* ---- the ID ---- */

/* FNV-1a with 64 bits. */
#define FNV_BEGIN UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

static void add(uint64_t *hash, const void *bytes, size_t n)
{
	for (const uint8_t *p = bytes; n--; p++)
		*hash = (*hash ^ *p) * FNV_PRIME;
}

/* An instance that is removed and created again has another inode. */
static bool add_instance(uint64_t *hash, const struct dkt_instance *in)
{
	int fd __cleanup(close) = dkt__tfs_open(in->ctx, O_RDONLY | O_DIRECTORY, "%s.", in->prefix);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return false;
	add(hash, in->prefix, strlen(in->prefix) + 1);
	add(hash, &st.st_ino, sizeof(st.st_ino));
	return true;
}

uint64_t dkt__recorder_identity(const struct dkt_recorder *r)
{
	char boot[DKT__BOOT_SIZE];
	uint64_t hash = FNV_BEGIN;

	/* A saved tree does not know its boot. */
	dkt__boot_id(boot);
	if (r->ctx->root || !*boot)
		return 0;
	add(&hash, boot, strlen(boot) + 1);
	for (size_t i = 0; i < r->n; i++)
		if (!add_instance(&hash, r->buffers[i].in))
			return 0;
	return hash;
}

/*
 * ---- the recorder's own records ----
 *
 * Recording the work of a recorder gives it more work: writing pages allocates
 * memory, starts I/O and wakes threads, and a traced kernel can produce more records than the pages
 * hold. System calls are the exception: a few move a MiB.
 *
 * The kernel's exclusion of a thread tests every record of all threads. On 6.18 it made a traced
 * program that does nothing but system calls 10 % slower.
 */

/* True if the instance records system calls and nothing else. */
static int has_only_calls(struct dkt_instance *in, bool *only)
{
	struct dkt_event **events __cleanup(free) = NULL;
	size_t n;
	int err = dkt_instance_get_events(in, &events, &n);

	*only = true;
	for (size_t i = 0; !err && i < n; i++) {
		const char *system = dkt_event_system(events[i]);

		*only &= !strcmp(system, "raw_syscalls") || !strcmp(system, "syscalls");
	}
	return err;
}

int dkt__recorder_skip_self(struct dkt_recorder *r)
{
	const pid_t self = (pid_t)syscall(SYS_gettid);
	int err = 0;

	r->self = 0;
	for (size_t i = 0; !err && i < r->n; i++) {
		struct dkt__recorder_buffer *b = &r->buffers[i];
		bool only;

		err = has_only_calls(b->in, &only);
		if (err)
			break;
		/* The exclusion stays when the events change: other events may be enabled again. */
		if (!only && !b->skips)
			b->skips = !dkt__instance_set_skipped_pids(b->in, &self, 1);
		/* A kernel may be unable to. */
		if (!b->skips)
			r->self = self;
	}
	return err;
}

/* ---- tables ---- */

/* Adds an event to the formats, once. */
static int add_event(struct dkt_tracedat *tables, struct dkt_event *event)
{
	struct dkt__tdw_event to = { .event = event };

	to.id = event ? dkt_event_id(event) : 0;
	/* An event that has left the kernel has no records either. */
	if (to.id <= 0 || tables->used[to.id / 8] & 1 << to.id % 8 ||
	    dkt__event_text(event, &to.text, &to.len))
		return 0;
	tables->used[to.id / 8] |= (uint8_t)(1 << to.id % 8);
	if (!dkt__append(tables->events, tables->n_events, to))
		return 0;
	free(to.text);
	return dkt__no_memory(tables->ctx);
}

/* Adds the events of the kernel's own system: marks, call stacks, calls of functions. */
static int add_own_events(struct dkt_tracedat *tables)
{
	struct dkt__strings names;
	int err = dkt__tfs_list(tables->ctx, &names, "events/ftrace");

	if (err)
		return 0;
	for (size_t i = 0; !err && i < names.n; i++)
		err = add_event(tables, dkt_event_find(tables->ctx, "ftrace", names.list[i]));
	dkt__strings_clear(&names);
	return err;
}

static int add_enabled(struct dkt_tracedat *tables, struct dkt_instance *in)
{
	struct dkt_event **events __cleanup(free) = NULL;
	size_t n;
	int err = dkt_instance_get_events(in, &events, &n);

	for (size_t i = 0; !err && i < n; i++)
		err = add_event(tables, events[i]);
	return err;
}

/* Writes the options, which are the first section. */
static int put_options(struct dkt_recorder *r, struct dkt_tracedat *tables)
{
	struct dkt_buf options = { 0 };
	uint8_t cpus[4];
	int err;

	dkt__tdw_options(tables, &options);
	dkt__put_bytes(cpus, (uint64_t)r->about.info.cpus, 4, tables->big_endian);
	dkt__tdw_option(tables, &options, DAT_CPUCOUNT, cpus, sizeof(cpus));
	dkt__tdw_option(tables, &options, DAT_DONE, (uint8_t[8]){ 0 }, 8);
	err = options.err ? dkt__no_memory(r->ctx) : 0;
	if (!err) {
		dkt__recorder_section(r, DAT_DONE, 0, options.len);
		dkt__buf_add(r->out, options.data, options.len);
		err = dkt__recorder_flush(r);
	}
	free(options.data);
	return err;
}

/* Adds the beginning of every trace.dat of version 7; the options follow at once. */
static void put_start(struct dkt_recorder *r)
{
	static const char magic[] = "\x17\x08\x44tracing"
				    "7";
	size_t at;

	dkt__buf_add(r->out, magic, sizeof(magic));
	dkt__recorder_number(r, r->ctx->big_endian, 1);
	dkt__recorder_number(r, r->ctx->long_size, 1);
	dkt__recorder_number(r, r->buffers[0].page_size, 4);
	dkt_buf_str(r->out, r->codec ? r->codec->name : "none");
	dkt__recorder_number(r, 0, 1);
	dkt_buf_str(r->out, r->codec ? r->codec->version() : "");
	dkt__recorder_number(r, 0, 1);
	at = r->out->len + 8;
	dkt__recorder_number(r, at, 8);
}

/* True if the instance's tracer records the arguments of functions. */
static bool has_args(const struct dkt_instance *in)
{
	static const struct {
		const char *tracer, *option;
	} rows[] = {
		{ "function\n", "func-args" },
		{ "function_graph\n", "funcgraph-args" },
	};
	char *tracer __cleanup(free) = NULL, *set __cleanup(free) = NULL;

	if (dkt__tfs_read(in->ctx, &tracer, NULL, "%scurrent_tracer", in->prefix))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (!strcmp(tracer, rows[i].tracer))
			return !dkt__tfs_read(in->ctx, &set, NULL, "%soptions/%s", in->prefix,
					      rows[i].option) &&
			       *set == '1';
	return false;
}

static bool needs_btf(const struct dkt_recorder *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (has_args(r->buffers[i].in))
			return true;
	return false;
}

static int put_tables(struct dkt_recorder *r, struct dkt_tracedat *tables)
{
	static const struct {
		unsigned int section;
		int (*put)(const struct dkt_tracedat *out, struct dkt_buf *buf);
	} rows[] = {
		{ DAT_HEADER_INFO, dkt__tdw_header_info },
		{ DAT_FTRACE_EVENTS, dkt__tdw_ftrace_events },
		{ DAT_EVENT_FORMATS, dkt__tdw_event_formats },
		{ DAT_KALLSYMS, dkt__tdw_kallsyms },
		{ DAT_PRINTK, dkt__tdw_printk },
		{ DAT_BTF, dkt__tdw_btf }, /* the last one, which most files do not need */
	};
	const size_t n = ARRAY_SIZE(rows) - !needs_btf(r);
	int err = put_options(r, tables);

	for (size_t i = 0; !err && i < n; i++) {
		struct dkt_buf content = { 0 };

		err = dkt__with_words(r->ctx, rows[i].put(tables, &content));
		if (!err && (content.len || rows[i].section != DAT_BTF))
			err = dkt__recorder_put(r, rows[i].section, &content);
		free(content.data);
	}
	return err;
}

/* Creates tables without events. */
static struct dkt_tracedat *new_tables(struct dkt_recorder *r, struct dkt__tdw_stream *stream)
{
	struct dkt_tracedat *tables = calloc(1, sizeof(*tables));

	if (!tables)
		return NULL;
	*tables = (struct dkt_tracedat){ .ctx = r->ctx,
					 .source = &r->about,
					 .version = 7,
					 .part = true,
					 .own = r->self,
					 .page_size = r->buffers[0].page_size,
					 .big_endian = r->ctx->big_endian,
					 .long_size = r->ctx->long_size,
					 .streams = stream,
					 .n_streams = 1 };
	return tables;
}

static void free_tables(struct dkt_tracedat *tables)
{
	for (size_t i = 0; i < tables->n_events; i++)
		free(tables->events[i].text);
	free(tables->events);
	free(tables);
}

static int add_all_enabled(struct dkt_recorder *r, struct dkt_tracedat *tables)
{
	int err = 0;

	for (size_t i = 0; !err && i < r->n; i++)
		err = add_enabled(tables, r->buffers[i].in);
	return err;
}

int dkt__recorder_head(struct dkt_recorder *r)
{
	struct dkt__tdw_stream stream = { .source = &r->about, .name = (char[]){ "" } };
	struct dkt_tracedat *tables = new_tables(r, &stream);
	int err;

	if (!tables)
		return dkt__no_memory(r->ctx);
	err = add_own_events(tables);
	if (!err)
		err = add_all_enabled(r, tables);
	put_start(r);
	if (!err)
		err = put_tables(r, tables);
	memcpy(r->known, tables->used, sizeof(r->known));
	free_tables(tables);
	return err;
}

int dkt__recorder_formats(struct dkt_recorder *r)
{
	dkt__needs(NULL, r);

	struct dkt__tdw_stream stream = { .source = &r->about, .name = (char[]){ "" } };
	struct dkt_buf content = { 0 };
	struct dkt_tracedat *tables;
	int err;

	if (r->fd < 0)
		return dkt_fail(r->ctx, -EINVAL, "the recording has not begun");
	tables = new_tables(r, &stream);
	if (!tables)
		return dkt__no_memory(r->ctx);
	memcpy(tables->used, r->known, sizeof(r->known));
	/* The section before it may be incomplete. */
	err = dkt__recorder_flush(r);
	if (!err && r->skip_self)
		err = dkt__recorder_skip_self(r);
	if (!err)
		err = add_all_enabled(r, tables);
	if (!err && tables->n_events)
		err = dkt__with_words(r->ctx, dkt__tdw_event_formats(tables, &content));
	if (!err && tables->n_events) {
		err = dkt__recorder_put(r, DAT_EVENT_FORMATS, &content);
		/* Later calls complete a section that has been begun. */
		if (err != -ENOMEM)
			memcpy(r->known, tables->used, sizeof(r->known));
	}
	free(content.data);
	free_tables(tables);
	return err;
}
