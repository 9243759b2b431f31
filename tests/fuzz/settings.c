/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes the file of settings: settings can be written and read back unchanged. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compat/log/settings.h"
#include "tests/fuzz/replay.h"

/* The file of that name; the caller frees it. */
static char *read_all(int dirfd, const char *name)
{
	FILE *f = fdopen(openat(dirfd, name, O_RDONLY), "r");
	char *text = NULL;
	size_t size = 0;

	must(f && (getdelim(&text, &size, '\0', f) > 0 || feof(f)));
	fclose(f);
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char dir[] = "/tmp/dkt-fuzz-XXXXXX";
	struct settings in, out;
	struct dkt_ctx *ctx = NULL;
	char *first, *second;
	int dirfd, fd;

	must(mkdtemp(dir) && !dkt_ctx_new(NULL, &ctx));
	dirfd = open(dir, O_RDONLY | O_DIRECTORY);
	fd = openat(dirfd, "s", O_WRONLY | O_CREAT, 0600);
	must(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	close(fd);
	if (!dkl_settings_load(ctx, dirfd, "s", &in)) {
		must(!dkl_settings_save(ctx, dirfd, "first", &in));
		must(!dkl_settings_load(ctx, dirfd, "first", &out));
		must(!dkl_settings_save(ctx, dirfd, "second", &out));
		first = read_all(dirfd, "first");
		second = read_all(dirfd, "second");
		must(!strcmp(first, second));
		free(first);
		free(second);
		dkl_settings_clear(&out);
	}
	dkl_settings_clear(&in);
	unlinkat(dirfd, "s", 0);
	unlinkat(dirfd, "first", 0);
	unlinkat(dirfd, "second", 0);
	close(dirfd);
	rmdir(dir);
	dkt_ctx_free(ctx);
	return 0;
}
