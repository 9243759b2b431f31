/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds events of a PMU by its format in sysfs: "cpu/event=0x3c,umask=1/u", "power/energy-pkg/". */
#include "lib/base/guess.h"
#include "lib/base/io.h"
#include "lib/base/parse.h"
#include "lib/base/strings.h"
#include "lib/perf_event.h"

#define FILE_MAX 4096

/* Where a text of terms is read into. */
struct pmu {
	struct dkt_ctx *ctx;
	const char *dir; /* of all PMUs */
	const char *name; /* as the user wrote the event */
	char *pmu;
	struct dkt__perf_event *event;
};

/* Reads a file of the PMU without its last newline. -ENOENT: it has no such file. */
static int read_text(const struct pmu *pmu, const char *kind, const char *file, char **text)
{
	char *path __cleanup(free) = dkt__format("%s/%s%s/%s", pmu->dir, pmu->pmu, kind, file);
	size_t len;
	int err = path ? dkt__read_file(path, FILE_MAX, text, &len) : -ENOMEM;

	if (!err)
		(*text)[strcspn(*text, "\n")] = '\0';
	return err;
}

static bool is_name(const char *text)
{
	return *text && *text != '.' && !strchr(text, '/');
}

/* ---- fields of the format ---- */

static uint64_t *config_of(struct perf_event_attr *attr, const char *name, size_t len)
{
	if (len == strlen("config") && !memcmp(name, "config", len))
		return (uint64_t *)&attr->config;
	if (len == strlen("config1") && !memcmp(name, "config1", len))
		return (uint64_t *)&attr->config1;
	if (len == strlen("config2") && !memcmp(name, "config2", len))
		return (uint64_t *)&attr->config2;
	return NULL;
}

/* Puts the lowest bits of the value into these bits of the word, and returns the others. */
static uint64_t put_bits(uint64_t *word, uint64_t first, uint64_t last, uint64_t value)
{
	const unsigned int n = (unsigned int)(last - first + 1);
	const uint64_t mask = n > 63 ? UINT64_MAX : (UINT64_C(1) << n) - 1;

	*word = (*word & ~(mask << first)) | (value & mask) << first;
	return n > 63 ? 0 : value >> n;
}

/* "config:0-7,32-35": the value's bits, the lowest first, go to these of the word. */
static int put_value(const struct pmu *pmu, const char *term, const char *format, uint64_t value)
{
	const char *p = strchr(format, ':');
	uint64_t *word = p ? config_of(&pmu->event->attr, format, (size_t)(p - format)) : NULL;
	uint64_t first, last, left = value;

	while (word && p && *p) {
		p++;
		if (dkt__take_range(&p, 63, &first, &last) || (*p && *p != ','))
			word = NULL;
		else
			left = put_bits(word, first, last, left);
	}
	if (!word)
		return dkt_fail(pmu->ctx, -EINVAL, "%s: the format of '%s' is not known: '%s'",
				pmu->name, term, format);
	return left ? dkt_fail(pmu->ctx, -ERANGE, "%s: %#llx is too large for '%s'", pmu->name,
			       (unsigned long long)value, term) :
		      0;
}

static void guess_in(struct dkt__guess *guess, const struct pmu *pmu, const char *sub)
{
	char *path __cleanup(free) = dkt__format("%s/%s", pmu->dir, sub);
	DIR *dir __cleanup(closedir) = path ? opendir(path) : NULL;
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (is_name(entry->d_name))
			dkt__guess_try(guess, entry->d_name);
}

static int no_term(const struct pmu *pmu, const char *term)
{
	static const char *const subs[] = { "events", "format" };
	struct dkt__guess guess;

	dkt__guess_start(&guess, term, strlen(term));
	for (size_t i = 0; i < ARRAY_SIZE(subs); i++) {
		char *sub __cleanup(free) = dkt__format("%s/%s", pmu->pmu, subs[i]);

		if (sub)
			guess_in(&guess, pmu, sub);
	}
	return dkt_fail(pmu->ctx, -ENOENT, "%s: the PMU %s has no event or field '%s'%s", pmu->name,
			pmu->pmu, term, dkt__guess_words(&guess));
}

static int set_field(const struct pmu *pmu, const char *term, const char *number)
{
	char *format __cleanup(free) = NULL;
	uint64_t *word = config_of(&pmu->event->attr, term, strlen(term));
	uint64_t value = 1;
	int err = number ? dkt__parse_u64(number, DKT__AS_C, &value) : 0;

	if (err)
		return dkt_fail(pmu->ctx, err, "%s: '%s' is not a number for '%s'", pmu->name,
				number, term);
	if (word) {
		*word = value;
		return 0;
	}
	err = is_name(term) ? read_text(pmu, "/format", term, &format) : -ENOENT;
	if (err == -ENOENT)
		return no_term(pmu, term);
	return err ? dkt_fail(pmu->ctx, err, "%s: read the format of '%s': %s", pmu->name, term,
			      strerror(-err)) :
		     put_value(pmu, term, format, value);
}

/* ---- terms ---- */

static int set_fields(const struct pmu *pmu, char *terms)
{
	int err = 0;

	for (char *rest = terms, *term; !err && (term = strsep(&rest, ","));) {
		char *number = strchr(term, '=');

		if (number)
			*number++ = '\0';
		err = set_field(pmu, term, number);
	}
	return err;
}

/* Reads the meaning of the counts of a PMU's own event: "energy-pkg.scale" and "energy-pkg.unit". */
static void read_unit(const struct pmu *pmu, const char *alias)
{
	char *scale_file __cleanup(free) = dkt__format("%s.scale", alias);
	char *unit_file __cleanup(free) = dkt__format("%s.unit", alias);
	char *scale __cleanup(free) = NULL;
	char *unit __cleanup(free) = NULL;
	double value;

	if (scale_file && !read_text(pmu, "/events", scale_file, &scale)) {
		value = strtod(scale, NULL);
		pmu->event->scale = value > 0 && value < 1e18 ? value : 1;
	}
	if (unit_file && !read_text(pmu, "/events", unit_file, &unit))
		snprintf(pmu->event->unit, sizeof(pmu->event->unit), "%s", unit);
}

/* An event of the PMU stands for fields. -ENOENT: it is none. */
static int set_alias(const struct pmu *pmu, const char *term)
{
	char *fields __cleanup(free) = NULL;
	int err = is_name(term) ? read_text(pmu, "/events", term, &fields) : -ENOENT;

	if (err)
		return err == -ENOENT ? err :
					dkt_fail(pmu->ctx, err, "%s: read event '%s': %s",
						 pmu->name, term, strerror(-err));
	read_unit(pmu, term);
	err = set_fields(pmu, fields);
	return err ? dkt_fail(pmu->ctx, -EINVAL, "%s: the event needs fields of its own: '%s'",
			      pmu->name, fields) :
		     0;
}

static int set_terms(const struct pmu *pmu, char *terms)
{
	int err = 0;

	for (char *rest = terms, *term; !err && (term = strsep(&rest, ","));) {
		err = strchr(term, '=') ? -ENOENT : set_alias(pmu, term);
		if (err == -ENOENT)
			err = set_fields(pmu, term);
	}
	return err;
}

/* ---- PMUs ---- */

static int no_pmu(const struct pmu *pmu)
{
	struct dkt__guess guess;

	dkt__guess_start(&guess, pmu->pmu, strlen(pmu->pmu));
	guess_in(&guess, pmu, "");
	return dkt_fail(pmu->ctx, -ENOENT, "%s: this machine has no PMU '%s'%s", pmu->name,
			pmu->pmu, dkt__guess_words(&guess));
}

static int read_type(const struct pmu *pmu)
{
	char *type __cleanup(free) = NULL;
	char *cpus __cleanup(free) = NULL;
	int64_t number;

	if (!is_name(pmu->pmu) || read_text(pmu, "", "type", &type) ||
	    dkt__parse_int(type, 0, UINT32_MAX, &number))
		return no_pmu(pmu);
	pmu->event->attr.type = (uint32_t)number;
	if (!read_text(pmu, "", "cpumask", &cpus))
		snprintf(pmu->event->cpus, sizeof(pmu->event->cpus), "%s", cpus);
	return 0;
}

int dkt__pmu_find(struct dkt_ctx *ctx, const char *dir, const char *name,
		  struct dkt__perf_event *event)
{
	char *copy __cleanup(free) = strdup(name), *terms, *letters;
	const struct pmu pmu = { .ctx = ctx, .dir = dir, .name = name, .pmu = copy, .event = event };
	int err;

	if (!copy)
		return dkt__no_memory(ctx);
	terms = strchr(copy, '/');
	letters = terms ? strchr(terms + 1, '/') : NULL;
	if (!letters)
		return dkt_fail(ctx, -EINVAL, "'%s' has no second slash; write PMU/EVENT/", name);
	*terms++ = *letters++ = '\0';
	letters += *letters == ':';
	if (*letters && !dkt__perf_modifiers(letters, &event->attr))
		return dkt_fail(ctx, -EINVAL, "%s: '%s' are not modifiers; these are u, k and h",
				name, letters);
	err = read_type(&pmu);
	return err || !*terms ? err : set_terms(&pmu, terms);
}
