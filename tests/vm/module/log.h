/* SPDX-License-Identifier: GPL-2.0-only */
/* A stand-in for Lustre's libcfs: the same entry point and binary records, nothing else of it. */
#ifndef TEST_LIBCFS_LOG_H
#define TEST_LIBCFS_LOG_H

#include <linux/types.h>

struct libcfs_debug_msg_data {
	const char *msg_file;
	const char *msg_fn;
	int msg_subsys;
	int msg_line;
	int msg_mask;
	void *msg_cdls;
};

#define D_TRACE    0x00000001
#define D_INODE    0x00000002
#define D_MALLOC   0x00000010
#define D_INFO     0x00000040
#define D_NET      0x00000200
#define D_WARNING  0x00000400
#define D_OTHER    0x00001000
#define D_DLMTRACE 0x00010000
#define D_ERROR    0x00020000
#define D_HA       0x00080000
#define D_RPCTRACE 0x00100000
#define D_VFSTRACE 0x00200000
#define D_CONSOLE  0x02000000
#define D_CANTMASK 0x02060400

#define S_LNET 0x00000400
#define S_RPC  0x00000100
#define S_LDLM 0x00010000

extern unsigned int libcfs_debug, libcfs_subsystem_debug, libcfs_printk, libcfs_debug_mb;

/* Called with the text of every message by who has set it. */
typedef void (*libcfs_hook_fn)(const struct libcfs_debug_msg_data *data, const char *text);
void libcfs_set_hook(libcfs_hook_fn hook);

__printf(2, 3) void libcfs_debug_msg(struct libcfs_debug_msg_data *data, const char *fmt, ...);

#ifdef LIBCFS_2_12
/* As Lustre up to 2.12: all messages go through it, some with a second format. */
void libcfs_debug_vmsg2(struct libcfs_debug_msg_data *data, const char *fmt, va_list args,
			const char *fmt2, ...);
#endif

/* As Lustre: the test is at the call, and the data are of the call site. */
#define CDEBUG_IN(subsys, mask, fmt, ...)                                                          \
	do {                                                                                       \
		static struct libcfs_debug_msg_data data_;                                         \
                                                                                                   \
		if (!((mask)&D_CANTMASK) &&                                                        \
		    !(libcfs_debug & (mask) && libcfs_subsystem_debug & (subsys)))                 \
			break;                                                                     \
		data_ = (struct libcfs_debug_msg_data){ .msg_file = __FILE__,                      \
							.msg_fn = __func__,                        \
							.msg_subsys = (subsys),                    \
							.msg_line = __LINE__,                      \
							.msg_mask = (mask) };                      \
		libcfs_debug_msg(&data_, fmt, ##__VA_ARGS__);                                      \
	} while (0)

int libcfs_dump(const char *path);

/* The buffer as lines of text; it stays as it is. */
struct seq_file;
int libcfs_show(struct seq_file *m, void *unused);
void libcfs_clear(void);
int libcfs_log_init(void);
void libcfs_log_exit(void);

int libcfs_files_init(void);
void libcfs_files_exit(void);

/* Emits what the words ask for: "catalogue", "incident expire|evict|wait|lost|quiet", "flood N", "long N", "rpc MS", "lock", "softirq", "hardirq", "cpus N". */
int libcfs_emit(char *words);

#endif
