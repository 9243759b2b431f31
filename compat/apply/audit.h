/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Entries in the journal that say who changed which setting of a debug log, and when. */
#pragma once

#include "compat/log/debuglog.h"

/*
 * Sends an entry for each setting that the change, which is done, has changed. Without a journal, or if it takes no
 * more, nothing is sent; a change never waits for it and never fails because of it.
 */
void dkl_audit_change(const struct debuglog *log, const struct settings *before,
		      const struct settings *after);

/* The same for one setting that is not in these; setting NULL: all settings and records were removed. */
void dkl_audit_one(const struct debuglog *log, const char *setting, const char *before,
		   const char *after);

/* Appends the fields of such an entry. */
void dkl_audit_fields(struct dkt_buf *buf, const char *log, const char *setting, const char *before,
		      const char *after);
