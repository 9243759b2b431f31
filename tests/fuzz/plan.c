/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzzes plans: whatever a record says, its text is made of the record's own bytes. The input is
 * a byte that chooses a format and the record; 'b' and 't' take a format from the input, up to a
 * NUL: of trace_printk(), or the print format. That goes to our own parser alone: libtraceevent
 * 1.7.1 dies of some (a constant % 0 in one raises SIGFPE), as of some records.
 */
#include "lib/plan.h"
#include "lib/event.h"
#include "lib/symbol.h"
#include "tests/fuzz/replay.h"

#define COMMON                                                                                     \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"             \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

#define FIELD(type_name, offset, size, is_signed)                                                  \
	"\tfield:" type_name ";\toffset:" #offset ";\tsize:" #size ";\tsigned:" #is_signed ";\n"

#define FIELDS                                                                                     \
	FIELD("int i", 8, 4, 1)                                                                    \
	FIELD("__data_loc char[] s", 12, 4, 0)                                                     \
	FIELD("__rel_loc u8[] r", 16, 4, 0)                                                        \
	FIELD("u32 n", 20, 4, 0)                                                                   \
	FIELD("u64 q", 24, 8, 0)                                                                   \
	FIELD("u32 a[4]", 32, 16, 0) FIELD("char c[16]", 48, 16, 0) FIELD("u8 b[28]", 64, 28, 0)

static const char *const prints[] = {
	"\"%d %5u %-8x %#lx %08lx %c %lld\", REC->i, REC->n, REC->n, REC->q, REC->q, REC->i, REC->q",
	"\"%s %-12s %.*s %*d\", __get_str(s), REC->c, REC->n, __get_str(s), REC->i, REC->n",
	"\"%s %s\", __print_hex(__get_dynamic_array(s), REC->n), __print_hex_str(REC->b, REC->i)",
	"\"%s\", __print_array(__get_dynamic_array(s), REC->n, 4)",
	"\"%s\", __print_array(__get_dynamic_array(s), REC->n, REC->i)",
	"\"%d %d\", REC->a[REC->n], __get_dynamic_array_len(s)",
	"\"%d %ld %d\", REC->i / REC->n, REC->q % REC->i, REC->i << REC->n",
	"\"%s %s\", __get_bitmask(s), __get_cpumask(s)",
	"\"%s\", __print_flags(REC->q, \"|\", { 1, \"a\" }, { 6, \"b\" }, { 0, \"c\" })",
	"\"%s\", __print_symbolic(REC->i, { 1, \"a\" }, { -6, \"b\" }, { 7, \"c\" }, { 8, \"d\" }, "
	"{ 9, \"e\" }, { 10, \"f\" }, { 11, \"g\" })",
	"\"%s\", REC->i ? REC->n > 5 ? __get_str(s) : \"x\" : __print_flags(REC->n, \"\", { 1, \"a\" })",
	"\"%pISpc %pI4 %pI6c %pM %pU\", REC->b, REC->a, REC->c, REC->c, REC->c",
	"\"%pISpc %*ph %*pbl %*pb\", __get_dynamic_array(s), REC->n, __get_dynamic_array(s), REC->n, "
	"REC->b, REC->i, REC->a",
	"\"%ps %pS %p\", (void *)REC->q, (void *)REC->q, REC->q",
	"\"%s\", __get_rel_str(r)",
	"\"\"",
	"\"%d\", unknown_function(REC->i)",
};

/* Kept in memory for all inputs: parsing a format takes longer than printing a record. */
struct kept {
	struct dkt_ctx *ctx;
	struct dkt_event events[ARRAY_SIZE(prints)];
};

static struct dkt_event make_event(struct dkt_ctx *ctx, const char *print, int id)
{
	struct dkt_event event = { .ctx = ctx, .system = "fuzz", .name = "event" };
	const struct tep_format_field *field;
	char *text;

	if (asprintf(&text, "name: e%d\nID: %d\nformat:\n" COMMON FIELDS "\nprint fmt: %s\n", id,
		     id, print) < 0)
		abort();
	tep_parse_format(ctx->tep, &event.tep, text, strlen(text), "fuzz");
	free(text);
	event.fields = calloc(16, sizeof(*event.fields));
	event.field_list = calloc(16, sizeof(*event.field_list));
	if (!event.tep || !event.fields || !event.field_list)
		return event;
	for (field = event.tep->format.fields; field; field = field->next) {
		event.field_list[event.n_fields] = &event.fields[event.n_fields];
		event.fields[event.n_fields++] = (struct dkt_field){
			.name = field->name,
			.type = field->type,
			.offset = (uint32_t)field->offset,
			.size = (uint32_t)field->size,
			.element = field->elementsize,
			.flags = field->flags & TEP_FIELD_IS_DYNAMIC ?
					 DKT_FIELD_DYNAMIC | DKT_FIELD_STRING :
				 field->flags & TEP_FIELD_IS_ARRAY ? DKT_FIELD_ARRAY :
								     DKT_FIELD_SIGNED,
		};
	}
	return event;
}

static struct kept *kept_events(void)
{
	static struct kept kept;
	size_t i;

	if (kept.ctx)
		return &kept;
#if LIBTRACEEVENT_VERSION >= 10500
	tep_set_loglevel(TEP_LOG_NONE);
#endif
	DKT_OPTS(dkt_ctx_opts, opts, .root = "/nonexistent");
	if (dkt_ctx_new(&opts, &kept.ctx))
		abort();
	kept.ctx->tep = tep_alloc();
	for (i = 0; i < ARRAY_SIZE(prints); i++)
		kept.events[i] = make_event(kept.ctx, prints[i], (int)i + 1);
	return &kept;
}

static void print_record(struct dkt_event *event, const uint8_t *data, size_t size)
{
	struct dkt_record record = { .event = event, .size = (uint32_t)size };
	struct dkt_buf *buf;
	uint8_t *exact = malloc(size ? size : 1);

	if (!exact || dkt_buf_new(&buf))
		abort();
	memcpy(exact, data, size);
	record.data = exact;
	dkt_record_text(&record, buf);
	dkt_style_trace(&record, "comm", buf);
	if (dkt_buf_error(buf))
		abort();
	dkt_buf_free(buf);
	free(exact);
}

static void print_by_text(const struct dkt_event *plain, const uint8_t *data, size_t size)
{
	const uint8_t *end = memchr(data, '\0', size);
	struct dkt_event event = *plain;

	if (!end)
		return;
	event.plan = NULL;
	event.print = strndup((const char *)data, (size_t)(end - data));
	if (!event.print)
		abort();
	print_record(&event, end + 1, size - (size_t)(end + 1 - data));
	dkt__plan_free(event.plan);
	free(event.print);
}

#define AT "0x5000"

/* A record of trace_printk(), as it is and as one of the other byte order. */
static void print_message(const uint8_t *data, size_t size)
{
	static const char format[] =
		"name: bprint\nID: 6\nformat:\n" COMMON FIELD("unsigned long ip", 8, 8, 0)
			FIELD("const char * fmt", 16, 8, 0)
				FIELD("u32 buf[]", 24, 0,
				      0) "\nprint fmt: \"%ps: %s\", (void *)REC->ip, REC->fmt\n";
	const uint8_t *end = memchr(data, '\0', size);
	struct dkt_event event = { .system = "ftrace", .name = "bprint" };
	uint64_t head[] = { 6, 0, 0x5000 };
	struct dkt__symbol_text strings = { 0 };
	uint8_t *record;
	char *text;
	size_t len;

	DKT_OPTS(dkt_ctx_opts, opts, .root = "/nonexistent");
	if (!end)
		return;
	len = size - (size_t)(end + 1 - data);
	record = malloc(sizeof(head) + len);
	if (!record || dkt_ctx_new(&opts, &event.ctx) ||
	    asprintf(&text, AT " : \"%s\"\n", (const char *)data) < 0)
		abort();
	memcpy(record, head, sizeof(head));
	memcpy(record + sizeof(head), end + 1, len);
	event.ctx->given = true;
	strings.bytes = text;
	strings.n = strlen(text);
	if (dkt__symbols_given(event.ctx, &(struct dkt__symbol_text){ 0 }, &strings) ||
	    dkt__event_take_format(&event, format, strlen(format)))
		abort();
	print_record(&event, record, sizeof(head) + len);
	dkt__plan_bprint_turn(&event, record, (uint32_t)(sizeof(head) + len));
	print_record(&event, record, sizeof(head) + len);
	free(record);
	dkt__event_clear(&event);
	dkt_ctx_free(event.ctx);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kept *kept = kept_events();

	if (!size || size > 8192)
		return 0;
	if (data[0] < ARRAY_SIZE(prints))
		print_record(&kept->events[data[0]], data + 1, size - 1);
	else if (data[0] == 't')
		print_by_text(&kept->events[0], data + 1, size - 1);
	else if (data[0] == 'b')
		print_message(data + 1, size - 1);
	return 0;
}
