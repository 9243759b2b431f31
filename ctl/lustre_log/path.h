/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lustre path: shared by its tables and its waterfall. */
#pragma once

#include "compat/lustre_log/paths.h"
#include "ctl/lustre_log/lustre_log.h"

struct path_view {
	struct lustre *lustre;
	struct paths paths;
	struct lustre_order order;
};

/* Puts the slowest calls with their spans: in text each as a waterfall. */
void path_put_slowest(const struct path_view *view, struct out *out);
