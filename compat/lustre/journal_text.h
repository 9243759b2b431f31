/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Turns the entries of journalctl -o json, export and verbose, and other JSON, into lines as those of syslog. */
#pragma once

#include "lib/base/buf.h"

enum journal_form {
	JOURNAL_NONE, /* one line an entry, as syslog */
	JOURNAL_JSON, /* also json-pretty, json-sse and json-seq, and what collectors of logs write */
	JOURNAL_EXPORT,
	JOURNAL_VERBOSE,
};

/* Looks at the beginning of the file, and leaves its position. */
enum journal_form dkl_journal_form_of(int fd);

/* A file; all else zero at the beginning. */
struct journal_text {
	enum journal_form form;
	FILE *f; /* lines of export can be followed by bytes */
	struct dkt_buf time, host, message; /* of the entry that is read */
	struct dkt_buf key, *value; /* of JSON: value NULL: of no interest */
	int at; /* of JSON: enum place */
	unsigned int depth; /* of JSON: objects that are open */
	struct dkt_buf line; /* of the entry that has ended */
};

/*
 * Takes the next line of the file, without its newline; NULL: the file has ended. Returns 1 if an entry has
 * ended, which is in line, with a NUL; 0: none; -ENOMEM.
 */
int dkl_journal_text_take(struct journal_text *journal, const char *line);

void dkl_journal_text_clear(struct journal_text *journal);
