/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Unpacks the kernel's table of symbols. scripts/kallsyms.c writes it: names as sequences of tokens,
 * addresses relative to a base.
 */
#include "lib/vmcore/core.h"

/* Kernels have about 200,000. */
#define SYMBOLS_MAX (4u << 20)
#define NAME_MAX_   512

struct tokens {
	char text[256][64];
};

/* Where VMCOREINFO says the tables are. */
struct tables {
	uint64_t names, num, token_table, token_index, offsets, base;
};

static bool find_tables(const struct vm_core *core, struct tables *tables)
{
	const char *info = core->info;

	return dkt__vm_info_symbol(info, "kallsyms_names", &tables->names) &&
	       dkt__vm_info_symbol(info, "kallsyms_num_syms", &tables->num) &&
	       dkt__vm_info_symbol(info, "kallsyms_token_table", &tables->token_table) &&
	       dkt__vm_info_symbol(info, "kallsyms_token_index", &tables->token_index) &&
	       dkt__vm_info_symbol(info, "kallsyms_offsets", &tables->offsets) &&
	       dkt__vm_info_symbol(info, "kallsyms_relative_base", &tables->base);
}

static int read_tokens(const struct vm_core *core, const struct tables *tables,
		       struct tokens *tokens)
{
	uint16_t index[256];
	int err = dkt__vm_read(core->memory, tables->token_index, index, sizeof(index));

	for (size_t i = 0; !err && i < ARRAY_SIZE(index); i++) {
		char *text;

		err = dkt__vm_string(core->memory, tables->token_table + index[i],
				     sizeof(tokens->text[i]), &text);
		if (err)
			return err;
		memcpy(tokens->text[i], text, strlen(text) + 1);
		free(text);
	}
	return err;
}

/* Unpacks the next name, whose first character is the type; -EINVAL: it is too long. */
static int next_name(struct vm_tape *tape, const struct tokens *tokens, char *name)
{
	unsigned int n = dkt__vm_tape_byte(tape);
	size_t len = 0;

	if (n & 0x80)
		n = (n & 0x7f) | (unsigned int)dkt__vm_tape_byte(tape) << 7;
	while (!tape->err && n--) {
		const char *token = tokens->text[dkt__vm_tape_byte(tape)];
		size_t more = strlen(token);

		if (len + more >= NAME_MAX_)
			return -EINVAL;
		memcpy(name + len, token, more);
		len += more;
	}
	name[len] = '\0';
	if (!tape->err && (len < 2 || strchr(name, '\n')))
		return -EINVAL;
	return tape->err;
}

static uint32_t next_offset(struct vm_tape *tape)
{
	uint32_t value = 0;
	uint8_t bytes[sizeof(value)];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = dkt__vm_tape_byte(tape);
	memcpy(&value, bytes, sizeof(value));
	return value;
}

/*
 * Offsets have two forms, and no field tells which: above the base, or negative ones below it and
 * the others absolute (CONFIG_KALLSYMS_ABSOLUTE_PERCPU).
 */
static uint64_t address_of(uint64_t base, uint32_t offset, bool percpu)
{
	if (!percpu)
		return base + offset;
	return (int32_t)offset >= 0 ? offset : base - 1 - (uint64_t)(int64_t)(int32_t)offset;
}

static int unpack(struct vm_core *core, const struct tables *tables, const struct tokens *tokens,
		  uint64_t n, bool percpu)
{
	struct vm_tape *names = calloc(2, sizeof(*names)), *offsets = names + 1;
	uint64_t base;
	int err = names ? dkt__vm_number(core->memory, tables->base, sizeof(base), &base) : -ENOMEM;
	char name[NAME_MAX_];

	if (!err) {
		*names = (struct vm_tape){ .memory = core->memory, .at = tables->names };
		*offsets = (struct vm_tape){ .memory = core->memory, .at = tables->offsets };
	}
	core->symbols.len = 0;
	for (uint64_t i = 0; !err && i < n; i++) {
		err = next_name(names, tokens, name);
		if (err)
			break;
		dkt__buf_hex(&core->symbols, address_of(base, next_offset(offsets), percpu), 16,
			     '0');
		dkt_buf_str(&core->symbols, " ");
		dkt__buf_add(&core->symbols, name, 1);
		dkt_buf_str(&core->symbols, " ");
		dkt_buf_str(&core->symbols, name + 1);
		dkt_buf_str(&core->symbols, "\n");
		err = offsets->err ? offsets->err : core->symbols.err;
		if (!err && core->symbols.len > DKT__VM_SYMBOLS_MAX)
			err = -E2BIG;
	}
	free(names);
	return err;
}

/* True if a symbol that VMCOREINFO names, too, has the same address in the table. */
static bool agrees(const struct vm_core *core)
{
	uint64_t there, here;

	return dkt__vm_info_symbol(core->info, "_stext", &there) &&
	       !dkt__vm_symbol(core, "_stext", &here) && here == there;
}

int dkt__vm_kallsyms(struct vm_core *core)
{
	struct tokens *tokens __cleanup(free) = calloc(1, sizeof(*tokens));
	struct tables tables;
	uint64_t n;
	int err;

	if (!tokens)
		return -ENOMEM;
	if (!find_tables(core, &tables))
		return -ENOENT;
	err = dkt__vm_number(core->memory, tables.num, sizeof(uint32_t), &n);
	if (!err && n > SYMBOLS_MAX)
		err = -EINVAL;
	if (!err)
		err = read_tokens(core, &tables, tokens);
	if (!err)
		err = unpack(core, &tables, tokens, n, true);
	if (!err && !agrees(core))
		err = unpack(core, &tables, tokens, n, false);
	return err || agrees(core) ? err : -EINVAL;
}
