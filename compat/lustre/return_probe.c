/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Probes at the return of functions, which record only the return value. */
#include "compat/lustre/return_probe.h"

#include <string.h>

/* The fields of kretprobes, and of fprobes at returns; probes at other places have __probe_ip. */
#define FUNCTION "__probe_func"
#define CALLER   "__probe_ret_ip"

/* The name that `probe add FUNCTION%return '$retval'` gives it. */
#define VALUE "ret"

bool dkl_return_probe(struct dkt_event *event, const struct dkt_field **function,
		      const struct dkt_field **value)
{
	const struct dkt_field *caller = dkt_event_field(event, CALLER);
	const struct dkt_field *const *fields;
	size_t n, own = 0;

	*function = dkt_event_field(event, FUNCTION);
	*value = dkt_event_field(event, VALUE);
	if (!caller || !*function || !*value || (*value)->flags & DKT_FIELD_STRING)
		return false;
	if (dkt_event_fields(event, &fields, &n))
		return false;
	for (size_t i = 0; i < n; i++)
		own += fields[i]->offset > caller->offset;
	return own == 1;
}
