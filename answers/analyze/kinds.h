/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kinds of analyses. list.c has the analyses that show them. */
#pragma once

#include "answers/analyze/analyze.h"

extern const struct analysis_kind cputop_kind, run_kind, sched_kind, offcpu_kind, irq_kind,
	block_kind, memtop_kind, syscall_kind, io_kind, iousage_kind, tcp_kind, cache_kind,
	nfsd_kind, rpc_kind, period_kind;

/* For periods: the function for all their events, and the table of children. */
extern const analysis_record_fn period_record;
extern const struct result_table period_tables[];
