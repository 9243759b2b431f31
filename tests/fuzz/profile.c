/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzzes profiles: whatever records and names a file has, the counts of the tree add up, and each form of the
 * output can be read. The input is 'f' and a file, or records of known events with any numbers. 'F' and 'w' are the same
 * for time by the wall clock.
 */
#include <json.h>

#include "ctl/app/groups.h"
#include "ctl/profile/profile.h"
#include "lib/base/memory.h"
#include "tests/fuzz/made_records.h"

static char *write_with(int (*write)(const struct profile_view *view, FILE *f),
			const struct profile_view *view, size_t *len)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, len);

	must(f && !write(view, f) && !fclose(f));
	return text;
}

/* Each line ends in a number, and they add up to the whole. */
static void check_folded(const struct profile_view *view)
{
	size_t len;
	char *text __cleanup(free) = write_with(profile_write_folded, view, &len);
	uint64_t sum = 0;

	must(strlen(text) == len);
	for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
		const char *space = memrchr(line, ' ', (size_t)(end - line));

		must(space);
		for (const char *p = line; p < end; p++)
			must((unsigned char)*p >= ' ');
		sum += strtoull(space + 1, NULL, 10);
	}
	must(sum == view->profile->facts[PROFILE_NOW].all.weight);
}

static void check_json(const struct profile_view *view)
{
	size_t len;
	char *text __cleanup(free) = write_with(profile_write_speedscope, view, &len);
	struct json_object *root = json_tokener_parse(text);

	must(root && json_object_is_type(root, json_type_object));
	json_object_put(root);
}

/* No name adds an element. */
static void check_picture(int (*write)(const struct profile_view *view, FILE *f),
			  const struct profile_view *view)
{
	size_t len, open = 0, close = 0;
	char *text __cleanup(free) = write_with(write, view, &len);

	must(strlen(text) == len);
	for (const char *p = text; (p = strstr(p, "<title")); p++)
		open++;
	for (const char *p = text; (p = strstr(p, "</title>")); p++)
		close++;
	must(open == close && !strstr(text, "<script"));
}

static void check_trees(struct profile *profile)
{
	struct profile_tree callers = { 0 };
	struct profile_sum *sums __cleanup(free) = NULL;
	uint64_t self = 0;
	size_t n = 0;

	must(!profile_tree_init(&callers, PROFILE_NODES_MAX) &&
	     !profile_tree_callers(&profile->tree, &callers));
	must(!memcmp(callers.nodes[0].total, profile->tree.nodes[0].total,
		     sizeof(callers.nodes[0].total)));
	must(!profile_tree_link(&profile->tree, profile_by_name, profile) &&
	     !profile_sums(profile, &sums, &n));
	for (size_t i = 0; i < n; i++) {
		must(sums[i].total[PROFILE_NOW].samples >= sums[i].self[PROFILE_NOW].samples);
		self += sums[i].self[PROFILE_NOW].samples;
	}
	must(self <= profile->facts[PROFILE_NOW].all.samples);
	profile_tree_clear(&callers);
}

static void write_all(struct app *app, struct profile *profile, const struct wall *wall,
		      const struct dkt_source_info *info)
{
	const struct profile_view view = { .app = app,
					   .profile = profile,
					   .wall = wall,
					   .path = "file",
					   .n_files = 1,
					   .info = info };
	char *packed __cleanup(free) = NULL;
	size_t len;

	must(profile->facts[PROFILE_NOW].all.samples ==
	     profile->tree.nodes[0].total[PROFILE_NOW].samples);
	check_trees(profile);
	check_folded(&view);
	check_json(&view);
	check_picture(profile_write_flame, &view);
	check_picture(profile_write_icicle, &view);
	if (profile->facts[PROFILE_NOW].all.samples && !wall)
		check_picture(profile_write_heat, &view);
	packed = write_with(profile_write_pprof, &view, &len);
	must(len > 2 && !memcmp(packed, "\x1f\x8b", 2));
}

struct room {
	struct dkt_ctx *ctx;
	struct dkt_source *source;
	struct profile profile;
	struct wall *wall; /* NULL: samples are counted */
	struct wall_within *within; /* NULL: all time counts */
	int fd;
};

/* False: it is no file that can be read. */
static bool open_room(struct room *room, int fd, unsigned int by, bool wall)
{
	const DKT_OPTS(dkt_source_opts, opts, .formats = FORMATS, .flags = DKT__SOURCE_SWITCHES);
	const struct profile_opts how = { .by = by };
	const struct wall_opts how_wall = {
		.by = (by & 1 ? PROFILE_BY_COMM : 0) | (by & 2 ? PROFILE_BY_TID : 0) |
		      (by & 4 ? PROFILE_BY_STATE : 0),
		.hops = by % (WALL_HOPS_MAX + 1),
		.wakers = by & 8,
		.idle = by & 1,
	};
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	room->fd = fd;
	must(!dkt_ctx_new(NULL, &room->ctx) && !profile_init(&room->profile, &how));
	must(!wall || !wall_new(&how_wall, &room->wall));
	if (wall)
		wall_begin(room->wall, PROFILE_NOW,
			   &(struct wall_window){ 0, by & 2 ? UINT64_MAX : 1u << 20 },
			   room->within);
	return !dkt_source_open(room->ctx, path, &opts, &room->source);
}

static void close_room(struct room *room)
{
	profile_clear(&room->profile);
	wall_free(room->wall);
	wall_within_free(room->within);
	if (room->source)
		dkt_source_close(room->source);
	dkt_ctx_free(room->ctx);
	close(room->fd);
}

static void take(void *to, const struct dkt_record *record)
{
	struct room *room = to;

	if (room->wall)
		must(!wall_add(room->wall, room->ctx, record->cpu % 2, room->source, record));
	else
		must(!profile_add(&room->profile, room->ctx, record->cpu % 2, room->source,
				  record));
}

/* The time of the groups is that of the stacks, up to what divisions round off. */
static void end_wall(struct room *room)
{
	uint64_t sum = 0;
	size_t n;
	const struct wall_group *group;

	must(!wall_end(room->wall));
	wall_finish(room->wall);
	group = wall_groups(room->wall, &n);
	for (size_t i = 0; i < n; i++)
		sum += group[i].all;
	must(sum == wall_facts(room->wall, PROFILE_NOW)->ns);
}

static void end(struct room *room)
{
	struct app app = { .ctx = room->ctx };

	if (room->wall)
		end_wall(room);
	else
		must(!profile_end(&room->profile));
	write_all(&app, room->wall ? wall_profile(room->wall) : &room->profile, room->wall,
		  dkt_source_info(room->source));
}

/* Reads a file for its system calls. */
static struct wall_within *find_calls(const uint8_t *data, size_t size)
{
	struct wall_within *within = NULL;
	struct room room = { 0 };
	struct dkt_record record;
	bool is = open_room(&room, open_bytes(data, size), 0, false);
	const struct wall_within_opts opts = {
		.ctx = room.ctx, .name = "syscall", .least = size % 2, .most = UINT64_MAX
	};

	must(!wall_within_new(&opts, &within));
	for (int i = 0; is && i < RECORDS_MAX && !dkt_source_next(room.source, &record); i++)
		must(!wall_within_add(within, room.ctx, record.cpu % 2, room.source, &record));
	wall_within_end(within);
	close_room(&room);
	return within;
}

static void read_file(const uint8_t *data, size_t size, bool wall)
{
	struct room room = { .within = wall && size % 16 & 8 ? find_calls(data, size) : NULL };
	struct dkt_record record;

	if (open_room(&room, open_bytes(data, size), size % 16, wall)) {
		for (int i = 0; i < RECORDS_MAX && !dkt_source_next(room.source, &record); i++)
			take(&room, &record);
		end(&room);
	}
	close_room(&room);
}

static void read_records(const uint8_t *data, size_t size, bool wall)
{
	struct dkt_event *const *events;
	struct room room = { 0 };
	size_t n;

	must(open_room(&room, open_text(), size % 16, wall));
	must(!dkt_events(room.ctx, &events, &n) && n);
	make_records(data, size, events, n, take, &room);
	end(&room);
	close_room(&room);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char kind = size ? (char)data[0] : '\0';

	if (kind == 'f' || kind == 'F')
		read_file(data + 1, size - 1, kind == 'F');
	else if (kind == 'w')
		read_records(data + 1, size - 1, true);
	else
		read_records(data, size, false);
	return 0;
}
