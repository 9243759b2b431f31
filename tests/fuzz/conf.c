/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes the configuration file: its settings can be written and read back. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "compat/set/filters.h"
#include "compat/set/functions.h" /* the library has one of that name */
#include "compat/set/probes/probe_words.h"
#include "compat/set/saved/conf.h"
#include "tests/fuzz/replay.h"

/* An error message begins with FILE:LINE:COLUMN of an existing line. */
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

	while ((line = dkl_conf_next(conf, key, line)))
		n++;
	return n;
}

/* Fewer than there are, and more. */
static void set_lists(struct conf *conf)
{
	char first[] = "a b", second[] = "c d";
	char *values[] = { first, second };

	must(!dkl_conf_set_list(conf, CONF_FILTER, &(struct dkt__strings){ values, 1 }, NULL,
				NULL));
	must(!dkl_conf_set_list(conf, CONF_TRIGGER, &(struct dkt__strings){ values, 2 }, NULL,
				NULL));
	must(count(conf, CONF_FILTER) == 1 && count(conf, CONF_TRIGGER) == 2);
	must(!strcmp(dkl_conf_find(conf, CONF_TRIGGER)->value, "a b"));
}

static void set_again(struct dkt_ctx *ctx, struct conf *conf)
{
	struct conf again;
	size_t i, len;
	char *text;

	for (i = 0; i < conf->n; i++)
		if (conf->lines[i].key && !dkl_conf_is_list(conf->lines[i].key)) {
			char *value = strdup(conf->lines[i].value);

			must(value && !dkl_conf_set(conf, conf->lines[i].key, value));
			must(!strcmp(conf->lines[i].value, value));
			free(value);
		}
	set_lists(conf);
	must(!dkl_conf_set(conf, CONF_INSTANCE, "a name") && !dkl_conf_set(conf, "printk", NULL));
	text = print(conf, &len);
	must(!dkl_conf_parse(ctx, "file", text, len, &again) && again.n == conf->n);
	for (i = 0; i < conf->n; i++) {
		must(conf->lines[i].key == again.lines[i].key);
		must(!conf->lines[i].key || !strcmp(conf->lines[i].value, again.lines[i].value));
	}
	dkl_conf_clear(&again);
	free(text);
}

/* Its options in another order come to the same. */
static void function_again(struct dkt_ctx *ctx, const char *value)
{
	struct settings one = { 0 }, two = { 0 };
	char *line;

	if (!dkl_functions_take(ctx, FUNCTIONS_GRAPH, value, &one)) {
		must(!dkl_functions_line(&one, FUNCTIONS_GRAPH, &line));
		must(!line || !dkl_functions_take(ctx, FUNCTIONS_GRAPH, line, &two));
		must(!line || two.functions.tracer);
		free(line);
	}
	dkl_settings_clear(&one);
	dkl_settings_clear(&two);
}

static void read_words(struct dkt_ctx *ctx, const struct conf *conf)
{
	struct settings set = { 0 };
	struct probe_words words;
	size_t i;

	for (i = 0; i < conf->n; i++) {
		const char *value = conf->lines[i].value;

		if (!conf->lines[i].key)
			continue;
		must(dkl_probe_words_read(ctx, value, &words) || *words.place);
		dkl_probe_words_clear(&words);
		function_again(ctx, value);
		dkl_filters_take_pids(ctx, value, &set);
	}
	dkl_settings_clear(&set);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dkt_ctx *ctx = NULL;
	struct conf conf;
	int err;

	must(!dkt_ctx_new(NULL, &ctx));
	err = dkl_conf_parse(ctx, "file", (const char *)data, size, &conf);
	if (err)
		check_words(dkt_error(ctx), &conf);
	read_words(ctx, &conf);
	if (!err)
		set_again(ctx, &conf);
	dkl_conf_clear(&conf);
	dkt_ctx_free(ctx);
	return 0;
}
