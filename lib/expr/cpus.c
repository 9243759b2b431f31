/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists of CPUs as the kernel reads them: "0-3,5", "0-15:2/4", "all", "N". */
#include "lib/expr.h"

struct reader {
	const char *p;
	const char *end;
};

static bool read_cpu(struct reader *reader, unsigned int *value)
{
	const char *start = reader->p;

	*value = 0;
	/* N is the highest CPU. */
	if (reader->p < reader->end && *reader->p == 'N') {
		*value = (unsigned int)sysconf(_SC_NPROCESSORS_CONF) - 1;
		reader->p++;
		return true;
	}
	for (; reader->p < reader->end && dkt__expr_is_digit(*reader->p); reader->p++) {
		*value = *value * 10 + (unsigned int)(*reader->p - '0');
		if (*value > EXPR_MAX_CPUS)
			*value = EXPR_MAX_CPUS;
	}
	return reader->p > start;
}

static bool read_char(struct reader *reader, char c)
{
	if (reader->p == reader->end || *reader->p != c)
		return false;
	reader->p++;
	return true;
}

static bool read_all(struct reader *reader)
{
	if (reader->end - reader->p < 3 || memcmp(reader->p, "all", 3) != 0)
		return false;
	reader->p += 3;
	return true;
}

/* Reads "first-last:used/group", which means the first used CPUs of each group. */
static int read_region(struct reader *reader, struct expr_cpus *cpus)
{
	unsigned int first = 0, last, used, group;

	if (read_all(reader)) {
		last = (unsigned int)sysconf(_SC_NPROCESSORS_CONF) - 1;
	} else {
		if (!read_cpu(reader, &first))
			return -EINVAL;
		last = first;
		if (read_char(reader, '-') && !read_cpu(reader, &last))
			return -EINVAL;
	}
	used = group = 1;
	if (read_char(reader, ':') &&
	    (!read_cpu(reader, &used) || !read_char(reader, '/') || !read_cpu(reader, &group)))
		return -EINVAL;
	if (first > last || !group || used > group)
		return -EINVAL;
	if (last >= EXPR_MAX_CPUS)
		return -ERANGE;
	for (unsigned int cpu = first; cpu <= last; cpu++)
		if ((cpu - first) % group < used)
			cpus->bits[cpu / 64] |= 1ULL << cpu % 64;
	return 0;
}

int dkt__expr_cpus_parse(const char *list, size_t len, struct expr_cpus *cpus)
{
	struct reader reader = { .p = list, .end = list + len };
	int err;

	memset(cpus, 0, sizeof(*cpus));
	while (reader.p < reader.end) {
		if (*reader.p == ',' || dkt__expr_is_space(*reader.p)) {
			reader.p++;
			continue;
		}
		err = read_region(&reader, cpus);
		if (err)
			return err;
		if (reader.p < reader.end && *reader.p != ',' && !dkt__expr_is_space(*reader.p))
			return -EINVAL;
	}
	for (unsigned int cpu = 0; cpu < EXPR_MAX_CPUS; cpu++) {
		if (!dkt__expr_cpus_has(cpus, cpu))
			continue;
		if (!cpus->weight++)
			cpus->first = cpu;
	}
	return 0;
}
