/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the text of a message can be, and what the kernel must compare. */
#include "compat/lustre/message.h"
#include "compat/lustre/message/cdebug.h"
#include "compat/lustre/message/search.h"
#include "lib/base/util.h"
#include "tests/helper/cdebug_event.h"
#include "tests/helper/check.h"
#include "tests/helper/tree.h"

/* The arguments of a made message: strings, or NULL for a number. */
#define ARGS 6

/* Strings of earlier messages, to which the words behind the arguments point. */
#define LEFT_OVER "timed out for slow reply"

struct messages {
	struct dkt_ctx *ctx;
	struct dkt_event *words, *strings, *nested, *third, *single, *old;
	struct dkt__strings texts;
	struct search search;
};

/* A format of Lustre's, with what it may print. */
struct made {
	const char *fmt; /* NULL: the message is a nested one, "%pV req@%p to %s" */
	const char *v_fmt;
	const char *args[ARGS];
};

/* As Lustre has them: formats end a line or take arguments, the others are what formats print. */
static const char constants[] =
	"\0\1\2\0"
	"@@@ Request sent has %s: [sent %lld/real %lld] \0"
	"timed out for sent delay\0"
	"timed out for slow reply\0"
	"failed due to network error\0"
	"### lock callback timer expired after %llds: evicting client at %s \0"
	"%s: evicting %s (at %s) by administrative request\n\0"
	"%d: evicting %s\n\0"
	"client_nid\0"
	"ptlrpc_expire_one_request\0"
	"%s: rc = %d\n\0"
	"no words\0"
	"%s after %d s\n\0"
	"import timed out\n\0"
	"say \"%s\" and '?'\n\0"
	"torn";

static int setup(void **state)
{
	DKT_OPTS(dkt_ctx_opts, opts, .machine = "x86_64");
	struct messages *t = calloc(1, sizeof(*t));

	assert_non_null(t);
	assert_int_equal(dkt_ctx_new(&opts, &t->ctx), 0);
	t->words = cdebug_event(t->ctx, "dktrace", 65001, CDEBUG_NAME, CDEBUG_WORDS);
	t->strings = cdebug_event(t->ctx, "dktrace", 65002, CDEBUG_STRINGS, CDEBUG_POINTEES);
	t->nested = cdebug_event(t->ctx, "dktrace", 65003, CDEBUG_NESTED, CDEBUG_CALL);
	t->third = cdebug_event(t->ctx, "dktrace", 65006, CDEBUG_NESTED_THIRD, CDEBUG_CALL_THIRD);
	t->single = cdebug_event(t->ctx, "single", 65004, CDEBUG_NAME, CDEBUG_MSG);
	t->old = cdebug_event(t->ctx, "old", 65005, CDEBUG_NAME, CDEBUG_VMSG2);
	assert_int_equal(dkl_texts_in(constants, sizeof(constants) - 1, &t->texts), 0);
	*state = t;
	return 0;
}

static int teardown(void **state)
{
	struct messages *t = *state;

	dkl_search_clear(&t->search);
	dkt__strings_clear(&t->texts);
	dkt_ctx_free(t->ctx);
	free(t);
	return 0;
}

static void look(struct messages *t, const char *words)
{
	dkl_search_clear(&t->search);
	assert_ok(t->ctx, dkl_search_new(t->ctx, words, &t->texts, &t->search));
}

/* ---- records ---- */

struct raw {
	char data[8192];
	struct dkt_record rec;
};

static void put(struct raw *raw, const char *name, const void *bytes, size_t len)
{
	const struct dkt_field *field = dkt_event_field(raw->rec.event, name);

	if (field)
		memcpy(raw->data + field->offset, bytes, DKT__MIN(len, (size_t)field->size));
}

static void put_text(struct raw *raw, const char *name, const char *text)
{
	const uint32_t len = (uint32_t)strlen(text) + 1, loc = raw->rec.size | len << 16;

	if (!dkt_event_field(raw->rec.event, name))
		return;
	assert_true(raw->rec.size + len < sizeof(raw->data));
	memcpy(raw->data + raw->rec.size, text, len);
	raw->rec.size += len;
	put(raw, name, &loc, sizeof(loc));
}

static void begin(struct raw *raw, struct dkt_event *event)
{
	const struct dkt_field *const *fields;
	size_t n;

	memset(raw, 0, sizeof(*raw));
	raw->rec.event = event;
	raw->rec.data = raw->data;
	assert_int_equal(dkt_event_fields(event, &fields, &n), 0);
	for (size_t i = 0; i < n; i++)
		raw->rec.size =
			DKT__MAX(raw->rec.size, (uint32_t)(fields[i]->offset + fields[i]->size));
	/* Each string ends; the kernel leaves those empty that it cannot read. */
	for (size_t i = 0; i < n; i++)
		if (fields[i]->flags & DKT_FIELD_STRING)
			put_text(raw, fields[i]->name, "");
}

/* Stores the letter of each word that the format takes, '*' for a width. Returns their number. */
static size_t conversions(const char *fmt, char *letters, size_t size)
{
	size_t n = 0;

	for (const char *p = fmt; (p = strchr(p, '%')); p++) {
		if (*++p == '%')
			continue;
		for (; *p && strchr("-+ #0.*123456789hlzt", *p); p++)
			if (*p == '*' && n < size)
				letters[n++] = '*';
		if (n < size)
			letters[n++] = *p;
		if (!*p)
			break;
	}
	return n;
}

/* Writes the arguments of the format from word i on, and what is left from earlier messages. */
static void put_args(struct raw *raw, const char *fmt, char word, char string, unsigned int i,
		     const char *const *args)
{
	static const uint64_t address = 0xffff888100000010;
	char name[16], letters[64];
	size_t n = conversions(fmt, letters, sizeof(letters));

	for (unsigned int j = i; j < 64; j++) {
		const size_t arg = j - i;
		const char *text = arg >= n                          ? LEFT_OVER :
				   arg < ARGS && letters[arg] == 's' ? args[arg] :
								       NULL;

		snprintf(name, sizeof(name), "%c%u", word, j);
		put(raw, name, text ? &address : &(uint64_t){ j }, 8);
		snprintf(name, sizeof(name), "%c%u", string, j);
		if (text)
			put_text(raw, name, text);
	}
}

static void make(struct raw *raw, struct dkt_event *event, const struct made *made)
{
	static const char *const outer[ARGS] = { NULL, NULL, "lustre-OST0003" };
	const char *fmt = made->fmt ? made->fmt : "%pV req@%p to %s";
	static const int32_t offset = 24;

	begin(raw, event);
	put_text(raw, "fmt", fmt);
	put_args(raw, fmt, 'a', 's', 0, made->fmt ? made->args : outer);
	/* If it is not nested, the first word is an address of something that looks like a format. */
	fmt = made->fmt ? "evicting client at %s " LEFT_OVER : made->v_fmt;
	put_text(raw, "v_fmt", fmt);
	put_args(raw, fmt, 'v', 't', 3, made->args);
	put(raw, "v_offset", &offset, sizeof(offset));
}

/* True if the kernel's filter takes the record. Our parser stands for the kernel's. */
static bool takes(struct messages *t, struct dkt_event *event, const struct made *made)
{
	char *condition __cleanup(free) = NULL;
	struct dkt_expr *expr = NULL;
	struct raw raw;
	int err = dkl_search_condition(&t->search, event, &condition);
	bool match;

	if (err == -ENOENT)
		return false;
	assert_int_equal(err, 0);
	assert_true(strlen(condition) < 4000);
	assert_ok(t->ctx, dkt_expr_new(t->ctx, condition, NULL, &expr));
	assert_ok(t->ctx, dkt_expr_check(expr, event));
	make(&raw, event, made);
	match = dkt_expr_match(expr, &raw.rec, NULL);
	dkt_expr_free(expr);
	return match;
}

/* True if one of the probes' filters takes the message. */
static bool fires(struct messages *t, const struct made *made)
{
	if (takes(t, t->words, made) || takes(t, t->strings, made))
		return true;
	return !made->fmt && takes(t, t->nested, made);
}

static void expect(struct messages *t, struct dkt_event *event, const char *want)
{
	char *condition = NULL;
	int err = dkl_search_condition(&t->search, event, &condition);

	assert_int_equal(err, want ? 0 : -ENOENT);
	if (want)
		assert_string_equal(condition, want);
	free(condition);
}

/* ---- constants ---- */

static void constants_end_in_nul(void **state)
{
	struct messages *t = *state;

	assert_int_equal(t->texts.n, 14);
	assert_string_equal(t->texts.list[0], "@@@ Request sent has %s: [sent %lld/real %lld] ");
	assert_string_equal(t->texts.list[13], "say \"%s\" and '?'\n");
}

static void a_text_is_found_in_a_format(void **state)
{
	struct messages *t = *state;

	look(t, "timer expired after");
	assert_int_equal(t->search.formats.n, 1);
	assert_int_equal(t->search.arguments.n, 0);
	expect(t, t->words, "fmt ~ \"*timer expired after*\"");
	expect(t, t->nested,
	       "fmt ~ \"*timer expired after*\" || v_fmt ~ \"*timer expired after*\"");
	expect(t, t->third,
	       "fmt ~ \"*timer expired after*\" ||"
	       " (fmt ~ \"*%*%*%pV*\" && (v_fmt ~ \"*timer expired after*\"))");
	expect(t, t->strings, NULL);
	/* Only %pV makes a format of what is behind the first argument. */
	expect(t, t->single,
	       "fmt ~ \"*timer expired after*\" ||"
	       " (fmt ~ \"%pV*\" && (v_fmt ~ \"*timer expired after*\"))");
}

static void a_string_counts_if_the_format_has_as_many_words(void **state)
{
	struct messages *t = *state;
	char *condition;

	look(t, "*slow reply*");
	assert_int_equal(t->search.formats.n, 0);
	assert_int_equal(t->search.arguments.n, 1);
	expect(t, t->words, "fmt ~ \"*slow reply*\"");
	assert_int_equal(dkl_search_condition(&t->search, t->strings, &condition), 0);
	assert_has(condition, "(fmt ~ \"*%*\" && (s0 ~ \"*slow reply*\" || "
			      "(fmt ~ \"*%*%*\" && (s1 ~ \"*slow reply*\" || ");
	assert_has(condition, "(fmt ~ \"*%[-.*]*\" && ((fmt ~ \"*[%*]*\" && (s0 ~ ");
	assert_has(condition, "(fmt ~ \"*%pd*\" && d0 ~ \"*slow reply*\")");
	free(condition);
}

static void a_text_is_found_in_formats_and_arguments(void **state)
{
	struct messages *t = *state;

	look(t, "*timed out*");
	assert_int_equal(t->search.formats.n, 1);
	assert_int_equal(t->search.arguments.n, 2);
}

static void a_split_text_is_in_one_argument_of_one_format(void **state)
{
	struct messages *t = *state;

	look(t, "sent has timed out");
	assert_int_equal(t->search.formats.n + t->search.arguments.n, 0);
	assert_int_equal(t->search.split.n, 1);
	assert_int_equal(t->search.n_parts, 1);
	expect(t, t->words, NULL);
	expect(t, t->strings, "(fmt ~ \"@@@ Request sent has %s*\" && ((s0 ~ \"timed out*\")))");
	expect(t, t->nested,
	       "(v_fmt ~ \"@@@ Request sent has %s*\" &&"
	       " ((v_offset == 16 && t2 ~ \"timed out*\") ||"
	       " (v_offset == 24 && t3 ~ \"timed out*\") ||"
	       " (v_offset == 32 && t4 ~ \"timed out*\")))");
	look(t, "slow reply after");
	expect(t, t->strings, "(fmt ~ \"%s after*\" && ((s0 ~ \"*slow reply\")))");
	look(t, "has failed due to network error: [sent");
	expect(t, t->strings,
	       "(fmt ~ \"@@@ Request sent has %s: ?sent*\" &&"
	       " ((s0 ~ \"failed due to network error\")))");
	/* A star takes a word, and %% none. */
	assert_int_equal(dkt__strings_add(&t->texts, "%.*s of 100%% is lost %s\n"), 0);
	look(t, "is lost client");
	expect(t, t->strings, "(fmt ~ \"%.?s of 100%% is lost %s*\" && ((s2 ~ \"client*\")))");
}

static void an_unknown_text_is_tested_everywhere(void **state)
{
	static const struct made wanted = { "%s: rc = %d\n", NULL, { "lustre-OST0003-osc" } },
				 nested = { NULL, "@@@ rc = %d", { NULL } },
				 other = { "%s: rc = %d\n", NULL, { "lustre-OST0004-osc" } };
	struct messages *t = *state;

	look(t, "OST0003");
	assert_true(fires(t, &wanted));
	assert_true(fires(t, &nested));
	assert_false(fires(t, &other));
	/* So it is where the constants are not known. */
	dkl_search_clear(&t->search);
	assert_ok(t->ctx, dkl_search_new(t->ctx, "OST0003", NULL, &t->search));
	assert_true(t->search.blind);
	assert_true(fires(t, &wanted));
	assert_false(fires(t, &other));
}

static void line_ends_and_wildcards_are_kept(void **state)
{
	struct messages *t = *state;

	look(t, "import*out");
	assert_int_equal(t->search.formats.n, 1);
	expect(t, t->words, "fmt ~ \"import*out\" || fmt ~ \"import*out?\"");
	look(t, "*say ?*");
	assert_int_equal(t->search.formats.n, 1);
	/* Plain text has no wildcards, and a byte that a filter cannot contain matches any byte. */
	look(t, ": [sent");
	expect(t, t->words, "fmt ~ \"*: ?sent*\"");
	look(t, "\" and ");
	assert_int_equal(t->search.formats.n, 1);
	expect(t, t->words, "fmt ~ \"*? and *\"");
}

static void texts_that_no_message_has_are_refused(void **state)
{
	struct messages *t = *state;
	char longer[300];

	memset(longer, 'x', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	assert_int_equal(dkl_search_new(t->ctx, "", &t->texts, &t->search), -EINVAL);
	assert_int_equal(dkl_search_new(t->ctx, "**", &t->texts, &t->search), -EINVAL);
	assert_int_equal(dkl_search_new(t->ctx, "a \"b\"*", &t->texts, &t->search), -EINVAL);
	assert_int_equal(dkl_search_new(t->ctx, "a\nb*", &t->texts, &t->search), -EINVAL);
	assert_int_equal(dkl_search_new(t->ctx, longer, &t->texts, &t->search), -EINVAL);
}

/* ---- messages ---- */

#define EVICT 1
#define TIMED 2
#define LOST  4

/* The texts of the recipes in the manual that a message shows. */
static const struct {
	struct made made;
	unsigned int shows;
} table[] = {
	/* clang-format off */
	{ { NULL, "### lock callback timer expired after %llds: evicting client at %s ", { NULL, "192.168.1.30@tcp" } }, EVICT },
	{ { "%s: evicting %s (at %s) by administrative request\n", NULL, { "lustre-OST0001", "client_nid", "x" } }, EVICT },
	{ { "%d: evicting %s\n", NULL, { NULL, "client_nid" } }, EVICT },
	/* The same words in another argument, in another format, and behind the arguments. */
	{ { "%s: evicting %s (at %s) by administrative request\n", NULL, { "client_nid", "uuid", "client_nid" } }, 0 },
	{ { "%s: rc = %d\n", NULL, { "client_nid", NULL } }, 0 },
	{ { "Process entered\n", NULL, { NULL } }, 0 },
	{ { "%s: no stripes for fid 0x%x\n", NULL, { "lustre", NULL } }, 0 },
	{ { NULL, "@@@ Request sent has %s: [sent %lld/real %lld] ", { "timed out for slow reply", NULL, NULL } }, TIMED },
	{ { NULL, "@@@ Request sent has %s: [sent %lld/real %lld] ", { "failed due to network error", NULL, NULL } }, 0 },
	{ { NULL, "@@@ (re)connect request (timeout %d) ", { NULL } }, 0 },
	{ { "set mdt.*.deprecated\n", NULL, { NULL } }, 0 },
	{ { "%.*s: %s\n", NULL, { NULL, "x", "timed out for sent delay" } }, TIMED },
	{ { "import timed out\n", NULL, { NULL } }, TIMED },
	{ { "%s: Connection to %s (at %s) was lost; in progress operations using this service will %s\n", NULL,
	    { "a", "b", "c", "wait for recovery to complete" } }, LOST },
	/* clang-format on */
};

static void check_table(struct messages *t, const char *words, unsigned int shows)
{
	look(t, words);
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		const struct made *made = &table[i].made;
		bool want = table[i].shows & shows;

		if (fires(t, made) != want)
			fail_msg("'%s': %s %s", words, want ? "misses" : "is not in",
				 made->fmt ? made->fmt : made->v_fmt);
		/* The one probe that records all of a message. */
		if (takes(t, t->single, made) != want)
			fail_msg("'%s', one probe: %s %s", words, want ? "misses" : "is not in",
				 made->fmt ? made->fmt : made->v_fmt);
	}
}

static void only_messages_with_the_text_are_taken(void **state)
{
	struct messages *t = *state;

	check_table(t, "evicting client", EVICT);
	check_table(t, "timed out", TIMED);
	check_table(t, "was lost", LOST);
	check_table(t, "*Connection to*was lost*", LOST);
	/* At run time. */
	check_table(t, "wait for recovery", LOST);
}

/* ---- all formats of Lustre's sources, by hand ---- */

/* Writes what a message shows: a number is "#". */
static void render(const char *fmt, const char *const *args, char *text, size_t size)
{
	FILE *f = fmemopen(text, size, "w");
	size_t n = 0;

	assert_non_null(f);
	for (const char *p = fmt; *p; p++) {
		if (*p != '%') {
			fputc(*p, f);
			continue;
		}
		if (*++p == '%') {
			fputc('%', f);
			continue;
		}
		while (*p && strchr("-+ #0.*123456789hlzt", *p))
			n += *p++ == '*';
		fputs(*p == 's' && n < ARGS && args[n] ? args[n] : "#", f);
		n++;
		if (!*p)
			break;
	}
	fclose(f);
}

static void check_format(struct messages *t, const char *words, const struct made *made)
{
	char text[4096] = "";

	render(made->fmt ? made->fmt : made->v_fmt, made->args, text, sizeof(text) - 1);
	if (fires(t, made) != !!strstr(text, words))
		fail_msg("'%s': %s %s, which prints %s", words,
			 strstr(text, words) ? "misses" : "is not in",
			 made->fmt ? made->fmt : made->v_fmt, text);
}

/* Checks the format with each string in each place. */
static void check_arguments(struct messages *t, const char *words, char kind, const char *fmt)
{
	static const char *const strings[] = { "lustre-OST0001", "client lock: no-op", "client_nid",
					       LEFT_OVER };

	for (size_t i = 0; i < ARRAY_SIZE(strings); i++)
		for (size_t j = 0; j <= ARGS; j++) {
			struct made made = { 0 };

			if (kind == 'p')
				made.fmt = fmt;
			else
				made.v_fmt = fmt;
			for (size_t k = 0; k < ARGS; k++)
				made.args[k] = j == k || j == ARGS ? strings[i] :
								     "192.168.1.20@tcp";
			check_format(t, words, &made);
		}
}

/* Turns \n into a newline, and drops other backslashes. */
static void unescape(char *text)
{
	char *to = text;

	for (char *p = text; *p; p++) {
		if (*p == '\n')
			break;
		if (*p == '\\' && *++p == 'n')
			*p = '\n';
		*to++ = *p;
	}
	*to = '\0';
}

/*
 * Takes five minutes. Leaves out formats with a literal %, which counts as a word: a string behind their
 * arguments may be taken for one.
 *
 * DKT_LUSTRE_FORMATS is a file of lines "KIND<tab>TEXT": p for the format of a message, n for a nested one, c
 * for another constant; newlines are written \n.
 */
static void no_format_of_lustre_is_taken_for_another(void **state)
{
	static const char *const recipes[] = { "evicting client", "timed out", "was lost",
					       "Connection restored", "sent has timed out" };
	const char *name = getenv("DKT_LUSTRE_FORMATS");
	FILE *f = name ? fopen(name, "re") : NULL;
	struct messages *t = *state;
	struct dkt__strings lines = { 0 };
	char *line = NULL;
	size_t size = 0;

	if (!f)
		skip();
	while (getline(&line, &size, f) > 2) {
		unescape(line);
		assert_int_equal(dkt__strings_add(&lines, line), 0);
		assert_int_equal(dkt__strings_add(&t->texts, line + 2), 0);
	}
	fclose(f);
	free(line);
	for (size_t i = 0; i < ARRAY_SIZE(recipes); i++) {
		look(t, recipes[i]);
		for (size_t j = 0; j < lines.n; j++)
			if (lines.list[j][0] != 'c' && !strstr(lines.list[j], "%%"))
				check_arguments(t, recipes[i], lines.list[j][0], lines.list[j] + 2);
	}
	dkt__strings_clear(&lines);
}

static void lustre_2_12_has_the_arguments_in_a_list(void **state)
{
	struct messages *t = *state;
	char *condition;

	look(t, "sent has timed out");
	assert_int_equal(dkl_search_condition(&t->search, t->old, &condition), 0);
	assert_has(condition, "(fmt ~ \"@@@ Request sent has %s*\" && ((v_offset == 16 && t2 ~ ");
	assert_has(condition, "(fmt2 ~ \"@@@ Request sent has %s*\" && ((s0 ~ ");
	free(condition);
}

/* ---- the text of a record of strings ---- */

static void a_record_of_strings_has_the_text_that_is_known(void **state)
{
	static const struct made made = { "%s: evicting %.*s after %d s (at %pd)\n",
					  NULL,
					  { "lustre", NULL, "client", NULL } };
	struct messages *t = *state;
	struct message *message = dkl_message_new(t->ctx, t->strings, NULL);
	struct dkt_buf *buf;
	struct raw raw;
	size_t len;

	assert_non_null(message);
	assert_int_equal(dkt_buf_new(&buf), 0);
	make(&raw, t->strings, &made);
	dkl_message_put_text(message, &raw.rec, buf);
	dkt_buf_str(buf, "");
	assert_has(dkt_buf_data(buf, &len), "lustre: evicting <%.*s> after <%d> s (at <%pd>)\n");
	assert_true(dkl_message_has(message, &raw.rec, "*lustre: evicting*"));
	/* A string that is not an argument. */
	assert_false(dkl_message_has(message, &raw.rec, "*timed out*"));
	dkt_buf_free(buf);
	dkl_message_free(message);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(constants_end_in_nul, setup, teardown),
		cmocka_unit_test_setup_teardown(a_text_is_found_in_a_format, setup, teardown),
		cmocka_unit_test_setup_teardown(a_string_counts_if_the_format_has_as_many_words,
						setup, teardown),
		cmocka_unit_test_setup_teardown(a_text_is_found_in_formats_and_arguments, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_split_text_is_in_one_argument_of_one_format,
						setup, teardown),
		cmocka_unit_test_setup_teardown(an_unknown_text_is_tested_everywhere, setup,
						teardown),
		cmocka_unit_test_setup_teardown(line_ends_and_wildcards_are_kept, setup, teardown),
		cmocka_unit_test_setup_teardown(texts_that_no_message_has_are_refused, setup,
						teardown),
		cmocka_unit_test_setup_teardown(only_messages_with_the_text_are_taken, setup,
						teardown),
		cmocka_unit_test_setup_teardown(no_format_of_lustre_is_taken_for_another, setup,
						teardown),
		cmocka_unit_test_setup_teardown(lustre_2_12_has_the_arguments_in_a_list, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_record_of_strings_has_the_text_that_is_known,
						setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
