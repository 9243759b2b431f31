/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads Lustre's binary records: accepts or rejects them, and resumes after damage. */
#include "compat/lustre/binary.h"

/* Size of the read buffer; holds the longest record and the next header. */
#define WINDOW (256 * 1024)

/* So many records in a row are not a coincidence. */
#define CHAIN 8

/* Limit of a valid file or function name. */
#define NAME_MAX_LEN 256

void dkl_record_texts(const uint8_t *rec, size_t len, struct record_texts *texts)
{
	const char *p = (const char *)rec + sizeof(struct record_head);
	const char *end = (const char *)rec + len, *nul;

	*texts = (struct record_texts){ .file = p, .function = end, .text = end };
	nul = memchr(p, '\0', (size_t)(end - p));
	texts->file_len = (size_t)((nul ? nul : end) - p);
	if (!nul)
		return;
	p = texts->function = nul + 1;
	nul = memchr(p, '\0', (size_t)(end - p));
	texts->function_len = (size_t)((nul ? nul : end) - p);
	if (!nul)
		return;
	texts->text = nul + 1;
	nul = memchr(texts->text, '\0', (size_t)(end - texts->text));
	texts->text_len = (size_t)((nul ? nul : end) - texts->text);
}

int dkl_record_scan_open(struct record_scan *scan, int fd, bool seekable)
{
	*scan = (struct record_scan){ .fd = fd, .seekable = seekable };
	scan->buf = malloc(WINDOW);
	return scan->buf ? 0 : -ENOMEM;
}

void dkl_record_scan_close(struct record_scan *scan)
{
	free(scan->buf);
	scan->buf = NULL;
}

/* Reads until the buffer has n bytes. 1: the input ends before that. */
static int fill(struct record_scan *scan, size_t n)
{
	if (scan->eof)
		return 1;
	memmove(scan->buf, scan->buf + scan->at, scan->len - scan->at);
	scan->base += scan->at;
	scan->len -= scan->at;
	scan->at = 0;
	while (scan->len < n && !scan->eof) {
		uint8_t *to = scan->buf + scan->len;
		size_t room = WINDOW - scan->len;
		ssize_t got = scan->seekable ?
				      pread(scan->fd, to, room, (off_t)(scan->base + scan->len)) :
				      read(scan->fd, to, room);

		if (got > 0)
			scan->len += (size_t)got;
		else if (!got)
			scan->eof = true;
		else if (errno != EINTR) {
			scan->counts.read_at = scan->base + scan->len;
			return scan->counts.read_err = -errno;
		}
	}
	return scan->len < n;
}

static inline int have(struct record_scan *scan, size_t n)
{
	return scan->len - scan->at >= n ? 0 : fill(scan, n);
}

static inline bool head_is_good(const struct record_head *head)
{
	return head->len <= RECORD_MAX && head->stack <= 65536 && head->sec >= 1u << 30 &&
	       head->usec <= 1000000000 && head->line <= 65536;
}

/* True for a valid record that is not empty and that Lustre's lctl accepts. */
static inline bool head_is_plain(const struct record_head *head)
{
	return head_is_good(head) &&
	       head->len - sizeof(*head) - 1 < RECORD_LUSTRE_MAX - sizeof(*head);
}

static bool is_name(const char *name, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (name[i] <= ' ' || name[i] == 0x7f)
			return false;
	return len && len <= NAME_MAX_LEN;
}

/*
 * A record that is too long for Lustre's lctl is valid if it has names and if the end of the input
 * or a valid header follows it. Otherwise a damaged length would hide valid records.
 */
static int big_is_good(struct record_scan *scan, const struct record_head *head, bool *good)
{
	struct record_texts texts;
	struct record_head next;
	int end = have(scan, head->len);

	*good = false;
	if (end)
		return end < 0 ? end : 0;
	dkl_record_texts(scan->buf + scan->at, head->len, &texts);
	if (!is_name(texts.file, texts.file_len) || !is_name(texts.function, texts.function_len))
		return 0;
	end = have(scan, head->len + sizeof(next));
	if (end) {
		*good = scan->len - scan->at == head->len;
		return end < 0 ? end : 0;
	}
	next = record_head(scan->buf + scan->at + head->len);
	*good = head_is_good(&next);
	return 0;
}

/*
 * Like Lustre's lctl, continues after the first newline within the invalid header, and reports no
 * further damage until the next valid header; without a newline, continues after the header.
 */
static void pass_bad(struct record_scan *scan, const struct record_head *head)
{
	const uint8_t *p = scan->buf + scan->at, *newline = memchr(p, '\n', sizeof(*head));
	size_t skip = newline ? (size_t)(newline - p) + 1 : sizeof(*head);

	if (!scan->quiet) {
		scan->counts.bad++;
		if (scan->report_bad)
			scan->report_bad(scan->data, scan->base + scan->at + sizeof(*head), head);
	}
	scan->quiet = skip < sizeof(*head);
	scan->at += skip;
}

static int stop(struct record_scan *scan, enum record_end end)
{
	scan->counts.end_at = scan->base + scan->at;
	scan->counts.end_len = scan->len - scan->at;
	scan->counts.end = scan->counts.end_len ? end : RECORD_END;
	return 1;
}

/* Handles a header that is not plain. 0: a valid record; 1: skipped; 2: end of the reading. */
static int look_closer(struct record_scan *scan, const struct record_head *head)
{
	bool good = head_is_good(head),
	     filler = !head->len && head->extern_pid == RECORD_FILLER_PID;
	int err = 0;

	if (scan->plain && !(good && filler))
		return 2;
	if (good && head->len > RECORD_LUSTRE_MAX)
		err = big_is_good(scan, head, &good);
	if (err)
		return err;
	if (!good) {
		pass_bad(scan, head);
		return 1;
	}
	scan->quiet = false;
	if (!head->len) {
		if (!filler && !scan->counts.empty++)
			scan->counts.empty_at = scan->base + scan->at;
		scan->at += sizeof(*head);
		return 1;
	}
	if (head->len > RECORD_LUSTRE_MAX) {
		scan->counts.big++;
		return 0;
	}
	stop(scan, RECORD_END_SHORT);
	return 2;
}

int dkl_record_scan_next(struct record_scan *scan, const uint8_t **rec, uint32_t *len)
{
	struct record_head head;
	int err;

	for (;;) {
		err = have(scan, sizeof(head));
		if (err)
			return err < 0 ? err : stop(scan, RECORD_END_TORN);
		head = record_head(scan->buf + scan->at);
		if (!head_is_plain(&head)) {
			err = look_closer(scan, &head);
			if (err == 1)
				continue;
			if (err)
				return err < 0 ? err : 1;
		}
		scan->quiet = false;
		err = have(scan, head.len);
		if (err)
			return err < 0 ? err : stop(scan, RECORD_END_TORN);
		*rec = scan->buf + scan->at;
		*len = head.len;
		scan->at += head.len;
		if (head.len > scan->longest)
			scan->longest = head.len;
		return 0;
	}
}

/* ---- starting within a file ---- */

void dkl_record_scan_seek(struct record_scan *scan, uint64_t offset)
{
	scan->base = offset;
	scan->at = scan->len = 0;
	scan->eof = false;
}

/* True if the bytes are a chain of records. */
static bool is_chain(const uint8_t *p, size_t len)
{
	for (unsigned int n = 0; n < CHAIN; n++) {
		struct record_head head;

		if (len < sizeof(head))
			return false;
		head = record_head(p);
		if (!head_is_plain(&head) || head.len > len)
			return false;
		p += head.len;
		len -= head.len;
	}
	return true;
}

int dkl_record_scan_find(struct record_scan *scan)
{
	int end = have(scan, WINDOW);

	if (end < 0)
		return end;
	for (; scan->at < scan->len; scan->at++)
		if (is_chain(scan->buf + scan->at, scan->len - scan->at))
			return 0;
	return 1;
}
