/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Process names by PID. */
#pragma once

#include "lib/ctx.h"

struct dkt__comms {
	struct dkt__comm *slots;
	size_t n, size; /* size is a power of two */
	void *names; /* a tree of all names so far, each once */
	int32_t pid; /* the last process looked up, and its name; NULL: look again */
	const char *name;
};

/* Sets the name of the process, n bytes, truncated to the length that a kernel keeps. */
int dkt__comms_set(struct dkt__comms *comms, int32_t pid, const char *name, size_t n);

/* Sets the names of all processes in more. */
int dkt__comms_add(struct dkt__comms *comms, const struct dkt__comms *more);

/* Reads "PID NAME" lines, as in saved_cmdlines. */
int dkt__comms_parse(struct dkt__comms *comms, const char *text, size_t len);

/* Returns the next PID that has a name, in no order, or -1 after the last. *at is 0 before the first. */
int32_t dkt__comms_pid(const struct dkt__comms *comms, size_t *at);

/*
 * Returns the name, or NULL if it is unknown. The string stays valid and unchanged until
 * dkt__comms_clear(), even if the process gets another name.
 */
const char *dkt__comms_get(const struct dkt__comms *comms, int32_t pid);

/* The same for the process of a record: "<...>" if it is unknown. */
static inline const char *dkt__comms_of(struct dkt__comms *comms, const struct dkt_record *record)
{
	if (dkt__unlikely(record->pid != comms->pid || !comms->name)) {
		comms->pid = record->pid;
		comms->name = record->pid ? dkt__comms_get(comms, record->pid) : "<idle>";
		if (!comms->name)
			comms->name = "<...>";
	}
	return comms->name;
}

/* Returns the place of a number that the caller keeps with a name, 0 at first; NULL: it is unknown. */
uint64_t *dkt__comms_mark(const struct dkt__comms *comms, int32_t pid);

/* Forgets all names; strings already returned stay valid. */
void dkt__comms_forget(struct dkt__comms *comms);
void dkt__comms_clear(struct dkt__comms *comms);
