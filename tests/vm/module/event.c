// SPDX-License-Identifier: GPL-2.0-only
/* Gives libcfs's messages the trace event lustre_debug:lustre_debug_msg. */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "log.h"

#define CREATE_TRACE_POINTS
#include "event.h"

#define MSG_MAX 1536

static void trace_message(const struct libcfs_debug_msg_data *data, const char *text)
{
	const char *file = strrchr(data->msg_file, '/');
	size_t len = min_t(size_t, strlen(text), MSG_MAX - 1);
	char *copy;

	if (!trace_lustre_debug_msg_enabled())
		return;
	while (len && text[len - 1] == '\n')
		len--;
	copy = kstrndup(text, len, GFP_ATOMIC);
	if (!copy)
		return;
	trace_lustre_debug_msg(file ? file + 1 : data->msg_file, data->msg_fn, data->msg_subsys,
			       data->msg_line, data->msg_mask, copy);
	kfree(copy);
}

static int __init event_init(void)
{
	libcfs_set_hook(trace_message);
	return 0;
}

static void __exit event_exit(void)
{
	libcfs_set_hook(NULL);
}

module_init(event_init);
module_exit(event_exit);
MODULE_DESCRIPTION("Trace event of the test libcfs");
MODULE_LICENSE("GPL");
