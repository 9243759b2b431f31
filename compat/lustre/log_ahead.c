/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the records of a log in order, with access to some before and after the next one. */
#include "compat/lustre/log_ahead.h"

#include "compat/lustre/binary/event.h"
#include "compat/lustre/message.h"
#include "lib/base/util.h"

/*
 * Limits of the time, in ns, between the probe's record of a message and Lustre's own. Lustre takes
 * its time a few microseconds after the probe fires, but the process, or its machine, can be stopped between the
 * two. LATE applies as long as the process has recorded nothing else since.
 */
#define WINDOW 20000000
#define LATE   2000000000

/* Lustre's time can be up to so many ns earlier, because it is rounded down to microseconds. */
#define SKEW 1000000

/* Number of records before and after the next one that can be searched. */
#define RING 4096

/* A copy of a record. */
struct kept {
	uint8_t *rec;
	uint32_t len, room;
	bool found; /* it was found to be a message that a probe recorded, too */
};

struct log_ahead {
	struct record_sort *sort;
	struct kept *ring;
	size_t first, n; /* the kept records, in time order */
	size_t at; /* the next record, counted from the first; the one before was returned last */
	int end; /* 1 or -errno: no record comes after the kept ones */
};

int dkl_log_ahead_new(struct record_sort *sort, struct log_ahead **out)
{
	struct log_ahead *ahead = calloc(1, sizeof(*ahead));

	if (ahead) {
		*ahead = (struct log_ahead){ .sort = sort,
					     .ring = calloc(RING, sizeof(*ahead->ring)) };
		if (!ahead->ring) {
			free(ahead);
			ahead = NULL;
		}
	}
	*out = ahead;
	return ahead ? 0 : -ENOMEM;
}

void dkl_log_ahead_free(struct log_ahead *ahead)
{
	if (!ahead)
		return;
	for (size_t i = 0; i < RING; i++)
		free(ahead->ring[i].rec);
	free(ahead->ring);
	free(ahead);
}

static struct kept *kept_at(const struct log_ahead *ahead, size_t i)
{
	return &ahead->ring[(ahead->first + i) % RING];
}

/*
 * Reads the next record of the log into the ring, and drops the oldest one if the ring is full.
 * False: the log has ended, or the ring has no record that may be dropped.
 */
static bool read_one(struct log_ahead *ahead)
{
	const uint8_t *rec;
	struct kept *to;
	uint32_t len;

	/* The caller still uses the record that was returned last. */
	if (ahead->end || (ahead->n == RING && ahead->at <= 1))
		return false;
	ahead->end = dkl_record_sort_next(ahead->sort, &rec, &len);
	if (ahead->end)
		return false;
	if (ahead->n == RING) {
		ahead->first = (ahead->first + 1) % RING;
		ahead->n--;
		ahead->at--;
	}
	to = kept_at(ahead, ahead->n);
	if (len > to->room) {
		free(to->rec);
		to->rec = malloc(len);
		to->room = to->rec ? len : 0;
	}
	if (!to->rec) {
		ahead->end = -ENOMEM;
		return false;
	}
	memcpy(to->rec, rec, len);
	to->len = len;
	to->found = false;
	ahead->n++;
	return true;
}

int dkl_log_ahead_next(struct log_ahead *ahead, const uint8_t **rec, uint32_t *len)
{
	const struct kept *next;

	if (ahead->at == ahead->n && !read_one(ahead))
		return ahead->end;
	next = kept_at(ahead, ahead->at++);
	*rec = next->rec;
	*len = next->len;
	return 0;
}

static bool is_same(const struct kept *kept, const struct message_key *key, const char *text,
		    size_t len)
{
	struct record_head head = record_head(kept->rec);
	struct record_texts texts;

	if (kept->found || head.pid != key->pid || head.line != key->line ||
	    head.mask != key->classes || head.subsystem != key->subsystems)
		return false;
	dkl_record_texts(kept->rec, kept->len, &texts);
	return texts.file_len == key->file_len && texts.function_len == key->function_len &&
	       !memcmp(texts.file, key->file, key->file_len) &&
	       !memcmp(texts.function, key->function, key->function_len) &&
	       dkl_message_fits(text, len, texts.text, texts.text_len);
}

static struct kept *find(struct log_ahead *ahead, const struct message_key *key, const char *text,
			 size_t text_len)
{
	size_t i = ahead->at;
	bool other = false; /* the process has a later record that is another message */
	struct kept *kept;
	int64_t after;

	while (i && record_time(kept_at(ahead, i - 1)->rec) >= key->time - SKEW)
		i--;
	for (;; i++) {
		if (i == ahead->n && !read_one(ahead))
			return NULL;
		/* If the ring was full, reading has removed the oldest record. */
		if (i == ahead->n)
			i--;
		kept = kept_at(ahead, i);
		after = record_time(kept->rec) - key->time;
		if (after > (other ? WINDOW : LATE))
			return NULL;
		if (is_same(kept, key, text, text_len))
			return kept;
		other = other || (after > 0 && record_head(kept->rec).pid == key->pid);
	}
}

bool dkl_log_ahead_find(struct log_ahead *ahead, const struct message_key *key, const char *text,
			size_t text_len, const uint8_t **rec, uint32_t *len)
{
	struct kept *kept = find(ahead, key, text, text_len);

	if (!kept)
		return false;
	kept->found = true;
	*rec = kept->rec;
	*len = kept->len;
	return true;
}
