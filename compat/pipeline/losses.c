/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts losses: records that a source lost or could not read, and the messages about them. */
#include "compat/pipeline/losses.h"

#include <inttypes.h>

#include "compat/io/say.h"
#include "compat/lustre/message/cdebug.h"
#include "lib/base/buf.h"
#include "lib/base/io.h"

static int make_room(struct losses *losses, int cpus)
{
	return cpus < 1 || dkt__reach(losses->by_cpu, losses->cpus, (size_t)cpus - 1) ? 0 : -ENOMEM;
}

/* Several readers of a file report the same damage; one may report more than the others. */
static int add_damage(struct losses *losses, const char *damage)
{
	char *copy;

	if (!damage || (losses->damage && strlen(losses->damage) >= strlen(damage)))
		return 0;
	copy = strdup(damage);
	if (!copy)
		return -ENOMEM;
	free(losses->damage);
	losses->damage = copy;
	return 0;
}

void dkl_losses_add_missed(const struct dkt__missed *list, uint64_t *messages, uint64_t *others)
{
	for (; list; list = list->next) {
		if (!strcmp(list->probe, CDEBUG_GROUP ":" CDEBUG_NAME))
			*messages += list->n;
		/* The other probes on messages miss parts of the same ones. */
		else if (!dkl_cdebug_is_named(list->probe))
			*others += list->n;
	}
}

/* Several readers of a file tell the same. */
static void raise_missed(struct losses *losses, const struct dkt_source *source)
{
	uint64_t messages = 0, others = 0;

	dkl_losses_add_missed(dkt__source_missed(source), &messages, &others);
	losses->messages = DKT__MAX(losses->messages, messages);
	losses->missed = DKT__MAX(losses->missed, others);
}

int dkl_losses_count(struct losses *losses, struct dkt_source *source)
{
	const struct dkt_source_info *info = dkt_source_info(source);
	int one, err = make_room(losses, info->cpus);

	/* Without memory for the CPUs, the sums still count all of them. */
	for (int cpu = 0; cpu < info->cpus; cpu++) {
		struct dkt_loss loss = { 0 };

		one = dkt_source_get_loss(source, cpu, &loss, sizeof(loss));
		err = err ? err : one;
		losses->seen += loss.seen;
		losses->bad += loss.bad;
		losses->lost += loss.lost;
		if (cpu < losses->cpus)
			losses->by_cpu[cpu] += loss.lost;
	}
	raise_missed(losses, source);
	losses->growing |= info->growing;
	one = add_damage(losses, info->damage);
	return err ? err : one;
}

int dkl_losses_raise(struct losses *losses, struct dkt_source *source, uint64_t *by)
{
	int err = make_room(losses, dkt_source_info(source)->cpus);
	const uint64_t before = losses->lost;
	struct dkt_loss loss;

	for (int cpu = 0; cpu < losses->cpus; cpu++) {
		if (dkt_source_get_loss(source, cpu, &loss, sizeof(loss)) ||
		    loss.lost <= losses->by_cpu[cpu])
			continue;
		losses->lost += loss.lost - losses->by_cpu[cpu];
		losses->by_cpu[cpu] = loss.lost;
	}
	if (by)
		*by = losses->lost - before;
	return err;
}

int dkl_losses_damage(const char *lacks, const struct dkt_source_info *info, char **words)
{
	*words = lacks || info->damage ?
			 dkt__format("%s%s%s", lacks ?: "", lacks && info->damage ? "; " : "",
				     info->damage ?: "") :
			 NULL;
	return !*words && (lacks || info->damage) ? -ENOMEM : 0;
}

void dkl_losses_clear(struct losses *losses)
{
	free(losses->by_cpu);
	free(losses->damage);
	*losses = (struct losses){ 0 };
}

/* "cpu 0: N, cpu 3: M"; the caller frees it. */
static char *cpus_text(const struct losses *losses)
{
	struct dkt_buf buf = { 0 };
	int n = 0;

	for (int cpu = 0; cpu < losses->cpus; cpu++)
		if (losses->by_cpu[cpu])
			dkt_buf_printf(&buf, "%scpu %d: %" PRIu64, n++ ? ", " : "", cpu,
				       losses->by_cpu[cpu]);
	return dkt__buf_take(&buf);
}

static void report_lost(const struct losses *losses, const char *self, const char *name,
			const char *advice)
{
	char *cpus __cleanup(free) = cpus_text(losses);
	const char *least = losses_words(losses_is_least(losses));

	if (!losses->lost)
		dkl_say_line(stderr, "%s: %s: an unknown number of records was lost", self, name);
	else if (name)
		dkl_say_line(stderr,
			     "%s: %s: %s%" PRIu64 " of %s%" PRIu64 " records were lost (%s)", self,
			     name, least, losses->lost, least, losses->seen + losses->lost,
			     cpus ? cpus : "");
	else
		dkl_say_line(stderr,
			     "%s: %" PRIu64 " records were lost before they were read (%s); %s",
			     self, losses->lost, cpus ? cpus : "", advice);
}

bool dkl_losses_report_missed(uint64_t messages, uint64_t others, const char *self,
			      const char *name)
{
	dkl_cdebug_report_missed(messages, self, name, name ? "" : CDEBUG_ELSEWHERE);
	if (others)
		dkl_say_line(
			stderr,
			"%s%s%s: records that probes did not make because they were busy: %" PRIu64,
			self, name ? ": " : "", name ? name : "", others);
	return messages || others;
}

enum losses_verdict dkl_losses_report(const struct losses *losses, const char *self,
				      const char *name, const char *advice)
{
	bool lost = losses->lost || (name && losses->gaps);

	fflush(stdout);
	if (lost)
		report_lost(losses, self, name, advice);
	lost |= dkl_losses_report_missed(losses->messages, losses->missed, self, name);
	if (name && losses->growing)
		dkl_say_line(stderr, "%s: %s: the recording has not ended", self, name);
	if (!name || (!losses->damage && !losses->bad))
		return lost ? LOSSES_LOST : LOSSES_NONE;
	if (!losses->bad)
		dkl_say_line(stderr, "%s: %s: %s", self, name, losses->damage);
	else
		dkl_say_line(stderr, "%s: %s: %s%s%" PRIu64 " %s invalid data", self, name,
			     losses->damage ? losses->damage : "", losses->damage ? "; " : "",
			     losses->bad, losses->bad == 1 ? "place has" : "places have");
	return LOSSES_DAMAGE;
}
