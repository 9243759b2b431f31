/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The ctf-lttng style: ctf with the names of events and fields that lttng-modules gives since version
 * 2.8 (its instrumentation/events), which Trace Compass and lttng-analyses look for.
 */
#include "lib/style/ctf.h"

/* The version of lttng-modules whose names these are. */
#define LTTNG_MAJOR 2
#define LTTNG_MINOR 8

/* ---- names ---- */

/* The names that differ. A name that ends in a star stands for all events that begin with it. */
static const struct {
	const char *system, *event, *name;
} events[] = {
	/* clang-format off */
	{ "syscalls", "sys_enter_*", "syscall_entry_" },
	{ "syscalls", "sys_exit_*", "syscall_exit_" },
	{ "irq", "softirq_*", "irq_softirq_" },
	{ "kmem", "mm_*", "kmem_mm_" },
	{ "kmem", "kmem_cache_*", "kmem_cache_" },
	{ "kmem", "*", "kmem_" },
	{ "net", "netif_*", "net_if_" },
	{ "power", "*", "power_" },
	{ "timer", "hrtimer_*", "timer_hrtimer_" },
	{ "timer", "itimer_*", "timer_itimer_" },
	/* clang-format on */
};

static const struct {
	const char *system, *field, *name;
} fields[] = {
	/* clang-format off */
	{ "sched", "pid", "tid" },
	{ "sched", "prev_pid", "prev_tid" },
	{ "sched", "next_pid", "next_tid" },
	{ "sched", "old_pid", "old_tid" },
	{ "block", "error", "errors" },
	/* clang-format on */
};

static bool is_event(const struct dkt_event *event, const char *system, const char *name)
{
	return !strcmp(event->system, system) && !strcmp(event->name, name);
}

char *dkt__lttng_event(const struct dkt_event *event)
{
	for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
		size_t len = strlen(events[i].event) - 1;

		if (!strcmp(events[i].system, event->system) &&
		    !strncmp(events[i].event, event->name, len))
			return dkt__format("%s%s", events[i].name, event->name + len);
	}
	return strdup(event->name);
}

static const char *field_name(const struct dkt_event *event, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (!strcmp(fields[i].system, event->system) && !strcmp(fields[i].field, name))
			return fields[i].name;
	return name;
}

/*
 * LTTng has the IDs of the thread and of its process; trace events have one, which is that of the
 * thread. A new thread's process is not known either.
 */
static int add_threads(struct dkt_style *style, struct dkt__form *form)
{
	static const struct {
		const char *pid, *tid;
	} both[] = { { "parent_pid", "parent_tid" }, { "child_pid", "child_tid" } };
	struct dkt__column *columns =
		dkt__style_alloc(style, (form->n + ARRAY_SIZE(both)) * sizeof(*columns));
	uint32_t n = form->n;

	if (!columns)
		return -ENOMEM;
	memcpy(columns, form->columns, n * sizeof(*columns));
	for (uint32_t i = 0; i < form->n; i++)
		for (size_t b = 0; b < ARRAY_SIZE(both); b++)
			if (!strcmp(columns[i].name, both[b].pid)) {
				columns[n] = columns[i];
				columns[n++].name = both[b].tid;
			}
	form->columns = columns;
	form->n = n;
	return 0;
}

int dkt__lttng_fields(struct dkt_style *style, struct dkt__form *form)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < form->n; i++) {
		if (!strcmp(form->columns[i].name, "__syscall_nr"))
			continue;
		form->columns[n] = form->columns[i];
		form->columns[n].name = field_name(form->event, form->columns[i].name);
		n++;
	}
	form->n = n;
	return is_event(form->event, "sched", "sched_process_fork") ? add_threads(style, form) : 0;
}

/* ---- values of other forms ---- */

static bool is_rwbs(const struct dkt__column *column)
{
	return !strcmp(column->name, "rwbs");
}

/* LTTng reads the path, trace events have its address, as text for readers that expect text. */
static bool is_path(const char *name)
{
	return !strcmp(name, "filename");
}

bool dkt__lttng_is_other(const struct dkt__form *form, const struct dkt__column *column)
{
	if (!strcmp(form->event->system, "block"))
		return is_rwbs(column);
	/* A text of records has the number without the type. */
	return !strcmp(form->event->system, "syscalls") && is_path(column->name) &&
	       column->kind <= DKT__COLUMN_ADDRESS;
}

void dkt__lttng_declare(const struct dkt__column *column, struct dkt_buf *buf)
{
	if (is_rwbs(column))
		dkt__ctf_tsdl.number(buf, column->name, 32, false, false);
	else
		dkt__ctf_tsdl.text(buf, column->name);
}

static void put_address(uint64_t address, struct dkt_buf *buf)
{
	dkt_buf_printf(buf, "0x%llx", (unsigned long long)address);
	dkt__buf_add(buf, "", 1);
}

/* LTTng's bits: RWBS_FLAG_* in its block.h. */
enum {
	RWBS_WRITE = 1,
	RWBS_DISCARD = 2,
	RWBS_READ = 4,
	RWBS_RAHEAD = 8,
	RWBS_SYNC = 32,
	RWBS_META = 64,
	RWBS_SECURE = 128,
	RWBS_FLUSH = 256,
	RWBS_FUA = 512,
	RWBS_PREFLUSH = 1024,
};

static uint32_t letter_bit(const char *letters, char letter)
{
	static const uint32_t bits[] = { RWBS_WRITE,  RWBS_DISCARD, RWBS_READ, RWBS_FLUSH, RWBS_FUA,
					 RWBS_RAHEAD, RWBS_SYNC,    RWBS_META, RWBS_SECURE };
	const char *at = letter ? strchr(letters, letter) : NULL;

	return !at ? 0 : bits[at - letters];
}

/*
 * The kernel's blk_fill_rwbs() writes F for a flush before, the letter of the operation (N for one of no
 * name), E for a secure erase, F for FUA, and A, S, M.
 */
static uint32_t rwbs_bits(const char *letters, size_t len)
{
	const char *end = letters + strnlen(letters, len);
	uint32_t bits = 0;

	if (letters + 1 < end && letters[0] == 'F' && strchr("WDRNF", letters[1])) {
		bits = RWBS_PREFLUSH;
		letters++;
	}
	if (letters < end)
		bits |= letter_bit("WDRF", *letters++);
	for (; letters < end; letters++)
		bits |= letter_bit("____FASME", *letters);
	return bits;
}

void dkt__lttng_put(const struct dkt__column *column, const struct dkt__body *body, uint32_t size,
		    struct dkt_buf *buf)
{
	const uint8_t *data;
	uint32_t len, bits;

	if (!is_rwbs(column)) {
		put_address(dkt__load_at(body->data + column->bytes.offset, column->load), buf);
		return;
	}
	data = dkt__column_bytes(column, body, size, &len);
	bits = rwbs_bits((const char *)data, len);
	dkt__buf_add(buf, &bits, sizeof(bits));
}

/* ---- raw system calls ---- */

/* The arguments of a system call in raw_syscalls:sys_enter. */
#define ARGS 6

bool dkt__lttng_is_call(const struct dkt__form *form)
{
	/* The user may have chosen other fields. */
	return form->n == 2 && !strcmp(form->columns[0].name, "id") &&
	       (form->columns[1].kind <= DKT__COLUMN_ADDRESS || form->columns[1].element) &&
	       (is_event(form->event, "raw_syscalls", "sys_enter") ||
		is_event(form->event, "raw_syscalls", "sys_exit"));
}

static bool is_entry(const struct dkt__form *form)
{
	return is_event(form->event, "raw_syscalls", "sys_enter");
}

/* The names of arguments in LTTng's events, for calls that move data or change descriptors. */
static const struct {
	const char *calls, *arguments;
} arguments[] = {
	/* clang-format off */
	{ "read write", "fd buf count" },
	{ "pread64 pwrite64", "fd buf count pos" },
	{ "readv writev", "fd vec vlen" },
	{ "preadv pwritev", "fd vec vlen pos_l pos_h" },
	{ "recvfrom", "fd ubuf size flags addr addr_len" },
	{ "sendto", "fd buff len flags addr addr_len" },
	{ "recvmsg sendmsg", "fd msg flags" },
	{ "open", "filename flags mode" },
	{ "openat", "dfd filename flags mode" },
	{ "close fsync fdatasync", "fd" },
	{ "sync_file_range", "fd offset nbytes flags" },
	{ "dup", "fildes" },
	{ "dup2", "oldfd newfd" },
	{ "dup3", "oldfd newfd flags" },
	{ "fcntl", "fd cmd arg" },
	{ "ioctl", "fd cmd arg" },
	{ "lseek", "fd offset whence" },
	{ "socket", "family type protocol" },
	{ "connect bind", "fd umyaddr addrlen" },
	{ "splice", "fd_in off_in fd_out off_out len flags" },
	{ "sendfile", "out_fd in_fd offset count" },
	{ "mmap", "addr len prot flags fd off" },
	/* clang-format on */
};

/* True if the words, separated by spaces, have the word. */
static bool has_word(const char *words, const char *word)
{
	size_t len = strlen(word);

	for (const char *p = words; (p = strstr(p, word)); p += len)
		if ((p == words || p[-1] == ' ') && (!p[len] || p[len] == ' '))
			return true;
	return false;
}

/* Appends the declaration of an argument; it has a number of that index, or a path. */
static void put_argument(const char *name, size_t i, bool hex, struct ctf_call *call,
			 struct dkt_buf *buf)
{
	if (is_path(name)) {
		call->paths |= 1u << i;
		dkt__ctf_tsdl.text(buf, name);
	} else {
		dkt__ctf_tsdl.number(buf, name, 64, false, hex);
	}
}

/* Appends the arguments of these names. Returns their number. */
static size_t put_words(const char *words, struct ctf_call *call, struct dkt_buf *buf)
{
	size_t n = 0;

	for (size_t len; n < ARGS && (len = strcspn(words, " ")); n++) {
		char name[16];

		snprintf(name, sizeof(name), "%.*s", (int)len, words);
		put_argument(name, n, false, call, buf);
		words += len + strspn(words + len, " ");
	}
	return n;
}

/* The names that the kernel's event for the call has. Returns their number; 0: no such event. */
static size_t put_event_fields(struct dkt_ctx *ctx, const char *name, struct ctf_call *call,
			       struct dkt_buf *buf)
{
	char *full __cleanup(free) = dkt__format("sys_enter_%s", name);
	struct dkt_event *event = full ? dkt_event_find(ctx, "syscalls", full) : NULL;
	const struct dkt_field *const *list = NULL;
	size_t n = 0, shown = 0;

	if (!event || dkt_event_fields(event, &list, &n))
		return 0;
	for (size_t i = 0; i < n && shown < ARGS; i++)
		if (!(list[i]->flags & DKT_FIELD_COMMON) && strncmp(list[i]->name, "__", 2) != 0) {
			put_argument(list[i]->name, shown, list[i]->flags & DKT_FIELD_POINTER, call,
				     buf);
			shown++;
		}
	return shown;
}

/* Names the arguments as LTTng does, or as the kernel's event for that call, if the recording has it. */
static void put_arguments(struct dkt_ctx *ctx, const char *name, struct ctf_call *call,
			  struct dkt_buf *buf)
{
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(arguments); i++)
		if (has_word(arguments[i].calls, name))
			n = put_words(arguments[i].arguments, call, buf);
	if (!n)
		n = put_event_fields(ctx, name, call, buf);
	for (; n < ARGS; n++) {
		char arg[8];

		snprintf(arg, sizeof(arg), "arg%zu", n);
		dkt__ctf_tsdl.number(buf, arg, 64, false, true);
	}
}

void dkt__lttng_call(const struct dkt__form *form, uint32_t number, struct ctf_call *call,
		     struct dkt_buf *buf)
{
	const char *name = dkt_syscall_name(form->event->ctx, (int)number) ?: "unknown";
	char *full __cleanup(free) =
		dkt__format(is_entry(form) ? "syscall_entry_%s" : "syscall_exit_%s", name);

	if (!full) {
		buf->err = -ENOMEM;
		return;
	}
	dkt__ctf_tsdl.event(buf, full, call->id);
	if (is_entry(form))
		put_arguments(form->event->ctx, name, call, buf);
	else
		dkt__ctf_tsdl.number(buf, "ret", 64, true, false);
	dkt__ctf_tsdl.end(buf);
}

/* The columns of both events are the number, and the arguments or the result. */
void dkt__lttng_put_call(const struct dkt__form *form, const struct ctf_call *call,
			 const struct dkt__body *body, uint32_t size, struct dkt_buf *buf)
{
	const struct dkt__column *column = &form->columns[1];
	const uint8_t *data;
	uint64_t value;
	uint32_t len;

	if (!is_entry(form)) {
		value = dkt__load_at(body->data + column->bytes.offset, column->load);
		dkt__buf_add(buf, &value, sizeof(value));
		return;
	}
	data = dkt__column_bytes(column, body, size, &len);
	for (uint32_t i = 0; i < ARGS; i++) {
		value = i < len / column->element ?
				dkt__load_at(data + (size_t)i * column->element, column->load) :
				0;
		if (call->paths & 1u << i)
			put_address(value, buf);
		else
			dkt__buf_add(buf, &value, sizeof(value));
	}
}

uint32_t dkt__lttng_number(const struct dkt__form *form, const struct dkt__body *body)
{
	const struct dkt__column *column = &form->columns[0];
	uint64_t v = dkt__load_at(body->data + column->bytes.offset, column->load);

	return v < DKT__SYSCALLS && dkt_syscall_name(form->event->ctx, (int)v) ? (uint32_t)v :
										 DKT__SYSCALLS;
}

/* ---- the environment ---- */

void dkt__lttng_env(struct dkt_buf *buf)
{
	dkt_buf_printf(buf,
		       "\tsysname = \"Linux\";\n\ttracer_name = \"lttng-modules\";\n"
		       "\ttracer_major = %d;\n\ttracer_minor = %d;\n\ttracer_patchlevel = 0;\n",
		       LTTNG_MAJOR, LTTNG_MINOR);
}
