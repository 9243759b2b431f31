/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The description of a collection, as JSON. */
#include "fleet/collect/collection.h"

#include <fcntl.h>
#include <json.h>
#include <limits.h>

#include "fleet/remote/frame.h"
#include "lib/base/buf.h"
#include "lib/base/escape.h"
#include "lib/base/io.h"
#include "lib/base/json_number.h"
#include "lib/base/json_reader.h"
#include "lib/base/memory.h"
#include "lib/base/parse.h"

#define VERSION 1

/* Limits of what is read. */
#define BYTES_MAX (256u << 20)
#define HOSTS_MAX 100000
#define TRIPS_MAX 10000

int collection_fit(struct dkt_ctx *ctx, struct collection *about)
{
	int err = 0;

	for (size_t i = 0; !err && i < about->n; i++) {
		struct collection_host *host = &about->hosts[i];

		free(host->points);
		err = clock_fit(&host->clock, &host->points, &host->n_points);
		err = err == -ENODATA ? 0 : err;
	}
	return err ? dkt__no_memory(ctx) : 0;
}

bool collection_load(const struct collection_host *host, uint64_t *number)
{
	return host->load && strlen(host->load) == 16 &&
	       !dkt__parse_u64(host->load, DKT__HEX, number);
}

static bool is_complete(const struct collection_host *host)
{
	return !strcmp(host->state, "complete");
}

bool collection_knows_end(const struct collection *about, const struct collection_host *host)
{
	return about->ended || is_complete(host) || !strcmp(host->state, "failed");
}

int collection_lack(const struct collection *about, const struct collection_host *host,
		    char **words)
{
	*words = NULL;
	if (is_complete(host))
		return 0;
	if (!collection_knows_end(about, host))
		*words = strdup("collect was killed or still runs");
	else
		*words = dkt__format("%s%s%s", host->state, host->message ? ": " : "",
				     host->message ?: "");
	return *words ? 0 : -ENOMEM;
}

int collection_error(const struct collection_host *host, uint64_t *error)
{
	*error = 0;
	for (size_t i = 0; i < host->n_points; i++)
		*error = DKT__MAX(*error, host->points[i].error);
	return host->n_points ? 0 : -ENODATA;
}

char *collection_find(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *name;

	if (!strcmp(slash ? slash + 1 : path, COLLECTION_NAME))
		return access(path, F_OK) ? NULL : strdup(path);
	name = dkt__format("%s/" COLLECTION_NAME, path);
	if (name && !access(name, F_OK))
		return name;
	free(name);
	return NULL;
}

static void clear_host(struct collection_host *host)
{
	char *const texts[] = { host->name,    host->file,       host->state,
				host->message, host->hostname,   host->boot,
				host->version, host->wall_error, host->load };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		free(texts[i]);
	clock_free(&host->clock);
	free(host->points);
}

void collection_clear(struct collection *about)
{
	for (size_t i = 0; i < about->n; i++)
		clear_host(&about->hosts[i]);
	free(about->hosts);
	dkt__strings_clear(&about->command);
	*about = (struct collection){ 0 };
}

/* ---- the members ---- */

/* The texts and numbers of a host, so that writing and reading agree. */
static const struct {
	const char *key;
	size_t offset; /* of a char * in struct collection_host */
	bool needed;
} texts[] = {
	{ "name", offsetof(struct collection_host, name), true },
	{ "file", offsetof(struct collection_host, file), true },
	{ "state", offsetof(struct collection_host, state), true },
	{ "message", offsetof(struct collection_host, message), false },
	{ "hostname", offsetof(struct collection_host, hostname), false },
	{ "boot", offsetof(struct collection_host, boot), false },
	{ "version", offsetof(struct collection_host, version), false },
	{ "wall_error", offsetof(struct collection_host, wall_error), false },
	{ "load", offsetof(struct collection_host, load), false },
};

static const struct {
	const char *key;
	size_t offset; /* of an int64_t or uint64_t */
} numbers[] = {
	{ "status", offsetof(struct collection_host, status) },
	{ "bytes", offsetof(struct collection_host, bytes) },
	{ "breaks", offsetof(struct collection_host, breaks) },
};

static char **text_of(struct collection_host *host, size_t i)
{
	return (void *)((char *)host + texts[i].offset);
}

/* ---- writing ---- */

static struct json_object *trip_json(const struct clock_trip *trip)
{
	struct json_object *row = json_object_new_array();
	const uint64_t values[] = { trip->sent, trip->received, trip->far_received,
				    trip->far_sent };

	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		json_object_array_add(row, dkt__json_u64(values[i]));
	json_object_array_add(row, json_object_new_int64(trip->far_wall));
	return row;
}

static struct json_object *point_json(const struct dkt_clock_point *point)
{
	struct json_object *row = json_object_new_array();

	json_object_array_add(row, dkt__json_u64(point->time));
	json_object_array_add(row, json_object_new_int64(point->offset));
	json_object_array_add(row, dkt__json_u64(point->error));
	return row;
}

/* Hosts and users write anything; JSON is UTF-8. */
static struct json_object *text_json(const char *text)
{
	struct dkt_buf buf = { 0 };
	struct json_object *object;

	dkt__add_utf8(&buf, text, strlen(text));
	object = json_object_new_string_len(buf.data ?: "", (int)buf.len);
	free(buf.data);
	return object;
}

static struct json_object *host_json(struct collection_host *host)
{
	struct json_object *object = json_object_new_object(), *list;
	int64_t number;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (*text_of(host, i))
			json_object_object_add(object, texts[i].key, text_json(*text_of(host, i)));
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		memcpy(&number, (char *)host + numbers[i].offset, sizeof(number));
		json_object_object_add(object, numbers[i].key, json_object_new_int64(number));
	}
	list = json_object_new_array();
	for (size_t i = 0; i < host->n_points; i++)
		json_object_array_add(list, point_json(&host->points[i]));
	json_object_object_add(object, "clock", list);
	list = json_object_new_array();
	for (size_t i = 0; i < host->clock.n; i++)
		json_object_array_add(list, trip_json(&host->clock.trips[i]));
	json_object_object_add(object, "trips", list);
	return object;
}

int collection_write(struct dkt_ctx *ctx, const struct collection *about, const char *path)
{
	struct json_object *root = json_object_new_object(), *list = json_object_new_array();
	const char *text;
	int err;

	json_object_object_add(root, "collection", json_object_new_int(VERSION));
	for (size_t i = 0; i < about->command.n; i++)
		json_object_array_add(list, text_json(about->command.list[i]));
	json_object_object_add(root, "command", list);
	json_object_object_add(root, "began", json_object_new_int64(about->began));
	json_object_object_add(root, "ended", json_object_new_int64(about->ended));
	json_object_object_add(root, "wall", json_object_new_int64(about->wall));
	list = json_object_new_array();
	for (size_t i = 0; i < about->n; i++)
		json_object_array_add(list, host_json(&about->hosts[i]));
	json_object_object_add(root, "hosts", list);
	text = json_object_to_json_string_ext(root, JSON_C_TO_STRING_PLAIN);
	err = text ? dkt__replace_file(path, text, strlen(text), false) : -ENOMEM;
	json_object_put(root);
	return err ? dkt_fail(ctx, err, "write %s: %s%s", path, strerror(-err),
			      dkt__full_advice(err)) :
		     0;
}

/* ---- reading ---- */

/* The file that is read. */
struct reading {
	struct dkt_ctx *ctx;
	const char *path;
	struct dkt__json json;
	struct collection *about;
	size_t host; /* which, from 1 on; 0: none */
	size_t words; /* bytes of the command */
	int64_t version; /* 0: not known yet */
	unsigned int seen; /* a bit for each time */
};

static int wrong(const struct reading *from, const char *what)
{
	if (from->host)
		return dkt_fail(from->ctx, -EBADMSG, "%s: host %zu: %s", from->path, from->host,
				what);
	return dkt_fail(from->ctx, -EBADMSG, "%s: %s", from->path, what);
}

/* A name within the directory, without anything that could lead out of it or drive a terminal. */
static bool is_plain(const char *name)
{
	if (!*name || *name == '.' || strlen(name) > NAME_MAX || strchr(name, '/'))
		return false;
	for (; *name; name++)
		if ((unsigned char)*name < ' ' || *name == 127)
			return false;
	return true;
}

/* A host that is read. */
struct host_reading {
	struct reading *from;
	struct collection_host *host;
	size_t trips;
	unsigned int seen; /* a bit for each number */
};

struct row {
	int64_t values[5];
	size_t n;
};

static int take_value(void *data, struct dkt__json *json)
{
	struct row *row = data;

	return row->n == ARRAY_SIZE(row->values) ? -EBADMSG :
						   dkt__json_int(json, &row->values[row->n++]);
}

/* The lines are fitted again, so that nothing depends on what the file says of them. */
static int take_trip(void *data, struct dkt__json *json)
{
	struct host_reading *reading = data;
	struct row row = { 0 };
	int err = reading->trips++ < TRIPS_MAX ? dkt__json_array(json, take_value, &row) : -EBADMSG;

	if (!err)
		err = row.n == ARRAY_SIZE(row.values) ?
			      clock_add(&reading->host->clock,
					&(struct clock_trip){ .sent = (uint64_t)row.values[0],
							      .received = (uint64_t)row.values[1],
							      .far_received =
								      (uint64_t)row.values[2],
							      .far_sent = (uint64_t)row.values[3],
							      .far_wall = row.values[4] }) :
			      -EBADMSG;
	return err && err != -ENOMEM ?
		       dkt__json_wrong(json, "the measurements of its clock are not right") :
		       err;
}

static int take_text(struct dkt__json *json, char **text)
{
	int err = *text ? dkt__json_wrong(json, "a text comes twice") : dkt__json_text(json);

	if (err)
		return err;
	*text = strdup(json->text.data);
	return *text ? 0 : -ENOMEM;
}

static int take_host_member(void *data, struct dkt__json *json)
{
	struct host_reading *reading = data;
	int64_t number;
	int err;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (!strcmp(json->text.data, texts[i].key))
			return take_text(json, text_of(reading->host, i));
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		if (strcmp(json->text.data, numbers[i].key) != 0)
			continue;
		err = dkt__json_int(json, &number);
		memcpy((char *)reading->host + numbers[i].offset, &number, sizeof(number));
		reading->seen |= 1u << i;
		return err;
	}
	if (!strcmp(json->text.data, "trips"))
		return dkt__json_array(json, take_trip, reading);
	return dkt__json_skip(json);
}

static int check_host(const struct host_reading *reading, struct dkt__json *json)
{
	const struct collection_host *host = reading->host;

	if (!host->name || !host->file || !host->state)
		return dkt__json_wrong(json, "its name, file or state is missing");
	if (!is_plain(host->name) || !is_plain(host->file))
		return dkt__json_wrong(json, "its name or file is not a plain name");
	return reading->seen == (1u << ARRAY_SIZE(numbers)) - 1 ?
		       0 :
		       dkt__json_wrong(json, "a number is missing");
}

static int take_host(void *data, struct dkt__json *json)
{
	struct reading *from = data;
	struct collection *about = from->about;
	struct host_reading reading = { .from = from };
	int err;

	if (about->n == HOSTS_MAX)
		return dkt__json_wrong(json, "it names too many hosts");
	if (dkt__append(about->hosts, about->n, (struct collection_host){ 0 }))
		return -ENOMEM;
	reading.host = &about->hosts[about->n - 1];
	from->host = about->n;
	err = dkt__json_object(json, take_host_member, &reading);
	if (!err)
		err = check_host(&reading, json);
	from->host = err ? from->host : 0;
	return err;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Two hosts of one name, or with one file, could not be told apart. */
static int check_differ(const struct reading *from, const struct collection *about)
{
	char **list __cleanup(free) = calloc(about->n + 1, sizeof(*list));

	if (!list)
		return dkt__no_memory(from->ctx);
	for (int files = 0; files < 2; files++) {
		for (size_t i = 0; i < about->n; i++)
			list[i] = files ? about->hosts[i].file : about->hosts[i].name;
		qsort(list, about->n, sizeof(*list), compare_names);
		for (size_t i = 1; i < about->n; i++)
			if (!strcmp(list[i - 1], list[i]))
				return wrong(from, files ? "two hosts have one file" :
							   "two hosts have one name");
	}
	return 0;
}

static int take_word(void *data, struct dkt__json *json)
{
	struct reading *from = data;
	int err = dkt__json_text(json);

	if (err)
		return err;
	from->words += json->text.len + 1;
	if (from->words > FRAME_MAX_BODY)
		return dkt__json_wrong(json, "its command is longer than a command can be");
	return dkt__strings_add(&from->about->command, json->text.data);
}

static int take_member(void *data, struct dkt__json *json)
{
	static const char *const keys[] = { "began", "ended", "wall" };
	struct reading *from = data;
	struct collection *about = from->about;
	int64_t *const places[] = { &about->began, &about->ended, &about->wall };
	int err;

	if (!strcmp(json->text.data, "collection")) {
		err = dkt__json_int(json, &from->version);
		return !err && from->version != VERSION ?
			       dkt__json_wrong(json, "it is of another version of dktrace") :
			       err;
	}
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (!strcmp(json->text.data, keys[i])) {
			from->seen |= 1u << i;
			return dkt__json_int(json, places[i]);
		}
	if (!strcmp(json->text.data, "command"))
		return dkt__json_array(json, take_word, from);
	if (!strcmp(json->text.data, "hosts"))
		return dkt__json_array(json, take_host, from);
	return dkt__json_skip(json);
}

static int check_root(const struct reading *from)
{
	if (!from->version)
		return wrong(from, "it is not the description of a collection");
	if (from->seen != 7)
		return wrong(from, "a time is missing");
	return from->about->n ? check_differ(from, from->about) : wrong(from, "it names no hosts");
}

int collection_read(struct dkt_ctx *ctx, const char *path, struct collection *about)
{
	struct reading from = { .ctx = ctx, .path = path, .about = about };
	char *text __cleanup(free) = NULL;
	size_t len;
	int fd __cleanup(close) = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	int err = fd < 0 ? -errno : dkt__read_fd(fd, BYTES_MAX, &text, &len);

	*about = (struct collection){ 0 };
	if (err)
		return dkt_fail(ctx, err, "read %s: %s", path, strerror(-err));
	from.json.at = text;
	err = dkt__json_object(&from.json, take_member, &from);
	if (!err)
		err = dkt__json_end(&from.json);
	if (!err && from.json.at != text + len)
		err = dkt__json_wrong(&from.json, "a text has a zero byte");
	if (err == -ENOMEM)
		dkt__no_memory(ctx);
	else
		err = err ? wrong(&from, from.json.wrong) : check_root(&from);
	dkt__json_clear(&from.json);
	return err ? err : collection_fit(ctx, about);
}
