/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lustre's own records in dk's timeline: selected like the kernel's, in one of the styles. */
#include "pipeline/dk/lustre.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lustre/message/fits.h"
#include "lustre/record/event.h"
#include "lustre/record/line.h"
#include "pipeline/chooser.h"

/* Lustre does not say. */
#define COMM "<...>"

/*
 * A probe fires when the message is on its way, a few microseconds before Lustre takes the time for
 * its own record; the process may be preempted between, for LATE if it then did nothing else. ns.
 */
#define WINDOW 20000000
#define LATE   500000000

/* By so much Lustre's time can be the earlier one, as it is cut to microseconds. ns. */
#define SKEW 1000000

/* Records before and after the next one that are kept to be looked at. */
#define RING 4096

/* A copy of a record. */
struct kept {
	uint8_t *rec;
	uint32_t len, room;
	bool taken; /* it stands for a message that another source recorded too */
};

struct dk_lustre {
	const struct dk_opts *opts;
	struct chooser *chooser;
	struct dk_out *out;
	struct dk_result *result;
	struct dkt_event *event;
	bool by_lines; /* as the legacy style has them */
	bool all; /* none is left out, and none is shown as an event */
	struct message *message; /* of the event */
	struct dkt_buf *text; /* of a message of another source */
	struct dkt_record as_event; /* of the event, if there is one */
	const uint8_t *rec; /* the next one; NULL: the end */
	uint32_t len;
	struct kept *ring;
	size_t first, n; /* of what is kept, in order of time */
	size_t at; /* the next one, counted from the first */
	bool end; /* nothing comes after what is there */
	struct record_line format;
	char line[RECORD_MAX + RECORD_LINE_EXTRA];
	uint8_t data[RECORD_EVENT_MAX];
};

/* ---- records, and those after them ---- */

static struct kept *kept_at(const struct dk_lustre *lustre, size_t i)
{
	return &lustre->ring[(lustre->first + i) % RING];
}

/* Reads one more record, the oldest one makes room. 1: there is none, or no room. */
static int read_one(struct dk_lustre *lustre)
{
	const uint8_t *rec;
	struct kept *to;
	uint32_t len;
	int err;

	if (lustre->end || (lustre->n == RING && !lustre->at))
		return 1;
	err = record_sort_next(lustre->opts->lustre, &rec, &len);
	lustre->end = err;
	if (err)
		return err;
	if (lustre->n == RING) {
		lustre->first = (lustre->first + 1) % RING;
		lustre->n--;
		lustre->at--;
	}
	to = kept_at(lustre, lustre->n);
	if (len > to->room) {
		free(to->rec);
		to->rec = malloc(len);
		to->room = to->rec ? len : 0;
	}
	if (!to->rec)
		return -ENOMEM;
	memcpy(to->rec, rec, len);
	to->len = len;
	to->taken = false;
	lustre->n++;
	return 0;
}

/* The record at which the ring stands becomes the next one. */
static int set_next(struct dk_lustre *lustre)
{
	int err = lustre->at < lustre->n ? 0 : read_one(lustre);

	lustre->rec = err ? NULL : kept_at(lustre, lustre->at)->rec;
	lustre->len = err ? 0 : kept_at(lustre, lustre->at)->len;
	return err == 1 ? 0 : err;
}

static int step(struct dk_lustre *lustre)
{
	lustre->at++;
	return set_next(lustre);
}

/* Times of its records are those of day. */
static int open_chooser(struct dk_lustre *lustre)
{
	const struct dkt_source_info info = { .has_wall = true };
	struct selection *selection = lustre->opts->selection;
	uint64_t since, until;
	int err = selection_window(selection, lustre->out->ctx, &info, &since, &until);

	if (!err)
		err = chooser_new(lustre->out->ctx, 0, selection, style_legacy(lustre->out->style),
				  &lustre->chooser);
	if (!err)
		chooser_set_window(lustre->chooser, since, until);
	lustre->all = lustre->by_lines && selection_is_all(selection) && !selection->n_cpus &&
		      !since && !until;
	return err;
}

int dk_lustre_new(const struct dk_opts *opts, struct dk_out *out, struct dk_result *result,
		  struct dk_lustre **made)
{
	const struct record_counts *counts = record_sort_counts(opts->lustre);
	struct dk_lustre *lustre = calloc(1, sizeof(*lustre));
	int err = 0;

	*made = NULL;
	if (!lustre)
		return -ENOMEM;
	lustre->opts = opts;
	lustre->out = out;
	lustre->result = result;
	result->dropped += counts->dropped;
	result->bad += counts->bad;
	lustre->by_lines = style_is_legacy(out->style);
	err = record_event(out->ctx, &lustre->event);
	if (!err)
		err = open_chooser(lustre);
	if (!err && !lustre->by_lines) {
		lustre->message = message_new(out->ctx, lustre->event, NULL);
		err = lustre->message ? 0 : -ENOMEM;
		style_own(out->style, lustre->event, lustre->message);
	}
	lustre->ring = calloc(RING, sizeof(*lustre->ring));
	if (!err)
		err = dkt_buf_new(&lustre->text);
	if (!err)
		err = lustre->ring ? set_next(lustre) : -ENOMEM;
	if (err) {
		dk_lustre_free(lustre);
		return err;
	}
	*made = lustre;
	return 0;
}

void dk_lustre_free(struct dk_lustre *lustre)
{
	if (!lustre)
		return;
	for (size_t i = 0; lustre->ring && i < RING; i++)
		free(lustre->ring[i].rec);
	free(lustre->ring);
	message_free(lustre->message);
	chooser_free(lustre->chooser);
	dkt_buf_free(lustre->text);
	free(lustre);
}

struct dkt_event *dk_lustre_event(const struct dk_lustre *lustre)
{
	return lustre->event;
}

int64_t dk_lustre_time(const struct dk_lustre *lustre)
{
	return lustre->rec ? record_time(lustre->rec) : INT64_MAX;
}

static struct class_bits bits_of(const uint8_t *rec)
{
	struct record_head head = record_head(rec);

	return (struct class_bits){ .types = head.mask, .subsystems = head.subsystem };
}

static bool selected(struct dk_lustre *lustre, const uint8_t *rec, uint32_t len)
{
	const struct class_bits bits = bits_of(rec);

	if (lustre->all)
		return true;
	record_event_fill(lustre->event, rec, len, lustre->data, &lustre->as_event);
	return chooser_takes(lustre->chooser, &lustre->as_event, NULL, &bits);
}

/* ---- messages that another source recorded too ---- */

static bool is_same(const struct kept *kept, const struct message_key *key, const char *text,
		    size_t len)
{
	struct record_head head = record_head(kept->rec);
	struct record_texts texts;

	if (kept->taken || head.pid != key->pid || head.line != key->line ||
	    head.mask != key->types || head.subsystem != key->subsystems)
		return false;
	record_texts(kept->rec, kept->len, &texts);
	return texts.file_len == key->file_len && texts.function_len == key->function_len &&
	       !memcmp(texts.file, key->file, key->file_len) &&
	       !memcmp(texts.function, key->function, key->function_len) &&
	       message_fits(text, len, texts.text, texts.text_len);
}

/* The oldest of those that the message can be in; NULL: none. */
static struct kept *find(struct dk_lustre *lustre, const struct message_key *key, const char *text,
			 size_t len)
{
	size_t i = lustre->at;
	bool other = false; /* the process has a later record that is another message */
	struct kept *kept;
	int64_t after;

	while (i && record_time(kept_at(lustre, i - 1)->rec) >= key->time - SKEW)
		i--;
	for (;; i++) {
		/* As many as there is room for. */
		if (i == lustre->n && read_one(lustre))
			return NULL;
		/* One more that is read may push out the first. */
		if (i == lustre->n)
			i--;
		kept = kept_at(lustre, i);
		after = record_time(kept->rec) - key->time;
		if (after > (other ? WINDOW : LATE))
			return NULL;
		if (is_same(kept, key, text, len))
			return kept;
		other = other || (after > 0 && record_head(kept->rec).pid == key->pid);
	}
}

bool dk_lustre_has(struct dk_lustre *lustre, const struct message *message,
		   const struct dkt_record *rec, int64_t wall)
{
	struct message_key key;
	struct kept *kept;
	const char *text;
	size_t len;

	message_key(message, rec, wall, &key);
	dkt_buf_reset(lustre->text);
	message_put_text(message, rec, lustre->text);
	text = dkt_buf_data(lustre->text, &len);
	kept = find(lustre, &key, text ?: "", len);
	if (!kept)
		return false;
	kept->taken = true;
	return selected(lustre, kept->rec, kept->len);
}

/* ---- printing ---- */

/* As Lustre has it, or as what the event's fields and message make of it. */
static int put_record(struct dk_lustre *lustre, int64_t wall)
{
	struct dk_out *out = lustre->out;
	size_t from;
	char *end;

	if (!lustre->by_lines) {
		lustre->as_event.ts -= (uint64_t)wall;
		return style_record(out->style, &lustre->as_event, COMM, out->buf);
	}
	end = record_line(&lustre->format, lustre->rec, lustre->len, lustre->line);
	dkt_buf_data(out->buf, &from);
	dkt_buf_add(out->buf, lustre->line, (size_t)(end - lustre->line));
	if (!lustre->opts->raw_text)
		dkt_buf_escape(out->buf, from);
	return 0;
}

static bool in_rate(struct dk_lustre *lustre)
{
	const struct class_bits bits = bits_of(lustre->rec);

	return chooser_in_rate(lustre->chooser, &lustre->as_event, &bits);
}

int dk_lustre_print(struct dk_lustre *lustre, int64_t wall)
{
	int err;

	if (!selected(lustre, lustre->rec, lustre->len) || !in_rate(lustre)) {
		lustre->result->dropped++;
		return step(lustre);
	}
	err = put_record(lustre, wall);
	lustre->result->kept++;
	return err ? err : step(lustre);
}
