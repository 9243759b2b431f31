/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Formats of events, parsed with libtraceevent when they are first needed. */
#include "lib/base/parse.h"
#include "lib/event.h"
#include "lib/event/format_check.h"
#include "lib/symbol.h"
#include "lib/tracefs.h"

void dkt__event_clear(struct dkt_event *event)
{
	if (event->plan)
		event->plan_free(event->plan);
	free(event->print);
	free(event->fields);
}

/*
 * Takes lines such as `0xffffffff828195af : "thaw_processes"` only. If a string has less than two characters,
 * libtraceevent 1.7 reads the memory before it.
 */
static void take_strings(struct tep_handle *tep, char *text)
{
	char *save = NULL;
	const char *p;
	uint64_t address;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		p = line;
		if (!dkt__take_u64(&p, NULL, DKT__HEX, &address) && !strncmp(p, " : \"", 4) &&
		    strlen(p) >= 4 + 3)
			tep_register_print_string(tep, p + 3, address);
	}
}

/* Loads the kernel strings that records point to, for "%s" with a pointer. */
static void load_strings(struct dkt_ctx *ctx)
{
	char *text __cleanup(free) = NULL;

	/* Only libtraceevent's printing needs them, and foreign events have no print format there. */
	if (ctx->tep_strings || dkt__ctx_foreign(ctx))
		return;
	ctx->tep_strings = true;
	if (dkt__starve(ctx, dkt__kernel_strings(ctx, &text)))
		return;
	take_strings(ctx->tep, text);
}

static char *resolve_symbol(void *priv, unsigned long long *addr, char **module)
{
	uint64_t offset = 0;
	const char *name = dkt_symbol_name(priv, *addr, &offset);

	(void)module;
	*addr -= offset;
	return (char *)name;
}

static void free_tep(void *data)
{
	struct dkt_ctx *ctx = data;

	if (ctx->tep)
		tep_free(ctx->tep);
	ctx->tep = NULL;
	ctx->tep_strings = false;
}

void dkt__tep_free(struct dkt_ctx *ctx)
{
	free_tep(ctx);
}

struct tep_handle *dkt__tep(struct dkt_ctx *ctx)
{
	char *page __cleanup(free) = NULL, *clean __cleanup(free) = NULL;
	size_t len;

	if (ctx->tep)
		return ctx->tep;
	ctx->tep = dkt__ctx_at_end(ctx, free_tep, ctx) ? NULL : tep_alloc();
	if (!ctx->tep)
		return NULL;
	tep_set_long_size(ctx->tep, ctx->long_size);
	tep_set_page_size(ctx->tep, (int)sysconf(_SC_PAGESIZE));
	tep_set_function_resolver(ctx->tep, resolve_symbol, ctx);
	if (!ctx->given && !dkt__tfs_read(ctx, &page, &len, "events/header_page"))
		clean = dkt__format_clean(page, len, dkt__ctx_foreign(ctx));
	if (clean)
		tep_parse_header_page(ctx->tep, clean, strlen(clean), sizeof(long));
	return ctx->tep;
}

static unsigned int field_flags(const struct tep_format_field *field, bool common)
{
	unsigned int flags = common ? DKT_FIELD_COMMON : 0;

	if (field->flags & TEP_FIELD_IS_SIGNED)
		flags |= DKT_FIELD_SIGNED;
	if (field->flags & TEP_FIELD_IS_STRING)
		flags |= DKT_FIELD_STRING;
	if (field->flags & TEP_FIELD_IS_DYNAMIC)
		flags |= DKT_FIELD_DYNAMIC;
	if (field->flags & DKT__TEP_RELATIVE)
		flags |= DKT_FIELD_RELATIVE;
	if (field->flags & TEP_FIELD_IS_ARRAY)
		flags |= DKT_FIELD_ARRAY;
	if (field->flags & TEP_FIELD_IS_POINTER)
		flags |= DKT_FIELD_POINTER;
	return flags;
}

static size_t count_fields(const struct tep_format_field *field)
{
	size_t n = 0;

	for (; field; field = field->next)
		n++;
	return n;
}

/*
 * Until Linux 5.7, the formats of ftrace's own events declared the rest of the record as "char buf" or
 * "u32 buf" with size 0. Treats them like the "char buf[]" and "u32 buf[]" of newer kernels.
 */
static void fix_tail(struct dkt_field *field, const struct tep_format_field *from)
{
	if (from->size || from->next || from->flags & (TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_DYNAMIC))
		return;
	field->flags |= DKT_FIELD_ARRAY;
	if (!strcmp(field->type, "char")) {
		field->flags |= DKT_FIELD_STRING;
		field->element = 1;
	} else if (!strcmp(field->type, "u32")) {
		field->element = 4;
	}
}

static void add_fields(struct dkt_event *event, const struct tep_format_field *field, bool common)
{
	for (; field; field = field->next) {
		struct dkt_field *to = &event->fields[event->n_fields];

		to->name = field->name;
		to->type = field->type;
		to->offset = (uint32_t)field->offset;
		to->size = (uint32_t)field->size;
		to->element = field->elementsize ? field->elementsize : (uint32_t)field->size;
		to->flags = field_flags(field, common);
		to->event = event;
		fix_tail(to, field);
		event->field_list[event->n_fields++] = to;
	}
}

/* For the function tracer: older kernels print addresses, newer ones print names. */
#define OLD_FUNCTION " \" %lx <-- %lx\", REC->ip, REC->parent_ip"
#define NEW_FUNCTION " \" %ps <-- %ps\", (void *)REC->ip, (void *)REC->parent_ip"

/* Copies the text after "print fmt:"; NULL: memory is out. */
static char *take_print(const struct dkt_event *event, const char *print, size_t len)
{
	if (!strcmp(event->system, "ftrace") && !strcmp(event->name, "function") &&
	    len >= strlen(OLD_FUNCTION) && !memcmp(print, OLD_FUNCTION, strlen(OLD_FUNCTION)))
		return strdup(NEW_FUNCTION);
	return strndup(print, len);
}

#define PRINT_WORD "print fmt:"

/* A format that is too long keeps the fields at its beginning and loses its print format. */
static size_t limit(const struct dkt_event *event, size_t len)
{
	if (!event->bare || len <= DKT__FORMAT_MAX)
		return len;
	dkt__log(event->ctx, DKT_LOG_WARN,
		 "event %s:%s: its format has %zu bytes and the limit is %u;"
		 " its records are printed field by field",
		 event->system, event->name, len, DKT__FORMAT_MAX);
	return DKT__FORMAT_MAX;
}

/* Parses a format. libtraceevent cannot find an event again but by a look at all others. */
static struct tep_event *parse(struct tep_handle *tep, const struct dkt_event *event,
			       const char *format)
{
	struct tep_event *parsed = NULL;
	enum tep_errno err = tep_parse_format(tep, &parsed, format, strlen(format), event->system);

	/* Other errors do not matter: the fields are there even if the print format cannot be parsed. */
	if (err == TEP_ERRNO__MEM_ALLOC_FAILED || !parsed || strcmp(parsed->name, event->name))
		return NULL;
	return parsed;
}

int dkt__event_take_format(struct dkt_event *event, const char *text, size_t len)
{
	struct tep_handle *tep = dkt__tep(event->ctx);
	char *clean __cleanup(free) = NULL;
	const char *print;
	size_t n, taken;

	event->bare = dkt__ctx_foreign(event->ctx);
	taken = limit(event, len);
	clean = dkt__format_clean(text, taken, event->bare);
	if (!tep || !clean)
		return dkt__no_memory(event->ctx);
	event->tep = parse(tep, event, clean);
	if (!event->tep)
		return dkt_fail(event->ctx, -EINVAL, "parse format of event %s:%s", event->system,
				event->name);
	print = memmem(text, len, "\n" PRINT_WORD, strlen("\n" PRINT_WORD));
	if (print && taken == len) {
		print += strlen("\n" PRINT_WORD);
		event->print = take_print(event, print, len - (size_t)(print - text));
		if (!event->print)
			return dkt__no_memory(event->ctx);
	}
	/* libtraceevent's own counts are wrong if it cannot parse the format to its end. */
	n = count_fields(event->tep->format.common_fields) +
	    count_fields(event->tep->format.fields);
	event->fields = calloc(n + 1, sizeof(*event->fields) + sizeof(*event->field_list));
	if (!event->fields)
		return dkt__no_memory(event->ctx);
	event->field_list = (const struct dkt_field **)(event->fields + n + 1);
	add_fields(event, event->tep->format.common_fields, true);
	add_fields(event, event->tep->format.fields, false);
	return 0;
}

static int event_parse(struct dkt_event *event)
{
	char *text __cleanup(free) = NULL;
	size_t len;
	int err = 0;

	if (!event->format)
		err = dkt__tfs_read(event->ctx, &text, &len, "events/%s/%s/format", event->system,
				    event->name);
	if (err)
		return err;
	if (!dkt__tep(event->ctx))
		return dkt__no_memory(event->ctx);
	load_strings(event->ctx);
	return event->format ? dkt__event_take_format(event, event->format, event->format_len) :
			       dkt__event_take_format(event, text, len);
}

int dkt__event_text(struct dkt_event *event, char **text, size_t *len)
{
	*text = NULL;
	*len = event->format_len;
	/* The format of an event that has left the kernel cannot be read. */
	if (event->load_err)
		return dkt__with_words(event->ctx, event->load_err);
	if (!event->format)
		return dkt__tfs_read(event->ctx, text, len, "events/%s/%s/format", event->system,
				     event->name);
	*text = strndup(event->format, event->format_len);
	if (!*text)
		return dkt__no_memory(event->ctx);
	/* The text from a file may contain a NUL. */
	*len = strlen(*text);
	return 0;
}

int dkt__event_load(struct dkt_event *event)
{
	if (event->tep || event->fields)
		return 0;
	if (event->load_err)
		return dkt__with_words(event->ctx, event->load_err);
	event->load_err = dkt__starve(event->ctx, event_parse(event));
	if (event->load_err == -EIO || event->load_err == -EMFILE || event->load_err == -ENFILE)
		dkt__log(event->ctx, DKT_LOG_WARN,
			 "event %s:%s: %s; its records are printed as bytes", event->system,
			 event->name, dkt_error(event->ctx));
	return event->load_err;
}

int dkt_event_fields(struct dkt_event *event, const struct dkt_field *const **fields, size_t *n)
{
	dkt__needs(event ? event->ctx : NULL, dkt__clear(fields) && dkt__clear(n) && event);

	int err = dkt__event_load(event);

	*fields = err ? NULL : event->field_list;
	*n = err ? 0 : event->n_fields;
	return err;
}

const struct dkt_field *dkt_event_field(struct dkt_event *event, const char *name)
{
	if (!event || !name)
		return NULL;

	if (dkt__event_load(event))
		return NULL;
	for (size_t i = 0; i < event->n_fields; i++)
		if (!strcmp(event->fields[i].name, name))
			return &event->fields[i];
	return NULL;
}

const char *dkt__event_print_format(struct dkt_event *event)
{
	if (!event)
		return NULL;

	if (dkt__event_load(event))
		return NULL;
	return event->print ? event->print : "";
}
