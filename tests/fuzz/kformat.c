/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes the kernel's printf: a format line, then arguments, some of which point to input bytes. */
#include "lib/plan/kformat.h"
#include "tests/fuzz/replay.h"

struct input {
	const uint8_t *data;
	size_t size;
	const char *fmt;
	size_t fmt_len;
	unsigned int nested;
};

/* The low bits of a pointer are the number of input bytes to which it points. */
static void pointee(void *data, size_t i, const void **bytes, size_t *len)
{
	const struct input *in = data;

	*len = i % 3 ? in->size / (i + 1) : 0;
	*bytes = in->data + in->size - *len;
}

static bool nested(void *data, size_t i, const char **fmt, size_t *len,
		   struct dkt__kprintf_args *args)
{
	struct input *in = data;

	if (in->nested++ > 16)
		return false;
	*fmt = in->fmt + in->fmt_len / 2;
	*len = in->fmt_len - in->fmt_len / 2;
	args->words = in->data;
	args->n = in->size / 8 > i ? i : in->size / 8;
	args->pointee = pointee;
	args->nested = nested;
	args->data = in;
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *line = memchr(data, '\n', size);
	size_t len = line ? (size_t)(line - data) : size;
	struct input in = { data + len, size - len, (const char *)data, len, 0 };
	struct dkt__kprintf_args args = { .sz = sizeof(args),
					  .words = data + len,
					  .n = (size - len) / 8,
					  .pointee = pointee,
					  .dentry_name = pointee,
					  .nested = nested,
					  .data = &in };
	struct dkt_buf *buf;

	if (dkt_buf_new(&buf))
		return 0;
	dkt__buf_kprintf(buf, (const char *)data, len, &args);
	if (dkt_buf_error(buf))
		abort();
	dkt_buf_free(buf);
	return 0;
}
