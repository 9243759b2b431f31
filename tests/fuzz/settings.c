/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes the settings' file: what is read can be written and read again as the same. */
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "log/settings.h"
#include "replay.h"

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static void compare_lists(const struct names *a, const struct names *b)
{
	size_t i;

	must(a->n == b->n);
	for (i = 0; i < a->n; i++)
		must(same_text(a->list[i], b->list[i]));
}

static void compare(const struct settings *a, const struct settings *b)
{
	must(a->debug == b->debug && a->subsystem_debug == b->subsystem_debug);
	must(a->printk == b->printk && a->debug_mb == b->debug_mb && a->made == b->made);
	must(same_text(a->filter, b->filter) && same_text(a->graph, b->graph));
	must(same_text(a->pids, b->pids) && same_text(a->cpus, b->cpus));
	must(a->children == b->children && a->recording == b->recording);
	compare_lists(&a->filtered, &b->filtered);
	compare_lists(&a->rules, &b->rules);
	compare_lists(&a->triggers, &b->triggers);
	compare_lists(&a->placed, &b->placed);
	compare_lists(&a->functions, &b->functions);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char dir[] = "/tmp/dkt-fuzz-XXXXXX";
	struct settings in, out;
	struct dkt_ctx *ctx = NULL;
	int dirfd, fd;

	must(mkdtemp(dir) && !dkt_ctx_new(NULL, &ctx));
	dirfd = open(dir, O_RDONLY | O_DIRECTORY);
	fd = openat(dirfd, "s", O_WRONLY | O_CREAT, 0600);
	must(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	close(fd);
	if (!settings_load(ctx, dirfd, "s", &in)) {
		must(!settings_save(ctx, dirfd, "s", &in));
		must(!settings_load(ctx, dirfd, "s", &out));
		compare(&in, &out);
		settings_clear(&out);
	}
	settings_clear(&in);
	unlinkat(dirfd, "s", 0);
	close(dirfd);
	rmdir(dir);
	dkt_ctx_free(ctx);
	return 0;
}
