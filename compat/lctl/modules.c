/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* modules: prints where a debugger finds the symbols of Lustre's modules. */
#include <inttypes.h>

#include "compat/io/say.h"
#include "compat/lctl/cmd.h"
#include "lib/base/util.h"

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
