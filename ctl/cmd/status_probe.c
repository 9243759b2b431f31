/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Probes in what status shows. */
#include "cmd/status_probe.h"

#include <stdio.h>

#include "base/util.h"
#include "log/probe_list.h"

char *status_probes_text(struct debuglog *log)
{
	char *text = NULL;
	size_t size, i;
	FILE *f;

	if (probes_load(log) || !log->probes->n)
		return NULL;
	f = open_memstream(&text, &size);
	for (i = 0; f && i < log->probes->n; i++) {
		const struct dkt_probe *probe = probes_at(log->probes, i);

		fprintf(f, "%s%s:%s (%s)", i ? ", " : "", probe->group, probe->name,
			log->probes->list[i].state == PROBE_ON ? "on" : "off");
	}
	if (f)
		fclose(f);
	return text;
}

void status_probes_json(struct debuglog *log, struct json_object *root)
{
	struct json_object *probes = json_object_new_array();
	size_t i;

	for (i = 0; !probes_load(log) && i < log->probes->n; i++) {
		const struct dkt_probe *probe = probes_at(log->probes, i);
		struct json_object *o = json_object_new_object();
		char *name __cleanup(free) = NULL;

		if (asprintf(&name, "%s:%s", probe->group, probe->name) < 0)
			name = NULL;
		json_object_object_add(o, "probe", json_object_new_string(name ? name : ""));
		json_object_object_add(
			o, "on", json_object_new_boolean(log->probes->list[i].state == PROBE_ON));
		json_object_array_add(probes, o);
	}
	json_object_object_add(root, "probes", probes);
}
