/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The list of probes that a user created, and the file that stores it. */
#pragma once

#include "compat/log/debuglog.h"

/* In the debug log's directory: a line for each probe, and a second one if it has words. */
#define PROBES_FILE "probes"

enum probe_state {
	PROBE_OFF, /* never enabled in this log */
	PROBE_WAS_ON, /* disabled, but the log may hold its records */
	PROBE_ON,
};

struct user_probe {
	struct dkt_probes *definition; /* of one probe */
	char *words; /* the words that define it, see dkl_probe_words_of(); NULL: only definition does */
	enum probe_state state;
	enum probe_state before; /* the state before the current change */
	bool is_new; /* added by the current change */
	bool created; /* and already created in the kernel */
};

struct probes {
	struct user_probe *list;
	size_t n;
};

/* Reads the file into log->probes, once. Ignores invalid lines. */
int dkl_probes_load(struct debuglog *log);
void dkl_probes_free(struct probes *probes);

static inline const struct dkt_probe *probes_at(const struct probes *probes, size_t i)
{
	return dkt_probes_at(probes->list[i].definition, 0);
}

/* Takes over definition and words, even on failure. */
int dkl_probes_append(struct probes *probes, struct dkt_probes *definition, char *words,
		      enum probe_state state);
void dkl_probes_erase(struct probes *probes, size_t i);

/* Replaces the file, all or nothing; removes it if the list is empty. */
int dkl_probes_save(struct debuglog *log);

/* Returns the user's probe of that name; NULL: none. */
struct user_probe *dkl_probes_find(const struct probes *probes, const char *group,
				   const char *name);

/* True if the probe matches a pattern, NAME or GROUP:NAME with wildcards. */
bool dkl_probes_match(const char *pattern, const struct dkt_probe *probe);

/* Marks the events of enabled probes in the class map: they are recorded with any masks. */
void dkl_probes_mark(struct debuglog *log);

/*
 * Removes probe i from the list and from the kernel, whose probes are in_kernel. -EBUSY: another
 * instance or program has it enabled.
 */
int dkl_probes_remove_at(struct debuglog *log, const struct dkt_probes *in_kernel, size_t i);

/*
 * For a reset, after the instance was removed: removes the probes of the list, except those that
 * another program has replaced.
 */
int dkl_probes_reset(struct debuglog *log);
