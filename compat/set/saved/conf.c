/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The configuration file: lines of `key = value`, and comments. */
#include "compat/set/saved/conf.h"

#include <ctype.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "compat/io/output.h"
#include "compat/set/param.h"
#include "lib/base/buf.h"
#include "lib/base/io.h"
#include "lib/inside.h"

/* A larger file is not a configuration file. */
#define SIZE_MAX_KB 1024

/* Room for all keys. */
#define KEYS_MAX 32

/* Comment before a line that sets nothing yet. */
#define NOT_YET                                                                                    \
	"# Its object did not exist when this was saved; apply sets it once the object exists."

static const char *const others[] = { CONF_INSTANCE, CONF_REAL_LCTL, CONF_CPUS,  CONF_PIDS,
				      CONF_FUNCTION, CONF_GRAPH,     CONF_PROBE, CONF_EVENT,
				      CONF_FILTER,   CONF_TRIGGER };

const char *dkl_conf_key(size_t i)
{
	return i < ARRAY_SIZE(others) ? others[i] : NULL;
}

static size_t list_keys(const char *keys[KEYS_MAX])
{
	const struct param *param = NULL;
	size_t n;

	for (n = 0; n < ARRAY_SIZE(others); n++)
		keys[n] = others[n];
	while ((param = dkl_param_next(param)) && n < KEYS_MAX)
		keys[n++] = dkl_param_name(param);
	return n;
}

/* ---- reading ---- */

struct reader {
	struct dkt_ctx *ctx;
	struct conf *conf;
	int err; /* the first error */
};

static void refuse(struct reader *r, const struct conf_line *line, const char *at, const char *why)
{
	if (r->err)
		return;
	r->err = dkt_fail(r->ctx, -EINVAL, "%s:%u:%u: %s", r->conf->file, line->nr,
			  (unsigned int)(at - line->text) + 1, why);
}

static void refuse_key(struct reader *r, const struct conf_line *line, const char *at, size_t len)
{
	char *why __cleanup(free) = NULL;
	const char *keys[KEYS_MAX];
	size_t n = list_keys(keys);
	struct dkt__guess guess;

	dkt__guess_start(&guess, at, len);
	for (size_t i = 0; i < n; i++)
		dkt__guess_try(&guess, keys[i]);
	why = dkt__format("unknown setting '%.*s'%s", (int)len, at, dkt__guess_words(&guess));
	refuse(r, line, at, why ? why : strerror(ENOMEM));
}

static const char *find_key(const char *word, size_t len)
{
	const char *keys[KEYS_MAX];
	size_t n = list_keys(keys);

	for (size_t i = 0; i < n; i++)
		if (strlen(keys[i]) == len && !strncmp(keys[i], word, len))
			return keys[i];
	return NULL;
}

static void remove_trailing_spaces(char *text)
{
	size_t len = strlen(text);

	while (len && isspace((unsigned char)text[len - 1]))
		text[--len] = '\0';
}

static const char *skip_spaces(const char *text)
{
	while (isspace((unsigned char)*text))
		text++;
	return text;
}

static void read_pair(struct reader *r, struct conf_line *line)
{
	const char *word = skip_spaces(line->text), *equals, *value;
	const struct conf_line *before;
	size_t len = strcspn(word, " \t=");
	const char *key = find_key(word, len);

	if (!*word || *word == '#')
		return;
	equals = skip_spaces(word + len);
	if (*equals != '=') {
		refuse(r, line, equals, "expected key = value");
		return;
	}
	value = skip_spaces(equals + 1);
	before = key && !dkl_conf_is_list(key) ? dkl_conf_find(r->conf, key) : NULL;
	if (!key)
		refuse_key(r, line, word, len);
	else if (before)
		refuse(r, line, word, "it is already set above");
	else if (!*value)
		refuse(r, line, value, "the value is missing");
	if (!key || before || !*value)
		return;
	line->key = key;
	line->value = value;
	line->column = (unsigned int)(value - line->text) + 1;
}

/* Appends a line. Takes over the text. */
static int add_line(struct conf *conf, char *text)
{
	const struct conf_line line = { .text = text, .nr = (unsigned int)conf->n + 1 };
	int err = text ? dkt__append(conf->lines, conf->n, line) : -ENOMEM;

	if (err)
		free(text);
	return err;
}

/* Adds a line before it is parsed, because dkl_conf_find() looks for keys in all added lines. */
static int read_line(struct reader *r, const char *text, size_t len)
{
	struct conf_line *line;
	int err = add_line(r->conf, strndup(text, len));

	if (err)
		return err;
	line = &r->conf->lines[r->conf->n - 1];
	if (memchr(text, '\0', len)) {
		refuse(r, line, line->text + strlen(line->text), "it has a zero byte");
		return 0;
	}
	remove_trailing_spaces(line->text);
	read_pair(r, line);
	return 0;
}

int dkl_conf_parse(struct dkt_ctx *ctx, const char *file, const char *text, size_t len,
		   struct conf *conf)
{
	struct reader r = { .ctx = ctx, .conf = conf };
	const char *end = text + len, *to;
	int err = 0;

	*conf = (struct conf){ .file = strdup(file) };
	if (!conf->file)
		return -ENOMEM;
	for (; !err && text < end; text = to + 1) {
		to = memchr(text, '\n', (size_t)(end - text));
		to = to ? to : end;
		err = read_line(&r, text, (size_t)(to - text));
	}
	return err ? err : r.err;
}

int dkl_conf_read(struct dkt_ctx *ctx, const char *file, char **text, size_t *len)
{
	int fd __cleanup(close) = open(file, O_RDONLY | O_CLOEXEC);
	int err;

	if (fd < 0)
		return dkt_fail(ctx, -errno, "open %s: %s", file, strerror(errno));
	err = dkt__read_fd(fd, SIZE_MAX_KB * 1024, text, len);
	if (err == -EFBIG)
		return dkt_fail(ctx, err, "%s has more than %d KB", file, SIZE_MAX_KB);
	return err ? dkt_fail(ctx, err, "read %s: %s", file, strerror(-err)) : 0;
}

int dkl_conf_load(struct dkt_ctx *ctx, const char *file, struct conf *conf)
{
	char *text __cleanup(free) = NULL;
	size_t len = 0;
	int err = dkl_conf_read(ctx, file, &text, &len);

	*conf = (struct conf){ 0 };
	return err ? err : dkl_conf_parse(ctx, file, text, len, conf);
}

void dkl_conf_clear(struct conf *conf)
{
	for (size_t i = 0; i < conf->n; i++)
		free(conf->lines[i].text);
	free(conf->lines);
	free(conf->file);
	*conf = (struct conf){ 0 };
}

bool dkl_conf_is_list(const char *key)
{
	return !strcmp(key, CONF_PROBE) || !strcmp(key, CONF_EVENT) || !strcmp(key, CONF_FILTER) ||
	       !strcmp(key, CONF_TRIGGER);
}

static bool is_key(const struct conf_line *line, const char *key)
{
	return line->key && !strcmp(line->key, key);
}

const struct conf_line *dkl_conf_next(const struct conf *conf, const char *key,
				      const struct conf_line *line)
{
	for (size_t i = line ? (size_t)(line - conf->lines) + 1 : 0; i < conf->n; i++)
		if (is_key(&conf->lines[i], key))
			return &conf->lines[i];
	return NULL;
}

const struct conf_line *dkl_conf_find(const struct conf *conf, const char *key)
{
	return dkl_conf_next(conf, key, NULL);
}

/* ---- changing ---- */

static void remove_line(struct conf *conf, size_t i)
{
	free(conf->lines[i].text);
	memmove(&conf->lines[i], &conf->lines[i + 1], (conf->n - i - 1) * sizeof(*conf->lines));
	conf->n--;
}

/* Replaces line i, or appends a line. */
static int set_line(struct conf *conf, size_t i, const char *key, const char *value)
{
	char *text = dkt__format("%s = %s", key, value);
	int err;

	if (!text)
		return -ENOMEM;
	if (i < conf->n) {
		free(conf->lines[i].text);
		conf->lines[i].text = text;
	} else {
		err = add_line(conf, text);
		if (err)
			return err;
	}
	conf->lines[i].key = find_key(key, strlen(key));
	conf->lines[i].value = text + strlen(key) + strlen(" = ");
	conf->lines[i].column = (unsigned int)(strlen(key) + strlen(" = ")) + 1;
	return 0;
}

int dkl_conf_set(struct conf *conf, const char *key, const char *value)
{
	const struct conf_line *line = dkl_conf_find(conf, key);
	size_t i = line ? (size_t)(line - conf->lines) : conf->n;

	if (value)
		return set_line(conf, i, key, value);
	if (line)
		remove_line(conf, i);
	return 0;
}

static int insert_comment(struct conf *conf, size_t at, const char *text)
{
	struct conf_line added;
	int err = add_line(conf, strdup(text));

	if (err)
		return err;
	added = conf->lines[conf->n - 1];
	memmove(&conf->lines[at + 1], &conf->lines[at], (conf->n - 1 - at) * sizeof(*conf->lines));
	conf->lines[at] = added;
	return 0;
}

int dkl_conf_set_list(struct conf *conf, const char *key, const struct dkt__strings *values,
		      bool (*keep)(void *data, const struct conf_line *line), void *data)
{
	size_t done = 0;
	int err = 0;

	for (size_t i = 0; !err && i < conf->n; i++) {
		if (!is_key(&conf->lines[i], key))
			continue;
		if (i && !strcmp(conf->lines[i - 1].text, NOT_YET))
			remove_line(conf, --i);
		if (keep && keep(data, &conf->lines[i]))
			err = insert_comment(conf, i++, NOT_YET);
		else if (done < values->n)
			err = set_line(conf, i, key, values->list[done++]);
		else
			remove_line(conf, i--);
	}
	for (; !err && done < values->n; done++)
		err = set_line(conf, conf->n, key, values->list[done]);
	return err;
}

/* Returns the target of a link; the file itself if it does not exist yet. */
static char *find_target(const char *file)
{
	char *real = realpath(file, NULL);

	return real ? real : errno == ENOENT ? strdup(file) : NULL;
}

static char *directory_of(const char *file)
{
	const char *slash = strrchr(file, '/');

	if (!slash)
		return strdup(".");
	return slash == file ? strdup("/") : strndup(file, (size_t)(slash - file));
}

/* Sets group and mode of an existing file of this user, otherwise mode 0644. */
static int set_mode(int fd, const char *target)
{
	struct stat st;

	if (stat(target, &st) || st.st_uid != geteuid())
		return fchmod(fd, 0644) ? -errno : 0;
	return fchown(fd, (uid_t)-1, st.st_gid) || fchmod(fd, st.st_mode & 0777) ? -errno : 0;
}

static int write_lines(int fd, const struct conf *conf)
{
	FILE *f = fdopen(fd, "w");
	int err;

	if (!f) {
		err = -errno;
		close(fd);
		return err;
	}
	for (size_t i = 0; i < conf->n; i++)
		fprintf(f, "%s\n", conf->lines[i].text);
	err = fflush(f) || fsync(fileno(f)) ? -errno : 0;
	return fclose(f) && !err ? -errno : err;
}

static int replace(struct dkt_ctx *ctx, const char *target, const char *temp, int fd,
		   const struct conf *conf)
{
	char *kept __cleanup(free) = NULL;
	int err = set_mode(fd, target);

	if (err)
		close(fd);
	else
		err = write_lines(fd, conf);
	if (err)
		return dkl_full_fail(ctx, err, target);
	err = dkl_output_keep_old(ctx, target, &kept);
	if (!err && rename(temp, target))
		err = dkt_fail(ctx, -errno, "write %s: %s", target, strerror(errno));
	return err;
}

static int save(struct dkt_ctx *ctx, const struct conf *conf)
{
	char *target __cleanup(free) = find_target(conf->file);
	char *dir __cleanup(free) = target ? directory_of(target) : NULL;
	char *temp __cleanup(free) = target ? dkt__format("%s.XXXXXX", target) : NULL;
	int fd, err;

	if (!target)
		return dkt_fail(ctx, -errno, "write %s: %s", conf->file, strerror(errno));
	if (!dir || !temp)
		return -ENOMEM;
	if (!mkdir(dir, 0755))
		dkt__log(ctx, DKT_LOG_WARN, "the directory %s is new", dir);
	else if (errno != EEXIST)
		return dkt_fail(ctx, -errno, "create %s: %s", dir, strerror(errno));
	fd = mkostemp(temp, O_CLOEXEC);
	if (fd < 0)
		return dkl_full_fail(ctx, -errno, target);
	err = replace(ctx, target, temp, fd, conf);
	if (err)
		unlink(temp);
	return err;
}

int dkl_conf_save(struct dkt_ctx *ctx, const struct conf *conf)
{
	int err = dkl_output_check(ctx, conf->file);

	if (err)
		return dkt__fail_in(ctx, err, "write %s", conf->file);
	return save(ctx, conf);
}
