/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parses probes as a user writes them, on the command line or in a file: place, arguments, options.
 */
#pragma once

#include <dktrace/dktrace.h>

/* The most probes of a glob, unless the user asks for more. */
#define PROBE_WORDS_MAX 100

struct probe_words {
	const char *place;
	const char *const *args;
	size_t n_args;
	struct dkt_probe_opts opts;
	bool off; /* in a file: it is made, but not switched on */
	bool defined; /* place is a whole definition, as the kernel has it */
	char *line; /* what it points into, if it was read */
	char *joined;
};

/*
 * Reads "PLACE [ARGUMENT...] [--OPTION VALUE...]", or a definition. The caller clears it, also after
 * a failure.
 */
int probe_words_read(struct dkt_ctx *ctx, const char *text, struct probe_words *words);
void probe_words_clear(struct probe_words *words);

/* Works out what probes they come to. Otherwise as dkt_probe_define(). */
int probe_words_define(struct dkt_ctx *ctx, const struct probe_words *words,
		       struct dkt_probes **probes);

/* True if this machine has not the place: a module or program may bring it. */
bool probe_words_may_come(struct dkt_ctx *ctx, const struct probe_words *words);

/* Whether several are wanted, of which the kernel may refuse some. */
bool probe_words_is_glob(const struct probe_words *words);

/*
 * Words that make this one of the n probes that the words came to, wherever its code is then; NULL:
 * only its definition tells. The caller frees them.
 */
int probe_words_of(const struct probe_words *words, const struct dkt_probe *probe, size_t n,
		   char **text);

/* "kprobe", "uprobe" ...; DKT_PROBE_ANY: there is none of that name. */
const char *probe_kind_name(enum dkt_probe_kind kind);
enum dkt_probe_kind probe_kind_find(const char *name);
