/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints output in the form that --json, --csv and --raw-text select. */
#include "ctl/app/print.h"
#include "ctl/app/groups.h"
#include "ctl/app/watch.h"

int print_style(const struct app *app, const char *also, bool *picture)
{
	const struct sink_options *given = OPT(app, sink);
	const struct print_options *print = OPT(app, print);
	const char *other = print->json            ? "json" :
			    print->csv             ? "csv" :
			    OPT(app, watch)->watch ? "watch" :
						     also;

	*picture = given->style && !strcmp(given->style, "svg");
	if (!given->style || !strcmp(given->style, "text"))
		return 0;
	if (!*picture)
		return app_usage("--style: '%s' is not a style; the styles are text and svg",
				 given->style);
	return other ? app_usage("cannot combine --style svg with --%s", other) : 0;
}

void print_begin(const struct app *app, struct out *out, int labels)
{
	enum out_form form = OPT(app, print)->json ? OUT_JSON :
			     OPT(app, print)->csv  ? OUT_CSV :
						     OUT_TEXT;

	out_begin(out, form, OPT(app, print)->raw_text, labels);
}

void print_losses(struct out *out, const struct losses_sum *all)
{
	out_json(out, "records", val_number(all->seen));
	out_json(out, "lost", val_number(all->lost));
	out_json(out, "lost_is_least", val_bool(all->is_least));
}

void print_kept(const char *path, const char *kept)
{
	if (kept)
		app_say("the earlier %s is now %s", path, kept);
}

void print_output(const struct outfile *file)
{
	if (file->waits)
		app_say("%s stays as it was: nothing was written", file->path);
	else
		print_kept(file->path, file->kept);
}

int print_rows(const struct app *app, int err, struct rows *rows, const char *fmt, ...)
{
	struct out out;
	va_list ap;

	if (err) {
		rows_free(rows);
		return err;
	}
	print_begin(app, &out, 0);
	if (fmt && out.form == OUT_TEXT && !rows_count(rows)) {
		va_start(ap, fmt);
		app_vsay(fmt, ap);
		va_end(ap);
	}
	out_rows(&out, rows);
	return out_end(&out);
}
