/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A build without libcurl reaches no server. */
#include "answers/load/server.h"

int curl_load(struct dkt_ctx *ctx, struct curl *curl)
{
	(void)curl;
	return dkt_fail(ctx, -EOPNOTSUPP,
			"a server is reached with libcurl, which this dktrace was built without");
}

int server_parse(struct dkt_ctx *ctx, const char *url, const char *ca, struct server *server)
{
	(void)url, (void)ca;
	*server = (struct server){ 0 };
	return curl_load(ctx, &server->curl);
}

void server_clear(struct server *server)
{
	(void)server;
}

bool server_is_here(const struct server *server)
{
	(void)server;
	return false;
}

/* Nothing gets as far as a connection. */
int link_new(const struct server *server, struct link **link)
{
	(void)server;
	*link = NULL;
	return -EOPNOTSUPP;
}

void link_free(struct link *link)
{
	(void)link;
}

int link_run(struct link *link, const struct statement *statement)
{
	(void)link, (void)statement;
	return -EOPNOTSUPP;
}

const char *link_answer(const struct link *link, size_t *len)
{
	(void)link;
	*len = 0;
	return "";
}

int link_no_answer(struct link *link)
{
	(void)link;
	return -EPROTO;
}

const char *link_words(const struct link *link)
{
	(void)link;
	return "";
}
