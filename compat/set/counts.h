/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ready-made counts: events, and the fields to count them by, under a plain name. */
#pragma once

/*
 * A ready-made count. If several have the same name, the first one serves whose events the kernel or the
 * file has.
 */
struct count {
	const char *name; /* differs from all classes, subsystems and systems of events */
	const char *events; /* as dkl_select_new() takes them */
	const char *keys; /* as in struct dkt_hist_opts */
	const char *vals; /* NULL: none */
	const char *filter; /* NULL: all records */
	const char *help;
};

/* Returns the next ready-made count, or NULL after the last one. count NULL: the first. */
const struct count *dkl_count_next(const struct count *count);

/*
 * Returns the first ready-made count of that name after another one, or NULL. after NULL: the first.
 */
const struct count *dkl_count_find(const char *name, const struct count *after);
