/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Entries of the journal: the fields of lines, and entries that are too long for a datagram. */
#include <fcntl.h>
#include <sys/socket.h>

#include "compat/apply/audit.h"
#include "compat/pipeline/journald.h"
#include "lib/base/buf.h"
#include "lib/base/io.h"
#include "tests/helper/check.h"

#define LONG_TEXT 20000

static void check_fields(const char *line, const char *wanted)
{
	struct dkt_buf *buf;
	size_t len;
	char *copy, *fields;

	/* No byte follows the line. */
	copy = malloc(strlen(line) + 1);
	assert_non_null(copy);
	memcpy(copy, line, strlen(line));
	assert_int_equal(dkt_buf_new(&buf), 0);
	dkl_journald_fields(copy, strlen(line), buf);
	fields = (char *)dkt_buf_data(buf, &len);
	fields = strndup(fields, len);
	assert_string_equal(fields, wanted);
	free(fields);
	free(copy);
	dkt_buf_free(buf);
}

static void a_line_becomes_fields(void **state)
{
	(void)state;
	check_fields(
		"00000100:00020000:3.1F:1495061256.496695:0:14615:0:(client.c:1498:ptlrpc_send_new_req()) a: b",
		"SYSLOG_IDENTIFIER=dktrace\nPRIORITY=3\nMESSAGE=a: b\nCODE_FILE=client.c\n"
		"CODE_LINE=1498\nCODE_FUNC=ptlrpc_send_new_req\nDKTRACE_CLASS=error\n"
		"DKTRACE_SUBSYSTEM=rpc\nDKTRACE_CPU=3\nDKTRACE_PID=14615\n"
		"DKTRACE_TIME=1495061256.496695\n");
	check_fields(
		"00000001:00000008:0.0:1.000002:0:0:0:(block:0:f()) ",
		"SYSLOG_IDENTIFIER=dktrace\nPRIORITY=7\nMESSAGE=\nCODE_FILE=block\n"
		"CODE_LINE=0\nCODE_FUNC=f\nDKTRACE_CLASS=iotrace\nDKTRACE_SUBSYSTEM=undefined\n"
		"DKTRACE_CPU=0\nDKTRACE_PID=0\nDKTRACE_TIME=1.000002\n");
}

static void another_line_is_the_message(void **state)
{
	(void)state;
	check_fields("", "SYSLOG_IDENTIFIER=dktrace\nPRIORITY=6\nMESSAGE=\n");
	check_fields("00000001:00000008:0.0:1.0:0:0:0:(a:0:f(",
		     "SYSLOG_IDENTIFIER=dktrace\nPRIORITY=6\n"
		     "MESSAGE=00000001:00000008:0.0:1.0:0:0:0:(a:0:f(\n");
	check_fields("a\tb\nPRIORITY=0",
		     "SYSLOG_IDENTIFIER=dktrace\nPRIORITY=6\nMESSAGE=a\\tb\\nPRIORITY=0\n");
}

/* Returns the entry of a change, which the caller frees. */
static char *audit_text(const char *setting, const char *before, const char *after)
{
	struct dkt_buf *buf;
	char *text;
	size_t len;

	assert_int_equal(dkt_buf_new(&buf), 0);
	dkl_audit_fields(buf, "dktrace", setting, before, after);
	text = (char *)dkt_buf_data(buf, &len);
	text = strndup(text, len);
	assert_non_null(text);
	dkt_buf_free(buf);
	return text;
}

static void a_change_of_settings_becomes_fields(void **state)
{
	char *text;

	(void)state;
	text = audit_text("debug_filter", "", "a\nPRIORITY=0");
	assert_has(text, "SYSLOG_IDENTIFIER=dktrace\nPRIORITY=5\nMESSAGE_ID=");
	assert_has(text,
		   "\nMESSAGE=debug log dktrace: debug_filter is now 'a\\nPRIORITY=0', was ''\n"
		   "DKTRACE_INSTANCE=dktrace\nDKTRACE_SETTING=debug_filter\nDKTRACE_BEFORE=\n"
		   "DKTRACE_AFTER=a\\nPRIORITY=0\n");
	free(text);
	text = audit_text(NULL, NULL, NULL);
	assert_has(text, "\nMESSAGE=debug log dktrace: all settings and records were removed\n"
			 "DKTRACE_INSTANCE=dktrace\n");
	assert_null(strstr(text, "DKTRACE_SETTING"));
	free(text);
}

/* Receives an entry and the file that came with it; -1: none did. Returns the length of the datagram. */
static ssize_t receive(int fd, char *bytes, size_t size, int *file)
{
	char control[64];
	struct iovec part = { bytes, size };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = control,
				  .msg_controllen = sizeof(control) };
	ssize_t n = recvmsg(fd, &message, MSG_DONTWAIT);
	const struct cmsghdr *head = n < 0 ? NULL : CMSG_FIRSTHDR(&message);

	*file = -1;
	if (head)
		memcpy(file, CMSG_DATA(head), sizeof(*file));
	return n;
}

static void a_long_entry_is_a_sealed_file(void **state)
{
	char *text = malloc(LONG_TEXT + 3), *entry, short_entry[256];
	int ends[2], file, size = 4096;
	struct dkt_ctx *ctx;
	size_t len;
	ssize_t n;

	(void)state;
	assert_non_null(text);
	assert_int_equal(dkt_ctx_new(NULL, &ctx), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends), 0);
	assert_int_equal(setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size)), 0);
	memset(text, 'x', LONG_TEXT);
	memcpy(text + LONG_TEXT, "\ny\n", 3);
	assert_ok(ctx, dkl_journald_send(ctx, ends[0], text, LONG_TEXT + 3));
	n = receive(ends[1], short_entry, sizeof(short_entry), &file);
	assert_int_equal(n, 0);
	assert_true(file >= 0);
	assert_int_equal(fcntl(file, F_GET_SEALS),
			 F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
	assert_int_equal(lseek(file, 0, SEEK_SET), 0);
	assert_int_equal(dkt__read_fd(file, SIZE_MAX, &entry, &len), 0);
	assert_has(entry, "PRIORITY=6\nMESSAGE=xxx");
	assert_int_equal(len,
			 LONG_TEXT + strlen("SYSLOG_IDENTIFIER=dktrace\nPRIORITY=6\nMESSAGE=\n"));
	close(file);
	n = receive(ends[1], short_entry, sizeof(short_entry), &file);
	assert_int_equal(file, -1);
	assert_memory_equal(short_entry, "SYSLOG_IDENTIFIER=dktrace\nPRIORITY=6\nMESSAGE=y\n",
			    (size_t)n);
	assert_int_equal(receive(ends[1], short_entry, sizeof(short_entry), &file), -1);
	close(ends[1]);
	assert_fails(ctx, -ECONNREFUSED, "write to the journal: Connection refused",
		     dkl_journald_send(ctx, ends[0], "z", 1));
	close(ends[0]);
	free(entry);
	free(text);
	dkt_ctx_free(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_becomes_fields),
		cmocka_unit_test(a_change_of_settings_becomes_fields),
		cmocka_unit_test(another_line_is_the_message),
		cmocka_unit_test(a_long_entry_is_a_sealed_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
