/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The probes that give an unmodified Lustre trace events for its messages: dktrace:cdebug. */
#pragma once

#include <dktrace/dktrace.h>

#define CDEBUG_GROUP "dktrace"
#define CDEBUG_NAME  "cdebug"

/*
 * More of the same messages, where cdebug itself has only what always fits into a record: strings,
 * and all that those with a nested format need.
 */
#define CDEBUG_STRINGS "cdebug_strings"
#define CDEBUG_NESTED  "cdebug_nested"

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
	CDEBUG_LIGHT, /* the same, words only */
	CDEBUG_BEHIND, /* the same, what the words point at */
	CDEBUG_CALL, /* an instruction that calls it, for those that have one */
};

/*
 * The fields of the probe; tier 0 records most, the next ones less. dentry_name is where in a struct
 * dentry the address of its name is, 0: not known. The caller frees it. -ENOENT: there is no such tier.
 */
int cdebug_fields(enum cdebug_machine machine, enum cdebug_place place, unsigned int tier,
		  unsigned int dentry_name, char **fields);

/* Words of the arguments behind a va_list that come first: those that were in registers. */
unsigned int cdebug_va_registers(enum cdebug_machine machine);

/* The bytes that a call adds to the stack from CDEBUG_CALL to CDEBUG_LIGHT. */
unsigned int cdebug_call_stack(enum cdebug_machine machine);

/*
 * Makes the probes if Lustre's libcfs is loaded, has no trace event of its own and there is no such
 * probe yet; made says whether it did. A note in RUN_DIR is left first, by which cdebug_remove()
 * knows that they are ours.
 */
int cdebug_make(struct dkt_ctx *ctx, bool *made);

/* True if the probes are there because of cdebug_make(). */
bool cdebug_is_ours(void);

/* True if one probe records all of every message, and those that record less could be made now. */
bool cdebug_is_heavy(struct dkt_ctx *ctx);

/* Messages that came while a probe was at work on the same CPU, of which nothing is recorded. */
uint64_t cdebug_missed(struct dkt_ctx *ctx);

/* Removes the probes if they are ours, unless another debug log has them on. */
int cdebug_remove(struct dkt_ctx *ctx);

/*
 * For the time of one command, if one of its words names the probes: makes them as cdebug_make()
 * does; true if it did. cdebug_take_back() removes them, unless the command has left them on.
 */
bool cdebug_lend(struct dkt_ctx *ctx, int argc, char **argv);
void cdebug_take_back(struct dkt_ctx *ctx);

/* True if it is one of the probes, or of their other places. */
bool cdebug_is_probe(const struct dkt_probe *probe);
