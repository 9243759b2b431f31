/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The bound that report is measured by: a decoder written for raw_syscalls and nothing else. It
 * knows the layout of two events by heart, merges the CPUs of an uncompressed file without a heap,
 * and puts each line straight into a buffer; other events are counted only. Its lines of the two
 * events are those of report.
 *
 * usage: decoder FILE >OUT; without a file it does nothing, so that all programs here can be run.
 */
#include "lib/base/number.h"
#include "lib/source/streams.h"

#define CHUNK (256 * 1024)

struct out {
	char *at;
	char text[CHUNK + 4096];
};

struct walk {
	struct dkt__extent *pages;
	uint64_t nr, n_pages;
	const uint8_t *p, *end;
	uint64_t ts, offset; /* that is added for printing */
	const uint8_t *data;
	char head[64]; /* "comm-pid [cpu] " of the pid */
	int32_t pid;
	unsigned int head_len;
	int cpu;
};

/* Steps to the next record; false: there is none. */
static bool step(struct walk *w)
{
	const uint8_t *page;
	uint32_t size;

	for (;;) {
		while (w->p < w->end) {
			uint32_t head, word;
			const uint8_t *at = w->p;

			memcpy(&head, at, 4);
			memcpy(&word, at + 4, 4);
			if ((head & 31) - 1 < 28) {
				w->ts += head >> 5;
				w->data = at + 4;
				w->p = at + 4 + (head & 31) * 4;
				return true;
			}
			if (!(head & 31)) {
				w->ts += head >> 5;
				w->data = at + 8;
				w->p = at + 4 + ((word + 3) & ~3u);
				return true;
			}
			if ((head & 31) == 29 && !(head >> 5))
				break;
			w->p = at + ((head & 31) == 29 ? 4 + word : 8);
			w->ts = (head >> 5) + ((head & 31) == 31 ? 0 : w->ts) +
				((head & 31) == 29 ? 0 : (uint64_t)word << 27);
		}
		if (w->nr >= w->n_pages)
			return false;
		page = dkt__extent_page(w->pages, w->nr++, w->n_pages, &size);
		if (!page)
			return false;
		memcpy(&w->ts, page, 8);
		memcpy(&size, page + 8, 4);
		w->p = page + 16;
		w->end = w->p + (size & 0x7ffffff);
		w->pid = -1;
	}
}

static char *put_head(char *p, struct walk *w, const struct dkt__comms *comms)
{
	int32_t pid;

	memcpy(&pid, w->data + 4, 4);
	if (dkt__unlikely(pid != w->pid)) {
		const char *comm = pid ? dkt__comms_get(comms, pid) : "<idle>";

		w->pid = pid;
		w->head_len = (unsigned int)snprintf(w->head, sizeof(w->head), "%16s-%-5d [%03d] ",
						     comm ? comm : "<...>", pid, w->cpu);
	}
	memcpy(p, w->head, sizeof(w->head));
	return p + w->head_len;
}

static char *put_time(char *p, uint64_t ts)
{
	uint64_t us = (ts + 500) / 1000, s = us / 1000000;
	uint32_t part = (uint32_t)(us - s * 1000000);

	p = dkt__put_dec(p, s);
	*p++ = '.';
	memcpy(p, dkt__digit_pairs + part / 10000 * 2, 2);
	memcpy(p + 2, dkt__digit_pairs + part / 100 % 100 * 2, 2);
	memcpy(p + 4, dkt__digit_pairs + part % 100 * 2, 2);
	return p + 6;
}

static char *put_enter(char *p, const uint8_t *data)
{
	uint64_t v;
	int i;

	memcpy(p, ": sys_enter:            NR ", 27);
	memcpy(&v, data + 8, 8);
	p = dkt__put_dec(p + 27, v);
	memcpy(p, " (", 2);
	p += 2;
	for (i = 0; i < 6; i++) {
		memcpy(&v, data + 16 + 8 * i, 8);
		p = dkt__put_hex(p, v);
		memcpy(p, i < 5 ? ", " : ")\n", 2);
		p += 2;
	}
	return p;
}

static char *put_exit(char *p, const uint8_t *data)
{
	int64_t v;

	memcpy(p, ": sys_exit:             NR ", 27);
	memcpy(&v, data + 8, 8);
	p = dkt__put_int(p + 27, v);
	memcpy(p, " = ", 3);
	memcpy(&v, data + 16, 8);
	p = dkt__put_int(p + 3, v);
	*p++ = '\n';
	return p;
}

static void run(struct walk *walks, int n, const struct dkt__comms *comms, int enter, int leave,
		struct out *out)
{
	int i, first;

	for (i = 0; i < n; i++)
		if (!step(&walks[i]))
			walks[i--] = walks[--n];
	while (n) {
		struct walk *w;
		uint16_t type;

		for (first = 0, i = 1; i < n; i++)
			if (walks[i].ts < walks[first].ts)
				first = i;
		w = &walks[first];
		memcpy(&type, w->data, 2);
		if (type == enter || type == leave) {
			char *p = put_time(put_head(out->at, w, comms), w->ts + w->offset);

			out->at = type == enter ? put_enter(p, w->data) : put_exit(p, w->data);
			if (out->at - out->text > CHUNK) {
				fwrite(out->text, 1, (size_t)(out->at - out->text), stdout);
				out->at = out->text;
			}
		}
		if (!step(w))
			walks[first] = walks[--n];
	}
	fwrite(out->text, 1, (size_t)(out->at - out->text), stdout);
}

int main(int argc, char **argv)
{
	struct dkt__streams *it;
	struct dkt_source *source;
	struct dkt_ctx *ctx;
	struct walk *walks;
	struct out *out;
	size_t i;

	if (argc < 2)
		return 0;
	if (dkt_ctx_new(NULL, &ctx) || dkt_source_open(ctx, argv[1], NULL, &source))
		return 1;
	it = (struct dkt__streams *)source;
	walks = calloc(it->n + 1, sizeof(*walks));
	out = malloc(sizeof(*out));
	if (!walks || !out)
		return 1;
	out->at = out->text;
	for (i = 0; i < it->n; i++) {
		walks[i].cpu = it->list[i].cpu;
		walks[i].pages = &it->list[i].extent;
		walks[i].n_pages = it->list[i].n_pages;
		walks[i].offset = (uint64_t)it->times.offset;
	}
	run(walks, (int)it->n, &it->comms,
	    dkt_event_id(dkt_event_find(ctx, "raw_syscalls", "sys_enter")),
	    dkt_event_id(dkt_event_find(ctx, "raw_syscalls", "sys_exit")), out);
	free(out);
	free(walks);
	dkt_source_close(source);
	dkt_ctx_free(ctx);
	return 0;
}
