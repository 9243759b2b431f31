/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Process names by PID. */
#pragma once

#include "ctx.h"

struct dkt__comms {
	struct dkt__comm *slots;
	size_t n, size; /* size is a power of two */
	void *names; /* a tree of all names there were, each once */
};

/* Gives the process that name in place of any before; n bytes, cut to what a kernel keeps. */
int dkt__comms_set(struct dkt__comms *comms, int32_t pid, const char *name, size_t n);

/* Takes "PID NAME" lines, as of saved_cmdlines. */
int dkt__comms_parse(struct dkt__comms *comms, const char *text, size_t len);

/*
 * NULL if it is not known. Valid, and the same, until dkt__comms_clear(), whatever name the process is
 * given after that.
 */
const char *dkt__comms_get(const struct dkt__comms *comms, int32_t pid);

/* No process has a name any more; those that there were stay valid. */
void dkt__comms_forget(struct dkt__comms *comms);
void dkt__comms_clear(struct dkt__comms *comms);
