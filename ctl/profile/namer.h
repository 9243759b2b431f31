/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The process that names what was sampled, and the form of its replies. */
#pragma once

#include "ctl/profile/live.h"
#include "lib/base/buf.h"

/* The most bytes of a reply. */
#define NAMER_REPLY (4u << 20)

struct namer_request {
	int32_t process; /* 0: all */
};

/* The reply itself is in a file. */
struct namer_answer {
	int32_t err; /* 0, or -errno without words */
	uint32_t size;
};

/* The inputs of the process. */
struct namer_opts {
	int connection, samples, reply; /* descriptors */
	bool calls;
};

/* Answers requests until the other end is closed. Never returns. */
_Noreturn void namer_run(const struct namer_opts *opts);

/* Puts the stacks of a profile, as many as fit; reads them into a round. -EBADMSG: they are not in that form. */
int namer_put(const struct profile_names *names, const struct profile_tree *tree,
	      struct dkt_buf *buf);
int namer_get(const void *bytes, size_t size, struct profile_round *round);
