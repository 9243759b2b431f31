/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads Lustre's messages about service threads that take too long. */
#include "compat/lustre_log/service_text.h"

const char *dkl_service_step_name(enum service_step step)
{
	static const char *const names[SERVICE_STEPS] = {
		[SERVICE_INACTIVE] = "inactive",
		[SERVICE_COMPLETED] = "completed",
		[SERVICE_SLOW] = "overloaded",
	};

	return names[step];
}

/*
 * Reads "ll_ost00_001: service thread pid 4711 was inactive for 200.123 seconds. The thread might ...". 2.12
 * writes "Service" and has no name before it.
 */
static bool read_thread(struct rest *rest, struct service_text *service)
{
	const char *end;

	service->why.p = rest->p;
	if ((!take_word(rest, "Service") && !take_word(rest, "service")) ||
	    !take_word(rest, " thread pid ") || !take_number(rest, &service->pid))
		return false;
	if (take_word(rest, " was inactive for "))
		service->step = SERVICE_INACTIVE;
	else if (take_word(rest, " completed after "))
		service->step = SERVICE_COMPLETED;
	else
		return false;
	/* The rest is advice. */
	end = memmem(rest->p, rest_len(rest), ". ", 2);
	service->why.len = (size_t)((end ? end : rest->end) - service->why.p);
	return true;
}

/* Reads "'ost_io' is processing requests too slowly, client may timeout. Late by 3s, ...". */
static bool read_slow(struct rest *rest, struct service_text *service)
{
	service->step = SERVICE_SLOW;
	service->why = (struct part){ rest->p, rest_len(rest) };
	return take_word(rest, "'") && take_until(rest, '\'', &service->name) &&
	       take_word(rest, " is processing requests too slowly");
}

bool dkl_service_text_read(const char *text, size_t len, struct service_text *service)
{
	struct rest rest = { text, text + len };
	const char *colon;

	*service = (struct service_text){ 0 };
	if (!len)
		return false;
	if (*text == '\'')
		return read_slow(&rest, service);
	if (*text != 'S') {
		/* The names of threads can have colons, but no space after one. */
		colon = memmem(text, len, ": service thread pid ", strlen(": service thread pid "));
		if (!colon)
			return false;
		service->name = (struct part){ text, (size_t)(colon - text) };
		rest.p = colon + 2;
	}
	return read_thread(&rest, service);
}
