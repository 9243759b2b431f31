/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads a trace.dat of version 6, which has uncompressed parts in a fixed order. */
#include "lib/tracedat.h"

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
		err = dkt__with_words(dat->ctx, dkt__dat_option(dat, id, option));
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
		return dkt__no_memory(dat->ctx);
	if (!word || memcmp(word, "flyrecord", 10) ||
	    !dkt__dat_cpu_table(dat, top, dat->n_cpus, cur))
		dat->cut = true;
	return 0;
}

int dkt__dat_read_v6(struct dkt__dat *dat, struct dkt__cursor *cur)
{
	bool good = dkt__dat_header_info(dat, cur) && dkt__dat_ftrace_events(dat, cur) &&
		    dkt__dat_event_formats(dat, cur) && dkt__dat_kallsyms(dat, cur) &&
		    dkt__dat_printk(dat, cur) && dkt__dat_cmdlines(dat, cur);

	dat->n_cpus = (uint32_t)dkt__cursor_number(cur, 4);
	if (!good || cur->bad) {
		dat->cut = true;
		return 0;
	}
	return read_buffers(dat, cur);
}
