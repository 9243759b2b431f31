/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints output in the form that --json, --csv and --raw-text select. */
#pragma once

#include "compat/pipeline/losses.h"
#include "compat/pipeline/outfile.h"
#include "ctl/app/app.h"
#include "ctl/out/out.h"

/*
 * Sets *picture if --style asks for a picture. also: another option that was given and forbids it, or NULL.
 * Returns 0 or EXIT_USAGE.
 */
int print_style(const struct app *app, const char *also, bool *picture);

/* labels: the width of the labels that out_line() prints. */
void print_begin(const struct app *app, struct out *out, int labels);

/* Puts the number of records that an answer is from, and of those that were lost, into JSON. */
void print_losses(struct out *out, const struct losses_sum *all);

/* Says which name the earlier file at path has now; kept NULL: there was none. */
void print_kept(const char *path, const char *kept);

/* The same of an output that is complete, or that it stays as it was because nothing was written. */
void print_output(const struct outfile *file);

/*
 * Prints a table, unless err is set. If it is text without rows, prints the message fmt on standard
 * error instead; NULL: no message. Frees the rows. Returns err or -ENOMEM.
 */
int print_rows(const struct app *app, int err, struct rows *rows, const char *fmt, ...)
	DKT_PRINTF(4, 5);
