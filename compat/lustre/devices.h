/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists Lustre's devices over netlink, which needs no privilege. */
#pragma once

#include <dktrace/dktrace.h>

struct keyval_table;

struct device {
	uint32_t index;
	int64_t refcount;
	char *status; /* "UP", "IN"active, "ST"opping, "AT"tached, "--" */
	char *type; /* "osc", "mdt" */
	char *name;
	char *uuid;
};

/* Starts as all zeroes. */
struct devices {
	struct device *rows; /* in the kernel's order */
	size_t n;
	struct keyval_table *keys; /* from the first message of the dump */
};

/* Asks the kernel. -ENOENT: Lustre is not loaded, or is too old to answer. */
int dkl_devices_read(struct dkt_ctx *ctx, struct devices *devices);
void dkl_devices_clear(struct devices *devices);

/* Reads one message of the dump: a dkt__netlink_fn whose data is a struct devices. */
int dkl_devices_message(void *data, const void *attrs, size_t len);

/* Appends the device as a line of `lctl device_list`. */
void dkl_device_print(const struct device *device, struct dkt_buf *buf);
