/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes a tar file that gzip has compressed: the format ustar, with GNU's long names. */
#include "ctl/archive/tar.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/util.h"

#define BLOCK 512u

/* A header, in which numbers are octal texts. */
struct header {
	char name[100], mode[8], uid[8], gid[8], size[12], changed[12], checksum[8], type,
		link[100], magic[8], user[32], group[32], rest[183];
};

_Static_assert(sizeof(struct header) == BLOCK, "a header fills a block");

int tar_begin(struct tar *tar, int fd)
{
	const int copy = dup(fd);

	*tar = (struct tar){ .out = copy < 0 ? NULL : gzdopen(copy, "wb") };
	if (tar->out)
		return 0;
	tar->err = copy < 0 ? -errno : -ENOMEM;
	if (copy >= 0)
		close(copy);
	return tar->err;
}

void tar_write(struct tar *tar, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;

	while (n && !tar->err) {
		const unsigned int part = (unsigned int)DKT__MIN(n, (size_t)1 << 20);

		if (gzwrite(tar->out, p, part) != (int)part)
			tar->err = errno ? -errno : -EIO;
		p += part;
		n -= part;
	}
}

void tar_file_end(struct tar *tar, uint64_t size)
{
	static const char zeroes[BLOCK];

	if (size % BLOCK)
		tar_write(tar, zeroes, BLOCK - size % BLOCK);
}

static void put_header(struct tar *tar, char type, const char *name, const char *link,
		       uint64_t size, time_t changed)
{
	struct header header = { .type = type, .magic = "ustar  " };
	const uint8_t *bytes = (const uint8_t *)&header;
	unsigned int sum = 0;

	/* Names that are cut here are whole in a long name before. */
	memcpy(header.name, name, DKT__MIN(strlen(name), sizeof(header.name)));
	memcpy(header.link, link, DKT__MIN(strlen(link), sizeof(header.link)));
	snprintf(header.mode, sizeof(header.mode), "%07o", type == '2' ? 0777 : 0644);
	snprintf(header.uid, sizeof(header.uid), "%07o", 0);
	snprintf(header.gid, sizeof(header.gid), "%07o", 0);
	snprintf(header.size, sizeof(header.size), "%011llo", (unsigned long long)size);
	snprintf(header.changed, sizeof(header.changed), "%011llo",
		 (unsigned long long)(changed > 0 ? changed : 0) & 077777777777);
	memset(header.checksum, ' ', sizeof(header.checksum));
	for (size_t i = 0; i < sizeof(header); i++)
		sum += bytes[i];
	snprintf(header.checksum, sizeof(header.checksum), "%06o", sum);
	tar_write(tar, &header, sizeof(header));
}

/* The name of the next member, of type L, or the target of its link, of type K. */
static void put_long(struct tar *tar, char type, const char *text)
{
	const size_t n = strlen(text) + 1;

	if (n <= 100)
		return;
	put_header(tar, type, "././@LongLink", "", n, 0);
	tar_write(tar, text, n);
	tar_file_end(tar, n);
}

void tar_file(struct tar *tar, const char *name, uint64_t size, time_t changed)
{
	put_long(tar, 'L', name);
	put_header(tar, '0', name, "", size, changed);
}

void tar_link(struct tar *tar, const char *name, const char *target)
{
	put_long(tar, 'K', target);
	put_long(tar, 'L', name);
	put_header(tar, '2', name, target, 0, 0);
}

int tar_end(struct tar *tar)
{
	static const char zeroes[2 * BLOCK];

	tar_write(tar, zeroes, sizeof(zeroes));
	if (tar->out && gzclose(tar->out) != Z_OK && !tar->err)
		tar->err = errno ? -errno : -EIO;
	tar->out = NULL;
	return tar->err;
}
