/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The probe that gives an unmodified Lustre a trace event for its messages: dktrace:cdebug. */
#ifndef COMPAT_CDEBUG_H
#define COMPAT_CDEBUG_H

#include <dktrace/dktrace.h>

#define CDEBUG_GROUP "dktrace"
#define CDEBUG_NAME  "cdebug"

/* How a machine passes arguments. */
enum cdebug_machine {
	CDEBUG_X86_64,
	CDEBUG_ARM64,
	CDEBUG_OTHER, /* none of those that are known */
};

enum cdebug_machine cdebug_machine(void);

/* The functions of Lustre that can be probed. */
enum cdebug_place {
	CDEBUG_VMSG2, /* libcfs_debug_vmsg2(data, format, va_list *, format2, ...), up to 2.12 */
	CDEBUG_MSG, /* libcfs_debug_msg(data, format, ...) */
};

/*
 * The fields of the probe; tier 0 records most, the next ones less. The caller frees it.
 * -ENOENT: there is no such tier.
 */
int cdebug_fields(enum cdebug_machine machine, enum cdebug_place place, unsigned int tier,
		  char **fields);

/* Words of the arguments behind a va_list that come first: those that were in registers. */
unsigned int cdebug_va_registers(enum cdebug_machine machine);

/*
 * Makes the probe if Lustre's libcfs is loaded, has no trace event of its own and there is no such
 * probe yet; made says whether it did. A note in the directory is left first, by which
 * cdebug_remove() knows that it is ours.
 */
int cdebug_make(struct dkt_ctx *ctx, int dirfd, bool *made);

/* Removes the probe if it is ours, unless another debug log has it on. */
int cdebug_remove(struct dkt_ctx *ctx, int dirfd);

#endif
