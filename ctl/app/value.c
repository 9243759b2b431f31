/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks the form of options' values. The commands check whether this machine has what they name. */
#include "ctl/app/value.h"

#include "answers/load/server.h"
#include "compat/log/threads.h"
#include "compat/lustre/mask.h"
#include "compat/lustre/named.h"
#include "compat/lustre/programs.h"
#include "compat/lustre/select.h"
#include "compat/set/functions.h"
#include "lib/base/glob.h"
#include "lib/base/parse.h"
#include "lib/base/util.h"
#include "lib/inside.h"

/* The most CPUs that Linux can be built for. */
#define MAX_CPU 8191

int value_classes(struct dkt_ctx *ctx, const char *option, const char *text)
{
	uint32_t mask;

	return dkl_mask_option(ctx, option, MASK_DEBUG, text, &mask);
}

int value_subsystems(struct dkt_ctx *ctx, const char *option, const char *text)
{
	uint32_t mask;

	return dkl_mask_option(ctx, option, MASK_SUBSYSTEM, text, &mask);
}

int value_events(struct dkt_ctx *ctx, const char *option, const char *text)
{
	struct named named = { 0 };
	int err = dkl_named_read(ctx, text, &named);

	dkl_named_clear(&named);
	return err ? dkt__fail_in(ctx, err, "--%s", option) : 0;
}

int value_select(struct dkt_ctx *ctx, const char *option, const char *text)
{
	int err = dkl_select_check_words(ctx, text);

	return err ? dkt__fail_in(ctx, err, "%s", option) : 0;
}

int value_probes(struct dkt_ctx *ctx, const char *option, const char *text)
{
	char *copy __cleanup(free) = strdup(text), *rest = copy, *part;
	const char *reason = NULL;
	size_t at;

	if (!copy)
		return dkt_fail(ctx, -ENOMEM, "out of memory");
	/* GROUP:NAME */
	while (!reason && (part = strsep(&rest, ":")))
		reason = dkt__glob_check(part, &at);
	return reason ? dkt_fail(ctx, -EINVAL, "%s: '%s': %s", option, text, reason) : 0;
}

int value_processes(struct dkt_ctx *ctx, const char *option, const char *text)
{
	int err = dkl_threads_check_list(ctx, text);

	return err ? dkt__fail_in(ctx, err, "--%s", option) : 0;
}

int value_programs(struct dkt_ctx *ctx, const char *option, const char *text)
{
	struct dkt__strings programs = { 0 };
	int err = dkl_programs_read(ctx, text, &programs);

	(void)option;
	dkt__strings_clear(&programs);
	return err;
}

int value_numbers(struct dkt_ctx *ctx, const char *option, const char *text)
{
	int *list __cleanup(free) = NULL;
	size_t n;
	int err = dkt__parse_list(text, INT32_MAX, &list, &n);

	return err ? dkt_fail(ctx, err,
			      "--%s: '%.60s' is not a list of processes such as 1234,1235", option,
			      text) :
		     0;
}

int value_cpus(struct dkt_ctx *ctx, const char *option, const char *text)
{
	int *list __cleanup(free) = NULL;
	size_t n;
	int err = dkt__parse_list(text, MAX_CPU, &list, &n);

	return err ? dkt_fail(ctx, err, "--%s: '%s' is not a list of numbers such as 0-3,5", option,
			      text) :
		     0;
}

int value_filter(struct dkt_ctx *ctx, const char *option, const char *text)
{
	struct dkt_expr *expr = NULL;
	int err = dkl_mask_expr(ctx, text, &expr);

	(void)option;
	dkt_expr_free(expr);
	return err;
}

const char *const value_compressions[] = { "none", "zlib", "zstd", NULL };

int value_compression(struct dkt_ctx *ctx, const char *option, const char *text)
{
	for (const char *const *name = value_compressions; *name; name++)
		if (!strcmp(text, *name))
			return 0;
	return dkt_fail(ctx, -EINVAL, "--%s: '%s' is not zstd, zlib or none", option, text);
}

int value_server(struct dkt_ctx *ctx, const char *option, const char *text)
{
	struct server server = { 0 };
	int err = server_parse(ctx, text, NULL, &server);

	server_clear(&server);
	/* This system can lack the library that parses addresses. */
	return err == -EINVAL ? dkt__fail_in(ctx, err, "--%s", option) : 0;
}

int value_depth(struct dkt_ctx *ctx, const char *option, const char *text)
{
	uint32_t depth;
	int err = dkl_functions_depth(ctx, text, &depth);

	return err ? dkt__fail_in(ctx, err, "--%s", option) : 0;
}

int value_threshold(struct dkt_ctx *ctx, const char *option, const char *text)
{
	uint32_t us;
	int err = dkl_functions_threshold(ctx, text, &us);

	return err ? dkt__fail_in(ctx, err, "--%s", option) : 0;
}
