/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists of probes, and the conversion of a definition to what the kernel accepts. */
#pragma once

#include "lib/ctx.h"

struct dkt_probes {
	struct dkt_probe *at; /* each of their texts is allocated */
	size_t n;
};

/* Copies the probe to the end of the list. */
int dkt__probes_add(struct dkt_probes *probes, const struct dkt_probe *probe);

/* Parses one line and adds the probe. -EINVAL: not a definition; sets no error message. */
int dkt__probe_parse(const char *line, struct dkt_probes *probes);

/* Returns how many records all probes on the kernel's functions have missed. */
uint64_t dkt__probes_missed(struct dkt_ctx *ctx);

#define PROBE_GROUP "dktrace"

/* include/linux/trace_events.h: MAX_EVENT_NAME_LEN, with its NUL */
#define PROBE_NAME_MAX 63

/* The kernel accepts a definition of less than a page in one write. */
#define PROBE_TEXT_MAX 4094

/* True if the kernel accepts the name for an event or group. */
bool dkt__probe_is_name(const char *name);
