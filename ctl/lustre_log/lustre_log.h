/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lustre: shared by its analyses. */
#pragma once

#include "compat/lustre_log/line.h"
#include "ctl/app/print.h"
#include "ctl/input/inputs.h"

struct lustre_options {
	const char *keys, *slowest, *sort, *xid, *opcode, *job, *file;
};
extern const struct opt_values lustre_values;

struct lustre_host {
	char *name; /* unique */
	uint32_t file;
};

/* A file is of one host, but a file of syslog can be of several. */
struct lustre_file {
	uint32_t first_host, n_hosts;
	uint64_t first, last; /* times of its first and last record */
	uint64_t steps, back; /* how often its clock went back, and by at most how much */
};

/* One run of the command. */
struct lustre {
	struct app *app;
	struct record_args args;
	struct inputs in; /* the files, merged */
	struct line_readers readers;
	struct lustre_host *hosts; /* of all files */
	size_t n_hosts;
	struct lustre_file *by_file;
	uint64_t starts; /* of Lustre, on any host, but those at the beginning of a file */
	char **files; /* the arguments */
	size_t n_files;
	const char *word; /* of timeline */
	int slowest; /* --slowest */
	int top; /* --top; 0: all, or what is usual */
};

/* One analysis. */
struct lustre_analysis {
	const char *name;
	const char *words, *example; /* for the list of analyses */
	const char *missing; /* what the messages need: "debug=+rpctrace" */
	bool word; /* a word comes before the files */
	bool no_log; /* the files are no logs; run opens them */
	log_text_wants *wants; /* the messages that it reads; NULL: all */
	int (*run)(struct lustre *lustre); /* 0 or -errno; the message is in the app's context */
};

/* Ends with a row without a name. */
extern const struct lustre_analysis lustre_analyses[];

/* The words of --keys, of rpc and of path, and all; NULL after the last. */
extern const char *const lustre_rpc_groups[];
extern const char *const lustre_path_groups[];
extern const char *const lustre_groups[];

int lustre_rpc(struct lustre *lustre);
int lustre_path(struct lustre *lustre);
int lustre_locks(struct lustre *lustre);
bool lustre_locks_wanted(const char *text);
int lustre_evictions(struct lustre *lustre);
int lustre_threads(struct lustre *lustre);
int lustre_leaks(struct lustre *lustre);
int lustre_messages(struct lustre *lustre);
int lustre_masks(struct lustre *lustre);
int lustre_timeline(struct lustre *lustre);
int lustre_params(struct lustre *lustre);

/* ---- hosts ---- */

/* Finds the hosts of the open files. */
int lustre_hosts_find(struct lustre *lustre);
void lustre_hosts_clear(struct lustre *lustre);

/* Returns the number of the host that wrote a record of the file. */
uint32_t lustre_hosts_of(const struct lustre_file *file, const struct dkt_record *record);

/* Reports on stderr across which places nothing was joined. */
void lustre_hosts_report(const struct lustre *lustre);

/* Returns the name of a host, by the number in struct log_line. */
const char *lustre_host(const struct lustre *lustre, uint32_t host);

/* Returns the flags of a column of hosts, which is no part of text if there is one host. */
static inline unsigned int lustre_host_flags(const struct lustre *lustre)
{
	return lustre->n_hosts > 1 ? 0 : COL_DATA;
}

/* ---- records ---- */

/* The functions of an analysis that get the records. */
struct lustre_sink {
	int (*line)(void *data, const struct log_line *line); /* each message */
	/* A loss of records of a host: forgets what was under way. NULL: of no interest. */
	int (*gap)(void *data, uint32_t host, const struct dkt_record *gap);
	/*
	 * The host was started again, or its clock was set back: what was under way does not end.
	 * NULL: of no interest.
	 */
	int (*restart)(void *data, uint32_t host);
	/* A record that is no message. comm: of its thread; NULL: unknown. NULL: of no interest. */
	int (*record)(void *data, uint32_t host, const struct dkt_record *record, const char *comm);
	void *data;
};

/* Opens the files, and merges them on the clock of the first. again: lustre_look_ahead() is used. */
int lustre_open(struct lustre *lustre, bool again);

/* Closes the files, which can be opened again, or also forgets the options. */
void lustre_close_files(struct lustre *lustre);
void lustre_close(struct lustre *lustre);

/* Passes each selected record to the sink. */
int lustre_each(struct lustre *lustre, const struct lustre_sink *sink);

/* Reads the files once more, and passes all records to the sink, on clocks that do not agree. */
int lustre_look_ahead(struct lustre *lustre, const struct lustre_sink *sink);

/* Prints all messages about a thing, as timeline does. */
int lustre_print_about(struct lustre *lustre, const char *word);

/* ---- output ---- */

/* A time as the lines of the log print it, "1495061256.496695"; no value for 0. */
struct json_object *lustre_time(const struct lustre *lustre, uint64_t ns);

/* The same as a date and clock time, for a column beside that; no value if the files do not know it. */
struct json_object *lustre_clock(const struct lustre *lustre, uint64_t ns);
#define LUSTRE_CLOCK                                                                               \
	{                                                                                          \
		.key = "clock_time", .heading = "CLOCK TIME", .flags = COL_PEOPLE | COL_SPARE      \
	}

/* "OST_READ"; no value for OPCODE_UNKNOWN. */
struct json_object *lustre_opcode(uint32_t opcode);

/* Says on stderr what the tables leave out, such as "2 requests did not end", unless n is 0. */
void lustre_tell(uint64_t n, const char *noun, const char *words);

/* The order of rows. */
struct lustre_order {
	size_t column;
	bool descending;
};

/* Reads --sort; the default is column usual, the largest first. Returns 0 or EXIT_USAGE. */
int lustre_order_read(const struct app *app, const struct column *columns, size_t n, size_t usual,
		      struct lustre_order *order);

/*
 * Sorts, cuts to --top and prints the rows. order NULL: they are in order. most: the usual --top; 0: all.
 * Text tells how many rows were left out.
 */
void lustre_put(const struct lustre *lustre, struct out *out, struct rows *rows,
		const struct lustre_order *order, size_t most);
