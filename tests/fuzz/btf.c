/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes BTF: whatever the bytes, types and functions are walked without going beyond them. */
#include "lib/debuginfo/btf.h"
#include "lib/debuginfo/abi.h"
#include "lib/expr.h"
#include "tests/fuzz/replay.h"

#define TYPES_MAX  256
#define PARAMS_MAX 32

static int count_member(void *data, const struct ctype_member *member)
{
	size_t *n = data;

	*n += strlen(member->name) + 1;
	return 0;
}

static void walk_type(struct ctype_source *types, uint32_t id)
{
	struct ctype_member member;
	struct dkt__guess guess;
	struct ctype type;
	char names[80];
	size_t n = 0;

	if (types->get(types, id, &type))
		return;
	if (strlen(type.name) >= sizeof(type.name))
		abort();
	types->members(types, type.id, count_member, &n);
	dkt__ctype_member_names(types, type.id, names, sizeof(names));
	dkt__guess_start(&guess, "counter", 7);
	if (!dkt__ctype_member(types, type.id, "counter", &member, &guess) &&
	    strcmp(member.name, "counter"))
		abort();
	dkt__ctype_is_char(types, type.target);
}

static void walk_function(struct dkt__btf *btf, uint32_t id)
{
	struct abi_place places[PARAMS_MAX];
	uint32_t types[PARAMS_MAX], returns;
	struct ctype_param param;
	size_t n = 0;

	while (n < PARAMS_MAX && !dkt__btf_param(btf, id, n, &param))
		types[n++] = param.type;
	dkt__abi_arguments(DKT__X86_64, true, dkt__btf_types(btf), types, n, places);
	dkt__abi_arguments(DKT__ARM64, false, dkt__btf_types(btf), types, n, places);
	dkt__btf_returns(btf, id, &returns);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dkt_ctx *ctx;
	struct dkt__btf *btf;
	uint32_t id;

	if (dkt_ctx_new(NULL, &ctx))
		return 0;
	if (!dkt__btf_parse(ctx, data, size, NULL, &btf)) {
		for (id = 0; id < TYPES_MAX; id++) {
			walk_type(dkt__btf_types(btf), id);
			walk_function(btf, id);
		}
		if (!dkt__btf_function(btf, "vfs_read", &id) ||
		    !dkt__btf_tracepoint(btf, "vfs_seen", &id))
			walk_function(btf, id);
		dkt__btf_free(btf);
	} else if (!*dkt_error(ctx)) {
		abort();
	}
	dkt_ctx_free(ctx);
	return 0;
}
