/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compresses by zlib. */
#include "answers/load/squeeze.h"

#include <zlib.h>

/* Columns compress well at the cheapest level: a higher one saves a tenth for three times the CPU. */
#define LEVEL 1

#define ROOM (16u << 10)

static int run(z_stream *stream, int flush, struct chunks *chunks, struct bytes *bytes)
{
	unsigned char out[ROOM];
	int rc;

	do {
		stream->next_out = out;
		stream->avail_out = sizeof(out);
		rc = deflate(stream, flush);
		if (rc == Z_STREAM_ERROR)
			return -ENOMEM;
		if (stream->avail_out < sizeof(out))
			bytes_add(bytes, chunks, out, sizeof(out) - stream->avail_out);
	} while (!stream->avail_out);
	return bytes->failed ? -ENOMEM : 0;
}

int squeeze(const struct statement_piece *pieces, size_t n, struct chunks *chunks,
	    struct bytes *bytes)
{
	z_stream stream = { 0 };
	int err = 0;

	if (deflateInit(&stream, LEVEL) != Z_OK)
		return -ENOMEM;
	for (size_t i = 0; !err && i < n; i++) {
		stream.next_in = (unsigned char *)pieces[i].data;
		stream.avail_in = (unsigned int)pieces[i].len;
		err = run(&stream, Z_NO_FLUSH, chunks, bytes);
	}
	if (!err)
		err = run(&stream, Z_FINISH, chunks, bytes);
	deflateEnd(&stream);
	bytes_close(bytes);
	return err;
}
