/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program that reads lines with times, and converts each with mktime(): without TZ, the C library looks each time
 * whether /etc/localtime has changed. zone-target LINES
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

__attribute__((noinline)) time_t zone_parse_line(const char *line)
{
	struct tm tm = { .tm_year = 126, .tm_isdst = -1 };
	time_t time = 0;

	if (sscanf(line, "%d %d:%d:%d", &tm.tm_mday, &tm.tm_hour, &tm.tm_min, &tm.tm_sec) == 4)
		time = mktime(&tm);
	/* The call is not the last thing, so that it stays one. */
	return time + 1;
}

__attribute__((noinline)) time_t zone_read_lines(unsigned long lines)
{
	time_t sum = 0;
	char line[64];

	for (unsigned long i = 0; i < lines; i++) {
		snprintf(line, sizeof(line), "%lu %lu:%lu:%lu", i % 28 + 1, i % 24, i % 60, i % 60);
		sum += zone_parse_line(line);
	}
	return sum;
}

int main(int argc, char **argv)
{
	const unsigned long lines = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;

	unsetenv("TZ");
	return zone_read_lines(lines) < (time_t)lines;
}
