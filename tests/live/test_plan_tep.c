/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Every event format of the running kernel, printed by its plan and by libtraceevent over
 * generated records: the texts must be equal, but for faults of libtraceevent that are listed.
 */
#include <ctype.h>

#include "lib/event.h"
#include "lib/plan.h"

#include "lib/base/banned.h"

#define SKIP        77
#define RECORDS     120 /* of each event; another number can be given */
#define MAX_DATA    8192
#define MAX_SHOWN   20
#define KERNEL_TEXT UINT64_C(0xffffffff81000000)

/*
 * The faults of libtraceevent 1.7.1, by the part of a format that shows them. A text that differs is
 * excused only in a format that has one of these; tests/unit/test_plan.c has the right texts.
 */
enum fault {
	FAULT_NAMES = 1,
	FAULT_SHIFT = 2,
	FAULT_BOOL = 4,
	FAULT_CHAR = 8,
	FAULT_BITMAP = 16,
	FAULT_WIDTH = 32,
	FAULT_PRECISION = 64,
	FAULT_ARRAY = 128,
	FAULT_TREE = 256,
};

static const char *const fault_words[] = {
	"a name of unknown, negative or no value in a list of flags or symbols is taken for -1",
	"1 << n is computed in 64 bits, in C it has the 32 bits of its left side",
	"a cast to bool leaves more than 0 and 1",
	"%c is printed as >c< and its argument given to the next conversion",
	"%*pb is printed as a pointer",
	"a width of %s is not applied to numbers that stand for unknown names and strings",
	"a negative precision from an argument is printed as %.*s",
	"__print_array prints 1 2 for the kernel's {0x1,0x2}",
	"a & (b | c) is taken for (a & b) | c, and the like; an unknown name in a sum for 0",
};

struct state {
	uint64_t seed;
	struct dkt_buf *text;
	unsigned int n_records;
	unsigned int faults; /* of the event being looked at */
	unsigned long no_text; /* formats that libtraceevent cannot parse, but a plan can print */
	unsigned long ways[DKT__PLAN_FIELDS + 1]; /* formats by enum dkt__plan_way */
	unsigned long records, equal, by_sign, excused, wrong;
	unsigned long by_fault[ARRAY_SIZE(fault_words)];
};

struct data {
	uint8_t bytes[MAX_DATA];
	uint32_t size;
};

/* ---- faults ---- */

static unsigned int faults_of_names(const struct tep_print_flag_sym *sym, bool flags)
{
	struct dkt__type type;
	uint64_t value;

	for (; sym; sym = sym->next)
		if (!isdigit((unsigned char)sym->value[0]) ||
		    !dkt__plan_constant(sym->value, &value, &type) || (flags && !value))
			return FAULT_NAMES;
	return 0;
}

static unsigned int faults_of_arg(const struct tep_print_arg *arg)
{
	switch (arg ? arg->type : TEP_PRINT_NULL) {
	case TEP_PRINT_FLAGS:
		return faults_of_names(arg->flags.flags, true) | faults_of_arg(arg->flags.field);
	case TEP_PRINT_SYMBOL:
		return faults_of_names(arg->symbol.symbols, false) |
		       faults_of_arg(arg->symbol.field);
	case TEP_PRINT_TYPE:
		return (!strcmp(arg->typecast.type, "bool") ? FAULT_BOOL : 0) |
		       faults_of_arg(arg->typecast.item);
	case TEP_PRINT_OP:
		return (!strcmp(arg->op.op, "<<") ? FAULT_SHIFT : 0) | faults_of_arg(arg->op.left) |
		       faults_of_arg(arg->op.right);
	case TEP_PRINT_INT_ARRAY:
		return FAULT_ARRAY;
	default:
		return 0;
	}
}

static unsigned int faults_of_format(const char *p)
{
	unsigned int faults = 0;

	for (; (p = strchr(p, '%')); p++) {
		size_t n = strspn(p + 1, "-#0123456789.*lh");
		const char *dot = memchr(p, '.', n + 1);

		if (p[n + 1] == 'c')
			faults |= FAULT_CHAR;
		else if (p[n + 1] == 'p' && p[n + 2] == 'b')
			faults |= FAULT_BITMAP;
		else if (p[n + 1] == 's' && dot && dot[1] == '*')
			faults |= FAULT_PRECISION;
		else if (p[n + 1] == 's' && n)
			faults |= FAULT_WIDTH;
	}
	return faults;
}

static bool same_names(const struct tep_print_flag_sym *ours,
		       const struct tep_print_flag_sym *theirs)
{
	struct dkt__type type;
	uint64_t a, b;

	for (; ours && theirs; ours = ours->next, theirs = theirs->next) {
		bool known = dkt__plan_constant(ours->value, &a, &type);

		if (known != dkt__plan_constant(theirs->value, &b, &type) || (known && a != b))
			return false;
	}
	return !ours;
}

/* Whether libtraceevent understood the expression as we do. */
static bool same_tree(struct tep_print_arg *ours, struct tep_print_arg *theirs)
{
	ours = dkt__plan_uncast(ours);
	theirs = dkt__plan_uncast(theirs);
	if (!ours || !theirs)
		return ours == theirs;
	/* -1 is one word there, an operation on 1 here. */
	if (ours->type == TEP_PRINT_OP && theirs->type == TEP_PRINT_ATOM)
		return theirs->atom.atom[0] == '-';
	if (ours->type != theirs->type)
		return false;
	switch (ours->type) {
	case TEP_PRINT_OP:
		return !strcmp(ours->op.op, theirs->op.op) &&
		       same_tree(ours->op.left, theirs->op.left) &&
		       same_tree(ours->op.right, theirs->op.right);
	case TEP_PRINT_FLAGS:
		return same_tree(ours->flags.field, theirs->flags.field) &&
		       same_names(ours->flags.flags, theirs->flags.flags);
	case TEP_PRINT_SYMBOL:
		return same_tree(ours->symbol.field, theirs->symbol.field) &&
		       same_names(ours->symbol.symbols, theirs->symbol.symbols);
	default:
		return true;
	}
}

static unsigned int faults_of_tree(const struct dkt_event *event)
{
	struct dkt__plan *plan = calloc(1, sizeof(*plan));
	struct tep_print_arg *ours = NULL, *theirs = event->tep->print_fmt.args;
	struct tep_print_fmt print;

	if (plan && !dkt__plan_parse(plan, event->tep, event->print, &print))
		for (ours = print.args; ours && same_tree(ours, theirs); ours = ours->next)
			theirs = theirs->next;
	dkt__plan_free(plan);
	return ours ? FAULT_TREE : 0;
}

static unsigned int faults_of(const struct dkt_event *event)
{
	unsigned int faults = faults_of_format(event->tep->print_fmt.format);
	const struct tep_print_arg *arg;

	for (arg = event->tep->print_fmt.args; arg; arg = arg->next)
		faults |= faults_of_arg(arg);
	return faults | faults_of_tree(event);
}

/* ---- records ---- */

/* xorshift64*: the same records in every run. */
static uint64_t next_random(struct state *state)
{
	state->seed ^= state->seed >> 12;
	state->seed ^= state->seed << 25;
	state->seed ^= state->seed >> 27;
	return state->seed * UINT64_C(0x2545f4914f6cdd1d);
}

static void put_number(struct data *data, const struct tep_format_field *field, uint64_t v)
{
	if (field->size <= 8)
		memcpy(data->bytes + field->offset, &v, (size_t)field->size);
}

static void fill_text(struct state *state, uint8_t *p, size_t len)
{
	size_t i, n = len ? next_random(state) % len : 0;

	for (i = 0; i < len; i++)
		p[i] = i < n ? (uint8_t)(' ' + 1 + next_random(state) % 94) : 0;
}

static void fill_bytes(struct state *state, uint8_t *p, size_t len, unsigned int kind)
{
	size_t i;

	for (i = 0; i < len; i++)
		p[i] = kind == 0 ? 0 : kind == 1 ? 0xff : (uint8_t)next_random(state);
}

/* A dynamic array follows all fields. */
static void fill_dynamic(struct state *state, const struct tep_format_field *field,
			 struct data *data, unsigned int kind)
{
	uint32_t len = (uint32_t)(next_random(state) % 5) * 8;
	uint32_t at = data->size;

	if (field->flags & TEP_FIELD_IS_STRING && len)
		fill_text(state, data->bytes + at, len);
	else
		fill_bytes(state, data->bytes + at, len, kind);
	data->size += len;
	if (field->flags & DKT__TEP_RELATIVE)
		at -= (uint32_t)(field->offset + field->size);
	put_number(data, field, at | len << 16);
}

/* A field without a size ends with the record. */
static void fill_rest(struct state *state, struct data *data)
{
	fill_text(state, data->bytes + data->size, 24);
	data->size += 24;
}

static void fill_field(struct state *state, const struct tep_format_field *field, struct data *data,
		       unsigned int kind)
{
	uint8_t *p = data->bytes + field->offset;

	if (!field->size)
		fill_rest(state, data);
	else if (field->flags & TEP_FIELD_IS_DYNAMIC)
		fill_dynamic(state, field, data, kind);
	else if (field->flags & TEP_FIELD_IS_STRING && field->flags & TEP_FIELD_IS_ARRAY)
		fill_text(state, p, (size_t)field->size);
	else if (kind == 2)
		put_number(data, field, next_random(state) % 40);
	else if (kind == 3 && field->size == 8)
		put_number(data, field, KERNEL_TEXT + next_random(state) % 0x1000000);
	else if (kind == 3)
		put_number(data, field, UINT64_C(1) << next_random(state) % 64);
	else
		fill_bytes(state, p, (size_t)field->size, kind);
	/* Addresses of internet sockets are what %pISpc is about. */
	if (field->size == 28 && kind > 1) {
		p[0] = next_random(state) & 1 ? 2 : 10;
		p[1] = 0;
	}
}

/* libtraceevent believes an array's count: it must not lead out of the array. */
static void limit_count(struct tep_event *tep, struct tep_print_arg *array,
			struct tep_print_arg *count, uint32_t element, struct data *data)
{
	struct tep_format_field *field, *bytes;
	uint32_t loc;

	count = dkt__plan_uncast(count);
	array = dkt__plan_uncast(array);
	field = count ? dkt__plan_field(tep, count) : NULL;
	bytes = array ? dkt__plan_field(tep, array) : NULL;
	if (!field || !bytes || count->type != TEP_PRINT_FIELD)
		return;
	memcpy(&loc, data->bytes + bytes->offset, sizeof(loc));
	loc = bytes->flags & TEP_FIELD_IS_DYNAMIC ? loc >> 16 : (uint32_t)bytes->size;
	put_number(data, field, loc / element);
}

static void limit_counts(struct tep_event *tep, struct tep_print_arg *arg, struct data *data)
{
	for (; arg; arg = arg->next) {
		if (arg->type == TEP_PRINT_HEX || arg->type == TEP_PRINT_HEX_STR)
			limit_count(tep, arg->hex.field, arg->hex.size, 1, data);
		else if (arg->type == TEP_PRINT_INT_ARRAY)
			limit_count(tep, arg->int_array.field, arg->int_array.count, 8, data);
		else if (arg->type == TEP_PRINT_OP) {
			limit_counts(tep, arg->op.left, data);
			limit_counts(tep, arg->op.right, data);
		}
	}
}

static bool make_data(struct state *state, struct tep_event *tep, struct data *data,
		      unsigned int kind)
{
	const struct tep_format_field *field;

	memset(data, 0, sizeof(*data));
	for (field = tep->format.fields; field; field = field->next)
		if (data->size < (uint32_t)(field->offset + field->size))
			data->size = (uint32_t)(field->offset + field->size);
	data->size = (data->size + 8) & ~7U;
	if (data->size > MAX_DATA / 2)
		return false;
	for (field = tep->format.fields; field; field = field->next)
		fill_field(state, field, data, kind);
	limit_counts(tep, tep->print_fmt.args, data);
	put_number(data, tep_find_common_field(tep, "common_type"), (uint64_t)tep->id);
	return true;
}

/* True if there was a sign to clear. */
static bool clear_signs(struct tep_event *tep, struct data *data)
{
	const struct tep_format_field *field;
	bool any = false;
	unsigned int i, size;

	for (field = tep->format.fields; field; field = field->next) {
		size = field->elementsize ? field->elementsize : (unsigned int)field->size;
		if (!(field->flags & TEP_FIELD_IS_SIGNED) || !size)
			continue;
		for (i = size; i <= (unsigned int)field->size; i += size) {
			any |= data->bytes[field->offset + (int)i - 1] >> 7;
			data->bytes[field->offset + (int)i - 1] &= 0x7f;
		}
	}
	return any;
}

/* ---- comparing ---- */

static char *text_of_tep(struct dkt_event *event, struct data *data)
{
	struct tep_record rec = { .size = (int)data->size, .data = data->bytes };
	struct trace_seq seq;
	char *text;

	trace_seq_init(&seq);
	tep_print_event(event->tep->tep, &seq, &rec, "%s", TEP_PRINT_INFO);
	trace_seq_terminate(&seq);
	while (seq.len && seq.buffer[seq.len - 1] == '\n')
		seq.buffer[--seq.len] = '\0';
	text = strdup(seq.buffer);
	trace_seq_destroy(&seq);
	return text;
}

static const char *text_of_plan(struct state *state, struct dkt_event *event, struct data *data)
{
	struct dkt_record record = { .event = event, .data = data->bytes, .size = data->size };
	size_t len;

	dkt_buf_reset(state->text);
	dkt_record_text(&record, state->text);
	dkt__buf_add(state->text, "", 1);
	return dkt_buf_data(state->text, &len);
}

static bool texts_equal(struct state *state, struct dkt_event *event, struct data *data)
{
	char *theirs __cleanup(free) = text_of_tep(event, data);

	return theirs && !strcmp(theirs, text_of_plan(state, event, data));
}

static void show(struct state *state, struct dkt_event *event, struct data *data)
{
	char *theirs __cleanup(free) = text_of_tep(event, data);

	if (state->wrong > MAX_SHOWN)
		return;
	printf("%s:%s: \"%s\"\n\tlibtraceevent: %s\n\tplan:          %s\n", event->system,
	       event->name, event->tep->print_fmt.format, theirs ? theirs : "",
	       text_of_plan(state, event, data));
}

static void excuse(struct state *state)
{
	size_t i;

	state->excused++;
	for (i = 0; i < ARRAY_SIZE(fault_words); i++)
		if (state->faults & 1U << i)
			state->by_fault[i]++;
}

static void compare(struct state *state, struct dkt_event *event, struct data *data)
{
	struct data before = *data;

	state->records++;
	if (texts_equal(state, event, data))
		state->equal++;
	else if (clear_signs(event->tep, data) && texts_equal(state, event, data))
		state->by_sign++;
	else if (state->faults)
		excuse(state);
	else if (++state->wrong)
		show(state, event, &before);
}

/* Other processes may remove their probes meanwhile. */
static bool is_gone(const struct dkt_event *event)
{
	char *path __cleanup(free) = NULL;

	if (asprintf(&path, "%s/events/%s/%s", dkt_tracefs_dir(event->ctx), event->system,
		     event->name) < 0)
		path = NULL;
	return path && access(path, F_OK) && errno == ENOENT;
}

static void check_event(struct state *state, struct dkt_event *event)
{
	struct data *data __cleanup(free) = malloc(sizeof(*data));
	unsigned int i;

	if (data && dkt__event_load(event) && is_gone(event))
		return;
	if (!data || dkt__event_load(event)) {
		printf("%s:%s: no format\n", event->system, event->name);
		state->wrong++;
		return;
	}
	state->ways[dkt__plan_get(event)->way]++;
	if (event->plan->way != DKT__PLAN_STEPS)
		return;
	if ((unsigned int)event->tep->flags & TEP_EVENT_FL_FAILED) {
		state->no_text++;
		return;
	}
	state->faults = faults_of(event);
	for (i = 0; i < state->n_records; i++)
		if (make_data(state, event->tep, data, i % 6))
			compare(state, event, data);
}

/* Events that cannot be enabled are in no list, but their records are in the buffers. */
static void check_own(struct state *state, struct dkt_ctx *ctx)
{
	DIR *dir __cleanup(closedir) = NULL;
	char *path __cleanup(free) = NULL;
	struct dkt_event *event;
	struct dirent *entry;

	if (asprintf(&path, "%s/events/ftrace", dkt_tracefs_dir(ctx)) < 0)
		path = NULL;
	dir = path ? opendir(path) : NULL;
	while (dir && (entry = readdir(dir))) {
		event = dkt_event_find(ctx, "ftrace", entry->d_name);
		if (event)
			check_event(state, event);
	}
}

static void report(const struct state *state)
{
	size_t i;

	printf("formats: %lu by plan, %lu as stacks, %lu by libtraceevent, %lu field by field\n",
	       state->ways[DKT__PLAN_STEPS], state->ways[DKT__PLAN_STACK],
	       state->ways[DKT__PLAN_TEP], state->ways[DKT__PLAN_FIELDS]);
	printf("%lu of these plans are for formats that libtraceevent cannot parse\n",
	       state->no_text);
	printf("records: %lu, equal %lu\n", state->records, state->equal);
	printf("%lu differ by a negative number that libtraceevent reads as a positive one\n",
	       state->by_sign);
	printf("%lu differ by other faults of libtraceevent:\n", state->excused);
	for (i = 0; i < ARRAY_SIZE(fault_words); i++)
		if (state->by_fault[i])
			printf("%8lu %s\n", state->by_fault[i], fault_words[i]);
	printf("%lu differ for no reason known\n", state->wrong);
}

int main(int argc, char **argv)
{
	struct state state = { .seed = UINT64_C(0x9e3779b97f4a7c15), .n_records = RECORDS };
	struct dkt_event *const *events;
	struct dkt_ctx *ctx;
	size_t n, i;

	if (argc > 1)
		state.n_records = (unsigned int)strtoul(argv[1], NULL, 10);
	if (dkt_ctx_new(NULL, &ctx) || dkt_buf_new(&state.text))
		return 1;
	if (dkt_tracefs_open(ctx, 0) || dkt_events(ctx, &events, &n)) {
		printf("SKIP: %s\n", dkt_error(ctx));
		return SKIP;
	}
	for (i = 0; i < n; i++)
		check_event(&state, events[i]);
	check_own(&state, ctx);
	report(&state);
	printf("%d passed, %d failed\n", !state.wrong, !!state.wrong);
	dkt_buf_free(state.text);
	dkt_ctx_free(ctx);
	return state.wrong ? 1 : 0;
}
