/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A trace.dat of version 6: one part after the other, all of it uncompressed. */
#include "tracedat.h"

#include "banned.h"

/* What follows the formats is text of a known length, so they are copied when they are known. */
static int keep_formats(struct dkt__dat *dat, const uint8_t *from, const uint8_t *to)
{
	char *copy = dkt__ctx_keep(dat->ctx, (size_t)(to - from) + 1);
	size_t i;

	if (!copy)
		return -ENOMEM;
	memcpy(copy, from, (size_t)(to - from));
	for (i = 0; i < dat->n_given; i++) {
		struct dkt__given *given = &dat->given[i];

		given->text = copy + ((const uint8_t *)given->text - from);
		if (strcmp(given->system, "ftrace"))
			given->system = copy + ((const uint8_t *)given->system - from);
	}
	return 0;
}

static int read_options(struct dkt__dat *dat, struct dkt__cursor *cur)
{
	int err = 0;

	while (!err) {
		unsigned int id = (unsigned int)dkt__cursor_number(cur, 2);
		struct dkt__cursor option = *cur;
		uint64_t size;

		if (!id)
			break;
		size = dkt__cursor_number(cur, 4);
		option.p = dkt__cursor_bytes(cur, size);
		option.end = cur->p;
		if (!option.p)
			break;
		err = dkt__dat_option(dat, id, option);
	}
	return err;
}

static int read_buffers(struct dkt__dat *dat, struct dkt__cursor *cur)
{
	const uint8_t *word = dkt__cursor_bytes(cur, 10);
	struct dkt__dat_buffer *top;
	int err = 0;

	if (word && !memcmp(word, "options  ", 10)) {
		err = read_options(dat, cur);
		word = dkt__cursor_bytes(cur, 10);
	}
	if (err)
		return err;
	if (word && !memcmp(word, "latency  ", 10)) {
		dat->text = true;
		return 0;
	}
	top = dkt__dat_buffer_add(dat, "");
	if (!top)
		return -ENOMEM;
	if (!word || memcmp(word, "flyrecord", 10) ||
	    !dkt__dat_cpu_table(dat, top, dat->n_cpus, cur))
		dat->cut = true;
	return 0;
}

int dkt__dat_read_v6(struct dkt__dat *dat, struct dkt__cursor *cur)
{
	const uint8_t *formats;
	bool good;
	int err;

	good = dkt__dat_header_info(dat, cur);
	formats = cur->p;
	good = good && dkt__dat_ftrace_events(dat, cur) && dkt__dat_event_formats(dat, cur);
	err = keep_formats(dat, formats, cur->p);
	good = good && dkt__dat_kallsyms(dat, cur) && dkt__dat_printk(dat, cur) &&
	       dkt__dat_cmdlines(dat, cur);
	dat->n_cpus = (uint32_t)dkt__cursor_number(cur, 4);
	if (err)
		return err;
	if (!good || cur->bad) {
		dat->cut = true;
		return 0;
	}
	return read_buffers(dat, cur);
}
