/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes one of Lustre's parameters to its file, and reads the value back. */
#include "compat/set/param/file.h"

#include <fcntl.h>

#include "compat/io/say.h"
#include "compat/lustre/lustre_masks.h"
#include "lib/base/util.h"

/* The kernel expects the complete value in one write. */
int dkl_param_file_write(const char *path, const char *value, const char *command)
{
	int fd __cleanup(close) = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t n;
	int err;

	if (fd < 0) {
		err = -errno;
		if (command)
			dkl_say_line(stderr, "error: %s: opening '%s': %s", command, path,
				     strerror(-err));
		return err;
	}
	n = write(fd, value, strlen(value));
	if (n < 0) {
		err = -errno;
		if (command && err != -EIO)
			dkl_say_line(stderr, "error: %s: setting %s=%s: %s", command, path, value,
				     strerror(-err));
		return err;
	}
	if ((size_t)n == strlen(value))
		return 0;
	if (command)
		dkl_say_line(stderr, "error: %s: setting %s=%s: wrote only %zd", command, path,
			     value, n);
	return -EINVAL;
}

static int read_first_line(const char *path, char value[PARAM_FILE_MAX])
{
	int fd __cleanup(close) = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, value, PARAM_FILE_MAX - 1);

	if (n < 0)
		return -errno;
	value[n] = '\0';
	value[strcspn(value, "\n")] = '\0';
	return 0;
}

int dkl_param_file_read(const struct param *param, const char *path, char value[PARAM_FILE_MAX])
{
	uint32_t mask;

	if (!dkl_param_is_mask(param) || dkl_lustre_mask_read(dkl_param_mask_kind(param), &mask))
		return read_first_line(path, value);
	dkl_mask_spell(dkl_param_mask_kind(param), mask, value);
	return 0;
}
