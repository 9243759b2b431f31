/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The first bytes of perf.data: a number, which tells the byte order of the machine that wrote it. */
#pragma once

#include "lib/base/util.h"

#if DKT__BIG_ENDIAN
#define DKT__PERF_MAGIC       "2ELIFREP"
#define DKT__PERF_MAGIC_OTHER "PERFILE2"
#else
#define DKT__PERF_MAGIC       "PERFILE2"
#define DKT__PERF_MAGIC_OTHER "2ELIFREP"
#endif
