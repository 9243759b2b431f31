/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The settings of a daemon. */
#include "recording/daemon/config.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/base/io.h"
#include "lib/base/memory.h"
#include "lib/base/parse.h"
#include "lib/base/when.h"
#include "lib/inside.h"

#define CONFIG_MAX (1 << 20)

#define SEGMENT_SIZE  (UINT64_C(256) << 20)
#define SEGMENT_LEAST (UINT64_C(4) << 20)
#define SEGMENT_TIME  (3600 * DKT__NSEC_PER_SEC)

static const struct {
	const char *name;
	char joint; /* between the values of an option that can be given several times; 0: it cannot */
} keys[ARCHIVE_KEYS] = {
	[ARCHIVE_DIR] = { "dir", 0 },
	[ARCHIVE_CLASS] = { "class", ',' },
	[ARCHIVE_SUBSYSTEM] = { "subsystem", ',' },
	[ARCHIVE_EVENT] = { "event", ',' },
	[ARCHIVE_FILTER] = { "filter", 0 },
	[ARCHIVE_COMM] = { "comm", 0 },
	[ARCHIVE_PID] = { "pid", 0 },
	[ARCHIVE_CHILDREN] = { "children", 0 },
	[ARCHIVE_CPU] = { "cpu", 0 },
	[ARCHIVE_STACK] = { "stack", ',' },
	[ARCHIVE_PROBE] = { "probe", '\n' },
	[ARCHIVE_BUFFER_SIZE] = { "buffer-size", 0 },
	[ARCHIVE_SEGMENT_SIZE] = { "segment-size", 0 },
	[ARCHIVE_SEGMENT_TIME] = { "segment-time", 0 },
	[ARCHIVE_MAX_SIZE] = { "max-size", 0 },
	[ARCHIVE_KEEP] = { "keep", 0 },
	[ARCHIVE_COMPRESSION] = { "compression", 0 },
	[ARCHIVE_METRICS] = { "metrics", 0 },
};

int archive_config_set(struct archive_config *config, enum archive_key key, const char *value)
{
	char *copy = value ? strdup(value) : NULL;

	if (value && !copy)
		return -ENOMEM;
	free(config->value[key]);
	config->value[key] = copy;
	return 0;
}

int archive_config_add(struct archive_config *config, enum archive_key key, const char *value)
{
	char *both;

	if (!config->value[key] || !keys[key].joint)
		return archive_config_set(config, key, value);
	both = dkt__format("%s%c%s", config->value[key], keys[key].joint, value);
	if (!both)
		return -ENOMEM;
	free(config->value[key]);
	config->value[key] = both;
	return 0;
}

void archive_config_clear(struct archive_config *config)
{
	for (size_t i = 0; i < ARCHIVE_KEYS; i++)
		free(config->value[i]);
	*config = (struct archive_config){ 0 };
}

/* ---- the file ---- */

static int find_key(const char *name)
{
	int key = 0;

	while (key < ARCHIVE_KEYS && strcmp(keys[key].name, name) != 0)
		key++;
	return key;
}

static int parse_line(struct dkt_ctx *ctx, char *line, struct archive_config *config)
{
	char *value = line + strcspn(line, " \t"), *end = line + strlen(line);
	int key;

	while (end > value && strchr(" \t", end[-1]))
		*--end = '\0';
	if (*value)
		*value++ = '\0';
	value += strspn(value, " \t");
	key = find_key(line);
	if (key == ARCHIVE_KEYS)
		return dkt_fail(ctx, -EINVAL, "'%s' is not a setting of the daemon", line);
	if (!*value && key != ARCHIVE_CHILDREN)
		return dkt_fail(ctx, -EINVAL, "'%s' has no value", line);
	for (const char *p = value; *p; p++)
		if (((unsigned char)*p < ' ' && *p != '\t') || *p == 0x7f)
			return dkt_fail(ctx, -EINVAL, "'%s' has a control character", line);
	return dkt__with_words(ctx, archive_config_add(config, key, value));
}

int archive_config_parse(struct dkt_ctx *ctx, char *text, struct archive_config *config)
{
	char *line;
	int number = 0, err = 0;

	while (!err && (line = strsep(&text, "\n"))) {
		number++;
		line += strspn(line, " \t");
		if (*line && *line != '#')
			err = parse_line(ctx, line, config);
		if (err)
			err = dkt__fail_in(ctx, err, "line %d", number);
	}
	return err;
}

int archive_config_read(struct dkt_ctx *ctx, const char *path, struct archive_config *config)
{
	char *text __cleanup(free) = NULL;
	size_t len;
	int err = dkt__read_file(path, CONFIG_MAX, &text, &len);

	if (err)
		return dkt_fail(ctx, err, "read %s: %s", path, strerror(-err));
	if (strlen(text) != len)
		return dkt_fail(ctx, -EINVAL, "read %s: it is not a text", path);
	err = archive_config_parse(ctx, text, config);
	return err ? dkt__fail_in(ctx, err, "%s", path) : 0;
}

static void print_value(FILE *f, const char *name, const char *value)
{
	const char *end = strchrnul(value, '\n');

	for (; *end; value = end + 1, end = strchrnul(value, '\n'))
		fprintf(f, "%s %.*s\n", name, (int)(end - value), value);
	fprintf(f, "%s %s\n", name, value);
}

int archive_config_write(struct dkt_ctx *ctx, const char *path, const struct archive_config *config)
{
	char *text __cleanup(free) = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	int err;

	for (size_t i = 0; f && i < ARCHIVE_KEYS; i++)
		if (config->value[i])
			print_value(f, keys[i].name, config->value[i]);
	err = dkt__text_end(f, 0, &text);
	if (!err)
		err = dkt__replace_file(path, text, len, false);
	return err ? dkt_fail(ctx, err, "write %s: %s", path, strerror(-err)) : 0;
}

/* ---- what it says ---- */

static int get_size(struct dkt_ctx *ctx, const struct archive_config *config, enum archive_key key,
		    uint64_t least, uint64_t *bytes)
{
	const char *text = config->value[key];

	if (!text || (!dkt__parse_size(text, bytes) && *bytes >= least))
		return 0;
	return dkt_fail(ctx, -EINVAL, "--%s: '%s' is not a size such as 100M, of at least %llu",
			keys[key].name, text, (unsigned long long)least);
}

static int get_time(struct dkt_ctx *ctx, const struct archive_config *config, enum archive_key key,
		    uint64_t *ns)
{
	const char *text = config->value[key];

	if (!text || (!dkt__parse_time(text, DKT__NSEC_PER_SEC, ns) && *ns >= DKT__NSEC_PER_SEC))
		return 0;
	return dkt_fail(
		ctx, -EINVAL,
		"--%s: '%s' is not a time such as 30m or 7d, of 1 s or more" DKT__TIME_UNITS,
		keys[key].name, text);
}

int archive_config_limits(struct dkt_ctx *ctx, const struct archive_config *config,
			  struct archive_limits *limits)
{
	const char *compression = config->value[ARCHIVE_COMPRESSION];
	int err;

	*limits = (struct archive_limits){ .segment_size = SEGMENT_SIZE,
					   .segment_time = SEGMENT_TIME,
					   .compression = compression ? compression : "zstd" };
	err = get_size(ctx, config, ARCHIVE_BUFFER_SIZE, 1, &limits->buffer);
	if (!err)
		err = get_size(ctx, config, ARCHIVE_SEGMENT_SIZE, SEGMENT_LEAST,
			       &limits->segment_size);
	if (!err)
		err = get_time(ctx, config, ARCHIVE_SEGMENT_TIME, &limits->segment_time);
	if (!err)
		err = get_size(ctx, config, ARCHIVE_MAX_SIZE, 1, &limits->max_size);
	if (!err)
		err = get_time(ctx, config, ARCHIVE_KEEP, &limits->keep);
	if (!err && strcmp(limits->compression, "zstd") != 0 &&
	    strcmp(limits->compression, "zlib") != 0 && strcmp(limits->compression, "none") != 0)
		err = dkt_fail(ctx, -EINVAL, "--compression: '%s' is not zstd, zlib or none",
			       limits->compression);
	return err;
}

struct wanted_words archive_config_words(const struct archive_config *config, const char *owner)
{
	char *const *value = config->value;

	return (struct wanted_words){ .classes = value[ARCHIVE_CLASS],
				      .subsystems = value[ARCHIVE_SUBSYSTEM],
				      .events = value[ARCHIVE_EVENT],
				      .filter = value[ARCHIVE_FILTER],
				      .comms = value[ARCHIVE_COMM],
				      .pids = value[ARCHIVE_PID],
				      .children = value[ARCHIVE_CHILDREN] != NULL,
				      .cpus = value[ARCHIVE_CPU],
				      .stacks = value[ARCHIVE_STACK],
				      .probes = value[ARCHIVE_PROBE],
				      .owner = owner };
}

bool archive_config_chooses(const struct archive_config *config)
{
	return config->value[ARCHIVE_CLASS] || config->value[ARCHIVE_EVENT] ||
	       config->value[ARCHIVE_PROBE];
}
