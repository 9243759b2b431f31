/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The metadata of the ctf styles: what both languages share, and TSDL, the language of CTF 1.8. */
#include "lib/style/ctf.h"

/* ---- for both languages ---- */

size_t dkt__ctf_facts(const struct ctf *ctf, struct ctf_fact facts[CTF_FACTS])
{
	const struct dkt_source_info *source = &ctf->base.source;
	size_t n = 0;

	facts[n++] = (struct ctf_fact){ "domain", "kernel" };
	if (!ctf->lttng) {
		facts[n++] = (struct ctf_fact){ "tracer_name", "dktrace" };
		facts[n++] = (struct ctf_fact){ "tracer_version", DKT_VERSION };
	}
	if (source->host)
		facts[n++] = (struct ctf_fact){ "hostname", source->host };
	if (source->kind)
		facts[n++] = (struct ctf_fact){ "recorded_as", source->kind };
	return n;
}

const char *dkt__ctf_clock(const struct ctf *ctf)
{
	return ctf->base.source.clock ? ctf->base.source.clock : "trace clock";
}

void dkt__ctf_zero(const struct ctf *ctf, int64_t *seconds, int64_t *ns)
{
	int64_t wall = ctf->base.source.has_wall ? ctf->base.source.wall : 0;

	*seconds = wall / 1000000000;
	*ns = wall % 1000000000;
	if (*ns < 0) {
		*ns += 1000000000;
		(*seconds)--;
	}
}

bool dkt__ctf_is_hex(const struct dkt__column *column)
{
	return column->hex || column->kind != DKT__COLUMN_ARRAY;
}

static void declare(const struct ctf_language *language, struct dkt_buf *buf,
		    const struct dkt__column *column)
{
	if (column->kind < DKT__COLUMN_TEXT)
		language->number(buf, column->name, dkt__load_size(column->load) * 8,
				 column->is_signed, column->kind == DKT__COLUMN_ADDRESS);
	else if (column->kind == DKT__COLUMN_TEXT)
		language->text(buf, column->name);
	else
		language->elements(buf, column);
}

void dkt__ctf_event(const struct ctf *ctf, const struct dkt__form *form, uint32_t id,
		    struct dkt_buf *buf)
{
	char *name __cleanup(free) =
		ctf->lttng ? dkt__lttng_event(form->event) :
			     dkt__format("%s:%s", form->event->system, form->event->name);

	if (!name) {
		buf->err = -ENOMEM;
		return;
	}
	ctf->language->event(buf, name, id);
	for (uint32_t i = 0; i < form->n; i++)
		if (ctf->lttng && dkt__lttng_is_other(form, &form->columns[i]))
			dkt__lttng_declare(&form->columns[i], buf);
		else
			declare(ctf->language, buf, &form->columns[i]);
	if (form->text)
		ctf->language->text(buf, "record_text");
	ctf->language->end(buf);
}

/* ---- TSDL ---- */

/* Appends a string literal. */
static void put_quoted(struct dkt_buf *buf, const char *text)
{
	dkt__buf_add(buf, "\"", 1);
	for (; *text; text++) {
		if ((unsigned char)*text < ' ')
			continue;
		if (*text == '"' || *text == '\\')
			dkt__buf_add(buf, "\\", 1);
		dkt__buf_add(buf, text, 1);
	}
	dkt__buf_add(buf, "\"", 1);
}

/* The underscore keeps names apart from the keywords of TSDL; readers remove it. */
static void put_name(struct dkt_buf *buf, const char *name)
{
	dkt__buf_add(buf, "_", 1);
	for (; *name; name++)
		dkt__buf_add(buf, dkt__in_name(*name) ? name : "_", 1);
}

static void put_integer(struct dkt_buf *buf, unsigned int bits, bool is_signed, bool hex)
{
	dkt_buf_printf(buf, "integer { size = %u; align = 8; signed = %s; base = %s; }", bits,
		       is_signed ? "true" : "false", hex ? "hexadecimal" : "decimal");
}

/* Declares an array, or a sequence, whose length is a field before it. */
static void put_elements(struct dkt_buf *buf, const struct dkt__column *column)
{
	bool fixed = column->bytes.kind == DKT__BYTES_FIXED;

	dkt_buf_str(buf, "\t\t");
	if (!fixed) {
		dkt_buf_str(buf, "uint16_t _");
		put_name(buf, column->name);
		dkt_buf_str(buf, "_length;\n\t\t");
	}
	put_integer(buf, column->element * 8U, column->is_signed, dkt__ctf_is_hex(column));
	dkt__buf_add(buf, " ", 1);
	put_name(buf, column->name);
	if (fixed) {
		dkt_buf_printf(buf, "[%u];\n", column->bytes.size / column->element);
		return;
	}
	dkt_buf_str(buf, "[_");
	put_name(buf, column->name);
	dkt_buf_str(buf, "_length];\n");
}

static void put_number(struct dkt_buf *buf, const char *name, unsigned int bits, bool is_signed,
		       bool hex)
{
	dkt_buf_str(buf, "\t\t");
	put_integer(buf, bits, is_signed, hex);
	dkt__buf_add(buf, " ", 1);
	put_name(buf, name);
	dkt_buf_str(buf, ";\n");
}

static void put_text(struct dkt_buf *buf, const char *name)
{
	dkt_buf_str(buf, "\t\tstring { encoding = UTF8; } ");
	put_name(buf, name);
	dkt_buf_str(buf, ";\n");
}

static void begin_event(struct dkt_buf *buf, const char *name, uint32_t id)
{
	dkt_buf_str(buf, "event {\n\tname = ");
	put_quoted(buf, name);
	dkt_buf_printf(buf, ";\n\tid = %u;\n\tstream_id = 0;\n\tfields := struct {\n", id);
}

static void end_event(struct dkt_buf *buf)
{
	dkt_buf_str(buf, "\t};\n};\n\n");
}

static void put_env(const struct ctf *ctf, struct dkt_buf *buf)
{
	struct ctf_fact facts[CTF_FACTS];
	size_t n = dkt__ctf_facts(ctf, facts);

	dkt_buf_str(buf, "env {\n");
	for (size_t i = 0; i < n; i++) {
		dkt_buf_printf(buf, "\t%s = ", facts[i].name);
		put_quoted(buf, facts[i].value);
		dkt_buf_str(buf, ";\n");
	}
	if (ctf->lttng)
		dkt__lttng_env(buf);
	dkt_buf_str(buf, "};\n\n");
}

static void put_clock(const struct ctf *ctf, struct dkt_buf *buf)
{
	int64_t seconds, ns;

	dkt__ctf_zero(ctf, &seconds, &ns);
	dkt_buf_str(buf, "clock {\n\tname = trace;\n\tdescription = ");
	put_quoted(buf, dkt__ctf_clock(ctf));
	dkt_buf_printf(buf, ";\n\tfreq = 1000000000;\n\toffset_s = %lld;\n\toffset = %lld;\n};\n\n",
		       (long long)seconds, (long long)ns);
}

static void put_preamble(const struct ctf *ctf, struct dkt_buf *buf)
{
	const uint8_t *u = ctf->uuid;

	dkt_buf_str(buf,
		    "/* CTF 1.8 */\n\n"
		    "typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
		    "typealias integer { size = 16; align = 8; signed = false; } := uint16_t;\n"
		    "typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
		    "typealias integer { size = 32; align = 8; signed = true; } := int32_t;\n"
		    "typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n\n"
		    "trace {\n\tmajor = 1;\n\tminor = 8;\n\tuuid = \"");
	for (int i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			dkt__buf_add(buf, "-", 1);
		dkt__buf_hex(buf, u[i], 2, '0');
	}
	dkt_buf_str(buf,
		    DKT__BIG_ENDIAN ? "\";\n\tbyte_order = be;\n" : "\";\n\tbyte_order = le;\n");
	dkt_buf_str(buf, "\tpacket.header := struct {\n\t\tuint32_t magic;\n\t\tuint8_t uuid[16];\n"
			 "\t\tuint32_t stream_id;\n\t};\n};\n\n");
	put_env(ctf, buf);
	put_clock(ctf, buf);
	dkt_buf_str(buf,
		    "typealias integer { size = 64; align = 8; signed = false; "
		    "map = clock.trace.value; } := time_t;\n\n"
		    "stream {\n\tid = 0;\n\tpacket.context := struct {\n"
		    "\t\ttime_t timestamp_begin;\n\t\ttime_t timestamp_end;\n"
		    "\t\tuint64_t content_size;\n\t\tuint64_t packet_size;\n"
		    "\t\tuint64_t packet_seq_num;\n\t\tuint64_t events_discarded;\n"
		    "\t\tuint32_t cpu_id;\n\t};\n"
		    "\tevent.header := struct {\n\t\tuint32_t id;\n\t\ttime_t timestamp;\n\t};\n"
		    "\tevent.context := struct {\n");
	dkt_buf_str(buf, ctf->lttng ? "\t\tint32_t _tid;\n\t\tstring _procname;\n" :
				      "\t\tint32_t _pid;\n\t\tstring _comm;\n");
	dkt_buf_str(buf, "\t\tstring _flags;\n\t};\n};\n\n");
}

const struct ctf_language dkt__ctf_tsdl = {
	.preamble = put_preamble,
	.event = begin_event,
	.number = put_number,
	.text = put_text,
	.elements = put_elements,
	.end = end_event,
};
