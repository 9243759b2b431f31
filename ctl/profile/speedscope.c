/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes a profile as JSON for speedscope: https://www.speedscope.app/file-format-schema.json */
#include <inttypes.h>

#include "ctl/out/json.h"
#include "ctl/profile/profile.h"
#include "lib/base/buf.h"

static struct json_object *frame_json(const struct profile_names *names, uint32_t name)
{
	struct json_object *object = json_object_new_object();
	const char *where = profile_names_where(names, name);

	json_object_object_add(object, "name", val_text(profile_names_text(names, name)));
	if (*where)
		json_object_object_add(object, "file", val_text(where));
	return object;
}

static int put_frames(const struct profile_names *names, FILE *f)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < names->n; i++) {
		struct json_object *frame = frame_json(names, i);

		fputs(i ? ",\n" : "\n", f);
		err = frame ? json_part(frame, f) : -ENOMEM;
		json_object_put(frame);
	}
	return err;
}

/* Prints the stack of a node, the outermost function first. */
static int put_stack(const struct profile_tree *tree, uint32_t node, FILE *f)
{
	const uint32_t n = profile_tree_depth(tree, node);
	uint32_t *names __cleanup(free) = calloc(n + 1, sizeof(*names));

	if (!names)
		return -ENOMEM;
	for (uint32_t i = n; i--; node = tree->nodes[node].parent)
		names[i] = tree->nodes[node].name;
	fputc('[', f);
	for (uint32_t i = 0; i < n; i++)
		fprintf(f, "%s%" PRIu32, i ? "," : "", names[i]);
	fputc(']', f);
	return 0;
}

static int put_samples(const struct profile_tree *tree, FILE *f)
{
	const char *comma = "";
	int err = 0;

	fputs("\"samples\":[", f);
	for (uint32_t i = 0; !err && i < tree->n; i++) {
		if (!tree->nodes[i].self[PROFILE_NOW].samples)
			continue;
		fprintf(f, "%s\n", comma);
		comma = ",";
		err = put_stack(tree, i, f);
	}
	fputs("],\n\"weights\":[", f);
	comma = "";
	for (uint32_t i = 0; !err && i < tree->n; i++) {
		if (!tree->nodes[i].self[PROFILE_NOW].samples)
			continue;
		fprintf(f, "%s%" PRIu64, comma, tree->nodes[i].self[PROFILE_NOW].weight);
		comma = ",";
	}
	fputs("]", f);
	return err;
}

static int put_text(const char *text, FILE *f)
{
	struct json_object *string = val_text(text);
	int err = string ? json_part(string, f) : -ENOMEM;

	json_object_put(string);
	return err;
}

int profile_write_speedscope(const struct profile_view *view, FILE *f)
{
	const struct profile *profile = view->profile;
	const char *version;
	char *words __cleanup(free) = profile_words(view, PROFILE_NOW);
	int err;

	dkt_version(&version);
	fprintf(f,
		"{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
		"\"exporter\":\"dktrace %s\",\n\"name\":",
		version);
	err = put_text(view->path, f);
	fputs(",\n\"shared\":{\"frames\":[", f);
	if (!err)
		err = put_frames(&profile->names, f);
	fputs("]},\n\"profiles\":[{\"type\":\"sampled\",\"name\":", f);
	if (!err)
		err = words ? put_text(words, f) : -ENOMEM;
	fprintf(f, ",\"unit\":\"%s\",\"startValue\":0,\"endValue\":%" PRIu64 ",\n",
		profile->is_time ? "nanoseconds" : "none",
		profile->tree.nodes[0].total[PROFILE_NOW].weight);
	if (!err)
		err = put_samples(&profile->tree, f);
	fputs("}]}\n", f);
	return err;
}
