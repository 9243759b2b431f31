/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Maps a file into memory, and reads numbers in the file's byte order. */
#include <byteswap.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "lib/base/io.h"
#include "lib/source/file.h"

/* A page fault may map this many bytes around the page. */
#define AROUND (64u << 10)

/* A mapped file, which is unmapped at the end of the context. */
struct kept {
	void *map;
	size_t size;
	int fd;
};

static void unmap(void *data)
{
	struct kept *kept = data;

	munmap(kept->map, kept->size);
	close(kept->fd);
}

/* Takes the file over, also when it fails: -ENOMEM. */
static int keep(struct dkt_ctx *ctx, struct kept file)
{
	struct kept *kept = dkt__ctx_keep(ctx, sizeof(*kept));

	if (kept)
		*kept = file;
	if (kept && !dkt__ctx_at_end(ctx, unmap, kept))
		return 0;
	unmap(&file);
	return dkt__no_memory(ctx);
}

/*
 * /proc/kcore, which cannot be mapped and is as long as all addresses: reads the beginning, which
 * tells its kind.
 */
#define START (64u << 10)

static int read_start(struct dkt_ctx *ctx, int fd, struct dkt__file *file)
{
	uint8_t *data = dkt__ctx_keep(ctx, START);
	ssize_t n = data ? dkt__pread_all(fd, data, START, 0) : -ENOMEM;

	if (n == -ENOMEM)
		return dkt__no_memory(ctx);
	if (n <= 0)
		return dkt_fail(ctx, n ? (int)n : -ENODATA, "read %s: %s", file->name,
				strerror(n ? (int)-n : ENODATA));
	file->data = data;
	file->size = (size_t)n;
	return 0;
}

static bool is_proc(int fd)
{
	struct statfs fs;

	return !fstatfs(fd, &fs) && fs.f_type == PROC_SUPER_MAGIC;
}

static void close_later(void *data)
{
	close((int)(intptr_t)data);
}

int dkt__file_open(struct dkt_ctx *ctx, const char *path, const char *name, int fd_plus_1,
		   struct dkt__file *file)
{
	int err, fd __cleanup(close) =
			 fd_plus_1 ? fcntl(fd_plus_1 - 1, F_DUPFD_CLOEXEC, 0) :
				     open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;
	void *data;

	*file = (struct dkt__file){ 0 };
	if (fd < 0 || fstat(fd, &st))
		return dkt_fail(ctx, -errno, "open %s: %s", name, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return dkt_fail(ctx, S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL,
				"open %s: not a regular file", name);
	if (!st.st_size)
		return dkt_fail(ctx, -ENODATA, "read %s: the file is empty", name);
	file->whole = (uint64_t)st.st_size;
	if (is_proc(fd)) {
		file->name = dkt__ctx_strndup(ctx, name, strlen(name));
		err = file->name ? read_start(ctx, fd, file) : dkt__no_memory(ctx);
		if (!err)
			err = dkt__with_words(ctx, dkt__ctx_at_end(ctx, close_later,
								   (void *)(intptr_t)fd));
		if (err)
			return err;
		file->fd = fd;
		fd = -1;
		return 0;
	}
	data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		return dkt_fail(ctx, -errno, "map %s: %s", name, strerror(errno));
	file->fd = fd;
	fd = -1;
	err = keep(ctx, (struct kept){ data, (size_t)st.st_size, file->fd });
	file->name = err ? NULL : dkt__ctx_strndup(ctx, name, strlen(name));
	if (!file->name)
		return dkt__no_memory(ctx);
	file->data = data;
	file->size = (size_t)st.st_size;
	return 0;
}

int dkt__file_grow(struct dkt_ctx *ctx, const char *name, int fd, uint64_t most,
		   struct dkt__file *file)
{
	void *data = mmap(NULL, most, PROT_READ, MAP_SHARED | MAP_NORESERVE, fd, 0);
	int err;

	*file = (struct dkt__file){ .whole = most, .fd = fd };
	if (data == MAP_FAILED) {
		err = -errno;
		close(fd);
		return dkt_fail(ctx, err, "map %s: %s", name, strerror(-err));
	}
	err = keep(ctx, (struct kept){ data, most, fd });
	file->name = err ? NULL : dkt__ctx_strndup(ctx, name, strlen(name));
	if (!file->name)
		return dkt__no_memory(ctx);
	file->data = data;
	return 0;
}

void dkt__file_forget(const struct dkt__file *file, const uint8_t *from, const uint8_t *to)
{
	uintptr_t start = (uintptr_t)from & ~(uintptr_t)(AROUND - 1);

	start = DKT__MAX(start, (uintptr_t)file->data);
	madvise((void *)start, (uintptr_t)to - start, MADV_DONTNEED);
}

const uint8_t *dkt__cursor_bytes(struct dkt__cursor *cur, uint64_t n)
{
	const uint8_t *p = cur->p;

	if (cur->bad || n > dkt__cursor_left(cur)) {
		cur->bad = true;
		return NULL;
	}
	cur->p += n;
	return p;
}

uint64_t dkt__cursor_number(struct dkt__cursor *cur, unsigned int n)
{
	const uint8_t *p = dkt__cursor_bytes(cur, n);
	uint16_t u16;
	uint32_t u32;
	uint64_t u64;

	if (!p)
		return 0;
	switch (n) {
	case 1:
		return *p;
	case 2:
		memcpy(&u16, p, sizeof(u16));
		return cur->swap ? bswap_16(u16) : u16;
	case 4:
		memcpy(&u32, p, sizeof(u32));
		return cur->swap ? bswap_32(u32) : u32;
	default:
		memcpy(&u64, p, sizeof(u64));
		return cur->swap ? bswap_64(u64) : u64;
	}
}

const char *dkt__cursor_string(struct dkt__cursor *cur)
{
	const char *text = (const char *)cur->p;
	const uint8_t *end = cur->bad ? NULL : memchr(cur->p, '\0', dkt__cursor_left(cur));

	if (!end) {
		cur->bad = true;
		return "";
	}
	cur->p = end + 1;
	return text;
}
