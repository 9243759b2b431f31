/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes the page: a template with the style, the scripts and the data in their places. */
#include <inttypes.h>
#include <sys/random.h>

#include "ctl/out/json.h"
#include "ctl/view/assets.h"
#include "ctl/view/view.h"

struct page {
	FILE *f;
	char nonce[33];
	const char *title;
	const char *data;
};

/* Text for an element, or for a quoted attribute. */
static void put_html(const struct page *page, const char *text)
{
	for (; *text; text++) {
		if (strchr("<>&\"'", *text))
			fprintf(page->f, "&#%d;", *text);
		else
			fputc(*text, page->f);
	}
}

/* JSON has these characters only in strings. The parser of HTML looks for </script> and <!--. */
static void put_data(const struct page *page, const char *json)
{
	for (; *json; json++) {
		if (strchr("<>&", *json))
			fprintf(page->f, "\\u%04x", *json);
		else
			fputc(*json, page->f);
	}
}

static void put_part(const struct page *page, const char *name, size_t len)
{
	const struct {
		const char *name;
		enum view_asset_nr nr;
	} assets[] = { { "STYLE", VIEW_STYLE }, { "D3", VIEW_D3 }, { "SCRIPT", VIEW_SCRIPT } };

	for (size_t i = 0; i < ARRAY_SIZE(assets); i++) {
		struct view_asset asset = view_asset(assets[i].nr);

		if (!strncmp(name, assets[i].name, len) && !assets[i].name[len])
			fwrite(asset.text, 1, asset.len, page->f);
	}
	if (!strncmp(name, "NONCE", len))
		fputs(page->nonce, page->f);
	else if (!strncmp(name, "TITLE", len))
		put_html(page, page->title);
	else if (!strncmp(name, "DATA", len))
		put_data(page, page->data);
}

/* The template has @@NAME@@ where a part belongs. */
static void put_page(const struct page *page)
{
	struct view_asset template = view_asset(VIEW_PAGE);
	const char *p = template.text, *end = p + template.len, *from, *to;

	while ((from = memmem(p, (size_t)(end - p), "@@", 2)) &&
	       (to = memmem(from + 2, (size_t)(end - from - 2), "@@", 2))) {
		fwrite(p, 1, (size_t)(from - p), page->f);
		put_part(page, from + 2, (size_t)(to - from - 2));
		p = to + 2;
	}
	fwrite(p, 1, (size_t)(end - p), page->f);
}

/* The page only runs scripts with this word, which no text of a trace can know. */
static int make_nonce(struct dkt_ctx *ctx, char nonce[33])
{
	uint64_t words[2];

	if (getrandom(words, sizeof(words), 0) != sizeof(words))
		return dkt_fail(ctx, -EIO, "no random numbers");
	snprintf(nonce, 33, "%016" PRIx64 "%016" PRIx64, words[0], words[1]);
	return 0;
}

int view_write(struct view *view, FILE *f)
{
	struct json_object *data = view_json(view), *title = NULL;
	char *text __cleanup(free) = NULL;
	struct page page = { .f = f };
	size_t len;
	FILE *memory = open_memstream(&text, &len);
	int err = memory ? json_line(data, memory) : -ENOMEM;

	if (memory && fclose(memory))
		err = -ENOMEM;
	if (!err)
		err = make_nonce(view->app->ctx, page.nonce);
	if (!err) {
		json_object_object_get_ex(data, "title", &title);
		page.title = json_object_get_string(title);
		page.data = text;
		put_page(&page);
	}
	json_object_put(data);
	return err == -ENOMEM ? dkt_fail(view->app->ctx, err, "out of memory") : err;
}
