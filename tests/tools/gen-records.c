/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes binary records as a kernel with Lustre dumps them, whole or damaged, always the same ones
 * for the same arguments.
 *
 * usage: gen-records KIND COUNT [SEED [SECONDS]] >FILE	the first stamps are of that second
 *        gen-records damage COUNT [SEED] <FILE >FILE	changes so many bytes
 *        gen-records junk COUNT [SEED] <FILE >FILE	puts in junk at so many places
 *        gen-records lines COUNT <TEXT >FILE	makes records of up to so many lines of Lustre's log
 * kinds: cpus (three runs for each of four CPUs), one (one run), near (short runs of four CPUs by
 *        turns), random (in no order), equal (few different stamps), mixed (texts of any kind), inner
 *        (texts that hold records), big (some of up to 64 KiB), odd (headers at and beyond every
 *        bound), nameless (NULs missing)
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compat/lustre/binary.h"

#define START 1495061000u

struct gen {
	const char *kind;
	uint64_t state;
	unsigned long count;
	unsigned long i;
	uint32_t start;
};

static uint32_t rnd(struct gen *gen, uint32_t below)
{
	gen->state = gen->state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(gen->state >> 33) % below;
}

static bool is(const struct gen *gen, const char *kind)
{
	return !strcmp(gen->kind, kind);
}

/* Microseconds since the first second. */
static uint64_t stamp(struct gen *gen)
{
	unsigned long runs = is(gen, "cpus") ? 12 : 1, run = gen->count / runs + 1;

	if (is(gen, "random") || is(gen, "mixed"))
		return rnd(gen, 1u << 30);
	if (is(gen, "equal"))
		return rnd(gen, 5);
	if (is(gen, "near"))
		return (gen->i / 160 * 160 + gen->i % 40 * 4) * 37 + rnd(gen, 100);
	return (gen->i % run) * 37 * runs + rnd(gen, 30);
}

static struct record_head head(struct gen *gen)
{
	static const uint32_t masks[] = { 0x100000, 0x200, 0x40, 0x10000, 0x1, 0x20000, 0x2000400 };
	uint64_t us = stamp(gen);
	unsigned long run = gen->i / (gen->count / 12 + 1);
	struct record_head h = { .subsystem = 1u << rnd(gen, 20),
				 .mask = masks[rnd(gen, 7)],
				 .cpu = (uint16_t)(3 - run / 3),
				 .type = (uint16_t)(2 - run % 3),
				 .sec = gen->start + (uint32_t)(us / 1000000),
				 .usec = us % 1000000,
				 .pid = 1000 + rnd(gen, 60000),
				 .line = 1 + rnd(gen, 3000) };

	h.flags = gen->i % (gen->count / 12 + 1) ? 0 : RECORD_FIRST;
	if (is(gen, "random") && rnd(gen, 2))
		h.stack = rnd(gen, 8000);
	return h;
}

/* Moves one field to or over what Lustre's lctl takes. */
static void make_odd(struct gen *gen, struct record_head *h)
{
	static const uint32_t lens[] = {
		0, 1, 47, 48, 49, 60, 4094, 4095, 65536, 65537, 0xffffffff
	};

	switch (rnd(gen, 12)) {
	case 0:
		h->len = rnd(gen, 3) ? h->len : lens[rnd(gen, 11)];
		break;
	case 1:
		h->stack = 65535 + rnd(gen, 3);
		break;
	case 2:
		h->sec = (1u << 30) - 1 + rnd(gen, 2);
		break;
	case 3:
		h->usec = rnd(gen, 2) ? 999999 + rnd(gen, 2) : 1000000000 + rnd(gen, 2);
		break;
	case 4:
		h->line = 65535 + rnd(gen, 3);
		break;
	case 5:
		h->sec = 0xffffffff;
		h->pid = h->extern_pid = h->flags = 0xffffffff;
		h->cpu = h->type = 0xffff;
		break;
	case 6:
		h->subsystem = 0;
		h->mask = 0;
		break;
	default:
		break;
	}
}

/* A text of that many bytes. */
static size_t put_text(struct gen *gen, char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		text[i] = (char)(' ' + rnd(gen, 95));
	if (is(gen, "mixed"))
		for (i = rnd(gen, 8); i < len; i += 1 + rnd(gen, 200))
			text[i] = "\n\t\0\033\377\n\r\n"[rnd(gen, 8)];
	if (len && !(is(gen, "mixed") && !rnd(gen, 4)))
		text[len - 1] = '\n';
	return len;
}

/* Consecutive records without names and texts. */
static size_t put_records(char *text, size_t n)
{
	struct record_head h = { .len = sizeof(h) + 4, .sec = START, .line = 7 };
	size_t i;

	for (i = 0; i < n; i++, text += h.len) {
		memcpy(text, &h, sizeof(h));
		memcpy(text + sizeof(h), "f\0g", 4);
	}
	return n * h.len;
}

static size_t text_len(struct gen *gen)
{
	if (is(gen, "big") && !rnd(gen, 4))
		return rnd(gen, RECORD_MAX - 200);
	if (is(gen, "mixed") && !rnd(gen, 20))
		return 3900 + rnd(gen, 100);
	if (is(gen, "mixed") && !rnd(gen, 5))
		return rnd(gen, 3);
	return 40 + rnd(gen, 56);
}

static void put_record(struct gen *gen)
{
	static const char *const files[] = { "client.c", "ldlm_lock.c", "ofd_io.c",
					     "osd_handler.c" };
	static const char *const functions[] = { "ptlrpc_send_new_req", "ldlm_lock_decref",
						 "ofd_preprw_read", "osd_trans_stop" };
	static char rec[RECORD_MAX];
	uint32_t which = rnd(gen, 4);
	struct record_head h = head(gen);
	size_t len = sizeof(h);
	bool nul = !is(gen, "nameless");

	len += (size_t)snprintf(rec + len, 64, "%s", files[which]);
	len += nul || rnd(gen, 2);
	len += (size_t)snprintf(rec + len, 64, "%s", functions[which]);
	len += nul || rnd(gen, 2);
	if (is(gen, "inner") && !rnd(gen, 4))
		len += put_records(rec + len, 40);
	else
		len += put_text(gen, rec + len, text_len(gen));
	h.len = (uint32_t)len;
	if (is(gen, "odd"))
		make_odd(gen, &h);
	memcpy(rec, &h, sizeof(h));
	fwrite(rec, 1, len, stdout);
}

/* Copies standard input with changes or additions. */
static int spoil(struct gen *gen, bool junk)
{
	static char bytes[64 << 20];
	size_t len = fread(bytes, 1, sizeof(bytes), stdin), at, done = 0;
	char piece[300];

	if (!junk) {
		while (len && gen->count--)
			bytes[rnd(gen, (uint32_t)len)] = (char)rnd(gen, 256);
		return fwrite(bytes, 1, len, stdout) == len ? 0 : 1;
	}
	while (len && gen->count--) {
		size_t n = 1 + rnd(gen, sizeof(piece));

		at = done + rnd(gen, (uint32_t)(len - done) / (uint32_t)(gen->count + 1) + 1);
		fwrite(bytes + done, 1, at - done, stdout);
		done = at;
		gen->kind = rnd(gen, 2) ? "mixed" : "plain";
		put_text(gen, piece, n);
		fwrite(piece, 1, n - rnd(gen, 2), stdout);
	}
	return fwrite(bytes + done, 1, len - done, stdout) == len - done ? 0 : 1;
}

/* SUBSYSTEM:MASK:CPU.TYPE[F]:SEC.USEC:STACK:PID:EXTERN:(FILE:LINE:FUNCTION()) TEXT */
static bool put_line(const char *line)
{
	struct record_head head = { 0 };
	char file[64], function[128], first = 0;
	int text = 0;

	if (sscanf(line, "%x:%x:%hu.%hu%c", &head.subsystem, &head.mask, &head.cpu, &head.type,
		   &first) != 5)
		return false;
	head.flags = first == 'F';
	line = strchr(line, '.') + 1;
	line = strchr(line, ':') + 1;
	if (sscanf(line, "%u.%lu:%u:%u:%u:(%63[^:]:%u:%127[^(]()) %n", &head.sec, &head.usec,
		   &head.stack, &head.pid, &head.extern_pid, file, &head.line, function,
		   &text) != 8 ||
	    !text)
		return false;
	head.len = (uint32_t)(sizeof(head) + strlen(file) + strlen(function) + 2 +
			      strlen(line + text));
	fwrite(&head, sizeof(head), 1, stdout);
	fwrite(file, strlen(file) + 1, 1, stdout);
	fwrite(function, strlen(function) + 1, 1, stdout);
	fputs(line + text, stdout);
	return true;
}

static int put_lines(unsigned long most)
{
	size_t size = 0;
	char *line = NULL;
	bool ok = true;

	while (ok && most-- && getline(&line, &size, stdin) > 0)
		ok = put_line(line);
	free(line);
	return ok ? 0 : 1;
}

int main(int argc, char **argv)
{
	struct gen gen = { .kind = argc > 1 ? argv[1] : "" };

	if (argc < 3) {
		fprintf(stderr, "usage: gen-records KIND COUNT [SEED]\n");
		return 2;
	}
	gen.count = strtoul(argv[2], NULL, 0);
	gen.state = argc > 3 ? strtoul(argv[3], NULL, 0) : 1;
	gen.start = argc > 4 ? (uint32_t)strtoul(argv[4], NULL, 0) : START;
	rnd(&gen, 2);
	if (is(&gen, "damage") || is(&gen, "junk"))
		return spoil(&gen, is(&gen, "junk"));
	if (is(&gen, "lines"))
		return put_lines(gen.count);
	for (gen.i = 0; gen.i < gen.count; gen.i++)
		put_record(&gen);
	return ferror(stdout) ? 1 : 0;
}
