/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The selected records: parses the options that describe them. */
#include "compat/pipeline/selection.h"

#include <inttypes.h>

#include "compat/lustre/programs.h"
#include "lib/base/parse.h"
#include "lib/base/ticks.h"
#include "lib/base/when.h"
#include "lib/inside.h"

/* The most CPUs that Linux can be built for. */
#define MAX_CPU 8191

/* Digits of a second in the trace style. */
#define DIGITS 6

/* ---- lists ---- */

static int read_list(struct dkt_ctx *ctx, const char *option, const char *text, int most,
		     int **list, size_t *n)
{
	int err = text ? dkt__parse_list(text, most, list, n) : 0;

	return err && err != -ENOMEM ?
		       dkt_fail(ctx, -EINVAL, "--%s: '%s' is not a list of numbers such as 0-3,5",
				option, text) :
		       err;
}

/* Checks the words. A chooser reads them again, because filters belong to the events of one kernel. */
static int read_events(struct dkt_ctx *ctx, const char *text, struct selection *s)
{
	int err = text ? dkl_named_read(ctx, text, &s->events) : 0;

	s->event_words = text;
	return err ? dkt__fail_in(ctx, err, "--event") : 0;
}

static int read_rate(struct dkt_ctx *ctx, const char *text, struct rate *rate)
{
	const char *bad;

	if (!text || !dkl_rate_parse(text, rate, &bad))
		return 0;
	return dkt_fail(ctx, -EINVAL,
			"--rate: '%.*s' is not a class and its number of records per second:"
			" rpctrace=100",
			(int)strcspn(bad, ","), bad);
}

/* ---- times ---- */

/* Reads SECONDS[.FRACTION] of the source's clock, like the trace style, or a time of day. */
static int read_time(struct dkt_ctx *ctx, const char *option, const char *text,
		     struct selection_time *time)
{
	const char *p = text;
	int64_t seconds = 0, part = 0;
	int n = 0;

	if (!text)
		return 0;
	for (; *p >= '0' && *p <= '9' && seconds < INT32_MAX; p++)
		seconds = seconds * 10 + (*p - '0');
	if (*p == '.')
		for (p++; *p >= '0' && *p <= '9' && n < 9; p++, n++)
			part = part * 10 + (*p - '0');
	time->given = true;
	time->around = n <= DIGITS ? 500 : 0;
	for (; n < 9; n++)
		part *= 10;
	time->wall = *p || p == text;
	time->ns = seconds * 1000000000 + part;
	if (!time->wall)
		return 0;
	time->around = 0;
	if (!dkt__parse_when(text, &time->ns))
		return 0;
	return dkt_fail(ctx, -EINVAL,
			"--%s: '%s' is not a time: SECONDS of the trace's clock, HH:MM[:SS],"
			" 'YYYY-MM-DD[ HH:MM[:SS]]', ISO 8601, @SECONDS, -N[smhd]",
			option, text);
}

int dkl_selection_check_cpus(struct dkt_ctx *ctx, const struct dkt_instance *in, const int *cpus,
			     size_t n)
{
	struct dkt_instance *top = NULL;
	int have, err = 0;

	/* A machine may have Lustre's own log alone: then nothing tells its CPUs. */
	if (n && !in && dkt_instance_open(ctx, NULL, NULL, &top))
		return 0;
	have = dkt_instance_n_cpus(in ? in : top);
	for (size_t i = 0; !err && i < n; i++)
		if (cpus[i] >= have)
			err = dkt_fail(ctx, -EINVAL, "CPU %d does not exist; the last one is %d",
				       cpus[i], have - 1);
	dkt_instance_close(top);
	return err;
}

static int to_clock(struct dkt_ctx *ctx, const struct dkt_source_info *info, const char *option,
		    const struct selection_time *time, uint64_t *ns)
{
	int64_t at = time->ns;

	if (dkt__clock_ticks(info->clock))
		return dkt_fail(ctx, -EINVAL,
				"--%s: the trace's clock %s does not count nanoseconds, so that no"
				" time can be found in it",
				option, info->clock);
	if (time->wall && !info->has_wall)
		return dkt_fail(ctx, -EINVAL,
				"--%s: the trace has no times of day; give seconds of its clock",
				option);
	if (time->wall && __builtin_sub_overflow(at, info->wall, &at))
		at = info->wall < 0 ? INT64_MAX : 1;
	/* A time before the clock began; 0 is no time at all. */
	*ns = (uint64_t)DKT__MAX(at, 1);
	return 0;
}

int dkl_selection_window(const struct selection *s, struct dkt_ctx *ctx,
			 const struct dkt_source_info *info, uint64_t *since, uint64_t *until)
{
	int err = 0;

	*since = *until = 0;
	if (s->since.given)
		err = to_clock(ctx, info, "since", &s->since, since);
	if (!err && s->until.given)
		err = to_clock(ctx, info, "until", &s->until, until);
	/* Include all records whose printed time equals since or until. */
	if (*since > (uint64_t)s->since.around)
		*since -= (uint64_t)s->since.around;
	if (s->until.given)
		*until += s->until.around ? (uint64_t)s->until.around : 1;
	return err;
}

/* Times of one clock only can be compared before the source is known. */
static int check_order(struct dkt_ctx *ctx, const struct selection_words *words,
		       const struct selection *s)
{
	if (!s->since.given || !s->until.given || s->since.wall != s->until.wall ||
	    s->since.ns <= s->until.ns)
		return 0;
	return dkt_fail(ctx, -EINVAL, "--until: '%s' is before --since '%s'", words->until,
			words->since);
}

/* ---- the selection ---- */

int dkl_selection_read(struct dkt_ctx *ctx, const struct selection_words *words,
		       struct selection *s)
{
	int err = 0;

	*s = (struct selection){ .filter = words->filter };
	if (words->classes)
		err = dkl_mask_option(ctx, "class", MASK_DEBUG, words->classes, &s->classes);
	if (!err && words->subsystems)
		err = dkl_mask_option(ctx, "subsystem", MASK_SUBSYSTEM, words->subsystems,
				      &s->subsystems);
	if (!err)
		err = read_events(ctx, words->events, s);
	if (!err)
		err = read_list(ctx, "pid", words->pids, INT32_MAX, &s->pids, &s->n_pids);
	if (!err && words->comms)
		err = dkl_programs_read(ctx, words->comms, &s->comms);
	if (!err)
		err = read_list(ctx, "cpu", words->cpus, MAX_CPU, &s->cpus, &s->n_cpus);
	if (!err)
		err = read_time(ctx, "since", words->since, &s->since);
	if (!err)
		err = read_time(ctx, "until", words->until, &s->until);
	if (!err)
		err = check_order(ctx, words, s);
	return err ? err : read_rate(ctx, words->rate, &s->rate);
}

void dkl_selection_clear(struct selection *s)
{
	dkl_named_clear(&s->events);
	dkt__strings_clear(&s->comms);
	free(s->pids);
	free(s->cpus);
	*s = (struct selection){ 0 };
}

bool dkl_selection_by_class(const struct selection *s)
{
	return s->classes || s->subsystems || s->hidden_classes || s->hidden_subsystems ||
	       s->rate.limited;
}

bool dkl_selection_is_all(const struct selection *s)
{
	return !dkl_selection_by_class(s) && !s->events.n && !s->comms.n && !s->n_pids &&
	       !s->filter;
}

static int parse_one(const char *word, size_t len, struct rate *rate)
{
	const char *equals = memchr(word, '=', len);
	int bit = equals ? dkl_mask_bit(MASK_DEBUG, word, (size_t)(equals - word)) : -EINVAL;
	const char *p = equals + 1;
	uint64_t most;

	if (bit < 0 || dkt__take_u64(&p, word + len, DKT__DEC, &most) || p != word + len || !most ||
	    most > UINT32_MAX)
		return -EINVAL;
	rate->limited |= 1u << bit;
	rate->most[bit] = (uint32_t)most;
	return 0;
}

int dkl_rate_parse(const char *text, struct rate *rate, const char **bad)
{
	size_t len;

	*rate = (struct rate){ 0 };
	for (*bad = text;; *bad += len + 1) {
		len = strcspn(*bad, ",");
		if (parse_one(*bad, len, rate))
			return -EINVAL;
		if (!(*bad)[len])
			return 0;
	}
}

bool dkl_rate_takes(struct rate *rate, uint32_t classes, int64_t time)
{
	const int64_t second = time / 1000000000;
	int bit;

	classes &= rate->limited;
	if (!classes)
		return true;
	bit = __builtin_ctz(classes);
	if (rate->second[bit] != second) {
		rate->second[bit] = second;
		rate->seen[bit] = 0;
	}
	if (rate->seen[bit] < rate->most[bit]) {
		rate->seen[bit]++;
		return true;
	}
	rate->dropped++;
	return false;
}

void dkl_rate_report(struct rate *rate, const char *self)
{
	fflush(stdout);
	if (rate->dropped)
		fprintf(stderr, "%s: %" PRIu64 " records dropped by --rate\n", self, rate->dropped);
	rate->dropped = 0;
}
