/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* collect: runs a command of the tool on many hosts at once, by ssh. */
#include "ctl/app/commands.h"
#include "ctl/app/groups.h"
#include "ctl/app/print.h"
#include "ctl/collect/collect.h"
#include "ctl/input/args.h"
#include "ctl/load/load.h"
#include "lib/base/buf.h"
#include "lib/base/memory.h"
#include "lib/base/when.h"

OPT_OWN(collect,
	{ "delay", 0, "TIME", AT(collect, delay), "follow: print a line after TIME, so that earlier ones of other hosts come before it (default 1s)" },
	{ "fanout", 'f', "N", AT(collect, fanout), "connect to at most N hosts at the same time (default 64)" },
	{ "far-program", 0, "COMMAND", AT(collect, far_program), "run COMMAND on each host (default 'dktrace remote')" },
	{ "hosts", 0, "FILE", AT(collect, hosts), "run on the hosts that FILE names, one on a line" },
	{ "keep", 0, "BYTES", AT(collect, keep_size), "let each host keep BYTES of output while its connection is broken (default 64M)" },
	{ "load", 0, "URL", AT(load, clickhouse), "load what comes into the ClickHouse server http[s]://[USER@]HOST:8123/DATABASE", .check = value_server },
	{ "max-dumps", 0, "N", AT(collect, max_dumps), "make at most N dumps an hour of incidents (default 12)" },
	{ "nodes", 'w', "NODES", AT(collect, nodes), "run on these hosts: oss[01-40],mds1; a node set or group of ClusterShell" },
	{ "output", 'o', "DIR", AT_APP(output), "write a file for each host, and collection.json, to the new directory DIR" },
	{ "reconnect", 0, "TIME", AT(collect, reconnect), "try for TIME to reach a host again after its connection broke (default 60s)" },
	{ "ssh", 0, "COMMAND", AT(collect, ssh), "reach hosts by COMMAND (default ssh): 'ssh -F FILE', 'ssh -l root'" },
	{ "timeout", 0, "TIME", AT(collect, timeout), "give a host up if it does not answer for TIME (default 15s)" },
);

#define FANOUT    64
#define MAX_DUMPS 12
#define TIMEOUT   15.0
#define RECONNECT 60.0
#define DELAY     1.0
#define KEEP      (UINT64_C(64) << 20)

/* Bytes of text that a host may print; a recording has no limit. */
#define TEXT_MOST (UINT64_C(256) << 20)

static int no_memory(const struct collect *collect)
{
	dkt__no_memory(collect->app->ctx);
	return app_fail(collect->app);
}

char **collect_argv(const struct dkt__strings *names)
{
	char **argv = calloc(names->n + 1, sizeof(*argv));

	for (size_t i = 0; argv && i < names->n; i++)
		argv[i] = names->list[i];
	return argv;
}

/* ---- the command for the hosts ---- */

/* How the command reads its arguments on each host. */
struct far {
	struct app app; /* its options */
	bool known; /* it reads them as the others do; lctl's commands have their own */
	bool args; /* there are arguments beside them */
};

static int read_far(const struct collect *collect, int argc, char **argv, int words,
		    struct far *far)
{
	const struct command *command = command_find(collect->app, argv[0]);
	char **copy __cleanup(free) = calloc((size_t)argc + 1, sizeof(*copy));
	int first;

	if (!copy)
		return no_memory(collect);
	far->known = command && !(command->flags & CMD_LCTL);
	if (!far->known)
		return 0;
	memcpy(copy, argv, (size_t)argc * sizeof(*copy));
	first = opt_parse(&far->app, command, argc, copy);
	far->args = first + words - 1 < argc;
	return first < 0 ? EXIT_USAGE : 0;
}

/* An option that would be read and change nothing is refused. */
static int check_own(const struct collect *collect)
{
	const struct app *app = collect->app;
	const unsigned int flags = collect->action->flags;
	const struct {
		const char *name;
		bool given, used;
		const char *use;
	} rows[] = {
		{ "delay", OPT(app, collect)->delay, flags & ACTION_LINES, "follow" },
		{ "max-dumps", OPT(app, collect)->max_dumps, flags & ACTION_FREEZES,
		  "flight follow" },
		{ "layout", OPT(app, load)->layout, OPT(app, load)->clickhouse, "--load" },
		{ "ca", OPT(app, load)->ca, OPT(app, load)->clickhouse, "--load" },
		{ "json", OPT(app, print)->json, app->output, "-o DIR" },
		{ "csv", OPT(app, print)->csv, app->output, "-o DIR" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].given && !rows[i].used)
			return app_usage("collect: --%s goes with %s; behind '%s' it is for the"
					 " hosts",
					 rows[i].name, rows[i].use, collect->action->name);
	if (app->root && app->root != secure_getenv("DKTRACE_ROOT"))
		return app_usage("collect: --root would be of this host; behind '%s' it is for the"
				 " hosts",
				 collect->action->name);
	return 0;
}

static int check_far(const struct collect *collect, const struct far *far)
{
	const char *name = collect->action->name;
	const unsigned int flags = collect->action->flags;

	if (flags & (ACTION_RECORDING | ACTION_LOG | ACTION_LINES) && far->app.output)
		return app_usage(
			"collect: give -o DIR before '%s'; each host sends its output here", name);
	if (flags & ACTION_LOG && far->args)
		return app_usage("collect: '%s' takes no FILE; each host sends its output here",
				 name);
	if (app_has_instance(collect->app) && (!far->known || far->app.instance))
		return app_usage(far->known ? "collect: give --instance once, for '%s'" :
					      "collect: '%s' takes no --instance",
				 name);
	return 0;
}

/* The output comes by standard output, and a recording comes compressed. */
static int add_args(struct collect *collect, int argc, char **argv, int words)
{
	const unsigned int flags = collect->action->flags;
	const bool records = flags & ACTION_RECORDING && !(flags & ACTION_NAMES_FILE);
	static const char *const to_stdout[] = { "-o", "-", "--compression", "zstd" };
	const char *const instance[] = { "-B", collect->app->instance };
	int err = 0;

	for (int i = 0; !err && i < words; i++)
		err = dkt__strings_add(&collect->args, argv[i]);
	for (size_t i = 0; !err && records && i < ARRAY_SIZE(to_stdout); i++)
		err = dkt__strings_add(&collect->args, to_stdout[i]);
	for (size_t i = 0; !err && app_has_instance(collect->app) && i < ARRAY_SIZE(instance); i++)
		err = dkt__strings_add(&collect->args, instance[i]);
	for (int i = words; !err && i < argc; i++)
		err = dkt__strings_add(&collect->args, argv[i]);
	if (!err && flags & ACTION_FREEZES)
		err = dkt__strings_add(&collect->args, "--freeze");
	if (!err && flags & ACTION_LINES)
		err = dkt__strings_add(&collect->args, "--stamp");
	return err ? no_memory(collect) : 0;
}

static const char *find_suffix(const struct action *action, const char *style)
{
	static const struct {
		const char *style, *suffix;
	} styles[] = { { "json", "json" }, { "csv", "csv" }, { "trace", "txt" } };

	if (action->flags & ACTION_RECORDING)
		return "dat";
	for (size_t i = 0; style && i < ARRAY_SIZE(styles); i++)
		if (!strcmp(style, styles[i].style))
			return styles[i].suffix;
	return action->flags & ACTION_LOG ? "log" : "txt";
}

static int make_args(struct collect *collect, int argc, char **argv, int words)
{
	struct far far = { 0 };
	const unsigned int lines = ACTION_LOG | ACTION_LINES;
	int rc = read_far(collect, argc, argv, words, &far);

	if (!rc)
		rc = check_own(collect);
	if (!rc)
		rc = check_far(collect, &far);
	if (!rc)
		rc = add_args(collect, argc, argv, words);
	collect->raw = OPT(&far.app, print)->raw_text;
	collect->suffix = find_suffix(collect->action, collect->action->flags & lines ?
							       OPT(&far.app, sink)->style :
							       NULL);
	dkt__strings_clear(&far.app.joined);
	return rc;
}

/* ---- how hosts are reached ---- */

/* ssh asks nothing, and reports a host that is gone. What the user says before these counts more. */
static int make_ssh(struct collect *collect, double timeout)
{
	const char *words = OPT(collect->app, collect)->ssh ?: "ssh";
	char *copy __cleanup(free) = strdup(words), *save = NULL;
	char *connect __cleanup(free) = dkt__format("ConnectTimeout=%d", (int)timeout + 1);
	const char *more[] = { "-T",
			       "-o",
			       "BatchMode=yes",
			       "-o",
			       connect,
			       "-o",
			       "ServerAliveInterval=5",
			       "-o",
			       "ServerAliveCountMax=3" };
	const char *base;
	int err = copy && connect ? 0 : -ENOMEM;

	for (char *word = err ? NULL : strtok_r(copy, " ", &save); !err && word;
	     word = strtok_r(NULL, " ", &save))
		err = dkt__strings_add(&collect->ssh, word);
	if (!err && !collect->ssh.n)
		return app_usage("--ssh: the command is empty");
	base = err ? NULL : strrchr(collect->ssh.list[0], '/');
	base = err ? "" : base ? base + 1 : collect->ssh.list[0];
	for (size_t i = 0; !err && !strcmp(base, "ssh") && i < ARRAY_SIZE(more); i++)
		err = dkt__strings_add(&collect->ssh, more[i]);
	return err ? no_memory(collect) : 0;
}

static int read_opts(struct collect *collect)
{
	struct app *app = collect->app;
	const struct collect_options *given = OPT(app, collect);
	struct fleet_opts *opts = &collect->fleet.opts;
	double timeout = TIMEOUT, reconnect = RECONNECT, delay = DELAY;
	int fanout = FANOUT, rc = opt_number("fanout", given->fanout, &fanout);

	*opts = (struct fleet_opts){ .keep = KEEP };
	if (!rc && !fanout)
		rc = app_usage("--fanout: '%s' is no number of hosts", given->fanout);
	collect->max_dumps = MAX_DUMPS;
	if (!rc)
		rc = opt_number("max-dumps", given->max_dumps, &collect->max_dumps);
	if (!rc && (collect->max_dumps < 1 || collect->max_dumps > 100000))
		rc = app_usage("--max-dumps: the number of dumps in an hour is 1 to 100000");
	if (!rc)
		rc = opt_seconds("timeout", given->timeout, &timeout);
	if (!rc && given->reconnect && !strcmp(given->reconnect, "0"))
		reconnect = 0;
	else if (!rc)
		rc = opt_seconds("reconnect", given->reconnect, &reconnect);
	if (!rc)
		rc = opt_seconds("delay", given->delay, &delay);
	collect->delay = (uint64_t)(delay * 1e9);
	if (!rc)
		rc = opt_bytes("keep", given->keep_size, &opts->keep);
	if (!rc)
		rc = make_ssh(collect, timeout);
	opts->fanout = (size_t)fanout;
	opts->timeout = (uint64_t)(timeout * 1e9);
	opts->reconnect = (uint64_t)(reconnect * 1e9);
	collect->ssh_argv = collect_argv(&collect->ssh);
	opts->ssh = collect->ssh_argv ? collect->ssh_argv[0] : NULL;
	opts->args = collect->args_argv = collect_argv(&collect->args);
	if (!rc && (!collect->ssh_argv || !opts->args))
		rc = no_memory(collect);
	opts->most = collect->action->flags & (ACTION_RECORDING | ACTION_FREEZES | ACTION_LINES) ?
			     0 :
			     TEXT_MOST;
	return rc;
}

/* ---- running ---- */

static int worst_status(const struct collect *collect)
{
	int worst = 0;

	for (size_t i = 0; i < collect->fleet.n; i++) {
		const struct fleet_host *host = &collect->fleet.hosts[i];

		worst = app_worse(worst,
				  host->state == FLEET_ENDED ? (int)host->status : EXIT_FAILED);
	}
	return worst;
}

int collect_run(struct collect *collect)
{
	struct app *app = collect->app;
	struct fleet *fleet = &collect->fleet;
	int err = fleet_init(app->ctx, fleet, collect->hosts.list, collect->hosts.n);
	int failed = 0;

	if (!err)
		err = collect_dial(collect);
	fleet->look = collect_look;
	fleet->over = collect_over;
	fleet->data = collect;
	for (size_t i = 0; !err && i < collect->dumps.n; i++)
		fleet->hosts[i].word = collect->dumps.list[i];
	if (!err && collect->action->flags & ACTION_LINES) {
		err = collect_follow(collect);
		return err == -EPIPE ? EXIT_PIPE : err ? app_fail(app) : worst_status(collect);
	}
	if (!err && collect->action->flags & ACTION_FREEZES) {
		err = collect_alarms(collect);
		return err ? app_fail(app) : app_worse(collect->worst, worst_status(collect));
	}
	if (!err)
		err = collect_open(collect);
	if (!err && OPT(app, load)->clickhouse)
		err = collect_number(collect);
	/* So that somebody who looks at once finds it. */
	if (!err)
		err = collect_describe(collect, false);
	if (!err && collect->numbers)
		err = collect_stream(collect);
	if (!err)
		err = collect_confine(collect);
	collect->began = collect->described = dkt__monotonic_ns();
	if (!err)
		err = fleet_run(app->ctx, fleet);
	collect_unshow(collect);
	if (err)
		return app_fail(app);
	/* The table says what came, also if the disk has no room for the description. */
	if (collect_describe(collect, true))
		failed = app_fail(app);
	err = collect->dir < 0 ? collect_print(collect) : collect_table(collect);
	if (collect->numbers)
		failed = app_worse(failed, collect_stream_end(collect));
	return err ? app_fail(app) : app_worse(failed, worst_status(collect));
}

int cmd_collect(struct app *app, int argc, char **argv)
{
	struct collect collect = {
		.app = app, .dir = -1, .loading = -1, .rest_begins = -1, .dialer.fd = -1
	};
	int words, rc;

	collect.action = action_find(app->ctx, argc - 1, argv + 1, &words);
	if (!collect.action)
		return app_usage("collect: %s", dkt_error(app->ctx));
	if (OPT(app, load)->clickhouse && !(collect.action->flags & ACTION_RECORDING))
		return app_usage("collect: --load takes recordings, not what '%s' writes",
				 collect.action->name);
	if (collect.action->flags & ACTION_LINES && app->output)
		return app_usage("collect: %s prints the lines of all hosts, without -o",
				 collect.action->name);
	if (collect.action->flags & (ACTION_RECORDING | ACTION_FREEZES) && !app->output)
		return app_usage("collect: %s needs -o DIR for the files of the hosts",
				 collect.action->flags & ACTION_FREEZES ? collect.action->name :
									  "a recording");
	rc = collect_hosts(app, &collect.hosts);
	if (!rc)
		rc = make_args(&collect, argc - 1, argv + 1, words);
	if (!rc)
		rc = read_opts(&collect);
	if (!rc)
		rc = collect_run(&collect);
	collect_forget(&collect);
	dkt__strings_clear(&collect.about.command);
	fleet_clear(&collect.fleet);
	dialer_end(&collect.dialer);
	if (collect.dir >= 0)
		close(collect.dir);
	dkt__closep(&collect.loading);
	dkt__closep(&collect.rest_begins);
	free(collect.numbers);
	free(collect.children);
	dkt__strings_clear(&collect.hosts);
	free(collect.ssh_argv);
	free(collect.args_argv);
	dkt__strings_clear(&collect.ssh);
	dkt__strings_clear(&collect.args);
	dkt__strings_clear(&collect.dumps);
	return rc;
}
