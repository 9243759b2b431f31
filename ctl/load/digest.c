/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A number that tells the contents of a file from others. */
#include <endian.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "ctl/app/privileges.h"
#include "ctl/load/load.h"
#include "lib/base/io.h"
#include "lib/base/keymap.h"
#include "lib/base/memory.h"

#define CHUNK (1u << 20)

static uint64_t mix_bytes(uint64_t h, const char *bytes, size_t n)
{
	uint64_t word;

	for (; n >= sizeof(word); bytes += sizeof(word), n -= sizeof(word)) {
		memcpy(&word, bytes, sizeof(word));
		h = dkt__mix(h, le64toh(word));
	}
	for (; n; n--)
		h = dkt__mix(h, (unsigned char)*bytes++);
	return h;
}

static int digest_file(int fd, uint64_t *digest)
{
	char *buffer __cleanup(free) = dkt__read_buffer(CHUNK);
	uint64_t at = 0;
	ssize_t n;

	if (!buffer)
		return -ENOMEM;
	while ((n = dkt__pread_all(fd, buffer, CHUNK, at)) > 0) {
		*digest = mix_bytes(*digest, buffer, (size_t)n);
		at += (uint64_t)n;
	}
	*digest = dkt__mix(*digest, at);
	return n < 0 ? (int)n : 0;
}

static int digest_at(int dir, const char *name, uint64_t *digest);

/* A directory's names count too, in order. */
static int digest_dir(int fd, uint64_t *digest)
{
	struct dkt__strings names;
	int err = dkt__list_dir(fd, ".", &names);

	for (size_t i = 0; !err && i < names.n; i++) {
		*digest = mix_bytes(*digest, names.list[i], strlen(names.list[i]));
		err = digest_at(fd, names.list[i], digest);
	}
	dkt__strings_clear(&names);
	return err;
}

static int digest_at(int dir, const char *name, uint64_t *digest)
{
	int fd __cleanup(close) = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return -errno;
	if (S_ISDIR(st.st_mode))
		return digest_dir(fd, digest);
	/* A pipe's bytes are gone when they have been read. */
	return S_ISREG(st.st_mode) ? digest_file(fd, digest) : -ESPIPE;
}

static int refuse_pipe(const struct app *app, const char *path)
{
	return dkt_fail(app->ctx, -ESPIPE,
			"%s: only files can be loaded, since they are read twice", path);
}

int load_refuse_pipe(const struct app *app, const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISFIFO(st.st_mode) ? refuse_pipe(app, path) : 0;
}

int load_digest(const struct app *app, const char *path, uint64_t *digest)
{
	int fd = privileges_file(app, path) - 1;
	int err = fd >= 0 ? digest_file(fd, digest) : digest_at(AT_FDCWD, path, digest);

	if (err == -ESPIPE)
		return refuse_pipe(app, path);
	return err && err != -ENOMEM ? dkt_fail(app->ctx, err, "%s: %s", path, strerror(-err)) :
				       dkt__with_words(app->ctx, err);
}
