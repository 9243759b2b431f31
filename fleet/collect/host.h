/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One host of a fleet: its connection, the command that it runs, and what has come from it. */
#pragma once

#include <sys/types.h>

#include "fleet/clock/clock.h"
#include "fleet/collect/dialer.h"
#include "fleet/remote/frame.h"
#include "lib/base/buf.h"

enum fleet_state {
	FLEET_WAITING, /* not connected yet */
	FLEET_CONNECTING,
	FLEET_RUNNING,
	FLEET_BROKEN, /* the connection is lost, and is tried again */
	FLEET_ENDED, /* the command has ended, and all it wrote is here */
	FLEET_FAILED, /* no more comes: message says why */
};

struct fleet_host;

/* The command for a host, and the way to it; the same for all. */
struct fleet_opts {
	const struct dialer *dialer; /* it knows the hosts by their numbers */
	const char *ssh; /* the program that it starts, for messages */
	char *const *args; /* the command for dktrace there; ends with NULL */
	size_t fanout; /* hosts that are being connected at the same time */
	uint64_t timeout; /* after so many ns without an answer a connection is lost */
	uint64_t reconnect; /* for so many ns a lost connection is tried again */
	uint64_t keep; /* bytes of output that the host keeps meanwhile */
	uint64_t most; /* more bytes of output than that are refused; 0: no limit */
	/* Takes output as it comes; an error gives the host up. NULL: it goes to the file. */
	int (*take)(void *data, struct fleet_host *host, const uint8_t *bytes, size_t len);
	void *data;
};

struct fleet_host {
	const char *name; /* as it is given to ssh */
	uint32_t number; /* for the dialer: the index among its hosts. Set by the caller, or its own */
	int file; /* where its output goes; set by the caller */
	const char *word; /* one more argument, of its own; NULL: none. Set by the caller */
	uint32_t told; /* the caller's: breaks that the user knows */
	enum fleet_state described; /* the caller's: the state that was written down last */
	enum fleet_state state;
	uint64_t bytes; /* of output, in the file */
	uint32_t status; /* the command's exit status, after FLEET_ENDED */
	char *message; /* why it failed, or why its connection was lost last; NULL: it was not */
	uint32_t breaks; /* connections that were lost */
	struct dkt_buf errors; /* the command's standard error; a NUL follows */
	/* The host's own words about itself; NULL: it has not said it. */
	char *hostname;
	char *boot;
	char *version;
	char *wall_error; /* ns that its wall clock may be wrong; "unknown" */
	struct clock clock;

	/* The rest is host.c's and fleet.c's. */
	struct dkt_ctx *ctx;
	const struct fleet_opts *opts;
	bool has_ssh; /* which has not been reaped */
	int in, out, err; /* frames are read from in and written to out; err is what ssh says */
	struct frame_reader reader;
	struct dkt_buf queue; /* to be written */
	size_t queued_at;
	struct dkt_buf ssh_errors;
	char *id; /* of the run; NULL: it cannot be resumed */
	bool told_end; /* FRAME_END has come */
	bool told_stop; /* FRAME_STOP has been sent */
	bool greeted; /* FRAME_HELLO has come, on this connection */
	bool begun; /* the command has been sent */
	struct dkt_buf input; /* for the command, until there is a connection */
	uint64_t acked; /* bytes that the host knows to be here */
	uint64_t heard; /* when something came last, ns */
	uint64_t asked; /* the time in the question that is open; 0: none */
	uint64_t asked_last;
	unsigned int trips; /* questions to ask at once, one after the other */
	uint64_t lost; /* when the connection was lost first, since something came */
	uint64_t next; /* when to try again */
};

/* Starts ssh. -errno with an error message: it cannot be run. */
int host_connect(struct fleet_host *host);

/* Reads what has come. buffer: room for size bytes, shared by all hosts. */
void host_read(struct fleet_host *host, uint8_t *buffer, size_t size);
void host_read_errors(struct fleet_host *host);

/* Writes what is queued. */
void host_write(struct fleet_host *host);

/* Does what is due at this time, in ns. */
void host_tick(struct fleet_host *host, uint64_t now);

/* Sends text to the command's standard input, now or when the connection is there again. */
void host_input(struct fleet_host *host, const char *text);

/* Ends the command as Ctrl-C does; gives up a host where it has not begun. */
void host_stop(struct fleet_host *host);

/* Gives the host up, and lets it forget the command and what that wrote. */
void host_forget(struct fleet_host *host);

/* Gives the host up; the reason becomes the message. */
void host_abandon(struct fleet_host *host, const char *fmt, ...) DKT_PRINTF(2, 3);

/* Returns whether ssh has ended; now: kills it first. */
bool host_reap(struct fleet_host *host, bool now);

/* True if nothing more will come. */
static inline bool host_is_over(const struct fleet_host *host)
{
	return host->state >= FLEET_ENDED;
}

/* Closes the connection's descriptors in a child of the process that has it. */
void host_release(struct fleet_host *host);

/* Closes the connection and frees what host.c has allocated. */
void host_clear(struct fleet_host *host);
