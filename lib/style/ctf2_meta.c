/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The metadata of the style ctf2 as CTF 2 has them: a sequence of JSON texts, each after the character
 * RS (RFC 7464). CTF2-SPEC-2.0 describes the fragments and field classes.
 */
#include "lib/style/ctf.h"

/* Begins a fragment, whose end is "}\n". */
#define FRAGMENT "\x1e{\"type\":"

#define BYTE_ORDER_NAME (DKT__BIG_ENDIAN ? "big-endian" : "little-endian")

static void put_quoted(struct dkt_buf *buf, const char *text)
{
	size_t len = strlen(text);
	char *room = dkt__buf_room(buf, 6 * len + 18), *p = room;

	if (!room)
		return;
	*p++ = '"';
	p = dkt__put_json(p, text, len);
	*p++ = '"';
	buf->len += (size_t)(p - room);
}

/* Begins a member of a structure, whose end is "}}". */
static void begin_member(struct dkt_buf *buf, const char *name)
{
	bool first = !buf->len || buf->data[buf->len - 1] == '[';

	dkt_buf_str(buf, first ? "{\"name\":" : ",{\"name\":");
	put_quoted(buf, name);
	dkt_buf_str(buf, ",\"field-class\":{");
}

static void put_integer(struct dkt_buf *buf, unsigned int bits, bool is_signed, bool hex)
{
	dkt_buf_printf(buf,
		       "\"type\":\"fixed-length-%s-integer\",\"length\":%u,\"byte-order\":\"%s\","
		       "\"alignment\":8%s",
		       is_signed ? "signed" : "unsigned", bits, BYTE_ORDER_NAME,
		       hex ? ",\"preferred-display-base\":16" : "");
}

static void put_number(struct dkt_buf *buf, const char *name, unsigned int bits, bool is_signed,
		       bool hex)
{
	begin_member(buf, name);
	put_integer(buf, bits, is_signed, hex);
	dkt_buf_str(buf, "}}");
}

static void put_text(struct dkt_buf *buf, const char *name)
{
	begin_member(buf, name);
	dkt_buf_str(buf, "\"type\":\"null-terminated-string\"}}");
}

/* A number that readers take as something known, such as the time. */
static void put_role(struct dkt_buf *buf, const char *name, unsigned int bits, const char *role)
{
	begin_member(buf, name);
	put_integer(buf, bits, false, false);
	dkt_buf_printf(buf, ",\"roles\":[\"%s\"]}}", role);
}

/* An array, or one whose length is a field before it, with the name that it has in TSDL. */
static void put_elements(struct dkt_buf *buf, const struct dkt__column *column)
{
	char *length __cleanup(free) = dkt__format("_%s_length", column->name);

	if (!length) {
		buf->err = -ENOMEM;
		return;
	}
	if (column->bytes.kind == DKT__BYTES_FIXED) {
		begin_member(buf, column->name);
		dkt_buf_printf(buf, "\"type\":\"static-length-array\",\"length\":%u",
			       column->bytes.size / column->element);
	} else {
		put_number(buf, length, 16, false, false);
		begin_member(buf, column->name);
		dkt_buf_str(buf, "\"type\":\"dynamic-length-array\",\"length-field-location\":{"
				 "\"origin\":\"event-record-payload\",\"path\":[");
		put_quoted(buf, length);
		dkt_buf_str(buf, "]}");
	}
	dkt_buf_str(buf, ",\"element-field-class\":{");
	put_integer(buf, column->element * 8U, column->is_signed, dkt__ctf_is_hex(column));
	dkt_buf_str(buf, "}}}");
}

static void begin_structure(struct dkt_buf *buf, const char *name)
{
	dkt_buf_printf(buf, ",\"%s\":{\"type\":\"structure\",\"member-classes\":[", name);
}

static void end_structure(struct dkt_buf *buf)
{
	dkt_buf_str(buf, "]}");
}

static void begin_event(struct dkt_buf *buf, const char *name, uint32_t id)
{
	dkt_buf_printf(buf, FRAGMENT "\"event-record-class\",\"id\":%u,\"name\":", id);
	put_quoted(buf, name);
	begin_structure(buf, "payload-field-class");
}

static void end_event(struct dkt_buf *buf)
{
	end_structure(buf);
	dkt_buf_str(buf, "}\n");
}

/* ---- before the events ---- */

static void put_trace(const struct ctf *ctf, struct dkt_buf *buf)
{
	struct ctf_fact facts[CTF_FACTS];
	size_t n = dkt__ctf_facts(ctf, facts);

	dkt_buf_str(buf, FRAGMENT "\"trace-class\",\"environment\":{");
	for (size_t i = 0; i < n; i++) {
		dkt_buf_printf(buf, "%s\"%s\":", i ? "," : "", facts[i].name);
		put_quoted(buf, facts[i].value);
	}
	dkt_buf_str(buf, "}");
	begin_structure(buf, "packet-header-field-class");
	put_role(buf, "magic", 32, "packet-magic-number");
	begin_member(buf, "uuid");
	dkt_buf_str(buf, "\"type\":\"static-length-blob\",\"length\":16,"
			 "\"roles\":[\"metadata-stream-uuid\"]}}");
	put_role(buf, "stream_id", 32, "data-stream-class-id");
	end_structure(buf);
	dkt_buf_str(buf, "}\n");
}

/* The offset is from the epoch to the clock's zero. */
static void put_clock(const struct ctf *ctf, struct dkt_buf *buf)
{
	int64_t seconds, ns;

	dkt__ctf_zero(ctf, &seconds, &ns);
	dkt_buf_str(buf, FRAGMENT "\"clock-class\",\"id\":\"trace\",\"name\":\"trace\","
				  "\"frequency\":1000000000,\"description\":");
	put_quoted(buf, dkt__ctf_clock(ctf));
	if (ctf->base.source.has_wall)
		dkt_buf_printf(
			buf,
			",\"origin\":\"unix-epoch\",\"offset-from-origin\":{\"seconds\":%lld,\"cycles\":%lld}",
			(long long)seconds, (long long)ns);
	dkt_buf_str(buf, "}\n");
}

/* In the order of struct packet_head, and of the head and context of an event. */
static void put_stream(struct dkt_buf *buf)
{
	dkt_buf_str(buf, FRAGMENT "\"data-stream-class\",\"default-clock-class-id\":\"trace\"");
	begin_structure(buf, "packet-context-field-class");
	put_role(buf, "timestamp_begin", 64, "default-clock-timestamp");
	put_role(buf, "timestamp_end", 64, "packet-end-default-clock-timestamp");
	put_role(buf, "content_size", 64, "packet-content-length");
	put_role(buf, "packet_size", 64, "packet-total-length");
	put_role(buf, "packet_seq_num", 64, "packet-sequence-number");
	put_role(buf, "events_discarded", 64, "discarded-event-record-counter-snapshot");
	put_number(buf, "cpu_id", 32, false, false);
	end_structure(buf);
	begin_structure(buf, "event-record-header-field-class");
	put_role(buf, "id", 32, "event-record-class-id");
	put_role(buf, "timestamp", 64, "default-clock-timestamp");
	end_structure(buf);
	begin_structure(buf, "event-record-common-context-field-class");
	put_number(buf, "pid", 32, true, false);
	put_text(buf, "comm");
	put_text(buf, "flags");
	end_structure(buf);
	dkt_buf_str(buf, "}\n");
}

static void put_preamble(const struct ctf *ctf, struct dkt_buf *buf)
{
	dkt_buf_str(buf, FRAGMENT "\"preamble\",\"version\":2,\"uuid\":[");
	for (size_t i = 0; i < sizeof(ctf->uuid); i++)
		dkt_buf_printf(buf, "%s%u", i ? "," : "", ctf->uuid[i]);
	dkt_buf_str(buf, "]}\n");
	put_trace(ctf, buf);
	put_clock(ctf, buf);
	put_stream(buf);
}

const struct ctf_language dkt__ctf_json = {
	.preamble = put_preamble,
	.event = begin_event,
	.number = put_number,
	.text = put_text,
	.elements = put_elements,
	.end = end_event,
};
