/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Real records of the running kernel: the plan's text beside the kernel's own in the trace file.
 * All events but system calls (the kernel has its own words for those) are on for a moment.
 */
#include <ctype.h>
#include <sys/wait.h>

#include "lib/event.h"
#include "lib/plan.h"

#include "lib/base/banned.h"

#define SKIP       77
#define MAX_SHOWN  20
#define MAX_EVENTS 4096
#define BUFFER     (16U << 20)

struct state {
	struct dkt_ctx *ctx;
	struct dkt_instance *in;
	struct dkt_event **on;
	size_t n_on;
	bool met[MAX_EVENTS];
	unsigned long records, equal, by_form, unknown, no_plan, wrong;
};

/* ---- the kernel's text ---- */

static FILE *open_file(struct state *state, const char *mode, const char *name, int cpu)
{
	char *path __cleanup(free) = NULL;
	const char *dir = dkt_tracefs_dir(state->ctx), *in = dkt_instance_name(state->in);

	if (cpu < 0 ? asprintf(&path, "%s/instances/%s/%s", dir, in, name) < 0 :
		      asprintf(&path, "%s/instances/%s/per_cpu/cpu%d/%s", dir, in, cpu, name) < 0)
		return NULL;
	return fopen(path, mode);
}

/* "  comm-12  [000] d..1.  5.000001: name: text" from the name on; NULL for any other line. */
static char *cut_line(char *line)
{
	char *p;

	for (p = line; (p = strstr(p, " [")); p += 2)
		if (strspn(p + 2, "0123456789") == 3 && p[5] == ']')
			break;
	p = p && line[0] != '#' ? strstr(p, ": ") : NULL;
	return p ? p + 2 : NULL;
}

/* ---- equal but for the form ---- */

/* Where the kernel knows the length of a function and its module. */
static const char *skip_length(const char *kernel)
{
	if (strncmp(kernel, "/0x", 3))
		return kernel;
	kernel += 3 + strspn(kernel + 3, "0123456789abcdef");
	if (!strncmp(kernel, " [", 2) && strchr(kernel, ']'))
		kernel = strchr(kernel, ']') + 1;
	return kernel;
}

/* A pointer, which the kernel prints with 16 digits; or #x, of which 0 has no 0x in C. */
static bool same_number(const char **kernel, const char **plan, const char *start)
{
	const char *k = *kernel, *p = *plan;
	char *k_end, *p_end;
	uint64_t a, b;

	while (k > start && isalnum((unsigned char)k[-1])) {
		k--;
		p--;
	}
	if (!strncmp(p, "(nil)", 5)) {
		b = 0;
		p_end = (char *)p + 5;
	} else {
		b = strtoull(p, &p_end, 16);
	}
	a = strtoull(k, &k_end, 16);
	if (a != b || k_end < *kernel || p_end < *plan || (k_end == *kernel && p_end == *plan))
		return false;
	*kernel = k_end;
	*plan = p_end;
	return true;
}

/* The kernel has names for functions only; for the address of data the plan prints the nearest symbol. */
static bool same_data(const char **kernel, const char **plan)
{
	size_t n =
		strspn(*plan, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.");

	if (strncmp(*kernel, "0x", 2) || strspn(*kernel + 2, "0123456789abcdef") != 16 || !n ||
	    isdigit((unsigned char)**plan))
		return false;
	*kernel += 18;
	*plan += n;
	return true;
}

static bool same_but_form(const char *kernel, const char *plan)
{
	const char *start = kernel;

	while (*kernel || *plan) {
		if (*kernel == *plan) {
			kernel++;
			plan++;
		} else if (skip_length(kernel) != kernel) {
			kernel = skip_length(kernel);
		} else if (same_data(&kernel, &plan)) {
			continue;
		} else if (!same_number(&kernel, &plan, start)) {
			return false;
		}
	}
	return true;
}

/* ---- comparing ---- */

/* Values that only the kernel has: of enums that the format names, of its own variables. */
static bool names_unknown(const struct tep_print_arg *arg)
{
	const struct tep_print_flag_sym *sym = NULL;
	struct dkt__type type;
	uint64_t value;

	switch (arg ? arg->type : TEP_PRINT_NULL) {
	case TEP_PRINT_ATOM:
		return !strcmp(arg->atom.atom, "jiffies") ||
		       !strcmp(arg->atom.atom, "vmemmap_base");
	case TEP_PRINT_TYPE:
		return names_unknown(arg->typecast.item);
	case TEP_PRINT_OP:
		return names_unknown(arg->op.left) || names_unknown(arg->op.right);
	case TEP_PRINT_FLAGS:
		sym = arg->flags.flags;
		break;
	case TEP_PRINT_SYMBOL:
		sym = arg->symbol.symbols;
		break;
	default:
		break;
	}
	for (; sym; sym = sym->next)
		if (!dkt__plan_constant(sym->value, &value, &type))
			return true;
	return false;
}

static bool is_excused(const struct dkt_event *event)
{
	const struct tep_print_arg *arg;

	for (arg = event->tep->print_fmt.args; arg; arg = arg->next)
		if (names_unknown(arg))
			return true;
	return false;
}

static void compare(struct state *state, const struct dkt_record *record, char *line)
{
	size_t n = strlen(record->event->name), len;
	struct dkt_buf *buf;
	const char *text;

	state->records++;
	if (dkt_buf_new(&buf))
		return;
	dkt_record_text(record, buf);
	dkt__buf_add(buf, "", 1);
	text = dkt_buf_data(buf, &len);
	if (record->event->plan->way != DKT__PLAN_STEPS)
		state->no_plan++;
	else if (!strncmp(line, record->event->name, n) && !strcmp(line + n + 2, text))
		state->equal++;
	else if (!strncmp(line, record->event->name, n) && same_but_form(line + n + 2, text))
		state->by_form++;
	else if (is_excused(record->event))
		state->unknown++;
	else if (++state->wrong <= MAX_SHOWN)
		printf("kernel: %s\nplan:   %s: %s\n", line, record->event->name, text);
	dkt_buf_free(buf);
	state->met[dkt__event_index(record->event) % MAX_EVENTS] = true;
}

/* All of a CPU's lines: taking records out of the buffer would move a file that is being read. */
static char *read_lines(struct state *state, int cpu)
{
	FILE *f __cleanup(fclose) = open_file(state, "r", "trace", cpu);
	char *text = NULL;
	size_t size = 0;

	if (f && getdelim(&text, &size, '\0', f) < 0) {
		free(text);
		text = NULL;
	}
	return text;
}

/* The kernel's lines of a CPU come in the order of its records. */
static char *next_line(char **rest)
{
	char *line, *cut = NULL;

	while (!cut && (line = strsep(rest, "\n")))
		cut = cut_line(line);
	return cut;
}

static int compare_all(struct state *state)
{
	int cpus = dkt_instance_n_cpus(state->in), cpu, err;
	char **lines = calloc((size_t)cpus * 2, sizeof(*lines)), **rest = lines + cpus;
	struct dkt_source *source;
	struct dkt_record record;
	char *line;

	if (!lines)
		return -ENOMEM;
	for (cpu = 0; cpu < cpus; cpu++)
		lines[cpu] = rest[cpu] = read_lines(state, cpu);
	err = dkt_source_live(state->in, NULL, &source);
	while (!err && !(err = dkt_source_next(source, &record))) {
		line = record.event ? next_line(&rest[record.cpu]) : NULL;
		if (line)
			compare(state, &record, line);
	}
	dkt_source_close(source);
	for (cpu = 0; cpu < cpus; cpu++)
		free(lines[cpu]);
	free(lines);
	return err < 0 ? err : 0;
}

/* ---- records ---- */

static void work(void)
{
	static const char script[] =
		"d=$(mktemp -d) && cd $d && for i in 1 2 3; do dd if=/dev/zero of=f bs=4k count=40 "
		"conv=fsync; cat f >/dev/null; ls -lR /proc/self; cp f g; sync g; rm f g; done; "
		"(echo x | cat >/dev/tcp/127.0.0.1/9) ; sleep 0.05; cd /; rmdir $d";
	pid_t pid = fork();

	if (!pid) {
		if (freopen("/dev/null", "w", stdout) && freopen("/dev/null", "w", stderr))
			execlp("bash", "bash", "-c", script, NULL);
		_exit(127);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

static int enable(struct state *state, size_t n)
{
	struct dkt_change *change;
	int err = dkt_change_new(state->in, &change);

	if (!err)
		err = dkt_change_events(change, state->on, n);
	if (!err)
		err = dkt_change_commit(change);
	dkt_change_free(change);
	return err;
}

/*
 * Whether the event is one of the kernel's own. Other processes create and remove probes meanwhile, and could not
 * remove one that is enabled here.
 */
static bool is_own(struct dkt_event *event)
{
	return !dkt__event_load(event) && !dkt_event_field(event, "__probe_ip") &&
	       !dkt_event_field(event, "__probe_func") && !dkt_event_field(event, "__probe_vaddr");
}

static int record(struct state *state)
{
	struct dkt_event *const *events;
	FILE *file;
	size_t n, i;
	int err = dkt_events(state->ctx, &events, &n);

	if (err)
		return err;
	state->on = calloc(n, sizeof(struct dkt_event *));
	if (!state->on)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		if (strcmp(events[i]->system, "syscalls") && is_own(events[i]))
			state->on[state->n_on++] = events[i];
	/* Pointers as they are in the record, where the kernel lets us ask for that. */
	file = open_file(state, "w", "options/hash-ptr", -1);
	if (file) {
		fputs("0", file);
		fclose(file);
	}
	err = dkt_instance_set_size(state->in, BUFFER);
	if (!err)
		err = enable(state, state->n_on);
	if (err)
		return err;
	work();
	return dkt_instance_set_on(state->in, false);
}

static int run(struct state *state)
{
	DKT_OPTS(dkt_instance_opts, opts, .flags = DKT_CREATE);
	char name[64];
	int err;

	snprintf(name, sizeof(name), "dkt-test-plan-%d", (int)getpid());
	err = dkt_instance_open(state->ctx, name, &opts, &state->in);
	if (err)
		return err;
	err = record(state);
	if (!err)
		err = compare_all(state);
	enable(state, 0);
	free(state->on);
	dkt_instance_close(state->in);
	dkt_instance_remove(state->ctx, name);
	return err;
}

int main(void)
{
	struct state state = { 0 };
	unsigned long met = 0;
	size_t i;
	int err;

	if (dkt_ctx_new(NULL, &state.ctx))
		return 1;
	if (dkt_tracefs_open(state.ctx, 0) || dkt_caps_check(state.ctx, DKT_NEED_CONTROL)) {
		printf("SKIP: %s\n", dkt_error(state.ctx));
		return SKIP;
	}
	err = run(&state);
	if (err)
		printf("%s\n", dkt_error(state.ctx));
	for (i = 0; i < MAX_EVENTS; i++)
		met += state.met[i];
	printf("%lu records of %lu events: %lu equal, %lu but for the form of pointers, %lu "
	       "but for values that only the kernel has, %lu without plan, %lu differ\n",
	       state.records, met, state.equal, state.by_form, state.unknown, state.no_plan,
	       state.wrong);
	dkt_ctx_free(state.ctx);
	err = err || state.wrong || !state.records;
	printf("%d passed, %d failed\n", !err, !!err);
	return err;
}
