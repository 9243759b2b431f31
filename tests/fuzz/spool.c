/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes a spool's file: it is used or created again, and works. */
#include <fcntl.h>

#include "lib/source/live/spool.h"
#include "lib/source/page.h"
#include "tests/fuzz/replay.h"

#define PAGE 4096

static void walk_all(struct dkt__spool *spool, struct dkt__page *page)
{
	struct dkt__page_record rec;
	uint32_t nr, pages = dkt__spool_pages(spool);

	must(dkt__spool_start(spool).page <= pages);
	for (nr = dkt__spool_start(spool).page; nr < pages; nr++) {
		int end = dkt__page_load(page, dkt__spool_page(spool, nr),
					 dkt__spool_start(spool).offset, &rec);

		while (!end)
			end = dkt__page_next(page, &rec);
	}
}

static void open_walk(struct dkt_ctx *ctx, int dirfd, struct dkt__page *page)
{
	struct dkt__spool spool;
	uint32_t before;
	int err;

	must(!dkt__spool_open(ctx, &spool, dirfd, 0, PAGE, 1));
	walk_all(&spool, page);
	before = dkt__spool_pages(&spool);
	if (dkt__spool_room(&spool, &err)) {
		dkt__spool_commit(&spool);
		must(dkt__spool_pages(&spool) == before + 1);
	}
	dkt__spool_close(&spool);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char dir[] = "/tmp/dkt-fuzz-XXXXXX";
	struct dkt__page page = { .size = PAGE };
	struct dkt_ctx *ctx = NULL;
	int dirfd, fd;

	must(mkdtemp(dir) && !dkt_ctx_new(NULL, &ctx));
	dirfd = open(dir, O_RDONLY | O_DIRECTORY);
	fd = openat(dirfd, "cpu0", O_WRONLY | O_CREAT, 0600);
	must(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	/* The head is in the first page; a short input is followed by pages of zeros. */
	if (size > 64)
		must(!ftruncate(fd, 4096 * 4));
	close(fd);
	open_walk(ctx, dirfd, &page);
	open_walk(ctx, dirfd, &page);
	unlinkat(dirfd, "cpu0", 0);
	close(dirfd);
	rmdir(dir);
	dkt_ctx_free(ctx);
	return 0;
}
