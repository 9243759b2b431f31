/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of events: of one, and of many in few words. */
#pragma once

/*
 * Shortens "block:a, block:b, ext4:c" to "block (2), ext4:c". The caller frees it. NULL: out of
 * memory.
 */
char *dkl_names_by_system(const char *names);

struct dkt_event;

/* Returns "SYSTEM:NAME", which the caller frees. NULL: out of memory. */
char *dkl_event_full_name(const struct dkt_event *event);
