/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the options of a trace.dat file. */
#include <inttypes.h>

#include "lib/base/parse.h"
#include "lib/tracedat.h"

/* A flag of the time shifts. */
#define SHIFT_INTERPOLATE 1

/* More guests than a machine has. */
#define MAX_PEERS 1024

struct dkt__dat_buffer *dkt__dat_buffer_add(struct dkt__dat *dat, const char *name)
{
	struct dkt__dat_buffer buffer = { .page_size = dat->page_size };

	buffer.name = dkt__ctx_strndup(dat->ctx, name, strlen(name));
	if (!buffer.name || dat->n_buffers >= DKT__DAT_BUFFERS ||
	    dkt__append(dat->buffers, dat->n_buffers, buffer))
		return NULL;
	return &dat->buffers[dat->n_buffers - 1];
}

bool dkt__dat_cpu_table(struct dkt__dat *dat, struct dkt__dat_buffer *buffer, uint32_t n,
			struct dkt__cursor *cur)
{
	uint32_t each = dat->version < 7 ? 16 : 20;

	if (n > DKT__DAT_CPUS || n > DKT__DAT_PLACES - dat->n_places ||
	    n > dkt__cursor_left(cur) / each)
		return false;
	dat->n_places += n;
	free(buffer->cpus);
	buffer->n_cpus = 0;
	buffer->cpus = calloc(n + 1, sizeof(*buffer->cpus));
	dkt__starve(dat->ctx, buffer->cpus ? 0 : -ENOMEM);
	if (!buffer->cpus)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		struct dkt__dat_cpu *cpu = &buffer->cpus[i];

		cpu->cpu = dat->version < 7 ? i : (uint32_t)dkt__cursor_number(cur, 4);
		cpu->offset = dkt__cursor_number(cur, 8);
		cpu->size = dkt__cursor_number(cur, 8);
		if (cpu->cpu >= DKT__DAT_CPUS)
			return false;
	}
	buffer->n_cpus = n;
	return true;
}

static int take_string(struct dkt__cursor *option, char **text)
{
	free(*text);
	*text = strndup((const char *)option->p, dkt__cursor_left(option));
	return *text ? 0 : -ENOMEM;
}

/* Parses an offset that is added to all times: microseconds if is_date, otherwise nanoseconds. */
static void option_offset(struct dkt__dat *dat, struct dkt__cursor *option, bool is_date)
{
	const char *p = (const char *)option->p;
	int64_t offset;

	if (dkt__take_s64(&p, (const char *)option->end, DKT__AS_C, &offset))
		return;
	if (is_date && __builtin_mul_overflow(offset, 1000, &offset))
		return;
	if (__builtin_add_overflow(dat->streams.times.offset, offset, &offset))
		return;
	dat->streams.times.offset = offset;
	dat->streams.base.info.added = offset;
	if (is_date)
		dat->streams.base.info.has_wall = true;
}

/* Parses "[local] global counter". Brackets mark the clock in use. */
static int option_clock(struct dkt__dat *dat, struct dkt__cursor *option)
{
	const char *p = memchr(option->p, '[', dkt__cursor_left(option)), *end;

	end = p ? memchr(p, ']', (size_t)((const char *)option->end - p)) : NULL;
	if (!end)
		return 0;
	free(dat->clock);
	dat->clock = strndup(p + 1, (size_t)(end - p - 1));
	return dat->clock ? 0 : dkt__no_memory(dat->ctx);
}

/* Copies the text up to one of the characters in end; "-" stands for an unknown part. */
static int uname_part(const char *text, const char *end, char **part)
{
	size_t n = strcspn(text, end);

	free(*part);
	*part = NULL;
	if (!n || (n == 1 && *text == '-'))
		return 0;
	*part = strndup(text, n);
	return *part ? 0 : -ENOMEM;
}

/*
 * Parses "Linux HOST RELEASE MACHINE". The kernel is "RELEASE MACHINE"; it is unknown if RELEASE is
 * "-".
 */
static int option_uname(struct dkt__dat *dat, struct dkt__cursor *option)
{
	char *text __cleanup(free) = NULL;
	int err = take_string(option, &text);
	char *part = err ? NULL : strchr(text, ' '), *machine;

	if (part)
		err = uname_part(part + 1, " ", &dat->host);
	part = part ? strchr(part + 1, ' ') : NULL;
	if (!part || err)
		return err;
	part++;
	part[strcspn(part, "\n")] = '\0';
	machine = strrchr(part, ' ');
	err = uname_part(part, strncmp(part, "- ", 2) ? "\n" : " ", &dat->kernel);
	return err || !machine ? err : dkt__ctx_machine(dat->ctx, machine + 1);
}

/*
 * Parses "Missed by probe GROUP:EVENT: 5\n". A recording in progress tells each number again when it has
 * risen; a finished one has a number for each host.
 */
static void take_missed(struct dkt__dat *dat, char *p)
{
	char *end;
	struct dkt__missed *missed;
	uint64_t n;

	p += strlen(DKT__DAT_MISSED);
	p[strcspn(p, "\n")] = '\0';
	end = strrchr(p, ' ');
	if (!end || end < p + 2 || end[-1] != ':')
		return;
	n = dkt__line_u64(end, " ");
	end[-1] = '\0';
	missed = n ? dkt__missed_get(dat->ctx, &dat->streams.base.missed, p) : NULL;
	if (missed && dat->journal)
		missed->n = DKT__MAX(missed->n, n);
	else if (missed && __builtin_add_overflow(missed->n, n, &missed->n))
		missed->n = UINT64_MAX;
}

/*
 * Parses "CPU: 0\n" and the text of per_cpu/cpu0/stats. "\nBuffer: NAME\n" comes before the
 * statistics of an instance.
 */
static int option_stat(struct dkt__dat *dat, struct dkt__cursor *option)
{
	char *text __cleanup(free) = NULL, *p;
	struct dkt__dat_stat stat = { 0 };
	int err = take_string(option, &text);
	uint64_t cpu;

	if (err)
		return err;
	p = text + strspn(text, "\n");
	if (!strncmp(p, "Buffer: ", 8)) {
		p += 8;
		free(dat->stat_buffer);
		dat->stat_buffer = strndup(p, strcspn(p, "\n"));
		return dat->stat_buffer ? 0 : dkt__no_memory(dat->ctx);
	}
	if (!strncmp(p, DKT__DAT_MISSED, strlen(DKT__DAT_MISSED))) {
		take_missed(dat, p);
		return 0;
	}
	cpu = dkt__line_u64(p, "CPU: ");
	if (strncmp(p, "CPU: ", 5) || cpu >= DKT__DAT_CPUS || dat->n_stats >= DKT__DAT_CPUS)
		return 0;
	stat.cpu = (int)cpu;
	stat.lost = dkt__line_u64(p, "overrun: ") + dkt__line_u64(p, "commit overrun: ") +
		    dkt__line_u64(p, "dropped events: ");
	stat.buffer = strdup(dat->stat_buffer ? dat->stat_buffer : "");
	if (stat.buffer && !dkt__append(dat->stats, dat->n_stats, stat))
		return 0;
	free(stat.buffer);
	return dkt__no_memory(dat->ctx);
}

/*
 * In version 7, the option describes the whole buffer. In version 6, it has only the buffer's name
 * and the offset of the table of CPUs.
 */
static int option_buffer(struct dkt__dat *dat, struct dkt__cursor *option)
{
	uint64_t offset = dkt__cursor_number(option, 8);
	const char *name = dkt__cursor_string(option);
	struct dkt__dat_buffer *buffer;
	struct dkt__cursor cur;
	const uint8_t *word;
	uint32_t page_size;

	if (option->bad)
		return 0;
	buffer = dkt__dat_buffer_add(dat, name);
	if (!buffer)
		return dkt__no_memory(dat->ctx);
	cur = dkt__dat_at(dat, offset);
	if (dat->version < 7) {
		word = dkt__cursor_bytes(&cur, 10);
		if (!word || memcmp(word, "flyrecord", 10) ||
		    !dkt__dat_cpu_table(dat, buffer, dat->n_cpus, &cur))
			dat->cut = true;
		return 0;
	}
	name = dkt__cursor_string(option);
	buffer->clock = dkt__ctx_strndup(dat->ctx, name, strlen(name));
	if (!buffer->clock)
		return dkt__no_memory(dat->ctx);
	page_size = (uint32_t)dkt__cursor_number(option, 4);
	if (page_size)
		buffer->page_size = page_size;
	if (!dkt__dat_cpu_table(dat, buffer, (uint32_t)dkt__cursor_number(option, 4), option))
		dat->cut = true;
	buffer->section = offset;
	/* A section begins with its number and its flags. Flag 1: the section is compressed. */
	dkt__cursor_number(&cur, 2);
	buffer->packed = dkt__cursor_number(&cur, 2) & 1;
	return 0;
}

static void option_tsc(struct dkt__dat *dat, struct dkt__cursor *option)
{
	struct dkt__times *times = &dat->streams.times;
	uint32_t mult = (uint32_t)dkt__cursor_number(option, 4);
	uint32_t shift = (uint32_t)dkt__cursor_number(option, 4);

	/* Skip the offset that follows: trace-cmd no longer adds it. */
	dkt__cursor_number(option, 8);
	if (option->bad || shift > 63)
		return;
	times->mult = mult;
	times->shift = shift;
}

static void option_lacks(struct dkt__dat *dat, struct dkt__cursor *option)
{
	const char *words = dkt__cursor_string(option);

	if (*words)
		dkt__streams_damage(&dat->streams, "%s", words);
}

/* ---- the recordings of the host and the guests ---- */

static int peer_add(struct dkt__dat *dat, const struct dkt__source_peer *peer)
{
	return dat->n_peers < MAX_PEERS ? dkt__append(dat->peers, dat->n_peers, *peer) : 0;
}

/* Reads a guest's name, the ID of its recording, and the host's thread for each of its CPUs. */
static int option_guest(struct dkt__dat *dat, struct dkt__cursor *option)
{
	const char *name = dkt__cursor_string(option);
	struct dkt__source_peer peer = { .id = dkt__cursor_number(option, 8) };
	uint32_t n = (uint32_t)dkt__cursor_number(option, 4);
	int32_t *threads;

	if (option->bad || n > dkt__cursor_left(option) / 8)
		return 0;
	peer.name = dkt__ctx_strndup(dat->ctx, name, strlen(name));
	threads = dkt__ctx_keep(dat->ctx, n * sizeof(*threads) + 1);
	if (!peer.name || !threads)
		return dkt__no_memory(dat->ctx);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t cpu = (uint32_t)dkt__cursor_number(option, 4);
		int32_t thread = (int32_t)dkt__cursor_number(option, 4);

		if (cpu < n)
			threads[cpu] = thread;
	}
	peer.threads = threads;
	peer.n_threads = (int)n;
	return peer_add(dat, &peer);
}

/* ---- time shifts ---- */

static bool read_samples(struct dkt__shift *shift, struct dkt__cursor *option)
{
	uint32_t n = (uint32_t)dkt__cursor_number(option, 4);

	if (option->bad || n > dkt__cursor_left(option) / 24)
		return false;
	shift->samples = calloc(n + 1, sizeof(*shift->samples));
	if (!shift->samples)
		return false;
	shift->n = n;
	for (uint32_t i = 0; i < n; i++)
		shift->samples[i].time = dkt__cursor_number(option, 8);
	for (uint32_t i = 0; i < n; i++)
		shift->samples[i].offset = (int64_t)dkt__cursor_number(option, 8);
	for (uint32_t i = 0; i < n; i++)
		shift->samples[i].scaling = dkt__cursor_number(option, 8);
	return true;
}

/*
 * Reads the fractions of a CPU's samples. They follow the samples of all CPUs, because trace-cmd
 * 2.9 did not have them.
 */
static bool read_fractions(struct dkt__shift *shift, struct dkt__cursor *option)
{
	for (uint32_t i = 0; i < shift->n; i++) {
		uint64_t bits = dkt__cursor_number(option, 8);

		if (option->bad || bits > 63)
			return false;
		shift->samples[i].fraction = (uint32_t)bits;
	}
	return true;
}

static bool read_shifts(struct dkt__dat *dat, struct dkt__cursor *option, bool interpolate)
{
	uint32_t n = (uint32_t)dkt__cursor_number(option, 4);
	bool good = !option->bad && n <= dkt__cursor_left(option) / 4;

	dat->shifts = good ? calloc(n + 1, sizeof(*dat->shifts)) : NULL;
	good = dat->shifts;
	for (uint32_t i = 0; good && i < n; i++) {
		dat->n_shifts++;
		dat->shifts[i].interpolate = interpolate;
		good = read_samples(&dat->shifts[i], option);
	}
	for (uint32_t i = 0; good && i < n && dkt__cursor_left(option); i++)
		good = read_fractions(&dat->shifts[i], option);
	for (uint32_t i = 0; good && i < n; i++)
		dkt__shift_sort(&dat->shifts[i]);
	return good;
}

void dkt__dat_shifts_clear(struct dkt__dat *dat)
{
	for (uint32_t i = 0; i < dat->n_shifts; i++)
		free(dat->shifts[i].samples);
	free(dat->shifts);
	dat->shifts = NULL;
	dat->n_shifts = 0;
}

static int option_time_shift(struct dkt__dat *dat, struct dkt__cursor *option)
{
	struct dkt__source_peer host = { .id = dkt__cursor_number(option, 8) };
	uint32_t flags = (uint32_t)dkt__cursor_number(option, 4);

	dkt__dat_shifts_clear(dat);
	if (!read_shifts(dat, option, flags & SHIFT_INTERPOLATE)) {
		dkt__dat_shifts_clear(dat);
		dkt__streams_damage(&dat->streams, "the shifts of its times are invalid");
	}
	return peer_add(dat, &host);
}

/*
 * "INSTANCE:", then the kernel's last_boot_info of the instance. trace-cmd extracts one instance, and takes
 * all addresses of the file as those of that boot.
 */
static void option_last_boot(struct dkt__dat *dat, const struct dkt__cursor *option)
{
	const uint8_t *colon = memchr(option->p, ':', dkt__cursor_left(option));

	if (colon)
		dat->last_boot =
			(struct dkt__symbol_text){ .bytes = colon + 1,
						   .n = (size_t)(option->end - colon - 1) };
}

/* ---- all options ---- */

int dkt__dat_option(struct dkt__dat *dat, unsigned int id, struct dkt__cursor option)
{
	switch (id) {
	case DAT_DATE:
	case DAT_OFFSET:
		option_offset(dat, &option, id == DAT_DATE);
		return 0;
	case DAT_CPUSTAT:
		return option_stat(dat, &option);
	case DAT_BUFFER:
		return option_buffer(dat, &option);
	case DAT_BUFFER_TEXT:
		dat->text = true;
		return 0;
	case DAT_TRACECLOCK:
		return option_clock(dat, &option);
	case DAT_UNAME:
		return option_uname(dat, &option);
	case DAT_CPUCOUNT:
		dat->n_cpus = (uint32_t)dkt__cursor_number(&option, 4);
		return 0;
	case DAT_TSC2NSEC:
		option_tsc(dat, &option);
		return 0;
	case DAT_TIME_SHIFT:
		return option_time_shift(dat, &option);
	case DAT_GUEST:
		return option_guest(dat, &option);
	case DAT_TRACEID:
		dat->streams.base.info.id = dkt__cursor_number(&option, 8);
		return 0;
	case DAT_RECORDER:
		dat->streams.own = (int32_t)dkt__cursor_number(&option, 4);
		return 0;
	case DAT_CLOCKS:
		dkt__dat_clocks(dat, &option);
		return 0;
	case DAT_LAST_BOOT:
		option_last_boot(dat, &option);
		return 0;
	case DAT_DISKS:
		return dkt__dat_disks(dat, &option);
	case DAT_LACKS:
		option_lacks(dat, &option);
		return 0;
	/* Only trace-cmd profile and KernelShark use these two. */
	case DAT_HOOK:
		dat->hooks = true;
		return 0;
	case DAT_PROCMAPS:
		dat->maps = true;
		return 0;
	default:
		return 0;
	}
}
