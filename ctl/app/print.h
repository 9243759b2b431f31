/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints output in the form that --json, --csv and --raw-text select. */
#pragma once

#include "app/app.h"
#include "out/out.h"

/* labels: the width of those of out_line(). */
void print_begin(const struct app *app, struct out *out, int labels);

/*
 * Unless err, prints rows alone; in text without any, says on standard error that there is none, in the
 * words of fmt, or NULL. Frees the rows. Returns err or -ENOMEM.
 */
int print_rows(const struct app *app, int err, struct rows *rows, const char *fmt, ...)
	DKT_PRINTF(4, 5);
