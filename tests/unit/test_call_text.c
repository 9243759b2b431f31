/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* System calls as text: words for numbers, names of descriptors, errors. */
#include "answers/strace/text.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/socket.h>
#include <time.h>

#include "answers/strace/paths.h"
#include "answers/strace/sockets.h"
#include "lib/base/buf.h"
#include "tests/helper/call_events.h"
#include "tests/helper/check.h"
#include "tests/helper/tree.h"

static struct descriptors *names;

/* An ended call of thread 7. */
static struct call made(const char *name, struct call_kind *kind, int64_t ret)
{
	*kind = (struct call_kind){ .name = name, .signature = call_signature(name) };
	return (struct call){ .state = CALL_ENDED,
			      .tid = 7,
			      .kind = kind,
			      .begin = 1,
			      .end = 2,
			      .n_args = CALL_ARGS,
			      .ret = ret };
}

static void check_on(enum call_machine machine, const struct call *call, const char *wanted)
{
	const struct call_text text = { .descriptors = names, .machine = machine };
	struct dkt_buf *buf;
	const char *have;
	size_t len;

	assert_int_equal(dkt_buf_new(&buf), 0);
	call_text(&text, call, buf);
	dkt__buf_add(buf, "", 1);
	have = dkt_buf_data(buf, &len);
	assert_string_equal(have, wanted);
	dkt_buf_free(buf);
}

/* usage: check("read(3, 8) = 8", "read", 8, ARGUMENT...) */
#define check(wanted, name, result, ...)                                                           \
	do {                                                                                       \
		const uint64_t args_[CALL_ARGS] = { __VA_ARGS__ };                                 \
		struct call_kind kind_;                                                            \
		struct call call_ = made(name, &kind_, result);                                    \
                                                                                                   \
		memcpy(call_.args, args_, sizeof(args_));                                          \
		check_on(MACHINE_GENERIC, &call_, wanted);                                         \
	} while (0)

static void numbers_have_the_names_of_the_headers(void **state)
{
	(void)state;
	check("read(3, 8192) = 8192", "read", 8192, 3, 0x7ff0, 8192);
	check("openat(AT_FDCWD, 0x10, O_RDWR|O_CREAT|O_TRUNC|O_CLOEXEC, 0644) = 3", "openat", 3,
	      (uint64_t)AT_FDCWD, 16, 02001102, 0644);
	check("openat(AT_FDCWD, NULL, O_RDONLY) = 3", "openat", 3, 0xffffff9c, 0, 0, 0777);
	check("openat(5, 0x1, O_WRONLY|O_SYNC|0x40000000) = 3", "openat", 3, 5, 1, 0x40101001);
	check("mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x7f0000",
	      "mmap", 0x7f0000, 0, 4096, 3, 0x22, UINT64_MAX, 0);
	check("mprotect(0x1000, 4096, PROT_NONE) = 0", "mprotect", 0, 0x1000, 4096);
	check("futex(0x10, FUTEX_WAKE|FUTEX_PRIVATE_FLAG, 1) = 1", "futex", 1, 16, 129, 1, 9, 9, 9);
	check("kill(-1, SIGKILL) = 0", "kill", 0, UINT32_MAX, 9);
	check("kill(1, SIGRT_2) = 0", "kill", 0, 1, 34);
	check("kill(1, 0x63) = 0", "kill", 0, 1, 99);
	check("ioctl(0, TCGETS, 0x1) = 0", "ioctl", 0, 0, 0x5401, 1);
	check("ioctl(0, _IOC(_IOC_READ|_IOC_WRITE, 0x66, 0xad, 0x8), 0x1) = 0", "ioctl", 0, 0,
	      0xc00866ad, 1);
	check("fcntl(3, F_GETFD) = 1", "fcntl", 1, 3, F_GETFD, 77);
	check("fcntl(3, F_SETFL, O_RDONLY|O_NONBLOCK) = 0", "fcntl", 0, 3, F_SETFL, 04000);
	check("socket(AF_INET, SOCK_STREAM|SOCK_CLOEXEC, 6) = 3", "socket", 3, 2, 02000001, 6);
	check("clone(SIGCHLD|CLONE_CHILD_CLEARTID|CLONE_CHILD_SETTID, NULL, NULL, NULL, NULL) = 9",
	      "clone", 9, 0x1200011);
	check("umask(022) = 0", "umask", 0, 022);
	check("lseek(3, -1, SEEK_END) = 41", "lseek", 41, 3, UINT64_MAX, 2);
}

static void errors_have_names_and_words(void **state)
{
	(void)state;
	check("close(3) = -1 EBADF (Bad file descriptor)", "close", -EBADF, 3);
	check("pause() = ? ERESTARTNOHAND (To be restarted if no handler)", "pause", -514);
	check("close(3) = -1 (errno 4000)", "close", -4000, 3);
	check("brk(NULL) = 0xfffffffffffff000", "brk", -4096);
}

static void another_machine_has_other_open_flags(void **state)
{
	struct call_kind kind;
	struct call call = made("open", &kind, 3);

	(void)state;
	call.args[1] = 040000;
	check_on(MACHINE_GENERIC, &call, "open(NULL, O_RDONLY|O_DIRECT) = 3");
	check_on(MACHINE_ARM, &call, "open(NULL, O_RDONLY|O_DIRECTORY) = 3");
	check_on(MACHINE_OTHER, &call, "open(NULL, 0x4000) = 3");
	assert_int_equal(call_machine("6.1.0 aarch64"), MACHINE_ARM);
	assert_int_equal(call_machine("6.1.0 mips64"), MACHINE_OTHER);
	assert_int_equal(call_machine("6.1.0 x86_64"), MACHINE_GENERIC);
}

static void what_is_not_known_is_not_made_up(void **state)
{
	struct call_kind kind;
	struct call call = made("read", &kind, 8);

	(void)state;
	call.n_args = 1;
	check_on(MACHINE_GENERIC, &call, "read(0) = 8");
	call.state = CALL_NO_BEGIN;
	check_on(MACHINE_GENERIC, &call, "<... read resumed> = 8");
	call.lost = true;
	check_on(MACHINE_GENERIC, &call, "<... read resumed, its begin is lost> = 8");
	call.state = CALL_NO_END;
	call.end = 0;
	check_on(MACHINE_GENERIC, &call, "read(0) = ? <its end is lost>");
	kind = (struct call_kind){ .number = -1 };
	call.number = 4321;
	call.state = CALL_UNFINISHED;
	check_on(MACHINE_GENERIC, &call, "syscall_0x10e1(0 <unfinished, or its end is lost>");
}

static void strings_are_quoted_and_escaped(void **state)
{
	struct call_kind kind;
	struct call call = made("chdir", &kind, 0);

	(void)state;
	call.texts[0] = "/a\"b\\c\033[2J\nd";
	check_on(MACHINE_GENERIC, &call, "chdir(\"/a\\\"b\\\\c\\x1b[2J\\nd\") = 0");
}

/* ---- descriptors ---- */

static void learn(const char *name, int64_t ret, uint64_t a, uint64_t b, uint64_t c,
		  const char *text)
{
	struct call_kind kind;
	struct call call = made(name, &kind, ret);

	call.args[0] = a;
	call.args[1] = b;
	call.args[2] = c;
	call.texts[kind.signature->args[0] == ARG_PATH ? 0 : 1] = text;
	assert_int_equal(descriptors_learn(names, &call), 0);
}

static const char *name_of(int32_t tid, int fd)
{
	const char *name = descriptors_name(names, tid, fd);

	return name ? name : "";
}

static void a_name_follows_the_descriptor(void **state)
{
	(void)state;
	learn("openat", 3, (uint64_t)AT_FDCWD, 0, O_CLOEXEC, "/etc");
	learn("openat", 4, 3, 0, 0, "passwd");
	assert_string_equal(name_of(7, 3), "/etc");
	assert_string_equal(name_of(7, 4), "/etc/passwd");
	assert_string_equal(name_of(8, 4), "");
	check("read(4</etc/passwd>, 1) = 1", "read", 1, 4, 0, 1);
	learn("dup2", 9, 4, 9, 0, NULL);
	learn("close", 0, 4, 0, 0, NULL);
	assert_string_equal(name_of(7, 9), "/etc/passwd");
	assert_string_equal(name_of(7, 4), "");
	learn("socket", 4, 2, 1, 0, NULL);
	assert_string_equal(name_of(7, 4), "socket:AF_INET,SOCK_STREAM");
	learn("accept4", 5, 4, 0, 0, NULL);
	assert_string_equal(name_of(7, 5), "socket:AF_INET,SOCK_STREAM");
	learn("openat", 4, (uint64_t)AT_FDCWD, 0, 0, NULL);
	assert_string_equal(name_of(7, 4), "");
	learn("openat", -ENOENT, (uint64_t)AT_FDCWD, 0, 0, "/none");
	learn("execve", 0, 0, 0, 0, NULL);
	assert_string_equal(name_of(7, 3), "");
	assert_string_equal(name_of(7, 9), "/etc/passwd");
	descriptors_forget(names);
	assert_string_equal(name_of(7, 9), "");
}

static void a_child_copies_and_a_thread_shares_descriptors(void **state)
{
	const struct call_task child = { .tid = 8, .parent = 7, .began = true };
	const struct call_task thread = {
		.tid = 9, .parent = 7, .flags = CLONE_FILES, .began = true
	};
	const struct call_task end = { .tid = 9 };

	(void)state;
	learn("creat", 3, 0, 0644, 0, "/new");
	assert_int_equal(descriptors_task(names, &child), 0);
	assert_int_equal(descriptors_task(names, &thread), 0);
	learn("close", 0, 3, 0, 0, NULL);
	assert_string_equal(name_of(8, 3), "/new");
	assert_string_equal(name_of(9, 3), "");
	learn("eventfd2", 3, 0, 0, 0, NULL);
	assert_string_equal(name_of(9, 3), "anon_inode:[eventfd]");
	assert_int_equal(descriptors_task(names, &end), 0);
	assert_string_equal(name_of(9, 3), "");
	assert_string_equal(name_of(7, 3), "anon_inode:[eventfd]");
	learn("close_range", 0, 0, UINT32_MAX, 0, NULL);
	assert_string_equal(name_of(7, 3), "");
	learn("clone", 20, 0, 0, 0, NULL);
	learn("open", 1 << 20, 0, 0, 0, "/far");
	assert_string_equal(name_of(7, 1 << 20), "");
}

static void proc_has_the_names_of_open_files(void **state)
{
	int fd = open("/proc/self/status", O_RDONLY);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(descriptors_inherit(names, 7), 0);
	assert_has(name_of(7, fd), "/status");
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	assert_int_equal(descriptors_inherit(names, 7), 0);
	assert_string_equal(name_of(7, fd), "");
	assert_int_equal(descriptors_read_proc(names), 0);
	assert_has(name_of(getpid(), fd), "/status");
	close(fd);
}

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* Learns that this process has bound the socket to an address. */
static void learn_bind(int fd)
{
	struct call_kind kind;
	struct call call = made("bind", &kind, 0);

	call.tid = getpid();
	call.args[0] = (uint64_t)fd;
	assert_int_equal(descriptors_learn(names, &call), 0);
}

static void a_socket_gets_its_address_once_no_call_can_have_changed_it(void **state)
{
	const struct call_task child = { .tid = 8, .parent = getpid(), .began = true };
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(address);
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	char want[48];
	uint64_t before;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(descriptors_inherit(names, getpid()), 0);
	assert_has(name_of(getpid(), fd), "socket:[");
	assert_int_equal(bind(fd, (struct sockaddr *)&address, len), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &len), 0);
	snprintf(want, sizeof(want), "UDP:[127.0.0.1:%u]", ntohs(address.sin_port));
	before = now();
	learn_bind(fd);
	assert_int_equal(descriptors_task(names, &child), 0);
	/* Calls of before may still tell that the descriptor was another one then. */
	descriptors_until(names, before);
	assert_has(name_of(getpid(), fd), "socket:[");
	descriptors_until(names, now());
	assert_string_equal(name_of(getpid(), fd), want);
	assert_string_equal(name_of(8, fd), want);
	assert_int_equal(descriptors_read_proc(names), 0);
	assert_string_equal(name_of(getpid(), fd), want);
	close(fd);
}

static void a_socket_that_was_closed_gets_no_address(void **state)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	struct call_kind kind;
	struct call closed = made("close", &kind, 0);
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	(void)state;
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(descriptors_inherit(names, getpid()), 0);
	learn_bind(fd);
	closed.tid = getpid();
	closed.args[0] = (uint64_t)fd;
	assert_int_equal(descriptors_learn(names, &closed), 0);
	descriptors_until(names, now());
	assert_string_equal(name_of(getpid(), fd), "");
	close(fd);
}

/* ---- paths ---- */

/* True if a kernel whose event has this format records paths. */
static bool records_paths(const char *format)
{
	char root[TREE_NAME];
	DKT_OPTS(dkt_ctx_opts, opts, .root = root);
	struct dkt_event *event;
	struct dkt_ctx *ctx;
	bool recorded;

	/* Without a root, the context would look at the running kernel too. */
	assert_int_equal(tree_make(root), 0);
	assert_int_equal(tree_text(root, "available_events", ""), 0);
	assert_int_equal(dkt_ctx_new(&opts, &ctx), 0);
	assert_ok(ctx, dkt__event_define(ctx, "syscalls", "sys_enter_openat", format, &event));
	recorded = call_paths_recorded(ctx);
	dkt_ctx_free(ctx);
	assert_int_equal(tree_remove(root), 0);
	return recorded;
}

static void the_format_tells_whether_the_kernel_records_paths(void **state)
{
	const char *recent = call_made[ENTER_OPENAT].format;
	const char *text = strstr(recent, "\tfield:__data_loc");
	char *older __cleanup(free) = dkt__format("%.*s" CALL_END, (int)(text - recent), recent);

	(void)state;
	assert_true(records_paths(recent));
	assert_false(records_paths(older));
	assert_string_equal(call_paths_words(CALL_PATHS_KERNEL), "paths recorded by the kernel");
	assert_string_equal(call_paths_words(CALL_PATHS_PROBES), "paths read by event probes");
}

/* ---- tables of sockets ---- */

/* As the kernel prints an address of 32 bits: in the byte order of this machine. */
#define LOOPBACK "0100007F"

static void lines_of_proc_net_are_sockets(void **state)
{
	static const struct {
		enum socket_table table;
		const char *line, *name;
	} rows[] = {
		{ SOCKETS_TCP,
		  "   0: " LOOPBACK ":1389 00000000:0000 0A 00000000:00000000 00:00000000 00000000"
		  "     0        0 77 1 0000000000000000 100 0 0 10 0",
		  "TCP:[127.0.0.1:5001]" },
		{ SOCKETS_TCP6,
		  "  12: 00000000000000000000000001000000:9C40 00000000000000000000000001000000:1389 01"
		  " 00000000:00000000 00:00000000 00000000  1000        0 77 1 0000000000000000",
		  "TCPv6:[[::1]:40000->[::1]:5001]" },
		{ SOCKETS_UNIX, "0000000000000000: 00000003 00000000 00000000 0001 03 77",
		  "UNIX-STREAM:[77]" },
		{ SOCKETS_UNIX,
		  "0000000000000000: 00000002 00000000 00010000 0005 01    77 /run/a b",
		  "UNIX-SEQPACKET:[77,\"/run/a b\"]" },
		{ SOCKETS_UNIX, "0: 2 0 10000 ffff 01 77 @abstract", "UNIX:[77,\"@abstract\"]" },
	};
	static const char *const hostile[] = {
		"",
		"  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid",
		"Num       RefCount Protocol Flags    Type St Inode Path",
		"0: 0100007F:1389",
		/* An address of 3, 9 and 33 digits, none, an inode of 0, none. */
		"0: 010:1389 00000000:0000 0A 0:0 0:0 0 0 0 77",
		"0: 0100007F0:1389 00000000:0000 0A 0:0 0:0 0 0 0 77",
		"0: 000000000000000000000000010000000:1389 00000000:0000 0A 0:0 0:0 0 0 0 77",
		"0: :1389 00000000:0000 0A 0:0 0:0 0 0 0 77",
		"0: 0100007F:1389 00000000:0000 0A 0:0 0:0 0 0 0 0",
		"0: 0100007F:1389 00000000:0000 0A 0:0 0:0 0 0 0 x",
		"0: 2 0 10000 1 01",
		"0: 2 0 10000 1 01 0 /path",
		"0: 2 0 10000 zzzz 01 77 /path",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct sockets sockets = { 0 };

		assert_int_equal(sockets_add(&sockets, rows[i].table, rows[i].line), 0);
		assert_string_equal(sockets_name(&sockets, 77), rows[i].name);
		assert_null(sockets_name(&sockets, 78));
		sockets_clear(&sockets);
	}
	for (size_t i = 0; i < ARRAY_SIZE(hostile); i++) {
		struct sockets sockets = { 0 };

		for (int table = SOCKETS_TCP; table <= SOCKETS_UNIX; table++)
			assert_int_equal(
				sockets_add(&sockets, (enum socket_table)table, hostile[i]), 0);
		assert_null(sockets_name(&sockets, 77));
		sockets_clear(&sockets);
	}
	assert_int_equal(sockets_inode("socket:[77]"), 77);
	assert_int_equal(sockets_inode("socket:[]"), 0);
	assert_int_equal(sockets_inode("pipe:[77]"), 0);
}

static int setup(void **state)
{
	(void)state;
	return descriptors_new(&names);
}

static int teardown(void **state)
{
	(void)state;
	descriptors_free(names);
	return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(numbers_have_the_names_of_the_headers),
		TEST(errors_have_names_and_words),
		TEST(another_machine_has_other_open_flags),
		TEST(what_is_not_known_is_not_made_up),
		TEST(strings_are_quoted_and_escaped),
		TEST(a_name_follows_the_descriptor),
		TEST(a_socket_gets_its_address_once_no_call_can_have_changed_it),
		TEST(a_socket_that_was_closed_gets_no_address),
		TEST(the_format_tells_whether_the_kernel_records_paths),
		TEST(lines_of_proc_net_are_sockets),
		TEST(a_child_copies_and_a_thread_shares_descriptors),
		TEST(proc_has_the_names_of_open_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
