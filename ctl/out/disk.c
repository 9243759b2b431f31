/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names for the numbers of disks. */
#include "out/disk.h"

#include "base/util.h"

#define MINOR_BITS 20

bool disk_is(const char *field)
{
	const char *last = strrchr(field, '_');

	return !strcmp(last ? last + 1 : field, "dev");
}

void disk_text(uint64_t dev, bool here, char text[DISK_SIZE])
{
	const unsigned int major = (unsigned int)(dev >> MINOR_BITS);
	const unsigned int minor = (unsigned int)(dev & ((1u << MINOR_BITS) - 1));
	char path[64], target[256];
	const char *slash;
	ssize_t len;

	snprintf(text, DISK_SIZE, "%u,%u", major, minor);
	if (!here)
		return;
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major, minor);
	len = readlink(path, target, sizeof(target) - 1);
	if (len <= 0)
		return;
	target[len] = '\0';
	slash = strrchr(target, '/');
	snprintf(text, DISK_SIZE, "%.*s", DISK_SIZE - 1, slash ? slash + 1 : target);
}
