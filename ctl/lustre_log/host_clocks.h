/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The clocks of hosts, compared by the requests of Lustre that two files have a side of. */
#pragma once

#include "ctl/input/inputs.h"

/*
 * After inputs_new(): reads all files once and corrects the offsets that would else rely on the hosts' wall
 * clocks. logs: only if two files are logs of Lustre, because others take long to be read twice. An error
 * message is in the app's context.
 */
int host_clocks_find(struct inputs *inputs, const struct record_args *args, bool logs);
