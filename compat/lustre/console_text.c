/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Converts the copies of Lustre's messages that the console sent to syslog into binary records. */
#include "compat/lustre/console_text.h"

#include "compat/lustre/binary.h"
#include "compat/lustre/journal_text.h"
#include "compat/lustre/log_time.h"
#include "lib/base/buf.h"
#include "lib/base/memory.h"
#include "lib/base/parse.h"

/* The classes of lines that do not tell it. */
#define ERROR   0x00020000u
#define WARNING 0x00000400u
#define CONSOLE 0x02000000u

/* ---- hosts ---- */

/* Takes the name of the host that syslog writes after the time, or else that of pdsh. */
static void take_host(const char **p, const struct log_time *time, struct log_host *host)
{
	const char *name = *p + strspn(*p, " ");
	const size_t len = strcspn(name, " ");

	*host = (struct log_host){ time->host, time->host_len };
	/* Without a host it is "kernel:" or Lustre's label. */
	if (!len || name[len] != ' ' || name[len - 1] == ':' || name[0] == '[')
		return;
	*host = (struct log_host){ name, len };
	*p = name + len;
}

/* ---- messages ---- */

/*
 * Finds "INFO: task ll_ost00_001:4711 blocked for more than 120 seconds.", with which the kernel tells of a thread
 * that a server or client of Lustre may have to wait for. Returns it; NULL: the line is another one.
 */
static const char *find_blocked(const char *p)
{
	const char *at = strstr(p, " INFO: task ");

	return at && strstr(at, " blocked for more than ") ? at + 1 : NULL;
}

/* Finds the first label of Lustre's messages. Returns the text after it; NULL: the line has none. */
static const char *find_label(const char *p, uint32_t *mask)
{
	static const struct {
		const char *label;
		uint32_t mask;
	} labels[] = { { "LustreError: ", ERROR },
		       { "Lustre: ", WARNING },
		       { "LNetError: ", ERROR },
		       { "LNet: ", WARNING } };

	for (const char *at = p; (at = strchr(at, 'L')); at++)
		for (size_t i = 0; at > p && at[-1] == ' ' && i < ARRAY_SIZE(labels); i++) {
			const size_t len = strlen(labels[i].label);

			if (!strncmp(at, labels[i].label, len)) {
				*mask = labels[i].mask;
				return at + len;
			}
		}
	return NULL;
}

/* A part of the line. */
struct piece {
	const char *p;
	size_t len;
};

/* Takes "4711:0:(client.c:2289:ptlrpc_expire_one_request()) ". False: the message has no place. */
static bool take_place(const char **p, struct record_head *head, struct piece *file,
		       struct piece *function)
{
	const char *at = *p, *colon;
	uint64_t pid, ext, number;

	if (dkt__take_u64(&at, NULL, DKT__DEC, &pid) || *at++ != ':' ||
	    dkt__take_u64(&at, NULL, DKT__DEC, &ext) || *at++ != ':' || *at++ != '(')
		return false;
	colon = strchr(at, ':');
	if (!colon)
		return false;
	*file = (struct piece){ at, (size_t)(colon - at) };
	at = colon + 1;
	if (dkt__take_u64(&at, NULL, DKT__DEC, &number) || number > 65536 || *at++ != ':')
		return false;
	colon = strstr(at, "()) ");
	if (!colon || file->len > 256 || colon - at > 256)
		return false;
	*function = (struct piece){ at, (size_t)(colon - at) };
	*p = colon + strlen("()) ");
	head->pid = (uint32_t)pid;
	head->extern_pid = (uint32_t)ext;
	head->line = (uint32_t)number;
	return true;
}

static void put(uint8_t *rec, size_t *size, const char *text, size_t len)
{
	/* Leave space for NULs and a newline. */
	len = DKT__MIN(len, RECORD_MAX - 4 - *size);
	memcpy(rec + *size, text, len);
	*size += len;
}

/*
 * Returns the time of day of a line that has conman's time and the kernel's, in us: by the kernel's, from
 * where the first of them was on conman's clock, until that is off by more than conman can be late.
 */
static int64_t fine_time(struct console *console, const struct log_time *time)
{
	const int64_t late = 2000000;
	const int64_t up = time->up_sec * 1000000 + (int64_t)time->up_usec;
	const int64_t wall = time->sec * 1000000, off = wall - up - console->boot;

	if (off > late || off < -late)
		console->boot = wall - up;
	return console->boot + up;
}

static bool take_time(struct console *console, const char **p, struct record_head *head,
		      struct log_time *time)
{
	int64_t usec;

	if (!dkl_log_time_take(p, &console->calendar, time))
		return false;
	if (time->has_uptime) {
		usec = fine_time(console, time);
		time->sec = usec / 1000000;
		time->usec = (uint64_t)(usec % 1000000);
	}
	head->sec = (uint32_t)time->sec;
	head->usec = time->usec;
	return time->kind != LOG_TIME_WALL || (time->sec >= 1 << 30 && time->sec <= UINT32_MAX);
}

/* Takes the time, the host and the label. *text becomes what follows them; NULL: not a line of Lustre. */
static int take_head(struct console *console, const char *line, struct record_head *head,
		     const char **text)
{
	struct log_time time;

	*text = NULL;
	if (!take_time(console, &line, head, &time))
		return 0;
	/* Times of the other kind cannot be compared with those of the file. */
	if (console->lines && console->uptime != (time.kind == LOG_TIME_UPTIME))
		return 0;
	*text = find_label(line, &head->mask);
	if (!*text) {
		*text = find_blocked(line);
		head->mask = ERROR;
	}
	if (!*text)
		return 0;
	console->lines++;
	console->uptime = time.kind == LOG_TIME_UPTIME;
	take_host(&line, &time, &console->host);
	return console->host.len ? dkl_log_hosts_number(console->hosts, console->host, &head->cpu) :
				   0;
}

int dkl_console_text_line(struct console *console, const char *line, uint8_t *rec)
{
	struct record_head head = { 0 };
	struct piece file = { "console", 7 }, function = { "console", 7 };
	size_t size = sizeof(head);
	const char *p;
	int err = take_head(console, line, &head, &p);

	if (err || !p)
		return err;
	if (!take_place(&p, &head, &file, &function))
		head.mask |= CONSOLE;
	put(rec, &size, file.p, file.len);
	put(rec, &size, "", 1);
	put(rec, &size, function.p, function.len);
	put(rec, &size, "", 1);
	put(rec, &size, p, strlen(p));
	rec[size++] = '\n';
	head.len = (uint32_t)size;
	memcpy(rec, &head, sizeof(head));
	return (int)head.len;
}

bool dkl_console_text_has_time(const char *text)
{
	struct log_calendar calendar = { .written = INT32_MAX };
	struct log_time time;

	return dkl_log_time_take(&text, &calendar, &time);
}

bool dkl_console_text_has_date(const char *text)
{
	struct log_calendar calendar = { .written = INT32_MAX };
	struct log_time time;

	return dkl_log_time_take(&text, &calendar, &time) && time.kind == LOG_TIME_WALL;
}

bool dkl_console_text_is(const char *text)
{
	static const char *const labels[] = { "LustreError: ", "Lustre: ", "LNetError: ", "LNet: " };

	/* The formats of journalctl have the label after a quote or an equals sign. */
	for (size_t i = 0; i < ARRAY_SIZE(labels); i++)
		for (const char *p = text; (p = strstr(p, labels[i])); p++)
			if (p == text || strchr(" \"=\n", p[-1]))
				return true;
	return false;
}

/* ---- call traces ---- */

/* A file that is read. */
struct reading {
	struct dkt_ctx *ctx;
	struct console *console;
	struct spill *spill;
	uint8_t *rec; /* RECORD_MAX bytes, for the next line */
	uint8_t *kept; /* the same: the last record, to which a call trace can belong */
	uint32_t len; /* of the kept record; 0: none */
	bool is_trace; /* a line of the call trace has come */
	char host[256]; /* of the kept record */
	size_t host_len;
	struct journal_text journal;
};

static int flush(struct reading *r)
{
	int err = r->len ? dkl_spill_add(r->ctx, r->spill, r->kept, r->len) : 0;

	r->len = 0;
	r->is_trace = false;
	return err;
}

static bool is_host(const struct reading *r, const char *name, size_t len)
{
	return len == r->host_len && !memcmp(name ?: "", r->host, len);
}

/*
 * Finds what follows the time and the host. Lines of dmesg have no host, and begin with any word. NULL: the line
 * has no time, or is of another host than the kept record.
 */
static const char *find_text(const struct reading *r, const char *line)
{
	struct log_time time;
	size_t len;

	if (!dkl_log_time_take(&line, &r->console->calendar, &time))
		return NULL;
	line += strspn(line, " ");
	len = strcspn(line, " ");
	if (r->host_len && is_host(r, line, len))
		line += len + strspn(line + len, " ");
	else if (!is_host(r, time.host, time.host_len))
		return NULL;
	if (!strncmp(line, "kernel:", 7))
		line += 7 + strspn(line + 7, " ");
	/* The kernel's time and thread, but not the "[<0>]" of a trace. */
	while (*line == '[' && line[1] != '<') {
		line += strcspn(line, "]");
		line += strspn(line, "] ");
	}
	return line;
}

/* True for "ll_ost00_001    D    0  4711      2 0x80000080", the state of a task in kernels before 5.10. */
static bool is_task(const char *text)
{
	const size_t len = strcspn(text, " ");
	const char *state = text + len + strspn(text + len, " ");

	return len && len < 16 && *state && strchr("RSDTtXZPI", *state) && state[1] == ' ' &&
	       strstr(state, " 0x");
}

/* True for "func+0x12/0x34 [module]", and for lines that a trace has before them. */
static bool is_frame(const char *text, bool first)
{
	static const char *const marks[] = {
		"Pid: ",     "task:",       "Call Trace",
		"Tainted: ", "Not tainted", "\"echo 0 > /proc/sys/kernel/hung_task",
		"<TASK>",    "[<",          "? ",
		"</TASK>"
	};
	/* Those that can begin a trace. */
	const size_t n = first ? 6 : ARRAY_SIZE(marks);
	const char *plus;

	for (size_t i = 0; i < n; i++)
		if (!strncmp(text, marks[i], strlen(marks[i])))
			return true;
	plus = memmem(text, strcspn(text, " "), "+0x", 3);
	return is_task(text) || (!first && plus && memmem(plus, strcspn(plus, " "), "/0x", 3));
}

static void append(struct reading *r, const char *text)
{
	size_t len = strlen(text), size = r->len;

	/* The newline is at the end. */
	put(r->kept, &size, text, len);
	r->kept[size++] = '\n';
	r->len = (uint32_t)size;
	memcpy(r->kept + offsetof(struct record_head, len), &r->len, sizeof(r->len));
}

/*
 * Takes a line that belongs to the call trace of the record before it. Sets *ends if it is another line of
 * the same host, which ends the trace.
 */
static bool take_frame(struct reading *r, const char *line, bool *ends)
{
	const char *text = find_text(r, line);

	if (!text)
		return false;
	*ends = !is_frame(text, !r->is_trace);
	if (*ends)
		return false;
	append(r, text);
	r->is_trace = true;
	return true;
}

/* Keeps the record that was built, and the name of its host. */
static void keep(struct reading *r, uint32_t len)
{
	const struct log_host *host = &r->console->host;
	uint8_t *before = r->kept;

	r->kept = r->rec;
	r->rec = before;
	r->len = len;
	r->host_len = DKT__MIN(host->len, sizeof(r->host));
	memcpy(r->host, host->name ?: "", r->host_len);
}

static int take_line(struct reading *r, const char *line)
{
	bool ends = false;
	int err = 0, n;

	if (r->len && take_frame(r, line, &ends))
		return 0;
	n = dkl_console_text_line(r->console, line, r->rec);
	if (n < 0)
		return dkt__no_memory(r->ctx);
	if (n || ends)
		err = flush(r);
	if (n)
		keep(r, (uint32_t)n);
	return err;
}

/* Takes a line of the file; NULL: its end. */
static int take_raw(struct reading *r, const char *line)
{
	int rc;

	if (r->journal.form == JOURNAL_NONE)
		return line ? take_line(r, line) : 0;
	rc = dkl_journal_text_take(&r->journal, line);
	if (rc < 0)
		return dkt__no_memory(r->ctx);
	return rc ? take_line(r, r->journal.line.data) : 0;
}

static int read_lines(struct reading *r, FILE *f)
{
	char *line __cleanup(free) = NULL, *from;
	size_t size = 0;
	ssize_t len;
	int err = 0;

	while (!err && (len = getline(&line, &size, f)) >= 0) {
		while (len && strchr("\r\n ", line[len - 1]))
			line[--len] = '\0';
		/* After a crash, a file can have NULs where its last lines were to be. */
		from = line;
		while (from < line + len && !*from)
			from++;
		err = take_raw(r, from);
	}
	if (!err && ferror(f))
		err = dkt_fail(r->ctx, -EIO, "read: %s", strerror(EIO));
	if (!err)
		err = take_raw(r, NULL);
	return err ? err : flush(r);
}

int dkl_console_text_read(struct dkt_ctx *ctx, int fd, struct console *console, struct spill *spill)
{
	uint8_t *rec __cleanup(free) = malloc(RECORD_MAX),
		     *kept __cleanup(free) = malloc(RECORD_MAX);
	struct reading r = {
		.ctx = ctx, .console = console, .spill = spill, .rec = rec, .kept = kept
	};
	int copy = dup(fd), err = rec && kept ? 0 : dkt__no_memory(ctx);
	FILE *f __cleanup(fclose) = copy < 0 ? NULL : fdopen(copy, "r");

	if (!f)
		return dkt_fail(ctx, -errno, "read: %s", strerror(errno));
	r.journal.f = f;
	r.journal.form = dkl_journal_form_of(fd);
	if (!err)
		err = read_lines(&r, f);
	dkl_journal_text_clear(&r.journal);
	return err ? err : dkl_spill_flush(ctx, spill);
}
