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
	bool off; /* create, but do not enable; only in a file */
	bool defined; /* place is a complete definition in the kernel's language */
	char *line; /* holds the words that were read */
	char *joined; /* holds the arguments that were read */
};

/*
 * Reads "PLACE [ARGUMENT...] [--OPTION VALUE...]", or a definition. The caller clears words, even on
 * failure.
 */
int dkl_probe_words_read(struct dkt_ctx *ctx, const char *text, struct probe_words *words);
void dkl_probe_words_clear(struct probe_words *words);

/* Calls dkt_probe_define(), or parses a definition. */
int dkl_probe_words_define(struct dkt_ctx *ctx, const struct probe_words *words,
			   struct dkt_probes **probes);

/* True if the place does not exist on this system yet: a module or program may bring it. */
bool dkl_probe_words_may_come(struct dkt_ctx *ctx, const struct probe_words *words);

/* True if the place is a glob: the kernel may refuse some of its probes. */
bool dkl_probe_words_is_glob(const struct probe_words *words);

/*
 * Gets the words that define this probe alone, one of the n probes that words define. Unlike the
 * definition, they stay valid if the code moves. NULL: only the definition can describe the probe.
 * The caller frees the text.
 */
int dkl_probe_words_of(const struct probe_words *words, const struct dkt_probe *probe, size_t n,
		       char **text);

/* Convert a kind to "kprobe", "uprobe" ... and back; DKT_PROBE_ANY: unknown name. */
const char *dkl_probe_kind_name(enum dkt_probe_kind kind);
enum dkt_probe_kind dkl_probe_kind_find(const char *name);
