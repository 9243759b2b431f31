/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Records of threads that leave a CPU or get one (perf record --switch-events). Those of chosen threads tell when
 * they run again, which sched_switch does not: the kernel records it for the thread that leaves.
 */
#include "lib/event.h"
#include "lib/perfdata.h"
#include "lib/source/own_format.h"

#define FORMAT                                                                                     \
	"name: switch\nID: %u\n" DKT__FORMAT_COMMON                                                \
	"\tfield:unsigned int out;\toffset:8;\tsize:4;\tsigned:0;\n"                               \
	"\tfield:unsigned int preempt;\toffset:12;\tsize:4;\tsigned:0;\n\n"                        \
	"print fmt: \"out=%%u preempt=%%u\", REC->out, REC->preempt\n"

struct switch_record {
	struct dkt__entry entry;
	uint32_t out, preempt;
};

int dkt__perf_switch_define(struct dkt__perf *perf)
{
	char text[512];
	bool any = false;
	int len, err;

	for (size_t i = 0; i < perf->n_attrs; i++)
		any |= perf->attrs[i].context_switch;
	if (!any || !perf->switches)
		return 0;
	len = snprintf(text, sizeof(text), FORMAT, perf->next_nr);
	err = dkt__given_add(perf->streams.base.ctx, &perf->given, &perf->n_given, "perf", text,
			     (size_t)len);
	if (!err)
		perf->switch_nr = perf->next_nr--;
	return err;
}

bool dkt__perf_switch_is(const struct dkt__perf *perf, uint32_t type)
{
	return perf->switches &&
	       (type == PERF_RECORD_SWITCH || type == PERF_RECORD_SWITCH_CPU_WIDE);
}

const void *dkt__perf_switch_data(struct dkt__perf *perf, const struct dkt__perf_item *item,
				  uint32_t *size)
{
	const struct switch_record record = {
		.entry = { .type = perf->switch_nr, .pid = item->tid },
		.out = !!(item->misc & PERF_RECORD_MISC_SWITCH_OUT),
		.preempt = !!(item->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT),
	};
	struct dkt_buf *buf = &perf->sample;

	buf->len = 0;
	if (!perf->switch_nr)
		return NULL;
	dkt__buf_add(buf, &record, sizeof(record));
	*size = sizeof(record);
	return buf->err ? NULL : buf->data;
}
