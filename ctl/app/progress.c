/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The progress of a long operation: a line on stderr, if that is a terminal. */
#include "ctl/app/progress.h"

#include "lib/base/util.h"
#include "lib/base/when.h"
#include "lib/inside.h"

void progress_begin(struct progress *progress, uint64_t of, enum progress_unit unit, bool prints)
{
	bool on = of && isatty(STDERR_FILENO) && !(prints && isatty(STDOUT_FILENO));

	*progress = (struct progress){
		.on = on, .of = of, .unit = unit, .begun = on ? dkt__monotonic_ns() : 0
	};
}

/* True if a second has passed since the beginning, or since the last line. */
static bool is_due(struct progress *progress)
{
	uint64_t time = dkt__monotonic_ns();

	if (time - (progress->shown ? progress->last : progress->begun) < DKT__NSEC_PER_SEC)
		return false;
	progress->last = time;
	progress->shown = true;
	return true;
}

void progress_at(struct progress *progress, uint64_t done)
{
	double rate;

	if (!progress->on || !done || !is_due(progress))
		return;
	done = DKT__MIN(done, progress->of);
	rate = (double)done * 1e9 / (double)(progress->last - progress->begun);
	fprintf(stderr, "\r%3.0f %%, ", 100.0 * (double)done / (double)progress->of);
	if (progress->unit == PROGRESS_RECORDS)
		fprintf(stderr, "%.0f records/s", rate);
	else
		fprintf(stderr, "%.0f MB/s", rate / DKT__MB);
	fprintf(stderr, ", %.0f s left \033[K", (double)(progress->of - done) / rate);
}

void progress_end(struct progress *progress)
{
	if (progress->shown)
		fprintf(stderr, "\r\033[K");
	progress->shown = progress->on = false;
}

void progress_amount(double amount, const char *unit)
{
	static const struct {
		double from;
		const char *prefix;
	} rows[] = { { 1e9, "G" }, { 1e6, "M" }, { 1e3, "k" }, { 1, "" } };
	size_t i = 0;

	while (i < ARRAY_SIZE(rows) - 1 && amount < rows[i].from)
		i++;
	amount /= rows[i].from;
	fprintf(stderr, "%.*f %s%s",
		!*rows[i].prefix || amount >= 100 ? 0 :
		amount >= 10                      ? 1 :
						    2,
		amount, rows[i].prefix, *rows[i].prefix ? unit : unit + strspn(unit, " "));
}

void progress_source(struct progress *progress, const struct dkt_source *source, bool prints)
{
	uint64_t done, of;

	progress_begin(progress, dkt__source_get_bytes(source, &done, &of) ? 0 : of, PROGRESS_BYTES,
		       prints);
}

void progress_look(struct progress *progress, const struct dkt_source *source)
{
	uint64_t done, of;

	if (progress->on && !dkt__source_get_bytes(source, &done, &of))
		progress_at(progress, done);
}

void progress_change(void *data, const char *what, size_t done, size_t of)
{
	struct progress *progress = data;
	const bool on = progress->on;

	if (done >= of) {
		progress_end(progress);
		/* Something else may follow, for the same terminal. */
		progress->on = on;
		return;
	}
	/* It is called for each block of a file, and each look at the terminal is a system call. */
	if (!progress->begun)
		*progress = (struct progress){ .on = isatty(STDERR_FILENO),
					       .begun = dkt__monotonic_ns() };
	if (progress->on && is_due(progress))
		fprintf(stderr, "\r%3.0f %% of the %s \033[K", 100.0 * (double)done / (double)of,
			what);
}
