/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The probes that give an unmodified Lustre trace events for its messages: dktrace:cdebug. */
#pragma once

#include <dktrace/dktrace.h>

#define CDEBUG_GROUP "dktrace"
#define CDEBUG_NAME  "cdebug"

/*
 * More probes on the same messages, if dktrace:cdebug records only data that fits into every record:
 * one for strings, and two for all data of messages with a nested format, which is the first argument,
 * or the third. The first of them also has the names of dentries that are late arguments.
 */
#define CDEBUG_STRINGS      "cdebug_strings"
#define CDEBUG_NESTED       "cdebug_nested"
#define CDEBUG_NESTED_THIRD "cdebug_nested_third"

/* The argument of the format that is the nested one, counted from 0. */
#define CDEBUG_THIRD 2

/* How a machine passes arguments. */
enum cdebug_machine {
	CDEBUG_X86_64,
	CDEBUG_ARM64,
	CDEBUG_OTHER, /* unknown */
};

/* Returns this machine, where probes are created. */
enum cdebug_machine dkl_cdebug_machine(void);

/* Returns the machine that recorded the event, which may be another one. */
enum cdebug_machine dkl_cdebug_machine_of(const struct dkt_event *event);

/* The places in Lustre that can be probed. */
enum cdebug_place {
	CDEBUG_VMSG2, /* libcfs_debug_vmsg2(data, format, va_list *, format2, ...), up to 2.12 */
	CDEBUG_MSG, /* libcfs_debug_msg(data, format, ...) */
	CDEBUG_WORDS, /* the same function, but only the argument words */
	CDEBUG_POINTEES, /* the same function, but only the data that the words point to */
	CDEBUG_CALL, /* the instructions that call it with a nested format, or with a dentry late */
	CDEBUG_CALL_THIRD, /* those of them where the nested format can be the third argument */
};

/*
 * Gets the fields of the probe. Tier 0 records the most data, and each next tier less. dentry_name
 * is the offset of the name's address in a struct dentry; 0: unknown. The caller frees the fields.
 * -ENOENT: no such tier.
 */
int dkl_cdebug_fields(enum cdebug_machine machine, enum cdebug_place place, unsigned int tier,
		      unsigned int dentry_name, char **fields);

/* Returns the number of a va_list's words that were in registers; they come first. */
unsigned int dkl_cdebug_va_registers(enum cdebug_machine machine);

/* Returns the bytes that a call adds to the stack, between CDEBUG_CALL and CDEBUG_WORDS. */
unsigned int dkl_cdebug_call_stack(enum cdebug_machine machine);

/*
 * Creates the probes if Lustre's libcfs is loaded, has no trace event of its own, and the probes do
 * not exist yet; stores whether it did. Before that, it leaves a file in RUN_DIR, which tells
 * dkl_cdebug_remove() that dktrace has created the probes.
 */
int dkl_cdebug_create(struct dkt_ctx *ctx, bool *created);

/* True if dkl_cdebug_create() has created the probes. */
bool dkl_cdebug_is_ours(void);

/* True if a single probe records all data, and could now be replaced by probes that record less. */
bool dkl_cdebug_is_heavy(struct dkt_ctx *ctx);

/* Returns the number of messages that the probe has missed, because the CPU was within a probe. */
uint64_t dkl_cdebug_missed(struct dkt_ctx *ctx);

/* Where the messages are that the probe has missed, if they are recent ones of this machine. */
#define CDEBUG_ELSEWHERE "; Lustre's own buffer has them"

/*
 * Prints how many messages the probe has missed, and the words, after the program's name and that of the
 * file (NULL: none). False: none.
 */
bool dkl_cdebug_report_missed(uint64_t missed, const char *self, const char *name,
			      const char *words);

/* Removes the probes if dktrace has created them, unless another debug log has enabled them. */
int dkl_cdebug_remove(struct dkt_ctx *ctx);

/* True if the text names the probe, even within "rpctrace+dktrace:cdebug" or "dktrace:cdebug.msg_fn". */
bool dkl_cdebug_is_named(const char *text);

/*
 * If Lustre is loaded, creates the probes like dkl_cdebug_create(), also without a debug log; *created: it
 * did. dkl_cdebug_take_back() removes them, unless they are still enabled.
 */
int dkl_cdebug_lend(struct dkt_ctx *ctx, bool *created);

/* The same for a command that can do without them: an error is logged. Returns true if it created them. */
bool dkl_cdebug_try_lend(struct dkt_ctx *ctx);
void dkl_cdebug_take_back(struct dkt_ctx *ctx);

/* True if the event of the group has this name and is at calls of libcfs_debug_msg(). */
bool dkl_cdebug_is_at_call(const char *name);

/* True if the probe is one of these, at any of its places. */
bool dkl_cdebug_is_probe(const struct dkt_probe *probe);

/* ---- call_sites.c: where loaded modules call a function ---- */

/* Finds calls of target in code that is loaded at address. Returns their number, up to most. */
size_t dkl_call_sites_in(enum cdebug_machine machine, const uint8_t *code, size_t len,
			 uint64_t address, uint64_t target, uint32_t *offsets, size_t most);

/*
 * Finds the calls of the callee in those of the callers that are in loaded modules. *places is a
 * list of "MODULE:FUNCTION+0xOFFSET" that ends with NULL, to be freed by dkl_call_sites_free(). It is
 * empty if there are no such calls, or if this process cannot read the kernel's memory.
 */
int dkl_call_sites(const char *callee, const char *const *callers, size_t n, char ***places);

void dkl_call_sites_free(char **places);
