/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prints settings for the kernel to apply before user space starts: as lines of its bootconfig
 * (Documentation/trace/boottime-trace.rst), or as words of its command line (trace_instance= and
 * trace_buf_size= of Documentation/admin-guide/kernel-parameters.txt).
 */
#include "compat/set/saved/boot_config.h"

#include <ctype.h>
#include <inttypes.h>

#include "compat/apply/event_filter.h"
#include "compat/io/say.h"
#include "compat/lustre/message.h"
#include "lib/base/util.h"

/* XBC_DATA_MAX of include/linux/bootconfig.h. */
#define CONFIG_MAX 32767

/* MAX_BUF_LEN of kernel/trace/trace_boot.c, less the end of a string. */
#define VALUE_MAX 255

/* COMMAND_LINE_SIZE of x86 and arm64. */
#define CMDLINE_MAX 2048

/* The default of a new instance, per CPU. */
#define DEFAULT_KB 5120

/* The kernel's own data and a few pages of records. */
#define LEAST_PER_CPU (128u << 10)

struct boot_event {
	struct dkt_event *event;
	char *filter; /* NULL: none */
};

struct boot {
	struct debuglog *log;
	const struct settings *set;
	bool cmdline; /* the settings go to the command line */
	struct boot_event *events;
	size_t n;
	FILE *missing; /* comments on settings that are not available at boot */
};

/* ---- the events ---- */

/* Most event systems of a module have the module's name. */
static bool is_of_module(const char *system)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/module/%s/initstate", system);
	return !access(path, F_OK);
}

static int add_event(struct boot *boot, const struct event_filter *filter, struct dkt_event *event)
{
	struct boot_event *to = &boot->events[boot->n];
	int err = dkl_event_filter(filter, event, &to->filter);

	if (err)
		return err;
	to->event = event;
	boot->n++;
	return 0;
}

/*
 * Returns why events of the system cannot be recorded at boot; NULL: they can. The kernel handles
 * events of the command line before the first process exists. It marks all processes when the first
 * event of a system call is enabled, and new ones inherit the mark, so nobody would ever have it, and
 * later commands would record no system calls either.
 */
static const char *find_obstacle(const struct boot *boot, const char *system)
{
	if (is_of_module(system))
		return "events of a module that is not loaded";
	if (boot->cmdline && (!strcmp(system, "syscalls") || !strcmp(system, "raw_syscalls")))
		return "the command line enables them too early: left to dktrace apply";
	return NULL;
}

/* Notes each system once. */
static void skip_system(struct boot *boot, const char *system, const char *why, const char **last)
{
	if (!*last || strcmp(*last, system))
		fprintf(boot->missing, "# %s: %s\n", system, why);
	*last = system;
}

static int add_all(struct boot *boot, const struct event_filter *filter)
{
	struct dkt_event *const *all;
	const char *last = NULL;
	size_t n;
	int err = dkt_events(boot->log->ctx, &all, &n);

	boot->events = err ? NULL : calloc(n + 1, sizeof(*boot->events));
	if (!boot->events)
		return err ? err : -ENOMEM;
	for (size_t i = 0; !err && i < n; i++) {
		const struct class_bits *bits = dkl_class_map_event(boot->log->map, all[i]);
		const char *system = dkt_event_system(all[i]), *why;

		/* The events of messages exist only after Lustre was loaded. */
		if (bits->fields || !dkl_event_filter_wants(filter, all[i]))
			continue;
		why = find_obstacle(boot, system);
		if (why)
			skip_system(boot, system, why, &last);
		else
			err = add_event(boot, filter, all[i]);
	}
	return err;
}

/* dktrace apply sets triggers and limits later; the boot settings cannot hold them. */
static void note_missing(struct boot *boot)
{
	const struct settings *set = boot->set;

	if (set->triggers.n)
		fprintf(boot->missing, "# %zu trigger%s: left to dktrace apply\n", set->triggers.n,
			set->triggers.n == 1 ? "" : "s");
	if (set->threads.n) {
		fputs("# threads ", boot->missing);
		dkl_threads_print(boot->missing, &set->threads);
		fputs(": left to dktrace filter\n", boot->missing);
	}
	if (set->cpus)
		fprintf(boot->missing, "# CPUs %s: left to dktrace apply\n", set->cpus);
}

static int find_events(struct boot *boot)
{
	/* The addresses of call sites in modules are unknown at boot, so there are no sites. */
	struct event_filter filter = { .ctx = boot->log->ctx, .set = boot->set };
	int err = dkl_debuglog_map(boot->log);

	filter.map = boot->log->map;
	if (!err)
		err = dkl_event_filter_read(&filter);
	if (!err)
		err = add_all(boot, &filter);
	if (!err)
		note_missing(boot);
	dkl_event_filter_clear(&filter);
	return err;
}

static void boot_clear(struct boot *boot)
{
	for (size_t i = 0; i < boot->n; i++)
		free(boot->events[i].filter);
	free(boot->events);
	if (boot->missing)
		fclose(boot->missing);
}

static unsigned long kb_per_cpu(const struct settings *set)
{
	unsigned long cpus = (unsigned long)sysconf(_SC_NPROCESSORS_CONF);

	return set->debug_mb ? set->debug_mb * 1024ul / cpus : DEFAULT_KB;
}

/* The kernel's parsers do not accept spaces, quotes or braces in a name. */
static int check_name(struct dkt_ctx *ctx, const char *name)
{
	for (const char *p = name; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr("-_", *p))
			return dkt_fail(ctx, -EINVAL,
					"'%s' cannot be the name of an instance made at boot",
					name);
	return 0;
}

static size_t system_end(const struct boot *boot, size_t from)
{
	const char *system = dkt_event_system(boot->events[from].event);
	size_t to = from;

	while (to < boot->n && !strcmp(dkt_event_system(boot->events[to].event), system))
		to++;
	return to;
}

/* True if the events from..to are all events of their system, and none has a filter. */
static bool is_whole_system(const struct boot *boot, size_t from, size_t to)
{
	const char *system = dkt_event_system(boot->events[from].event);
	struct dkt_event *const *all;
	size_t n, has = 0;

	if (dkt_events(boot->log->ctx, &all, &n))
		return false;
	for (size_t i = 0; i < n; i++)
		has += !strcmp(dkt_event_system(all[i]), system);
	for (size_t i = from; i < to; i++)
		if (boot->events[i].filter)
			return false;
	return to - from > 1 && has == to - from;
}

/* ---- bootconfig ---- */

/* Returns a quote that is not in the text, because strings have no escapes; 0: both are. */
static char find_quote(const char *text)
{
	return !strchr(text, '"') ? '"' : !strchr(text, '\'') ? '\'' : '\0';
}

/* True if the kernel's parser accepts all characters, and none needs an escape to be printed. */
static bool is_printable(const char *text)
{
	char *safe __cleanup(free) = dkl_shown(text);

	for (const unsigned char *p = (const unsigned char *)text; *p; p++)
		if (*p < 0x20 || (*p >= 0x7f && *p < 0xa0))
			return false;
	return safe && !strcmp(safe, text);
}

static void put_filtered(struct boot *boot, const struct boot_event *event, FILE *out)
{
	const char *system = dkt_event_system(event->event), *name = dkt_event_name(event->event);
	char quote = find_quote(event->filter);
	const char *why = !quote                            ? "not to be quoted" :
			  strlen(event->filter) > VALUE_MAX ? "too long" :
			  !is_printable(event->filter)      ? "not all printable" :
							      NULL;

	if (why) {
		fprintf(boot->missing, "# %s:%s: its filter is %s: recorded without it\n", system,
			name, why);
		quote = '\0';
	}
	fprintf(out, "\tevent.%s.%s {\n\t\tenable\n", system, name);
	if (quote)
		fprintf(out, "\t\tfilter = %c%s%c\n", quote, event->filter, quote);
	fprintf(out, "\t}\n");
}

static void put_events(struct boot *boot, FILE *out)
{
	const char *before = "\tevents = ";
	size_t to;

	for (size_t from = 0; from < boot->n; from = to) {
		to = system_end(boot, from);
		if (is_whole_system(boot, from, to)) {
			fprintf(out, "%s\"%s:*\"", before,
				dkt_event_system(boot->events[from].event));
			before = ",\n\t\t";
			continue;
		}
		for (size_t i = from; i < to; i++) {
			if (boot->events[i].filter)
				continue;
			fprintf(out, "%s\"%s:%s\"", before, dkt_event_system(boot->events[i].event),
				dkt_event_name(boot->events[i].event));
			before = ",\n\t\t";
		}
	}
	if (*before == ',')
		fprintf(out, "\n");
	for (size_t i = 0; i < boot->n; i++)
		if (boot->events[i].filter)
			put_filtered(boot, &boot->events[i], out);
}

static int put_config(struct boot *boot, FILE *out)
{
	fprintf(out, "ftrace.instance.%s {\n\ttrace_clock = mono\n\tbuffer_size = %luKB\n",
		boot->log->name, kb_per_cpu(boot->set));
	put_events(boot, out);
	fprintf(out, "}\n");
	return ferror(out) ? -ENOMEM : 0;
}

int dkl_boot_config_print(struct debuglog *log, const struct settings *set, FILE *out)
{
	char *text __cleanup(free) = NULL;
	char *missing __cleanup(free) = NULL;
	struct boot boot = { .log = log, .set = set };
	size_t len = 0, n_missing;
	FILE *f = open_memstream(&text, &len);
	int err = check_name(log->ctx, log->name);

	boot.missing = open_memstream(&missing, &n_missing);
	if (!f || !boot.missing)
		err = -ENOMEM;
	if (!err)
		err = find_events(&boot);
	if (!err)
		err = put_config(&boot, f);
	if (f && fclose(f))
		err = -ENOMEM;
	boot_clear(&boot);
	if (!err && len > CONFIG_MAX)
		err = dkt_fail(log->ctx, -E2BIG, "%zu bytes; the kernel's limit at boot is %d", len,
			       CONFIG_MAX);
	if (!err)
		fprintf(out, "%s%s", missing, text);
	return err;
}

/* ---- the command line ---- */

static int put_cmdline(struct boot *boot, FILE *out, size_t *filters)
{
	size_t to;

	*filters = 0;
	fprintf(out, "trace_buf_size=%luK trace_instance=%s", kb_per_cpu(boot->set),
		boot->log->name);
	for (size_t from = 0; from < boot->n; from = to) {
		to = system_end(boot, from);
		for (size_t i = from; i < to; i++)
			*filters += boot->events[i].filter != NULL;
		if (is_whole_system(boot, from, to))
			fprintf(out, ",%s:*", dkt_event_system(boot->events[from].event));
		else
			for (size_t i = from; i < to; i++)
				fprintf(out, ",%s:%s", dkt_event_system(boot->events[i].event),
					dkt_event_name(boot->events[i].event));
	}
	fprintf(out, "\n");
	return ferror(out) ? -ENOMEM : 0;
}

int dkl_boot_cmdline_print(struct debuglog *log, const struct settings *set, FILE *out,
			   char **missing)
{
	char *text __cleanup(free) = NULL;
	struct boot boot = { .log = log, .set = set, .cmdline = true };
	size_t len = 0, filters = 0, n_missing;
	FILE *f = open_memstream(&text, &len);
	int err = check_name(log->ctx, log->name);

	*missing = NULL;
	boot.missing = open_memstream(missing, &n_missing);
	if (!f || !boot.missing)
		err = -ENOMEM;
	if (!err)
		err = find_events(&boot);
	if (!err)
		err = put_cmdline(&boot, f, &filters);
	if (filters)
		fprintf(boot.missing,
			"# the command line takes no filters: %zu events are enabled without theirs\n",
			filters);
	if (f && fclose(f))
		err = -ENOMEM;
	boot_clear(&boot);
	if (!err && len > CMDLINE_MAX)
		err = dkt_fail(log->ctx, -E2BIG,
			       "%zu bytes; the limit of the kernel's command line is %d", len,
			       CMDLINE_MAX);
	if (!err)
		fputs(text, out);
	return err;
}

/* ---- memory that survives a reboot ---- */

static int check_memory(struct dkt_ctx *ctx, const struct boot_memory *memory)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	const uint64_t all = (uint64_t)sysconf(_SC_PHYS_PAGES) * page;
	const uint64_t least = (uint64_t)sysconf(_SC_NPROCESSORS_CONF) * LEAST_PER_CPU;

	if (memory->size < least)
		return dkt_fail(ctx, -EINVAL,
				"%" PRIu64 " KB is too little for %ld CPUs: at least %" PRIu64 "M",
				memory->size >> 10, sysconf(_SC_NPROCESSORS_CONF),
				(least + (1 << 20) - 1) >> 20);
	if (memory->size > all / 2)
		return dkt_fail(ctx, -EINVAL,
				"%" PRIu64 " MB is more than half of the memory: at most %" PRIu64
				"%s",
				memory->size >> 20, all >> 31 ? all >> 31 : all >> 21,
				all >> 31 ? "G" : "M");
	if (memory->size % page || memory->address % page)
		return dkt_fail(ctx, -EINVAL, "size and address must be multiples of %" PRIu64,
				page);
	return 0;
}

/*
 * No events: to enable one makes the kernel forget the records of the boot before, and without
 * "traceoff" new ones would mix with them.
 */
int dkl_boot_memory_print(struct dkt_ctx *ctx, const struct boot_memory *memory, FILE *out)
{
	const uint64_t kb = memory->size >> 10;
	int err = check_name(ctx, memory->name);

	if (!err)
		err = check_memory(ctx, memory);
	if (err)
		return err;
	if (memory->address)
		fprintf(out,
			"memmap=%" PRIu64 "K$%#" PRIx64 " trace_instance=%s^traceoff@%#" PRIx64
			":%" PRIu64 "K\n",
			kb, memory->address, memory->name, memory->address, kb);
	else
		fprintf(out,
			"reserve_mem=%" PRIu64 "K:2M:dktrace trace_instance=%s^traceoff@dktrace\n",
			kb, memory->name);
	return 0;
}
