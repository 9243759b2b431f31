/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The styles ctf and ctf2: a directory in the Common Trace Format 1.8 or 2, for babeltrace2 and Trace
 * Compass. Each CPU has a file of packets. A packet ends where records were lost, so that readers see the
 * place.
 */
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "lib/base/io.h"
#include "lib/style/ctf.h"

#define PACKET_SIZE (256 * 1024) /* about */
#define MAX_PLACES  65536 /* CPUs, sources */

struct packet_head {
	uint32_t magic;
	uint8_t uuid[16];
	uint32_t stream_id;
	uint64_t begin;
	uint64_t end;
	uint64_t content_size; /* bits */
	uint64_t packet_size;
	uint64_t number;
	uint64_t discarded;
	uint32_t cpu;
} __attribute__((packed));

/* ---- files ---- */

static int fail_file(const struct ctf *ctf, const char *what, const char *name)
{
	return dkt_fail(ctf->base.ctx, -errno, "%s %s/%s: %s", what, ctf->base.opts.dir, name,
			strerror(errno));
}

/* Checks close(), too: some file systems report a failed write only then. */
static int write_file(const struct ctf *ctf, const char *name, int flags, const void *head,
		      size_t head_len, const struct dkt_buf *body)
{
	char *path __cleanup(free) = dkt__format("%s/%s", ctf->base.opts.dir, name);
	int fd, err;

	if (!path)
		return -ENOMEM;
	/* Opened for each packet: there can be more CPUs than a process can have open files. */
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
	if (fd < 0)
		return fail_file(ctf, "open", name);
	err = dkt__write_all(fd, head, head_len);
	if (!err)
		err = dkt__write_all(fd, body->data, body->len);
	if (close(fd) && !err)
		err = -errno;
	errno = -err;
	return err ? fail_file(ctf, "write", name) : 0;
}

/* Creates the directory, or accepts an empty one. */
static int create_dir(const struct ctf *ctf)
{
	const char *path = ctf->base.opts.dir;
	DIR *dir __cleanup(closedir) = NULL;
	struct dirent *entry;
	struct stat st;

	if (!mkdir(path, 0700))
		return 0;
	if (errno == EEXIST)
		dir = opendir(path);
	if (!dir || lstat(path, &st))
		return dkt_fail(ctf->base.ctx, -errno, "create %s: %s", path, strerror(errno));
	/* Another owner could put links into it. */
	if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid())
		return dkt_fail(ctf->base.ctx, -EPERM,
				"create %s: it belongs to user %u, or is a link; name another"
				" directory",
				path, (unsigned int)st.st_uid);
	while ((entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			return dkt_fail(
				ctf->base.ctx, -EEXIST,
				"create %s: the directory is not empty (it contains %s); name a new or"
				" empty one",
				path, entry->d_name);
	return 0;
}

/* Uses the caller's own privileges: those that the program gained are for tracing only. */
static int create_dir_as_caller(const struct ctf *ctf)
{
	int err = 0;

	if (!ctf->base.opts.dir)
		err = dkt_fail(ctf->base.ctx, -EINVAL, "style ctf: the directory is missing");
	if (!err)
		err = dkt__caps_lower(ctf->base.ctx, DKT__LOWER_GAINED);
	if (err)
		return err;
	err = create_dir(ctf);
	return dkt__caps_raise(ctf->base.ctx) ?: err;
}

/* Replaces the metadata in one step, so that readers never see a part of it. */
static int write_metadata(const struct ctf *ctf)
{
	char *from __cleanup(free) = dkt__format("%s/.metadata", ctf->base.opts.dir);
	char *to __cleanup(free) = dkt__format("%s/metadata", ctf->base.opts.dir);
	struct dkt_buf head = { 0 };
	int err;

	ctf->language->preamble(ctf, &head);
	err = from && to ? 0 : -ENOMEM;
	if (!err)
		err = head.err ? head.err : ctf->events.err;
	if (!err)
		err = write_file(ctf, ".metadata", O_TRUNC, head.data, head.len, &ctf->events);
	free(head.data);
	if (err)
		return err;
	return rename(from, to) ? fail_file(ctf, "make", "metadata") : 0;
}

/* ---- packets ---- */

static int write_packet(const struct ctf *ctf, struct ctf_stream *stream, uint32_t cpu)
{
	struct packet_head head = {
		.magic = CTF_MAGIC,
		.begin = stream->begin,
		.end = stream->end,
		.content_size = (sizeof(head) + stream->packet.len) * 8,
		.number = stream->packets,
		.discarded = stream->discarded,
		.cpu = cpu,
	};
	int err;

	head.packet_size = head.content_size;
	memcpy(head.uuid, ctf->uuid, sizeof(head.uuid));
	err = stream->packet.err;
	if (!err)
		err = write_file(ctf, stream->name, O_APPEND, &head, sizeof(head), &stream->packet);
	dkt_buf_reset(&stream->packet);
	stream->packets++;
	return err;
}

static struct ctf_stream *stream_of(struct ctf *ctf, const struct dkt_record *record)
{
	struct ctf_source *source;
	struct ctf_stream *stream;

	if (record->stream >= MAX_PLACES || record->cpu >= MAX_PLACES)
		return NULL;
	source = dkt__reach(ctf->sources, ctf->n_sources, record->stream);
	stream = source ? dkt__reach(source->streams, source->n, record->cpu) : NULL;
	if (stream && !stream->name)
		stream->name = dkt__format(record->stream ? "cpu%u_of%u" : "cpu%u", record->cpu,
					   record->stream);
	return stream && stream->name ? stream : NULL;
}

/* ---- events ---- */

static void put(struct dkt_buf *buf, const void *bytes, size_t n)
{
	dkt__buf_add(buf, bytes, n);
}

static void put_text(struct dkt_buf *buf, const char *text, size_t len)
{
	dkt__add_utf8(buf, text, len);
	put(buf, "", 1);
}

static uint32_t count_callers(const struct dkt__column *column, const uint8_t *data, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		if (!dkt__is_caller(dkt__load_at(data + i * column->element, column->load)))
			break;
	return i;
}

static void put_column(struct dkt_buf *buf, const struct dkt__column *column,
		       const struct dkt__body *body, uint32_t size)
{
	const uint8_t *data;
	uint16_t count;
	uint32_t len;

	if (column->kind <= DKT__COLUMN_ADDRESS) {
		put(buf, body->data + column->bytes.offset, dkt__load_size(column->load));
		return;
	}
	data = dkt__column_bytes(column, body, size, &len);
	if (column->kind == DKT__COLUMN_TEXT) {
		put_text(buf, (const char *)data, strnlen((const char *)data, len));
		return;
	}
	count = (uint16_t)DKT__MIN(len / column->element, (uint32_t)UINT16_MAX);
	if (column->kind == DKT__COLUMN_STACK)
		count = (uint16_t)count_callers(column, data, count);
	if (column->bytes.kind != DKT__BYTES_FIXED)
		put(buf, &count, sizeof(count));
	put(buf, data, (size_t)count * column->element);
}

/* Returns the state of a raw system call. Its number is declared once. */
static const struct ctf_call *call_of(struct ctf *ctf, const struct dkt__form *form,
				      const struct dkt__body *body)
{
	const struct ctf_event *event = form->data;
	uint32_t number = dkt__lttng_number(form, body);
	struct ctf_call *call = &event->calls[number];

	if (!call->declared) {
		call->declared = true;
		call->id = ctf->n_events++;
		dkt__lttng_call(form, number, call, &ctf->events);
	}
	return call;
}

static void put_fields(const struct ctf *ctf, struct dkt_buf *buf, const struct dkt__form *form,
		       const struct dkt__body *body, uint32_t size)
{
	for (uint32_t i = 0; i < form->n; i++)
		if (ctf->lttng && dkt__lttng_is_other(form, &form->columns[i]))
			dkt__lttng_put(&form->columns[i], body, size, buf);
		else
			put_column(buf, &form->columns[i], body, size);
}

static int put_event(struct ctf *ctf, struct dkt_buf *buf, const struct dkt__form *form,
		     const struct dkt_record *record, const char *comm, uint64_t ts)
{
	const struct ctf_event *event = form->data;
	const struct ctf_call *call = NULL;
	__body body = { 0 };
	char flags[8] = { 0 };
	size_t from;

	if (!dkt__body_get(&body, record, form))
		return -ENOMEM;
	if (event->calls)
		call = call_of(ctf, form, &body);
	dkt__style_put_flags(flags, record);
	put(buf, call ? &call->id : &event->id, sizeof(event->id));
	put(buf, &ts, sizeof(ts));
	put(buf, &record->pid, sizeof(record->pid));
	put_text(buf, comm, strlen(comm));
	put(buf, flags, strlen(flags) + 1);
	if (call)
		dkt__lttng_put_call(form, call, &body, record->size, buf);
	else
		put_fields(ctf, buf, form, &body, record->size);
	if (form->text) {
		char *text __cleanup(free) = NULL;

		from = buf->len;
		dkt__style_text(&ctf->base, record, buf);
		text = dkt__style_cut(buf, from);
		if (!text)
			return -ENOMEM;
		put_text(buf, text, strlen(text));
	}
	return buf->err;
}

/* Numbers the event; form->data becomes its state. */
static int learn_event(struct ctf *ctf, struct dkt__form *form)
{
	struct ctf_event *event = dkt__style_alloc(&ctf->base, sizeof(*event));

	if (!event)
		return -ENOMEM;
	form->data = event;
	if (ctf->lttng && dkt__lttng_is_call(form)) {
		form->text = false;
		event->calls =
			dkt__style_alloc(&ctf->base, (DKT__SYSCALLS + 1) * sizeof(*event->calls));
		return event->calls ? 0 : -ENOMEM;
	}
	event->id = ctf->n_events++;
	dkt__ctf_event(ctf, form, event->id, &ctf->events);
	return ctf->events.err;
}

/* A gap ends the packet; the next packet has the number of lost records. */
static int add_lost(struct ctf *ctf, struct ctf_stream *stream, const struct dkt_record *record)
{
	int err = 0;

	/* Readers take the difference between two packets, so the first one may be empty. */
	if (!stream->packets && !stream->packet.len)
		stream->begin = stream->end = record->ts;
	if (!stream->packets || stream->packet.len)
		err = write_packet(ctf, stream, record->cpu);
	stream->discarded += record->lost == DKT_LOST_UNKNOWN ? 1 : record->lost;
	stream->gap = true;
	return err;
}

static int ctf_record(struct dkt_style *style, const struct dkt_record *record, const char *comm,
		      struct dkt_buf *buf)
{
	struct ctf *ctf = (struct ctf *)style;
	struct ctf_stream *stream = stream_of(ctf, record);
	struct dkt__form *form;
	uint64_t ts;
	int err = 0;

	(void)buf;
	if (!stream)
		return -ENOMEM;
	if (!record->event)
		return add_lost(ctf, stream, record);
	form = dkt__style_form_of(style, record);
	if (form && !form->data)
		err = learn_event(ctf, form);
	if (!form || err)
		return -ENOMEM;
	/* Readers fail if the clock goes back. */
	ts = DKT__MAX(record->ts, stream->end);
	if (!stream->packet.len)
		stream->begin = ts;
	stream->end = ts;
	stream->gap = false;
	err = put_event(ctf, &stream->packet, form, record, comm, ts);
	if (!err && stream->packet.len >= PACKET_SIZE)
		err = write_packet(ctf, stream, record->cpu);
	return err;
}

/* Also writes a packet for a gap at the end of a stream. */
static int write_all(struct ctf *ctf)
{
	int err = 0;

	for (uint32_t i = 0; i < ctf->n_sources; i++)
		for (uint32_t cpu = 0; cpu < ctf->sources[i].n && !err; cpu++) {
			struct ctf_stream *stream = &ctf->sources[i].streams[cpu];

			if (!stream->packet.len && stream->gap)
				stream->begin = stream->end;
			if (stream->packet.len || stream->gap)
				err = write_packet(ctf, stream, cpu);
			stream->gap = false;
		}
	return err ? err : write_metadata(ctf);
}

static int ctf_flush(struct dkt_style *style, struct dkt_buf *buf)
{
	(void)buf;
	return write_all((struct ctf *)style);
}

/* ---- the style ---- */

/* Keeps only the event's fields: the event context has the columns of all records. */
static int ctf_learn(struct dkt_style *style, struct dkt__form *form)
{
	int err = dkt__style_keys(style, form, "", "", "");

	return err || !((struct ctf *)style)->lttng ? err : dkt__lttng_fields(style, form);
}

static int open_in(struct ctf *ctf, const struct ctf_language *language)
{
	ssize_t n = getrandom(ctf->uuid, sizeof(ctf->uuid), 0);

	if (n != sizeof(ctf->uuid))
		return -EIO;
	ctf->language = language;
	/* RFC 4122, version 4. */
	ctf->uuid[6] = (ctf->uuid[6] & 0x0f) | 0x40;
	ctf->uuid[8] = (ctf->uuid[8] & 0x3f) | 0x80;
	return create_dir_as_caller(ctf);
}

static int ctf_open(struct dkt_style *style)
{
	return open_in((struct ctf *)style, &dkt__ctf_tsdl);
}

static int ctf2_open(struct dkt_style *style)
{
	return open_in((struct ctf *)style, &dkt__ctf_json);
}

static int ctf_lttng_open(struct dkt_style *style)
{
	((struct ctf *)style)->lttng = true;
	return ctf_open(style);
}

static void ctf_close(struct dkt_style *style)
{
	struct ctf *ctf = (struct ctf *)style;

	for (uint32_t i = 0; i < ctf->n_sources; i++) {
		for (uint32_t cpu = 0; cpu < ctf->sources[i].n; cpu++) {
			free(ctf->sources[i].streams[cpu].name);
			free(ctf->sources[i].streams[cpu].packet.data);
		}
		free(ctf->sources[i].streams);
	}
	free(ctf->sources);
	free(ctf->events.data);
}

const struct dkt__style_ops dkt__style_ctf_ops = {
	.name = "ctf",
	.words = "a directory in the Common Trace Format, for babeltrace2 and Trace Compass",
	.traits = DKT_STYLE_DATA | DKT_STYLE_BINARY | DKT_STYLE_ORDER | DKT_STYLE_FILES,
	.size = sizeof(struct ctf),
	.open = ctf_open,
	.learn = ctf_learn,
	.record = ctf_record,
	.flush = ctf_flush,
	.end = ctf_flush,
	.close = ctf_close,
};

const struct dkt__style_ops dkt__style_ctf2_ops = {
	.name = "ctf2",
	.words = "the same in CTF 2, for babeltrace2 since 2.1",
	.traits = DKT_STYLE_DATA | DKT_STYLE_BINARY | DKT_STYLE_ORDER | DKT_STYLE_FILES,
	.size = sizeof(struct ctf),
	.open = ctf2_open,
	.learn = ctf_learn,
	.record = ctf_record,
	.flush = ctf_flush,
	.end = ctf_flush,
	.close = ctf_close,
};

const struct dkt__style_ops dkt__style_ctf_lttng_ops = {
	.name = "ctf-lttng",
	.words = "the same with LTTng's names, for Trace Compass's kernel views and lttng-analyses",
	.traits = DKT_STYLE_DATA | DKT_STYLE_BINARY | DKT_STYLE_ORDER | DKT_STYLE_FILES,
	.size = sizeof(struct ctf),
	.open = ctf_lttng_open,
	.learn = ctf_learn,
	.record = ctf_record,
	.flush = ctf_flush,
	.end = ctf_flush,
	.close = ctf_close,
};
