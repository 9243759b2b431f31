/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints a message only once if both a probe and Lustre recorded it, with Lustre's text. */
#include "compat/dk/once.h"

#include "compat/lustre/binary/event.h"
#include "lib/base/util.h"

struct once {
	struct log_source *lustre;
	struct legacy_style *legacy;
	struct chooser *chooser;
	int64_t wall;
	struct dkt_buf *text; /* of the message */
	uint8_t data[RECORD_EVENT_MAX]; /* of Lustre's record */
};

int dkl_once_new(struct log_source *lustre, struct legacy_style *legacy, struct chooser *chooser,
		 int64_t wall, struct once **out)
{
	struct once *once = calloc(1, sizeof(*once));
	int err = once ? dkl_log_source_look_ahead(lustre) : -ENOMEM;

	*out = once;
	if (!once)
		return err;
	once->lustre = lustre;
	once->legacy = legacy;
	once->chooser = chooser;
	once->wall = wall;
	return err ? err : dkt_buf_new(&once->text);
}

void dkl_once_free(struct once *once)
{
	if (once)
		dkt_buf_free(once->text);
	free(once);
}

bool dkl_once_is_again(struct once *once, const struct dkt_record *record)
{
	const struct message *message = dkl_legacy_style_message(once->legacy, record);
	struct message_key key;
	struct dkt_record theirs;
	const char *text;
	size_t len;

	if (!message)
		return false;
	dkl_message_key(message, record, once->wall, &key);
	dkt_buf_reset(once->text);
	dkl_message_put_text(message, record, once->text);
	text = dkt_buf_data(once->text, &len);
	if (!dkl_log_source_find(once->lustre, &key, text ?: "", len, once->data, &theirs))
		return false;
	theirs.ts -= (uint64_t)once->wall;
	return chooser_takes(once->chooser, &theirs, NULL);
}
