/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes the configuration file: what it sets can be set again, and reads again as the same. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "conf.h"
#include "replay.h"

static void must(bool good)
{
	if (!good)
		abort();
}

/* The words of a failure say where: FILE:LINE:COLUMN, in a line that there is. */
static void check_words(const char *words, const struct conf *conf)
{
	unsigned int nr, column;

	must(sscanf(words, "file:%u:%u: ", &nr, &column) == 2);
	must(nr && nr <= conf->n && column);
	must(column <= strlen(conf->lines[nr - 1].text) + 1);
}

static char *print(const struct conf *conf, size_t *len)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, len);
	size_t i;

	must(f);
	for (i = 0; i < conf->n; i++)
		fprintf(f, "%s\n", conf->lines[i].text);
	must(!fclose(f));
	return text;
}

static size_t count(const struct conf *conf, const char *key)
{
	const struct conf_line *line = NULL;
	size_t n = 0;

	while ((line = conf_next(conf, key, line)))
		n++;
	return n;
}

/* Fewer than there are, and more. */
static void set_lists(struct conf *conf)
{
	char first[] = "a b", second[] = "c d";
	char *values[] = { first, second };

	must(!conf_set_list(conf, CONF_FILTER, &(struct names){ values, 1 }));
	must(!conf_set_list(conf, CONF_TRIGGER, &(struct names){ values, 2 }));
	must(count(conf, CONF_FILTER) == 1 && count(conf, CONF_TRIGGER) == 2);
	must(!strcmp(conf_find(conf, CONF_TRIGGER)->value, "a b"));
}

static void set_again(struct dkt_ctx *ctx, struct conf *conf)
{
	struct conf again;
	size_t i, len;
	char *text;

	for (i = 0; i < conf->n; i++)
		if (conf->lines[i].key && !conf_is_list(conf->lines[i].key)) {
			char *value = strdup(conf->lines[i].value);

			must(value && !conf_set(conf, conf->lines[i].key, value));
			must(!strcmp(conf->lines[i].value, value));
			free(value);
		}
	set_lists(conf);
	must(!conf_set(conf, CONF_INSTANCE, "a name") && !conf_set(conf, "printk", NULL));
	text = print(conf, &len);
	must(!conf_parse(ctx, "file", text, len, &again) && again.n == conf->n);
	for (i = 0; i < conf->n; i++) {
		must(conf->lines[i].key == again.lines[i].key);
		must(!conf->lines[i].key || !strcmp(conf->lines[i].value, again.lines[i].value));
	}
	conf_clear(&again);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dkt_ctx *ctx = NULL;
	struct conf conf;
	int err;

	must(!dkt_ctx_new(NULL, &ctx));
	err = conf_parse(ctx, "file", (const char *)data, size, &conf);
	if (err)
		check_words(dkt_error(ctx), &conf);
	else
		set_again(ctx, &conf);
	conf_clear(&conf);
	dkt_ctx_free(ctx);
	return 0;
}
