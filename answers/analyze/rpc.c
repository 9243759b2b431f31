/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Requests of RPC that this host sends, as the kernel measures them: in one record at the end. */
#include "answers/analyze/kinds.h"
#include "answers/analyze/running.h"

#define NSEC_PER_USEC UINT64_C(1000)

enum { EXECUTE, RTT, BACKLOG };

static const struct result_column columns[] = {
	{ "program", RESULT_TEXT, "Program", NULL, NULL },
	{ "procedure", RESULT_TEXT, "Procedure", NULL, NULL },
	{ "client", RESULT_NUMBER, "Client", NULL, NULL },
};

static const struct span_set sets[] = {
	[EXECUTE] = { "execute",
		      "Requests from their beginning to their end",
		      columns,
		      ARRAY_SIZE(columns),
		      { 0, 1 },
		      .one_cpu = true },
	[RTT] = { "rtt",
		  "Times on the network and in the server",
		  columns,
		  ARRAY_SIZE(columns),
		  { 0, 1 },
		  .one_cpu = true },
	[BACKLOG] = { "backlog",
		      "Times before requests were sent",
		      columns,
		      ARRAY_SIZE(columns),
		      { 0, 1 },
		      .one_cpu = true },
};

static int add(struct analyze *a, struct span *span, uint32_t set, uint64_t begin, uint64_t end)
{
	span->set = set;
	span->begin = begin;
	span->end = end;
	return span_add(a, span);
}

static int on_stats(struct analyze *a, void *state, const struct analysis_record *r)
{
	const char *program = analyze_text(a, r, 3), *procedure = analyze_text(a, r, 5);
	uint64_t end = r->record->ts;
	uint64_t execute = NSEC_PER_USEC * (uint64_t)record_int(r, 0);
	uint64_t rtt = NSEC_PER_USEC * (uint64_t)record_int(r, 1);
	uint64_t backlog = NSEC_PER_USEC * (uint64_t)record_int(r, 2);
	uint64_t begin = end - DKT__MIN(execute, end);
	struct span span = { 0 };
	int err;

	(void)state;
	if (program)
		program = texts_format(&a->texts, "%sv%d", program, (int)record_int(r, 4));
	if (!program || !procedure)
		return -ENOMEM;
	span.cells[0] = cell_text(program);
	span.cells[1] = cell_text(procedure);
	span.cells[2] = cell_number((uint64_t)record_int(r, 6));
	err = add(a, &span, EXECUTE, begin, end);
	/* It is not recorded when the reply came: just before the end. */
	if (!err)
		err = add(a, &span, RTT, end - DKT__MIN(rtt, end), end);
	return err ? err : add(a, &span, BACKLOG, begin, begin + backlog);
}

static const struct analysis_event events[] = {
	{ "sunrpc:rpc_stats_latency",
	  NEED_ALL,
	  on_stats,
	  { "execute", "rtt", "backlog", "progname", "version", "procname", "client_id" } },
};

const struct analysis_kind rpc_kind = {
	.events = events,
	.n_events = ARRAY_SIZE(events),
	.size = 1, /* no state */
	.sets = sets,
	.n_sets = ARRAY_SIZE(sets),
};
