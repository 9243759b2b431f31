/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hosts that wrote the files of lustre, and the places where they were started again. */
#include <inttypes.h>

#include "ctl/lustre_log/lustre_log.h"
#include "ctl/out/bar.h"
#include "lib/base/buf.h"

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Adds the hosts of a file, whose names have spaces between. */
static int add_hosts(struct lustre *lustre, uint32_t file, const char *names)
{
	while (*names) {
		size_t len = strcspn(names, " ");
		struct lustre_host host = { strndup(names, len), file };

		if (!host.name || dkt__append(lustre->hosts, lustre->n_hosts, host))
			return -ENOMEM;
		names += len + (names[len] == ' ');
	}
	return 0;
}

static int compare_names(const void *a, const void *b)
{
	const struct lustre_host *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

/* Adds the name of the file. */
static int make_unique(const struct lustre *lustre, struct lustre_host *host)
{
	const char *path = lustre->in.files[host->file].path;
	bool is_file = !strcmp(host->name, base_name(path));
	char *name = is_file ? strdup(path) : dkt__format("%s:%s", path, host->name);

	if (!name)
		return -ENOMEM;
	free(host->name);
	host->name = name;
	return 0;
}

/* Hosts of one name in several files may be different ones. */
static int make_all_unique(struct lustre *lustre)
{
	size_t n = lustre->n_hosts;
	struct lustre_host **sorted __cleanup(free) = calloc(n + 1, sizeof(*sorted));
	int err = sorted ? 0 : -ENOMEM;
	bool same = false;

	for (size_t i = 0; !err && i < n; i++)
		sorted[i] = &lustre->hosts[i];
	if (!err && n)
		qsort(sorted, n, sizeof(*sorted), compare_names);
	for (size_t i = 0; !err && i < n; i++) {
		bool next = i + 1 < n && !strcmp(sorted[i]->name, sorted[i + 1]->name);

		if (same || next)
			err = make_unique(lustre, sorted[i]);
		same = next;
	}
	return err;
}

int lustre_hosts_find(struct lustre *lustre)
{
	size_t n = lustre->in.pipeline.n;
	int err = 0;

	lustre->by_file = calloc(n + 1, sizeof(*lustre->by_file));
	if (!lustre->by_file)
		return -ENOMEM;
	for (size_t i = 0; !err && i < n; i++) {
		const char *hosts = dkt_source_info(lustre->in.pipeline.parts[i].source)->host;
		struct lustre_file *file = &lustre->by_file[i];
		struct lustre_host host = { .file = (uint32_t)i };

		file->first_host = (uint32_t)lustre->n_hosts;
		if (hosts) {
			err = add_hosts(lustre, host.file, hosts);
		} else {
			host.name = strdup(base_name(lustre->in.files[i].path));
			err = host.name ? dkt__append(lustre->hosts, lustre->n_hosts, host) :
					  -ENOMEM;
		}
		file->n_hosts = (uint32_t)lustre->n_hosts - file->first_host;
	}
	return err ? err : make_all_unique(lustre);
}

void lustre_hosts_clear(struct lustre *lustre)
{
	for (size_t i = 0; i < lustre->n_hosts; i++)
		free(lustre->hosts[i].name);
	free(lustre->hosts);
	free(lustre->by_file);
	lustre->hosts = NULL;
	lustre->by_file = NULL;
	lustre->n_hosts = 0;
	lustre->starts = 0;
}

uint32_t lustre_hosts_of(const struct lustre_file *file, const struct dkt_record *record)
{
	uint32_t number = file->n_hosts > 1 ? record->cpu : 0;

	return file->first_host + DKT__MIN(number, file->n_hosts - 1);
}

const char *lustre_host(const struct lustre *lustre, uint32_t host)
{
	return lustre->hosts[host].name;
}

void lustre_hosts_report(const struct lustre *lustre)
{
	for (size_t i = 0; i < lustre->in.pipeline.n; i++) {
		const struct lustre_file *file = &lustre->by_file[i];
		const char *path = lustre->in.files[i].path;
		char back[UNIT_SIZE];

		if (!file->steps)
			continue;
		duration_text(file->back, back);
		if (dkt_source_info(lustre->in.pipeline.parts[i].source)->has_wall)
			app_say("%s: the clock goes back %" PRIu64
				" times, by at most %s: it was set,"
				" or the file has logs of several boots or hosts; nothing is joined"
				" across these places",
				path, file->steps, back);
		else
			app_say("%s: the log has %" PRIu64 " boots; nothing is joined across them",
				path, file->steps + 1);
	}
	if (lustre->starts)
		app_say("Lustre was loaded again; nothing is joined across that, and lustre"
			" evictions tells when it was");
}
