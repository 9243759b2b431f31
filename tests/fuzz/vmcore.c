/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes the memory of a dumped kernel, in which no pointer, list or count can be trusted. */
#include "lib/vmcore/buffers.h"
#include "lib/vmcore/events.h"
#include "tests/fuzz/replay.h"
#include "tests/helper/made_kernel.h"

static void walk_buffers(struct made_kernel *made)
{
	struct vm_buffers buffers;

	if (!dkt__vm_buffers(&made->core, &buffers)) {
		for (size_t i = 0; i < buffers.n; i++) {
			struct vm_buffer *buffer = &buffers.list[i];

			for (size_t j = 0; j < buffer->n_cpus; j++)
				for (size_t nr = 0; nr < buffer->cpus[j].n_pages; nr++)
					dkt__vm_page(&made->core, &buffer->cpus[j],
						     buffer->page_size, nr);
		}
	}
	dkt__vm_buffers_clear(&buffers);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct made_kernel *made = malloc(sizeof(*made));
	struct dkt__comms comms = { 0 };
	struct dkt__given *list = NULL;
	struct dkt_buf strings = { 0 };
	size_t n = 0, bad = 0;
	struct dkt_ctx *ctx;

	if (!made || dkt_ctx_new(NULL, &ctx)) {
		free(made);
		return 0;
	}
	must(!made_new(ctx, made));
	made->size = size < MADE_SIZE ? size : MADE_SIZE;
	memcpy(made->bytes, data, made->size);
	dkt__vm_kallsyms(&made->core);
	dkt__vm_module_symbols(&made->core);
	walk_buffers(made);
	dkt__vm_events(&made->core, &list, &n, &bad);
	dkt__vm_comms(&made->core, &comms);
	dkt__vm_strings(&made->core, &strings);
	free(strings.data);
	free(list);
	dkt__comms_clear(&comms);
	dkt__vm_core_clear(&made->core);
	dkt_ctx_free(ctx);
	free(made);
	return 0;
}
