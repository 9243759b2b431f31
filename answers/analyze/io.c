/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The system calls of a trace, joined, and sorted by what they do. */
#include "answers/analyze/io.h"

#include "lib/base/memory.h"

const char *const io_op_names[] = {
	[IO_NONE] = "other", [IO_OPEN] = "open",   [IO_CLOSE] = "close", [IO_DUP] = "open",
	[IO_READ] = "read",  [IO_WRITE] = "write", [IO_SYNC] = "sync",   [IO_COPY] = "write",
};

static const struct io_call calls[] = {
	{ "accept", IO_OPEN, IO_NET },           { "accept4", IO_OPEN, IO_NET },
	{ "close", IO_CLOSE, IO_UNKNOWN },       { "creat", IO_OPEN, IO_DISK },
	{ "dup", IO_DUP, IO_UNKNOWN },           { "dup2", IO_DUP, IO_UNKNOWN },
	{ "dup3", IO_DUP, IO_UNKNOWN },          { "fdatasync", IO_SYNC, IO_DISK },
	{ "fsync", IO_SYNC, IO_DISK },           { "open", IO_OPEN, IO_DISK },
	{ "openat", IO_OPEN, IO_DISK },          { "openat2", IO_OPEN, IO_DISK },
	{ "pread64", IO_READ, IO_DISK },         { "preadv", IO_READ, IO_DISK },
	{ "preadv2", IO_READ, IO_DISK },         { "pwrite64", IO_WRITE, IO_DISK },
	{ "pwritev", IO_WRITE, IO_DISK },        { "pwritev2", IO_WRITE, IO_DISK },
	{ "read", IO_READ, IO_UNKNOWN },         { "readv", IO_READ, IO_UNKNOWN },
	{ "recvfrom", IO_READ, IO_NET },         { "recvmsg", IO_READ, IO_NET },
	{ "sendfile", IO_COPY, IO_UNKNOWN },     { "sendfile64", IO_COPY, IO_UNKNOWN },
	{ "sendmsg", IO_WRITE, IO_NET },         { "sendto", IO_WRITE, IO_NET },
	{ "socket", IO_OPEN, IO_NET },           { "sync", IO_SYNC, IO_DISK },
	{ "sync_file_range", IO_SYNC, IO_DISK }, { "syncfs", IO_SYNC, IO_DISK },
	{ "write", IO_WRITE, IO_UNKNOWN },       { "writev", IO_WRITE, IO_UNKNOWN },
};

static const struct io_call none = { "", IO_NONE, IO_UNKNOWN };

const struct io_call *io_call_find(const char *name)
{
	for (size_t i = 0; name && i < ARRAY_SIZE(calls); i++)
		if (!strcmp(calls[i].name, name))
			return &calls[i];
	return NULL;
}

/* Looks up the name of each kind once. NULL: memory is out. */
static const struct io_call *row_of(struct io *io, const struct call_kind *kind)
{
	const struct io_call **row = dkt__reach(io->rows, io->n_rows, kind->index);

	if (row && !*row)
		*row = io_call_find(kind->name) ?: &none;
	return row ? *row : NULL;
}

static int take_call(void *data, const struct call *call)
{
	struct io *io = data;
	const struct io_call *row;

	switch (call->state) {
	case CALL_LOST:
		io->a->missed.lost++;
		return 0;
	case CALL_UNFINISHED:
		io->a->missed.open++;
		return 0;
	case CALL_NO_BEGIN:
		io->a->missed.unbegun++;
		return 0;
	case CALL_NO_END:
		io->a->missed.endless++;
		return 0;
	default:
		row = row_of(io, call->kind);
	}
	if (!row)
		return dkt__no_memory(io->a->ctx);
	return io->call(io->a, io->a->state, call, row->op == IO_NONE ? NULL : row);
}

static int take_task(void *data, const struct call_task *task)
{
	struct io *io = data;

	if (!task->began)
		process_ended(&io->a->processes, task->tid);
	return io->task ? io->task(io->a, io->a->state, task) : 0;
}

int io_begin(struct analyze *a, struct io *io)
{
	struct calls_opts opts = { .call = take_call, .task = take_task, .data = io, .texts = true };

	io->a = a;
	return calls_new(a->ctx, &opts, &io->calls);
}

int io_record(struct analyze *a, void *state, const struct analysis_record *r)
{
	struct io *io = state;

	(void)a;
	io->now = r;
	return calls_add(io->calls, r->record);
}

int io_gap(struct analyze *a, void *state, uint32_t cpu, uint64_t last, uint64_t ts)
{
	struct io *io = state;
	const struct dkt_record gap = { .ts = ts, .cpu = cpu, .lost = DKT_LOST_UNKNOWN };

	(void)a, (void)last;
	return calls_add(io->calls, &gap);
}

int io_end(struct io *io)
{
	return calls_finish(io->calls);
}

void io_clear(struct io *io)
{
	calls_free(io->calls);
	free(io->rows);
	free(io->names);
}

const char *io_name(struct io *io, const struct call *call)
{
	const char **name = dkt__reach(io->names, io->n_names, call->kind->index);
	const char *known = call->kind->name;

	if (!name)
		return NULL;
	if (dkt__unlikely(!*name))
		*name = known ? texts_keep(&io->a->texts, known, strlen(known)) :
				texts_format(&io->a->texts, "%d", call->number);
	return *name;
}

uint32_t io_process(struct io *io, const struct call *call)
{
	/* The record that ends a call is of the thread that made it. */
	if (io->now->record->pid == call->tid)
		return analyze_self(io->a, io->now);
	return process_of(&io->a->processes, call->tid);
}
