/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The names of the disks and partitions of a machine, by their numbers. */
#pragma once

#include "lib/base/util.h"

/* Room for a name: the kernel's DISK_NAME_LEN. */
#define DKT__DISK_NAME 32

/* More than a machine has. */
#define DKT__DISKS_MAX 65536

/* Records have the number of a disk as the kernel keeps it, with the minor number in its low 20 bits. */
#define DKT__DISK_MINOR_BITS 20

struct dkt__disk {
	uint32_t dev;
	char name[DKT__DISK_NAME];
};

/* In order of their numbers, after dkt__disks_sort(). All zeroes: unknown. */
struct dkt__disks {
	struct dkt__disk *list;
	size_t n;
};

/* Reads the disks that this machine has now. Without a list of them there are none. -ENOMEM. */
int dkt__disks_read(struct dkt__disks *disks);

/* Adds a name, or skips one that no kernel gives: longer, or with other characters than a file name has. -ENOMEM. */
int dkt__disks_add(struct dkt__disks *disks, uint64_t dev, const char *name, size_t len);

/* Adds all of more; a number that has a name gets the new one. -ENOMEM. */
int dkt__disks_join(struct dkt__disks *disks, const struct dkt__disks *more);

/* Call it after the last dkt__disks_add(): of several names with the same number one stays. */
void dkt__disks_sort(struct dkt__disks *disks);
bool dkt__disks_same(const struct dkt__disks *a, const struct dkt__disks *b);

/* Returns the name, or NULL if it is unknown. */
const char *dkt__disks_find(const struct dkt__disks *disks, uint64_t dev);

void dkt__disks_clear(struct dkt__disks *disks);

/* True if the field of an event has the number of a disk, as the kernel has it in memory: "dev", "s_dev". */
bool dkt__disk_is_field(const char *field);

/* Gets the name that a disk of this machine has now. False: it has no such disk. */
bool dkt__disk_here(uint64_t dev, char name[DKT__DISK_NAME]);

/* Writes "254,0", as the kernel prints a number. */
#define DKT__DISK_NUMBER 24
void dkt__disk_number(uint64_t dev, char text[DKT__DISK_NUMBER]);
