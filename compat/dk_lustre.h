/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lustre's own records in dk's timeline. */
#ifndef COMPAT_DK_LUSTRE_H
#define COMPAT_DK_LUSTRE_H

#include "dk.h"

struct dk_lustre;

/* Takes records from opts->lustre, puts lines into buf and counts them in the result. */
int dk_lustre_new(struct dkt_ctx *ctx, const struct dk_opts *opts, struct dkt_expr *filter,
		  struct dkt_buf *buf, struct dk_result *result, struct dk_lustre **lustre);
void dk_lustre_free(struct dk_lustre *lustre);

/* 0 if the filter can judge the records. */
int dk_lustre_check(struct dk_lustre *lustre);

/* Wall-clock time of the next record, ns; INT64_MAX: there is none. */
int64_t dk_lustre_time(const struct dk_lustre *lustre);

/* Prints the next record if it is selected, and steps past it. */
int dk_lustre_print(struct dk_lustre *lustre);

#endif
