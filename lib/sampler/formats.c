/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The formats of the sampler's tracepoints, in the layout of the start of trace.dat version 6. */
#include "lib/event.h"
#include "lib/sampler.h"
#include "lib/tracedat/write.h"
#include "lib/tracefs.h"

static int add_event(struct dkt__sampler *sampler, struct dkt_tracedat *tables, uint64_t id)
{
	struct dkt__tdw_event to = { .event = dkt__event_by_id(sampler->ctx, (int)id),
				     .id = (int)id };
	int err = to.event ? dkt__event_text(to.event, &to.text, &to.len) : -ENOENT;

	if (err)
		return dkt__fail_in(sampler->ctx, err, "read the format of a tracepoint");
	if (!dkt__append(tables->events, tables->n_events, to))
		return 0;
	free(to.text);
	return dkt__no_memory(sampler->ctx);
}

/* Each table is there, also if nothing is in it. */
static int put_tables(struct dkt__sampler *sampler, struct dkt_tracedat *tables)
{
	static const char magic[] = "\x17\x08\x44tracing"
				    "0.6";
	struct dkt_buf *buf = &sampler->formats;
	int err;

	dkt__buf_add(buf, magic, sizeof(magic));
	dkt__tdw_number(tables, buf, tables->big_endian, 1);
	dkt__tdw_number(tables, buf, tables->long_size, 1);
	dkt__tdw_number(tables, buf, tables->page_size, 4);
	err = dkt__tdw_header_info(tables, buf);
	if (!err)
		err = dkt__tdw_ftrace_events(tables, buf);
	if (!err)
		err = dkt__tdw_event_formats(tables, buf);
	/* Symbols, strings of printk() and names of processes. */
	dkt__tdw_number(tables, buf, 0, 4);
	dkt__tdw_number(tables, buf, 0, 4);
	dkt__tdw_number(tables, buf, 0, 8);
	return err || buf->err ? dkt__no_memory(sampler->ctx) : 0;
}

int dkt__sampler_formats_read(struct dkt__sampler *sampler)
{
	struct dkt_tracedat tables = { .ctx = sampler->ctx,
				       .page_size = (uint32_t)sysconf(_SC_PAGESIZE),
				       .big_endian = DKT__BIG_ENDIAN,
				       .long_size = sizeof(long) };
	int err = 0;

	for (size_t i = 0; !err && i < sampler->n_events; i++)
		if (sampler->events[i].attr.type == PERF_TYPE_TRACEPOINT)
			err = add_event(sampler, &tables, sampler->events[i].attr.config);
	if (!err && tables.n_events)
		err = put_tables(sampler, &tables);
	for (size_t i = 0; i < tables.n_events; i++)
		free(tables.events[i].text);
	free(tables.events);
	return err;
}
