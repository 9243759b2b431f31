/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Speed of making lines of what the probes on Lustre's messages record: asked are 3 M messages a
 * second. The mix is that of a client which mounts, with all classes on.
 */
#include <time.h>

#include "compat/lustre/message/joiner.h"
#include "lib/ctx.h"
#include "tests/helper/cdebug_event.h"

#define MESSAGES 4096
#define ROUNDS   50
#define RUNS     7

/* The fields of each event that a message needs. */
struct kind {
	struct dkt_event *event;
	struct message *message;
};

static struct dkt_ctx *ctx;
static struct kind words, strings, call;

struct raw {
	const struct kind *kind;
	uint8_t *data;
	uint32_t size;
};

static struct raw raws[2 * MESSAGES];
static unsigned int n_raws;

/* More than any record takes. */
#define RAW_MAX 8192

/* Where the next record goes: they lie one behind the other, as in the pages of a capture. */
static uint8_t *room(void)
{
	static uint8_t *bytes;
	const struct raw *last;

	if (!bytes)
		bytes = calloc(2 * MESSAGES, RAW_MAX);
	if (!bytes)
		abort();
	if (!n_raws)
		return bytes;
	last = &raws[n_raws - 1];
	return last->data + (last->size + 7) / 8 * 8;
}

static struct raw *begin(const struct kind *kind, uint64_t stack)
{
	uint8_t *data = room();
	struct raw *raw = &raws[n_raws++];
	const struct dkt_field *sp = dkt_event_field(kind->event, "sp"), *last;
	static const char *const names[] = { "a31", "q3", "t14" };
	unsigned int i;

	raw->kind = kind;
	raw->data = data;
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		last = dkt_event_field(kind->event, names[i]);
		if (last && last->offset + last->size > raw->size)
			raw->size = last->offset + last->size;
	}
	memcpy(raw->data + sp->offset, &stack, sizeof(stack));
	return raw;
}

static void put(struct raw *raw, const char *name, uint64_t v)
{
	const struct dkt_field *field = dkt_event_field(raw->kind->event, name);

	memcpy(raw->data + field->offset, &v, field->size);
}

static void put_numbered(struct raw *raw, char letter, unsigned int i, uint64_t v)
{
	char name[16];

	snprintf(name, sizeof(name), "%c%u", letter, i);
	put(raw, name, v);
}

static void put_text(struct raw *raw, const char *name, const char *text)
{
	uint32_t len = (uint32_t)strlen(text) + 1;

	put(raw, name, raw->size | (uint64_t)len << 16);
	memcpy(raw->data + raw->size, text, len);
	raw->size += len;
}

static void put_string(struct raw *raw, unsigned int i, const char *text)
{
	char name[16];

	snprintf(name, sizeof(name), "s%u", i);
	put_text(raw, name, text);
}

static void put_place(struct raw *raw, const char *fmt)
{
	put(raw, "msg_line", 1234);
	put_text(raw, "msg_file", "/build/lustre-2.17.57/lustre/ptlrpc/client.c");
	put_text(raw, "msg_fn", "ptlrpc_queue_wait");
	put_text(raw, "fmt", fmt);
}

static void add(unsigned int i, const char *fmt, bool nested)
{
	uint64_t stack = 0xffffc90000000000 + 64 * i;
	struct raw *raw;
	unsigned int j;

	raw = begin(nested ? &call : &strings,
		    nested ? stack + dkl_cdebug_call_stack(CDEBUG_X86_64) : stack);
	if (nested) {
		put_place(raw, fmt);
		put_text(raw, "v_fmt", "@@@ (re)connect request (timeout %d) ");
		put(raw, "v_offset", 24);
		put(raw, "v3", 5);
		for (j = 0; j < 44; j++)
			put_numbered(raw, 'a', j, 0xffff888100000000 + 12345 * j);
		for (j = 17; j < 36; j++)
			put_numbered(raw, 'q', j, j % 3 ? 0 : 'I');
		for (j = 36; j < 41; j++)
			put_string(raw, j, "dd.0");
	}
	for (j = 0; j < (nested ? 17 : 8); j++)
		put_string(raw, j, "192.168.1.20@tcp");
	raw = begin(&words, stack);
	put_place(raw, fmt);
	for (j = 0; j < 32; j++)
		put_numbered(raw, 'a', j, 0xffff888100000000 + 12345 * j);
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static double run(struct message_joiner *joiner, struct dkt_buf *buf)
{
	double start = now();
	unsigned int i, j;

	for (j = 0; j < ROUNDS; j++) {
		for (i = 0; i < n_raws; i++) {
			struct dkt_record rec = { .event = raws[i].kind->event,
						  .ts = (uint64_t)j * n_raws + i + 1,
						  .data = raws[i].data,
						  .size = raws[i].size };
			if (!dkl_message_joiner_take(joiner, raws[i].kind->message, &rec))
				dkl_message_line(raws[i].kind->message, &rec, "()) ", buf);
			if (i % 1000 == 0)
				dkt_buf_reset(buf);
		}
	}
	return ROUNDS * (double)MESSAGES / (now() - start);
}

static int cmp_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void define(struct kind *kind, unsigned int id, const char *name, enum cdebug_place place,
		   struct message_joiner *joiner)
{
	kind->event = cdebug_event(ctx, CDEBUG_GROUP, id, name, place);
	kind->message = dkl_message_new(ctx, kind->event, joiner);
	if (!kind->message)
		abort();
}

/* The percentage of each message, counted in 20,000 messages of a mount. */
static void make_mix(void)
{
	unsigned int i;

	for (i = 0; i < MESSAGES; i++) {
		unsigned int share = i * 37 % 100;

		if (share < 33)
			add(i, "Process entered\n", false);
		else if (share < 66)
			add(i, "Process leaving (rc=%lu : %ld : %lx)\n", false);
		else if (share < 78)
			add(i, "conn=%p (%s) refcount now %d\n", false);
		else if (share < 86)
			add(i, "%s: import %p refcount=%d obd=%s\n", false);
		else if (share < 93)
			add(i, "slab-alloced '%s': %d at %p.\n", false);
		else
			add(i,
			    "%pV req@%p x%llu/t%lld(%llu) o%d->%s@%s:%d/%d lens %d/%d e %d to %lld"
			    " dl %lld ref %d fl %s:%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s/%x/%x rc %d/%d"
			    " job:'%s' uid:%u gid:%u projid:%u\n",
			    true);
	}
}

int main(void)
{
	struct message_joiner *joiner = dkl_message_joiner_new();
	double rates[RUNS];
	struct dkt_buf *buf;
	unsigned int i;

	if (!joiner || dkt_ctx_new(NULL, &ctx) || dkt_buf_new(&buf))
		return 1;
	define(&words, 65001, CDEBUG_NAME, CDEBUG_WORDS, joiner);
	define(&strings, 65002, CDEBUG_STRINGS, CDEBUG_POINTEES, joiner);
	define(&call, 65003, CDEBUG_NESTED, CDEBUG_CALL, joiner);
	make_mix();
	for (i = 0; i < RUNS; i++)
		rates[i] = run(joiner, buf);
	qsort(rates, RUNS, sizeof(*rates), cmp_double);
	printf("messages of the probe, mixed: %.2f M/s (asked: 3)\n", rates[RUNS / 2] / 1e6);
	return 0;
}
