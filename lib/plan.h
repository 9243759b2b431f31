/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A plan: an event's print format compiled into steps. Shared by the code that compiles and runs
 * plans.
 */
#pragma once

#include "lib/base/number.h"
#include "lib/ctx.h"

/* ---- values: the numbers in a print format ---- */

enum dkt__load {
	DKT__LOAD_CONST,
	DKT__LOAD_U8,
	DKT__LOAD_S8,
	DKT__LOAD_U16,
	DKT__LOAD_S16,
	DKT__LOAD_U32,
	DKT__LOAD_S32,
	DKT__LOAD_U64,
	DKT__LOAD_CODE, /* an expression */
};

/* One operation of an expression, which works on a stack of 64-bit numbers. */
enum dkt__code_op {
	DKT__CODE_CONST, /* push value */
	DKT__CODE_LOAD, /* push the number at offset, read by load */
	DKT__CODE_INDEX, /* pop an index; push that element of bytes */
	DKT__CODE_DYN_LEN, /* push the length of a dynamic array, in bytes */
	DKT__CODE_CAST, /* truncate and extend the top by load */
	DKT__CODE_BOOL, /* make the top 0 or 1 */
	DKT__CODE_NOT,
	DKT__CODE_SELECT, /* pop else, then, condition; push one of the two */
	DKT__CODE_ADD,
	DKT__CODE_SUB,
	DKT__CODE_MUL,
	DKT__CODE_DIV,
	DKT__CODE_DIV_SIGNED,
	DKT__CODE_MOD,
	DKT__CODE_MOD_SIGNED,
	DKT__CODE_SHL,
	DKT__CODE_SHR,
	DKT__CODE_SHR_SIGNED,
	DKT__CODE_AND,
	DKT__CODE_OR,
	DKT__CODE_XOR,
	DKT__CODE_EQ,
	DKT__CODE_NE,
	DKT__CODE_LT,
	DKT__CODE_LT_SIGNED,
	DKT__CODE_LE,
	DKT__CODE_LE_SIGNED,
	DKT__CODE_LOGIC_AND,
	DKT__CODE_LOGIC_OR,
};

/*
 * The position of bytes in the record: an array field, or the target of a __data_loc or __rel_loc.
 */
enum dkt__bytes_kind {
	DKT__BYTES_FIXED,
	DKT__BYTES_REST, /* from offset to the end of the record */
	DKT__BYTES_DYNAMIC,
	DKT__BYTES_RELATIVE,
};

struct dkt__bytes {
	uint8_t kind; /* enum dkt__bytes_kind */
	uint32_t offset; /* of the field */
	uint32_t size; /* of the field */
};

struct dkt__code {
	uint8_t op; /* enum dkt__code_op */
	uint8_t load; /* enum dkt__load */
	uint8_t element; /* INDEX: bytes of an element */
	struct dkt__bytes bytes; /* INDEX, DYN_LEN; LOAD: its offset */
	uint64_t value;
};

#define DKT__CODE_DEPTH 32

struct dkt__value {
	uint8_t load; /* enum dkt__load */
	uint32_t offset;
	uint32_t n_code;
	union {
		uint64_t constant;
		const struct dkt__code *code;
	};
};

/* ---- steps ---- */

enum dkt__step_op {
	DKT__STEP_TEXT, /* its literal only */
	DKT__STEP_END,
	DKT__STEP_DEC, /* plain %d */
	DKT__STEP_UDEC, /* plain %u */
	DKT__STEP_HEX, /* plain %x */
	DKT__STEP_HEX_ZERO, /* %0Nx, N up to 16 */
	DKT__STEP_INT, /* any other integer */
	DKT__STEP_CHAR,
	DKT__STEP_COMM, /* the name of a process: a field of DKT__COMM_BYTES, up to the first NUL */
	DKT__STEP_STRING, /* any other bytes up to the first NUL */
	DKT__STEP_KERNEL_STRING, /* %s of a pointer */
	DKT__STEP_SYMBOLIC,
	DKT__STEP_FLAGS,
	DKT__STEP_BYTES_HEX, /* __print_hex, __print_hex_str, %*ph */
	DKT__STEP_ARRAY, /* __print_array */
	DKT__STEP_BITMASK, /* a bitmap as hex words */
	DKT__STEP_BITLIST, /* a bitmap as ranges of bits */
	DKT__STEP_POINTER, /* %p */
	DKT__STEP_FUNCTION, /* %ps, %pS */
	DKT__STEP_NET, /* %pI4 and its like, %pM, %pU */
	DKT__STEP_UNLESS, /* jump if the value is 0 */
	DKT__STEP_JUMP,
	DKT__STEP_PAD_BEGIN, /* the steps up to PAD_END are truncated and padded */
	DKT__STEP_PAD_END,
};

enum dkt__net {
	DKT__NET_IP4,
	DKT__NET_IP6,
	DKT__NET_SOCKADDR,
	DKT__NET_MAC,
	DKT__NET_UUID,
};

/* A conversion's flags, width and precision, as in printf. */
struct dkt__spec {
	bool left; /* - */
	bool zero; /* 0 */
	bool alt; /* # */
	bool plus; /* + */
	bool space;
	bool is_signed;
	bool upper;
	uint8_t base;
	int32_t width; /* -1: none */
	int32_t precision; /* -1: none */
	const struct dkt__value *width_value; /* width given by an argument */
	const struct dkt__value *precision_value;
};

/* Parses the flags of a conversion; end NULL: the text ends at a NUL. Returns the rest. */
const char *dkt__spec_flags(const char *p, const char *end, struct dkt__spec *spec);

/* Parses the letters of a size; word: bytes of a long. Sets *size to that of the number. */
const char *dkt__spec_size(const char *p, const char *end, unsigned int word, unsigned int *size);

struct dkt__name {
	uint64_t value;
	const char *text;
	uint32_t len;
	uint32_t order; /* place in the format */
};

/* Names of values or bits; if sorted, in ascending order without duplicates. */
struct dkt__table {
	const struct dkt__name *names;
	uint32_t n;
	bool sorted;
	const char *delim;
	uint32_t delim_len;
};

struct dkt__step {
	const char *literal; /* text before the step; readable to a multiple of 16 bytes */
	uint32_t literal_len;
	uint8_t op; /* enum dkt__step_op */
	uint8_t kind; /* NET: enum dkt__net; FUNCTION: with offset; BYTES_HEX: the delimiter */
	char form; /* NET: the letter that selects a variant */
	bool port, compact, reverse;
	uint8_t digits; /* HEX_ZERO */
	uint32_t target; /* UNLESS, JUMP: index of a step */
	struct dkt__value value;
	struct dkt__bytes bytes;
	union {
		const struct dkt__spec *spec;
		const struct dkt__table *table;
		const struct dkt__value *count; /* BYTES_HEX, ARRAY, BITMASK; NULL: all */
	};
	const struct dkt__value *element; /* ARRAY: bytes of an element */
};

/* TASK_COMM_LEN of include/linux/sched.h. */
#define DKT__COMM_BYTES 16

/* A limit on the bytes that a short step writes after its literal. */
#define DKT__STEP_ROOM 48

enum dkt__plan_way {
	DKT__PLAN_STEPS,
	DKT__PLAN_STACK, /* kernel_stack, user_stack */
	DKT__PLAN_GRAPH, /* funcgraph_entry, fgraph_retaddr_entry, funcgraph_exit */
	DKT__PLAN_CALL, /* function, with its arguments */
	DKT__PLAN_BPRINT, /* trace_printk() */
	DKT__PLAN_TEP, /* printed by libtraceevent */
	DKT__PLAN_FIELDS, /* field=value */
};

struct dkt__plan {
	enum dkt__plan_way way;
	uint32_t need; /* bytes of the record that the steps read unchecked */
	uint32_t room; /* a limit on the bytes that the steps print; 0: unknown */
	bool plain; /* the steps print nothing that dkt__buf_escape() would change */
	struct dkt__step *steps;
	uint32_t n_steps;
	const struct tep_print_arg *args; /* of the print format; NULL: not parsed by dktrace */
	struct dkt__arena memory;
	size_t bytes; /* of memory, in use */
	bool full; /* the print format exceeds DKT__PLAN_MAX */
	bool starved; /* memory ran out */
};

/*
 * The memory limit of a plan, and of all plans together: a print format that exceeds it is not
 * compiled.
 */
#define DKT__PLAN_MAX  (16u << 20)
#define DKT__PLANS_MAX (256u << 20)

/*
 * Returns zeroed memory that lives as long as the plan; NULL if memory is out or the plan too
 * large.
 */
void *dkt__plan_alloc(struct dkt__plan *plan, size_t n);

/* Returns the number in the record's field of that name. */
static inline int64_t dkt__record_value(const struct dkt_record *record, const char *name)
{
	return dkt_record_int(record, dkt_event_field(record->event, name));
}

/* False for the end of a stack: older kernels write -1, of 4 or 8 bytes, and garbage after it. */
static inline bool dkt__is_caller(uint64_t address)
{
	return address && address != UINT32_MAX && address != UINT64_MAX;
}

/* True for events of trace_printk(), whose format is one of the kernel's strings. */
bool dkt__plan_is_bprint(struct dkt_event *event);
void dkt__plan_bprint_text(const struct dkt_record *record, struct dkt_buf *buf);

/* Swaps the bytes of the numbers among the arguments. The caller has swapped the fields. */
void dkt__plan_bprint_turn(struct dkt_event *event, uint8_t *data, uint32_t size);

/* Returns the event's plan, compiled at the first call; NULL if memory is out. */
const struct dkt__plan *dkt__plan_get(struct dkt_event *event);
void dkt__plan_free(struct dkt__plan *plan);

/* Parses a format file's text after "print fmt:". -EOPNOTSUPP: the parser does not support it. */
int dkt__plan_parse(struct dkt__plan *plan, struct tep_event *tep, const char *text,
		    struct tep_print_fmt *print);

/* Returns the character that a backslash and c stand for. */
char dkt__plan_unescape(char c);

/* Compiles a print format. -EOPNOTSUPP: no step can print part of it. */
int dkt__plan_compile(struct dkt__plan *plan, struct tep_event *tep,
		      const struct tep_print_fmt *print);

/* ---- plan/type.c: the identifiers in a print format ---- */

/* A number's C type. */
struct dkt__type {
	uint8_t size;
	bool is_signed;
};

extern const struct dkt__type dkt__type_int;
extern const struct dkt__type dkt__type_ulong;

/* Finds a type by name. False: not a known number or pointer. */
bool dkt__type_find(const char *name, struct dkt__type *type);

/* Finds the type that a pointer type points at. */
bool dkt__type_pointee(const char *name, struct dkt__type *type);

/* Finds the type of an array's elements; ignores the kernel's prefix: "__data_loc u32[]" */
bool dkt__type_element(const char *array, struct dkt__type *type);
struct dkt__type dkt__type_promote(struct dkt__type type);

/* Returns the common type by C's usual arithmetic conversions. */
struct dkt__type dkt__type_common(struct dkt__type a, struct dkt__type b);

/* Returns the load for a number of that size; DKT__LOAD_CONST: numbers do not have that size. */
uint8_t dkt__plan_load(unsigned int size, bool is_signed);
unsigned int dkt__load_size(uint8_t load);

/* Parses a constant of the format; false: an unknown name. */
bool dkt__plan_constant(const char *text, uint64_t *value, struct dkt__type *type);

/* Returns the field that the argument names, looked up by name if necessary, or NULL. */
struct tep_format_field *dkt__plan_field(struct tep_event *tep, struct tep_print_arg *arg);

/* Returns the argument inside its casts. */
struct tep_print_arg *dkt__plan_uncast(struct tep_print_arg *arg);

/* Makes the plan require these bytes in every record. -EOPNOTSUPP: no record is that long. */
int dkt__plan_needs(struct dkt__plan *plan, int offset, unsigned int size);
int dkt__plan_bytes(struct dkt__plan *plan, const struct tep_format_field *field,
		    struct dkt__bytes *bytes);

/* ---- plan/expr.c: expressions ---- */

/* Compiles a number. -EOPNOTSUPP: not a number, or too complex. */
int dkt__plan_value(struct dkt__plan *plan, struct tep_event *tep, struct tep_print_arg *arg,
		    struct dkt__value *value);

/* Truncates and extends the value by load. */
int dkt__plan_cast(struct dkt__plan *plan, struct dkt__value *value, uint8_t load);

/* ---- running ---- */

/* A record being printed. */
struct dkt__run {
	const uint8_t *data; /* at least plan->need readable bytes */
	uint32_t size; /* bytes of the record */
	struct dkt_ctx *ctx;
	struct dkt_buf *buf;
	char *p; /* where the next byte goes */
	char *end;
};

/* Appends the text of a record by the plan's steps; the record has at least plan->need bytes. */
void dkt__plan_run(const struct dkt__plan *plan, const struct dkt_record *record,
		   struct dkt_buf *buf);

/* The same at p, where plan->room bytes are available; the room is known. Returns the end. */
char *dkt__plan_put(const struct dkt__plan *plan, const struct dkt_record *record, char *p);
uint64_t dkt__plan_code(const struct dkt__run *run, const struct dkt__code *code, uint32_t n);
bool dkt__run_grow(struct dkt__run *run, size_t n);

/* Rare or long steps: plan/text.c, plan/net.c. */
void dkt__run_0x(struct dkt__run *run, uint64_t v);
void dkt__run_int(struct dkt__run *run, const struct dkt__step *step);
void dkt__run_kernel_string(struct dkt__run *run, const struct dkt__step *step);
void dkt__run_symbolic(struct dkt__run *run, const struct dkt__step *step);
void dkt__run_flags(struct dkt__run *run, const struct dkt__step *step);
void dkt__run_hex(struct dkt__run *run, const struct dkt__step *step);
void dkt__run_array(struct dkt__run *run, const struct dkt__step *step);
void dkt__run_bitmask(struct dkt__run *run, const struct dkt__step *step);
void dkt__run_bitlist(struct dkt__run *run, const struct dkt__step *step);
void dkt__run_pointer(struct dkt__run *run, const struct dkt__step *step);
void dkt__run_function(struct dkt__run *run, const struct dkt__step *step);
void dkt__run_pad(struct dkt__run *run, const struct dkt__step *step, size_t mark);
void dkt__run_net(struct dkt__run *run, const struct dkt__step *step);

/* Sets the step for the letters after %p, but not its bytes. False: not a network format. */
bool dkt__net_step(const char *letters, struct dkt__step *step);

/* Writes the digits of the value in the spec's base to text, at most 24. Returns their number. */
int dkt__int_digits(const struct dkt__spec *spec, uint64_t v, char *text);

/* Appends the name of the function at the address, or the address if the name is unknown. */
void dkt__function_text(struct dkt_ctx *ctx, uint64_t address, bool with_offset,
			struct dkt_buf *buf);

/* Returns the name of an error, also of those that only the kernel uses; NULL: unknown. */
const char *dkt__error_name(int err);

/* Ensures room for n bytes at run->p; false if memory is out. */
static inline bool dkt__run_room(struct dkt__run *run, size_t n)
{
	return dkt__likely((size_t)(run->end - run->p) >= n) || dkt__run_grow(run, n);
}

static inline void dkt__run_put(struct dkt__run *run, const void *bytes, size_t n)
{
	if (!dkt__run_room(run, n))
		return;
	dkt__copy_few(run->p, bytes, n);
	run->p += n;
}

static inline void dkt__run_putc(struct dkt__run *run, char c)
{
	dkt__run_put(run, &c, 1);
}

/* Reads a number of the record; the caller has checked the bounds. */
static inline uint64_t dkt__load_at(const uint8_t *p, uint8_t load)
{
	uint16_t u16;
	uint32_t u32;
	uint64_t u64;

	switch (load) {
	case DKT__LOAD_U8:
		return *p;
	case DKT__LOAD_S8:
		return (uint64_t)(int8_t)*p;
	case DKT__LOAD_U16:
		memcpy(&u16, p, sizeof(u16));
		return u16;
	case DKT__LOAD_S16:
		memcpy(&u16, p, sizeof(u16));
		return (uint64_t)(int16_t)u16;
	case DKT__LOAD_U32:
		memcpy(&u32, p, sizeof(u32));
		return u32;
	case DKT__LOAD_S32:
		memcpy(&u32, p, sizeof(u32));
		return (uint64_t)(int32_t)u32;
	default:
		memcpy(&u64, p, sizeof(u64));
		return u64;
	}
}

/* Truncates a number to a type and extends it to 64 bits again. */
static inline uint64_t dkt__cast(uint64_t v, uint8_t load)
{
	switch (load) {
	case DKT__LOAD_U8:
		return (uint8_t)v;
	case DKT__LOAD_S8:
		return (uint64_t)(int8_t)v;
	case DKT__LOAD_U16:
		return (uint16_t)v;
	case DKT__LOAD_S16:
		return (uint64_t)(int16_t)v;
	case DKT__LOAD_U32:
		return (uint32_t)v;
	case DKT__LOAD_S32:
		return (uint64_t)(int32_t)v;
	default:
		return v;
	}
}

static inline uint64_t dkt__run_value(const struct dkt__run *run, const struct dkt__value *value)
{
	switch (value->load) {
	case DKT__LOAD_CONST:
		return value->constant;
	case DKT__LOAD_CODE:
		return dkt__plan_code(run, value->code, value->n_code);
	default:
		return dkt__load_at(run->data + value->offset, value->load);
	}
}

/*
 * Returns the position of the bytes. *len counts only those within the record, because a damaged
 * record can claim more.
 */
static inline const uint8_t *dkt__run_bytes(const struct dkt__run *run,
					    const struct dkt__bytes *bytes, uint32_t *len)
{
	uint32_t at = bytes->offset, n = bytes->size, loc;

	if (bytes->kind == DKT__BYTES_FIXED) {
		*len = n;
		return run->data + at;
	}
	if (bytes->kind == DKT__BYTES_REST) {
		n = UINT32_MAX;
	} else {
		memcpy(&loc, run->data + at, sizeof(loc));
		at = (loc & 0xffff) + (bytes->kind == DKT__BYTES_RELATIVE ? at + n : 0);
		n = loc >> 16;
	}
	if (at > run->size)
		at = run->size;
	*len = DKT__MIN(n, run->size - at);
	return run->data + at;
}

/* ---- plan/unprint.c ---- */

/*
 * Fills the record's bytes after the common fields so that dkt_record_text() prints the text. The
 * caller has set the common fields in data, which has room bytes. Returns the record's size; 0: the
 * text does not match the print format.
 */
uint32_t dkt__unprint(struct dkt_event *event, const char *text, size_t len, uint8_t *data,
		      uint32_t room);
