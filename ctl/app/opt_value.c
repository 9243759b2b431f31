/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Options whose values are numbers, times or sizes. */
#include "ctl/app/app.h"
#include "lib/base/parse.h"

int opt_number(const char *option, const char *text, int *number)
{
	int64_t value;

	if (!text)
		return 0;
	if (dkt__parse_int(text, 0, INT32_MAX, &value))
		return app_usage("--%s: '%s' is not a number", option, text);
	*number = (int)value;
	return 0;
}

int opt_seconds(const char *option, const char *text, double *seconds)
{
	uint64_t ns;

	if (!text)
		return 0;
	if (dkt__parse_time(text, 1000000000, &ns) || !ns ||
	    ns >= UINT64_C(1000000000) * 1000000000)
		return app_usage("--%s: '%s' is not a number of seconds above 0" DKT__TIME_UNITS,
				 option, text);
	*seconds = (double)ns / 1e9;
	return 0;
}

int opt_bytes(const char *option, const char *text, uint64_t *bytes)
{
	if (!text || (!dkt__parse_size(text, bytes) && *bytes))
		return 0;
	return app_usage("--%s: '%s' is not a size such as 100M" DKT__SIZE_UNITS, option, text);
}

/* A duration without a unit is in ms, as in perf trace. */
#define BARE_NS 1000000

/* Narrows the range by ">10ms", ">=10ms", "<10ms", "<=10ms" or "10ms". Returns -EINVAL, or 0. */
static int narrow(const char *text, uint64_t *least, uint64_t *most)
{
	const char *number = text + strspn(text, "<>=");
	size_t len = (size_t)(number - text);
	uint64_t ns;

	if (len > 2 || (len && *text == '=') || (len == 2 && text[1] != '=') ||
	    dkt__parse_time(number, BARE_NS, &ns))
		return -EINVAL;
	if (*text == '<')
		*most = DKT__MIN(*most, len == 1 && ns ? ns - 1 : ns);
	else
		*least = DKT__MAX(*least, len == 1 ? ns + 1 : ns);
	return 0;
}

int opt_durations(const char *text, uint64_t *least, uint64_t *most)
{
	char *copy __cleanup(free) = strdup(text), *rest = copy, *word;
	int err = copy ? 0 : -ENOMEM;

	*least = 0;
	*most = UINT64_MAX;
	while (!err && (word = strsep(&rest, ",")))
		err = narrow(word, least, most);
	if (err == -ENOMEM)
		return app_usage("out of memory");
	return err ? app_usage("--took: '%s' is not a time; write '>10ms', '<1ms', '10ms' or"
			       " '>10ms,<1s'",
			       text) :
		     0;
}
