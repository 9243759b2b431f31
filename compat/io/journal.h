/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Entries of systemd's journal, by its native protocol: https://systemd.io/JOURNAL_NATIVE_PROTOCOL/ */
#pragma once

#include <dktrace/dktrace.h>

/* The socket of the journal. */
#define JOURNAL_SOCKET "/run/systemd/journal/socket"

/* Returns a descriptor of the journal, or -errno. With SOCK_NONBLOCK in flags, an entry that the journal cannot take is lost. */
int dkl_journal_open(struct dkt_ctx *ctx, int flags);

/* Appends a field to an entry: NAME=value and a newline. */
void dkl_journal_field(struct dkt_buf *buf, const char *name, const char *value, size_t len);

/* Sends the entry, which has its fields only. -ECANCELED: a signal asked for the end while the journal was full. */
int dkl_journal_send(struct dkt_ctx *ctx, int fd, const struct dkt_buf *buf);
