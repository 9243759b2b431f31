/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The inside of dkt_intervals: keys, open pairs, groups, the slowest pairs. */
#pragma once

#include "lib/base/dist.h"
#include "lib/base/open.h"
#include "lib/hist/key.h"
#include "lib/request.h"

#define PAIRS_KEYS 3

/* CPUs whose last record's time is known. */
#define PAIRS_CPUS 1024

/* The number of pairs that a gap can cancel. */
#define PAIRS_RECENT 65536

/* The size of the kernel's tables: open keys, and rows of the result. */
#define PAIRS_KERNEL_SIZE 16384

/* The names of a key in both records. */
struct pair_key {
	struct dkt__key_spec begin;
	struct dkt__key_spec end;
};

struct pair_keys {
	struct pair_key list[PAIRS_KEYS];
	uint32_t n;
};

/* Parses "a,b=c": b is the key's name in the begin record, c in the end record. -EINVAL: as dkt_intervals_new(). */
int dkt__pair_keys_parse(struct dkt_ctx *ctx, const char *text, struct pair_keys *keys);

/* Reads ready-made intervals from a text; file is its name in messages. */
int dkt__interval_load_text(struct dkt_ctx *ctx, const char *file, const char *text, size_t len);

struct pair_event {
	unsigned int roles; /* 0: not an event of these pairs */
	struct dkt__key begin[PAIRS_KEYS];
	struct dkt__key end[PAIRS_KEYS];
	struct dkt__request_fields request; /* of pairs of requests, in place of begin and end */
	struct dkt__key by;
	bool has_by;
	bool filtered;
};

/* A copy of a record, valid after the call that passed it. */
struct kept_record {
	struct dkt_record record; /* without data, which is in bytes */
	uint8_t *bytes;
	uint32_t room;
};

struct pair_begun {
	struct dkt__begun begun;
	uint32_t group;
	struct kept_record kept;
};

/* Where an interval begins: within an outer one. */
struct pair_place {
	uint64_t words[PAIRS_KEYS]; /* the key of the outer one */
	uint64_t since; /* since when one of that key has lasted, ns */
};

/* An interval that has begun, if it counts only within others, or others count only within it. */
struct pair_nested {
	struct pair_begun begun;
	struct pair_place place;
	uint64_t key[PAIRS_KEYS]; /* by which others find it */
	bool is_outer; /* it has that key */
};

struct pair_within;

struct pair_group {
	char *name;
	bool is_number, is_signed; /* the name is this number */
	uint64_t number;
	struct dkt__dist dist;
};

struct pair_slow {
	uint64_t ns;
	struct kept_record begin;
	struct kept_record end;
};

struct pair_recent {
	uint64_t ns;
	uint64_t end;
	uint32_t group;
};

/* A recently found group: most records belong to few groups. */
struct pair_near {
	uint64_t value;
	uint32_t entry; /* plus 1; 0: none */
};

#define PAIRS_NEAR 16

struct dkt_intervals {
	struct dkt_ctx *ctx;
	struct dkt_expr *filter;
	pid_t skip;
	int (*pair)(void *data, uint64_t end, uint64_t ns, bool cancelled);
	void *data;
	struct pair_keys keys;
	bool requests; /* the key is DKT__REQUEST_KEY */
	struct dkt__key_spec by;
	bool grouped;
	bool by_begin; /* the begin record holds the group */
	bool begins; /* a begin event is known */
	bool fits; /* the filter fits an event */
	char *kernel_by[2]; /* system and name of the event from which the kernel takes the group */
	struct pair_event *events; /* by event slot */
	size_t n_events;
	struct dkt__open open; /* of struct pair_begun, or pair_nested */
	struct pair_within *within; /* the outer intervals; NULL: these count anywhere */
	struct pair_within *inner; /* of those that these are the outer intervals of, or NULL */
	bool nested; /* one of the two */
	struct pair_place place; /* of the record that begins now */
	uint64_t forgotten; /* as the inner ones know open.forgotten */
	uint64_t cut; /* begins whose outer interval ended first */
	struct dkt_intervals *next; /* another way to measure the same outer intervals */
	struct dkt_expr *own_filter; /* filter, if it lives as long as these */
	struct dkt__keymap groups;
	struct pair_near near[PAIRS_NEAR]; /* by the lower bits of the value */
	struct pair_group *group; /* by entry of groups */
	uint32_t n_groups;
	struct dkt__dist all; /* all groups; set by dkt_intervals_finish() */
	struct dkt__intern strings;
	struct pair_slow *slow; /* the slowest first */
	uint32_t n_slow, n_slow_max;
	struct pair_recent *recent; /* a ring; the next entry is at info.pairs */
	uint32_t n_recent;
	uint64_t last[PAIRS_CPUS]; /* time of each CPU's last record */
	struct dkt_intervals_info info;
};

/* Sets what these count within, which they then own, and what counts within these. Comes before the first record. */
void dkt__intervals_nest(struct dkt_intervals *pairs, struct pair_within *within,
			 struct pair_within *inner);
