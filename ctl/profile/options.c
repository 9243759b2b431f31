/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The options about how a profile is shown. */
#include "ctl/app/groups.h"
#include "ctl/app/print.h"
#include "ctl/profile/profile.h"
#include "lib/base/parse.h"

/* The shares that a branch of a tree has to have, unless --min tells another. */
#define LEAST 0.005

/* Rows of a table, unless --top tells another number. */
#define TOP 10

enum { TEXT, FOLDED, SVG, ICICLE, HEATMAP, SPEEDSCOPE, PPROF, FORMS };

static const struct profile_form forms[FORMS] = {
	[TEXT] = { .compares = true },
	[FOLDED] = { .compares = true, .write = profile_write_folded },
	[SVG] = { .compares = true, .write = profile_write_flame },
	[ICICLE] = { .compares = true, .write = profile_write_icicle },
	[HEATMAP] = { .write = profile_write_heat, .samples = true },
	[SPEEDSCOPE] = { .write = profile_write_speedscope },
	[PPROF] = { .write = profile_write_pprof, .binary = true },
};

const char *const profile_styles[] = {
	[TEXT] = "text",       [FOLDED] = "folded",         [SVG] = "svg",     [ICICLE] = "icicle",
	[HEATMAP] = "heatmap", [SPEEDSCOPE] = "speedscope", [PPROF] = "pprof", [FORMS] = NULL
};

static int read_form(const struct app *app, const char *output, const struct profile_form **form)
{
	const char *style = OPT(app, sink)->style;
	const int i =
		style ? app_find_row(app, style, profile_styles, FORMS, sizeof(*profile_styles)) :
			0;

	if (i < 0)
		return EXIT_USAGE;
	*form = &forms[i];
	if (!(*form)->write)
		return 0;
	if (OPT(app, print)->json || OPT(app, print)->csv)
		return app_usage("profile: cannot combine --style %s with --%s", style,
				 OPT(app, print)->json ? "json" : "csv");
	if (OPT(app, profile)->tree || OPT(app, profile)->callers)
		return app_usage("profile: cannot combine --style %s with --%s", style,
				 OPT(app, profile)->tree ? "tree" : "callers");
	if (OPT(app, profile)->before && !(*form)->compares)
		return app_usage("profile: --style %s cannot compare; text, folded, svg and icicle"
				 " can",
				 style);
	if ((*form)->binary && !output && isatty(STDOUT_FILENO))
		return app_usage("profile: %s is not for a terminal; name a file with --output",
				 style);
	return 0;
}

/* Groups of wall-clock time are those of threads. */
#define WALL_KEYS (PROFILE_BY_COMM | PROFILE_BY_TID | PROFILE_BY_STATE)

static int read_keys(const char *text, bool wall, unsigned int *by)
{
	static const struct {
		const char *name;
		enum profile_by by;
	} keys[] = { { "event", PROFILE_BY_EVENT }, { "comm", PROFILE_BY_COMM },
		     { "pid", PROFILE_BY_PID },     { "tid", PROFILE_BY_TID },
		     { "cpu", PROFILE_BY_CPU },     { "state", PROFILE_BY_STATE } };

	*by = text ? 0 : PROFILE_BY_COMM | (wall ? PROFILE_BY_STATE : 0);
	if (!text || !strcmp(text, "none"))
		return 0;
	for (const char *p = text;; p++) {
		const size_t len = strcspn(p, ",");
		size_t i = 0;

		while (i < ARRAY_SIZE(keys) &&
		       (strlen(keys[i].name) != len || memcmp(keys[i].name, p, len) != 0))
			i++;
		if (i == ARRAY_SIZE(keys) && !wall)
			return app_usage("--keys: '%.*s' is not a key; the keys are event, comm,"
					 " pid, tid and cpu, or none",
					 (int)len, p);
		if (i == ARRAY_SIZE(keys) || (wall && !(keys[i].by & WALL_KEYS)))
			return app_usage("--keys: '%.*s' is not a key of --off-cpu; its keys are"
					 " comm, tid and state, or none",
					 (int)len, p);
		if (!wall && keys[i].by == PROFILE_BY_STATE)
			return app_usage("--keys: state is known with --off-cpu only");
		*by |= keys[i].by;
		p += len;
		if (!*p)
			return 0;
	}
}

static int read_least(const char *text, double *least)
{
	char *end;

	*least = LEAST;
	if (!text)
		return 0;
	*least = strtod(text, &end) / 100;
	if (end != text && *end == '%')
		end++;
	/* Not a number is not at least 0 either. */
	if (end == text || *end || !(*least >= 0) || *least > 1)
		return app_usage("--min: '%s' is not a percentage from 0 to 100", text);
	return 0;
}

int profile_read_options(const struct app *app, const char *output, struct profile_opts *opts,
			 const struct profile_form **form, struct profile_view *view)
{
	const struct profile_options *given = OPT(app, profile);
	int top = TOP, rc = read_form(app, output, form);

	if (!rc && given->tree && given->callers)
		rc = app_usage("profile: cannot combine --tree and --callers; give one of them");
	if (!rc)
		rc = opt_number("top", OPT(app, print)->top, &top);
	if (!rc)
		rc = read_keys(given->keys, given->off_cpu, &opts->by);
	if (!rc)
		rc = read_least(given->least, &view->least);
	view->top = top ? (size_t)top : SIZE_MAX;
	opts->weigh = given->count ? PROFILE_BY_COUNT : PROFILE_BY_PERIOD;
	return rc;
}

int profile_check_options(const struct app *app)
{
	const struct profile_form *form;
	struct profile_view view = { .app = app };
	struct profile_opts opts;
	struct wall_within_opts within;
	struct wall_opts wall;
	int rc = profile_read_options(app, NULL, &opts, &form, &view);

	return rc ?: profile_read_wall(app, form, &wall, &within);
}

int profile_show(struct profile_view *view, const struct profile_form *form)
{
	struct out out;
	int err;

	if (form->write)
		return form->write(view, stdout);
	print_begin(view->app, &out, 0);
	err = OPT(view->app, profile)->tree || OPT(view->app, profile)->callers ?
		      profile_show_tree(view, &out) :
		      profile_show_tables(view, &out);
	return out_end(&out) ?: err;
}
