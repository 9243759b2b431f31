/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The bytes that block devices and network interfaces move. */
#pragma once

#include "answers/analyze/running.h"

/* The traffic of a device in one direction. */
struct flow {
	uint64_t n; /* requests or packets */
	uint64_t bytes;
};

struct flow_device {
	const char *name;
	struct flow in, out; /* read and written, or received and sent */
};

/* All zero: none. */
struct flows {
	struct dkt__keymap keys; /* from the address of a name to a device */
	struct flow_device *list;
	uint32_t n;
};

/* The fields of each event, in this order. */
#define FLOW_BLOCK_FIELDS                                                                          \
	{                                                                                          \
		"dev", "nr_sector", "rwbs"                                                         \
	}
#define FLOW_NET_FIELDS                                                                            \
	{                                                                                          \
		"name", "len"                                                                      \
	}

/* Take records of block:block_rq_complete, net:netif_receive_skb and net:net_dev_xmit. -ENOMEM. */
int flows_block(struct analyze *a, struct flows *disks, const struct analysis_record *r);
int flows_receive(struct analyze *a, struct flows *interfaces, const struct analysis_record *r);
int flows_send(struct analyze *a, struct flows *interfaces, const struct analysis_record *r);

/* Adds a row for each: name, and number and bytes of both directions. */
int flows_rows(struct analyze *a, const struct flows *flows, const struct result_table *table);
void flows_clear(struct flows *flows);
