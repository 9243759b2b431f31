/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Joins the messages that a client and a server of Lustre write about the same request. */
#pragma once

#include "answers/exchange/exchange.h"
#include "lib/base/keymap.h"

struct requests {
	struct dkt__keymap open; /* by client and number */
	struct request *list; /* by entry of open */
	uint64_t *newest; /* by host: the highest number it has sent; 0: none so far */
	size_t n_hosts;
};

/* Takes a request that two hosts have a side of, with the pairs that are certain. */
typedef int (*requests_fn)(void *data, const struct dkt__causal_pair *pairs, size_t n_pairs,
			   struct exchange_way *way);

/* Clear it in either case. -ENOMEM. */
int requests_init(struct requests *requests, size_t n_hosts);
void requests_clear(struct requests *requests);

/* Returns 1, and takes nothing, if there are so many requests that requests_tell() has to be called first. */
int requests_add(struct requests *requests, const struct log_line *line);

/* Tells the requests and forgets them. */
int requests_tell(struct requests *requests, requests_fn fn, void *data);

/* Records were lost: what the hosts sent before says nothing any more. Call requests_tell() first. */
void requests_lost(struct requests *requests);
