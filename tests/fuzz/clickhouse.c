/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzzes what a server answers to load, as HTTP: heads, chunks, rows and exceptions. The input is a byte, 'p' to try
 * again after errors, and answers between the words %%%%: each statement gets the next one, and the last one is for
 * all others and for insertions. One that does not begin as HTTP is the body of an answer.
 */
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>

#include "answers/load/load.h"
#include "tests/fuzz/made_records.h"

#define BETWEEN "%%%%"

/* A request is no longer: of few rows, and a statement that creates a table. */
#define REQUEST_MOST (1u << 20)

struct fake {
	int fd; /* listens */
	pthread_t thread;
	char url[48];
	char request[REQUEST_MOST + 1];
	const char *at, *end; /* the rest of the answers */
};

struct room {
	struct dkt_ctx *ctx;
	struct dkt_source *source;
	struct pipeline pipeline;
	struct load *load;
	int err;
};

/* ---- the server ---- */

/* Reads a request with its body. False: the connection has ended. */
static bool read_request(struct fake *fake, int fd)
{
	size_t n = 0, wanted = 0;
	ssize_t got;

	while (!wanted || n < wanted) {
		const char *body, *length;

		got = read(fd, fake->request + n, REQUEST_MOST - n);
		if (got <= 0)
			return false;
		n += (size_t)got;
		fake->request[n] = '\0';
		body = wanted ? NULL : strstr(fake->request, "\r\n\r\n");
		if (!body)
			continue;
		length = strstr(fake->request, "Content-Length: ");
		must(length && length < body);
		wanted = (size_t)(body + 4 - fake->request) + strtoul(length + 16, NULL, 10);
		must(wanted <= REQUEST_MOST);
	}
	return true;
}

static void send_all(int fd, const char *bytes, size_t n)
{
	while (n) {
		const ssize_t sent = send(fd, bytes, n, MSG_NOSIGNAL);

		if (sent <= 0)
			return;
		bytes += sent;
		n -= (size_t)sent;
	}
}

/* Returns the answer to a statement, up to *end. */
static const char *choose(struct fake *fake, const char **end)
{
	const bool inserts = strstr(fake->request, "query=INSERT");
	const char *at = fake->at, *next;

	while ((next = memmem(at, (size_t)(fake->end - at), BETWEEN, strlen(BETWEEN))) && inserts)
		at = next + strlen(BETWEEN);
	*end = next ? next : fake->end;
	if (next)
		fake->at = next + strlen(BETWEEN);
	return at;
}

static void answer(struct fake *fake, int fd)
{
	static const char http[] = "HTTP/";
	const char *end, *at = choose(fake, &end);
	const size_t len = (size_t)(end - at);
	char head[64];

	snprintf(head, sizeof(head), "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n", len);
	if (len < strlen(http) || memcmp(at, http, strlen(http)) != 0)
		send_all(fd, head, strlen(head));
	send_all(fd, at, len);
}

static void *serve(void *data)
{
	struct fake *fake = data;

	int fd;

	while ((fd = accept4(fake->fd, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
		if (read_request(fake, fd))
			answer(fake, fd);
		close(fd);
	}
	return NULL;
}

static void start_server(struct fake *fake)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(address);

	fake->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	must(fake->fd > 0 && !bind(fake->fd, (const struct sockaddr *)&address, len) &&
	     !listen(fake->fd, 16) && !getsockname(fake->fd, (struct sockaddr *)&address, &len));
	snprintf(fake->url, sizeof(fake->url), "http://127.0.0.1:%d/d", ntohs(address.sin_port));
	must(!pthread_create(&fake->thread, NULL, serve, fake));
}

/* A client that has seen enough does not wait for the end of its answer. */
static void end_server(struct fake *fake)
{
	must(!shutdown(fake->fd, SHUT_RDWR) && !pthread_join(fake->thread, NULL) &&
	     !close(fake->fd));
}

/* ---- the load ---- */

static void open_file(struct room *room)
{
	DKT_OPTS(dkt_source_opts, opts, .name = "text", .formats = FORMATS);
	int fd = open_text();

	opts.fd = fd + 1;
	must(!dkt_ctx_new(NULL, &room->ctx) &&
	     !dkt_source_open(room->ctx, "text", &opts, &room->source));
	close(fd);
	must(!dkl_pipeline_init(&room->pipeline, room->ctx, 1));
	dkl_pipeline_add(&room->pipeline, room->ctx, room->source, "text");
	room->pipeline.source = room->source;
	must(!dkl_pipeline_find_clocks(&room->pipeline));
}

static void take(void *to, const struct dkt_record *record)
{
	struct room *room = to;

	if (!room->err)
		room->err = load_add(room->load, 0, room->source, record);
}

static void load(struct room *room, const struct load_opts *opts)
{
	static const uint8_t records[HEAD] = { 1 };
	struct dkt_event *const *events;
	struct load_sum sum;
	size_t n;

	must(!dkt_events(room->ctx, &events, &n) && n);
	room->err = load_new(&room->pipeline, opts, &room->load);
	/* Another process runs this, too. */
	while (room->err == -EBUSY && strstr(dkt_error(room->ctx), "another dktrace") &&
	       !usleep(1000)) {
		load_free(room->load);
		room->err = load_new(&room->pipeline, opts, &room->load);
	}
	if (!room->err && !load_is_done(room->load))
		make_records(records, sizeof(records), events, n, take, room);
	if (!room->err)
		room->err = load_finish(room->load, &sum);
	/* An error has words, and all of them. */
	must(!room->err || (*dkt_error(room->ctx) && !strstr(dkt_error(room->ctx), "(null)")));
	load_free(room->load);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fake fake;
	const struct pipeline_absent absent[] = { { "a.dat", "a", "no answer", 12 },
						  { "b.dat", "b", "no answer", 13 } };
	const struct load_source source = { "text", 11 };
	struct load_opts opts = { .url = fake.url, .plain = true, .limit = 600, .sources = &source };
	struct room room = { 0 };

	if (!size)
		return 0;
	opts.patience = data[0] == 'p' ? 0.001 : 0;
	fake.at = (const char *)data + 1;
	fake.end = (const char *)data + size;
	start_server(&fake);
	open_file(&room);
	room.pipeline.absent = absent;
	room.pipeline.n_absent = ARRAY_SIZE(absent);
	load(&room, &opts);
	end_server(&fake);
	dkl_pipeline_clear(&room.pipeline);
	dkt_source_close(room.source);
	dkt_ctx_free(room.ctx);
	return 0;
}
