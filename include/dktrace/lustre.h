/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libdktrace-lustre: the words of Lustre's debug log on top of libdktrace. It reads and prints masks,
 * maps events to Lustre's debug types and subsystems, prints records as lines of Lustre's log, and reads
 * the files of that log.
 *
 * The conventions are those of <dktrace/dktrace.h>: functions that can fail return 0 or a negative errno
 * value, set their results to NULL or 0 first, and leave the error message in the context.
 */
#ifndef DKTRACE_LUSTRE_H
#define DKTRACE_LUSTRE_H

#include <dktrace/dktrace.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dkt_lustre_map;

/* ---- libdktrace-lustre(3): masks ------------------------------------------------------------- */

/* The parameters of Lustre that hold a mask of 32 bits. */
enum dkt_lustre_mask {
	DKT_LUSTRE_DEBUG, /* debug: the types of messages that are recorded */
	DKT_LUSTRE_SUBSYSTEM, /* subsystem_debug: the parts of Lustre that send them */
	DKT_LUSTRE_PRINTK, /* printk: the types that are also sent to the console */
};

/*
 * Reads the text that set_param takes for the mask: "+rpctrace -inode", "all-trace", "0x100", "-1". current
 * is the mask that + and - change, and the value after a failure. An empty text changes nothing.
 * -EINVAL: a word is unknown, or nothing follows an operator; -E2BIG: longer than Lustre accepts.
 */
DKT_API int dkt_lustre_mask_parse(struct dkt_ctx *ctx, enum dkt_lustre_mask mask, const char *text,
				  uint32_t current, uint32_t *value);

/* Appends the names of the bits, as get_param prints them, or "0". */
DKT_API void dkt_lustre_mask_put(enum dkt_lustre_mask mask, uint32_t value, struct dkt_buf *buf);

/* Returns the name of a bit, counted from 0. NULL: it has none. The string is a constant. */
DKT_API const char *dkt_lustre_mask_name(enum dkt_lustre_mask mask, unsigned int bit);

/* Returns the bit of that name, in upper or lower case. -ENOENT: there is no such name. */
DKT_API int dkt_lustre_mask_bit(enum dkt_lustre_mask mask, const char *name);

/*
 * Parses an expression as dkt_expr_new() does, in which the names of types and subsystems stand for their
 * bits: "msg_mask & rpctrace && msg_subsys & ldlm". -EINVAL: invalid expression.
 */
DKT_API int dkt_lustre_expr_new(struct dkt_ctx *ctx, const char *text, struct dkt_expr **expr);

/* ---- libdktrace-lustre(3): the class map ----------------------------------------------------- */

struct dkt_lustre_map_opts {
	size_t sz;
	/* Directories of files in the format of dktrace-classes(5), the later ones override. */
	const char *const *dirs;
	size_t n_dirs; /* 0: those in $DKTRACE_CLASSES, or those of dktrace */
};

/*
 * Reads the class map and finds what each event of the context stands for: each event of this kernel, or
 * of the file that was opened with the context before. -EINVAL: a file is invalid; -ENOENT: a directory
 * does not exist.
 */
DKT_API int dkt_lustre_map_new(struct dkt_ctx *ctx, const struct dkt_lustre_map_opts *opts,
			       struct dkt_lustre_map **map);
DKT_API void dkt_lustre_map_free(struct dkt_lustre_map *map);

/* Returns how many events stand for a bit of debug or subsystem_debug. */
DKT_API size_t dkt_lustre_map_count(const struct dkt_lustre_map *map, enum dkt_lustre_mask mask,
				    unsigned int bit);

/* Returns a line about a bit of debug or subsystem_debug, or "". Valid as long as the map. */
DKT_API const char *dkt_lustre_map_about(const struct dkt_lustre_map *map,
					 enum dkt_lustre_mask mask, unsigned int bit);

/*
 * Gets the types and subsystems that an event of the context stands for, as bits. All bits: its records
 * state their own, see dkt_lustre_map_record().
 */
DKT_API void dkt_lustre_map_event(const struct dkt_lustre_map *map, const struct dkt_event *event,
				  uint32_t *debug, uint32_t *subsystems);

/* Gets the type and subsystem of a record; a gap counts as a warning to the console. */
DKT_API int dkt_lustre_map_record(struct dkt_lustre_map *map, const struct dkt_record *record,
				  uint32_t *debug, uint32_t *subsystems);

/*
 * Gets the kernel filter with which the event stands for these types: "" if every record does. The
 * caller frees it.
 */
DKT_API int dkt_lustre_map_filter(const struct dkt_lustre_map *map, const struct dkt_event *event,
				  uint32_t debug, char **filter);

/* ---- libdktrace-lustre(3): styles and sources ------------------------------------------------ */

/*
 * Creates a style as dkt_style_new() does: "legacy", the lines of Lustre's log, or one of libdktrace, which
 * then prints the text of Lustre's messages; it ignores opts->text. The map outlives the style.
 * -ENOENT: there is no such style; other errors of dkt_style_new().
 */
DKT_API int dkt_lustre_style_new(struct dkt_lustre_map *map, const char *name,
				 const struct dkt_style_opts *opts, struct dkt_style **style);

/*
 * Opens a file as dkt_source_open() does, or a file of Lustre's log: a binary file of lctl debug_kernel or
 * debug_daemon, text that lctl printed, or a file of syslog, of which it reads Lustre's lines. The records
 * of such a file are of the event libcfs:libcfs_debug_msg, in time order. The errors are those of
 * dkt_source_open().
 */
DKT_API int dkt_lustre_source_open(struct dkt_ctx *ctx, const char *path,
				   const struct dkt_source_opts *opts, struct dkt_source **source);

#ifdef __cplusplus
}
#endif

#endif
