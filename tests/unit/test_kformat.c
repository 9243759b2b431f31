/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernel's printf, compared with the C library's or with the kernel's documentation. */
#include <arpa/inet.h>

#include "lib/plan/kformat.h"
#include "lib/symbol.h"
#include "tests/helper/check.h"

/* The bytes to which an argument points. */
struct behind {
	const void *bytes;
	size_t len;
};

struct message {
	struct dkt__kprintf_args args;
	struct behind behind[16], raw[4];
	const char *inner; /* format of a %pV */
	uint64_t inner_words[4];
	struct behind inner_behind[4];
};

static void pointee(void *data, size_t i, const void **bytes, size_t *len)
{
	const struct message *m = data;

	*bytes = m->behind[i].bytes;
	*len = m->behind[i].len;
}

static void inner_pointee(void *data, size_t i, const void **bytes, size_t *len)
{
	const struct message *m = data;

	*bytes = m->inner_behind[i].bytes;
	*len = m->inner_behind[i].len;
}

static bool nested(void *data, size_t i, const char **fmt, size_t *len,
		   struct dkt__kprintf_args *args)
{
	struct message *m = data;

	if (i || !m->inner)
		return false;
	*fmt = m->inner;
	*len = strlen(m->inner);
	args->words = m->inner_words;
	args->n = 4;
	args->pointee = inner_pointee;
	args->nested = nested;
	args->data = m;
	return true;
}

static char *render_as(struct message *m, const char *fmt, const uint64_t *words, size_t n)
{
	struct dkt_buf *buf;
	const char *text;
	char *copy;
	size_t len;

	if (!m->args.sz)
		m->args.sz = sizeof(m->args);
	m->args.words = words;
	m->args.n = n;
	m->args.pointee = pointee;
	m->args.nested = nested;
	m->args.data = m;
	assert_int_equal(dkt_buf_new(&buf), 0);
	dkt_buf_str(buf, "[");
	dkt__buf_kprintf(buf, fmt, strlen(fmt), &m->args);
	assert_int_equal(dkt_buf_error(buf), 0);
	text = dkt_buf_data(buf, &len);
	assert_true(len >= 1 && text[0] == '[');
	copy = strndup(text + 1, len - 1);
	dkt_buf_free(buf);
	return copy;
}

static void prints(struct message *m, const char *want, const char *fmt, const uint64_t *words,
		   size_t n)
{
	char *got = render_as(m, fmt, words, n);

	assert_string_equal(got, want);
	free(got);
}

#define PRINTS(want, fmt, ...)                                                                     \
	do {                                                                                       \
		const uint64_t words_[] = { __VA_ARGS__ };                                         \
		struct message m_ = { 0 };                                                         \
                                                                                                   \
		prints(&m_, want, fmt, words_, ARRAY_SIZE(words_));                                \
	} while (0)

/* ---- beside the C library ---- */

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void add_number(char *fmt, size_t *n, uint64_t v)
{
	if (v >= 10)
		fmt[(*n)++] = (char)('0' + v / 10 % 10);
	fmt[(*n)++] = (char)('0' + v % 10);
}

/* A conversion of integers on which the kernel and C agree; returns the letter. */
static char make_conversion(uint64_t *state, uint64_t v, char *fmt)
{
	static const char *const sizes[] = { "", "l", "ll", "h", "hh", "z", "t" };
	static const char letters[] = "diuxXo";
	uint64_t r = next_random(state);
	char letter = letters[r % 6];
	bool precise = r >> 8 & 1, zero = r >> 9 & 1, alt = r >> 10 & 1;
	const char *size = sizes[(r >> 32) % ARRAY_SIZE(sizes)];
	size_t n = 0;

	fmt[n++] = '%';
	if (r >> 11 & 1)
		fmt[n++] = '-';
	if (strchr("di", letter) && r >> 12 & 1)
		fmt[n++] = r >> 13 & 1 ? '+' : ' ';
	/* A narrow type may make it 0, of which they print the prefix differently. */
	if (alt && strchr("xX", letter) && v & 0xff)
		fmt[n++] = '#';
	if (zero && !precise)
		fmt[n++] = '0';
	if (r >> 14 & 1)
		add_number(fmt, &n, (r >> 16) % 40 + 1);
	if (precise) {
		fmt[n++] = '.';
		add_number(fmt, &n, (r >> 24) % 30 + 1);
	}
	memcpy(fmt + n, size, strlen(size));
	n += strlen(size);
	fmt[n++] = letter;
	fmt[n] = '\0';
	return letter;
}

static void integers_as_in_c(void **state)
{
	uint64_t random = 88172645463325252u;
	struct message m = { 0 };
	char fmt[32], want[128];
	int i;

	(void)state;
	for (i = 0; i < 200000; i++) {
		uint64_t v = next_random(&random) >> next_random(&random) % 64;

		if (i % 3 == 0)
			v = 0 - v;
		make_conversion(&random, v, fmt);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		snprintf(want, sizeof(want), fmt, v);
#pragma GCC diagnostic pop
		prints(&m, want, fmt, &v, 1);
	}
}

static void strings_as_in_c(void **state)
{
	static const char *const texts[] = { "", "a", "oscar", "a rather long one of 32 letters." };
	static const char *const fmts[] = { "%s",      "%5s",  "%-5s", "%.3s", "%8.3s", "%-8.3s",
					    "x%sy%%z", "%.0s", "%05s", "%40s", "%-40s|" };
	uint64_t word = 0xffff888100000000;
	char want[64];
	size_t i, j;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(fmts); i++) {
		for (j = 0; j < ARRAY_SIZE(texts); j++) {
			struct message m = { .behind = { { texts[j], strlen(texts[j]) + 1 } } };

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
			snprintf(want, sizeof(want), fmts[i], texts[j]);
#pragma GCC diagnostic pop
			prints(&m, want, fmts[i], &word, 1);
		}
	}
}

/* ---- where the kernel has its own way ---- */

static void integers_as_the_kernel_prints_them(void **state)
{
	(void)state;
	PRINTS("0", "%.0d", 0);
	PRINTS("0x0", "%#x", 0);
	PRINTS("0X0", "%#X", 0);
	PRINTS("0", "%#o", 0);
	PRINTS("017", "%#o", 15);
	PRINTS("0000000005", "%010.3d", 5);
	PRINTS("   -5|-5   ", "%5d|%-5d", (uint64_t)-5, (uint64_t)-5);
	PRINTS("    7|7    ", "%*d|%*d", 5, 7, (uint64_t)-5, 7);
	PRINTS("007", "%.*d", 3, 7);
	PRINTS("7", "%.*d", (uint64_t)-3, 7);
	PRINTS("+7", "%+Ld", 7);
	PRINTS("-1 4294967295 255 65535", "%d %u %hhu %hu", UINT64_MAX, UINT64_MAX, UINT64_MAX,
	       UINT64_MAX);
	PRINTS("-1 18446744073709551615", "%ld %zu", UINT64_MAX, UINT64_MAX);
	PRINTS("A  B", "%c%3c", 'A', 'B');
	PRINTS("B  |", "%-3c|", 'B');
	PRINTS("100%", "100%%", 0);
}

static void an_unknown_conversion_ends_the_text(void **state)
{
	(void)state;
	PRINTS("a 1 ", "a %d %n %d", 1, 2, 3);
	PRINTS("a ", "a %y", 1);
	PRINTS("50", "50%", 1);
	PRINTS("50", "50%l", 1);
	PRINTS("", "%-", 1);
	PRINTS("", "%5.", 1);
	PRINTS("", "%*", 1);
}

static void missing_arguments_print_their_conversion(void **state)
{
	(void)state;
	PRINTS("1 <%d> <%-5s> <%pV> x", "%d %d %-5s %pV x", 1);
	PRINTS("1 <%*d>", "%d %*d", 1);
	PRINTS("<%*d> <%c>", "%*d %c", 1);
	PRINTS("<%s 0xffff888100000000>", "%s", 0xffff888100000000);
	PRINTS("<%pD 0xffff888100000000>.", "%pD.", 0xffff888100000000);
	PRINTS("<%pV 0xffff888100000000>", "%pV", 0xffff888100000000);
	PRINTS("<%6phN 0xffff888100000000>", "%6phN", 0xffff888100000000);
	PRINTS("<%pI4 0xffff888100000000> <%pUb 0xffff888100000000>", "%pI4 %pUb",
	       0xffff888100000000, 0xffff888100000000);
}

static void pointers_print_as_in_the_kernel(void **state)
{
	(void)state;
	PRINTS("ffff888100a00000", "%p", 0xffff888100a00000);
	PRINTS("0000000000001234", "%px", 0x1234);
	PRINTS("0x0000000000001234", "%#p", 0x1234);
	PRINTS("                1234|", "%20p|", 0x1234);
	PRINTS("1234    |", "%-8px|", 0x1234);
	PRINTS("ffff888100a00000 x", "%pK x", 0xffff888100a00000);
	/* Letters that are no extension are swallowed with it. */
	PRINTS("0000000000001234, 1", "%pzoo, %d", 0x1234, 1);
	PRINTS("-ENOENT", "%pe", (uint64_t)-2);
	PRINTS("-EAGAIN -ERESTARTSYS -EPROBE_DEFER -4000", "%pe %pe %pe %pe", (uint64_t)-11,
	       (uint64_t)-512, (uint64_t)-517, (uint64_t)-4000);
	PRINTS("0000000000001234", "%pe", 0x1234);
	PRINTS("8000000000000000", "%pe", UINT64_C(1) << 63);
}

static void dentries_print_their_names(void **state)
{
	const uint64_t words[] = { 0xffff888100a00000, 0xffff888100b00000 };
	struct message m = { .behind = { { "a name", 7 }, { "cut", 3 } } };

	(void)state;
	m.args = (struct dkt__kprintf_args){ .sz = sizeof(m.args), .dentry_name = pointee };
	prints(&m, "a name", "%pd", words, 1);
	prints(&m, "  a na|", "%6.4pd|", words, 1);
	prints(&m, "a name  |", "%-8pd|", words, 1);
	prints(&m, "a name <%pd 0xffff888100b00000>", "%pd %pd", words, 2);
	prints(&m, "<%pd2 0xffff888100a00000> <%pD 0xffff888100b00000>", "%pd2 %pD", words, 2);
	/* A caller built with an older header does not pass this member. */
	m.args.sz = offsetof(struct dkt__kprintf_args, dentry_name);
	prints(&m, "<%pd 0xffff888100a00000>", "%pd", words, 1);
}

static void invalid_pointers_print_as_in_the_kernel(void **state)
{
	(void)state;
	PRINTS("(null) (efault) (efault)", "%s %s %s", 0, 1, (uint64_t)-14);
	PRINTS("(nu|  (null)|(null)  |", "%.3s|%8s|%-8s|", 0, 0, 0);
	PRINTS("(null) (null) (efault)", "%pd %pI4 %pV", 0, 0, 8);
	PRINTS("(null)", "%4ph", 0);
	PRINTS("", "%*ph", 0, 0);
	PRINTS("0000000000000000", "%p", 0);
}

static void pointers_print_the_recorded_bytes(void **state)
{
	static const uint8_t b[16] = { 0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
				       0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff };
	static const uint8_t ip4[4] = { 10, 0, 2, 15 };
	static const uint8_t ip6[16] = { 0x20, 0x01, 0x0d, 0xb8, [15] = 1 };
	struct sockaddr_in sa = { .sin_family = AF_INET, .sin_port = htons(988) };
	uint64_t word = 0xffff888100000000;
	struct message m = { 0 };

	(void)state;
	memcpy(&sa.sin_addr, ip4, 4);
	m.behind[0] = (struct behind){ b, sizeof(b) };
	prints(&m, "00 11 22 33", "%4ph", &word, 1);
	prints(&m, "00:11:22:33", "%4phC", &word, 1);
	prints(&m, "00-11-22-33", "%4phD", &word, 1);
	prints(&m, "00112233", "%4phN", &word, 1);
	prints(&m, "00", "%ph", &word, 1);
	prints(&m, "<%20ph 0xffff888100000000>", "%20ph", &word, 1);
	prints(&m, "00:11:22:33:44:55", "%pM", &word, 1);
	prints(&m, "55:44:33:22:11:00", "%pMR", &word, 1);
	prints(&m, "00-11-22-33-44-55", "%pMF", &word, 1);
	prints(&m, "001122334455", "%pm", &word, 1);
	prints(&m, "00112233-4455-6677-8899-aabbccddeeff", "%pUb", &word, 1);
	prints(&m, "33221100-5544-7766-8899-AABBCCDDEEFF", "%pUL", &word, 1);
	prints(&m, "00112233-4455-6677-8899-aabbccddeeff    |", "%-40pU|", &word, 1);
	m.behind[0] = (struct behind){ ip4, sizeof(ip4) };
	prints(&m, "10.0.2.15 ", "%pI4 ", &word, 1);
	prints(&m, "010.000.002.015", "%pi4", &word, 1);
	prints(&m, "15.2.0.10", "%pI4l", &word, 1);
	prints(&m, "<%pM 0xffff888100000000>", "%pM", &word, 1);
	m.behind[0] = (struct behind){ ip6, sizeof(ip6) };
	prints(&m, "2001:0db8:0000:0000:0000:0000:0000:0001", "%pI6", &word, 1);
	prints(&m, "2001:db8::1", "%pI6c", &word, 1);
	m.behind[0] = (struct behind){ &sa, sizeof(sa) };
	prints(&m, "10.0.2.15:988", "%pISp", &word, 1);
	prints(&m, "10.0.2.15", "%pISc", &word, 1);
	/* The memory at the address is always zero. */
	m.behind[0].len = 8;
	prints(&m, "10.0.2.15:988", "%pISpc", &word, 1);
	m.behind[0].len = 2;
	prints(&m, "<%pISc 0xffff888100000000>", "%pISc", &word, 1);
}

/* A string ends at its NUL, other bytes do not. */
static void raw(void *data, size_t i, const void **bytes, size_t *len)
{
	const struct message *m = data;

	*bytes = m->raw[i].bytes;
	*len = m->raw[i].len;
}

static void raw_bytes_are_preferred_to_a_string(void **state)
{
	static const uint8_t b[8] = { 10, 0, 2, 15, 'x', 'y', 'z', 0 };
	uint64_t word = 0xffff888100000000;
	struct message m = { .args.raw = raw };

	(void)state;
	m.behind[0] = (struct behind){ b, 2 };
	m.raw[0] = (struct behind){ b, sizeof(b) };
	prints(&m, "10.0.2.15", "%pI4", &word, 1);
	prints(&m, "0a 00 02 0f", "%4ph", &word, 1);
	prints(&m, "\n", "%s", &word, 1);
	/* Whichever has more. */
	m.behind[0] = (struct behind){ b, sizeof(b) };
	m.raw[0].len = 2;
	prints(&m, "10.0.2.15", "%pI4", &word, 1);
	m.behind[0].len = 0;
	prints(&m, "<%pI4 0xffff888100000000>", "%pI4", &word, 1);
	prints(&m, "<%s 0xffff888100000000>", "%s", &word, 1);
	/* A caller built with an older header. */
	m.raw[0].len = 8;
	m.args.sz = offsetof(struct dkt__kprintf_args, raw);
	prints(&m, "<%pI4 0xffff888100000000>", "%pI4", &word, 1);
}

static void truncated_strings_are_marked(void **state)
{
	uint64_t word = 0xffff888100000000, words[] = { 3, word };
	struct message m = { .behind = { { "abcdef", 6 }, { "abcdef", 6 } } };

	(void)state;
	prints(&m, "abcdef... x", "%s x", &word, 1);
	prints(&m, "abcdef|", "%.6s|", &word, 1);
	prints(&m, "abcdef...|", "%.7s|", &word, 1);
	prints(&m, "abc|", "%.*s|", words, 2);
}

static void a_format_can_contain_a_format(void **state)
{
	static const uint64_t words[] = { 0xffffc90000123456, 7 };
	struct message m = { .inner = "@@@ %s (timeout %d)",
			     .inner_words = { 0xffff888100000000, 5 },
			     .inner_behind = { { "sent", 5 } } };

	(void)state;
	prints(&m, "@@@ sent (timeout 5) x7", "%pV x%d", words, 2);
	m.inner = "a %d %y";
	prints(&m, "a 0 7", "%pV%d", words, 2);
	m.inner = "a %pV";
	m.inner_words[0] = 0xffffc90000123456;
	/* It never ends by itself. */
	free(render_as(&m, "%pV", words, 2));
}

/* ---- functions ---- */

static const char kallsyms[] = "ffffffff81000000 T first\n"
			       "ffffffff81000100 T second\n"
			       "ffffffff81000100 t alias\n"
			       "ffffffff81000180 T third\n"
			       "ffffffffc0000000 t f\t[mod]\n"
			       "ffffffffc0000010 t g\t[mod]\n"
			       "ffffffffc0000100 d data\t[mod]\n"
			       "ffffffffc0001000 t h\t[other]\n";

static void functions_have_names(void **state)
{
	char path[] = "/tmp/dkt-kallsyms-XXXXXX";
	struct message m = { 0 };
	int fd = mkstemp(path);
	uint64_t w;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, kallsyms, sizeof(kallsyms) - 1), sizeof(kallsyms) - 1);
	close(fd);
	assert_int_equal(dkt_ctx_new(NULL, &m.args.ctx), 0);
	assert_int_equal(dkt__symbols_read(m.args.ctx, path), 0);
	unlink(path);
	w = 0xffffffff81000104;
	prints(&m, "second+0x4/0x80 second", "%pS %ps", (uint64_t[]){ w, w }, 2);
	prints(&m, "   second|second   |", "%9ps|%-9ps|", (uint64_t[]){ w, w }, 2);
	w = 0xffffffff81000100;
	prints(&m, "first+0x100/0x100 second+0x0/0x80", "%pB %pF", (uint64_t[]){ w, w }, 2);
	w = 0xffffffffc0000004;
	prints(&m, "f+0x4/0x10 [mod] f [mod]", "%pS %ps", (uint64_t[]){ w, w }, 2);
	/* Where the module's code ends is not in the list. */
	w = 0xffffffffc0000014;
	prints(&m, "g+0x4/0x? [mod]", "%pS", &w, 1);
	w = 0x1000;
	prints(&m, "0x1000", "%pS", &w, 1);
	dkt_ctx_free(m.args.ctx);
	m.args.ctx = NULL;
	prints(&m, "<%pS 0x1000>", "%pS", &w, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers_as_in_c),
		cmocka_unit_test(strings_as_in_c),
		cmocka_unit_test(integers_as_the_kernel_prints_them),
		cmocka_unit_test(an_unknown_conversion_ends_the_text),
		cmocka_unit_test(missing_arguments_print_their_conversion),
		cmocka_unit_test(pointers_print_as_in_the_kernel),
		cmocka_unit_test(dentries_print_their_names),
		cmocka_unit_test(invalid_pointers_print_as_in_the_kernel),
		cmocka_unit_test(pointers_print_the_recorded_bytes),
		cmocka_unit_test(raw_bytes_are_preferred_to_a_string),
		cmocka_unit_test(truncated_strings_are_marked),
		cmocka_unit_test(a_format_can_contain_a_format),
		cmocka_unit_test(functions_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
