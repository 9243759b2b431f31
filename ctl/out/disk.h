/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names for the numbers of disks. */
#pragma once

#include <dktrace/dktrace.h>

#include "lib/base/disks.h"

#define DISK_SIZE DKT__DISK_NAME

/* In JSON and CSV, KEY_disk has the name of the disk whose number is KEY. */
#define DISK_BESIDE "_disk"

/*
 * Writes the name that the hosts of a source have for the disk, NULL: this machine: "vda". If it is unknown, or the
 * hosts have several, writes "254,0" as the kernel prints it.
 */
void disk_text(uint64_t dev, const struct dkt_source *source, char text[DISK_SIZE]);
