/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A recording in progress. It begins as a trace.dat of version 7 does, with a section of options,
 * formats and symbols, and then grows only at its end: by the pages of the CPUs in the order in which
 * they were read, and by a mark when all buffers have been read. So it can be written to a pipe and
 * read while it grows, and if its writer is killed, only the last section is incomplete.
 *
 * dkt__tracedat_seal() turns it into a trace.dat file, whose CPUs have their pages in one piece.
 *
 * Every section has the header of version 7: number (2 bytes), flags (2), name (4, here 0), and the
 * size of what follows (8). Numbers are in the byte order of the file. Sections of version 7 that are
 * repeated (formats of events, names of processes) add to the earlier ones.
 */
#pragma once

/* Numbers of sections that only a recording in progress has; far above those of trace-cmd. */
enum dkt__journal_section {
	/*
	 * Names a buffer, before its first pages: number (4), counted from 0, size of a page (4), name,
	 * clock, the instance in the kernel and the ID of the machine's boot, each with its NUL. The
	 * top instance has the name "". Then the number of CPUs (4) and, for each, how many records
	 * the kernel had handed out (8) and lost (8) when the file began. All after the clock may be
	 * missing.
	 */
	DKT__JOURNAL_BUFFER = 0x4401,
	/*
	 * Pages of a CPU: number of the buffer (4), CPU (4), pages. If the section is compressed (its
	 * flag 1), the pages are a chunk of version 7: packed size (4), unpacked size (4), bytes.
	 */
	DKT__JOURNAL_PAGES = 0x4402,
	/*
	 * All buffers have been read: time in ns (8), and every record before it is in an earlier
	 * section; then, up to the end of the section, for each CPU whose number has changed: number of
	 * the buffer (4), CPU (4), records that the kernel has lost so far (8).
	 */
	DKT__JOURNAL_MARK = 0x4403,
	/* The recording has ended in order: nothing follows. Empty. */
	DKT__JOURNAL_END = 0x4404,
};

/*
 * Before a mark there may be options of version 7 again (DAT_DONE). They have a DAT_CPUSTAT for each probe
 * that has missed records since the mark before: DKT__DAT_MISSED, and how many since the file began.
 */
