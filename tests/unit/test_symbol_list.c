/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists of symbols: they are sorted by address, and by their lines. */
#include "lib/symbol/list.h"
#include "tests/helper/check.h"

static bool cut(char *line, struct symbol_entry *entry)
{
	char *end;

	entry->address = strtoull(line, &end, 16);
	entry->name = end;
	return *end;
}

/* Returns the names in the order of the list. */
static const char *sorted(const char *text)
{
	static char names[64];
	struct symbol_list list = { 0 };

	names[0] = '\0';
	assert_int_equal(dkt__symbol_list_fill(&list, strdup(text), cut), 0);
	for (size_t i = 0; i < list.n; i++)
		strcat(names, list.entries[i].name);
	dkt__symbol_list_clear(&list);
	return names;
}

static void entries_are_in_order_of_their_addresses(void **state)
{
	(void)state;
	assert_string_equal(sorted(""), "");
	assert_string_equal(sorted("1 a"), " a");
	assert_string_equal(sorted("1 a\n2 b\n3 c\n"), " a b c");
	assert_string_equal(sorted("3 a\n2 b\n1 c\n"), " c b a");
	/* The kernel's symbols, then those of modules. */
	assert_string_equal(sorted("10 a\n20 b\n30 c\n25 d\n5 e\n40 f\n"), " e a b d c f");
}

static void of_equal_addresses_the_first_line_is_first(void **state)
{
	(void)state;
	assert_string_equal(sorted("1 a\n2 b\n2 c\n1 d\n2 e\n"), " a d b c e");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries_are_in_order_of_their_addresses),
		cmocka_unit_test(of_equal_addresses_the_first_line_is_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
