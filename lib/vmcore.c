/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opens the dump of a kernel as a source of the records in its ring buffers. */
#include "lib/source/streams.h"
#include "lib/symbol.h"
#include "lib/vmcore/buffers.h"
#include "lib/vmcore/events.h"

struct vmcore {
	struct dkt__streams streams; /* first: the source is cast to this struct */
	struct vm_core core;
	struct vm_buffers buffers;
	struct dkt__given *given;
	size_t n_given;
	char *host, *kernel;
};

/* ---- pages ---- */

struct vm_stream {
	struct vmcore *vmcore;
	struct vm_cpu *cpu;
	uint64_t missing; /* pages that could not be read */
};

static const uint8_t *dump_page(struct dkt__streams *streams, struct dkt__stream *s, uint64_t nr,
				uint32_t *size)
{
	struct vm_stream *mine = s->own;
	int err = dkt__vm_page(&mine->vmcore->core, mine->cpu, s->page_size, nr);

	*size = s->page_size;
	if (err == -ENOMEM)
		return NULL;
	/* The records of other pages are still worth reading. */
	if (err && !mine->missing++)
		dkt__streams_damage(streams, "pages of buffer '%s', cpu %d, cannot be read: %s",
				    mine->vmcore->buffers.list[s->buffer].name, s->cpu,
				    dkt__vm_why(err));
	return mine->cpu->room;
}

static bool dump_time(struct dkt__stream *s, uint64_t nr, uint64_t *stamp)
{
	const struct vm_stream *mine = s->own;

	*stamp = dkt__vm_page_time(&mine->vmcore->core, mine->cpu, nr);
	return true;
}

static const struct dkt__provider pages_dump = {
	.page = dump_page,
	.time = dump_time,
	.verb = "read",
};

/* ---- the source ---- */

static void vmcore_close(struct dkt_source *source)
{
	struct vmcore *vmcore = (struct vmcore *)source;

	for (size_t i = 0; i < vmcore->streams.n; i++)
		free(vmcore->streams.list[i].own);
	dkt__streams_clear(&vmcore->streams);
	dkt__vm_buffers_clear(&vmcore->buffers);
	dkt__vm_core_clear(&vmcore->core);
	free(vmcore->given);
	free(vmcore->host);
	free(vmcore->kernel);
	free(vmcore);
}

static const char *vmcore_stream(const struct dkt_source *source, uint32_t nr)
{
	const struct vmcore *vmcore = (const struct vmcore *)source;

	return nr < vmcore->buffers.n ? vmcore->buffers.list[nr].name : NULL;
}

static const struct dkt__source_ops vmcore_ops = {
	.next = dkt__streams_next,
	.comm = dkt__streams_comm,
	.loss = dkt__streams_loss,
	.seek = dkt__streams_seek,
	.slice = dkt__streams_slice,
	.bytes = dkt__streams_bytes,
	.select = dkt__streams_select,
	.filter = dkt__streams_filter,
	.stream = vmcore_stream,
	.close = vmcore_close,
};

/* Creates the stream of a CPU that opts selects; dkt__streams_start() would drop its own data. */
static int add_stream(struct vmcore *vmcore, uint32_t buffer, struct vm_cpu *cpu)
{
	struct dkt__stream *s = &vmcore->streams.list[vmcore->streams.n];
	struct vm_stream *own = calloc(1, sizeof(*own));
	int *cpus = &vmcore->streams.base.info.cpus;

	if (!own)
		return -ENOMEM;
	*own = (struct vm_stream){ .vmcore = vmcore, .cpu = cpu };
	s->own = own;
	s->cpu = cpu->cpu;
	s->buffer = buffer;
	s->page_size = vmcore->buffers.list[buffer].page_size;
	s->from = &pages_dump;
	s->page.may_be_empty = true;
	s->chunks.pages = cpu->n_pages;
	s->has_lost = true;
	s->lost = cpu->lost;
	*cpus = DKT__MAX(*cpus, s->cpu + 1);
	vmcore->streams.n++;
	return 0;
}

/* A CPU without records has two empty pages: that of the reader, and the first one of the ring. */
static bool cpu_has_records(const struct vm_core *core, const struct vm_cpu *cpu)
{
	for (size_t i = 0; i < cpu->n_pages; i++) {
		uint64_t bytes;

		/* After the time of the page follow the bytes of its records. */
		if (!dkt__vm_number(core->memory, cpu->pages[i] + 8, sizeof(bytes), &bytes) &&
		    bytes > (i ? 0 : cpu->taken))
			return true;
	}
	return false;
}

static bool has_records(const struct vm_core *core, const struct vm_buffer *buffer)
{
	for (size_t i = 0; i < buffer->n_cpus; i++)
		if (cpu_has_records(core, &buffer->cpus[i]))
			return true;
	return false;
}

/* Times of different clocks cannot be compared, nor turned into wall-clock times by one offset. */
static void find_clock(struct vmcore *vmcore, const char *only)
{
	const char **clock = &vmcore->streams.base.info.clock;
	bool any = false;

	for (size_t i = 0; i < vmcore->buffers.n; i++) {
		const struct vm_buffer *buffer = &vmcore->buffers.list[i];

		if ((only && strcmp(buffer->name, only) != 0) ||
		    !has_records(&vmcore->core, buffer))
			continue;
		if (!any)
			*clock = buffer->clock;
		else if (!*clock || !buffer->clock || strcmp(*clock, buffer->clock) != 0)
			*clock = NULL;
		any = true;
	}
}

static int fill_streams(struct vmcore *vmcore, const struct dkt_source_opts *opts)
{
	const char *name = opts->buffer ? opts->buffer : "";
	size_t n = 0, found = 0;
	int err = 0;

	for (size_t i = 0; i < vmcore->buffers.n; i++)
		n += vmcore->buffers.list[i].n_cpus;
	vmcore->streams.list = calloc(n + 1, sizeof(*vmcore->streams.list));
	if (!vmcore->streams.list)
		return dkt__no_memory(vmcore->core.ctx);
	for (size_t i = 0; !err && i < vmcore->buffers.n; i++) {
		struct vm_buffer *buffer = &vmcore->buffers.list[i];

		if (!(opts->flags & DKT_SOURCE_ALL) && strcmp(buffer->name, name))
			continue;
		found++;
		for (size_t j = 0; !err && j < buffer->n_cpus; j++)
			if (dkt__cpu_asked(opts->cpus, opts->n_cpus, (uint32_t)buffer->cpus[j].cpu))
				err = add_stream(vmcore, (uint32_t)i, &buffer->cpus[j]);
	}
	find_clock(vmcore, opts->flags & DKT_SOURCE_ALL ? NULL : name);
	if (!err && !found && opts->buffer)
		return dkt_fail(vmcore->core.ctx, -ENOENT, "read %s: it has no buffer '%s'",
				vmcore->core.name, opts->buffer);
	return dkt__with_words(vmcore->core.ctx, err);
}

/* ---- the kernel ---- */

static int fail(struct vmcore *vmcore, const char *what, int err)
{
	if (err == -ENOMEM)
		return dkt__no_memory(vmcore->core.ctx);
	return dkt_fail(vmcore->core.ctx, -EBADMSG, "read %s: cannot read %s: %s",
			vmcore->core.name, what, dkt__vm_why(err));
}

/* Reports a part that is not needed to read the records. Only lack of memory is an error of the whole. */
static int tolerate(struct vmcore *vmcore, const char *what, int err)
{
	if (err == -ENOMEM)
		return dkt__no_memory(vmcore->core.ctx);
	if (err)
		dkt__streams_damage(&vmcore->streams, "%s cannot be read: %s", what,
				    dkt__vm_why(err));
	return 0;
}

static int read_events(struct vmcore *vmcore)
{
	size_t bad = 0;
	int err = dkt__vm_events(&vmcore->core, &vmcore->given, &vmcore->n_given, &bad);

	if (err && (err == -ENOMEM || !vmcore->n_given))
		return fail(vmcore, "the kernel's events", err);
	if (err)
		dkt__streams_damage(&vmcore->streams, "the list of events breaks off after %zu: %s",
				    vmcore->n_given, dkt__vm_why(err));
	if (bad)
		dkt__streams_damage(&vmcore->streams, "the formats of %zu events cannot be read",
				    bad);
	return dkt__events_given(vmcore->core.ctx, vmcore->given, vmcore->n_given);
}

/* Gives the context the names of functions and strings, which it reads later. */
static int give_symbols(struct vmcore *vmcore)
{
	struct dkt_ctx *ctx = vmcore->core.ctx;
	struct dkt_buf *symbols = &vmcore->core.symbols, strings = { 0 };
	struct dkt__symbol_text functions, formats;
	int err = tolerate(vmcore, "symbols of modules", dkt__vm_module_symbols(&vmcore->core));

	if (!err)
		err = tolerate(vmcore, "constant strings",
			       dkt__vm_strings(&vmcore->core, &strings));
	functions = (struct dkt__symbol_text){ .n = symbols->len };
	functions.bytes = dkt__ctx_strndup(ctx, symbols->data, symbols->len);
	formats = (struct dkt__symbol_text){ .n = strings.len };
	formats.bytes = dkt__ctx_strndup(ctx, strings.data ? strings.data : "", strings.len);
	free(strings.data);
	if (err || !functions.bytes || !formats.bytes)
		return dkt__no_memory(ctx);
	return dkt__symbols_given(ctx, &functions, &formats);
}

static int read_buffers(struct vmcore *vmcore)
{
	int err = dkt__vm_buffers(&vmcore->core, &vmcore->buffers);

	if (err == -ENOENT)
		return dkt_fail(vmcore->core.ctx, -EOPNOTSUPP,
				"read %s: its kernel has no tracer, or its symbols lack variables",
				vmcore->core.name);
	if (err)
		return fail(vmcore, "the kernel's trace buffers", err);
	if (vmcore->buffers.damage)
		dkt__streams_damage(&vmcore->streams, "%s", vmcore->buffers.damage);
	return 0;
}

/* ---- facts ---- */

static void read_names(struct vmcore *vmcore)
{
	const struct vm_core *core = &vmcore->core;
	struct vm_place names;
	char release[80];

	dkt__vm_info(core->info, "OSRELEASE", release, sizeof(release));
	vmcore->kernel = dkt__format("%s%s%s", release, core->ctx->machine ? " " : "",
				     core->ctx->machine ? core->ctx->machine : "");
	vmcore->streams.base.info.kernel = vmcore->kernel;
	if (dkt__vm_struct(core, "uts_namespace", &names.type) ||
	    dkt__vm_symbol(core, "init_uts_ns", &names.at) ||
	    dkt__vm_text(core, names, "name.nodename", 65, &vmcore->host))
		return;
	vmcore->streams.base.info.host = vmcore->host;
}

/*
 * The timekeeper has the distance of the wall clock to the monotonic one. It lies behind a sequence
 * counter; the struct around both has no name before 6.13.
 */
static bool find_timekeeper(const struct vm_core *core, struct vm_place *keeper)
{
	struct vm_place around;

	if (dkt__vm_symbol(core, "tk_core", &around.at) ||
	    dkt__vm_struct(core, "timekeeper", &keeper->type))
		return false;
	keeper->at = around.at + sizeof(uint64_t);
	return dkt__vm_struct(core, "tk_data", &around.type) ||
	       !dkt__vm_go(core, around, "timekeeper", keeper);
}

static void read_wall(struct vmcore *vmcore)
{
	struct dkt_source_info *info = &vmcore->streams.base.info;
	const struct vm_core *core = &vmcore->core;
	struct vm_place keeper;
	uint64_t real, boot = 0;

	if (!info->clock || (strcmp(info->clock, "mono") && strcmp(info->clock, "boot")) ||
	    !find_timekeeper(core, &keeper) || dkt__vm_get(core, keeper, "offs_real", &real) ||
	    dkt__vm_get(core, keeper, "offs_boot", &boot))
		return;
	info->wall = (int64_t)(strcmp(info->clock, "boot") ? real : real - boot);
	info->has_wall = true;
}

static int read_kernel(struct vmcore *vmcore, const struct dkt_source_opts *opts)
{
	int err = read_buffers(vmcore);

	if (!err)
		err = read_events(vmcore);
	if (!err)
		err = tolerate(vmcore, "names of processes",
			       dkt__vm_comms(&vmcore->core, &vmcore->streams.comms));
	if (!err)
		err = give_symbols(vmcore);
	return err ? err : fill_streams(vmcore, opts);
}

static int vmcore_read(struct vmcore *vmcore, const struct dkt__file *file,
		       const struct dkt_source_opts *opts)
{
	struct dkt_source_info *info = &vmcore->streams.base.info;
	int err = dkt__vm_core_open(&vmcore->core, vmcore->streams.base.ctx, file, opts->vmlinux);

	if (err)
		return err;
	err = read_kernel(vmcore, opts);
	if (err)
		return dkt__vm_core_fail_in(&vmcore->core, file, err);
	if (dkt__vm_core_cut(&vmcore->core))
		dkt__streams_damage(&vmcore->streams, "the file is truncated at byte %llu",
				    (unsigned long long)file->whole);
	info->sz = sizeof(*info);
	info->kind = "vmcore";
	read_names(vmcore);
	read_wall(vmcore);
	return dkt__streams_start(&vmcore->streams, opts);
}

static bool vmcore_is(const uint8_t *data, size_t size)
{
	return dkt__vm_form(data, size) != VM_NONE;
}

static int vmcore_open(struct dkt_ctx *ctx, const struct dkt__file *file,
		       const struct dkt_source_opts *opts, struct dkt_source **source)
{
	struct vmcore *vmcore = calloc(1, sizeof(*vmcore));

	if (!vmcore)
		return dkt__no_memory(ctx);
	vmcore->streams.base.ops = &vmcore_ops;
	vmcore->streams.base.ctx = ctx;
	return dkt__source_opened(&vmcore->streams.base, vmcore_read(vmcore, file, opts), source);
}

const struct dkt__reader dkt__reader_vmcore = {
	.name = "vmcore",
	.is = vmcore_is,
	.open = vmcore_open,
};
