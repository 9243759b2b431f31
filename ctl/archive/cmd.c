/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* archive: packs the programs and debug information that a recording names by build ID, as perf archive does. */
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>

#include "compat/io/output.h"
#include "ctl/app/commands.h"
#include "ctl/app/groups.h"
#include "ctl/app/print.h"
#include "ctl/archive/servers.h"
#include "ctl/archive/tar.h"
#include "ctl/input/inputs.h"
#include "lib/base/buf.h"
#include "lib/base/io.h"
#include "lib/base/stop.h"
#include "lib/inside/code.h"

struct archive_options {
	bool debuginfod;
};

OPT_OWN(archive,
	{ "debuginfod", 0, NULL, AT(archive, debuginfod), "ask the servers of $DEBUGINFOD_URLS for what is not here", .flags = OPT_SERVERS },
	{ "output", 'o', "FILE", AT_APP(output), "write FILE (default: the name of the recording and .tar.gz)" },
);

/* Larger files are not packed. */
#define BYTES_MAX (UINT64_C(2) << 30)
#define NAMES_MAX (64u << 20)

/* Two digits for each byte of a build ID. */
#define DIGITS_MAX 64

struct pack {
	struct app *app;
	struct tar tar;
	struct servers servers;
	struct rows *rows;
	uint64_t packed, missing, bytes;
};

/* A file of the recording, while it is packed. */
struct item {
	const struct dkt__recorded *recorded;
	char digits[DIGITS_MAX + 1];
	char *dir; /* in the archive: "usr/bin/dd/831b81..." */
	char *parts; /* "elf, debug" */
	char *reason; /* why it, or a part of it, is missing */
	uint64_t bytes;
};

static void dkt__itemp(struct item *item)
{
	free(item->dir);
	free(item->parts);
	free(item->reason);
}

/* ---- names ---- */

/* False for a name that would lead out of the directory where it is unpacked, or cannot be told on a line. */
static bool is_safe(const char *path)
{
	for (const char *p = path; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			return false;
	return !strstr(path, "/../") && !strstr(path, "/./") && !strstr(path, "//") &&
	       strncmp(path, "../", 3) != 0;
}

static int name_item(struct item *item)
{
	const struct dkt__recorded *recorded = item->recorded;

	for (size_t i = 0; i < recorded->n_build && i < DIGITS_MAX / 2; i++)
		snprintf(item->digits + 2 * i, 3, "%02x", recorded->build[i]);
	item->dir = dkt__format("%s/%s", recorded->path + (recorded->path[0] == '/'), item->digits);
	return item->dir ? 0 : -ENOMEM;
}

static int add_part(struct item *item, const char *part, uint64_t bytes)
{
	char *parts = item->parts ? dkt__format("%s, %s", item->parts, part) : strdup(part);

	free(item->parts);
	item->parts = parts;
	item->bytes += bytes;
	return parts ? 0 : -ENOMEM;
}

/* The first reason counts. */
static int give_reason(struct item *item, char *reason)
{
	if (!reason)
		return -ENOMEM;
	if (item->reason)
		free(reason);
	else
		item->reason = reason;
	return 0;
}

/* ---- files ---- */

static int pack_bytes(struct pack *pack, struct item *item, const char *part, const char *bytes,
		      size_t n)
{
	char *name __cleanup(free) = dkt__format("%s/%s", item->dir, part);

	if (!name)
		return -ENOMEM;
	tar_file(&pack->tar, name, n, 0);
	tar_write(&pack->tar, bytes, n);
	tar_file_end(&pack->tar, n);
	return add_part(item, part, n);
}

/* A file that becomes shorter meanwhile ends in zeroes, and counts as missing. */
static int copy_file(struct pack *pack, struct item *item, int fd, const char *path, uint64_t size)
{
	char *bytes __cleanup(free) = malloc(1 << 20);
	ssize_t n = 1;
	int err = bytes ? 0 : -ENOMEM;

	for (uint64_t at = 0; !err && at < size && !pack->tar.err; at += (uint64_t)n) {
		const size_t part = (size_t)DKT__MIN(size - at, UINT64_C(1) << 20);

		n = n > 0 ? dkt__pread_all(fd, bytes, part, at) : 0;
		if (n <= 0) {
			memset(bytes, 0, part);
			err = give_reason(item, dkt__format("%s changes", path));
			tar_write(&pack->tar, bytes, part);
			n = 0;
			at += part;
		} else {
			tar_write(&pack->tar, bytes, (size_t)n);
		}
	}
	return err;
}

/* Looks again whether it is the recorded file: nothing else may come into the archive. */
static int pack_open(struct pack *pack, struct item *item, const char *part, int fd,
		     const char *path)
{
	char *name __cleanup(free) = dkt__format("%s/%s", item->dir, part);
	struct stat st;
	int err;

	if (!name)
		return -ENOMEM;
	if (fstat(fd, &st))
		return give_reason(item, dkt__format("open %s: %s", path, strerror(errno)));
	if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size > BYTES_MAX ||
	    !dkt__build_id_is(fd, item->recorded->build, item->recorded->n_build))
		return give_reason(item, dkt__format("%s is not a file of that build ID", path));
	tar_file(&pack->tar, name, (uint64_t)st.st_size, st.st_mtime);
	err = copy_file(pack, item, fd, path, (uint64_t)st.st_size);
	tar_file_end(&pack->tar, (uint64_t)st.st_size);
	return err ?: add_part(item, part, (uint64_t)st.st_size);
}

static int pack_file(struct pack *pack, struct item *item, const char *part, const char *path)
{
	int fd __cleanup(close) = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return give_reason(item, dkt__format("open %s: %s", path, strerror(errno)));
	return pack_open(pack, item, part, fd, path);
}

/* Asks the servers if the user wants that. It is no failure if they do not have the file. */
static int pack_asked(struct pack *pack, struct item *item, const char *part, const char *what)
{
	int fd __cleanup(close) = -1;

	if (!pack->servers.urls || dkt__stopped())
		return 0;
	fd = servers_get(&pack->servers, item->digits, what, BYTES_MAX);
	if (fd == -ENOENT || fd == -ENOMEM)
		return fd == -ENOENT ? 0 : fd;
	if (fd < 0)
		return give_reason(item, strdup(dkt_error(pack->app->ctx)));
	return pack_open(pack, item, part, fd, "what a server has sent");
}

/* The addresses are hidden from those who may not see them. */
static bool has_addresses(const char *names)
{
	return names[strspn(names, "0")] != ' ' || strstr(names, "\nffff");
}

static int pack_names(struct pack *pack, struct item *item, const char *path)
{
	char *names __cleanup(free) = NULL;
	size_t n;
	int err = dkt__read_file(path, NAMES_MAX, &names, &n);

	if (err)
		return give_reason(item, dkt__format("read %s: %s", path, strerror(-err)));
	if (!has_addresses(names))
		return give_reason(item, dkt__format("%s hides the addresses", path));
	return pack_bytes(pack, item, "kallsyms", names, n);
}

static int pack_program(struct pack *pack, struct item *item)
{
	const struct dkt__recorded *recorded = item->recorded;
	int err = recorded->file ? pack_file(pack, item, "elf", recorded->file) :
				   pack_asked(pack, item, "elf", "executable");

	if (!err && item->parts && recorded->debug)
		return pack_file(pack, item, "debug", recorded->debug);
	return err ?: pack_asked(pack, item, "debug", "debuginfo");
}

static int pack_parts(struct pack *pack, struct item *item)
{
	const struct dkt__recorded *recorded = item->recorded;
	int err = 0;

	if (!is_safe(recorded->path))
		return give_reason(item, strdup("no archive can have such a name"));
	if (recorded->several)
		return give_reason(item, strdup("different files had this path"));
	if (!recorded->n_build)
		return give_reason(item, strdup("the recording does not have its build ID"));
	if (recorded->kind == DKT__RECORDED_VDSO && recorded->data)
		return pack_bytes(pack, item, "vdso", recorded->data, recorded->size);
	if (recorded->file && recorded->kind == DKT__RECORDED_KERNEL)
		return pack_names(pack, item, recorded->file);
	if (recorded->kind != DKT__RECORDED_KERNEL && (recorded->file || pack->servers.urls))
		err = pack_program(pack, item);
	if (!err && !item->parts)
		err = give_reason(item, strdup(pack->servers.urls ?
						       "neither this machine nor a server has it" :
						       "no file of that build ID is here"));
	return err;
}

/* The link by which a build ID is found: ../../usr/bin/dd/831b81... */
static int pack_link(struct pack *pack, const struct item *item)
{
	char *name __cleanup(free) =
		dkt__format(".build-id/%.2s/%s", item->digits, item->digits + 2);
	char *target __cleanup(free) = dkt__format("../../%s", item->dir);

	if (!name || !target)
		return -ENOMEM;
	tar_link(&pack->tar, name, target);
	return 0;
}

static int pack_one(struct pack *pack, const struct dkt__recorded *recorded)
{
	struct item item __cleanup(item) = { .recorded = recorded };
	int err = name_item(&item);

	if (!err)
		err = pack_parts(pack, &item);
	if (!err && item.parts)
		err = pack_link(pack, &item);
	pack->packed += item.parts != NULL;
	pack->missing += item.reason != NULL;
	pack->bytes += item.bytes;
	rows_add(pack->rows, val_text(recorded->path), val_words(item.digits), val_text(item.parts),
		 item.parts ? val_number(item.bytes) : NULL, val_text(item.reason));
	return err;
}

/* ---- the recording ---- */

static int pack_all(struct pack *pack, struct dkt_source *source)
{
	struct dkt__recorded recorded;
	int err = 0;

	for (size_t i = 0; !err && !(err = dkt__source_recorded(source, i, &recorded)); i++)
		err = pack_one(pack, &recorded);
	return DKT__MIN(err, 0);
}

/* Names are looked up in the programs that samples are in: then these are known. */
static int look(void *data, struct dkt_source *source, const struct dkt_record *record)
{
	(void)data;
	(void)source;
	(void)record;
	return 0;
}

static int write_archive(struct pack *pack, struct inputs *in, struct outfile *file)
{
	struct dkt_ctx *ctx = pack->app->ctx;
	int failed, err = tar_begin(&pack->tar, file->fd);

	if (!err)
		err = pack_all(pack, in->pipeline.source);
	failed = tar_end(&pack->tar);
	if (err == -ENOMEM)
		return dkt_fail(ctx, err, "out of memory");
	if (!err && failed)
		return dkl_full_fail(ctx, failed, file->path);
	if (!err && !pack->packed)
		return dkt_fail(ctx, -ENOENT,
				"%s: no file of its build IDs is here; nothing was written",
				in->files[0].path);
	return err ?: dkl_outfile_commit(file);
}

static int show(struct pack *pack, const struct outfile *file)
{
	struct out out;

	print_begin(pack->app, &out, 0);
	out_put(&out, "archive", val_text(file->path));
	out_rows(&out, pack->rows);
	out_put(&out, "packed", val_number(pack->packed));
	out_put(&out, "missing", val_number(pack->missing));
	if (out.form == OUT_TEXT)
		putchar('\n');
	out_line(&out, "",
		 "%s: %" PRIu64 " packed, %" PRIu64 " missing. Where it is to be read:", file->path,
		 pack->packed, pack->missing);
	out_line(&out, "", "mkdir -p ~/.debug && tar xf %s -C ~/.debug", file->path);
	return out_end(&out);
}

static int run(struct pack *pack, struct inputs *in, struct record_args *args)
{
	static const struct column columns[] = {
		{ .key = "file" },
		{ .key = "build_id", .flags = COL_DATA },
		{ .key = "packed" },
		{ .key = "bytes", .type = COL_BYTES, .heading = "SIZE" },
		{ .key = "missing", .flags = COL_FOLD },
	};
	struct app *app = pack->app;
	struct outfile file = { .fd = -1, .placer = &app->placer };
	int err = dkl_outfile_open(app->ctx, app->output, true, &file);

	pack->rows = rows_new("files", columns, ARRAY_SIZE(columns));
	if (!err)
		err = dkl_outfile_check_input(&file, in->files[0].path);
	if (!err)
		err = inputs_open_all(in, args);
	if (!err)
		err = inputs_each(in, look, NULL);
	if (!err)
		err = write_archive(pack, in, &file);
	if (err) {
		rows_free(pack->rows);
		app_fail(app);
	} else {
		err = show(pack, &file);
		print_output(&file);
	}
	dkl_outfile_close(&file);
	if (err && err != -EIO)
		return EXIT_FAILED;
	return pack->missing ? EXIT_LOST : 0;
}

int cmd_archive(struct app *app, int argc, char **argv)
{
	struct pack pack = { .app = app };
	struct record_args args;
	struct inputs in = { 0 };
	int rc = record_args_read(app, &args);

	(void)argc;
	if (!rc)
		rc = inputs_new(app, argv + 1, 1, &in);
	args.once = true;
	dkt__stop_on_end();
	if (!rc && OPT(app, archive)->debuginfod && servers_begin(app->ctx, &pack.servers))
		rc = app_fail(app);
	if (!rc)
		rc = run(&pack, &in, &args);
	servers_clear(&pack.servers);
	inputs_clear(&in);
	record_args_clear(&args);
	return rc;
}
