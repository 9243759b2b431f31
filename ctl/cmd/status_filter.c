/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The part of status about filters, threads, CPUs, functions and triggers. */
#include "cmd/status_filter.h"

#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "out/fold.h"
#include "set/functions.h"

/* More triggers than that are for their own command. */
#define MAX_SHOWN 5

static void print_line(const char *label, const char *value, unsigned int width)
{
	printf("%-*s", (int)width, label);
	fold_print(stdout, value, width, fold_width());
}

static void print_list(const char *label, const struct entries *list, unsigned int width)
{
	char *text __cleanup(free) = NULL;
	size_t i, len;
	FILE *out = open_memstream(&text, &len);

	for (i = 0; out && i < list->n && i < MAX_SHOWN; i++)
		fprintf(out, "%s%s %s", i ? "; " : "", list->list[i].events, list->list[i].text);
	if (out && list->n > MAX_SHOWN)
		fprintf(out, " and %zu more", list->n - MAX_SHOWN);
	if (out && !fclose(out) && list->n)
		print_line(label, text, width);
}

void status_filter_print(const struct settings *set, unsigned int width)
{
	char *functions __cleanup(free) = functions_text(set);
	char *pids __cleanup(free) = threads_text(&set->threads, set->children);

	if (pids)
		print_line("pids", pids, width);
	if (set->cpus)
		print_line("cpus", set->cpus, width);
	if (functions)
		print_line("functions", functions, width);
	print_list("filters", &set->rules, width);
	print_list("triggers", &set->triggers, width);
}

static struct json_object *json_text(const char *text)
{
	return text ? json_object_new_string(text) : NULL;
}

static struct json_object *json_list(const struct entries *list, const char *key, const char *rest)
{
	struct json_object *array = json_object_new_array();
	size_t i;

	for (i = 0; i < list->n; i++) {
		struct json_object *o = json_object_new_object();

		json_object_object_add(o, key, json_object_new_string(list->list[i].events));
		json_object_object_add(o, rest, json_object_new_string(list->list[i].text));
		json_object_array_add(array, o);
	}
	return array;
}

void status_filter_json(const struct settings *set, struct json_object *root)
{
	char *functions __cleanup(free) = functions_text(set);
	char *pids __cleanup(free) = threads_text(&set->threads, false);

	json_object_object_add(root, "functions", json_text(functions));
	json_object_object_add(root, "pids", json_text(pids));
	json_object_object_add(root, "children", json_object_new_boolean(set->children));
	json_object_object_add(root, "cpus_recorded", json_text(set->cpus));
	json_object_object_add(root, "filters", json_list(&set->rules, "events", "filter"));
	json_object_object_add(root, "triggers", json_list(&set->triggers, "event", "trigger"));
}
