/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies records to the kernel log, at a limited rate. */
#include "compat/dk/debug_daemon/kmsg.h"

#include <fcntl.h>

#include "compat/lustre/mask.h"
#include "lib/base/util.h"

/* The kernel's limit for a line is a little less than 1 KiB. */
#define KMSG_TEXT 900

/* Returns the same level as Lustre. */
static int level(uint32_t classes)
{
	static const struct {
		const char *class;
		int level;
	} levels[] = { { "emerg", 0 }, { "error", 3 }, { "warning", 4 } };

	for (size_t i = 0; i < ARRAY_SIZE(levels); i++) {
		int bit = dkl_mask_bit(MASK_DEBUG, levels[i].class, strlen(levels[i].class));

		if (bit >= 0 && classes & 1u << bit)
			return levels[i].level;
	}
	return 6;
}

/* Returns the text after the fifth colon of a line: PID:EXT:(FILE:LINE:FUNC()) TEXT. */
static const char *after_stack(const char *line, const char *end)
{
	for (int i = 0; i < 5 && line; i++) {
		line = memchr(line, ':', (size_t)(end - line));
		line = line ? line + 1 : NULL;
	}
	return line;
}

static void put(struct kmsg *kmsg, int priority, const char *text, size_t len)
{
	char out[KMSG_TEXT + 64];
	int n = snprintf(out, sizeof(out), "<%d>dktrace: %.*s\n", priority,
			 len > KMSG_TEXT ? KMSG_TEXT : (int)len, text);

	/* The kernel log is only a copy: the file has this record, too. */
	if (n > 0 && write(kmsg->fd, out, (size_t)n) < 0)
		kmsg->skipped++;
}

void dkl_kmsg_copy(struct kmsg *kmsg, int64_t now, uint32_t classes, const char *line, size_t len)
{
	const char *end = line + len, *text;
	char note[64];
	int n;

	if (kmsg->fd < 0)
		kmsg->fd = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
	if (kmsg->fd < 0)
		return;
	if (now >= kmsg->since + KMSG_INTERVAL) {
		n = snprintf(note, sizeof(note), "skipped %llu messages",
			     (unsigned long long)kmsg->skipped);
		if (kmsg->skipped && n > 0)
			put(kmsg, 6, note, (size_t)n);
		kmsg->since = now;
		kmsg->n = 0;
		kmsg->skipped = 0;
	}
	if (kmsg->n >= KMSG_BURST) {
		kmsg->skipped++;
		return;
	}
	kmsg->n++;
	text = after_stack(line, end);
	text = text ? text : line;
	while (end > text && end[-1] == '\n')
		end--;
	put(kmsg, level(classes), text, (size_t)(end - text));
}

void dkl_kmsg_close(struct kmsg *kmsg)
{
	if (kmsg->fd >= 0)
		close(kmsg->fd);
	kmsg->fd = -1;
}
