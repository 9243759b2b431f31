/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes records as Lustre's binary log, which df of any lctl reads. */
#pragma once

#include "compat/pipeline/sink.h"

extern const struct sink_writer dkl_raw_writer;
