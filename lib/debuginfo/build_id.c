/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds files by their build ID, in the directory of the user and where perf keeps copies of what it has recorded. */
#include "lib/debuginfo/build_id.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "lib/ctx.h"
#include "lib/inside/code.h"

/* Two digits for each byte; IDs have 20 bytes, or fewer. */
#define MAX_ID 32

static char *directory_of(const struct dkt_ctx *ctx, enum build_id_place place)
{
	const char *home = secure_getenv("HOME");

	if (place == BUILD_ID_GIVEN)
		return ctx->symbols_dir ? strdup(ctx->symbols_dir) : NULL;
	return home && home[0] == '/' ? dkt__format("%s/.debug", home) : NULL;
}

char *dkt__build_id_path(const struct dkt_ctx *ctx, enum build_id_place place, const uint8_t *id,
			 size_t n, const char *kind)
{
	char *dir __cleanup(free) = directory_of(ctx, place);
	char digits[2 * MAX_ID + 1], *path;

	if (!dir || n < 2 || n > MAX_ID)
		return NULL;
	for (size_t i = 0; i < n; i++)
		snprintf(digits + 2 * i, 3, "%02x", id[i]);
	path = dkt__format("%s/.build-id/%.2s/%s/%s", dir, digits, digits + 2, kind);
	if (path && access(path, R_OK)) {
		free(path);
		path = NULL;
	}
	return path;
}

bool dkt__build_id_is(int fd, const uint8_t *build, size_t n)
{
	Elf *elf = elf_version(EV_CURRENT) == EV_NONE ? NULL : elf_begin(fd, ELF_C_READ_MMAP, NULL);
	const void *own;
	const ssize_t n_own =
		elf && elf_kind(elf) == ELF_K_ELF ? dwelf_elf_gnu_build_id(elf, &own) : 0;
	const bool same = n && n_own > 0 && (size_t)n_own == n && !memcmp(own, build, n);

	elf_end(elf);
	return same;
}

int dkt__symbols_dir(struct dkt_ctx *ctx, const char *dir)
{
	char *ids __cleanup(free) = dkt__format("%s/.build-id", dir);
	struct stat st;

	if (!ids)
		return dkt__no_memory(ctx);
	if (stat(dir, &st))
		return dkt_fail(ctx, -errno, "open %s: %s", dir, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return dkt_fail(ctx, -ENOTDIR,
				"%s is not a directory; unpack it: mkdir DIR && tar xf %s -C DIR",
				dir, dir);
	if (stat(ids, &st))
		return dkt_fail(ctx, -ENOENT,
				"%s has no directory .build-id, by which programs are found", dir);
	ctx->symbols_dir = dkt__ctx_strndup(ctx, dir, strlen(dir));
	return ctx->symbols_dir ? 0 : dkt__no_memory(ctx);
}
