/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libcurl, which is loaded when it is needed: with the 25 libraries that it needs, it would make each start
 * of the tool three times as long.
 */
#pragma once

#include <dktrace/dktrace.h>

#ifndef LIBCURL

/* A build without it. */
struct curl {
	void *library; /* NULL */
};

#else

#include <curl/curl.h>

/* The calls in use, under their names without "curl_". */
struct curl {
	void *library;
	__typeof__(curl_easy_init) *easy_init;
	__typeof__(curl_easy_cleanup) *easy_cleanup;
	/* Without curl.h's macro no compiler checks the type of the value. */
	CURLcode (*easy_set)(CURL *curl, CURLoption option, ...);
	CURLcode (*easy_get)(CURL *curl, CURLINFO info, ...);
	__typeof__(curl_easy_perform) *easy_perform;
	__typeof__(curl_easy_strerror) *easy_strerror;
	__typeof__(curl_easy_escape) *easy_escape;
	__typeof__(curl_free) *free;
	__typeof__(curl_slist_append) *slist_append;
	__typeof__(curl_slist_free_all) *slist_free_all;
	__typeof__(curl_url) *url;
	__typeof__(curl_url_cleanup) *url_cleanup;
	__typeof__(curl_url_get) *url_get;
	__typeof__(curl_url_set) *url_set;
};

#endif

/* Loads it. Returns 0, or -EOPNOTSUPP with words if it is not installed or was left out of the build. */
int curl_load(struct dkt_ctx *ctx, struct curl *curl);
