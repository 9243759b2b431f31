/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* archive: asks servers for programs and debug information by build ID, by the protocol of debuginfod(8). */
#include "ctl/archive/servers.h"

#include <dlfcn.h>

#include "lib/base/buf.h"
#include "lib/base/memory.h"
#include "lib/base/stop.h"
#include "lib/base/temporary.h"

/* As debuginfod's own client: a server that sends fewer bytes in so many seconds is given up. */
#define SLOW_BYTES   (100L << 10)
#define SLOW_SECONDS 90L

/* An address of another kind would read files of this machine. */
static int check_urls(struct dkt_ctx *ctx, const char *urls)
{
	for (const char *url = urls + strspn(urls, " "); *url; url += strspn(url, " ")) {
		const int len = (int)strcspn(url, " ");

		if (strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0)
			return dkt_fail(
				ctx, -EINVAL,
				"DEBUGINFOD_URLS: '%.*s' does not begin with http:// or https://",
				len, url);
		url += len;
	}
	return 0;
}

int servers_begin(struct dkt_ctx *ctx, struct servers *servers)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	int err;

	*servers = (struct servers){ .ctx = ctx };
	if (!urls || !urls[strspn(urls, " ")])
		return dkt_fail(ctx, -EINVAL,
				"--debuginfod: DEBUGINFOD_URLS is not set; set it to the addresses"
				" of the servers");
	err = check_urls(ctx, urls);
	if (err)
		return err;
	servers->urls = strdup(urls);
	return servers->urls ? curl_load(ctx, &servers->curl) : dkt__no_memory(ctx);
}

void servers_clear(struct servers *servers)
{
	free(servers->urls);
	if (servers->curl.library)
		dlclose(servers->curl.library);
	*servers = (struct servers){ 0 };
}

/* ---- a file ---- */

struct got {
	int fd;
	uint64_t size, most;
	bool large; /* it is larger */
	int err; /* of writing */
};

static size_t write_part(char *bytes, size_t size, size_t n, void *data)
{
	struct got *got = data;

	(void)size;
	got->large = n > got->most - got->size;
	if (got->large || dkt__stopped())
		return 0;
	got->err = dkt__write_all(got->fd, bytes, n);
	got->size += got->err ? 0 : n;
	return got->err ? 0 : n;
}

/* Also called while nothing comes. */
static int look(void *data, curl_off_t total, curl_off_t now, curl_off_t to_send, curl_off_t sent)
{
	(void)data;
	(void)total;
	(void)now;
	(void)to_send;
	(void)sent;
	return dkt__stopped() != 0;
}

static int set_up(const struct curl *curl, CURL *easy, const char *url, struct got *got)
{
	const curl_write_callback write = write_part;
	const curl_xferinfo_callback progress = look;
	int code = 0;

	code |= (int)curl->easy_set(easy, CURLOPT_URL, url);
	code |= (int)curl->easy_set(easy, CURLOPT_FOLLOWLOCATION, 1L);
	code |= (int)curl->easy_set(easy, CURLOPT_MAXREDIRS, 10L);
	code |= (int)curl->easy_set(easy, CURLOPT_FAILONERROR, 1L);
	code |= (int)curl->easy_set(easy, CURLOPT_NOSIGNAL, 1L);
	code |= (int)curl->easy_set(easy, CURLOPT_LOW_SPEED_LIMIT, SLOW_BYTES / SLOW_SECONDS);
	code |= (int)curl->easy_set(easy, CURLOPT_LOW_SPEED_TIME, SLOW_SECONDS);
	code |= (int)curl->easy_set(easy, CURLOPT_CONNECTTIMEOUT, SLOW_SECONDS);
	code |= (int)curl->easy_set(easy, CURLOPT_NOPROGRESS, 0L);
	code |= (int)curl->easy_set(easy, CURLOPT_XFERINFOFUNCTION, progress);
	code |= (int)curl->easy_set(easy, CURLOPT_WRITEFUNCTION, write);
	code |= (int)curl->easy_set(easy, CURLOPT_WRITEDATA, got);
	return code ? -EOPNOTSUPP : 0;
}

static int failed(const struct servers *servers, const char *url, CURLcode code,
		  const struct got *got)
{
	if (code == CURLE_HTTP_RETURNED_ERROR)
		return -ENOENT;
	if (dkt__stopped())
		return dkt_fail(servers->ctx, -EINTR, "%s: stopped", url);
	if (got->err)
		return dkt_fail(servers->ctx, got->err, "write into %s: %s", dkt__temporary_dir(),
				strerror(-got->err));
	if (got->large)
		return dkt_fail(servers->ctx, -EFBIG, "%s: the file is larger than %llu bytes", url,
				(unsigned long long)got->most);
	return dkt_fail(servers->ctx, -EIO, "%s: %s", url, servers->curl.easy_strerror(code));
}

static int get_from(const struct servers *servers, const char *url, struct got *got)
{
	const struct curl *curl = &servers->curl;
	CURL *easy = curl->easy_init();
	CURLcode code = CURLE_OK;
	int err = easy ? set_up(curl, easy, url, got) : -ENOMEM;

	if (!err)
		code = curl->easy_perform(easy);
	if (!err && code)
		err = failed(servers, url, code, got);
	curl->easy_cleanup(easy);
	return err;
}

/* ---- all servers ---- */

static int get(const struct servers *servers, const char *url, uint64_t most)
{
	struct got got = { .fd = dkt__temporary_file(servers->ctx, dkt__temporary_dir()),
			   .most = most };
	int err = got.fd < 0 ? got.fd : get_from(servers, url, &got);

	if (!err)
		return got.fd;
	if (got.fd >= 0)
		close(got.fd);
	return err;
}

int servers_get(struct servers *servers, const char *digits, const char *part, uint64_t most)
{
	char *urls __cleanup(free) = strdup(servers->urls), *rest = urls, *word;
	int fd, worst = urls ? -ENOENT : -ENOMEM;

	while (worst != -ENOMEM && worst != -EINTR && (word = strsep(&rest, " "))) {
		const bool slash = *word && word[strlen(word) - 1] == '/';
		char *url __cleanup(free) =
			dkt__format("%s%sbuildid/%s/%s", word, slash ? "" : "/", digits, part);

		if (!*word)
			continue;
		fd = url ? get(servers, url, most) : -ENOMEM;
		if (fd >= 0)
			return fd;
		worst = fd == -ENOENT ? worst : fd;
	}
	return worst;
}
