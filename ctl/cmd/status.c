/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* status: what is on, how full the buffers are and what was lost. */
#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "app/app.h"
#include "apply/apply.h"
#include "apply/drift.h"
#include "cmd/status_cpus.h"
#include "cmd/status_filter.h"
#include "cmd/status_probe.h"
#include "io/say.h"
#include "log/leftover.h"
#include "log/recording.h"
#include "lustre/mask.h"
#include "out/fold.h"
#include "out/out.h"
#include "out/shown.h"
#include "set/param.h"
#include "set/sources.h"

/* Of the column of labels. */
#define LABEL_WIDTH 17

struct status {
	bool started;
	struct recording recording;
	uint64_t size;
	char *clock;
	size_t events_on;
	size_t filtered;
	uint64_t kept; /* bytes taken out by show, still of the log */
	struct source_state sources[SOURCES];
	char *left; /* instances of commands that were killed, NULL: none */
	char *drift; /* lines on what came and went, NULL: nothing */
	struct status_cpus cpus;
};

static void status_clear(struct status *status)
{
	free(status->clock);
	free(status->left);
	free(status->drift);
	sources_clear(status->sources);
	status_cpus_clear(&status->cpus);
}

static int read_status(const struct app *app, struct debuglog *log, struct status *status)
{
	struct dkt_event *const *on;
	char *spool __cleanup(free) = NULL;
	int err;

	*status = (struct status){ .started = log->in, .filtered = log->set.filtered.n };
	err = *dkt_tracefs_dir(log->ctx) ? leftovers_list(log->ctx, log->name, &status->left) : 0;
	if (err || !log->in)
		return err;
	err = recording_get(log, &status->recording);
	if (!err)
		err = dkt_instance_get_size(log->in, &status->size);
	if (!err)
		err = dkt_instance_get_clock(log->in, &status->clock);
	if (!err)
		err = debuglog_on(log, &on, &status->events_on);
	if (!err)
		err = debuglog_spool(log, &spool);
	if (!err)
		err = dkt_spool_bytes(log->ctx, spool, &status->kept);
	if (!err)
		err = debuglog_sources(log, status->sources);
	if (!err)
		err = debuglog_drift(log, &status->drift);
	return err ? err : status_cpus_read(app, log, &status->cpus);
}

/* ---- text ---- */

/* For people: lctl's way to print a mask has two blanks where a bit has no name. */
static void make_readable(char *value)
{
	char all[MASK_TEXT_SIZE];
	char *from, *to = value;
	enum mask_kind kind;

	for (kind = MASK_DEBUG; kind <= MASK_PRINTK; kind++) {
		mask_format(kind, UINT32_MAX, all);
		if (!strcmp(value, all))
			memcpy(value, "all", sizeof("all"));
	}
	for (from = value; *from; from++)
		if (from[0] != ' ' || from[1] != ' ')
			*to++ = *from;
	*to = '\0';
}

static void print_label(const char *label)
{
	printf("%-*s", LABEL_WIDTH, label);
}

static void print_params(struct debuglog *log)
{
	const struct param *param = NULL;

	while ((param = param_next(param))) {
		char *value __cleanup(free) = NULL;

		if (param_get(log, param, &value))
			value = NULL;
		if (value && strcmp(param_name(param), "debug_filter"))
			make_readable(value);
		print_label(param_name(param));
		fold_print(stdout, value ? value : "?", LABEL_WIDTH, fold_width());
	}
}

static void print_probes(struct debuglog *log)
{
	char *probes __cleanup(free) = status_probes_text(log);

	if (!probes)
		return;
	print_label("probes");
	fold_print(stdout, probes, LABEL_WIDTH, fold_width());
}

static void print_attention(const char *text)
{
	print_label("attention");
	fold_print(stdout, text, LABEL_WIDTH, fold_width());
}

/* The names of sources from i on of which the same is to be said; returns the one behind them. */
static int join_names(const struct status *status, int i, FILE *out)
{
	const struct source_state *first = &status->sources[i];

	for (fputs(first->name, out); ++i < SOURCES; fprintf(out, ", %s", status->sources[i].name))
		if (status->sources[i].used || first->used ||
		    strcmp(status->sources[i].note, first->note))
			break;
	return i;
}

static int print_sources(const struct status *status)
{
	int i, next;

	for (i = 0; i < SOURCES; i = next) {
		char *text __cleanup(free) = NULL;
		size_t len;
		FILE *out = open_memstream(&text, &len);

		if (!out)
			return -ENOMEM;
		next = join_names(status, i, out);
		fprintf(out, ": %s%s",
			status->sources[i].used ? "" : "not used: ", status->sources[i].note);
		if (fclose(out))
			return -ENOMEM;
		print_label(i ? "" : "sources");
		fold_print(stdout, text, LABEL_WIDTH, fold_width());
	}
	return 0;
}

/* Each line for itself. */
static int print_drift(const struct status *status)
{
	char *lines __cleanup(free) = status->drift ? strdup(status->drift) : NULL;
	char *line, *save = NULL;

	if (status->drift && !lines)
		return -ENOMEM;
	for (line = lines ? strtok_r(lines, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save))
		print_attention(line);
	return 0;
}

/* The instance in which hist --keep lets the kernel count; NULL: there is none. */
static char *kept_hist(const struct debuglog *log)
{
	struct dkt_instance *in;
	char *name;

	if (asprintf(&name, "%s-hist", log->name) < 0)
		return NULL;
	if (!dkt_instance_open(log->ctx, name, 0, &in)) {
		dkt_instance_close(in);
		return name;
	}
	free(name);
	return NULL;
}

static void print_hist(const struct debuglog *log)
{
	char *name __cleanup(free) = kept_hist(log);

	if (!name)
		return;
	print_label("histograms");
	say_line(stdout, "kept in the instance %s; 'dktrace hist' shows them", name);
}

static void print_left(const struct status *status)
{
	char *text __cleanup(free) = NULL;

	if (!status->left)
		return;
	if (asprintf(&text,
		     "commands that were killed left %s; the next change, hist or latency, or"
		     " dktrace reset, removes it",
		     status->left) < 0)
		text = NULL;
	print_attention(text ? text : status->left);
}

static const char *state_of(const struct debuglog *log, const struct status *status)
{
	const struct recording *now = &status->recording;

	if (!status->started)
		return log->set.made ? "gone: somebody removed it; set_param makes it again" :
				       "not started: set_param debug=... starts it";
	if (!now->borrowed || now->on == now->top_on)
		return now->on ? "recording" : "stopped: tracing_on is 0; dktrace start sets it";
	return now->on ? "recording, but no entry and exit of functions: tracing_on of the top"
			 " instance is 0; dktrace start sets it" :
			 "stopped, but the top instance still records entry and exit of functions;"
			 " dktrace stop stops it";
}

static int print_text(struct debuglog *log, const struct status *status)
{
	int err = 0;

	print_label("instance");
	say_line(stdout, "%s (%s)", log->name, state_of(log, status));
	if (log->interrupted)
		print_attention("the last change was interrupted; the next one, or reset, takes"
				" it back");
	if (log->rebuilt)
		print_attention("there is no file of the settings; shown is what is on in the"
				" kernel");
	print_left(status);
	err = print_drift(status);
	print_params(log);
	status_filter_print(&log->set, LABEL_WIDTH);
	print_probes(log);
	print_hist(log);
	if (err || !status->started)
		return err;
	print_label("events");
	printf("%zu on, %zu with a filter\n", status->events_on, status->filtered);
	print_label("buffers");
	printf("%.1f MB ", (double)status->size / (1 << 20));
	status_cpus_count(&status->cpus);
	say_line(stdout, ", clock %s", status->clock);
	if (status->kept) {
		print_label("kept");
		printf("%" PRIu64 " KB read already, which the next dk prints too\n",
		       (status->kept + 1023) >> 10);
	}
	err = print_sources(status);
	printf("\n");
	return err ? err : status_cpus_print(&status->cpus);
}

/* ---- JSON ---- */

static void add_sources(struct json_object *root, const struct status *status)
{
	struct json_object *sources = json_object_new_array();
	int i;

	for (i = 0; i < SOURCES && status->started; i++) {
		const struct source_state *source = &status->sources[i];
		struct json_object *o = json_object_new_object();

		json_object_object_add(o, "source", json_object_new_string(source->name));
		json_object_object_add(o, "used", json_object_new_boolean(source->used));
		json_object_object_add(o, "note", json_object_new_string(source->note));
		json_object_array_add(sources, o);
	}
	json_object_object_add(root, "sources", sources);
}

/* What came and went. */
static void add_drift(struct json_object *root, const struct status *status)
{
	struct json_object *drift = json_object_new_array();
	const char *line = status->drift;

	for (; line && *line; line += strcspn(line, "\n"), line += *line != '\0')
		json_object_array_add(drift,
				      json_object_new_string_len(line, (int)strcspn(line, "\n")));
	json_object_object_add(root, "changes", drift);
}

static int print_json(struct debuglog *log, const struct status *status)
{
	char *hist __cleanup(free) = kept_hist(log);
	struct json_object *root = json_object_new_object();
	const struct param *param = NULL;

	json_object_object_add(root, "instance", json_object_new_string(log->name));
	json_object_object_add(root, "started", json_object_new_boolean(status->started));
	json_object_object_add(root, "recording", json_object_new_boolean(status->recording.on));
	if (status->recording.borrowed)
		json_object_object_add(root, "recording_top",
				       json_object_new_boolean(status->recording.top_on));
	json_object_object_add(root, "interrupted", json_object_new_boolean(log->interrupted));
	json_object_object_add(root, "rebuilt", json_object_new_boolean(log->rebuilt));
	while ((param = param_next(param))) {
		char *value __cleanup(free) = NULL;

		if (!param_get(log, param, &value))
			json_object_object_add(root, param_name(param),
					       json_object_new_string(value));
	}
	status_filter_json(&log->set, root);
	if (status->started) {
		json_object_object_add(root, "events_on",
				       json_object_new_uint64(status->events_on));
		json_object_object_add(root, "events_filtered",
				       json_object_new_uint64(status->filtered));
		json_object_object_add(root, "buffer_bytes", json_object_new_uint64(status->size));
		json_object_object_add(root, "kept_bytes", json_object_new_uint64(status->kept));
		json_object_object_add(root, "clock", json_object_new_string(status->clock));
	}
	status_probes_json(log, root);
	json_object_object_add(root, "histograms", hist ? json_object_new_string(hist) : NULL);
	json_object_object_add(root, "left_over",
			       status->left ? json_object_new_string(status->left) : NULL);
	add_sources(root, status);
	add_drift(root, status);
	status_cpus_json(&status->cpus, root);
	shown_json(json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY), stdout);
	puts("");
	json_object_put(root);
	return 0;
}

int cmd_status(struct app *app, int argc, char **argv)
{
	struct status status = { 0 };
	struct debuglog *log;
	int err;

	(void)argc, (void)argv;
	if (debuglog_open(app->ctx, app->instance, 0, &log))
		return app_fail(app);
	err = read_status(app, log, &status);
	if (!err)
		err = app->json ? print_json(log, &status) : print_text(log, &status);
	status_clear(&status);
	debuglog_close(log);
	return err ? app_fail(app) : 0;
}
