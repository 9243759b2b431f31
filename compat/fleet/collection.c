/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The description of a collection, as JSON. */
#include "fleet/collection.h"

#include <fcntl.h>
#include <json.h>

#include "base/buf.h"
#include "base/escape.h"
#include "base/io.h"
#include "base/memory.h"
#include "base/parse.h"

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
	names_clear(&about->command);
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
		json_object_array_add(row, json_object_new_uint64(values[i]));
	json_object_array_add(row, json_object_new_int64(trip->far_wall));
	return row;
}

static struct json_object *point_json(const struct dkt_clock_point *point)
{
	struct json_object *row = json_object_new_array();

	json_object_array_add(row, json_object_new_uint64(point->time));
	json_object_array_add(row, json_object_new_int64(point->offset));
	json_object_array_add(row, json_object_new_uint64(point->error));
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
	return err ? dkt_fail(ctx, err, "write %s: %s", path, strerror(-err)) : 0;
}

/* ---- reading ---- */

/* The file that is read, for messages. */
struct reading {
	struct dkt_ctx *ctx;
	const char *path;
	size_t host; /* which, from 1 on; 0: none */
};

static int wrong(const struct reading *from, const char *what)
{
	if (from->host)
		return dkt_fail(from->ctx, -EBADMSG, "%s: host %zu: %s", from->path, from->host,
				what);
	return dkt_fail(from->ctx, -EBADMSG, "%s: %s", from->path, what);
}

static bool get_number(struct json_object *value, int64_t *number)
{
	if (!json_object_is_type(value, json_type_int))
		return false;
	*number = json_object_get_int64(value);
	return true;
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

static int read_text(const struct reading *from, struct json_object *object, size_t i, char **text)
{
	struct json_object *value = json_object_object_get(object, texts[i].key);
	const char *string;

	if (!value)
		return texts[i].needed ? wrong(from, "its name, file or state is missing") : 0;
	if (!json_object_is_type(value, json_type_string))
		return wrong(from, "a text is of another type");
	string = json_object_get_string(value);
	if (strlen(string) != (size_t)json_object_get_string_len(value))
		return wrong(from, "a text has a zero byte");
	*text = strdup(string);
	return *text ? 0 : dkt__no_memory(from->ctx);
}

static int read_row(struct json_object *row, int64_t *values, size_t n)
{
	if (!json_object_is_type(row, json_type_array) || json_object_array_length(row) != n)
		return -EBADMSG;
	for (size_t i = 0; i < n; i++)
		if (!get_number(json_object_array_get_idx(row, i), &values[i]))
			return -EBADMSG;
	return 0;
}

/* The lines are fitted again, so that nothing depends on what the file says of them. */
static int read_clock(const struct reading *from, struct json_object *list,
		      struct collection_host *host)
{
	const size_t n =
		json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;
	int err = n > TRIPS_MAX ? -EBADMSG : 0;

	for (size_t i = 0; !err && i < n; i++) {
		int64_t values[5];

		err = read_row(json_object_array_get_idx(list, i), values, ARRAY_SIZE(values));
		if (!err)
			err = clock_add(&host->clock,
					&(struct clock_trip){ .sent = (uint64_t)values[0],
							      .received = (uint64_t)values[1],
							      .far_received = (uint64_t)values[2],
							      .far_sent = (uint64_t)values[3],
							      .far_wall = values[4] });
	}
	if (err == -ENOMEM)
		return dkt__no_memory(from->ctx);
	return err ? wrong(from, "the measurements of its clock are not right") : 0;
}

static int read_host(const struct reading *from, struct json_object *object,
		     struct collection_host *host)
{
	int64_t number;
	int err = 0;

	if (!json_object_is_type(object, json_type_object))
		return wrong(from, "it is not an object");
	for (size_t i = 0; !err && i < ARRAY_SIZE(texts); i++)
		err = read_text(from, object, i, text_of(host, i));
	if (!err && (!is_plain(host->name) || !is_plain(host->file)))
		err = wrong(from, "its name or file is not a plain name");
	for (size_t i = 0; !err && i < ARRAY_SIZE(numbers); i++) {
		if (!get_number(json_object_object_get(object, numbers[i].key), &number))
			return wrong(from, "a number is missing");
		memcpy((char *)host + numbers[i].offset, &number, sizeof(number));
	}
	return err ? err : read_clock(from, json_object_object_get(object, "trips"), host);
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

static int read_hosts(struct reading *from, struct json_object *list, struct collection *about)
{
	const size_t n =
		json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;
	int err = 0;

	if (!n || n > HOSTS_MAX)
		return wrong(from, "it names no hosts");
	about->hosts = calloc(n, sizeof(*about->hosts));
	if (!about->hosts)
		return dkt__no_memory(from->ctx);
	about->n = n;
	for (size_t i = 0; !err && i < n; i++) {
		from->host = i + 1;
		err = read_host(from, json_object_array_get_idx(list, i), &about->hosts[i]);
	}
	from->host = 0;
	return err ? err : check_differ(from, about);
}

static int read_root(struct reading *from, struct json_object *root, struct collection *about)
{
	const char *const keys[] = { "began", "ended", "wall" };
	int64_t *const places[] = { &about->began, &about->ended, &about->wall };
	struct json_object *command;
	int64_t version;

	if (!json_object_is_type(root, json_type_object) ||
	    !get_number(json_object_object_get(root, "collection"), &version))
		return wrong(from, "it is not the description of a collection");
	if (version != VERSION)
		return wrong(from, "it is of another version of dktrace");
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (!get_number(json_object_object_get(root, keys[i]), places[i]))
			return wrong(from, "a time is missing");
	command = json_object_object_get(root, "command");
	for (size_t i = 0;
	     json_object_is_type(command, json_type_array) && i < json_object_array_length(command);
	     i++)
		if (names_add(&about->command,
			      json_object_get_string(json_object_array_get_idx(command, i)) ?: ""))
			return dkt__no_memory(from->ctx);
	return read_hosts(from, json_object_object_get(root, "hosts"), about);
}

int collection_read(struct dkt_ctx *ctx, const char *path, struct collection *about)
{
	struct reading from = { .ctx = ctx, .path = path };
	struct json_tokener *tokener;
	struct json_object *root;
	char *text __cleanup(free) = NULL;
	size_t len;
	int fd __cleanup(close) = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	int err = fd < 0 ? -errno : dkt__read_fd(fd, BYTES_MAX, &text, &len);

	*about = (struct collection){ 0 };
	if (err)
		return dkt_fail(ctx, err, "read %s: %s", path, strerror(-err));
	tokener = json_tokener_new();
	if (!tokener)
		return dkt__no_memory(ctx);
	root = json_tokener_parse_ex(tokener, text, (int)len);
	if (json_tokener_get_error(tokener) != json_tokener_success)
		err = wrong(&from, json_tokener_error_desc(json_tokener_get_error(tokener)));
	json_tokener_free(tokener);
	if (!err)
		err = read_root(&from, root, about);
	json_object_put(root);
	return err ? err : collection_fit(ctx, about);
}
