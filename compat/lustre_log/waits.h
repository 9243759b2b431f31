/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The threads that work on a request, or wait, when the files end: for a lock, for the reply of another host, or
 * for what their call trace tells.
 */
#pragma once

#include "compat/lustre_log/incidents.h"

/* Names are numbers of waits.incidents.locks.names; 0: unknown. */
struct thread_wait {
	uint32_t host;
	int32_t pid;
	uint32_t name;
	uint64_t since; /* when the thread began to wait or to work, ns */
	uint64_t now; /* when the log of its host ends */
	const char *waits_for; /* a word for users: "lock"; NULL: it works, or that is unknown */
	struct incident story;
	/* The thread that works on the request whose reply this one waits for. */
	bool has_server;
	uint32_t server_host, server_name;
	int32_t server_pid;
};

struct waits {
	struct incidents incidents;
	struct dkt__keyed off; /* struct thread_off by host, PID: threads that sleep */
	uint64_t *last; /* by host: time of the last record */
	uint32_t n_last;
	const struct dkt_event *event; /* that was looked up last */
	const struct dkt_field *fields[4]; /* of a switch; NULL: another event */
	bool states_told; /* there are events of sched_switch */
};

int dkl_waits_init(struct waits *waits, struct dkt_ctx *ctx);
void dkl_waits_clear(struct waits *waits);

/* Takes the next message in order of time. */
int dkl_waits_add(struct waits *waits, const struct log_line *line);

/* Takes the next record that is no message. */
int dkl_waits_record(struct waits *waits, uint32_t host, const struct dkt_record *record);

/* Records of a host were lost: a thread may have gone on meanwhile. */
void dkl_waits_gap(struct waits *waits, uint32_t host);

/* The host was started again, or its clock was set back: forgets what was known of it. */
void dkl_waits_restart(struct waits *waits, uint32_t host);

/* After the last record: gets the threads that wait or work. The caller frees the list. */
int dkl_waits_list(struct waits *waits, struct thread_wait **list, size_t *n);
