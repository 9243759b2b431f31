/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the calls of libcurl by name. */
#include "answers/load/curl.h"

#include <dlfcn.h>

#include "lib/base/library.h"

int curl_load(struct dkt_ctx *ctx, struct curl *curl)
{
	const struct dkt__call table[] = {
		{ "curl_easy_init", &curl->easy_init },
		{ "curl_easy_cleanup", &curl->easy_cleanup },
		{ "curl_easy_setopt", &curl->easy_set },
		{ "curl_easy_getinfo", &curl->easy_get },
		{ "curl_easy_perform", &curl->easy_perform },
		{ "curl_easy_strerror", &curl->easy_strerror },
		{ "curl_easy_escape", &curl->easy_escape },
		{ "curl_free", &curl->free },
		{ "curl_slist_append", &curl->slist_append },
		{ "curl_slist_free_all", &curl->slist_free_all },
		{ "curl_url", &curl->url },
		{ "curl_url_cleanup", &curl->url_cleanup },
		{ "curl_url_get", &curl->url_get },
		{ "curl_url_set", &curl->url_set },
	};
	const char *missing;

	/* It stays in memory: what it starts in other libraries may run until the process ends. */
	curl->library = dlopen(LIBCURL, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (!curl->library)
		return dkt_fail(ctx, -EOPNOTSUPP,
				"a server is reached with libcurl, which cannot be loaded; install"
				" it (%s)",
				dlerror());
	missing = dkt__find_calls(curl->library, table, ARRAY_SIZE(table));
	return missing ? dkt_fail(ctx, -EOPNOTSUPP, "%s has no %s", LIBCURL, missing) : 0;
}
