/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The words about files that cannot grow: the disk, the quota or the limit of the process is reached. */
#pragma once

/* Returns "; " and what to do about -errno, for the end of a message; "" if the file can grow. */
const char *dkt__full_advice(int err);
