/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Decompresses the files of gzip, xz, bzip2 and zstd that a command reads. */
#include "ctl/input/unpack.h"

#include <bzlib.h>
#include <fcntl.h>
#include <lzma.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "lib/base/buf.h"
#include "lib/base/compress.h"
#include "lib/base/memory.h"
#include "lib/base/stop.h"
#include "lib/base/temporary.h"
#include "lib/inside.h"

#define CHUNK (1 << 16)

/* xz -9 needs 65 MB. A file must not ask for all memory. */
#define XZ_MEMORY (512u << 20)

/* This part of the file system stays free for others: a small file can come to any size. */
#define LEFT_FREE 20

struct app_damage {
	const char *path;
	char *words;
};

/* ---- methods ---- */

enum step {
	STEP_MORE,
	STEP_END, /* of one of the files that may be joined */
	STEP_BAD,
	STEP_MEMORY,
};

/* Bytes to read, and room to write. */
struct bytes {
	char *in, *out;
	size_t n_in, n_out;
};

union state {
	z_stream gzip;
	lzma_stream xz;
	bz_stream bzip2;
	ZSTD_DCtx *zstd;
};

/* begin and step are called again after STEP_END. */
struct method {
	const char *program;
	bool (*begin)(union state *state);
	enum step (*step)(union state *state, struct bytes *bytes);
	void (*end)(union state *state);
};

/* Notes what the library has left of the input, and of the room. */
static void note(struct bytes *bytes, size_t n_in, size_t n_out)
{
	bytes->in += bytes->n_in - n_in;
	bytes->out += bytes->n_out - n_out;
	bytes->n_in = n_in;
	bytes->n_out = n_out;
}

static bool gzip_begin(union state *state)
{
	state->gzip = (z_stream){ 0 };
	/* 16: the header of gzip, not of zlib. */
	return inflateInit2(&state->gzip, 16 + MAX_WBITS) == Z_OK;
}

static enum step gzip_step(union state *state, struct bytes *bytes)
{
	z_stream *z = &state->gzip;
	int rc;

	z->next_in = (Bytef *)bytes->in;
	z->avail_in = (uInt)bytes->n_in;
	z->next_out = (Bytef *)bytes->out;
	z->avail_out = (uInt)bytes->n_out;
	rc = inflate(z, Z_NO_FLUSH);
	note(bytes, z->avail_in, z->avail_out);
	if (rc == Z_STREAM_END)
		return STEP_END;
	if (rc == Z_MEM_ERROR)
		return STEP_MEMORY;
	return rc == Z_OK || rc == Z_BUF_ERROR ? STEP_MORE : STEP_BAD;
}

static void gzip_end(union state *state)
{
	inflateEnd(&state->gzip);
}

static bool xz_begin(union state *state)
{
	state->xz = (lzma_stream)LZMA_STREAM_INIT;
	return lzma_stream_decoder(&state->xz, XZ_MEMORY, 0) == LZMA_OK;
}

static enum step xz_step(union state *state, struct bytes *bytes)
{
	lzma_stream *xz = &state->xz;
	lzma_ret rc;

	xz->next_in = (uint8_t *)bytes->in;
	xz->avail_in = bytes->n_in;
	xz->next_out = (uint8_t *)bytes->out;
	xz->avail_out = bytes->n_out;
	rc = lzma_code(xz, LZMA_RUN);
	note(bytes, xz->avail_in, xz->avail_out);
	if (rc == LZMA_STREAM_END)
		return STEP_END;
	if (rc == LZMA_MEM_ERROR || rc == LZMA_MEMLIMIT_ERROR)
		return STEP_MEMORY;
	return rc == LZMA_OK || rc == LZMA_BUF_ERROR ? STEP_MORE : STEP_BAD;
}

static void xz_end(union state *state)
{
	lzma_end(&state->xz);
}

static bool bzip2_begin(union state *state)
{
	state->bzip2 = (bz_stream){ 0 };
	return BZ2_bzDecompressInit(&state->bzip2, 0, 0) == BZ_OK;
}

static enum step bzip2_step(union state *state, struct bytes *bytes)
{
	bz_stream *bz = &state->bzip2;
	int rc;

	bz->next_in = bytes->in;
	bz->avail_in = (unsigned int)bytes->n_in;
	bz->next_out = bytes->out;
	bz->avail_out = (unsigned int)bytes->n_out;
	rc = BZ2_bzDecompress(bz);
	note(bytes, bz->avail_in, bz->avail_out);
	if (rc == BZ_STREAM_END)
		return STEP_END;
	if (rc == BZ_MEM_ERROR)
		return STEP_MEMORY;
	return rc == BZ_OK ? STEP_MORE : STEP_BAD;
}

static void bzip2_end(union state *state)
{
	BZ2_bzDecompressEnd(&state->bzip2);
}

static bool zstd_begin(union state *state)
{
	state->zstd = ZSTD_createDCtx();
	return state->zstd;
}

static enum step zstd_step(union state *state, struct bytes *bytes)
{
	ZSTD_inBuffer in = { bytes->in, bytes->n_in, 0 };
	ZSTD_outBuffer out = { bytes->out, bytes->n_out, 0 };
	size_t rc = ZSTD_decompressStream(state->zstd, &out, &in);

	note(bytes, bytes->n_in - in.pos, bytes->n_out - out.pos);
	if (!ZSTD_isError(rc))
		return rc ? STEP_MORE : STEP_END;
	switch (ZSTD_getErrorCode(rc)) {
	case ZSTD_error_memory_allocation:
	case ZSTD_error_frameParameter_windowTooLarge:
		return STEP_MEMORY;
	default:
		return STEP_BAD;
	}
}

static void zstd_end(union state *state)
{
	ZSTD_freeDCtx(state->zstd);
}

static const struct method methods[] = {
	{ "gzip", gzip_begin, gzip_step, gzip_end },
	{ "xz", xz_begin, xz_step, xz_end },
	{ "bzip2", bzip2_begin, bzip2_step, bzip2_end },
	{ "zstd", zstd_begin, zstd_step, zstd_end },
};

static const struct method *find_method(int fd)
{
	char magic[DKT__PACKED_LOOK];
	ssize_t n = dkt__pread_all(fd, magic, sizeof(magic), 0);
	const char *program = n > 0 ? dkt__packed_by(magic, (size_t)n) : NULL;

	for (size_t i = 0; program && i < ARRAY_SIZE(methods); i++)
		if (!strcmp(methods[i].program, program))
			return &methods[i];
	return NULL;
}

/* ---- files ---- */

struct unpacking {
	struct app *app;
	const struct method *method;
	const char *name;
	int from, to;
	uint64_t at, size; /* of the compressed file */
	union state state;
	enum step step; /* the last one */
	char in[CHUNK], out[CHUNK];
};

static int fail(const struct unpacking *unpacking, int err, const char *what)
{
	return dkt_fail(unpacking->app->ctx, err, "%s %s: %s", what, unpacking->name,
			strerror(-err));
}

/* Files of gzip can be filled with zeroes, as those of xz are. */
static void skip_zeroes(struct bytes *bytes)
{
	while (bytes->n_in && !*bytes->in) {
		bytes->in++;
		bytes->n_in--;
	}
}

/* Begins with the next one of joined files, if there is one. */
static int begin_next(struct unpacking *unpacking, struct bytes *bytes)
{
	skip_zeroes(bytes);
	if (!bytes->n_in)
		return 0;
	unpacking->method->end(&unpacking->state);
	unpacking->step = STEP_MORE;
	return unpacking->method->begin(&unpacking->state) ? 0 : -ENOMEM;
}

static bool is_over(enum step step)
{
	return step == STEP_BAD || step == STEP_MEMORY;
}

/* A tmpfs without a limit has a size of 0. */
static bool has_room(int fd, size_t len)
{
	struct statvfs fs;

	return fstatvfs(fd, &fs) || !fs.f_blocks || !fs.f_frsize ||
	       fs.f_bavail >= fs.f_blocks / LEFT_FREE + len / fs.f_frsize;
}

static int put(const struct unpacking *unpacking, size_t len)
{
	int err;

	if (!has_room(unpacking->to, len))
		return dkt_fail(unpacking->app->ctx, -ENOSPC,
				"decompress %s: less than 1/%d of the file system of %s would be"
				" left free; set TMPDIR to a directory with more space",
				unpacking->name, LEFT_FREE, dkt__temporary_dir());
	err = dkt__write_all(unpacking->to, unpacking->out, len);
	return err ? fail(unpacking, err, "decompress") : 0;
}

/* Decompresses the bytes that were read, up to damaged ones. */
static int unpack_some(struct unpacking *unpacking, size_t n)
{
	struct bytes bytes = { .in = unpacking->in, .n_in = n };
	int err = 0;

	do {
		if (unpacking->step == STEP_END && begin_next(unpacking, &bytes))
			return fail(unpacking, -ENOMEM, "decompress");
		if (unpacking->step == STEP_END)
			break;
		bytes.out = unpacking->out;
		bytes.n_out = CHUNK;
		unpacking->step = unpacking->method->step(&unpacking->state, &bytes);
		err = put(unpacking, CHUNK - bytes.n_out);
	} while (!err && !is_over(unpacking->step) && (bytes.n_in || !bytes.n_out));
	return err;
}

static int unpack_all(struct unpacking *unpacking)
{
	ssize_t n = 0;
	int err = unpacking->method->begin(&unpacking->state) ?
			  0 :
			  fail(unpacking, -ENOMEM, "decompress");

	unpacking->step = STEP_MORE;
	while (!err && !is_over(unpacking->step)) {
		n = dkt__pread_all(unpacking->from, unpacking->in, CHUNK, unpacking->at);
		if (n <= 0)
			break;
		unpacking->at += (uint64_t)n;
		err = dkt__stopped() ? fail(unpacking, -EINTR, "decompress") :
				       unpack_some(unpacking, (size_t)n);
		dkt__progress(unpacking->app->ctx, "file", unpacking->at, unpacking->size);
	}
	unpacking->method->end(&unpacking->state);
	if (!err && n < 0)
		return fail(unpacking, (int)n, "read");
	if (!err && unpacking->step == STEP_MEMORY)
		return dkt_fail(unpacking->app->ctx, -ENOMEM,
				"decompress %s: it takes too much memory", unpacking->name);
	return err;
}

static int note_damage(const struct unpacking *unpacking, const char *path)
{
	struct app *app = unpacking->app;
	char *words;

	if (unpacking->step == STEP_END)
		return 0;
	words = dkt__format("what %s compressed %s; the records before that are read",
			    unpacking->method->program,
			    unpacking->step == STEP_BAD ? "is damaged" : "ends early");
	if (words && !dkt__append(app->damages, app->n_damages, (struct app_damage){ path, words }))
		return 0;
	free(words);
	return dkt__no_memory(app->ctx);
}

int unpack_file(struct app *app, int fd, const char *path, const char *name)
{
	struct unpacking *unpacking __cleanup(free) = NULL;
	const struct method *method = find_method(fd);
	struct stat st;
	int to __cleanup(close) = -1, err;

	if (!method)
		return 0;
	unpacking = malloc(sizeof(*unpacking));
	if (!unpacking)
		return dkt__no_memory(app->ctx);
	to = dkt__temporary_file(app->ctx, dkt__temporary_dir());
	if (to < 0)
		return to;
	unpacking->app = app;
	unpacking->method = method;
	unpacking->name = name;
	unpacking->from = fd;
	unpacking->to = to;
	unpacking->at = 0;
	if (fstat(fd, &st))
		return fail(unpacking, -errno, "read");
	unpacking->size = (uint64_t)st.st_size;
	err = unpack_all(unpacking);
	if (!err && !lseek(to, 0, SEEK_END))
		err = dkt_fail(app->ctx, -ENODATA, "decompress %s: nothing comes out of it", name);
	if (!err)
		err = note_damage(unpacking, path);
	/* The year of a date without one is that of the file's time. */
	if (!err && (futimens(to, (struct timespec[]){ st.st_atim, st.st_mtim }) ||
		     dup3(to, fd, O_CLOEXEC) < 0))
		err = fail(unpacking, -errno, "keep");
	return err;
}

const char *unpack_damage(const struct app *app, const char *path)
{
	for (size_t i = 0; i < app->n_damages; i++)
		if (!strcmp(app->damages[i].path, path))
			return app->damages[i].words;
	return NULL;
}

void unpack_clear(struct app *app)
{
	while (app->n_damages)
		free(app->damages[--app->n_damages].words);
	free(app->damages);
	app->damages = NULL;
}
