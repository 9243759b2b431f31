/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Arguments of traced functions. The kernel's options func-args and funcgraph-args record the
 * registers that can hold arguments, without regard to the function. The text is that of the kernel's
 * trace file and of trace-cmd.
 */
#include "lib/plan/call_args.h"

#include "lib/base/keymap.h"
#include "lib/debuginfo/btf.h"
#include "lib/event.h"
#include "lib/plan.h"

/* More than a function has. */
#define MAX_PARAMS 32

enum shape {
	SHAPE_POINTER,
	SHAPE_SIGNED,
	SHAPE_UNSIGNED,
	SHAPE_ENUM,
	SHAPE_OTHER, /* a struct by value, which may take several registers */
	SHAPE_REST, /* variable arguments */
};

struct param {
	const char *name;
	const char *kind; /* SHAPE_OTHER: its kind of type */
	uint64_t size;
	enum shape shape;
};

struct call {
	const struct param *params; /* NULL: unknown function */
	size_t n;
};

struct dkt__call_args {
	struct dkt__symbol_text given; /* of a file, unparsed */
	struct dkt__btf *btf;
	bool loaded; /* or tried to */
	struct dkt__keymap functions; /* by address */
	struct call *calls; /* the same, by entry */
	size_t n_calls;
};

static void args_free(void *data)
{
	struct dkt__call_args *args = ((struct dkt_ctx *)data)->call_args;

	if (!args)
		return;
	dkt__btf_free(args->btf);
	dkt__keymap_clear(&args->functions);
	free(args->calls);
	free(args);
}

static struct dkt__call_args *args_of(struct dkt_ctx *ctx)
{
	if (!ctx->call_args && !dkt__ctx_at_end(ctx, args_free, ctx))
		ctx->call_args = calloc(1, sizeof(*ctx->call_args));
	if (ctx->call_args)
		ctx->call_args->functions.n_words = 1;
	return ctx->call_args;
}

int dkt__call_args_given(struct dkt_ctx *ctx, const struct dkt__symbol_text *btf)
{
	struct dkt__call_args *args = btf->bytes ? args_of(ctx) : NULL;

	if (!btf->bytes)
		return 0;
	if (!args)
		return dkt__no_memory(ctx);
	args->given = *btf;
	return 0;
}

const struct dkt__symbol_text *dkt__call_args_btf(const struct dkt_ctx *ctx)
{
	return ctx->call_args && ctx->call_args->given.bytes ? &ctx->call_args->given : NULL;
}

const struct dkt_field *dkt__call_args_field(struct dkt_event *event)
{
	static const char *const calls[] = { "function", "funcgraph_entry",
					     "fgraph_retaddr_entry" };

	if (strcmp(event->system, "ftrace") != 0)
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		if (!strcmp(event->name, calls[i]))
			return dkt_event_field(event, "args");
	return NULL;
}

/* ---- functions ---- */

static void load_given(struct dkt_ctx *ctx, struct dkt__call_args *args)
{
	char *bytes __cleanup(free) = NULL;
	size_t size;
	int err = dkt__symbol_text_unpack(&args->given, &bytes, &size);

	if (err == -EBADMSG)
		dkt__log(ctx, DKT_LOG_WARN, "the file's BTF cannot be unpacked");
	else if (!err && dkt__btf_parse(ctx, bytes, size, NULL, &args->btf))
		dkt__log(ctx, DKT_LOG_WARN, "the file's BTF: %s", dkt_error(ctx));
}

/* A kernel without BTF prints its arguments as numbers, too. */
static struct dkt__btf *btf_of(struct dkt_ctx *ctx, struct dkt__call_args *args)
{
	if (args->loaded)
		return args->btf;
	args->loaded = true;
	if (ctx->given)
		load_given(ctx, args);
	else if (dkt__btf_load(ctx, NULL, &args->btf))
		args->btf = NULL;
	return args->btf;
}

static const char *kind_name(enum ctype_kind kind)
{
	switch (kind) {
	case CTYPE_STRUCT:
		return "STRUCT";
	case CTYPE_UNION:
		return "UNION";
	case CTYPE_FLOAT:
		return "FLOAT";
	case CTYPE_ARRAY:
		return "ARRAY";
	default:
		return "?";
	}
}

static void shape_param(struct ctype_source *types, const struct ctype_param *from,
			struct param *to)
{
	struct ctype type;

	if (types->get(types, from->type, &type))
		type = (struct ctype){ .kind = CTYPE_NONE };
	to->size = type.size;
	switch (type.kind) {
	case CTYPE_POINTER:
		to->shape = SHAPE_POINTER;
		break;
	case CTYPE_INT:
	case CTYPE_CHAR:
	case CTYPE_BOOL:
		to->shape = type.is_signed ? SHAPE_SIGNED : SHAPE_UNSIGNED;
		break;
	case CTYPE_ENUM:
		to->shape = type.size > 4 ? SHAPE_SIGNED : SHAPE_ENUM;
		break;
	default:
		to->shape = SHAPE_OTHER;
		to->kind = kind_name(type.kind);
	}
}

/* Takes the parameters of a function from BTF. Leaves call as it is if the function is not there. */
static int find_params(struct dkt_ctx *ctx, struct dkt__btf *btf, const char *function,
		       struct call *call)
{
	struct param params[MAX_PARAMS] = { 0 };
	struct ctype_param param;
	uint32_t id;
	size_t n = 0;
	int err = 0;
	void *kept;

	if (dkt__btf_function(btf, function, &id))
		return 0;
	for (; n < MAX_PARAMS && !err; n++) {
		err = dkt__btf_param(btf, id, n, &param);
		if (err == 1)
			break;
		params[n].name = param.name;
		if (err == -EOPNOTSUPP)
			params[n].shape = SHAPE_REST;
		else if (!err)
			shape_param(dkt__btf_types(btf), &param, &params[n]);
	}
	kept = dkt__ctx_keep(ctx, (n + 1) * sizeof(*params));
	if (!kept)
		return -ENOMEM;
	call->params = memcpy(kept, params, n * sizeof(*params));
	call->n = n;
	return 0;
}

/* Returns the function at the address; NULL: memory is out. */
static const struct call *find_call(struct dkt_ctx *ctx, struct dkt__call_args *args, uint64_t func)
{
	bool added;
	uint32_t entry = dkt__keymap_add(&args->functions, &func, &added);
	struct call *call =
		entry == DKT__KEYMAP_NONE ? NULL : dkt__reach(args->calls, args->n_calls, entry);
	const char *name;
	struct dkt__btf *btf;

	if (!call || !added)
		return call;
	*call = (struct call){ 0 };
	btf = btf_of(ctx, args);
	name = btf ? dkt_symbol_name(ctx, func, NULL) : NULL;
	return name && find_params(ctx, btf, name, call) ? NULL : call;
}

/* ---- text ---- */

struct values {
	const uint8_t *at;
	size_t n, next;
	unsigned int size; /* of each */
};

static uint64_t next_value(struct values *values)
{
	return dkt__load_at(values->at + values->next++ * values->size,
			    dkt__plan_load(values->size, false));
}

/* The register has more bits than the type, which the caller of the function need not have cleared. */
static uint64_t cut(uint64_t value, uint64_t size)
{
	return size && size < 8 ? value & ((UINT64_C(1) << size * 8) - 1) : value;
}

static void put_hex(struct dkt_buf *buf, uint64_t value)
{
	dkt_buf_str(buf, "0x");
	dkt__buf_hex(buf, value, 0, ' ');
}

/* "(STRUCT)[0x1:0x2]": the registers of a value. */
static void put_other(struct dkt_buf *buf, const struct param *param, struct values *values)
{
	dkt_buf_printf(buf, "(%s)[", param->kind);
	put_hex(buf, next_value(values));
	for (uint64_t at = values->size; at < param->size; at += values->size) {
		dkt_buf_str(buf, ":");
		if (values->next == values->n) {
			dkt_buf_str(buf, "...");
			break;
		}
		put_hex(buf, next_value(values));
	}
	dkt_buf_str(buf, "]");
}

static void put_value(struct dkt_buf *buf, const struct param *param, struct values *values)
{
	switch (param->shape) {
	case SHAPE_SIGNED:
		/* The kernel and trace-cmd show a negative int as a large number, too. */
		dkt_buf_printf(buf, "%lld", (long long)cut(next_value(values), param->size));
		break;
	case SHAPE_ENUM:
		dkt_buf_printf(buf, "%d", (int)next_value(values));
		break;
	case SHAPE_UNSIGNED:
		put_hex(buf, cut(next_value(values), param->size));
		break;
	case SHAPE_OTHER:
		put_other(buf, param, values);
		break;
	default:
		put_hex(buf, next_value(values));
	}
}

static void put_params(struct dkt_buf *buf, const struct call *call, struct values *values)
{
	for (size_t i = 0; i < call->n; i++) {
		const struct param *param = &call->params[i];

		if (i)
			dkt_buf_str(buf, ", ");
		if (values->next == values->n || param->shape == SHAPE_REST) {
			dkt_buf_str(buf, "...");
			return;
		}
		dkt_buf_str(buf, param->name);
		dkt_buf_str(buf, "=");
		put_value(buf, param, values);
	}
}

static void put_numbers(struct dkt_buf *buf, struct values *values)
{
	while (values->next < values->n) {
		if (values->next)
			dkt_buf_str(buf, ", ");
		dkt__buf_hex(buf, next_value(values), 0, ' ');
	}
}

void dkt__call_args_text(struct dkt_ctx *ctx, uint64_t func, const struct dkt_record *record,
			 const struct dkt_field *field, struct dkt_buf *buf)
{
	struct values values = { .size = field->element == 4 ? 4 : 8 };
	struct dkt__call_args *args;
	const struct call *call;

	if (field->offset >= record->size)
		return;
	values.at = (const uint8_t *)record->data + field->offset;
	values.n = (record->size - field->offset) / values.size;
	/* Recorded without arguments. */
	if (!values.n)
		return;
	args = args_of(ctx);
	call = args ? find_call(ctx, args, func) : NULL;
	if (!call)
		buf->err = -ENOMEM;
	else if (call->params)
		put_params(buf, call, &values);
	else
		put_numbers(buf, &values);
}
