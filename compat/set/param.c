/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* dktrace's own parameters: debug, subsystem_debug, printk, debug_sources and others. */
#include "compat/set/param.h"
#include "compat/apply/apply.h"

#include <ctype.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <strings.h>

#include "compat/lustre/event_names.h"
#include "compat/lustre/lustre_masks.h"
#include "compat/set/param/debug_words.h"
#include "compat/set/param/memory.h"
#include "lib/base/buf.h"
#include "lib/base/parse.h"
#include "lib/inside.h"

struct param {
	const char *name;
	int (*get)(struct debuglog *log, const struct param *param, char **value);
	/* Changes the settings. An invalid mask changes them up to the first unknown name. */
	int (*take)(struct debuglog *log, const struct param *param, const char *value,
		    struct settings *set, char **notes);
	enum mask_kind kind; /* for masks only */
};

int dkl_note_add(char **notes, char *note)
{
	char *before __cleanup(free) = note ? *notes : NULL;

	if (!note)
		return -ENOMEM;
	*notes = note;
	if (!before)
		return 0;
	*notes = dkt__format("%s\n%s", before, note);
	free(note);
	return *notes ? 0 : -ENOMEM;
}

/* ---- masks ---- */

static int get_mask(struct debuglog *log, const struct param *param, char **value)
{
	char text[MASK_TEXT_SIZE];

	dkl_mask_format(param->kind, *dkl_settings_mask(&log->set, param->kind), text);
	*value = strdup(text);
	return *value ? 0 : -ENOMEM;
}

static int refuse_mask(struct debuglog *log, const struct mask_value *parsed, int err)
{
	if (err == -EINVAL && parsed->bad)
		return dkt_fail(log->ctx, err,
				"unknown mask '%.*s'.\nmask usage: [+|-]<all|type> ...",
				(int)parsed->bad_len, parsed->bad);
	if (err == -EINVAL)
		return dkt_fail(log->ctx, err, "an operator has no name after it");
	return dkt_fail(log->ctx, err, "longer than %d bytes", MASK_INPUT_MAX);
}

/* A new mask can also enable events that lack the fields of the filter. */
static char *filter_notes(const struct filter_report *report)
{
	char *names __cleanup(free) = report->n_missed ? dkl_names_by_system(report->missed) : NULL;

	return names ? dkt__format(
			       "%zu of %zu enabled events have the filter; the others do not have"
			       " its fields and are recorded without it: %s",
			       report->took, report->took + report->n_missed, names) :
		       NULL;
}

static int take_bits(struct debuglog *log, const struct param *param, const char *value,
		     struct settings *set, char **notes)
{
	uint32_t *mask = dkl_settings_mask(set, param->kind);
	struct mask_value parsed;
	int err = dkl_mask_parse(param->kind, value, *mask, &parsed);

	*mask = parsed.value;
	set->chosen |= 1u << param->kind;
	if (err)
		return refuse_mask(log, &parsed, err);
	if (parsed.deprecated)
		dkl_note_add(notes, strdup("using a numerical debug mask is deprecated"));
	return 0;
}

static int take_mask(struct debuglog *log, const struct param *param, const char *value,
		     struct settings *set, char **notes)
{
	return dkl_debug_words_has_event(value) ?
		       dkt_fail(log->ctx, -EINVAL, "'%s' names an event; only debug can", value) :
		       take_bits(log, param, value, set, notes);
}

/* ---- debug ---- */

/* Like Lustre's, unless events are named, which come after the classes. */
static int get_debug(struct debuglog *log, const struct param *param, char **value)
{
	char *mask __cleanup(free) = NULL;
	char *events __cleanup(free) = dkl_debug_words_text(&log->set);
	int err = events ? get_mask(log, param, &mask) : -ENOMEM;

	if (err)
		return err;
	*value = dkt__format("%s%s%s", mask, *events ? " " : "", events);
	return *value ? 0 : -ENOMEM;
}

static int take_debug(struct debuglog *log, const struct param *param, const char *value,
		      struct settings *set, char **notes)
{
	struct debug_words words;
	int err = dkl_debug_words_read(log->ctx, value, &words);

	if (!err && words.mask)
		err = take_bits(log, param, words.mask, set, notes);
	if (!err)
		err = dkl_debug_words_take(log, &words, set, notes);
	dkl_debug_words_clear(&words);
	return err;
}

/* ---- debug_sources ---- */

/* The value `default` depends on whether Lustre is loaded, until the user chooses another. */
static int take_sources(struct debuglog *log, const struct param *param, const char *value,
			struct settings *set, char **notes)
{
	const bool loaded = dkl_lustre_is_loaded();
	int err = 0;

	if (!strcasecmp(value, "default")) {
		set->chosen &= ~(1u << MASK_SOURCES);
		set->sources = dkl_lustre_sources(loaded);
	} else {
		err = take_mask(log, param, value, set, notes);
	}
	if (!err && !set->sources)
		dkl_note_add(notes, strdup("nothing is recorded: no source is named"));
	else if (!err && set->sources == MASK_FROM_LUSTRE && !loaded)
		dkl_note_add(notes, strdup("nothing is recorded before Lustre's libcfs is loaded"));
	return err;
}

/* ---- debug_mb ---- */

static int get_mb(struct debuglog *log, const struct param *param, char **value)
{
	const int cpus = (int)sysconf(_SC_NPROCESSORS_CONF);
	uint64_t bytes;
	int err = dkl_debuglog_size(log, &bytes);

	(void)param;
	if (err)
		return err;
	/* Before the log is created, the size that it will have. */
	*value = dkt__format("%" PRIu64, log->in ? bytes >> 20 : dkl_settings_default_mb(cpus));
	return *value ? 0 : -ENOMEM;
}

/*
 * Applies Lustre's limits: at least 1 MiB per CPU, at most 80 % of memory. Lustre allocates memory as
 * it logs, but the kernel's tracer at once, so the size must also fit into the available memory.
 */
static uint32_t clamp_mb(unsigned long mb, uint64_t own, char **notes)
{
	unsigned long cpus = (unsigned long)sysconf(_SC_NPROCESSORS_CONF);
	unsigned long most = UINT32_MAX, good = mb;
	struct memory memory;

	if (!dkl_memory_read(MEMORY_INFO, &memory)) {
		most = memory.total / 10 * 8 >> 20;
		if (most < 512)
			most = 512;
		if (most > dkl_memory_most(&memory, own) >> 20)
			most = dkl_memory_most(&memory, own) >> 20;
	}
	if (mb < cpus || most < cpus)
		good = cpus;
	else if (mb > most)
		good = most;
	if (good != mb)
		dkl_note_add(notes,
			     dkt__format("%lu MB is too %s for debug buffer size, setting it to"
					 " %lu MB.",
					 mb, mb < good ? "small" : "large", good));
	return (uint32_t)good;
}

static void note_size(struct debuglog *log, uint32_t asked, char **notes)
{
	const int cpus = dkt_instance_n_cpus(log->in);
	uint64_t bytes;
	double mb;

	if (dkl_debuglog_size(log, &bytes))
		return;
	mb = (double)bytes / DKT__MB;
	dkl_note_add(notes,
		     dkt__format("asked for %" PRIu32 " MB, %.1f MB allocated (%d CPUs x %.1f MB)",
				 asked, mb, cpus, mb / cpus));
}

static int take_mb(struct debuglog *log, const struct param *param, const char *value,
		   struct settings *set, char **notes)
{
	uint64_t own, mb;
	int err;

	(void)param;
	if (dkt__parse_u64(value + (*value == '+'), DKT__AS_C, &mb))
		return dkt_fail(log->ctx, -EINVAL, "'%s' is not a number of megabytes", value);
	err = dkl_debuglog_size(log, &own);
	if (err)
		return err;
	set->debug_mb = clamp_mb(mb, own, notes);
	return 0;
}

/* ---- debug_filter ---- */

static int get_filter(struct debuglog *log, const struct param *param, char **value)
{
	(void)param;
	*value = strdup(log->set.filter ? log->set.filter : "none");
	return *value ? 0 : -ENOMEM;
}

static int take_filter(struct debuglog *log, const struct param *param, const char *value,
		       struct settings *set, char **notes)
{
	bool none = !strcmp(value, "0") || !strcasecmp(value, "none");

	(void)param, (void)notes;
	if (strchr(value, '\n'))
		return dkt_fail(log->ctx, -EINVAL, "a filter is one line");
	free(set->filter);
	set->filter = none ? NULL : strdup(value);
	return none || set->filter ? 0 : -ENOMEM;
}

/* ---- debug_user_data ---- */

/* The kernel has the last word: it lowers a value, and creates the instance of boot-config with its own. */
static int get_user_data(struct debuglog *log, const struct param *param, char **value)
{
	uint64_t bytes = log->set.user_data;
	int err = log->in ? dkt__instance_get_user_data(log->in, &bytes) : 0;

	(void)param;
	if (err)
		return err;
	*value = dkt__format("%" PRIu64, bytes);
	return *value ? 0 : -ENOMEM;
}

static int take_user_data(struct debuglog *log, const struct param *param, const char *value,
			  struct settings *set, char **notes)
{
	uint64_t bytes;

	(void)param;
	if (dkt__parse_u64(value, DKT__AS_C, &bytes) || bytes > UINT32_MAX)
		return dkt_fail(log->ctx, -EINVAL, "'%s' is not a number of bytes", value);
	set->user_data = (uint32_t)bytes;
	if (bytes)
		dkl_note_add(notes, strdup("the log will have data of programs, such as what they"
					   " write, also passwords; 0 records none"));
	return 0;
}

/* ---- rows ---- */

static const struct param params[] = {
	/* clang-format off */
	{ "debug",           get_debug, take_debug, MASK_DEBUG },
	{ "debug_filter",    get_filter, take_filter, 0 },
	{ "debug_mb",        get_mb, take_mb, 0 },
	{ "debug_sources",   get_mask, take_sources, MASK_SOURCES },
	{ "debug_user_data", get_user_data, take_user_data, 0 },
	{ "printk",          get_mask, take_mask, MASK_PRINTK },
	{ "subsystem_debug", get_mask, take_mask, MASK_SUBSYSTEM },
	/* clang-format on */
};

const struct param *dkl_param_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(params); i++)
		if (!strcmp(params[i].name, name))
			return &params[i];
	return NULL;
}

const struct param *dkl_param_next(const struct param *param)
{
	const struct param *next = param ? param + 1 : params;

	return next < params + ARRAY_SIZE(params) ? next : NULL;
}

/* Returns the comma or brace that ends the alternative at p; NULL: the text ends before it. */
static const char *alternative_end(const char *p)
{
	int depth = 0;

	for (; *p; p++) {
		if (!depth && (*p == ',' || *p == '}'))
			return p;
		depth += (*p == '{') - (*p == '}');
	}
	return NULL;
}

bool dkl_param_name_fits(const char *name, const char *pattern)
{
	const char *open = strchr(pattern, '{'), *from = open, *to, *close = open;

	while (close && (close = alternative_end(close + 1)) && *close == ',')
		;
	if (!close)
		return !fnmatch(pattern, name, FNM_PATHNAME);
	/* Like a shell, tries {a,b} with each alternative in its place. */
	do {
		char *whole __cleanup(free) = NULL;

		to = alternative_end(from + 1);
		whole = dkt__format("%.*s%.*s%s", (int)(open - pattern), pattern,
				    (int)(to - from - 1), from + 1, close + 1);
		if (!whole || dkl_param_name_fits(name, whole))
			return whole;
		from = to;
	} while (to < close);
	return false;
}

const char *dkl_param_name(const struct param *param)
{
	return param->name;
}

bool dkl_param_is_mask(const struct param *param)
{
	return param->get == get_mask || param->get == get_debug;
}

enum mask_kind dkl_param_mask_kind(const struct param *param)
{
	return param->kind;
}

bool dkl_param_misspelt(const struct param *param, const char *value, struct dkt__guess *guess,
			size_t *at, size_t *len)
{
	struct mask_value parsed;

	*at = *len = 0;
	if (dkl_mask_parse(param->kind, value, 0, &parsed) != -EINVAL || !parsed.bad_len)
		return false;
	*at = (size_t)(parsed.bad - value);
	*len = parsed.bad_len;
	dkt__guess_start(guess, parsed.bad, parsed.bad_len);
	dkl_mask_guess(param->kind, guess);
	return true;
}

void dkl_param_guess(struct dkt__guess *guess)
{
	const struct param *param = NULL;

	while ((param = dkl_param_next(param)))
		dkt__guess_try(guess, param->name);
}

/*
 * A mask that a kernel printed is complete; without the sign, dkl_mask_parse() would add the bits that
 * are always recorded.
 */
/* The first step for a mask that was read from Lustre. */
static int take_exact(struct debuglog *log, const struct param *param, const char *value,
		      struct settings *set)
{
	char *exact __cleanup(free) =
		dkt__format("%s%s", isdigit((unsigned char)*value) ? "" : "+", value);
	struct mask_value parsed;
	int err;

	if (!exact)
		return -ENOMEM;
	err = dkl_mask_parse(param->kind, exact, 0, &parsed);
	if (err)
		return refuse_mask(log, &parsed, err);
	*dkl_settings_mask(set, param->kind) = parsed.value;
	set->chosen |= 1u << param->kind;
	return 0;
}

int dkl_param_take_lustre(struct debuglog *log, const struct param *param, const char *asked,
			  const char *now, struct settings *set, char **notes)
{
	struct debug_words words = { 0 };
	int err;

	if (!dkl_param_is_mask(param))
		return dkl_param_take(log, param, asked, set, notes);
	err = param->take == take_debug ? dkl_debug_words_read(log->ctx, asked, &words) : 0;
	if (!err)
		err = take_exact(log, param, now, set);
	if (!err)
		err = dkl_debug_words_take(log, &words, set, notes);
	dkl_debug_words_clear(&words);
	return err;
}

int dkl_param_follow(struct debuglog *log, const struct param *param, const char *asked,
		     const char *now, char **notes)
{
	char *known __cleanup(free) = NULL;
	struct settings set __cleanup(settings) = { 0 };
	int err;

	*notes = NULL;
	if (!dkl_param_is_mask(param))
		return dkl_param_set(log, param, asked, &known);
	err = dkl_settings_copy(&set, &log->set);
	if (!err)
		err = dkl_param_take_lustre(log, param, asked, now, &set, notes);
	return err ? err : dkl_param_apply(log, &set, param, &known);
}

int dkl_param_for_lustre(struct dkt_ctx *ctx, const struct param *param, const char *value,
			 char **theirs)
{
	struct debug_words words;
	int err;

	*theirs = NULL;
	if (!dkl_param_is_mask(param) || !dkl_debug_words_has_event(value)) {
		*theirs = strdup(value);
		return *theirs ? 0 : -ENOMEM;
	}
	if (param->take != take_debug)
		return dkt_fail(ctx, -EINVAL, "'%s' names an event; only debug can", value);
	err = dkl_debug_words_read(ctx, value, &words);
	*theirs = words.mask;
	words.mask = NULL;
	dkl_debug_words_clear(&words);
	return err;
}

/* Names the classes if the kernel has events of none; NULL: it has. With Lustre, its messages have all classes. */
static char *empty_note(struct debuglog *log, const struct settings *set)
{
	const uint32_t bits = set->debug & ~MASK_CANNOT_OFF;
	char names[MASK_TEXT_SIZE];

	if (!bits || set->events.n || dkl_lustre_is_loaded() || dkl_debuglog_map(log))
		return NULL;
	for (unsigned int bit = 0; bit < MASK_BITS; bit++)
		if (bits & 1u << bit && dkl_class_map_count(log->map, MASK_DEBUG, bit))
			return NULL;
	dkl_mask_format(MASK_DEBUG, bits, names);
	return dkt__format("nothing of it is recorded: this kernel has no events of %s", names);
}

int dkl_param_get(struct debuglog *log, const struct param *param, char **value)
{
	*value = NULL;
	return param->get(log, param, value);
}

int dkl_param_take(struct debuglog *log, const struct param *param, const char *value,
		   struct settings *set, char **notes)
{
	return param->take(log, param, value, set, notes);
}

int dkl_param_apply(struct debuglog *log, const struct settings *set, const struct param *param,
		    char **notes)
{
	const bool filter = !param || param->take == take_filter;
	const bool mask = !param || dkl_param_is_mask(param);
	const bool events = filter || (mask && (!param || param->kind != MASK_PRINTK));
	const bool size = param ? param->take == take_mb : set->debug_mb != log->set.debug_mb;
	struct filter_report report = { .must_take = param && filter && set->filter };
	int err = dkl_debuglog_apply(log, set, events ? &report : NULL);

	if (!err)
		dkl_note_add(notes, filter_notes(&report));
	dkl_filter_report_clear(&report);
	if (!err && size)
		note_size(log, set->debug_mb, notes);
	if (!err && param && mask && param->kind == MASK_DEBUG)
		dkl_note_add(notes, empty_note(log, set));
	if (!err && mask && log->note)
		dkl_note_add(notes, strdup(log->note));
	if (!err && mask && log->no_probe)
		dkl_note_add(notes, strdup(log->no_probe));
	return err;
}

int dkl_param_set(struct debuglog *log, const struct param *param, const char *value, char **notes)
{
	struct settings set __cleanup(settings) = { 0 };
	int bad, err;

	*notes = NULL;
	err = dkl_settings_copy(&set, &log->set);
	if (err)
		return err;
	bad = param->take(log, param, value, &set, notes);
	/* A write to printk changes it even if it fails. */
	if (!bad || (dkl_param_is_mask(param) && param->kind == MASK_PRINTK))
		err = dkl_param_apply(log, &set, param, notes);
	if (bad && !err)
		err = param->take(log, param, value, &set, notes);
	return err;
}
