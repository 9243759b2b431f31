/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Samples that are taken while a command runs: the file in memory, and what the namer is asked. */
#include "ctl/profile/live.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>

#include "ctl/profile/namer.h"
#include "lib/base/io.h"
#include "lib/base/pass.h"
#include "lib/base/servant.h"

/* Beyond so many bytes of records the namer begins anew: it knows more of the processes with each. */
#define FILE_MAX (UINT64_C(64) << 20)

/* The file is sparse; its size is what the namer may map. */
#define FILE_SIZE (2 * FILE_MAX)

/* The nodes of a round's tree, at most. */
#define NODES_MAX (1u << 19)

#define HOLE_ALIGN UINT64_C(4096)

struct profile_live {
	struct dkt_ctx *ctx;
	struct profile_live_opts opts;
	struct dkt__sampler *sampler;
	int samples, reply; /* files in memory; -1: not started */
	pid_t namer;
	int connection; /* to it; -1: it does not run */
	bool asked; /* it has a request that it has not answered */
	uint64_t begun, named, asking; /* bytes: before the first sample, named ones, asked for */
	uint64_t bytes; /* of the file */
	double spent; /* seconds of CPU of earlier namers */
};

/* ---- rounds ---- */

int profile_round_init(struct profile_round *round)
{
	*round = (struct profile_round){ 0 };
	profile_names_init(&round->names);
	return profile_tree_init(&round->tree, NODES_MAX);
}

void profile_round_clear(struct profile_round *round)
{
	profile_tree_clear(&round->tree);
	profile_names_clear(&round->names);
}

/* ---- the file ---- */

static int open_file(struct profile_live *live, const char *name, int *fd)
{
	*fd = memfd_create(name, MFD_CLOEXEC);
	return *fd < 0 ? dkt_fail(live->ctx, -errno, "make a file in memory for samples: %s",
				  strerror(errno)) :
			 0;
}

static void note_bytes(struct profile_live *live)
{
	struct dkt__sampler_result result;

	dkt__sampler_get(live->sampler, &result, sizeof(result));
	live->bytes = result.bytes;
}

/* Frees the memory of what the namer has read. */
static void forget(struct profile_live *live)
{
	const uint64_t from = (live->named + HOLE_ALIGN - 1) / HOLE_ALIGN * HOLE_ALIGN;
	const uint64_t to = live->asking / HOLE_ALIGN * HOLE_ALIGN;

	/* Without holes, the file only ends sooner. */
	if (to > from && fallocate(live->samples, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
				   (off_t)from, (off_t)(to - from)))
		return;
	live->named = live->asking;
}

int profile_live_open(struct dkt_ctx *ctx, const struct profile_live_opts *opts,
		      struct profile_live **made)
{
	DKT_OPTS(dkt__sampler_opts, sampler, .threads = opts->threads, .n_threads = opts->n_threads,
		 .waits = opts->waits, .calls = opts->calls, .callers = opts->callers,
		 .ring_size = opts->ring_size, .end_fd = -1);
	struct profile_live *live = calloc(1, sizeof(*live));
	int err;

	*made = NULL;
	if (!live)
		return dkt_fail(ctx, -ENOMEM, "take samples: out of memory");
	*live = (struct profile_live){ .ctx = ctx, .samples = -1, .reply = -1, .connection = -1 };
	live->opts = *opts;
	err = dkt__sampler_open(ctx, &sampler, &live->sampler);
	if (err)
		profile_live_close(live);
	else
		*made = live;
	return err;
}

int profile_live_start(struct profile_live *live)
{
	int err = open_file(live, "samples", &live->samples);

	if (!err)
		err = open_file(live, "names", &live->reply);
	if (!err && ftruncate(live->samples, (off_t)FILE_SIZE))
		err = dkt_fail(live->ctx, -errno, "make a file for samples: %s", strerror(errno));
	if (!err)
		err = dkt__sampler_begin(live->sampler, live->samples);
	if (!err)
		err = dkt__sampler_step(live->sampler);
	note_bytes(live);
	live->named = live->asking = live->bytes;
	if (err)
		profile_live_stop(live);
	return err;
}

/* The namer reads the file while it is asked. */
int profile_live_step(struct profile_live *live)
{
	int err = 0;

	if (live->samples < 0 || live->asked)
		return 0;
	if (live->bytes >= FILE_MAX) {
		profile_live_stop(live);
		return profile_live_start(live);
	}
	err = dkt__sampler_step(live->sampler);
	note_bytes(live);
	return err;
}

uint64_t profile_live_waiting(const struct profile_live *live)
{
	return live->bytes - live->named;
}

/* ---- names ---- */

static int start_namer(struct profile_live *live)
{
	const pid_t pid = dkt__servant_fork(&live->connection);

	if (pid < 0)
		return dkt_fail(live->ctx, pid, "start a process for names: %s", strerror(-pid));
	if (!pid)
		namer_run(&(const struct namer_opts){ .connection = live->connection,
						      .samples = live->samples,
						      .reply = live->reply,
						      .calls = live->opts.calls });
	live->namer = pid;
	return 0;
}

static int ask(struct profile_live *live, int32_t process)
{
	struct namer_request request = { .process = process };
	const struct dkt__pass out = { .head = &request, .n_head = sizeof(request) };
	int err = live->connection < 0 ? start_namer(live) : 0;

	if (!err)
		err = dkt__pass_send(live->connection, &out);
	live->asked = !err;
	live->asking = live->bytes;
	return err;
}

/* 0: there is an answer. */
static int wait_for_answer(const struct profile_live *live, int wait_ms)
{
	struct pollfd wanted = { .fd = live->connection, .events = POLLIN };

	return poll(&wanted, 1, wait_ms) > 0 ? 0 : -EAGAIN;
}

static int read_answer(struct profile_live *live, struct profile_round *round)
{
	struct namer_answer answer;
	struct dkt__pass in = { .head = &answer, .n_head = sizeof(answer) };
	char *bytes __cleanup(free) = NULL;

	if (dkt__pass_take(live->connection, &in) != sizeof(answer))
		return -EPIPE;
	if (answer.err || answer.size > NAMER_REPLY)
		return answer.err < 0 ? answer.err : -EBADMSG;
	bytes = malloc(answer.size + 1);
	if (!bytes)
		return -ENOMEM;
	if (dkt__pread_all(live->reply, bytes, answer.size, 0) != (ssize_t)answer.size)
		return -EBADMSG;
	return namer_get(bytes, answer.size, round);
}

int profile_live_take(struct profile_live *live, int32_t process, int wait_ms,
		      struct profile_round *round)
{
	struct dkt__sampler_result result;
	int err = profile_live_step(live);

	if (!err && !live->asked)
		err = ask(live, process);
	if (err)
		return err;
	err = wait_for_answer(live, wait_ms);
	if (err)
		return err;
	live->asked = false;
	dkt__sampler_get(live->sampler, &result, sizeof(result));
	round->lost = result.lost;
	err = read_answer(live, round);
	if (err)
		return dkt_fail(live->ctx, err, "name the functions of samples: %s",
				strerror(-err));
	forget(live);
	return 0;
}

/* ---- the end ---- */

double profile_live_cost(const struct profile_live *live)
{
	struct timespec used = { 0 };
	clockid_t clock;

	if (live->connection >= 0 && !clock_getcpuclockid(live->namer, &clock))
		clock_gettime(clock, &used);
	return live->spent + (double)used.tv_sec + (double)used.tv_nsec / 1e9;
}

void profile_live_stop(struct profile_live *live)
{
	live->spent = profile_live_cost(live);
	dkt__sampler_stop(live->sampler);
	/* It may still read a large program, for names that nobody wants now. */
	if (live->connection >= 0)
		kill(live->namer, SIGKILL);
	dkt__servant_end(live->namer, &live->connection);
	dkt__closep(&live->samples);
	dkt__closep(&live->reply);
	live->samples = live->reply = -1;
	live->asked = false;
}

void profile_live_close(struct profile_live *live)
{
	if (!live)
		return;
	profile_live_stop(live);
	dkt__sampler_close(live->sampler);
	free(live);
}
