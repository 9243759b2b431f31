/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The list of probes that a user created, and the file that stores it. */
#pragma once

#include "log/debuglog.h"

/* In the debug log's directory: a line each, and behind it one of the words, if there are. */
#define PROBES_FILE "probes"

enum probe_state {
	PROBE_OFF, /* it never was on in this log */
	PROBE_WAS_ON, /* its records may be in the log */
	PROBE_ON,
};

struct probe_made {
	struct dkt_probes *definition; /* of one probe */
	char *words; /* that it was asked for by, as probe_words_of() has them; NULL: by none */
	enum probe_state state;
	enum probe_state before; /* the state before a change that is under way */
	bool is_new; /* by such a change */
	bool made; /* and in the kernel already */
};

struct probes {
	struct probe_made *list;
	size_t n;
};

/* Reads what is remembered, once: log->probes. A line that makes no sense is left out. */
int probes_load(struct debuglog *log);
void probes_free(struct probes *probes);

static inline const struct dkt_probe *probes_at(const struct probes *probes, size_t i)
{
	return dkt_probes_at(probes->list[i].definition, 0);
}

/* Takes definition and words over, also after a failure. */
int probes_append(struct probes *probes, struct dkt_probes *definition, char *words,
		  enum probe_state state);
void probes_drop(struct probes *probes, size_t i);

/* Writes the file, whole or not at all. */
int probes_save(struct debuglog *log);

/* The one that is ours of that name, NULL: none. */
struct probe_made *probes_find(const struct probes *probes, const char *group, const char *name);

/* Whether a pattern, NAME or GROUP:NAME with wildcards, is about the probe. */
bool probes_match(const char *pattern, const struct dkt_probe *probe);

/* Marks the events of those that are on in the class map: they are wanted whatever the masks say. */
void probes_mark(struct debuglog *log);

/* Removes the one at i from the kernel, which has those there, and from the list. -EBUSY: it is on elsewhere. */
int probes_remove_at(struct debuglog *log, const struct dkt_probes *there, size_t i);

/* For a reset: removes what is remembered and still is what it was. The instance is gone. */
int probes_reset(struct debuglog *log);
