/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes the tables of a trace.dat file: formats of events, names, options. */
#include <inttypes.h>

#include "lib/base/intern.h"
#include "lib/base/ticks.h"
#include "lib/debuginfo/btf.h"
#include "lib/plan/call_args.h"
#include "lib/symbol.h"
#include "lib/tracedat/write.h"

/* The text of the kernel's events/header_event. */
static const char header_event[] = "# compressed entry header\n"
				   "\ttype_len    :    5 bits\n"
				   "\ttime_delta  :   27 bits\n"
				   "\tarray       :   32 bits\n"
				   "\n"
				   "\tpadding     : type == 29\n"
				   "\ttime_extend : type == 30\n"
				   "\ttime_stamp : type == 31\n"
				   "\tdata max type_len  == 28\n";

void dkt__tdw_number(const struct dkt_tracedat *out, struct dkt_buf *buf, uint64_t value,
		     unsigned int size)
{
	uint8_t bytes[8];

	dkt__put_bytes(bytes, value, size, out->big_endian);
	dkt__buf_add(buf, bytes, size);
}

void dkt__tdw_string(struct dkt_buf *buf, const char *text)
{
	dkt__buf_add(buf, text, strlen(text) + 1);
}

/* Appends the length of a text as a number of size bytes, then the text. */
static void put_sized(const struct dkt_tracedat *out, struct dkt_buf *buf, const void *text,
		      size_t len, unsigned int size)
{
	dkt__tdw_number(out, buf, len, size);
	dkt__buf_add(buf, text, len);
}

int dkt__tdw_header_info(const struct dkt_tracedat *out, struct dkt_buf *buf)
{
	char text[512];
	int n = snprintf(text, sizeof(text),
			 "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
			 "\tfield: local_t commit;\toffset:8;\tsize:%u;\tsigned:1;\n"
			 "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
			 "\tfield: char data;\toffset:%u;\tsize:%u;\tsigned:1;\n",
			 out->long_size, 8u + out->long_size, out->page_size - 8 - out->long_size);

	dkt__tdw_string(buf, "header_page");
	put_sized(out, buf, text, (size_t)n, 8);
	dkt__tdw_string(buf, "header_event");
	put_sized(out, buf, header_event, strlen(header_event), 8);
	return 0;
}

/* ---- formats ---- */

/* The events of this system are in a separate table. */
#define FTRACE_SYSTEM "ftrace"

static bool is_of_ftrace(const struct dkt__tdw_event *event)
{
	return !strcmp(event->event->system, FTRACE_SYSTEM);
}

int dkt__tdw_ftrace_events(const struct dkt_tracedat *out, struct dkt_buf *buf)
{
	uint32_t n = 0;

	for (size_t i = 0; i < out->n_events; i++)
		n += out->events[i].text && is_of_ftrace(&out->events[i]);
	dkt__tdw_number(out, buf, n, 4);
	for (size_t i = 0; i < out->n_events; i++)
		if (out->events[i].text && is_of_ftrace(&out->events[i]))
			put_sized(out, buf, out->events[i].text, out->events[i].len, 8);
	return 0;
}

/* Each system, with its events. */
int dkt__tdw_event_formats(const struct dkt_tracedat *out, struct dkt_buf *buf)
{
	struct dkt__grouped *list __cleanup(free) = calloc(out->n_events + 1, sizeof(*list));
	size_t n = 0, end;
	int err;

	for (size_t i = 0; list && i < out->n_events; i++)
		if (out->events[i].text && !is_of_ftrace(&out->events[i]))
			list[n++] = (struct dkt__grouped){ .text = out->events[i].event->system,
							   .place = (uint32_t)i };
	err = list ? dkt__group(list, n) : -ENOMEM;
	if (err)
		return err;
	dkt__tdw_number(out, buf, n ? list[n - 1].group + 1 : 0, 4);
	for (size_t i = 0; i < n; i = end) {
		for (end = i; end < n && list[end].group == list[i].group;)
			end++;
		dkt__tdw_string(buf, list[i].text);
		dkt__tdw_number(out, buf, end - i, 4);
		for (size_t j = i; j < end; j++) {
			const struct dkt__tdw_event *event = &out->events[list[j].place];

			put_sized(out, buf, event->text, event->len, 8);
		}
	}
	return 0;
}

/* ---- names ---- */

/* Stores the number of bytes that follow the length field at from in that field. */
static void put_length(const struct dkt_tracedat *out, struct dkt_buf *buf, size_t from,
		       unsigned int size)
{
	if (!buf->err)
		dkt__put_bytes((uint8_t *)buf->data + from, buf->len - from - size, size,
			       out->big_endian);
}

int dkt__tdw_kallsyms(const struct dkt_tracedat *out, struct dkt_buf *buf)
{
	size_t from = buf->len;
	int err;

	dkt__tdw_number(out, buf, 0, 4);
	err = dkt__symbols_text(out->streams[0].source->ctx, buf);
	put_length(out, buf, from, 4);
	return err;
}

int dkt__tdw_printk(const struct dkt_tracedat *out, struct dkt_buf *buf)
{
	char *text __cleanup(free) = NULL;
	int err = dkt__kernel_strings(out->streams[0].source->ctx, &text);

	if (err == -ENOMEM)
		return err;
	put_sized(out, buf, text, text ? strlen(text) : 0, 4);
	return 0;
}

/* The streams of a merge may be of several files. */
const struct dkt__symbol_text *dkt__tdw_given_btf(const struct dkt_tracedat *out)
{
	for (size_t i = 0; i < out->n_streams; i++) {
		const struct dkt__symbol_text *btf =
			dkt__call_args_btf(out->streams[i].source->ctx);

		if (btf)
			return btf;
	}
	return NULL;
}

int dkt__tdw_btf(const struct dkt_tracedat *out, struct dkt_buf *buf)
{
	const struct dkt__symbol_text *given = dkt__tdw_given_btf(out);
	struct dkt_ctx *ctx = out->streams[0].source->ctx;
	char *bytes __cleanup(free) = NULL;
	size_t n = 0;
	int err = given       ? dkt__symbol_text_unpack(given, &bytes, &n) :
		  !ctx->given ? dkt__btf_read(ctx, &bytes, &n) :
				0;

	/* Without BTF, the arguments are numbers. */
	if (err == -ENOMEM)
		return err;
	dkt__buf_add(buf, bytes, n);
	return 0;
}

/*
 * True if an earlier stream has records of the process. The file has one name for each process, so
 * the first such stream provides it.
 */
static bool has_name(const struct dkt_tracedat *out, size_t stream, uint32_t pid)
{
	for (size_t i = 0; i < stream; i++)
		if (dkt__tdw_has_pid(&out->streams[i], pid))
			return true;
	return false;
}

/* The processes of a block. */
static void put_names(const struct dkt_tracedat *out, size_t nr, uint32_t from, struct dkt_buf *buf)
{
	const struct dkt__tdw_stream *stream = &out->streams[nr];

	for (uint32_t pid = from; pid < from + DKT__TDW_BLOCK; pid++) {
		struct dkt_record record = { .pid = (int32_t)pid, .stream = (uint32_t)nr };

		if (pid && dkt__tdw_has_pid(stream, pid) && !has_name(out, nr, pid))
			dkt_buf_printf(buf, "%u %s\n", pid, dkt_source_comm(out->source, &record));
	}
}

int dkt__tdw_cmdlines(const struct dkt_tracedat *out, struct dkt_buf *buf)
{
	size_t from = buf->len;

	dkt__tdw_number(out, buf, 0, 8);
	for (size_t nr = 0; nr < out->n_streams; nr++)
		for (uint32_t block = 0; block < ARRAY_SIZE(out->streams[nr].pids); block++)
			if (out->streams[nr].pids[block])
				put_names(out, nr, block * DKT__TDW_BLOCK, buf);
	put_length(out, buf, from, 8);
	return 0;
}

/* ---- options ---- */

const char *dkt__tdw_clock(const struct dkt_tracedat *out)
{
	const char *clock = dkt_source_info(out->source)->clock;

	/* trace-cmd takes times as nanoseconds only if it knows the clock, unlike these. */
	return clock && strcmp(clock, "realtime") && strcmp(clock, DKT__CLOCK_CALIBRATED) ? clock :
											    "local";
}

void dkt__tdw_option(const struct dkt_tracedat *out, struct dkt_buf *buf, unsigned int id,
		     const void *data, size_t len)
{
	dkt__tdw_number(out, buf, id, 2);
	put_sized(out, buf, data, len, 4);
}

void dkt__tdw_number_option(const struct dkt_tracedat *out, struct dkt_buf *buf, unsigned int id,
			    uint64_t value, unsigned int size)
{
	uint8_t bytes[8];

	dkt__put_bytes(bytes, value, size, out->big_endian);
	dkt__tdw_option(out, buf, id, bytes, size);
}

static void text_option(const struct dkt_tracedat *out, struct dkt_buf *buf, unsigned int id,
			const char *text)
{
	dkt__tdw_option(out, buf, id, text, strlen(text) + 1);
}

/* Appends a CPU's statistics in the format of the kernel's per_cpu/cpuN/stats. */
static void cpu_stat(const struct dkt_tracedat *out, struct dkt_buf *buf,
		     const struct dkt__tdw_stream *stream, int nr)
{
	const struct dkt__tdw_cpu *cpu = nr < stream->n_cpus ? stream->cpus[nr] : NULL;
	struct dkt_loss loss;
	char text[400];

	/* A source of several streams knows only the sum of their losses. Count it once. */
	if (out->part || (stream != out->streams && stream->source == out->streams[0].source) ||
	    dkt_source_get_loss(stream->source, nr, &loss, sizeof(loss)))
		loss.lost = 0;
	if (cpu && cpu->told > loss.lost)
		loss.lost = cpu->told;
	if (!cpu && !loss.lost)
		return;
	snprintf(text, sizeof(text),
		 "CPU: %d\nentries: 0\noverrun: %" PRIu64 "\ncommit overrun: 0\n"
		 "bytes: %" PRIu64 "\noldest event ts: %5" PRIu64 ".%06" PRIu64 "\n"
		 "now ts: %5" PRIu64 ".%06" PRIu64 "\ndropped events: 0\n"
		 "read events: %" PRIu64 "\n",
		 nr, loss.lost, cpu ? cpu->data.size : 0, cpu ? cpu->first / 1000000000 : 0,
		 cpu ? cpu->first / 1000 % 1000000 : 0, cpu ? cpu->last / 1000000000 : 0,
		 cpu ? cpu->last / 1000 % 1000000 : 0, cpu ? cpu->records : 0);
	text_option(out, buf, DAT_CPUSTAT, text);
}

void dkt__tdw_missed(const struct dkt_tracedat *out, struct dkt_buf *buf, const char *probe,
		     uint64_t n)
{
	char *text __cleanup(free) = dkt__format("%s%s: %" PRIu64 "\n", DKT__DAT_MISSED, probe, n);

	if (text)
		text_option(out, buf, DAT_CPUSTAT, text);
}

/* Appends the records that probes missed. Those of a source of several streams are told once. */
static void missed_options(const struct dkt_tracedat *out, struct dkt_buf *buf, size_t nr)
{
	const struct dkt_source *source = out->streams[nr].source;
	const struct dkt__missed *missed = dkt__source_missed(source);

	for (size_t i = 0; missed && i < nr; i++)
		if (out->streams[i].source == source)
			return;
	for (; missed; missed = missed->next)
		if (missed->n)
			dkt__tdw_missed(out, buf, missed->probe, missed->n);
}

static void stats_options(const struct dkt_tracedat *out, struct dkt_buf *buf)
{
	for (size_t i = 0; i < out->n_streams; i++) {
		const struct dkt__tdw_stream *stream = &out->streams[i];
		int cpus = DKT__MAX(stream->n_cpus, dkt_source_info(stream->source)->cpus);
		char *title __cleanup(free) =
			*stream->name ? dkt__format("\nBuffer: %s\n\n", stream->name) : NULL;

		if (title)
			text_option(out, buf, DAT_CPUSTAT, title);
		else if (*stream->name)
			buf->err = -ENOMEM;
		missed_options(out, buf, i);
		for (int nr = 0; nr < DKT__MIN(cpus, DKT__TDW_CPUS); nr++)
			cpu_stat(out, buf, stream, nr);
	}
}

/*
 * Returns the machine of all streams, or "" if they differ, because the same number means different
 * system calls on different machines.
 */
static const char *machine_of(const struct dkt_tracedat *out)
{
	const char *machine = out->source->ctx->machine;

	for (size_t i = 0; i < out->n_streams; i++)
		if (strcmp(out->streams[i].source->ctx->machine, machine) != 0)
			return "";
	return machine;
}

/* Appends "Linux HOST RELEASE MACHINE", with "-" for an unknown host or release. */
static void uname_option(const struct dkt_tracedat *out, struct dkt_buf *buf)
{
	const struct dkt_source_info *info = dkt_source_info(out->source);
	const char *kernel = info->kernel ? info->kernel : "-", *machine = machine_of(out);
	const char *blank = strrchr(kernel, ' ');
	char text[400];

	if (!info->host && !info->kernel && !*machine)
		return;
	snprintf(text, sizeof(text), "Linux %s %.*s%s%s", info->host ? info->host : "-",
		 (int)(blank ? blank - kernel : (ptrdiff_t)strlen(kernel)), kernel,
		 *machine ? " " : "", machine);
	text_option(out, buf, DAT_UNAME, text);
}

void dkt__tdw_options(const struct dkt_tracedat *out, struct dkt_buf *buf)
{
	const struct dkt_source_info *info = dkt_source_info(out->source);
	char text[400];

	/* In microseconds, in a format that strtoll() can parse. */
	if (info->has_wall) {
		snprintf(text, sizeof(text), "%s0x%llx", info->wall < 0 ? "-" : "",
			 (llabs(info->wall) + 500) / 1000);
		text_option(out, buf, DAT_DATE, text);
	}
	snprintf(text, sizeof(text), "[%s]\n", dkt__tdw_clock(out));
	text_option(out, buf, DAT_TRACECLOCK, text);
	uname_option(out, buf);
	text_option(out, buf, DAT_VERSION, "dktrace " DKT_VERSION);
	if (info->id)
		dkt__tdw_number_option(out, buf, DAT_TRACEID, info->id, 8);
	if (out->own)
		dkt__tdw_number_option(out, buf, DAT_RECORDER, (uint32_t)out->own, 4);
	if (out->lacks)
		text_option(out, buf, DAT_LACKS, out->lacks);
	dkt__tdw_disks(out, buf);
	stats_options(out, buf);
}
