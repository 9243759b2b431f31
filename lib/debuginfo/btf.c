/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads functions and types of the kernel and its modules from BTF, with libbpf. */
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "lib/base/intern.h"
#include "lib/base/io.h"
#include "lib/debuginfo/btf.h"

/* BTF_KIND_*, which headers of older kernels lack. */
#define KIND_FLOAT    16
#define KIND_TYPE_TAG 18
#define KIND_ENUM64   19

/* The kernel refuses more than 16 MB of types; with strings a kernel has 5 to 15. */
#define BTF_MAX (256u << 20)

struct dkt__btf {
	struct ctype_source source; /* first: the callbacks get its address */
	struct btf *btf;
	struct dkt__btf *base;
	struct dkt__intern names; /* of functions, from the first search for one on */
	uint32_t *functions; /* their types, by number of the name */
	size_t n_functions;
};

static struct btf *btf_of(struct ctype_source *source)
{
	return ((struct dkt__btf *)(void *)source)->btf;
}

static const char *name_at(const struct btf *btf, uint32_t offset)
{
	const char *name = btf__name_by_offset(btf, offset);

	return name ? name : "";
}

/* ---- types ---- */

/*
 * Skips typedefs and qualifiers. Sets *user if one of them marks memory of the process. NULL: the
 * types form a circle.
 */
static const struct btf_type *strip(const struct btf *btf, uint32_t *id, bool *user)
{
	const struct btf_type *type = btf__type_by_id(btf, *id);

	for (unsigned int depth = 0; type && depth < CTYPE_DEPTH; depth++) {
		if (!btf_is_mod(type) && !btf_is_typedef(type) && btf_kind(type) != KIND_TYPE_TAG)
			return type;
		if (user && btf_kind(type) == KIND_TYPE_TAG &&
		    !strcmp(name_at(btf, type->name_off), "user"))
			*user = true;
		*id = type->type;
		type = btf__type_by_id(btf, *id);
	}
	return NULL;
}

static void get_int(const struct btf_type *t, struct ctype *type)
{
	uint8_t encoding = btf_int_encoding(t);

	type->kind = encoding & BTF_INT_BOOL ? CTYPE_BOOL : CTYPE_INT;
	/* Compilers rarely set BTF_INT_CHAR, so check the name, too. */
	if (encoding & BTF_INT_CHAR || (t->size == 1 && !strcmp(type->name, "char")))
		type->kind = CTYPE_CHAR;
	type->is_signed = encoding & BTF_INT_SIGNED;
	type->size = t->size;
}

static void get_pointer(const struct btf *btf, const struct btf_type *t, struct ctype *type)
{
	uint32_t target = t->type;

	type->kind = CTYPE_POINTER;
	type->size = sizeof(void *);
	type->target = t->type;
	strip(btf, &target, &type->user);
}

static void get_array(const struct btf_type *t, struct ctype *type)
{
	const struct btf_array *array = btf_array(t);

	type->kind = CTYPE_ARRAY;
	type->target = array->type;
	type->count = array->nelems;
}

static void get_enum(const struct btf_type *t, struct ctype *type)
{
	type->kind = CTYPE_ENUM;
	type->size = t->size;
	type->is_signed = btf_kflag(t);
}

static int btf_get(struct ctype_source *source, uint32_t id, struct ctype *type)
{
	const struct btf *btf = btf_of(source);
	const struct btf_type *t = strip(btf, &id, NULL);

	*type = (struct ctype){ .id = id };
	if (!t)
		return -EINVAL;
	snprintf(type->name, sizeof(type->name), "%s", name_at(btf, t->name_off));
	switch (btf_kind(t)) {
	case BTF_KIND_UNKN: /* type 0 */
		type->kind = CTYPE_VOID;
		return 0;
	case BTF_KIND_INT:
		get_int(t, type);
		return 0;
	case BTF_KIND_ENUM:
	case KIND_ENUM64:
		get_enum(t, type);
		return 0;
	case KIND_FLOAT:
		type->kind = CTYPE_FLOAT;
		type->size = t->size;
		return 0;
	case BTF_KIND_PTR:
		get_pointer(btf, t, type);
		return 0;
	case BTF_KIND_ARRAY:
		get_array(t, type);
		return 0;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		type->kind = btf_is_struct(t) ? CTYPE_STRUCT : CTYPE_UNION;
		type->size = t->size;
		return 0;
	case BTF_KIND_FWD:
		type->kind = btf_kflag(t) ? CTYPE_UNION : CTYPE_STRUCT;
		type->declared = true;
		return 0;
	case BTF_KIND_FUNC:
	case BTF_KIND_FUNC_PROTO:
		type->kind = CTYPE_FUNCTION;
		return 0;
	default:
		return -EINVAL;
	}
}

static int btf_each_member(struct ctype_source *source, uint32_t id, ctype_member_fn fn, void *data)
{
	const struct btf *btf = btf_of(source);
	const struct btf_type *t = btf__type_by_id(btf, id);
	const struct btf_member *m;
	int end = 0;

	if (!t || !btf_is_composite(t))
		return t && btf_is_fwd(t) ? 0 : -EINVAL;
	m = btf_members(t);
	for (uint32_t i = 0; !end && i < btf_vlen(t); i++) {
		struct ctype_member member = {
			.name = name_at(btf, m[i].name_off),
			.type = m[i].type,
			.bit_offset = btf_member_bit_offset(t, i),
			.bits = btf_member_bitfield_size(t, i),
		};

		end = fn(data, &member);
	}
	return end;
}

static int btf_find(struct ctype_source *source, enum ctype_kind kind, const char *name,
		    uint32_t *id)
{
	uint32_t kinds = kind == CTYPE_STRUCT ? BTF_KIND_STRUCT :
			 kind == CTYPE_UNION  ? BTF_KIND_UNION :
			 kind == CTYPE_ENUM   ? BTF_KIND_ENUM :
						BTF_KIND_TYPEDEF;
	int found = btf__find_by_name_kind(btf_of(source), name, kinds);

	if (found <= 0 && kinds == BTF_KIND_TYPEDEF)
		found = btf__find_by_name_kind(btf_of(source), name, BTF_KIND_INT);
	*id = found > 0 ? (uint32_t)found : 0;
	return found > 0 ? 0 : -ENOENT;
}

/* ---- functions ---- */

/* The first of several functions of a name counts. */
static int add_function(struct dkt__btf *btf, const struct btf_type *t)
{
	const char *name = name_at(btf->btf, t->name_off);
	uint32_t nr = dkt__intern(&btf->names, name, (uint32_t)strlen(name));

	if (nr == UINT32_MAX)
		return -ENOMEM;
	return nr < btf->n_functions ? 0 : dkt__append(btf->functions, btf->n_functions, t->type);
}

/* libbpf walks through all types for each name, and a trace has arguments of thousands of functions. */
static int index_functions(struct dkt__btf *btf)
{
	int err = 0;

	/* The call for the number of types changed its name in libbpf; a number above the last one has no type. */
	for (uint32_t id = 1; !err; id++) {
		const struct btf_type *t = btf__type_by_id(btf->btf, id);

		if (!t)
			break;
		if (btf_is_func(t))
			err = add_function(btf, t);
	}
	return err;
}

int dkt__btf_function(struct dkt__btf *btf, const char *name, uint32_t *id)
{
	const struct btf_type *proto;
	uint32_t nr;

	*id = 0;
	if (!btf->n_functions && index_functions(btf))
		return -ENOMEM;
	nr = dkt__intern_find(&btf->names, name, (uint32_t)strlen(name));
	proto = nr < btf->n_functions ? btf__type_by_id(btf->btf, btf->functions[nr]) : NULL;
	if (!proto || !btf_is_func_proto(proto))
		return -ENOENT;
	*id = btf->functions[nr];
	return 0;
}

/* typedef void (*btf_trace_NAME)(void *, ...): every tracepoint has it, but often without names. */
static int find_trace_type(struct dkt__btf *btf, const char *name, uint32_t *id)
{
	char *type_name __cleanup(free) = dkt__format("btf_trace_%s", name);
	const struct btf_type *t;
	int found;

	if (!type_name)
		return -ENOMEM;
	found = btf__find_by_name_kind(btf->btf, type_name, BTF_KIND_TYPEDEF);
	if (found <= 0)
		return -ENOENT;
	*id = (uint32_t)found;
	t = strip(btf->btf, id, NULL);
	if (!t || !btf_is_ptr(t))
		return -ENOENT;
	*id = t->type;
	t = strip(btf->btf, id, NULL);
	return t && btf_is_func_proto(t) ? 0 : -ENOENT;
}

int dkt__btf_tracepoint(struct dkt__btf *btf, const char *name, uint32_t *id)
{
	/* The function that calls a tracepoint's probes has the same arguments, with names. */
	char *function __cleanup(free) = dkt__format("__traceiter_%s", name);

	*id = 0;
	if (!function)
		return -ENOMEM;
	return dkt__btf_function(btf, function, id) ? find_trace_type(btf, name, id) : 0;
}

int dkt__btf_param(struct dkt__btf *btf, uint32_t id, size_t i, struct ctype_param *param)
{
	const struct btf_type *t = btf__type_by_id(btf->btf, id);
	const struct btf_param *params;

	if (!t || !btf_is_func_proto(t))
		return -EINVAL;
	if (i >= btf_vlen(t))
		return 1;
	params = btf_params(t);
	*param = (struct ctype_param){ .name = name_at(btf->btf, params[i].name_off),
				       .type = params[i].type };
	/* "..." is a last parameter without name and type. */
	return !params[i].type && !*param->name ? -EOPNOTSUPP : 0;
}

int dkt__btf_returns(struct dkt__btf *btf, uint32_t id, uint32_t *type)
{
	const struct btf_type *t = btf__type_by_id(btf->btf, id);

	if (!t || !btf_is_func_proto(t))
		return -EINVAL;
	*type = t->type;
	return 0;
}

/* ---- loading ---- */

/* libbpf adds some lengths of the header unchecked. */
static bool header_is_sound(const void *data, size_t size)
{
	struct btf_header header;
	uint64_t types, strings;

	if (size < sizeof(header))
		return false;
	memcpy(&header, data, sizeof(header));
	types = (uint64_t)header.hdr_len + header.type_off + header.type_len;
	strings = (uint64_t)header.hdr_len + header.str_off + header.str_len;
	return header.magic == BTF_MAGIC && header.hdr_len >= sizeof(header) && types <= size &&
	       strings <= size && header.type_off % 4 == 0;
}

/* libbpf reads BTF that extends other BTF only from files. */
static struct btf *new_split(const void *data, size_t size, struct btf *base)
{
	int fd __cleanup(close) = memfd_create("btf", MFD_CLOEXEC);
	char path[40];

	if (fd < 0 || dkt__write_all(fd, data, size))
		return NULL;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return btf__parse_raw_split(path, base);
}

/*
 * libbpf has one function per process that prints its messages. print() stays installed before the
 * previous one, because removing it would race, and suppresses messages while this thread parses.
 */
static libbpf_print_fn_t print_before;
static __thread bool quiet;

static int print(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	return quiet || !print_before ? 0 : print_before(level, fmt, ap);
}

static void set_print(void)
{
	print_before = libbpf_set_print(print);
}

static struct btf *new_quietly(const void *data, size_t size, struct btf *base)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct btf *btf;

	pthread_once(&once, set_print);
	quiet = true;
	btf = base ? new_split(data, size, base) : btf__new(data, (uint32_t)size);
	quiet = false;
	return btf;
}

int dkt__btf_parse(struct dkt_ctx *ctx, const void *data, size_t size, struct dkt__btf *base,
		   struct dkt__btf **out)
{
	struct dkt__btf *btf = calloc(1, sizeof(*btf));
	int err = btf ? 0 : dkt__no_memory(ctx);

	*out = NULL;
	if (!err && !header_is_sound(data, size))
		err = dkt_fail(ctx, -EINVAL, "BTF of %zu bytes is truncated or invalid", size);
	if (!err) {
		btf->btf = new_quietly(data, size, base ? base->btf : NULL);
		if (!btf->btf)
			err = dkt_fail(ctx, -EINVAL, "invalid BTF: %s", strerror(errno));
	}
	if (err) {
		dkt__btf_free(base);
		free(btf);
		return err;
	}
	btf->base = base;
	btf->source = (struct ctype_source){ .get = btf_get,
					     .members = btf_each_member,
					     .find = btf_find };
	*out = btf;
	return 0;
}

static char *path_of(const struct dkt_ctx *ctx, const char *name)
{
	return dkt__format("%s/btf/%s", ctx->root ? ctx->root : "/sys/kernel", name);
}

static int read_btf(struct dkt_ctx *ctx, const char *name, char **data, size_t *size)
{
	char *path __cleanup(free) = path_of(ctx, name);
	int err = path ? dkt__read_file(path, BTF_MAX, data, size) : dkt__no_memory(ctx);

	return err && path ? dkt_fail(ctx, err, "open %s: %s", path, strerror(-err)) : err;
}

int dkt__btf_read(struct dkt_ctx *ctx, char **data, size_t *size)
{
	return read_btf(ctx, "vmlinux", data, size);
}

static int load_file(struct dkt_ctx *ctx, const char *name, struct dkt__btf *base,
		     struct dkt__btf **btf)
{
	char *data __cleanup(free) = NULL;
	size_t size;
	int err = read_btf(ctx, name, &data, &size);

	if (err) {
		dkt__btf_free(base);
		return err;
	}
	err = dkt__btf_parse(ctx, data, size, base, btf);
	if (err == -EINVAL) {
		char *path __cleanup(free) = path_of(ctx, name);

		return path ? dkt__fail_in(ctx, err, "%s", path) : dkt__no_memory(ctx);
	}
	return err;
}

int dkt__btf_load(struct dkt_ctx *ctx, const char *module, struct dkt__btf **btf)
{
	struct dkt__btf *base = NULL;
	int err = load_file(ctx, "vmlinux", NULL, &base);

	*btf = base;
	if (err || !module)
		return err;
	*btf = NULL;
	return load_file(ctx, module, base, btf);
}

void dkt__btf_free(struct dkt__btf *btf)
{
	if (!btf)
		return;
	btf__free(btf->btf);
	dkt__btf_free(btf->base);
	dkt__intern_clear(&btf->names);
	free(btf->functions);
	free(btf);
}

struct ctype_source *dkt__btf_types(struct dkt__btf *btf)
{
	return &btf->source;
}
