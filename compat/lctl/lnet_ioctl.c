/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Marks and clears Lustre's buffer by ioctl, as Lustre did before it had parameters for that. */
#include "compat/lctl/lnet_ioctl.h"

#include <fcntl.h>
#include <linux/ioctl.h>
#include <sys/ioctl.h>

#include "compat/io/say.h"
#include "lib/base/util.h"

#define DEVICE "/dev/lnet"

#define CLEAR _IOWR('e', 31, long)
#define MARK  _IOWR('e', 32, long)

#define VERSION 0x0001000a

/* The kernel's struct libcfs_ioctl_data; the texts follow it, each padded to eight bytes. */
struct libcfs_ioctl_data {
	uint32_t len;
	uint32_t version;
	uint64_t nid;
	uint64_t u64;
	uint32_t numbers[10];
	uint32_t text_len;
	const char *text;
	uint32_t text2_len;
	const char *text2;
	uint32_t buf_len;
	void *buf;
	uint32_t buf2_len;
	void *buf2;
};

static int ask(unsigned long request, const char *name, const char *text)
{
	struct libcfs_ioctl_data head = { .version = VERSION };
	size_t len = text ? strlen(text) + 1 : 0;
	char *message __cleanup(free) = NULL;
	int fd __cleanup(close) = open(DEVICE, O_RDWR | O_CLOEXEC);
	int err = 0;

	head.text_len = (uint32_t)len;
	head.text = text;
	head.len = (uint32_t)(sizeof(head) + (len + 7) / 8 * 8);
	message = calloc(1, head.len);
	if (!message)
		return -ENOMEM;
	memcpy(message, &head, sizeof(head));
	if (len)
		memcpy(message + sizeof(head), text, len);
	if (fd < 0) {
		err = -errno;
		fprintf(stderr,
			"opening " DEVICE " failed: %s\n"
			"hint: the kernel modules may not be loaded\n",
			strerror(-err));
	} else if (ioctl(fd, request, message) < 0) {
		err = -errno;
	}
	if (err)
		dkl_say_line(stderr, "%s failed: %s", name, strerror(-err));
	return err;
}

int dkl_lnet_ioctl_clear(void)
{
	return ask(CLEAR, "IOC_LIBCFS_CLEAR_DEBUG", NULL);
}

int dkl_lnet_ioctl_mark(const char *text)
{
	return ask(MARK, "IOC_LIBCFS_MARK_DEBUG", text);
}
