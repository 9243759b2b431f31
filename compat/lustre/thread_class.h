/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Classes of threads of servers, by the beginnings of their names. */
#pragma once

#include <stddef.h>

struct dkt_ctx;

/* A class: "ost" are the threads that have names such as "ll_ost_io00_001". */
struct thread_class {
	const char *name;
	const char *globs; /* separated by commas, as --comm takes them */
};

/* Returns the i-th class, counted from 0; NULL after the last. */
const struct thread_class *dkl_thread_class(size_t i);

/*
 * Sets *globs to those of classes "ost,ldlm", which the caller frees. -EINVAL: one of them is no class; the error
 * message lists all classes.
 */
int dkl_thread_classes_read(struct dkt_ctx *ctx, const char *text, char **globs);
