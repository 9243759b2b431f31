/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tells in a sentence what is known of an incident. */
#pragma once

#include "compat/lustre_log/incidents.h"
#include "ctl/lustre_log/lustre_log.h"

/* Returns the text, which the caller frees; NULL: memory is out. */
char *story_text(const struct lustre *lustre, const struct incidents *incidents,
		 const struct incident *incident);
