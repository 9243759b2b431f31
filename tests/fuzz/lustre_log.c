/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes the reading of the messages that the analyses of lustre know, and of the lines of syslog. */
#include <stdlib.h>
#include <string.h>

#include "compat/lustre/binary.h"
#include "compat/lustre/console_text.h"
#include "compat/lustre_log/call_text.h"
#include "compat/lustre_log/incident_text.h"
#include "compat/lustre_log/leaks.h"
#include "compat/lustre_log/lock_dump.h"
#include "compat/lustre_log/lock_text.h"
#include "compat/lustre_log/rpc_text.h"
#include "compat/lustre_log/thing.h"
#include "compat/lustre_log/trace_text.h"
#include "tests/fuzz/replay.h"

/* A part is empty, or within the text. */
static void within(struct part part, const char *text, size_t size)
{
	must(!part.len ||
	     (part.p >= text && part.len <= size && (size_t)(part.p - text) <= size - part.len));
}

static void rpc(const char *text, size_t size)
{
	struct rpc_text it;

	if (!dkl_rpc_text_read(text, size, &it))
		return;
	within(it.thread, text, size);
	within(it.client, text, size);
	within(it.target, text, size);
	within(it.nid, text, size);
	within(it.job, text, size);
	within(it.words, text, size);
	must(*dkl_rpc_step_name(it.step));
}

static void call(const char *text, size_t size)
{
	struct call_text it;

	dkl_call_text_leaves(text, size);
	if (!dkl_call_text_read(text, size, &it))
		return;
	within(it.name, text, size);
	within(it.fid, text, size);
}

static void lock(const char *text, size_t size)
{
	struct lock_text it;

	if (!dkl_lock_text_read(text, size, &it))
		return;
	within(it.words, text, size);
	within(it.ns, text, size);
	within(it.granted, text, size);
	within(it.wanted, text, size);
	within(it.res, text, size);
	within(it.nid, text, size);
}

/* The lines of a dump of namespaces. */
static void dump(const char *text, size_t size)
{
	const char *end = text + size, *stop;
	struct name_table names;
	struct lock_dump it;
	bool part;

	dkl_name_table_init(&names);
	dkl_lock_dump_init(&it, &names);
	for (const char *p = text; p < end; p = stop + 1) {
		stop = memchr(p, '\n', (size_t)(end - p)) ?: end;
		must(!dkl_lock_dump_add(
			&it, &(struct log_line){ .pid = 1, .text = { p, (size_t)(stop - p) } },
			&part));
	}
	must(!dkl_lock_dump_end(&it));
	for (size_t i = 0; i < it.n; i++)
		must(it.list[i].n_waiters && dkl_lock_dump_is_last(&it, &it.list[i]));
	dkl_lock_dump_clear(&it);
	dkl_name_table_clear(&names);
}

static void client(const char *text, size_t size)
{
	struct client_text it;

	if (!dkl_client_text_read(text, size, &it))
		return;
	within(it.target, text, size);
	within(it.nid, text, size);
	within(it.why, text, size);
	must(*dkl_client_step_name(it.step));
}

static void service(const char *text, size_t size)
{
	struct service_text it;

	if (!dkl_service_text_read(text, size, &it))
		return;
	within(it.name, text, size);
	within(it.why, text, size);
	must(*dkl_service_step_name(it.step));
}

static void trace(const char *text, size_t size)
{
	struct trace_text it;

	if (!dkl_trace_text_read(text, size, &it))
		return;
	must(it.n <= TRACE_SHOWN);
	for (size_t i = 0; i < it.n; i++)
		within(it.functions[i], text, size);
}

/* The text as the word of a timeline is found in itself, as a line of its own. */
static void thing(const char *text, size_t size)
{
	char *word = strndup(text, size);
	const struct log_line line = { .text = { text, strnlen(text, size) } };
	struct thing it;

	must(word);
	if (!dkl_thing_read(&it, word) && it.kind == THING_WORD)
		must(dkl_thing_is_in(&it, &line));
	dkl_thing_clear(&it);
	free(word);
}

/* The same line is of the same host, and a record is as long as it says. */
static void console(const char *text, size_t size)
{
	char *line = strndup(text, size), *rec = malloc(RECORD_MAX);
	struct log_hosts hosts = { 0 };
	struct console it = { .calendar = { .written = INT32_MAX }, .hosts = &hosts };

	must(line && rec);
	for (int i = 0; i < 2; i++) {
		int len = dkl_console_text_line(&it, line, (uint8_t *)rec);

		must(len >= 0 && len <= RECORD_MAX);
		must(!len || record_head((uint8_t *)rec).len == (uint32_t)len);
	}
	must(hosts.map.n <= 1);
	dkl_log_hosts_clear(&hosts);
	free(line);
	free(rec);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Without a NUL behind it, so that a sanitizer sees a read past the end. */
	char *text = malloc(size + !size);
	struct malloc_text memory;

	must(text);
	memcpy(text, data, size);
	rpc(text, size);
	call(text, size);
	lock(text, size);
	dump(text, size);
	client(text, size);
	console(text, size);
	service(text, size);
	trace(text, size);
	if (dkl_malloc_text_read(text, size, &memory)) {
		within(memory.how, text, size);
		within(memory.name, text, size);
	}
	if (size)
		thing(text, size);
	free(text);
	return 0;
}
