/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the records of a log in order, with access to some before and after the next one. */
#pragma once

#include "compat/lustre/binary/sort.h"
#include "compat/lustre/message.h"

struct log_ahead;

/* Reads the records from sort, which the caller frees after this. */
int dkl_log_ahead_new(struct record_sort *sort, struct log_ahead **ahead);
void dkl_log_ahead_free(struct log_ahead *ahead);

/* Like dkl_record_sort_next(). */
int dkl_log_ahead_next(struct log_ahead *ahead, const uint8_t **rec, uint32_t *len);

/*
 * Finds Lustre's record of a message that a probe recorded. It has the same process and place, a
 * time within the delay between the probe and Lustre's record, and a text that agrees with text. Of
 * several records the oldest is found, and each record only once. False: there is no such record.
 * *rec is valid until the next call.
 */
bool dkl_log_ahead_find(struct log_ahead *ahead, const struct message_key *key, const char *text,
			size_t text_len, const uint8_t **rec, uint32_t *len);
