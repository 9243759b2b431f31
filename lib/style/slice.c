/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events that begin and end a slice of time, and the name of that slice. */
#include <fnmatch.h>

#include "lib/base/softirq.h"
#include "lib/style/perfetto.h"

static const struct {
	const char *system;
	const char *event; /* a pattern */
	enum pair_phase phase;
	enum pair_kind kind;
	enum pair_name name;
	const char *field;
} rows[] = {
	/* clang-format off */
	{ "raw_syscalls", "sys_enter", PAIR_BEGIN, PAIR_RAW_SYSCALL, PAIR_NAME_SYSCALL, "id" },
	{ "raw_syscalls", "sys_exit", PAIR_END, PAIR_RAW_SYSCALL, PAIR_NAME_SYSCALL, "id" },
	{ "syscalls", "sys_enter_*", PAIR_BEGIN, PAIR_SYSCALL, PAIR_NAME_EVENT, NULL },
	{ "syscalls", "sys_exit_*", PAIR_END, PAIR_SYSCALL, PAIR_NAME_EVENT, NULL },
	{ "workqueue", "workqueue_execute_start", PAIR_BEGIN, PAIR_WORK, PAIR_NAME_FUNCTION, "function" },
	{ "workqueue", "workqueue_execute_end", PAIR_END, PAIR_WORK, PAIR_NAME_FUNCTION, "function" },
	{ "ftrace", "funcgraph_entry", PAIR_BEGIN, PAIR_FUNCTION, PAIR_NAME_FUNCTION, "func" },
	{ "ftrace", "fgraph_retaddr_entry", PAIR_BEGIN, PAIR_FUNCTION, PAIR_NAME_FUNCTION, "func" },
	{ "ftrace", "funcgraph_exit", PAIR_END, PAIR_FUNCTION, PAIR_NAME_FUNCTION, "func" },
	{ "irq", "irq_handler_entry", PAIR_BEGIN, PAIR_IRQ, PAIR_NAME_TEXT, "name" },
	{ "irq", "irq_handler_exit", PAIR_END, PAIR_IRQ, PAIR_NAME_EVENT, NULL },
	{ "irq", "softirq_entry", PAIR_BEGIN, PAIR_SOFTIRQ, PAIR_NAME_SOFTIRQ, "vec" },
	{ "irq", "softirq_exit", PAIR_END, PAIR_SOFTIRQ, PAIR_NAME_SOFTIRQ, "vec" },
	{ "irq_vectors", "*_entry", PAIR_BEGIN, PAIR_VECTOR, PAIR_NAME_EVENT, NULL },
	{ "irq_vectors", "*_exit", PAIR_END, PAIR_VECTOR, PAIR_NAME_EVENT, NULL },
	{ "block", "block_rq_issue", PAIR_BEGIN, PAIR_REQUEST, PAIR_NAME_TEXT, "rwbs" },
	{ "block", "block_rq_complete", PAIR_END, PAIR_REQUEST, PAIR_NAME_TEXT, "rwbs" },
	/* clang-format on */
};

/* Returns "read" for sys_enter_read, "local_timer" for local_timer_entry. */
static const char *cut_name(struct dkt_style *style, const char *name)
{
	static const char *const before[] = { "sys_enter_", "sys_exit_" };
	static const char *const after[] = { "_entry", "_exit" };
	size_t len = strlen(name), n;

	for (size_t i = 0; i < ARRAY_SIZE(before); i++) {
		n = strlen(before[i]);
		if (len > n && !strncmp(name, before[i], n))
			return dkt__style_keep(style, name + n, len - n);
	}
	for (size_t i = 0; i < ARRAY_SIZE(after); i++) {
		n = strlen(after[i]);
		if (len > n && !strcmp(name + len - n, after[i]))
			return dkt__style_keep(style, name, len - n);
	}
	return dkt__style_keep(style, name, len);
}

/*
 * The ready-made interval of a thread that the event begins or ends. More than the tracks can tell apart share
 * their kinds.
 */
static bool find_interval(struct dkt_style *style, const struct dkt_event *event, struct pair *pair)
{
	const struct dkt_interval *list, *interval;
	unsigned int nr = 0;
	size_t n;

	if (dkt_interval_list(event->ctx, &list, &n))
		return false;
	while (nr < n && !(list[nr].per_task && !list[nr].calls && !list[nr].within &&
			   dkt_interval_roles(&list[nr], event)))
		nr++;
	if (nr == n)
		return false;
	interval = &list[nr];
	*pair = (struct pair){
		.phase = dkt_interval_roles(interval, event) & DKT_INTERVAL_BEGIN ? PAIR_BEGIN :
										    PAIR_END,
		.kind = PAIR_INTERVAL + nr % (PAIR_KINDS - PAIR_INTERVAL),
		.words = dkt__style_keep(style, interval->name, strlen(interval->name))
	};
	return pair->words;
}

static size_t find_row(const struct dkt_event *event)
{
	size_t i = 0;

	while (i < ARRAY_SIZE(rows) &&
	       (strcmp(rows[i].system, event->system) || fnmatch(rows[i].event, event->name, 0)))
		i++;
	return i;
}

bool dkt__pair_is_known(const struct dkt_event *event)
{
	return find_row(event) < ARRAY_SIZE(rows);
}

bool dkt__pair_of(struct dkt_style *style, struct dkt_event *event, struct pair *pair)
{
	const size_t i = find_row(event);

	if (i == ARRAY_SIZE(rows))
		return find_interval(style, event, pair);
	*pair = (struct pair){ .phase = rows[i].phase, .kind = rows[i].kind, .name = rows[i].name };
	if (rows[i].field)
		pair->field = dkt_event_field(event, rows[i].field);
	if (!pair->field)
		pair->name = PAIR_NAME_EVENT;
	pair->words = cut_name(style, event->name);
	if (pair->kind == PAIR_REQUEST && dkt__request_find(event, &pair->request))
		return false;
	return pair->words;
}

void dkt__pair_name(const struct pair *pair, const struct dkt_record *record, struct dkt_buf *buf)
{
	uint64_t v = pair->field ? (uint64_t)dkt_record_int(record, pair->field) : 0;
	const char *name = NULL, *text;
	size_t len;

	switch (pair->name) {
	case PAIR_NAME_TEXT:
		text = dkt_record_bytes(record, pair->field, &len);
		dkt__add_utf8(buf, text, strnlen(text, len));
		return;
	case PAIR_NAME_FUNCTION:
		dkt__style_put_symbol(buf, dkt_symbol_name(record->event->ctx, v, NULL), v);
		return;
	case PAIR_NAME_SYSCALL:
		name = v <= INT32_MAX ? dkt_syscall_name(record->event->ctx, (int)v) : NULL;
		break;
	case PAIR_NAME_SOFTIRQ:
		name = dkt__softirq_name(v);
		break;
	case PAIR_NAME_EVENT:
	default:
		name = pair->words;
	}
	if (name)
		dkt_buf_str(buf, name);
	else
		dkt__buf_u64(buf, v, 0, ' ');
}
