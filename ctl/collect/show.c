/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shows how a collection goes, and what the hosts have written. */
#include <inttypes.h>
#include <sys/mman.h>

#include "compat/io/say.h"
#include "ctl/app/print.h"
#include "ctl/collect/collect.h"
#include "fleet/remote/words.h"
#include "lib/base/memory.h"
#include "lib/base/when.h"

/*
 * How often collection.json is written: it has the measurements of all clocks. The first ones tell most, and who
 * loads needs all of them soon.
 */
#define DESCRIBE_NS UINT64_C(60000000000)
#define RENEW_NS    UINT64_C(2000000000)

/* ---- progress ---- */

void collect_unshow(struct collect *collect)
{
	if (collect->shown)
		fprintf(stderr, "\r\033[K");
	collect->shown = false;
}

struct count {
	size_t running, waiting, ended, failed;
	uint64_t bytes;
};

static struct count count_hosts(const struct fleet *fleet)
{
	struct count count = { 0 };

	for (size_t i = 0; i < fleet->n; i++) {
		const struct fleet_host *host = &fleet->hosts[i];

		count.bytes += host->bytes;
		if (host->state == FLEET_RUNNING)
			count.running++;
		else if (host->state == FLEET_ENDED)
			count.ended++;
		else if (host->state == FLEET_FAILED)
			count.failed++;
		else
			count.waiting++;
	}
	return count;
}

static void show_line(struct collect *collect, const struct fleet *fleet, double seconds)
{
	const struct count count = count_hosts(fleet);

	fprintf(stderr,
		"\r%zu hosts: %zu running, %zu connecting, %zu ended, %zu failed: ", fleet->n,
		count.running, count.waiting, count.ended, count.failed);
	progress_amount((double)count.bytes, "B");
	fprintf(stderr, ", ");
	progress_amount((double)(count.bytes - collect->looked_bytes) / seconds, "B/s");
	fprintf(stderr, "\033[K");
	collect->looked_bytes = count.bytes;
	collect->shown = true;
}

static void tell_breaks(struct collect *collect, struct fleet *fleet)
{
	for (size_t i = 0; i < fleet->n; i++) {
		struct fleet_host *host = &fleet->hosts[i];

		if (host->told == host->breaks || host_is_over(host))
			continue;
		host->told = host->breaks;
		collect_unshow(collect);
		app_say("%s: %s; trying again", host->name, host->message);
	}
}

/* A description on the disk helps if this program is killed. */
static bool must_describe(const struct collect *collect, uint64_t now)
{
	const struct fleet *fleet = &collect->fleet;
	uint64_t pause = collect->numbers ? RENEW_NS : (now - collect->began) / 4;

	for (size_t i = 0; i < fleet->n; i++)
		if (fleet->hosts[i].described != fleet->hosts[i].state)
			return true;
	pause = DKT__MAX(DKT__MIN(pause, DESCRIBE_NS), RENEW_NS);
	return now - collect->described > pause;
}

void collect_look(void *data, struct fleet *fleet)
{
	struct collect *collect = data;
	const uint64_t now = dkt__monotonic_ns();

	tell_breaks(collect, fleet);
	if (now - collect->looked < (uint64_t)DKT__NSEC_PER_SEC)
		return;
	if (must_describe(collect, now) && !collect_describe(collect, false))
		collect->described = now;
	if (collect->looked && isatty(STDERR_FILENO) && !(collect->action->flags & ACTION_LINES))
		show_line(collect, fleet, (double)(now - collect->looked) / 1e9);
	collect->looked = now;
}

/* ---- hosts that are over ---- */

/* Prints each line with the host's name; the tool's own there is not repeated. */
static void tell_lines(const struct fleet_host *host)
{
	static const char own[] = "dktrace: ";
	char *text __cleanup(free) = host->errors.len ? strdup(host->errors.data) : NULL;
	char *save = NULL;

	for (char *line = text ? strtok_r(text, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save)) {
		if (!strncmp(line, own, strlen(own)))
			line += strlen(own);
		app_say("%s: %s", host->name, line);
	}
}

void collect_over(void *data, struct fleet_host *host)
{
	struct collect *collect = data;

	collect_unshow(collect);
	/* A recording that has succeeded only repeats what the table says. */
	if (host->status || !(collect->action->flags & ACTION_RECORDING))
		tell_lines(host);
	if (host->state == FLEET_FAILED)
		app_say("%s: %s", host->name, host->message ?: "failed");
}

/* ---- what the hosts have written ---- */

/* Hosts that have written the same. */
struct group {
	const char *text;
	size_t len;
	uint32_t *hosts; /* their numbers */
	size_t n;
};

static int map_file(struct dkt_ctx *ctx, const struct fleet_host *host, const char **text)
{
	void *bytes = NULL;

	if (host->bytes)
		bytes = mmap(NULL, host->bytes, PROT_READ, MAP_SHARED, host->file, 0);
	if (bytes == MAP_FAILED)
		return dkt_fail(ctx, -errno, "read the output of %s: %s", host->name,
				strerror(errno));
	*text = bytes;
	return 0;
}

static int add_to_group(struct dkt_ctx *ctx, struct group *groups, size_t *n,
			const struct fleet_host *host)
{
	const char *text = NULL;
	size_t i = 0;
	int err = map_file(ctx, host, &text);

	if (err)
		return err;
	while (i < *n && (groups[i].len != host->bytes ||
			  (host->bytes && memcmp(groups[i].text, text, host->bytes) != 0)))
		i++;
	if (i == *n)
		groups[(*n)++] = (struct group){ .text = text, .len = host->bytes };
	else if (host->bytes)
		munmap((void *)text, host->bytes);
	return dkt__append(groups[i].hosts, groups[i].n, host->number) ? dkt__no_memory(ctx) : 0;
}

static int print_group(const struct collect *collect, const struct group *group)
{
	static const char rule[] = "----------------";
	char *names __cleanup(free) = collect_fold(collect, group->hosts, group->n);

	if (!names)
		return dkt__no_memory(collect->app->ctx);
	puts(rule);
	if (group->n > 1)
		dkl_say_line(stdout, "%s (%zu)", names, group->n);
	else
		dkl_say_line(stdout, "%s", names);
	puts(rule);
	dkl_say_text(stdout, group->text ?: "", group->len);
	if (group->len && group->text[group->len - 1] != '\n')
		putchar('\n');
	return 0;
}

int collect_print(struct collect *collect)
{
	struct dkt_ctx *ctx = collect->app->ctx;
	struct group *groups __cleanup(free) = calloc(collect->fleet.n, sizeof(*groups));
	size_t n = 0;
	int err = groups ? 0 : dkt__no_memory(ctx);

	/* A host that has failed may have written something before. */
	for (size_t i = 0; !err && i < collect->fleet.n; i++)
		if (collect->fleet.hosts[i].bytes)
			err = add_to_group(ctx, groups, &n, &collect->fleet.hosts[i]);
	for (size_t i = 0; i < n; i++) {
		if (!err)
			err = print_group(collect, &groups[i]);
		munmap((void *)groups[i].text, groups[i].len);
		free(groups[i].hosts);
	}
	return err;
}

/* ---- the table ---- */

static const struct column columns[] = {
	{ "host", COL_TEXT, 0, NULL, NULL, 0 },
	{ "state", COL_TEXT, 0, NULL, NULL, 0 },
	{ "bytes", COL_BYTES, 0, NULL, NULL, 0 },
	{ "clock_error", COL_DURATION, 0, "CLOCK ERROR", "-", 0 },
	{ "breaks", COL_NUMBER, 0, NULL, NULL, 0 },
	{ "message", COL_TEXT, COL_FOLD, NULL, NULL, 0 },
};

static const char *state_of(const struct fleet_host *host)
{
	if (host->state != FLEET_ENDED)
		return "failed";
	return !host->status ? "complete" : host->status == EXIT_LOST ? "lost records" : "error";
}

static void add_row(struct rows *rows, const struct fleet_host *host,
		    const struct collection_host *about)
{
	static const char own[] = "dktrace: standard output: ";
	char *text __cleanup(free) = host->errors.len ? strdup(host->errors.data) : NULL;
	const char *words = host->state == FLEET_FAILED ? host->message : words_last(text);
	uint64_t error;

	if (words && !strncmp(words, own, strlen(own)))
		words += strlen(own);
	rows_add(rows, val_text(host->name), val_text(state_of(host)), val_number(host->bytes),
		 collection_error(about, &error) ? NULL : val_number(error),
		 val_number(host->breaks), val_words(words));
}

int collect_table(struct collect *collect)
{
	struct rows *rows = rows_new("hosts", columns, ARRAY_SIZE(columns));

	for (size_t i = 0; i < collect->fleet.n; i++)
		add_row(rows, &collect->fleet.hosts[i], &collect->about.hosts[i]);
	return print_rows(collect->app, 0, rows, NULL);
}
