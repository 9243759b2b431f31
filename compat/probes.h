/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Probes that a user made: remembered beside the debug log, switched with it, removed with it. */
#ifndef COMPAT_PROBES_H
#define COMPAT_PROBES_H

#include "debuglog.h"

/* In the debug log's directory, a line each. */
#define PROBES_FILE "probes"

enum probe_state {
	PROBE_OFF, /* it never was on in this log */
	PROBE_WAS_ON, /* its records may be in the log */
	PROBE_ON,
};

struct probe_made {
	struct dkt_probes *definition; /* of one probe */
	enum probe_state state;
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

/* The one that is ours of that name, NULL: none. */
struct probe_made *probes_find(const struct probes *probes, const char *group, const char *name);

/* Whether a pattern, NAME or GROUP:NAME with wildcards, is about the probe. */
bool probes_match(const char *pattern, const struct dkt_probe *probe);

/* Marks the events of those that are on in the class map: they are wanted whatever the masks say. */
void probes_mark(struct debuglog *log);

struct probes_opts {
	bool enable;
	bool skip; /* of several, those that the kernel refuses are left out and counted */
	/* Called after each probe that was made. */
	void (*progress)(void *data, size_t done, size_t of);
	void *data;
};

struct probes_result {
	size_t made;
	size_t refused;
	char *words; /* about the first that was refused; NULL: none was */
};

/*
 * Makes these probes, as one transaction: if one of them cannot be made, or switched on, none of
 * them is there. They are remembered before they are made, so that a reset finds them whatever
 * happens. The caller frees result->words.
 */
int probes_add(struct debuglog *log, const struct dkt_probes *wanted,
	       const struct probes_opts *opts, struct probes_result *result);

/* Switches those that match on or off. -ENOENT: none does. changed counts them. */
int probes_switch(struct debuglog *log, const char *pattern, bool on, size_t *changed);

/*
 * Switches those that match off and removes them. -EBUSY: somebody else has one on, or the log
 * has records of one that nobody has read; with force the log is emptied then.
 */
int probes_remove(struct debuglog *log, const char *pattern, bool force, size_t *removed);

/* For a reset: removes what is remembered and still is what it was. The instance is gone. */
int probes_reset(struct debuglog *log);

#endif
