/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads Lustre's messages about incidents: clients that are evicted or connect again, recovery, and service
 * threads that take too long.
 */
#include "compat/lustre_log/incident_text.h"

#include "compat/lustre_log/rpc_text.h"

const char *dkl_client_step_name(enum client_step step)
{
	static const char *const names[CLIENT_STEPS] = {
		[CLIENT_EVICTED] = "evicts",
		[CLIENT_WAS_EVICTED] = "was evicted",
		[CLIENT_LOST] = "lost",
		[CLIENT_RESTORED] = "restored",
		[CLIENT_RECONNECTS] = "reconnects",
		[CLIENT_REFUSED] = "refuses",
		[CLIENT_BULK] = "bulk error",
		[CLIENT_FAILED] = "failed",
		[CLIENT_RECOVERY] = "recovery",
	};

	return names[step];
}

/* Takes the NID after a label, up to a space or bracket. */
static void take_nid(struct rest rest, const char *label, struct part *nid)
{
	size_t len = 0;

	if (!take_to(&rest, label))
		return;
	while (len < rest_len(&rest) && !strchr(" );,", rest.p[len]))
		len++;
	*nid = dkl_nid_part((struct part){ rest.p, len });
}

/* Reads "lock callback timer expired after 100s: evicting client at 10.0.0.1@tcp  ns: ..." */
static bool read_lock(struct rest *rest, struct client_text *client)
{
	const char *from = rest->p, *end;

	client->step = CLIENT_EVICTED;
	end = memmem(from, rest_len(rest), " ns: ", 5);
	client->why = (struct part){ from, end ? (size_t)(end - from) : rest_len(rest) };
	while (client->why.len && from[client->why.len - 1] == ' ')
		client->why.len--;
	if (take_word(rest, "lock callback timer expired after ")) {
		take_nid(*rest, "evicting client at ", &client->nid);
		return true;
	}
	if (take_word(rest, "client (nid ")) {
		const struct rest words = { from, from + client->why.len };

		take_nid(words, "client (nid ", &client->nid);
		return memmem(from, client->why.len, ", evict it", 10) != NULL;
	}
	return false;
}

/* The number that Lustre writes before some messages on the console: "167-0: ". */
static void skip_number(struct rest *rest)
{
	struct rest at = *rest;
	uint64_t number;

	if (take_hex(&at, &number) && take_word(&at, "-") && take_hex(&at, &number) &&
	    take_word(&at, ": "))
		*rest = at;
}

/* Messages of a target. */
static const struct row {
	const char *words, *also, *nid; /* how it begins; what it also has; the label of the NID */
	enum client_step step;
} rows[] = {
	{ "A client on nid ", " was evicted due to ", "nid ", CLIENT_EVICTED },
	{ "haven't heard from client ", " evicting it", "(at ", CLIENT_EVICTED },
	{ "evicting ", " request", "(at ", CLIENT_EVICTED },
	{ "This client was evicted by ", "", NULL, CLIENT_WAS_EVICTED },
	{ "Connection to ", " was lost", "(at ", CLIENT_LOST },
	{ "Connection restored to ", "", "(at ", CLIENT_RESTORED },
	{ "Client ", " reconnect", "(at ", CLIENT_RECONNECTS },
	{ "Client ", " refused connection", "(at ", CLIENT_REFUSED },
	{ "Denying connection for new client ", "", "(at ", CLIENT_REFUSED },
	{ "Rejecting reconnect from the known client ", "", "(at ", CLIENT_REFUSED },
	{ "already connected client ", "", "(at ", CLIENT_REFUSED },
	{ "not available for connect from ", "", "from ", CLIENT_REFUSED },
	{ "Not available for connect from ", "", "from ", CLIENT_REFUSED },
	{ "Bulk IO read error with ", "", "(at ", CLIENT_BULK },
	{ "Bulk IO write error with ", "", "(at ", CLIENT_BULK },
	{ "operation ", " failed", "to node ", CLIENT_FAILED },
	{ "Will be in recovery for at least ", "", NULL, CLIENT_RECOVERY },
	{ "in recovery but waiting for the first client", "", NULL, CLIENT_RECOVERY },
	{ "Recovery already passed deadline ", "", NULL, CLIENT_RECOVERY },
	{ "recovery is timed out", "", NULL, CLIENT_RECOVERY },
	{ "disconnecting ", " stale clients", NULL, CLIENT_RECOVERY },
	{ "Aborting ", "recovery", NULL, CLIENT_RECOVERY },
	{ "Recovery over after ", "", NULL, CLIENT_RECOVERY },
};

/* Reads "Evicted from scratch-OST0001_UUID (at 10.0.0.1@tcp) after server handle changed ...". */
static bool read_changed(struct rest *rest, struct client_text *client)
{
	client->step = CLIENT_WAS_EVICTED;
	client->why = (struct part){ rest->p, rest_len(rest) };
	if (!take_word(rest, "Evicted from ") || !take_until(rest, ' ', &client->target))
		return false;
	take_nid(*rest, "(at ", &client->nid);
	return client->nid.len != 0;
}

bool dkl_client_text_read(const char *text, size_t len, struct client_text *client)
{
	struct rest rest = { text, text + len };

	*client = (struct client_text){ 0 };
	if (take_word(&rest, "### "))
		return read_lock(&rest, client);
	skip_number(&rest);
	if (read_changed(&(struct rest){ rest.p, rest.end }, client))
		return true;
	*client = (struct client_text){ 0 };
	if (!take_until(&rest, ':', &client->target) || !take_word(&rest, " "))
		return false;
	client->why = (struct part){ rest.p, rest_len(&rest) };
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (!part_begins(&client->why, rows[i].words) ||
		    !memmem(rest.p, rest_len(&rest), rows[i].also, strlen(rows[i].also)))
			continue;
		client->step = rows[i].step;
		if (rows[i].nid)
			take_nid(rest, rows[i].nid, &client->nid);
		return true;
	}
	return false;
}

/* ---- service threads that take too long ---- */

const char *dkl_service_step_name(enum service_step step)
{
	static const char *const names[SERVICE_STEPS] = {
		[SERVICE_INACTIVE] = "inactive",
		[SERVICE_COMPLETED] = "completed",
		[SERVICE_SLOW] = "overloaded",
		[SERVICE_BLOCKED] = "blocked",
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
	else if (take_word(rest, " completed after ") || take_word(rest, " resumed after ") ||
		 take_word(rest, " stopped after "))
		service->step = SERVICE_COMPLETED;
	else
		return false;
	take_number(rest, &service->seconds);
	/* The rest is advice. */
	end = memmem(rest->p, rest_len(rest), ". ", 2);
	service->why.len = (size_t)((end ? end : rest->end) - service->why.p);
	return true;
}

#define OVERLOADED ": This server is not able to keep up with request traffic"

/* Reads "ost_io: This server is not able to keep up with request traffic (cpu-bound)." of 2.12 to 2.15. */
static bool read_overloaded(struct rest *rest, struct service_text *service)
{
	const char *colon = memmem(rest->p, rest_len(rest), OVERLOADED, strlen(OVERLOADED));

	if (!colon)
		return false;
	service->step = SERVICE_SLOW;
	service->name = (struct part){ rest->p, (size_t)(colon - rest->p) };
	service->why = (struct part){ colon + 2, (size_t)(rest->end - colon) - 2 };
	return true;
}

/* Reads "'ost_io' is processing requests too slowly, client may timeout. Late by 3s, ..." of 2.16. */
static bool read_slow(struct rest *rest, struct service_text *service)
{
	service->step = SERVICE_SLOW;
	service->why = (struct part){ rest->p, rest_len(rest) };
	return take_word(rest, "'") && take_until(rest, '\'', &service->name) &&
	       take_word(rest, " is processing requests too slowly");
}

/* Reads "INFO: task ll_ost00_001:4711 blocked for more than 120 seconds.", which is the kernel's. */
static bool read_task(struct rest *rest, struct service_text *service)
{
	const char *colon, *end;

	if (!take_word(rest, "INFO: task "))
		return false;
	end = memmem(rest->p, rest_len(rest), " blocked for more than ",
		     strlen(" blocked for more than "));
	colon = end ? memrchr(rest->p, ':', (size_t)(end - rest->p)) : NULL;
	if (!colon)
		return false;
	service->step = SERVICE_BLOCKED;
	service->name = (struct part){ rest->p, (size_t)(colon - rest->p) };
	rest->p = colon + 1;
	if (!take_number(rest, &service->pid) || !take_word(rest, " "))
		return false;
	service->why.p = rest->p;
	take_word(rest, "blocked for more than ");
	if (!take_number(rest, &service->seconds) || !take_word(rest, " seconds"))
		return false;
	service->why.len = (size_t)(rest->p - service->why.p);
	return true;
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
	if (*text == 'I' && read_task(&rest, service))
		return true;
	if (*text != 'S') {
		/* The names of threads can have colons, but no space after one. */
		colon = memmem(text, len, ": service thread pid ", strlen(": service thread pid "));
		if (!colon)
			return read_overloaded(&rest, service);
		service->name = (struct part){ text, (size_t)(colon - text) };
		rest.p = colon + 2;
	}
	return read_thread(&rest, service);
}
