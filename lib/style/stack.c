/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints the call stacks in records, for all styles. */
#include "lib/source/own_format.h"
#include "lib/style.h"
#include "lib/symbol.h"

int dkt__style_stack_records(struct dkt_style *style, const struct dkt_record *record,
			     const char *comm, struct dkt_buf *buf)
{
	struct dkt_record stack;
	int err = 0;

	for (size_t i = 0; !err && !dkt_record_stack(record, i, &stack); i++)
		err = style->ops->record(style, &stack, comm, buf);
	return err;
}

int dkt__style_with_stacks(struct dkt_style *style, const struct dkt_record *record,
			   const char *comm, struct dkt_buf *buf)
{
	int err = style->ops->record(style, record, comm, buf);

	if (err || !record->event)
		return err;
	return style->ops->stacks ? style->ops->stacks(style, record, comm, buf) :
				    dkt__style_stack_records(style, record, comm, buf);
}

uint64_t dkt__stack_caller(const struct dkt_stack *stack, uint32_t i)
{
	uint32_t element = stack->event->ctx->long_size;
	uint64_t address;

	if (stack->size < DKT__STACK_CALLERS || i >= (stack->size - DKT__STACK_CALLERS) / element)
		return 0;
	address = dkt__load_at((const uint8_t *)stack->data + DKT__STACK_CALLERS + i * element,
			       dkt__plan_load((uint8_t)element, false));
	return dkt__is_caller(address) ? address : 0;
}

bool dkt__stack_is_user(const struct dkt_event *event)
{
	return !strcmp(event->name, "user_stack");
}

void dkt__style_put_symbol(struct dkt_buf *buf, const char *name, uint64_t address)
{
	dkt_buf_str(buf, name ? name : "0x");
	if (!name)
		dkt__buf_hex(buf, address, 0, ' ');
}

void dkt__stack_put(const struct dkt_style *style, uint64_t address, bool user, struct dkt_buf *buf)
{
	uint64_t offset;
	const char *name = dkt__stack_symbol(style->ctx, address, user, &offset);

	dkt__style_put_symbol(buf, name, address);
	if (name && dkt__symbol_is_file(name)) {
		dkt_buf_str(buf, "+0x");
		dkt__buf_hex(buf, offset, 0, ' ');
	}
}
