/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Probes in what status shows. */
#ifndef CTL_STATUS_PROBE_H
#define CTL_STATUS_PROBE_H

#include <json-c/json.h>

#include "log/debuglog.h"

/* "dktrace:vfs_read (on), dktrace:vfs_write (off)"; NULL: there are none. The caller frees it. */
char *status_probes_text(struct debuglog *log);

/* Adds "probes", an array, to what is printed. */
void status_probes_json(struct debuglog *log, struct json_object *root);

#endif
