/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* device_list, dl, modules: print these lists where there is no lctl of Lustre to call. */
#include <getopt.h>
#include <inttypes.h>

#include "compat/io/say.h"
#include "compat/lctl/cmd.h"
#include "compat/lctl/forward.h"
#include "compat/lctl/real_lctl.h"
#include "compat/lustre/devices.h"
#include "lib/base/buf.h"
#include "lib/base/util.h"

static const struct option names[] = {
	{ "target", no_argument, NULL, 't' },
	{ "yaml", no_argument, NULL, 'y' },
	{ NULL, 0, NULL, 0 },
};

/* Reads the server of a client's device from its parameter; "" if it cannot. */
static void read_target(struct lctl *lctl, const char *type, const char *name, char *target,
			size_t size)
{
	const char *conn = !strcmp(type, "osc") ? "ost_conn_uuid" :
			   !strcmp(type, "mdc") ? "mds_conn_uuid" :
						  NULL;
	char *param __cleanup(free) = conn ? dkt__format("%s/%s/%s", type, name, conn) : NULL;
	char *path __cleanup(free) = NULL;
	FILE *file __cleanup(fclose) = NULL;

	*target = '\0';
	if (!param || dkl_tree_first(&lctl->tree, param, &path))
		return;
	file = fopen(path, "re");
	if (!file || !fgets(target, (int)size, file))
		*target = '\0';
	target[strcspn(target, "\n")] = '\0';
}

static void print_line(struct lctl *lctl, const char *line, size_t len, bool targets)
{
	char type[32], name[128], target[128] = "";

	if (targets && sscanf(line, "%*d %*s %31s %127s", type, name) == 2)
		read_target(lctl, type, name, target, sizeof(target));
	dkl_say_text(stdout, line, len);
	printf("%s", *target ? " " : "");
	dkl_say_text(stdout, target, strlen(target));
	putchar('\n');
}

static void print_yaml(const struct devices *devices)
{
	printf("devices:\n");
	for (size_t i = 0; i < devices->n; i++) {
		const struct device *d = &devices->rows[i];

		const char *const texts[] = { "status", d->status, "type", d->type,
					      "name",   d->name,   "uuid", d->uuid };

		printf("- index: %u\n", d->index);
		for (size_t j = 0; j < ARRAY_SIZE(texts); j += 2)
			dkl_say_line(stdout, "  %s: %s", texts[j],
				     texts[j + 1] ? texts[j + 1] : "");
		printf("  refcount: %lld\n", (long long)d->refcount);
	}
}

static int print_devices(struct lctl *lctl, const struct devices *devices, bool targets)
{
	struct dkt_buf *buf;
	size_t len;
	int err = dkt_buf_new(&buf);

	for (size_t i = 0; !err && i < devices->n; i++) {
		const char *line;

		dkt_buf_reset(buf);
		dkl_device_print(&devices->rows[i], buf);
		line = dkt_buf_data(buf, &len);
		err = dkt_buf_error(buf);
		if (!err)
			print_line(lctl, line, len - 1, targets);
	}
	dkt_buf_free(buf);
	return err;
}

/* Lustre releases without netlink have the same lines in a file. */
static int print_file(struct lctl *lctl, bool targets)
{
	char *path __cleanup(free) = NULL;
	char *line __cleanup(free) = NULL;
	size_t size = 0;
	ssize_t n;
	FILE *file __cleanup(fclose) = NULL;
	int err = dkl_tree_first(&lctl->tree, "devices", &path);

	if (err)
		return err;
	file = fopen(path, "re");
	if (!file)
		return -errno;
	while ((n = getline(&line, &size, file)) > 0)
		print_line(lctl, line, (size_t)n - (line[n - 1] == '\n'), targets);
	return 0;
}

static int ask_kernel(struct lctl *lctl, struct devices *devices)
{
	int err = dkl_devices_read(lctl->ctx, devices);

	if (err == -ENOENT)
		fprintf(stderr, "Writer error: failed to resolve Netlink family id\n");
	else if (err)
		dkl_lctl_print_error(lctl);
	return err;
}

static int list(struct lctl *lctl, bool targets, bool yaml)
{
	struct devices devices;
	int err = ask_kernel(lctl, &devices);

	if (err)
		return -print_file(lctl, targets);
	if (yaml)
		print_yaml(&devices);
	else
		err = print_devices(lctl, &devices, targets);
	dkl_devices_clear(&devices);
	return -err;
}

int dkl_lctl_cmd_device_list(struct lctl *lctl, int argc, char **argv)
{
	const char *command = argv[0][1] == 'l' ? "dl" : "device_list";
	bool targets = false, yaml = false;
	int c;

	if (dkl_real_lctl_exists())
		return dkl_lctl_forward(lctl, argc, argv);
	if (argc > 2)
		return dkl_lctl_usage(command);
	optind = 0;
	while ((c = dkl_say_getopt(argc, argv, "ty", names)) != -1) {
		if (c == '?')
			return dkl_lctl_usage(command);
		targets |= c == 't';
		yaml |= c == 'y';
	}
	return optind < argc ? dkl_lctl_usage(command) : list(lctl, targets, yaml);
}

/* ---- parameters whose files only root can read ---- */

static int get_devices(struct lctl *lctl, const struct param_opts *opts)
{
	struct devices devices;
	int err;

	if (opts->only_name) {
		printf("devices\n");
		return 0;
	}
	err = ask_kernel(lctl, &devices);
	if (err)
		return err;
	if (opts->yaml) {
		print_yaml(&devices);
	} else {
		if (opts->name)
			printf("devices=\n");
		err = print_devices(lctl, &devices, false);
	}
	dkl_devices_clear(&devices);
	return err;
}

/* Only Lustre's lctl can read the other netlink messages. */
static int forward_get_param(struct lctl *lctl, const char *name, const struct param_opts *opts)
{
	char command[] = "get_param", *copy = strdup(name);
	char flags[] = { '-',
			 opts->only_name ? 'N' :
			 !opts->name     ? 'n' :
			 opts->yaml      ? 'y' :
					   'l',
			 '\0' };
	char *argv[] = { command, flags, copy, NULL };
	int status;

	if (!copy)
		return -ENOMEM;
	status = dkl_lctl_forward_apart(lctl, 3, argv);
	free(copy);
	return -status;
}

int dkl_lctl_get_by_netlink(struct lctl *lctl, const char *name, const struct param_opts *opts)
{
	const char *slash = strrchr(name, '/'), *last = slash ? slash + 1 : name;
	struct devices devices;
	int err;

	if (!getuid())
		return 1;
	if (!strcmp(name, "devices"))
		return get_devices(lctl, opts);
	if (strcmp(last, "stats") && strcmp(last, "target_obd"))
		return 1;
	err = ask_kernel(lctl, &devices);
	if (err)
		return err;
	dkl_devices_clear(&devices);
	return forward_get_param(lctl, name, opts);
}

#define MODULES "/proc/modules"

/* The directory of each module's object file in a built source tree. */
static const struct {
	const char *name;
	const char *dir;
} dirs[] = {
	{ "libcfs", "lnet/libcfs" },
	{ "lnet", "lnet/lnet" },
	{ "ko2iblnd", "lnet/klnds/o2iblnd" },
	{ "kgnilnd", "lnet/klnds/gnilnd" },
	{ "ksocklnd", "lnet/klnds/socklnd" },
	{ "obdclass", "lustre/obdclass" },
	{ "llog_test", "lustre/kunit" },
	{ "obd_test", "lustre/kunit" },
	{ "kinode", "lustre/kunit" },
	{ "ptlrpc_gss", "lustre/ptlrpc/gss" },
	{ "ptlrpc", "lustre/ptlrpc" },
	{ "gks", "lustre/sec/gks" },
	{ "gkc", "lustre/sec/gks" },
	{ "ost", "lustre/ost" },
	{ "osc", "lustre/osc" },
	{ "mds", "lustre/mds" },
	{ "mdc", "lustre/mdc" },
	{ "lustre", "lustre/llite" },
	{ "ldiskfs", "ldiskfs" },
	{ "obdecho", "lustre/obdecho" },
	{ "ldlm", "lustre/ldlm" },
	{ "obdfilter", "lustre/obdfilter" },
	{ "lov", "lustre/lov" },
	{ "lmv", "lustre/lmv" },
	{ "lquota", "lustre/quota" },
	{ "mgs", "lustre/mgs" },
	{ "mgc", "lustre/mgc" },
	{ "mdt", "lustre/mdt" },
	{ "mdd", "lustre/mdd" },
	{ "osd", "lustre/osd" },
	{ "cmm", "lustre/cmm" },
	{ "fid", "lustre/fid" },
	{ "fld", "lustre/fld" },
	{ "lod", "lustre/lod" },
	{ "osp", "lustre/osp" },
	{ "lfsck", "lustre/lfsck" },
};

static void print_module(const char *line, const char *path)
{
	char name[128];
	uint64_t address;

	if (sscanf(line, "%127s %*s %*s %*s %*s %" SCNx64, name, &address) != 2)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++)
		if (!strcmp(dirs[i].name, name)) {
			dkl_say_line(stdout, "add-symbol-file %s%s%s/%s.o 0x%" PRIx64, path,
				     *path ? "/" : "", dirs[i].dir, name, address);
			return;
		}
}

int dkl_lctl_cmd_modules(struct lctl *lctl, int argc, char **argv)
{
	char *line __cleanup(free) = NULL;
	size_t size = 0;
	FILE *modules __cleanup(fclose) = NULL;

	(void)lctl;
	if (argc > 3) {
		dkl_say_line(stdout, "%s [path] [kernel]", argv[0]);
		return 0;
	}
	modules = fopen(MODULES, "re");
	if (!modules) {
		dkl_say_line(stdout, "failed open " MODULES ": %s", strerror(errno));
		return 0;
	}
	while (getline(&line, &size, modules) > 0)
		print_module(line, argc > 1 ? argv[1] : "");
	return 0;
}
