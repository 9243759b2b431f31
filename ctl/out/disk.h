/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names for the numbers of disks. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define DISK_SIZE 64

/* True if the field of an event has the number of a disk, as the kernel has it in memory: "dev", "s_dev". */
bool disk_is(const char *field);

/* Writes "254,0" as the kernel prints it; if the disk is of this machine, its name: "vda". */
void disk_text(uint64_t dev, bool here, char text[DISK_SIZE]);
