/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An NFS server: its requests, the operations of NFSv4 in them, and the bytes by client. */
#include "answers/analyze/kinds.h"
#include "answers/analyze/running.h"

#define NSEC_PER_USEC UINT64_C(1000)

enum { REQUESTS, OPERATIONS };

/* The request that a thread of the server works on. */
struct work {
	bool known; /* the members below are */
	const char *service, *procedure, *client;
	uint64_t version;
	uint64_t since; /* the operation before has ended; 0: unknown */
	uint64_t bytes; /* that the operation has moved */
};

struct data {
	const char *client;
	uint64_t reads, read, writes, written;
};

struct nfsd {
	struct work *works; /* by process */
	uint32_t n;
	struct dkt__keymap clients; /* from the address of a name to its data */
	struct data *data;
	uint32_t n_data;
};

static const struct result_column request_columns[] = {
	{ "service", RESULT_TEXT, "Service", NULL, NULL },
	{ "procedure", RESULT_TEXT, "Procedure", NULL, NULL },
	{ "version", RESULT_NUMBER, "Version", NULL, NULL },
	{ "client", RESULT_TEXT, "Client", NULL, NULL },
};

static const struct result_column operation_columns[] = {
	{ "operation", RESULT_TEXT, "Operation", NULL, NULL },
	{ "status", RESULT_NUMBER, "Status", NULL, NULL },
	{ "bytes", RESULT_BYTES, "Bytes", NULL, NULL },
	{ "client", RESULT_TEXT, "Client", NULL, NULL },
};

static const struct span_set sets[] = {
	[REQUESTS] = { "requests",
		       "Requests of RPC that this host serves",
		       request_columns,
		       ARRAY_SIZE(request_columns),
		       { 0, 1 },
		       .one_cpu = false },
	[OPERATIONS] = { "operations",
			 "Operations of NFSv4 in them",
			 operation_columns,
			 ARRAY_SIZE(operation_columns),
			 { 0, -1 },
			 .one_cpu = false },
};

static const struct result_column data_columns[] = {
	{ "client", RESULT_TEXT, "Client", NULL, NULL },
	{ "reads", RESULT_NUMBER, "Reads", NULL, NULL },
	{ "read", RESULT_BYTES, "Bytes read", NULL, NULL },
	{ "writes", RESULT_NUMBER, "Writes", NULL, NULL },
	{ "written", RESULT_BYTES, "Bytes written", NULL, NULL },
};

static const struct result_table tables[] = {
	{ "data", "Bytes that clients of NFS read and write", data_columns,
	  ARRAY_SIZE(data_columns), .by = 4, .bar = -1 },
};

/* Returns the work of the thread that caused the record; NULL: memory is out. */
static struct work *work_of(struct analyze *a, struct nfsd *nfsd, const struct analysis_record *r)
{
	uint32_t process = analyze_self(a, r);

	return process == PROCESS_NONE ? NULL : dkt__reach(nfsd->works, nfsd->n, process);
}

/* The address without the port, which is another one for each connection. */
static const char *client_of(struct analyze *a, const struct analysis_record *r, size_t i)
{
	const char *text = analyze_text(a, r, i), *colon = text ? strrchr(text, ':') : NULL;

	return colon ? texts_keep(&a->texts, text, (size_t)(colon - text)) : text;
}

static int on_process(struct analyze *a, void *state, const struct analysis_record *r)
{
	struct work *work = work_of(a, state, r);

	if (!work)
		return -ENOMEM;
	*work = (struct work){ .known = true,
			       .service = analyze_text(a, r, 0),
			       /* Older kernels have only the number. */
			       .procedure = r->fields[1] ? analyze_text(a, r, 1) :
							   texts_format(&a->texts, "%d",
									(int)record_int(r, 2)),
			       .version = (uint64_t)record_int(r, 3),
			       .client = client_of(a, r, 4) };
	return work->service && work->procedure && work->client ? 0 : -ENOMEM;
}

/* The record has the time since the thread took the request. */
static int on_stats(struct analyze *a, void *state, const struct analysis_record *r)
{
	struct work *work = work_of(a, state, r);
	uint64_t ns = NSEC_PER_USEC * (uint64_t)record_int(r, 0);
	struct span span = { .end = r->record->ts, .set = REQUESTS };
	int err;

	if (!work)
		return -ENOMEM;
	span.begin = span.end - DKT__MIN(ns, span.end);
	if (work->known) {
		span.cells[0] = cell_text(work->service);
		span.cells[1] = cell_text(work->procedure);
		span.cells[2] = cell_number(work->version);
		span.cells[3] = cell_text(work->client);
	} else if (r->fields[1]) {
		span.cells[1] = cell_text(analyze_text(a, r, 1));
	}
	err = span_add(a, &span);
	*work = (struct work){ 0 };
	return err;
}

static int on_compound(struct analyze *a, void *state, const struct analysis_record *r)
{
	struct work *work = work_of(a, state, r);

	if (!work)
		return -ENOMEM;
	work->since = r->record->ts;
	work->bytes = 0;
	return 0;
}

/* An operation begins when the one before has ended. */
static int on_status(struct analyze *a, void *state, const struct analysis_record *r)
{
	static const char prefix[] = "OP_";
	struct work *work = work_of(a, state, r);
	struct span span = { .end = r->record->ts, .set = OPERATIONS };
	const char *name = analyze_text(a, r, 0);
	int err = 0;

	if (!work || !name)
		return -ENOMEM;
	name += strncmp(name, prefix, strlen(prefix)) ? 0 : strlen(prefix);
	span.begin = work->since;
	span.cells[0] = cell_text(name);
	span.cells[1] = cell_number((uint64_t)record_int(r, 1));
	span.cells[2] = cell_number(work->bytes);
	span.cells[2].known = work->bytes;
	span.cells[3] = cell_text(work->client);
	if (work->since)
		err = span_add(a, &span);
	else
		a->missed.unbegun++;
	work->since = r->record->ts;
	work->bytes = 0;
	return err;
}

/* ---- bytes ---- */

/* Returns the data of the thread's client; NULL: memory is out. */
static struct data *data_of(struct nfsd *nfsd, const struct work *work)
{
	uint64_t key = (uintptr_t)work->client;
	struct data *data;
	uint32_t entry;
	bool added;

	nfsd->clients.n_words = 1;
	entry = dkt__keymap_add(&nfsd->clients, &key, &added);
	data = entry == DKT__KEYMAP_NONE ? NULL : dkt__reach(nfsd->data, nfsd->n_data, entry);
	if (data)
		data->client = work->client;
	return data;
}

static int add_bytes(struct analyze *a, struct nfsd *nfsd, const struct analysis_record *r,
		     bool writes)
{
	struct work *work = work_of(a, nfsd, r);
	struct data *data = work ? data_of(nfsd, work) : NULL;
	uint64_t bytes = (uint64_t)record_int(r, 0);

	if (!data)
		return -ENOMEM;
	work->bytes += bytes;
	*(writes ? &data->writes : &data->reads) += 1;
	*(writes ? &data->written : &data->read) += bytes;
	return 0;
}

static int on_read(struct analyze *a, void *state, const struct analysis_record *r)
{
	return add_bytes(a, state, r, false);
}

static int on_write(struct analyze *a, void *state, const struct analysis_record *r)
{
	return add_bytes(a, state, r, true);
}

/* ---- all ---- */

/* A thread may have begun another request meanwhile. */
static int on_gap(struct analyze *a, void *state, uint32_t cpu, uint64_t last, uint64_t ts)
{
	struct nfsd *nfsd = state;

	(void)a, (void)cpu, (void)last, (void)ts;
	if (nfsd->n)
		memset(nfsd->works, 0, nfsd->n * sizeof(*nfsd->works));
	return 0;
}

static int on_end(struct analyze *a, void *state)
{
	const struct nfsd *nfsd = state;
	struct result_cell cells[ARRAY_SIZE(data_columns)];
	int err = 0;

	for (uint32_t i = 0; !err && a->analysis->view == VIEW_STATS && i < nfsd->n_data; i++) {
		cells[0] = cell_text(nfsd->data[i].client);
		cells[1] = cell_number(nfsd->data[i].reads);
		cells[2] = cell_number(nfsd->data[i].read);
		cells[3] = cell_number(nfsd->data[i].writes);
		cells[4] = cell_number(nfsd->data[i].written);
		err = analyze_row(a, &tables[0], cells);
	}
	return err;
}

static void clear(void *state)
{
	struct nfsd *nfsd = state;

	free(nfsd->works);
	free(nfsd->data);
	dkt__keymap_clear(&nfsd->clients);
}

static const struct analysis_event events[] = {
	{ "sunrpc:svc_process",
	  NEED_NONE,
	  on_process,
	  { "service", "procedure", "proc", "vers", "addr" } },
	{ "sunrpc:svc_stats_latency", NEED_ONE, on_stats, { "execute", "procedure" } },
	{ "nfsd:nfsd_compound", NEED_NONE, on_compound, { 0 } },
	{ "nfsd:nfsd_compound_status", NEED_ONE, on_status, { "name", "status" } },
	{ "nfsd:nfsd_read_done", NEED_NONE, on_read, { "len" } },
	{ "nfsd:nfsd_write_done", NEED_NONE, on_write, { "len" } },
};

const struct analysis_kind nfsd_kind = {
	.events = events,
	.n_events = ARRAY_SIZE(events),
	.size = sizeof(struct nfsd),
	.gap = on_gap,
	.end = on_end,
	.clear = clear,
	.tables = tables,
	.n_tables = ARRAY_SIZE(tables),
	.sets = sets,
	.n_sets = ARRAY_SIZE(sets),
};
