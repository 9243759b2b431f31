/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The process that names what was sampled. The programs that it reads for names are anybody's, so it has nothing but
 * the samples, the file of its replies, and the right to read.
 */
#include "ctl/profile/namer.h"

#include <fcntl.h>

#include "answers/profile/profile.h"
#include "lib/base/cage.h"
#include "lib/base/io.h"
#include "lib/base/pass.h"

/* The number of the call in raw_syscalls:sys_enter. */
#define CALL_AT 8

/* The descriptors of this process, after those of all. */
enum { CONNECTION = STDERR_FILENO + 1, SAMPLES, REPLY, OWN };

struct namer {
	bool calls;
	struct dkt_ctx *ctx;
	struct dkt_source *source; /* NULL: not open yet */
	const struct dkt_event *event; /* whose fields are known; NULL: none */
	const struct dkt_field *process, *raw;
	int32_t only; /* this process; 0: all */
	char text[24];
};

/* ---- confinement ---- */

static int keep_only(const struct namer_opts *opts)
{
	const int from[] = { opts->connection, opts->samples, opts->reply };
	int above[ARRAY_SIZE(from)], null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (size_t i = 0; i < ARRAY_SIZE(from); i++) {
		above[i] = fcntl(from[i], F_DUPFD_CLOEXEC, OWN);
		if (above[i] < 0)
			return -errno;
	}
	for (int i = 0; null >= 0 && i <= STDERR_FILENO; i++)
		dup2(null, i);
	for (int i = 0; i < (int)ARRAY_SIZE(from); i++)
		if (dup2(above[i], CONNECTION + i) < 0)
			return -errno;
	dkt__close_range(OWN, UINT32_MAX);
	return 0;
}

static int confine(struct dkt_ctx *ctx)
{
	struct dkt__cage cage __cleanup(cage_end) = DKT__CAGE_INIT;
	int err = dkt__cage_begin(&cage, 0);

	if (!err)
		err = dkt__cage_allow(&cage, "/", DKT__CAGE_READ);
	if (!err)
		err = dkt__cage_allow_system(&cage);
	if (!err)
		err = dkt__caps_limit(ctx, DKT__KEEP_SYMBOLS | DKT__KEEP_INPUT);
	return err ?: dkt__cage_enter(&cage);
}

/* ---- groups ---- */

static void look_at(struct namer *namer, struct dkt_event *event)
{
	namer->event = event;
	namer->process = dkt_event_field(event, "tgid");
	namer->raw = dkt_event_field(event, "raw");
}

static const char *call_number(struct namer *namer, const struct dkt_record *record)
{
	size_t n;
	const char *bytes = namer->raw ? dkt_record_bytes(record, namer->raw, &n) : NULL;
	long number;

	if (!bytes || n < CALL_AT + sizeof(number))
		return NULL;
	memcpy(&number, bytes + CALL_AT, sizeof(number));
	snprintf(namer->text, sizeof(namer->text), "%ld", number);
	return namer->text;
}

static const char *group_of(void *data, const struct dkt_record *record)
{
	struct namer *namer = data;

	if (record->event != namer->event)
		look_at(namer, record->event);
	if (namer->only && namer->process && dkt_record_int(record, namer->process) != namer->only)
		return NULL;
	return namer->calls ? call_number(namer, record) : dkt_source_comm(namer->source, record);
}

/* ---- rounds ---- */

static int open_samples(struct namer *namer)
{
	DKT_OPTS(dkt_source_opts, opts, .fd = SAMPLES + 1);

	return dkt_source_open(namer->ctx, "samples", &opts, &namer->source);
}

static int read_round(struct namer *namer, struct profile *profile)
{
	struct dkt_record record;
	int err = namer->source ? dkt__perf_more(namer->source) : open_samples(namer);

	while (!err) {
		err = dkt_source_next(namer->source, &record);
		if (!err)
			err = profile_add(profile, namer->ctx, 0, namer->source, &record);
	}
	return err == DKT_NEXT_END ? profile_end(profile) : err;
}

static int answer(struct namer *namer, uint32_t *size)
{
	const struct profile_opts opts = { .group = group_of, .data = namer };
	struct profile profile;
	struct dkt_buf buf = { 0 };
	int err = profile_init(&profile, &opts);

	if (!err)
		err = read_round(namer, &profile);
	if (!err)
		err = namer_put(&profile.names, &profile.tree, &buf);
	if (!err)
		err = dkt__pwrite_all(REPLY, buf.data, buf.len, 0);
	*size = (uint32_t)buf.len;
	profile_clear(&profile);
	free(buf.data);
	return err;
}

_Noreturn void namer_run(const struct namer_opts *opts)
{
	struct namer namer = { .calls = opts->calls };
	struct namer_request request;
	struct namer_answer reply = { 0 };
	struct dkt__pass in = { .head = &request, .n_head = sizeof(request) };
	const struct dkt__pass out = { .head = &reply, .n_head = sizeof(reply) };
	int err = keep_only(opts);

	if (!err)
		err = dkt_ctx_new(NULL, &namer.ctx);
	if (!err)
		err = confine(namer.ctx);
	while (!reply.err && dkt__pass_take(CONNECTION, &in) == sizeof(request)) {
		namer.only = request.process;
		reply.err = err ?: answer(&namer, &reply.size);
		if (dkt__pass_send(CONNECTION, &out))
			break;
	}
	_exit(0);
}
