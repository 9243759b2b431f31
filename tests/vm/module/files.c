// SPDX-License-Identifier: GPL-2.0-only
/* The files of /sys/kernel/debug/lnet that a debug log needs, and two more: emit, text. */
#include <linux/ctype.h>
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "log.h"

static struct dentry *dir;
static char daemon_path[1024];

static const char *const types[32] = {
	"trace",    "inode",   "super",   "iotrace", "malloc",   "cache",    "info",     "ioctl",
	"neterror", "net",     "warning", "buffs",   "other",    "dentry",   "nettrace", "page",
	"dlmtrace", "error",   "emerg",   "ha",      "rpctrace", "vfstrace", "reada",    "mmap",
	"config",   "console", "quota",   "sec",     "lfsck",    "hsm",      "snapshot", "layout",
};

static const char *const subsystems[32] = {
	"undefined", "mdc",  "mds",    "osc", "ost",    "class",    "log",    "llite",
	"rpc",       "mgmt", "lnet",   "lnd", "pinger", "filter",   "libcfs", "echo",
	"ldlm",      "lov",  "lquota", "osd", "lfsck",  "snapshot", "",       "lmv",
	"",          "sec",  "gss",    "",    "mgc",    "mgs",      "fid",    "fld",
};

/* ---- masks ---- */

struct mask {
	unsigned int *value;
	const char *const *names;
	unsigned int least;
};

static struct mask masks[] = {
	{ &libcfs_debug, types, D_CANTMASK },
	{ &libcfs_subsystem_debug, subsystems, 0 },
	{ &libcfs_printk, types, D_CANTMASK },
};

static int find_bit_of(const struct mask *mask, const char *word, size_t len)
{
	int i;

	for (i = 0; i < 32; i++)
		if (len && strlen(mask->names[i]) == len && !strncasecmp(mask->names[i], word, len))
			return i;
	return -EINVAL;
}

static int parse_words(const struct mask *mask, const char *p, unsigned int *value)
{
	bool first = true;

	while (*(p = skip_spaces(p))) {
		char op = *p == '+' || *p == '-' ? *p++ : 0;
		unsigned int bits;
		size_t len;
		int bit;

		p = skip_spaces(p);
		len = strcspn(p, " \t\n,+-");
		if (first && !op)
			*value = mask->least;
		first = false;
		bit = find_bit_of(mask, p, len);
		if (len == 3 && !strncasecmp(p, "all", 3))
			bits = ~0u;
		else if (bit < 0)
			return -EINVAL;
		else
			bits = 1u << bit;
		*value = op == '-' ? *value & ~bits : *value | bits;
		if (op == '-' && bits == ~0u)
			*value = mask->least;
		p += len;
		if (*p == ',')
			p++;
	}
	return 0;
}

static ssize_t mask_write(struct file *file, const char __user *user, size_t n, loff_t *pos)
{
	const struct mask *mask = file_inode(file)->i_private;
	char *text = memdup_user_nul(user, n);
	unsigned int value = *mask->value;
	long long number;
	int err;

	if (IS_ERR(text))
		return PTR_ERR(text);
	if (!kstrtoll(strim(text), 0, &number)) {
		value = (unsigned int)number;
		err = 0;
	} else {
		err = parse_words(mask, strim(text), &value);
	}
	if (!err)
		*mask->value = value;
	kfree(text);
	return err ? err : n;
}

static ssize_t mask_read(struct file *file, char __user *user, size_t n, loff_t *pos)
{
	const struct mask *mask = file_inode(file)->i_private;
	char text[512];
	int i, len = 0;

	for (i = 0; i < 32; i++)
		if (*mask->value & 1u << i)
			len += scnprintf(text + len, sizeof(text) - len, "%s%s", len ? " " : "",
					 mask->names[i]);
	len += scnprintf(text + len, sizeof(text) - len, len ? "\n" : "0\n");
	return simple_read_from_buffer(user, n, pos, text, len);
}

static const struct file_operations mask_fops = { .owner = THIS_MODULE,
						  .read = mask_read,
						  .write = mask_write };

/* ---- commands ---- */

static ssize_t with_text(const char __user *user, size_t n, int (*fn)(char *text))
{
	char *text;
	int err;

	if (n >= 65536)
		return -E2BIG;
	text = memdup_user_nul(user, n);
	if (IS_ERR(text))
		return PTR_ERR(text);
	err = fn(strim(text));
	kfree(text);
	return err ? err : n;
}

static int dump(char *path)
{
	return *path == '/' ? libcfs_dump(path) : -EINVAL;
}

static int set_daemon(char *text)
{
	int err = 0;

	if (!strcmp(text, "stop")) {
		if (daemon_path[0])
			err = libcfs_dump(daemon_path);
		daemon_path[0] = '\0';
		return err;
	}
	if (!strncmp(text, "size=", 5))
		return 0;
	if (*text != '/')
		return -EINVAL;
	return strscpy(daemon_path, text, sizeof(daemon_path)) < 0 ? -ENAMETOOLONG : 0;
}

static int mark(char *text)
{
	if (!strcmp(text, "clear")) {
		libcfs_clear();
		return 0;
	}
	CDEBUG_IN(1, D_TRACE, "***************************************************\n");
	CDEBUG_IN(1, D_CONSOLE | D_WARNING, "DEBUG MARKER: %s\n", text);
	CDEBUG_IN(1, D_TRACE, "***************************************************\n");
	return 0;
}

static int set_mb(char *text)
{
	return kstrtouint(text, 0, &libcfs_debug_mb);
}

#define COMMAND(name, fn)                                                                          \
	static ssize_t name##_write(struct file *file, const char __user *user, size_t n,          \
				    loff_t *pos)                                                   \
	{                                                                                          \
		return with_text(user, n, fn);                                                     \
	}                                                                                          \
	static const struct file_operations name##_fops = { .owner = THIS_MODULE,                  \
							    .write = name##_write }

COMMAND(dump_kernel, dump);
COMMAND(debug_marker, mark);
COMMAND(emit, libcfs_emit);

static ssize_t daemon_write(struct file *file, const char __user *user, size_t n, loff_t *pos)
{
	return with_text(user, n, set_daemon);
}

static ssize_t daemon_read(struct file *file, char __user *user, size_t n, loff_t *pos)
{
	char text[1026];
	int len = scnprintf(text, sizeof(text), daemon_path[0] ? "%s\n" : "%s", daemon_path);

	return simple_read_from_buffer(user, n, pos, text, len);
}

static const struct file_operations daemon_fops = { .owner = THIS_MODULE,
						    .read = daemon_read,
						    .write = daemon_write };

static ssize_t mb_write(struct file *file, const char __user *user, size_t n, loff_t *pos)
{
	return with_text(user, n, set_mb);
}

static ssize_t mb_read(struct file *file, char __user *user, size_t n, loff_t *pos)
{
	char text[16];
	int len = scnprintf(text, sizeof(text), "%u\n", libcfs_debug_mb);

	return simple_read_from_buffer(user, n, pos, text, len);
}

static const struct file_operations mb_fops = { .owner = THIS_MODULE,
						.read = mb_read,
						.write = mb_write };

static int text_open(struct inode *inode, struct file *file)
{
	return single_open(file, libcfs_show, NULL);
}

static const struct file_operations text_fops = { .owner = THIS_MODULE,
						  .open = text_open,
						  .read = seq_read,
						  .llseek = seq_lseek,
						  .release = single_release };

int libcfs_files_init(void)
{
	dir = debugfs_create_dir("lnet", NULL);
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	debugfs_create_file("debug", 0644, dir, &masks[0], &mask_fops);
	debugfs_create_file("subsystem_debug", 0644, dir, &masks[1], &mask_fops);
	debugfs_create_file("printk", 0644, dir, &masks[2], &mask_fops);
	debugfs_create_file("debug_mb", 0644, dir, NULL, &mb_fops);
	debugfs_create_file("dump_kernel", 0200, dir, NULL, &dump_kernel_fops);
	debugfs_create_file("debug_marker", 0200, dir, NULL, &debug_marker_fops);
	debugfs_create_file("daemon_file", 0644, dir, NULL, &daemon_fops);
	debugfs_create_file("text", 0400, dir, NULL, &text_fops);
	debugfs_create_file("emit", 0200, dir, NULL, &emit_fops);
	return 0;
}

void libcfs_files_exit(void)
{
	debugfs_remove_recursive(dir);
}
