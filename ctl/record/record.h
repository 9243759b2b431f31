/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* record: shared by its files. */
#pragma once

#include "compat/set/wanted.h"
#include "ctl/app/live.h"
#include "recording/record/file.h"

struct record_options {
	const char *buffer_size, *compression, *max_size;
	bool all;
};
extern const struct opt_values record_values;

/* One run of the command. */
struct record {
	struct app *app;
	struct dkt_ctx *ctx;
	struct wanted *wanted;
	char **command; /* NULL: none */
	double seconds; /* 0: until a signal */
	uint64_t max_bytes; /* of the file; 0: no limit */
	bool by_ulimit; /* it is the process's, not that of --max-size */
	uint64_t buffer; /* bytes of a CPU's buffer; 0: by the memory of the machine */
	struct capture_file file;
	struct dkt_instance *in;
	struct dkt_recorder *recorder;
	struct spawn spawn;
	double from; /* the time at which recording began; 0: it did not */
	const char *limit; /* the one that is next to be reached */
	const char *why; /* why it ended before its time; NULL: it did not */
};

/* Records until the end of the command or of the time, a signal, or a full disk. */
int record_run(struct record *record);
