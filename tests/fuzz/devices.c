/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes the netlink device list: each message is two bytes of length, then its attributes. */
#include <stdlib.h>
#include <string.h>

#include "compat/lustre/devices.h"
#include "tests/fuzz/replay.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct devices devices = { 0 };
	struct dkt_buf *buf;
	int err = 0;

	if (dkt_buf_new(&buf))
		return 0;
	while (!err && size >= 2) {
		size_t len = (size_t)data[0] | (size_t)data[1] << 8;
		void *copy;

		data += 2;
		size -= 2;
		len = len < size ? len : size;
		/* On its own, as the kernel aligns it and so that no byte follows. */
		copy = malloc(len ? len : 1);
		if (!copy)
			break;
		memcpy(copy, data, len);
		err = dkl_devices_message(&devices, copy, len);
		free(copy);
		data += len;
		size -= len;
	}
	for (size_t i = 0; i < devices.n; i++)
		dkl_device_print(&devices.rows[i], buf);
	dkl_devices_clear(&devices);
	dkt_buf_free(buf);
	return 0;
}
