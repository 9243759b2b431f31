/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Instances: private ring buffers with their control files and statistics. */
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "lib/base/io.h"
#include "lib/base/parse.h"
#include "lib/base/when.h"
#include "lib/event.h"
#include "lib/instance.h"
#include "lib/tracefs.h"

/* Files store the name in a line, which a newline would end. */
static bool has_control(const char *name)
{
	for (; *name; name++)
		if ((unsigned char)*name < ' ' || *name == 0x7f)
			return true;
	return false;
}

int dkt__instance_check_name(struct dkt_ctx *ctx, const char *name)
{
	dkt__needs(NULL, ctx);

	if (!name || (*name && *name != '.' && !strchr(name, '/') && strlen(name) < 200 &&
		      !has_control(name)))
		return 0;
	return dkt_fail(ctx, -EINVAL, "'%s' cannot be the name of an instance", name);
}

static int count_cpus(struct dkt_instance *in)
{
	struct dkt__strings names;
	int err = dkt__tfs_list(in->ctx, &names, "%sper_cpu", in->prefix);

	if (err)
		return err;
	for (size_t i = 0; i < names.n; i++) {
		int cpu = -1;

		if (sscanf(names.list[i], "cpu%d", &cpu) == 1 && cpu >= in->cpus)
			in->cpus = cpu + 1;
	}
	dkt__strings_clear(&names);
	return 0;
}

/* The kernel's default for a new instance would record what programs write, their secrets too. */
static int record_no_user_data(struct dkt_instance *in)
{
	if (!dkt__tfs_exists(in->ctx, "%s" DKT__USER_DATA, in->prefix))
		return 0;
	return dkt__tfs_set(in->ctx, "0", "%s" DKT__USER_DATA, in->prefix);
}

static int instance_create(struct dkt_instance *in, unsigned int flags)
{
	int err;

	if (!in->name || dkt__tfs_exists(in->ctx, "instances/%s/trace", in->name))
		return 0;
	if (!(flags & DKT_CREATE))
		return dkt_fail(in->ctx, -ENOENT, "there is no instance '%s' in %s", in->name,
				in->ctx->dir);
	err = dkt__tfs_mkdir(in->ctx, "instances/%s", in->name);
	if (err && err != -EEXIST)
		return dkt__fail_in(in->ctx, err, "create the instance '%s'", in->name);
	in->is_new = !err;
	return in->is_new ? record_no_user_data(in) : 0;
}

int dkt_instance_open(struct dkt_ctx *ctx, const char *name, const struct dkt_instance_opts *opts,
		      struct dkt_instance **out)
{
	dkt__needs(ctx, dkt__clear(out) && ctx);

	struct dkt_instance_opts own_opts;
	struct dkt_instance *in;
	int err = dkt__instance_check_name(ctx, name);

	if (!err)
		err = dkt__opts_take(ctx, dkt_instance_opts, &own_opts, opts);
	if (!err)
		err = dkt__flags_check(ctx, "dkt_instance_opts", own_opts.flags, DKT_CREATE);
	if (!err)
		err = dkt_tracefs_open(ctx, 0);
	if (err)
		return err;
	in = calloc(1, sizeof(*in));
	if (!in)
		return dkt__no_memory(ctx);
	in->ctx = ctx;
	if (name)
		in->name = strdup(name);
	if (own_opts.spool)
		in->spool = strdup(own_opts.spool);
	in->prefix = name ? dkt__format("instances/%s/", name) : strdup("");
	err = !in->prefix || (name && !in->name) || (own_opts.spool && !in->spool) ?
		      dkt__no_memory(ctx) :
		      instance_create(in, own_opts.flags);
	if (!err)
		err = count_cpus(in);
	if (err) {
		dkt_instance_close(in);
		return err;
	}
	*out = in;
	return 0;
}

void dkt_instance_close(struct dkt_instance *in)
{
	if (!in)
		return;
	free(in->name);
	free(in->prefix);
	free(in->spool);
	free(in->clock);
	free(in);
}

bool dkt__instance_is_new(const struct dkt_instance *in)
{
	if (!in)
		return false;

	return in->is_new;
}

const char *dkt_instance_name(const struct dkt_instance *in)
{
	if (!in)
		return NULL;

	return in->name;
}

int dkt_instance_n_cpus(const struct dkt_instance *in)
{
	if (!in)
		return 0;

	return in->cpus;
}

/* ---- knobs ---- */

int dkt__instance_get_size(const struct dkt_instance *in, uint64_t *bytes)
{
	dkt__needs(in ? in->ctx : NULL, dkt__clear(bytes) && in);

	int err = dkt__tfs_read_u64(in->ctx, bytes, "%sbuffer_total_size_kb", in->prefix);

	*bytes *= 1024;
	return err;
}

int dkt_instance_set_size(struct dkt_instance *in, uint64_t bytes)
{
	dkt__needs(NULL, in);

	uint64_t per_cpu = bytes / 1024 / (uint64_t)in->cpus;
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, per_cpu ? per_cpu : 1);
	return dkt__tfs_set(in->ctx, text, "%sbuffer_size_kb", in->prefix);
}

int dkt__instance_get_clock(const struct dkt_instance *in, char **clock)
{
	dkt__needs(in ? in->ctx : NULL, dkt__clear(clock) && in);

	char *text __cleanup(free) = NULL;
	int err = dkt__tfs_read(in->ctx, &text, NULL, "%strace_clock", in->prefix);
	char *from, *to;

	if (err)
		return err;
	/* The line lists all clocks, with the one in use in brackets. */
	from = strchr(text, '[');
	to = from ? strchr(from, ']') : NULL;
	if (!to)
		return dkt_fail(in->ctx, -EINVAL, "no clock in use in %strace_clock", in->prefix);
	*clock = strndup(from + 1, (size_t)(to - from - 1));
	return *clock ? 0 : dkt__no_memory(in->ctx);
}

int dkt_instance_set_clock(struct dkt_instance *in, const char *clock)
{
	dkt__needs(in ? in->ctx : NULL, in && clock);

	char *now __cleanup(free) = NULL;

	/* Writing even the clock in use empties the buffers. */
	if (!dkt__instance_get_clock(in, &now) && !strcmp(now, clock))
		return 0;
	return dkt__tfs_set(in->ctx, clock, "%strace_clock", in->prefix);
}

int dkt_instance_info(struct dkt_instance *in, struct dkt_instance_info *out, size_t sz)
{
	dkt__needs(in ? in->ctx : NULL, dkt__blank(out, sz) && in);

	struct dkt_instance_info info = { 0 };
	char *clock __cleanup(free) = NULL;
	int err = dkt__instance_get_clock(in, &clock);

	if (!err)
		err = dkt__instance_get_size(in, &info.bytes);
	if (!err)
		err = dkt__instance_get_on(in, &info.on);
	if (err)
		return err;
	free(in->clock);
	info.clock = in->clock = clock;
	clock = NULL;
	return dkt__fill(out, sz, &info);
}

static int64_t read_clock(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return dkt__timespec_ns(&now);
}

/* Finds the clockid_t of the instance's clock. */
static int find_clock(const struct dkt_instance *in, clockid_t *id)
{
	static const struct {
		const char *name;
		clockid_t id;
	} clocks[] = {
		{ "mono", CLOCK_MONOTONIC },
		{ "mono_raw", CLOCK_MONOTONIC_RAW },
		{ "boot", CLOCK_BOOTTIME },
		{ "tai", CLOCK_TAI },
	};
	char *name __cleanup(free) = NULL;
	int err = dkt__instance_get_clock(in, &name);

	for (size_t i = 0; !err && i < ARRAY_SIZE(clocks); i++) {
		*id = clocks[i].id;
		if (!strcmp(clocks[i].name, name))
			return 0;
	}
	return err ? err :
		     dkt_fail(in->ctx, -EOPNOTSUPP, "clock %s cannot be read in user space", name);
}

int dkt_instance_get_now(const struct dkt_instance *in, uint64_t *ns)
{
	dkt__needs(in ? in->ctx : NULL, dkt__clear(ns) && in);

	clockid_t id;
	int err = find_clock(in, &id);

	*ns = err ? 0 : (uint64_t)read_clock(id);
	return err;
}

/* Uses the attempt in which the clocks were read closest together. */
static int64_t wall_offset(clockid_t id)
{
	int64_t best = INT64_MAX, offset = 0;

	for (int i = 0; i < 8; i++) {
		int64_t before = read_clock(id), wall = read_clock(CLOCK_REALTIME);
		int64_t took = read_clock(id) - before;

		if (took >= best)
			continue;
		best = took;
		offset = wall - before - took / 2;
	}
	return offset;
}

int dkt__instance_get_wall(const struct dkt_instance *in, int64_t *offset)
{
	dkt__needs(in ? in->ctx : NULL, dkt__clear(offset) && in);

	clockid_t id;
	uint64_t ns;
	int err;

	if (in->ctx->root && dkt__tfs_exists(in->ctx, "%swall_offset", in->prefix)) {
		err = dkt__tfs_read_u64(in->ctx, &ns, "%swall_offset", in->prefix);
		*offset = (int64_t)ns;
		return err;
	}
	err = find_clock(in, &id);
	if (!err)
		*offset = wall_offset(id);
	return err;
}

struct skip {
	struct dkt_instance *in;
	const char *list;
	int err;
};

static void *write_skip(void *data)
{
	struct skip *skip = data;

	skip->err = dkt__tfs_set(skip->in->ctx, skip->list, "%sset_event_notrace_pid",
				 skip->in->prefix);
	return NULL;
}

/*
 * If a thread ends its own exclusion, the kernel excludes whatever runs on that CPU until it is done, which
 * takes tens of ms. So a new thread, which is not excluded, writes the list while the caller sleeps.
 */
static int write_apart(struct skip *skip)
{
	sigset_t all, before;
	pthread_t thread;
	int err;

	/* The program's handlers run in its own threads. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&thread, NULL, write_skip, skip);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (err)
		return dkt_fail(skip->in->ctx, -err, "start a thread: %s", strerror(err));
	pthread_join(thread, NULL);
	return skip->err;
}

int dkt__instance_set_skipped_pids(struct dkt_instance *in, const pid_t *pids, size_t n)
{
	dkt__needs(in ? in->ctx : NULL, in && (pids || !n));

	char *list __cleanup(free) = NULL;
	size_t len;
	FILE *f = open_memstream(&list, &len);
	int err;

	for (size_t i = 0; f && i < n; i++)
		fprintf(f, "%d ", (int)pids[i]);
	err = dkt__with_words(in->ctx, dkt__text_end(f, 0, &list));
	return err ? err : write_apart(&(struct skip){ .in = in, .list = list });
}

int dkt_instance_set_option(struct dkt_instance *in, const char *option, bool on)
{
	dkt__needs(in ? in->ctx : NULL, in && option);

	return dkt__tfs_set(in->ctx, on ? "1" : "0", "%soptions/%s", in->prefix, option);
}

int dkt__instance_get_on(const struct dkt_instance *in, bool *on)
{
	dkt__needs(in ? in->ctx : NULL, dkt__clear(on) && in);

	uint64_t value;
	int err = dkt__tfs_read_u64(in->ctx, &value, "%stracing_on", in->prefix);

	*on = value;
	return err;
}

int dkt_instance_set_on(struct dkt_instance *in, bool on)
{
	dkt__needs(NULL, in);

	return dkt__tfs_set(in->ctx, on ? "1" : "0", "%stracing_on", in->prefix);
}

int dkt__buffers_clear(struct dkt_instance *in)
{
	return dkt__tfs_set(in->ctx, "", "%strace", in->prefix);
}

int dkt_instance_mark(struct dkt_instance *in, const char *text)
{
	dkt__needs(in ? in->ctx : NULL, in && text);

	int err = dkt__tfs_add(in->ctx, text, "%strace_marker", in->prefix);

	return err == -EIO ? -EMSGSIZE : err;
}

/* ---- statistics ---- */

/* Reads "oldest event ts:  1234.567890", of a clock in ns. A clock that counts otherwise has no point. */
static uint64_t read_oldest(const char *text)
{
	static const char key[] = "oldest event ts:";
	const char *p = strstr(text, key), *digits;
	uint64_t s, us;

	if (!p)
		return 0;
	p += strlen(key);
	p += strspn(p, " ");
	if (dkt__take_u64(&p, NULL, DKT__DEC, &s) || s > UINT64_MAX / DKT__NSEC_PER_SEC - 1)
		return 0;
	if (*p++ != '.')
		return 0;
	digits = p;
	/* Six digits, with zeros in front. */
	if (dkt__take_u64(&p, NULL, DKT__DEC, &us) || p != digits + 6)
		return 0;
	return s * DKT__NSEC_PER_SEC + us * 1000;
}

int dkt_instance_get_stats(const struct dkt_instance *in, int cpu, struct dkt_cpu_stats *stats,
			   size_t sz)
{
	dkt__needs(in ? in->ctx : NULL, dkt__blank(stats, sz) && in);

	char *text __cleanup(free) = NULL;
	int err = dkt__tfs_read(in->ctx, &text, NULL, "%sper_cpu/cpu%d/stats", in->prefix, cpu);
	uint64_t entries;

	if (err)
		return err;
	entries = dkt__line_u64(text, "entries: ");
	return dkt__fill(
		stats, sz,
		&((struct dkt_cpu_stats){ .entries = entries,
					  .overrun = dkt__line_u64(text, "overrun: "),
					  .commit_overrun = dkt__line_u64(text, "commit overrun: "),
					  .dropped = dkt__line_u64(text, "dropped events: "),
					  .read = dkt__line_u64(text, "read events: "),
					  .bytes = dkt__line_u64(text, "bytes: "),
					  .oldest = entries ? read_oldest(text) : 0 }));
}

/* ---- events ---- */

bool dkt__event_is_on(const struct dkt_instance *in, const struct dkt_event *event)
{
	int fd __cleanup(close) = dkt__tfs_open(in->ctx, O_RDONLY, "%sevents/%s/%s/enable",
						in->prefix, event->system, event->name);
	char first = '1';

	return fd < 0 || read(fd, &first, 1) != 1 || first != '0';
}

int dkt_instance_get_events(const struct dkt_instance *in, struct dkt_event ***events, size_t *n)
{
	dkt__needs(in ? in->ctx : NULL, dkt__clear(events) && dkt__clear(n) && in);

	char *text __cleanup(free) = NULL;
	bool *on __cleanup(free) = NULL;
	char *colon, *save = NULL;
	struct dkt_event *const *all;
	size_t total;
	int err = dkt_events(in->ctx, &all, &total);

	if (!err)
		err = dkt__tfs_read(in->ctx, &text, NULL, "%sset_event", in->prefix);
	if (err)
		return err;
	on = calloc(total + 1, sizeof(*on));
	*events = calloc(total + 1, sizeof(struct dkt_event *));
	if (!on || !*events) {
		free(*events);
		*events = NULL;
		return dkt__no_memory(in->ctx);
	}
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		struct dkt_event *event;

		colon = strchr(line, ':');
		if (!colon)
			continue;
		*colon = '\0';
		event = dkt_event_find(in->ctx, line, colon + 1);
		/* The list has also events that only triggers watch, whose enable file is "0*". */
		if (event && dkt__event_index(event) < total)
			on[dkt__event_index(event)] = dkt__event_is_on(in, event);
	}
	/* The kernel's list is not sorted. */
	for (size_t i = 0; i < total; i++)
		if (on[i])
			(*events)[(*n)++] = all[i];
	return 0;
}

int dkt_instance_get_filter(const struct dkt_instance *in, const struct dkt_event *event,
			    char **filter)
{
	dkt__needs(in ? in->ctx : NULL, dkt__clear(filter) && in && event);

	size_t len;
	int err = dkt__tfs_read(in->ctx, filter, &len, "%sevents/%s/%s/filter", in->prefix,
				event->system, event->name);

	if (err)
		return err;
	while (len && (*filter)[len - 1] == '\n')
		(*filter)[--len] = '\0';
	if (!strcmp(*filter, "none"))
		(*filter)[0] = '\0';
	return 0;
}
