/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The bytes that block devices and network interfaces move. */
#include "answers/analyze/flows.h"

#include "lib/base/memory.h"

#define SECTOR 512

/* Returns the device of a name that is kept; NULL: memory is out. */
static struct flow_device *find(struct flows *flows, const char *name)
{
	uint64_t key = (uintptr_t)name;
	struct flow_device *device;
	bool added = false;
	uint32_t entry;

	flows->keys.n_words = 1;
	entry = name ? dkt__keymap_add(&flows->keys, &key, &added) : DKT__KEYMAP_NONE;
	device = entry == DKT__KEYMAP_NONE ? NULL : dkt__reach(flows->list, flows->n, entry);
	if (device)
		device->name = name;
	return device;
}

static void count(struct flow *flow, uint64_t bytes)
{
	flow->n++;
	flow->bytes += bytes;
}

int flows_block(struct analyze *a, struct flows *disks, const struct analysis_record *r)
{
	struct flow_device *disk = find(disks, analyze_disk(a, r, (uint64_t)record_int(r, 0)));
	const char *op = analyze_text(a, r, 2);
	uint64_t bytes = SECTOR * (uint64_t)record_int(r, 1);

	if (!disk || !op)
		return -ENOMEM;
	/* A flush before the operation is the first letter. */
	if (strchr(op, 'R'))
		count(&disk->in, bytes);
	else if (strchr(op, 'W'))
		count(&disk->out, bytes);
	return 0;
}

int flows_receive(struct analyze *a, struct flows *interfaces, const struct analysis_record *r)
{
	struct flow_device *interface = find(interfaces, analyze_text(a, r, 0));

	if (!interface)
		return -ENOMEM;
	count(&interface->in, (uint64_t)record_int(r, 1));
	return 0;
}

int flows_send(struct analyze *a, struct flows *interfaces, const struct analysis_record *r)
{
	struct flow_device *interface = find(interfaces, analyze_text(a, r, 0));

	if (!interface)
		return -ENOMEM;
	count(&interface->out, (uint64_t)record_int(r, 1));
	return 0;
}

int flows_rows(struct analyze *a, const struct flows *flows, const struct result_table *table)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < flows->n; i++) {
		const struct flow_device *device = &flows->list[i];
		const struct result_cell cells[] = {
			cell_text(device->name),        cell_number(device->in.n),
			cell_number(device->in.bytes),  cell_number(device->out.n),
			cell_number(device->out.bytes),
		};

		err = analyze_row(a, table, cells);
	}
	return err;
}

void flows_clear(struct flows *flows)
{
	dkt__keymap_clear(&flows->keys);
	free(flows->list);
	*flows = (struct flows){ 0 };
}
