/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hosts of a collection: node sets of ClusterShell, lists, and files of names. */
#include <fcntl.h>
#include <spawn.h>

#include "ctl/collect/collect.h"
#include "lib/base/buf.h"
#include "lib/base/io.h"
#include "lib/base/memory.h"
#include "lib/base/servant.h"

/* Bytes of a file of names, or of what nodeset prints. */
#define NAMES_MAX (16 << 20)

/* Names become file names and arguments of ssh. */
#define NAME_CHARS   "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-@:"
#define NAME_MAX_LEN 200

/* ---- nodeset ---- */

/* Runs a program and reads what it prints, which the caller frees. Returns -ENOENT if it does not exist. */
static int run_program(struct dkt_ctx *ctx, char **argv, char **text, int *status)
{
	posix_spawn_file_actions_t files;
	int fds[2], err;
	size_t len;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC))
		return dkt_fail(ctx, -errno, "run %s: %s", argv[0], strerror(errno));
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, fds[1], STDOUT_FILENO);
	err = -posix_spawnp(&pid, argv[0], &files, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	close(fds[1]);
	if (!err) {
		err = dkt__read_fd(fds[0], NAMES_MAX, text, &len);
		dkt__wait(pid, status, 0);
	}
	close(fds[0]);
	return err ? dkt_fail(ctx, err, "run %s: %s", argv[0], strerror(-err)) : 0;
}

/* Converts a node set to lines. Returns 0, or the exit status. */
static int expand(struct app *app, const char *nodes, char **lines)
{
	char program[] = "nodeset", option[] = "-e", sep[] = "-S", newline[] = "\\n", end[] = "--";
	char *set __cleanup(free) = strdup(nodes);
	char *argv[] = { program, option, sep, newline, end, set, NULL };
	int status = 0,
	    err = set ? run_program(app->ctx, argv, lines, &status) : dkt__no_memory(app->ctx);

	if (err == -ENOENT)
		return app_usage(
			"--nodes: '%s' is a node set, which takes the program nodeset of"
			" ClusterShell; install the package clustershell, or use --hosts FILE",
			nodes);
	if (err)
		return app_fail(app);
	/* nodeset has said what is wrong. */
	return status ? app_usage("--nodes: nodeset does not take '%s'", nodes) : 0;
}

char *collect_node_set(void *data, const uint32_t *hosts, size_t n)
{
	char program[] = "nodeset", option[] = "-f", end[] = "--";
	char **argv __cleanup(free) = calloc(n + 4, sizeof(*argv));
	const struct dkt__strings *names = data;
	char *text = NULL;
	struct dkt_ctx *ctx;
	int status = 0;

	if (!argv || dkt_ctx_new(NULL, &ctx))
		return NULL;
	argv[0] = program;
	argv[1] = option;
	argv[2] = end;
	for (size_t i = 0; i < n; i++)
		argv[3 + i] = names->list[hosts[i]];
	if (run_program(ctx, argv, &text, &status) || status) {
		free(text);
		text = NULL;
	}
	dkt_ctx_free(ctx);
	if (text)
		text[strcspn(text, "\n")] = '\0';
	return text;
}

char *collect_fold(const struct collect *collect, uint32_t *hosts, size_t n)
{
	char *text = n > 1 ? dialer_name(&collect->dialer, hosts, n) : NULL;

	/* Without ClusterShell: a list. */
	for (size_t i = 0, listed = !text; listed && i < n; i++) {
		char *before = text;

		text = dkt__format("%s%s%s", before ? before : "", before ? "," : "",
				   collect->hosts.list[hosts[i]]);
		free(before);
	}
	return text;
}

/* ---- names ---- */

static int add(struct app *app, struct dkt__strings *hosts, const char *name, const char *where)
{
	if (!dkt__strings_has(hosts, name)) {
		if (*name == '-' || *name == '.' || name[strspn(name, NAME_CHARS)] ||
		    strlen(name) > NAME_MAX_LEN)
			return app_usage("%s: '%s' is not the name of a host", where, name);
		if (dkt__strings_add(hosts, name)) {
			dkt__no_memory(app->ctx);
			return app_fail(app);
		}
	}
	return 0;
}

static int add_words(struct app *app, struct dkt__strings *hosts, char *text,
		     const char *separators, const char *where)
{
	char *save = NULL;
	int rc = 0;

	for (char *word = strtok_r(text, separators, &save); !rc && word;
	     word = strtok_r(NULL, separators, &save))
		rc = add(app, hosts, word, where);
	return rc;
}

static int read_nodes(struct app *app, struct dkt__strings *hosts)
{
	const char *nodes = OPT(app, collect)->nodes;
	char *text __cleanup(free) = NULL;
	int rc = 0;

	if (!nodes)
		return 0;
	/* A list of names needs no program. */
	if (*nodes != '@' && !strstr(nodes, ",@") && !nodes[strspn(nodes, NAME_CHARS ", ")])
		text = strdup(nodes);
	else
		rc = expand(app, nodes, &text);
	if (rc)
		return rc;
	if (!text) {
		dkt__no_memory(app->ctx);
		return app_fail(app);
	}
	return add_words(app, hosts, text, ", \n", "--nodes");
}

static int read_hosts(struct app *app, struct dkt__strings *hosts)
{
	char *text __cleanup(free) = NULL, *save = NULL;
	size_t len;
	int err, rc = 0;

	if (!OPT(app, collect)->hosts)
		return 0;
	err = strcmp(OPT(app, collect)->hosts, "-") ?
		      dkt__read_file(OPT(app, collect)->hosts, NAMES_MAX, &text, &len) :
		      dkt__read_fd(STDIN_FILENO, NAMES_MAX, &text, &len);
	if (err) {
		dkt_fail(app->ctx, err, "read %s: %s", OPT(app, collect)->hosts, strerror(-err));
		return app_fail(app);
	}
	for (char *line = strtok_r(text, "\n", &save); !rc && line;
	     line = strtok_r(NULL, "\n", &save)) {
		line[strcspn(line, "#")] = '\0';
		rc = add_words(app, hosts, line, " \t\r", "--hosts");
	}
	return rc;
}

int collect_hosts(struct app *app, struct dkt__strings *hosts)
{
	int rc;

	if (!OPT(app, collect)->nodes && !OPT(app, collect)->hosts)
		return app_usage("collect: name the hosts with -w NODES or --hosts FILE");
	rc = read_nodes(app, hosts);
	if (!rc)
		rc = read_hosts(app, hosts);
	if (!rc && !hosts->n)
		return app_usage("collect: no host is named");
	return rc;
}
