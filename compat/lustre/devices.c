/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists Lustre's devices with the DEVICES dump of the generic netlink family `lustre`. */

#include "compat/lustre/devices.h"
#include "compat/lustre/keyval.h"
#include "lib/base/buf.h"
#include "lib/base/util.h"
#include "lib/inside.h"

#define FAMILY      "lustre"
#define VERSION     2
#define CMD_DEVICES 1

/* The keys whose values are texts. */
static const struct {
	const char *key;
	size_t offset;
} text_keys[] = {
	{ "status", offsetof(struct device, status) },
	{ "type", offsetof(struct device, type) },
	{ "name", offsetof(struct device, name) },
	{ "uuid", offsetof(struct device, uuid) },
};

static char **device_text(struct device *device, size_t i)
{
	return (char **)(void *)((char *)device + text_keys[i].offset);
}

static void device_clear(struct device *device)
{
	for (size_t i = 0; i < ARRAY_SIZE(text_keys); i++)
		free(*device_text(device, i));
}

static int take_item(void *data, const struct keyval_item *item)
{
	struct device *device = data;
	char **text;

	if (item->depth)
		return 0;
	if (!item->is_text && !strcmp(item->key, "index"))
		device->index = (uint32_t)item->number;
	if (!item->is_text && !strcmp(item->key, "refcount"))
		device->refcount = item->number;
	if (!item->is_text)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(text_keys); i++)
		if (!strcmp(item->key, text_keys[i].key)) {
			text = device_text(device, i);
			free(*text);
			*text = strndup(item->text, item->len);
			return *text ? 0 : -ENOMEM;
		}
	return 0;
}

/*
 * The first message of the dump is the table of keys, and each later one is one device. (The kernel
 * also marks the first message with NLM_F_CREATE.)
 */
int dkl_devices_message(void *data, const void *attrs, size_t len)
{
	struct devices *devices = data;
	struct device device = { 0 };
	int err;

	if (!devices->keys)
		return dkl_keyval_table_new(attrs, len, &devices->keys);
	err = dkl_keyval_each(devices->keys, attrs, len, take_item, &device);
	if (!err)
		err = dkt__append(devices->rows, devices->n, device);
	if (err)
		device_clear(&device);
	return err;
}

int dkl_devices_read(struct dkt_ctx *ctx, struct devices *devices)
{
	int err;

	memset(devices, 0, sizeof(*devices));
	err = dkt__netlink_dump(ctx, FAMILY, CMD_DEVICES, VERSION, dkl_devices_message, devices);
	if (!err)
		return 0;
	dkl_devices_clear(devices);
	return dkt__fail_in(ctx, err, "list Lustre's devices");
}

void dkl_devices_clear(struct devices *devices)
{
	for (size_t i = 0; i < devices->n; i++)
		device_clear(&devices->rows[i]);
	free(devices->rows);
	dkl_keyval_table_free(devices->keys);
	memset(devices, 0, sizeof(*devices));
}

/* Scripts count the columns, so an unknown value is printed as "-". */
static const char *column(const char *text)
{
	return text && *text ? text : "-";
}

void dkl_device_print(const struct device *device, struct dkt_buf *buf)
{
	size_t from;

	dkt_buf_data(buf, &from);
	dkt_buf_printf(buf, "%3u %2s %s %s %s %lld\n", device->index, column(device->status),
		       column(device->type), column(device->name), column(device->uuid),
		       (long long)device->refcount);
	dkt__buf_escape(buf, from);
}
