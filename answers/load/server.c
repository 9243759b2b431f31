/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* HTTP by libcurl. */
#include "answers/load/server.h"

#include <dlfcn.h>

#include "lib/base/buf.h"
#include "lib/base/memory.h"
#include "lib/base/stop.h"
#include "lib/base/when.h"

/* Seconds to connect. */
#define CONNECT_SECONDS 10

/* The answer to a question of ours is small, and so is its head. */
#define ANSWER_MOST (64u << 20)
#define HEAD_MOST   (64u << 10)

/* So many bytes must go or come within the limit of time. A few at a time would hold a load for ever. */
#define STEP (64 << 10)

struct link {
	const struct server *server;
	const struct curl *curl;
	CURL *easy;
	struct curl_slist *headers, *squeezed; /* the second for bytes that are compressed */
	struct dkt_buf *url, *answer;
	size_t head; /* bytes of the answer's head */
	char *words;
	uint64_t since; /* when the last step was done, ns */
	curl_off_t passed; /* bytes of both directions then */
	bool late; /* the next step took too long */
	/* The bytes that are sent, and how far. */
	const struct statement_piece *pieces;
	size_t n_pieces, piece, at;
};

/* ---- the address ---- */

static int take_part(const struct curl *curl, CURLU *parts, CURLUPart part, char **to)
{
	char *text = NULL;

	if (curl->url_get(parts, part, &text, CURLU_URLDECODE))
		return 0;
	*to = strdup(text);
	curl->free(text);
	return *to ? 0 : -ENOMEM;
}

static int take_environment(const char *name, char **to)
{
	const char *value = getenv(name);

	if (*to || !value)
		return 0;
	*to = strdup(value);
	return *to ? 0 : -ENOMEM;
}

/* The database is the path without its slash. */
static int take_database(CURLU *parts, struct server *server)
{
	char *path __cleanup(free) = NULL;
	int err = take_part(&server->curl, parts, CURLUPART_PATH, &path);

	if (err || !path || strlen(path) < 2)
		return err;
	server->database = strdup(path + 1);
	return server->database ? 0 : -ENOMEM;
}

static int take_parts(CURLU *parts, struct server *server)
{
	const struct curl *curl = &server->curl;
	char *url = NULL;
	int err = take_part(curl, parts, CURLUPART_USER, &server->user);

	if (!err)
		err = take_part(curl, parts, CURLUPART_PASSWORD, &server->password);
	if (!err)
		err = take_environment("CLICKHOUSE_USER", &server->user);
	if (!err)
		err = take_environment("CLICKHOUSE_PASSWORD", &server->password);
	if (!err)
		err = take_database(parts, server);
	if (err || curl->url_set(parts, CURLUPART_USER, NULL, 0) ||
	    curl->url_set(parts, CURLUPART_PASSWORD, NULL, 0) ||
	    curl->url_set(parts, CURLUPART_PATH, "/", 0) ||
	    curl->url_get(parts, CURLUPART_URL, &url, 0))
		return err ? err : -ENOMEM;
	server->url = strdup(url);
	curl->free(url);
	return server->url ? 0 : -ENOMEM;
}

static int parse(struct dkt_ctx *ctx, const char *url, struct server *server)
{
	const struct curl *curl = &server->curl;
	CURLU *parts = curl->url();
	CURLUcode code = parts ? curl->url_set(parts, CURLUPART_URL, url, 0) : CURLUE_OUT_OF_MEMORY;
	char *query __cleanup(free) = NULL, *scheme __cleanup(free) = NULL;
	int err = 0;

	if (!code)
		err = take_part(curl, parts, CURLUPART_QUERY, &query);
	if (!code && !err)
		err = take_part(curl, parts, CURLUPART_SCHEME, &scheme);
	if (code == CURLUE_OUT_OF_MEMORY)
		err = -ENOMEM;
	else if (code || query || (scheme && strcmp(scheme, "http") && strcmp(scheme, "https")))
		err = dkt_fail(
			ctx, -EINVAL,
			"the address of ClickHouse is http[s]://[USER@]HOST[:PORT][/DATABASE]");
	else if (!err)
		err = take_parts(parts, server);
	curl->url_cleanup(parts);
	return dkt__with_words(ctx, err);
}

int server_parse(struct dkt_ctx *ctx, const char *url, const char *ca, struct server *server)
{
	int err;

	*server = (struct server){ .ca = ca };
	err = curl_load(ctx, &server->curl);
	return err ? err : parse(ctx, url, server);
}

void server_clear(struct server *server)
{
	free(server->url);
	free(server->user);
	free(server->password);
	free(server->database);
	if (server->curl.library)
		dlclose(server->curl.library);
	*server = (struct server){ 0 };
}

bool server_is_here(const struct server *server)
{
	static const char *const hosts[] = { "localhost", "127.", "[::1]" };
	const char *host = strstr(server->url, "//");

	for (size_t i = 0; host && i < ARRAY_SIZE(hosts); i++)
		if (!strncmp(host + 2, hosts[i], strlen(hosts[i])))
			return true;
	return false;
}

/* ---- a connection ---- */

static size_t take_answer(char *bytes, size_t size, size_t n, void *data)
{
	struct link *link = data;

	if (link->answer->len + size * n > ANSWER_MOST)
		return 0;
	dkt__buf_add(link->answer, bytes, size * n);
	return dkt_buf_error(link->answer) ? 0 : size * n;
}

static size_t take_head(char *bytes, size_t size, size_t n, void *data)
{
	struct link *link = data;

	(void)bytes;
	link->head += size * n;
	return link->head > HEAD_MOST ? 0 : size * n;
}

static size_t give_bytes(char *to, size_t size, size_t n, void *data)
{
	struct link *link = data;
	size_t room = size * n, given = 0;

	while (given < room && link->piece < link->n_pieces) {
		const struct statement_piece *piece = &link->pieces[link->piece];
		size_t len = DKT__MIN(room - given, piece->len - link->at);

		if (len)
			memcpy(to + given, (const char *)piece->data + link->at, len);
		given += len;
		link->at += len;
		if (link->at == piece->len) {
			link->piece++;
			link->at = 0;
		}
	}
	return given;
}

/* libcurl begins anew if the server has closed the connection meanwhile. */
static int begin_anew(void *data, curl_off_t offset, int origin)
{
	struct link *link = data;

	if (offset || origin != SEEK_SET)
		return CURL_SEEKFUNC_CANTSEEK;
	link->piece = link->at = 0;
	return CURL_SEEKFUNC_OK;
}

/*
 * A value other than 0 ends the transfer. The bytes are those of the bodies, so that a head has to be whole within
 * the limit, however it comes. They are fewer when libcurl begins anew.
 */
static int look(void *data, curl_off_t to_come, curl_off_t came, curl_off_t to_go, curl_off_t gone)
{
	struct link *link = data;
	const uint64_t now = dkt__monotonic_ns();

	(void)to_come, (void)to_go;
	if (came + gone < link->passed || came + gone - link->passed >= STEP) {
		link->passed = came + gone;
		link->since = now;
	}
	link->late = (double)(now - link->since) / 1e9 > link->server->limit;
	return link->late || dkt__stopped();
}

static int add_header(struct link *link, struct curl_slist **list, const char *name,
		      const char *value)
{
	char *line __cleanup(free) = dkt__format("%s:%s%s", name, *value ? " " : "", value);
	struct curl_slist *more = line ? link->curl->slist_append(*list, line) : NULL;

	if (!more)
		return -ENOMEM;
	*list = more;
	return 0;
}

/* The account is in headers: a URL may be in a log. Without "Expect" there is no wait before the rows. */
static int add_headers(struct link *link, struct curl_slist **list)
{
	const struct server *server = link->server;
	int err = add_header(link, list, "Expect", "");

	if (!err)
		err = add_header(link, list, "Content-Type", "application/octet-stream");
	if (!err && server->user)
		err = add_header(link, list, "X-ClickHouse-User", server->user);
	if (!err && server->password)
		err = add_header(link, list, "X-ClickHouse-Key", server->password);
	return err;
}

static void set_up(struct link *link)
{
	__typeof__(link->curl->easy_set) set = link->curl->easy_set;
	CURL *easy = link->easy;

	set(easy, CURLOPT_POST, 1L);
	set(easy, CURLOPT_NOSIGNAL, 1L);
	set(easy, CURLOPT_TCP_NODELAY, 1L);
	set(easy, CURLOPT_UPLOAD_BUFFERSIZE, 512L << 10);
	set(easy, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_SECONDS);
	set(easy, CURLOPT_WRITEFUNCTION, take_answer);
	set(easy, CURLOPT_WRITEDATA, link);
	set(easy, CURLOPT_HEADERFUNCTION, take_head);
	set(easy, CURLOPT_HEADERDATA, link);
	set(easy, CURLOPT_READFUNCTION, give_bytes);
	set(easy, CURLOPT_READDATA, link);
	set(easy, CURLOPT_SEEKFUNCTION, begin_anew);
	set(easy, CURLOPT_SEEKDATA, link);
	set(easy, CURLOPT_NOPROGRESS, 0L);
	set(easy, CURLOPT_XFERINFOFUNCTION, look);
	set(easy, CURLOPT_XFERINFODATA, link);
	if (link->server->ca)
		set(easy, CURLOPT_CAINFO, link->server->ca);
}

int link_new(const struct server *server, struct link **to)
{
	struct link *link = *to = calloc(1, sizeof(*link));
	int err;

	if (!link)
		return -ENOMEM;
	link->server = server;
	link->curl = &server->curl;
	link->easy = link->curl->easy_init();
	err = link->easy ? dkt_buf_new(&link->answer) : -ENOMEM;
	if (!err)
		err = dkt_buf_new(&link->url);
	if (!err)
		err = add_headers(link, &link->headers);
	if (!err)
		err = add_headers(link, &link->squeezed);
	if (!err)
		err = add_header(link, &link->squeezed, "Content-Encoding", "deflate");
	if (!err)
		set_up(link);
	return err;
}

void link_free(struct link *link)
{
	if (!link)
		return;
	link->curl->easy_cleanup(link->easy);
	link->curl->slist_free_all(link->headers);
	link->curl->slist_free_all(link->squeezed);
	dkt_buf_free(link->url);
	dkt_buf_free(link->answer);
	free(link->words);
	free(link);
}

const char *link_answer(const struct link *link, size_t *len)
{
	return dkt_buf_data(link->answer, len);
}

int link_no_answer(struct link *link)
{
	free(link->words);
	link->words = strdup("it does not answer as ClickHouse does");
	return link->words ? -EPROTO : -ENOMEM;
}

const char *link_words(const struct link *link)
{
	return link->words ? link->words : strerror(ENOMEM);
}

/* ---- statements ---- */

static void put_value(struct link *link, const char *name, const char *value)
{
	char *text = value ? link->curl->easy_escape(link->easy, value, 0) : NULL;

	if (text)
		dkt_buf_printf(link->url, "&%s=%s", name, text);
	link->curl->free(text);
}

static int put_url(struct link *link, const struct statement *statement)
{
	dkt_buf_reset(link->url);
	dkt_buf_printf(link->url, "%s?wait_end_of_query=1", link->server->url);
	put_value(link, "database", link->server->database);
	put_value(link, "query_id", statement->id);
	if (statement->pieces)
		put_value(link, "query", statement->text);
	if (statement->settings)
		dkt_buf_str(link->url, statement->settings);
	dkt__buf_add(link->url, "", 1);
	return dkt_buf_error(link->url);
}

/* The numbers of ClickHouse's errors that a later try may not have. */
bool link_may_pass(long status, const char *answer)
{
	static const int numbers[] = {
		159, /* TIMEOUT_EXCEEDED */
		202, /* TOO_MANY_SIMULTANEOUS_QUERIES */
		209, /* SOCKET_TIMEOUT */
		210, /* NETWORK_ERROR */
		236, /* ABORTED: the server ends */
		241, /* MEMORY_LIMIT_EXCEEDED */
		242, /* TABLE_IS_READ_ONLY: it has no ZooKeeper for now */
		252, /* TOO_MANY_PARTS */
		279, /* ALL_CONNECTION_TRIES_FAILED */
		319, /* UNKNOWN_STATUS_OF_INSERT: ZooKeeper went meanwhile */
		999, /* KEEPER_EXCEPTION */
	};
	int number;

	/* TIMEOUT_EXCEEDED has the status 408 in releases since 2024. */
	if (status < 500 && status != 408)
		return false;
	/* It is of a proxy, if it has no number. */
	if (sscanf(answer, "Code: %d", &number) != 1)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		if (numbers[i] == number)
			return true;
	return false;
}

/* Returns words for an answer whose own do not tell what to do; NULL: others. */
static const char *words_for(const char *answer)
{
	int number;

	if (sscanf(answer, "Code: %d", &number) != 1)
		return NULL;
	/* READONLY, ACCESS_DENIED */
	return number == 164 || number == 497 ?
		       "this user may only read; give one who may create tables and insert rows" :
		       NULL;
}

/* Keeps the first line of the answer as words, without what each exception says. */
static int refused(struct link *link, long status)
{
	char *text __cleanup(free) = dkt__format("%.*s", (int)DKT__MIN(link->answer->len, 4096u),
						 link->answer->data ? link->answer->data : "");
	char *end, *line = text;
	const char *ours;

	if (!text)
		return -ENOMEM;
	ours = words_for(text);
	line[strcspn(line, "\r\n")] = '\0';
	end = strstr(line, ", e.what()");
	if (!end)
		end = strstr(line, " (version ");
	if (end)
		*end = '\0';
	end = strstr(line, "DB::Exception: ");
	if (end)
		line = end + strlen("DB::Exception: ");
	if (ours)
		link->words = dkt__format("%s (%s)", ours, line);
	else
		link->words = *line ? dkt__format("%s", line) :
				      dkt__format("HTTP status %ld", status);
	if (strstr(text, "(0 of them are currently"))
		return -EINPROGRESS;
	if (link_may_pass(status, text))
		return -EAGAIN;
	return status == 401 || status == 403 ? -EACCES : -EPROTO;
}

/* Returns the number of bytes. */
static size_t set_pieces(struct link *link, const struct statement_piece *pieces, size_t n)
{
	size_t len = 0;

	link->pieces = pieces;
	link->n_pieces = n;
	link->piece = link->at = 0;
	for (size_t i = 0; i < n; i++)
		len += pieces[i].len;
	return len;
}

/* True if a later try would end alike: it is another server than the user means, or none of HTTP. */
static bool is_final(CURLcode code)
{
	return code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE ||
	       code == CURLE_UNSUPPORTED_PROTOCOL || code == CURLE_WEIRD_SERVER_REPLY;
}

/* Keeps words for a transfer that failed. */
static int failed(struct link *link, CURLcode code, const char *reason)
{
	/* The answer is longer than ours are. */
	if (code == CURLE_WRITE_ERROR)
		return link_no_answer(link);
	if (code != CURLE_ABORTED_BY_CALLBACK) {
		link->words = strdup(*reason ? reason : link->curl->easy_strerror(code));
		return is_final(code) ? -EPROTO : -EAGAIN;
	}
	link->words = link->late ? dkt__format("it has not answered within %g s, the time of"
					       " --timeout",
					       link->server->limit) :
				   strdup("interrupted");
	return link->late ? -EAGAIN : -EINTR;
}

int link_run(struct link *link, const struct statement *statement)
{
	const struct curl *curl = link->curl;
	const struct statement_piece text = { statement->text, strlen(statement->text) };
	char reason[CURL_ERROR_SIZE] = "";
	CURLcode code;
	long status = 0;

	free(link->words);
	link->words = NULL;
	dkt_buf_reset(link->answer);
	link->head = 0;
	link->passed = 0;
	link->late = false;
	link->since = dkt__monotonic_ns();
	if (put_url(link, statement))
		return -ENOMEM;
	curl->easy_set(link->easy, CURLOPT_URL, link->url->data);
	curl->easy_set(link->easy, CURLOPT_HTTPHEADER,
		       statement->squeezed ? link->squeezed : link->headers);
	curl->easy_set(link->easy, CURLOPT_POSTFIELDSIZE_LARGE,
		       (curl_off_t)set_pieces(link, statement->pieces ? statement->pieces : &text,
					      statement->pieces ? statement->n_pieces : 1));
	curl->easy_set(link->easy, CURLOPT_ERRORBUFFER, reason);
	code = curl->easy_perform(link->easy);
	curl->easy_set(link->easy, CURLOPT_ERRORBUFFER, NULL);
	curl->easy_get(link->easy, CURLINFO_RESPONSE_CODE, &status);
	if (dkt_buf_error(link->answer) || code == CURLE_OUT_OF_MEMORY)
		return -ENOMEM;
	if (code)
		return failed(link, code, reason);
	return status == 200 ? 0 : refused(link, status);
}
