/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The state that a daemon keeps in /run for others to see. */
#pragma once

#include "recording/daemon/config.h"
#include "recording/record/segments.h"
#include "recording/record/service.h"

extern const struct service archive_service;

struct archive_state {
	int64_t started; /* time of day, in s */
	char segment[SEGMENT_NAME]; /* the segment in progress; "": none */
	int64_t began; /* that segment, time of day in s */
	uint64_t bytes, records, lost; /* of that segment */
	uint64_t all_records, all_lost; /* since the daemon was started */
	uint64_t records_rate, bytes_rate; /* in the last second */
	uint64_t waiting; /* segments that are not completed yet */
	uint64_t reloads;
	uint64_t left; /* 1: it has ended, and lets the kernel record on */
	uint64_t saved; /* when it was, in ns since boot: service_now() */
	char *error; /* why nothing is written at the moment, or the last failure; NULL: none */
	char *reload_error; /* of the last reload; NULL: it took effect */
};

/* -ENOENT: no daemon was started. Clear the state in any case. */
int archive_state_load(struct dkt_ctx *ctx, const char *log, struct archive_state *state);
int archive_state_save(struct dkt_ctx *ctx, const char *log, struct archive_state *state);

void archive_state_clear(struct archive_state *state);

/* Replaces a text by a copy on one line; NULL: no text. */
void archive_state_text(char **to, const char *text);

enum archive_settings {
	ARCHIVE_IN_EFFECT,
	ARCHIVE_ASKED, /* by a reload that the daemon has not read yet */
	ARCHIVE_NEXT, /* written, and about to be in effect */
};

bool archive_settings_exist(const char *log, enum archive_settings which);
int archive_settings_read(struct dkt_ctx *ctx, const char *log, enum archive_settings which,
			  struct archive_config *config);
int archive_settings_write(struct dkt_ctx *ctx, const char *log, enum archive_settings which,
			   const struct archive_config *config);
void archive_settings_remove(const char *log, enum archive_settings which);

/* The next settings are in effect. */
void archive_settings_publish(struct dkt_ctx *ctx, const char *log);
