/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Facts about the machine and the instance that records are from. */
#pragma once

#include <sys/utsname.h>

#include "lib/base/disks.h"
#include "lib/ctx.h"

/* The strings of a struct dkt_source_info, and the disks of the machine. */
struct dkt__about {
	struct dkt__disks disks;
	char *clock;
	struct utsname uname;
	char kernel[sizeof(((struct utsname *)NULL)->release) +
		    sizeof(((struct utsname *)NULL)->machine)];
};

/* Without a readable clock or wall offset, these facts stay unknown. */
void dkt__about_fill(struct dkt__about *about, struct dkt_instance *in,
		     struct dkt_source_info *info);
void dkt__about_clear(struct dkt__about *about);
