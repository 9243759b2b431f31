/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Triggers of events: the lines of a trigger file, and which of them exclude each other.
 *
 * A line has the syntax of the command that adds the trigger, with the rest of its count, and for a
 * histogram also its state:
 *
 *   traceoff:count=3 if prio > 100
 *   enable_event:sched:sched_switch:unlimited
 *   hist:keys=pid:vals=hitcount:sort=hitcount:size=2048 if pid > 1 [active]
 */
#include <ctype.h>
#include <inttypes.h>

#include "lib/base/guess.h"
#include "lib/base/parse.h"
#include "lib/event.h"
#include "lib/instance.h"
#include "lib/instance/trigger.h"
#include "lib/tracefs.h"

/* The kernel's limit for one write to events/.../trigger, without the end of the string. */
#define MAX_COMMAND 4095

/* The actions of triggers. has_target: SYSTEM:EVENT follows the name. */
static const struct action {
	const char *name;
	bool has_target;
	bool is_raw; /* the rest has a syntax of its own */
	const char *excludes; /* an event, or a target, can have only one of these two actions */
} actions[] = {
	/* clang-format off */
	{ "traceon",       false, false, "traceoff" },
	{ "traceoff",      false, false, "traceon" },
	{ "stacktrace",    false, false, NULL },
	{ "snapshot",      false, false, NULL },
	{ "enable_event",  true,  false, "disable_event" },
	{ "disable_event", true,  false, "enable_event" },
	{ "enable_hist",   true,  false, "disable_hist" },
	{ "disable_hist",  true,  false, "enable_hist" },
	{ "hist",          false, true,  NULL },
	/* clang-format on */
};

static const struct action *find_action(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(actions); i++)
		if (strlen(actions[i].name) == len && !memcmp(actions[i].name, name, len))
			return &actions[i];
	return NULL;
}

static int no_action(struct dkt_ctx *ctx, const char *name, size_t len)
{
	struct dkt__guess guess;

	dkt__guess_start(&guess, name, len);
	for (size_t i = 0; i < ARRAY_SIZE(actions); i++)
		dkt__guess_try(&guess, actions[i].name);
	return dkt_fail(
		ctx, -EINVAL,
		"'%.*s' is not a trigger: traceon, traceoff, stacktrace, snapshot, enable_event, "
		"disable_event, enable_hist, disable_hist or hist%s",
		(int)DKT__MIN(len, (size_t)60), name, dkt__guess_words(&guess));
}

/* ---- one line ---- */

/* Moves p past "system:event"; false: p is not at one. */
static bool skip_target(const char **p)
{
	const char *colon = strchr(*p, ':');
	size_t len = colon ? strcspn(colon + 1, ": ") : 0;

	if (!colon || colon == *p || !len || strcspn(*p, " ") < (size_t)(colon - *p))
		return false;
	*p = colon + 1 + len;
	return true;
}

/* Accepts "", the kernel's ":unlimited" and ":count=3", and ":3" as users write it. */
static bool read_count(const char *text, size_t len, int64_t *left)
{
	static const char listed[] = "count=";
	const char *end = text + len;
	uint64_t n;

	*left = -1;
	if (!len)
		return true;
	if (*text != ':')
		return false;
	text++;
	len--;
	if (len == strlen("unlimited") && !strncmp(text, "unlimited", len))
		return true;
	if (len > strlen(listed) && !strncmp(text, listed, strlen(listed))) {
		text += strlen(listed);
		len -= strlen(listed);
	}
	if (dkt__take_u64(&text, end, DKT__DEC, &n) || text != end || n > INT64_MAX)
		return false;
	*left = (int64_t)n;
	return true;
}

/* Returns the length without a histogram's " [active]" or " [paused]", which commands lack. */
static size_t without_state(const char *line, size_t len)
{
	static const char state[] = " [active]", other[] = " [paused]";
	const size_t n = sizeof(state) - 1;

	while (len > n && (!memcmp(line + len - n, state, n) || !memcmp(line + len - n, other, n)))
		len -= n;
	return len;
}

/* Copies a string of len bytes to *room and moves *room past it. */
static const char *put(char **room, const char *text, size_t len)
{
	char *at = *room;

	memcpy(at, text, len);
	at[len] = '\0';
	*room += len + 1;
	return at;
}

/*
 * Copies a histogram's line. Kernels since 7.0 print the key common_cpu twice, without a separator, and neither
 * find nor create a histogram by that text.
 */
static const char *put_histogram(char **room, const char *line, size_t len)
{
	static const char name[] = "common_cpu", twice[] = "common_cpucommon_cpu";
	char *text = *room, *at = text;

	put(room, line, len);
	while ((at = strstr(at, twice)))
		memmove(at, at + sizeof(name) - 1, strlen(at + sizeof(name) - 1) + 1);
	return text;
}

/* Stores the command that adds the trigger. It is never longer than its line, of len bytes. */
static const char *put_text(char **room, size_t len, const struct dkt_trigger *t)
{
	const char *target = t->target ? t->target : "";
	char count[24] = "";
	char *at = *room;

	if (t->left >= 0)
		snprintf(count, sizeof(count), ":%" PRId64, t->left);
	*room += 1 + snprintf(at, len + 1, "%s%s%s%s%s%s", t->action, *target ? ":" : "", target,
			      count, t->filter ? " if " : "", t->filter ? t->filter : "");
	return at;
}

/* Returns the most bytes that a line's strings need: its parts, and the command. */
static size_t room_for(size_t len)
{
	return 2 * len + 32;
}

static int parse_line(const char *line, size_t len, char **room, struct dkt_trigger *t)
{
	const struct action *action = find_action(line, strcspn(line, ": \n"));
	const char *end, *p, *condition = memmem(line, len, " if ", 4);

	if (!action)
		return -EINVAL;
	*t = (struct dkt_trigger){ .action = action->name, .left = -1 };
	if (action->is_raw) {
		len = without_state(line, len);
		t->text = put_histogram(room, line, len);
		condition = strstr(t->text, " if ");
		t->filter = condition ? condition + 4 : NULL;
		return len > strlen("hist:") ? 0 : -EINVAL;
	}
	end = condition ? condition : line + len;
	p = line + strlen(action->name);
	if (action->has_target) {
		const char *from = p + 1;

		if (*p != ':' || !skip_target(&from) || from > end)
			return -EINVAL;
		t->target = put(room, p + 1, (size_t)(from - p - 1));
		p = from;
	}
	if (!read_count(p, (size_t)(end - p), &t->left))
		return -EINVAL;
	if (condition)
		t->filter = put(room, condition + 4, (size_t)(line + len - condition - 4));
	if (condition && !*t->filter)
		return -EINVAL;
	t->text = put_text(room, len, t);
	return 0;
}

int dkt__trigger_parse(struct dkt_ctx *ctx, const char *text, struct dkt_trigger **trigger)
{
	dkt__needs(ctx, dkt__clear(trigger) && ctx && text);

	size_t len = strlen(text);
	struct dkt_trigger *t;
	char *room;

	if (strpbrk(text, "\n\r"))
		return dkt_fail(ctx, -EINVAL, "a trigger is one line");
	if (len > MAX_COMMAND)
		return dkt_fail(ctx, -E2BIG, "the trigger has %zu bytes; the kernel's limit is %d",
				len, MAX_COMMAND);
	if (!find_action(text, strcspn(text, ": ")))
		return no_action(ctx, text, strcspn(text, ": "));
	t = malloc(sizeof(*t) + room_for(len));
	if (!t)
		return dkt__no_memory(ctx);
	room = (char *)(t + 1);
	if (parse_line(text, len, &room, t)) {
		free(t);
		return dkt_fail(ctx, -EINVAL,
				"'%.200s' is not a valid trigger: ACTION[:SYSTEM:EVENT][:COUNT]"
				"[ if EXPRESSION]",
				text);
	}
	*trigger = t;
	return 0;
}

/* ---- a whole file ---- */

int dkt__triggers_parse(const char *text, struct dkt_trigger ***triggers, size_t *n)
{
	size_t lines = 0, bytes = 0, len;
	struct dkt_trigger *at;
	char *room;

	*n = 0;
	for (const char *line = text; *line; line += len, line += *line == '\n') {
		len = strcspn(line, "\n");
		bytes += room_for(len);
		lines++;
	}
	*triggers = malloc((lines + 1) * (sizeof(at) + sizeof(*at)) + bytes);
	if (!*triggers)
		return -ENOMEM;
	at = (struct dkt_trigger *)(*triggers + lines + 1);
	room = (char *)(at + lines + 1);
	for (const char *line = text; *line; line += len, line += *line == '\n') {
		len = strcspn(line, "\n");
		/* Skip the list of available actions, and triggers with an unknown action. */
		if (len && *line != '#' && !parse_line(line, len, &room, at))
			(*triggers)[(*n)++] = at++;
	}
	return 0;
}

bool dkt__trigger_offered(const char *text, const char *action)
{
	static const char heading[] = "# Available triggers:\n#";
	const char *list = strstr(text, heading);
	size_t len = strlen(action);

	/* The kernel does not list the actions for an event with triggers. */
	if (!list)
		return true;
	list += sizeof(heading) - 1;
	while ((list = strstr(list, action))) {
		if (list[-1] == ' ' && (list[len] == ' ' || list[len] == '\n' || !list[len]))
			return true;
		list += len;
	}
	return false;
}

int dkt_instance_get_triggers(const struct dkt_instance *in, struct dkt_event *event,
			      struct dkt_trigger ***triggers, size_t *n)
{
	dkt__needs(in ? in->ctx : NULL, dkt__clear(triggers) && dkt__clear(n) && in && event);

	char *text __cleanup(free) = NULL;
	int err = dkt__tfs_read(in->ctx, &text, NULL, "%sevents/%s/%s/trigger", in->prefix,
				event->system, event->name);

	return err ? err : dkt__with_words(in->ctx, dkt__triggers_parse(text, triggers, n));
}

/* ---- comparing ---- */

static bool same_target(const struct dkt_trigger *a, const struct dkt_trigger *b)
{
	return !a->target == !b->target && (!a->target || !strcmp(a->target, b->target));
}

/* Returns the histogram's list of keys: the text between "keys=" and the next colon. */
static const char *keys_of(const char *text, size_t *len)
{
	static const char word[] = "keys=";
	const char *keys = strstr(text, word);

	keys = keys ? keys + sizeof(word) - 1 : text;
	*len = strcspn(keys, ": ");
	return keys;
}

/* Returns the next variable that the histogram defines, "NAME=" after ':' or ','; NULL: none. */
static const char *next_variable(const char *p, size_t *len)
{
	static const char *const others[] = { "keys", "key",  "values", "vals", "val",
					      "sort", "size", "name",   "clock" };
	size_t i;

	while ((p = strpbrk(p, ":, "))) {
		if (*p == ' ')
			return NULL;
		*len = strspn(++p,
			      "_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
		if (!*len || p[*len] != '=')
			continue;
		for (i = 0; i < ARRAY_SIZE(others); i++)
			if (strlen(others[i]) == *len && !strncmp(p, others[i], *len))
				break;
		if (i == ARRAY_SIZE(others))
			return p;
	}
	return NULL;
}

static bool same_variables(const char *a, const char *b)
{
	size_t len_a, len_b;

	do {
		a = next_variable(a, &len_a);
		b = next_variable(b, &len_b);
		if (!a != !b || (a && (len_a != len_b || strncmp(a, b, len_a) != 0)))
			return false;
	} while (a);
	return true;
}

/* Compares like the kernel's hist_trigger_match(). */
static bool same_histogram(const struct dkt_trigger *a, const struct dkt_trigger *b)
{
	const char *filter_a = a->filter ? a->filter : "", *filter_b = b->filter ? b->filter : "";
	size_t len_a, len_b;
	const char *keys_a = keys_of(a->text, &len_a), *keys_b = keys_of(b->text, &len_b);

	return len_a == len_b && !memcmp(keys_a, keys_b, len_a) && !strcmp(filter_a, filter_b) &&
	       same_variables(a->text, b->text);
}

bool dkt__trigger_same(const struct dkt_trigger *a, const struct dkt_trigger *b)
{
	if (!a || !b || strcmp(a->action, b->action) != 0)
		return false;
	return strcmp(a->action, "hist") ? same_target(a, b) : same_histogram(a, b);
}

bool dkt__trigger_excludes(const struct dkt_trigger *a, const struct dkt_trigger *b)
{
	const struct action *action = find_action(a->action, strlen(a->action));

	return action->excludes && !strcmp(action->excludes, b->action) && same_target(a, b);
}

/* ---- writing ---- */

/* Does not truncate: opening the file with O_TRUNC removes the event's histograms. */
static int write_trigger(struct dkt_instance *in, const struct dkt_event *event, const char *text)
{
	return dkt__tfs_add(in->ctx, text, "%sevents/%s/%s/trigger", in->prefix, event->system,
			    event->name);
}

int dkt__trigger_add(struct dkt_instance *in, const struct dkt_event *event,
		     const struct dkt_trigger *trigger)
{
	return write_trigger(in, event, trigger->text);
}

int dkt__trigger_remove(struct dkt_instance *in, const struct dkt_event *event,
			const struct dkt_trigger *trigger)
{
	char *command __cleanup(free) = NULL;

	/* The kernel finds a histogram by its whole text, other triggers by action and target. */
	if (!strcmp(trigger->action, "hist"))
		command = dkt__format("!%s", trigger->text);
	else
		command = dkt__format("!%s%s%s", trigger->action, trigger->target ? ":" : "",
				      trigger->target ? trigger->target : "");
	return command ? write_trigger(in, event, command) : dkt__no_memory(in->ctx);
}
