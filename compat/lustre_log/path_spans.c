/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The spans that the time of a call is made of, one after the other. */
#include "compat/lustre_log/path_spans.h"

#include "lib/base/memory.h"

/* Spans of one call or request. With more, what is left out is unknown. */
#define SPANS_MAX 1024

const char *dkl_path_part_name(enum path_part part)
{
	static const char *const names[PATH_PARTS] = {
		[PATH_BEFORE] = "client before",
		[PATH_SEND] = "request on net",
		[PATH_QUEUE] = "queue",
		[PATH_LOCK] = "lock on server",
		[PATH_DISK] = "disk",
		[PATH_JOURNAL] = "journal",
		[PATH_CPU] = "cpu",
		[PATH_WORK] = "work",
		[PATH_REPLY] = "reply on net",
		[PATH_AWAY] = "sent to reply",
		[PATH_GRANT] = "lock on client",
		[PATH_AFTER] = "client after",
		[PATH_UNKNOWN] = "unknown",
	};

	return names[part];
}

void dkl_path_spans_clear(struct path_spans *spans)
{
	free(spans->list);
	*spans = (struct path_spans){ 0 };
}

int dkl_path_spans_add(struct path_spans *spans, struct path_span span)
{
	if (span.to <= span.from)
		return 0;
	if (spans->n == SPANS_MAX) {
		spans->crowded = true;
		return 0;
	}
	return dkt__append(spans->list, spans->n, span);
}

static int compare_times(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

uint64_t dkl_path_spans_shortest(const struct path_spans *spans, size_t most)
{
	uint64_t *lengths __cleanup(free) = calloc(spans->n + 1, sizeof(*lengths));

	if (!lengths || spans->n <= most)
		return 0;
	for (size_t i = 0; i < spans->n; i++)
		lengths[i] = spans->list[i].to - spans->list[i].from;
	qsort(lengths, spans->n, sizeof(*lengths), compare_times);
	return lengths[spans->n - most];
}

/* Returns the span that counts from then until the next time; NULL: none. */
static const struct path_span *at(const struct path_spans *spans, uint64_t from)
{
	const struct path_span *best = NULL;

	for (size_t i = 0; i < spans->n; i++) {
		const struct path_span *span = &spans->list[i];

		if (span->from <= from && span->to > from && (!best || span->rank > best->rank))
			best = span;
	}
	return best;
}

/* Adds a span, or the time to the last one if that is the same. */
static int join(struct path_spans *out, struct path_span span)
{
	struct path_span *last = out->n ? &out->list[out->n - 1] : NULL;

	if (last && last->to == span.from && last->part == span.part && last->xid == span.xid &&
	    last->holder == span.holder && last->host == span.host) {
		last->to = span.to;
		return 0;
	}
	return dkl_path_spans_add(out, span);
}

/* Sets *first and *last to the time that the spans cover within from..to, or to from. */
static void covered(const struct path_spans *spans, uint64_t from, uint64_t to, uint64_t *first,
		    uint64_t *last)
{
	*first = to;
	*last = from;
	for (size_t i = 0; i < spans->n; i++) {
		*first = DKT__MIN(*first, DKT__MAX(spans->list[i].from, from));
		*last = DKT__MAX(*last, DKT__MIN(spans->list[i].to, to));
	}
}

int dkl_path_spans_flatten(const struct path_spans *spans, uint64_t from, uint64_t to,
			   struct path_gaps gaps, struct path_spans *out)
{
	uint64_t *times __cleanup(free) = calloc(2 * spans->n + 2, sizeof(*times));
	uint64_t first, last;
	size_t n = 0;
	int err = times ? 0 : -ENOMEM;

	if (err || to <= from)
		return err;
	covered(spans, from, to, &first, &last);
	times[n++] = from;
	times[n++] = to;
	for (size_t i = 0; i < spans->n; i++) {
		times[n++] = DKT__MIN(DKT__MAX(spans->list[i].from, from), to);
		times[n++] = DKT__MIN(DKT__MAX(spans->list[i].to, from), to);
	}
	qsort(times, n, sizeof(*times), compare_times);
	for (size_t i = 0; !err && i + 1 < n; i++) {
		const struct path_span *best = at(spans, times[i]);
		struct path_span span = { .host = gaps.host };

		if (times[i] == times[i + 1])
			continue;
		if (best)
			span = *best;
		else
			span.part = spans->crowded      ? PATH_UNKNOWN :
				    times[i] < first    ? gaps.before :
				    times[i + 1] > last ? gaps.after :
							  gaps.between;
		/* The client's own time is of no request. */
		if (span.part == PATH_BEFORE || span.part == PATH_AFTER)
			span.xid = 0;
		span.from = times[i];
		span.to = times[i + 1];
		err = join(out, span);
	}
	return err;
}

/* ---- one request ---- */

/* Puts the steps one after the other: none begins before the end of the one before. Their rank is 0. */
struct steps {
	struct path_spans spans;
	uint64_t at, end, xid;
	int err;
};

static void step(struct steps *steps, enum path_part part, uint32_t host, uint64_t until)
{
	const uint64_t to = DKT__MIN(until, steps->end);

	if (steps->err || to <= steps->at)
		return;
	steps->err = dkl_path_spans_add(&steps->spans, (struct path_span){ .part = part,
									   .host = host,
									   .from = steps->at,
									   .to = to,
									   .xid = steps->xid });
	steps->at = to;
}

/* Adds the server's work until then, in which its thread waited for what is in served. */
static void serve(struct steps *steps, const struct rpc *rpc, const struct path_spans *served,
		  bool cpu, uint64_t until)
{
	const uint64_t from = steps->at, to = DKT__MIN(until, steps->end);
	const size_t n = served ? served->n : 0;
	const enum path_part rest = cpu ? PATH_CPU : PATH_WORK;

	for (size_t i = 0; !steps->err && i < n; i++) {
		struct path_span span = served->list[i];

		span.from = DKT__MAX(span.from, from);
		span.to = DKT__MIN(span.to, to);
		span.rank++;
		span.xid = rpc->xid;
		steps->err = dkl_path_spans_add(&steps->spans, span);
	}
	step(steps, served && served->crowded ? PATH_UNKNOWN : rest, rpc->server, until);
}

/* When the thread began, and when the request arrived, by Lustre's own measurement if it has one. */
static uint64_t begun(const struct rpc *rpc)
{
	return rpc->has[RPC_SERVICE] && rpc->handled > rpc->phases[RPC_SERVICE] ?
		       rpc->handled - rpc->phases[RPC_SERVICE] :
		       rpc->handling;
}

static uint64_t arrived(const struct rpc *rpc)
{
	const uint64_t begin = begun(rpc);

	if (rpc->has[RPC_WAIT] && begin > rpc->phases[RPC_WAIT])
		return begin - rpc->phases[RPC_WAIT];
	return rpc->arrived ? rpc->arrived : begin;
}

int dkl_path_of_rpc(const struct rpc *rpc, const struct path_spans *served, bool cpu,
		    struct path_spans *out, uint64_t *from, uint64_t *to)
{
	const struct path_gaps gaps = { PATH_UNKNOWN, PATH_UNKNOWN, PATH_UNKNOWN, rpc->sender };
	const bool client = rpc->sent && rpc->completed;
	struct steps steps = { .xid = rpc->xid };
	uint64_t done;

	*from = steps.at = client ? rpc->sent : arrived(rpc);
	*to = steps.end = client ? rpc->completed : rpc->handled;
	done = rpc->replied > begun(rpc) && rpc->replied < rpc->handled ? rpc->replied :
									  rpc->handled;
	if (!arrived(rpc)) {
		step(&steps, PATH_AWAY, rpc->sender, steps.end);
	} else {
		step(&steps, PATH_SEND, rpc->server, arrived(rpc));
		step(&steps, PATH_QUEUE, rpc->server, begun(rpc));
		if (rpc->handled) {
			serve(&steps, rpc, served, cpu, done);
			if (!client)
				step(&steps, PATH_WORK, rpc->server, steps.end);
			step(&steps, PATH_REPLY, rpc->sender,
			     rpc->received ? rpc->received : steps.end);
			step(&steps, PATH_AFTER, rpc->sender, steps.end);
		}
	}
	if (!steps.err)
		steps.err = dkl_path_spans_flatten(&steps.spans, *from, *to, gaps, out);
	dkl_path_spans_clear(&steps.spans);
	return steps.err;
}
