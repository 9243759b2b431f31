/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The recorded events that are no tracepoints: cycles, cpu-clock, page faults. Each becomes an event
 * perf:NAME, whose format has the fields that its samples have.
 */
#include <inttypes.h>

#include "lib/event.h"
#include "lib/perfdata.h"
#include "lib/source/own_format.h"

#define SYSTEM "perf"

/* The fields have the names that perf script -F and perf report --sort have for them; "pid" is the thread here. */
static const struct {
	const char *name, *print;
	uint64_t bits; /* of sample_type; UINT64_MAX: every sample has it */
} values[DKT__PERF_VALUES] = {
	[DKT__PERF_IP] = { "ip", NULL, PERF_SAMPLE_IP },
	[DKT__PERF_SYMOFF] = { "symoff", NULL, PERF_SAMPLE_IP },
	[DKT__PERF_PERIOD] = { "period", "%llu", UINT64_MAX },
	[DKT__PERF_ADDR] = { "addr", "0x%llx", PERF_SAMPLE_ADDR },
	[DKT__PERF_WEIGHT] = { "weight", "%llu", PERF_SAMPLE_WEIGHT | DKT__PERF_WEIGHT_STRUCT },
	[DKT__PERF_INS_LAT] = { "ins_lat", "%llu", DKT__PERF_WEIGHT_STRUCT },
	[DKT__PERF_RETIRE_LAT] = { "retire_lat", "%llu", DKT__PERF_WEIGHT_STRUCT },
	[DKT__PERF_DATA_SRC] = { "data_src", "0x%llx", PERF_SAMPLE_DATA_SRC },
	[DKT__PERF_TRANSACTION] = { "transaction", "0x%llx", PERF_SAMPLE_TRANSACTION },
	[DKT__PERF_PHYS_ADDR] = { "phys_addr", "0x%llx", PERF_SAMPLE_PHYS_ADDR },
	[DKT__PERF_CGROUP] = { "cgroup", "%llu", PERF_SAMPLE_CGROUP },
	[DKT__PERF_DATA_PAGE_SIZE] = { "data_page_size", "%llu", DKT__PERF_BIT_DATA_PAGE },
	[DKT__PERF_CODE_PAGE_SIZE] = { "code_page_size", "%llu", DKT__PERF_BIT_CODE_PAGE },
	[DKT__PERF_TGID] = { "tgid", NULL, PERF_SAMPLE_TID },
	[DKT__PERF_STACK_SIZE] = { "stack_size", "%llu", PERF_SAMPLE_STACK_USER },
};

static const struct {
	const char *name, *type;
	uint64_t bit;
} texts[DKT__PERF_TEXTS] = {
	[DKT__PERF_SYM] = { "sym", "char", PERF_SAMPLE_IP },
	[DKT__PERF_DSO] = { "dso", "char", PERF_SAMPLE_IP },
	[DKT__PERF_BRANCHES] = { "brstack", "char", PERF_SAMPLE_BRANCH_STACK },
	[DKT__PERF_USER_REGS] = { "uregs", "char", PERF_SAMPLE_REGS_USER },
	[DKT__PERF_INTR_REGS] = { "iregs", "char", PERF_SAMPLE_REGS_INTR },
	[DKT__PERF_RAW] = { "raw", "unsigned char", PERF_SAMPLE_RAW },
};

/* ---- names ---- */

static const char *const hardware[] = { "cycles",
					"instructions",
					"cache_references",
					"cache_misses",
					"branches",
					"branch_misses",
					"bus_cycles",
					"stalled_cycles_frontend",
					"stalled_cycles_backend",
					"ref_cycles" };
static const char *const software[] = {
	"cpu_clock",        "task_clock",   "page_faults",  "context_switches",
	"cpu_migrations",   "minor_faults", "major_faults", "alignment_faults",
	"emulation_faults", "dummy",        "bpf_output",   "cgroup_switches"
};

/* Returns a name for an event that perf gave none, which the caller frees. */
static char *default_name(const struct dkt__perf_attr *attr)
{
	/* The upper half of a hardware event is the type of its PMU. */
	const uint32_t config = (uint32_t)attr->config;

	if (attr->type == PERF_TYPE_HARDWARE && config < ARRAY_SIZE(hardware))
		return strdup(hardware[config]);
	if (attr->type == PERF_TYPE_SOFTWARE && config < ARRAY_SIZE(software))
		return strdup(software[config]);
	return attr->type == PERF_TYPE_RAW ?
		       dkt__format("raw_0x%" PRIx64, attr->config) :
		       dkt__format("type_%u_0x%" PRIx64, attr->type, attr->config);
}

/*
 * Drops the modifiers that say how an event is counted, not what: precise, of the host, pinned, as in "cycles:ppp".
 * "cpu_core/cycles/Pu" becomes "cpu_core/cycles/u".
 */
static void drop_how(char *name)
{
	char *slash, *colon, *modifiers, *to;

	if (strlen(name) > 1 && name[strlen(name) - 1] == '/')
		name[strlen(name) - 1] = '\0';
	slash = strrchr(name, '/');
	colon = strrchr(name, ':');
	modifiers = colon ? colon + 1 : slash && slash != strchr(name, '/') ? slash + 1 : NULL;
	to = modifiers;
	if (!modifiers || modifiers[strspn(modifiers, "ukhIpPHGDSWeb")])
		return;
	for (const char *p = modifiers; *p; p++)
		if (strchr("ukhI", *p))
			*to++ = *p;
	*to = '\0';
}

/* Makes "cpu-clock:pppH" an identifier, as names of events are in formats: "cpu_clock". */
static void clean_name(char *name)
{
	char *end;

	drop_how(name);
	for (char *p = name; *p; p++)
		if (!((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
		      (*p >= '0' && *p <= '9')))
			*p = '_';
	for (end = name + strlen(name); end > name + 1 && end[-1] == '_';)
		*--end = '\0';
}

/* ---- formats ---- */

static uint16_t put_field(FILE *f, const char *type, const char *name, const char *array,
			  uint16_t *at, uint16_t size)
{
	const uint16_t place = *at;

	fprintf(f, "\tfield:%s %s%s;\toffset:%u;\tsize:%u;\tsigned:0;\n", type, name, array, place,
		size);
	*at = (uint16_t)(place + size);
	return place;
}

static void put_fields(FILE *f, const struct dkt__perf_attr *attr, struct dkt__perf_shape *shape)
{
	shape->size = DKT__PERF_ENTRY;
	for (int i = 0; i < DKT__PERF_VALUES; i++)
		if ((attr->sample_type & values[i].bits) || values[i].bits == UINT64_MAX)
			shape->values[i] = put_field(f, "u64", values[i].name, "", &shape->size, 8);
	for (int i = 0; i < DKT__PERF_TEXTS; i++) {
		char type[40];

		snprintf(type, sizeof(type), "__data_loc %s[]", texts[i].type);
		if (attr->sample_type & texts[i].bit)
			shape->texts[i] = put_field(f, type, texts[i].name, "", &shape->size, 4);
	}
}

/* Prints "main+0x1c (program) period=250000 addr=0x0". */
static void put_print(FILE *f, const struct dkt__perf_shape *shape)
{
	const char *space = "";

	fputs("\nprint fmt: \"", f);
	if (shape->texts[DKT__PERF_SYM])
		fputs("%s+0x%llx (%s)", f);
	space = shape->texts[DKT__PERF_SYM] ? " " : "";
	for (int i = 0; i < DKT__PERF_VALUES; i++)
		if (shape->values[i] && values[i].print) {
			fprintf(f, "%s%s=%s", space, values[i].name, values[i].print);
			space = " ";
		}
	for (int i = DKT__PERF_BRANCHES; i < DKT__PERF_RAW; i++)
		if (shape->texts[i]) {
			fprintf(f, "%s%s=%%s", space, texts[i].name);
			space = " ";
		}
	fputs("\"", f);
	if (shape->texts[DKT__PERF_SYM])
		fputs(", __get_str(sym), REC->symoff, __get_str(dso)", f);
	for (int i = 0; i < DKT__PERF_VALUES; i++)
		if (shape->values[i] && values[i].print)
			fprintf(f, ", REC->%s", values[i].name);
	for (int i = DKT__PERF_BRANCHES; i < DKT__PERF_RAW; i++)
		if (shape->texts[i])
			fprintf(f, ", __get_str(%s)", texts[i].name);
	fputs("\n", f);
}

/* Returns the text of the event's format, which the caller frees. NULL: memory is out. */
static char *format_of(struct dkt__perf_attr *attr)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	fprintf(f, "name: %s\nID: %u\n" DKT__FORMAT_COMMON, attr->name, attr->nr);
	put_fields(f, attr, attr->shape);
	put_print(f, attr->shape);
	if (!fclose(f))
		return text;
	free(text);
	return NULL;
}

/* ---- events ---- */

/* An earlier event with that name and the same fields serves for both. */
static bool same_event(struct dkt__perf *perf, struct dkt__perf_attr *attr)
{
	for (const struct dkt__perf_attr *had = perf->attrs; had < attr; had++)
		if (had->nr && !strcmp(had->name, attr->name) &&
		    had->sample_type == attr->sample_type) {
			attr->nr = had->nr;
			attr->shape = had->shape;
			return true;
		}
	return false;
}

/* Makes the attribute's name an identifier, or gives it one. */
static int set_name(struct dkt__perf_attr *attr)
{
	if (!attr->name || !*attr->name) {
		free(attr->name);
		attr->name = default_name(attr);
	}
	if (!attr->name)
		return -ENOMEM;
	clean_name(attr->name);
	return 0;
}

static int define(struct dkt__perf *perf, struct dkt__perf_attr *attr)
{
	struct dkt_ctx *ctx = perf->streams.base.ctx;
	char *text __cleanup(free) = NULL;
	int err = set_name(attr);

	if (err || same_event(perf, attr))
		return err;
	attr->shape = dkt__ctx_keep(ctx, sizeof(*attr->shape));
	if (!attr->shape)
		return -ENOMEM;
	attr->nr = perf->next_nr--;
	text = format_of(attr);
	return text ? dkt__given_add(ctx, &perf->given, &perf->n_given, SYSTEM, text,
				     strlen(text)) :
		      -ENOMEM;
}

/* A recording has tens of events; a hostile file could have a million attributes. */
#define MAX_EVENTS 4096

int dkt__perf_events_define(struct dkt__perf *perf)
{
	int err = 0;

	/* The kernel numbers its events from the other end. */
	perf->next_nr = MAX_ID - 1;
	for (size_t i = 0; !err && i < perf->n_attrs && i < MAX_EVENTS; i++)
		if (perf->attrs[i].type != PERF_TYPE_TRACEPOINT)
			err = define(perf, &perf->attrs[i]);
	return err ?: dkt__perf_switch_define(perf);
}
