/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes a trace.dat of version 6 with the formats of all events of the running kernel and one
 * record, to measure how long it takes until that is printed.
 *
 * usage: formats FILE; without a file it does nothing, so that all programs here can be run.
 */
#include "lib/ctx.h"

#define PAGE 4096

static void put(FILE *f, const void *bytes, size_t n)
{
	fwrite(bytes, 1, n, f);
}

static void put_u32(FILE *f, uint32_t v)
{
	put(f, &v, sizeof(v));
}

static void put_u64(FILE *f, uint64_t v)
{
	put(f, &v, sizeof(v));
}

/* A file of tracefs after its length. */
static void put_file(FILE *f, struct dkt_ctx *ctx, const char *system, const char *name)
{
	char path[512], text[65536];
	FILE *from;
	size_t len;

	snprintf(path, sizeof(path), "%s/events/%s/%s/format", dkt_tracefs_dir(ctx), system, name);
	from = fopen(path, "re");
	len = from ? fread(text, 1, sizeof(text), from) : 0;
	if (from)
		fclose(from);
	put_u64(f, len);
	put(f, text, len);
}

static size_t put_events(FILE *f, struct dkt_ctx *ctx)
{
	struct dkt_event *const *events;
	uint32_t systems = 0;
	size_t i, j, n;
	long at;

	if (dkt_events(ctx, &events, &n))
		return 0;
	at = ftell(f);
	put_u32(f, 0);
	for (i = 0; i < n; i = j) {
		const char *system = dkt_event_system(events[i]);

		for (j = i; j < n && !strcmp(dkt_event_system(events[j]), system); j++)
			;
		put(f, system, strlen(system) + 1);
		put_u32(f, (uint32_t)(j - i));
		for (; i < j; i++)
			put_file(f, ctx, system, dkt_event_name(events[i]));
		systems++;
	}
	fseek(f, at, SEEK_SET);
	put_u32(f, systems);
	fseek(f, 0, SEEK_END);
	return n;
}

/* A page with one record of ftrace:print. */
static void put_page(FILE *f)
{
	struct {
		uint64_t ts, commit;
		uint32_t head;
		uint16_t type;
		uint8_t flags, preempt;
		int32_t pid;
		uint32_t ip[2];
		char text[8];
	} page = { .ts = 1, .commit = 28, .head = 6, .type = 5, .text = "hello" };
	char rest[PAGE - sizeof(page)] = { 0 };

	put(f, &page, sizeof(page));
	put(f, rest, sizeof(rest));
}

int main(int argc, char **argv)
{
	static const char head_page[] = "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n";
	struct dkt_ctx *ctx;
	uint64_t at;
	size_t n;
	FILE *f;

	if (argc < 2)
		return 0;
	f = fopen(argv[1], "we");
	if (!f || dkt_ctx_new(NULL, &ctx) || dkt_tracefs_open(ctx, 0))
		return 1;
	put(f, "\x17\x08\x44tracing6\0\0\x08", 14);
	put_u32(f, PAGE);
	put(f, "header_page", 12);
	put_u64(f, sizeof(head_page) - 1);
	put(f, head_page, sizeof(head_page) - 1);
	put(f, "header_event", 13);
	put_u64(f, 0);
	put_u32(f, 1);
	put_file(f, ctx, "ftrace", "print");
	n = put_events(f, ctx);
	/* No symbols, no strings, no names of processes; one CPU. */
	put_u32(f, 0);
	put_u32(f, 0);
	put_u64(f, 0);
	put_u32(f, 1);
	put(f, "flyrecord", 10);
	at = ((uint64_t)ftell(f) + 16 + PAGE - 1) / PAGE * PAGE;
	put_u64(f, at);
	put_u64(f, PAGE);
	fseek(f, (long)at, SEEK_SET);
	put_page(f);
	dkt_ctx_free(ctx);
	printf("%zu\n", n);
	return fclose(f) ? 1 : 0;
}
