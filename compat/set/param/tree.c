/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lustre's parameters as the kernel shows them: files in several trees, in old and new places. */
#include "compat/set/param/tree.h"

#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <linux/magic.h>
#include <sys/mount.h>
#include <sys/vfs.h>

#include "compat/io/say.h"
#include "compat/lustre/lustre_masks.h"
#include "lib/base/buf.h"
#include "lib/base/util.h"

#define DEBUGFS "/sys/kernel/debug"

#define MODULE "module"

/* lctl's order; the last four are of releases up to 2.17. */
static const char *const tops[] = {
	"/proc/fs/lustre", "/sys/fs/lustre", DEBUGFS "/lnet",    DEBUGFS "/lustre",
	"/sys/fs/lnet",    "/proc/sys/lnet", "/proc/sys/lustre", "/proc/fs/lnet",
};

/* Modules whose parameters lctl shows, in its order; those of libcfs are also links in debugfs. */
static const char *const modules_shown[] = {
	"lnet", "osc",      "mdd", "obdclass",    "ofd",    "ptlrpc",
	"mgc",  "ksocklnd", "mdt", "osd_ldiskfs", "lquota",
};

/* lctl puts its list of trees before the pattern, in a buffer of PATH_MAX bytes. */
#define PATTERN_ROOM (PATH_MAX - 55)

void dkl_tree_mount(struct tree *tree)
{
	struct statfs st;

	if (tree->tried_debugfs)
		return;
	tree->tried_debugfs = true;
	if (!statfs(DEBUGFS "/", &st) && st.f_type == DEBUGFS_MAGIC)
		return;
	if (!mount("none", DEBUGFS, "debugfs", 0, "") || errno == EPERM || errno == EBUSY)
		return;
	/* lctl prints it without a newline; scripts may depend on that. */
	fprintf(stderr, "%d: warning: failed to mount " DEBUGFS, errno);
}

int dkl_tree_each(int (*fn)(void *data, const char *top), void *data)
{
	int err = 0;

	for (size_t i = 0; !err && i < ARRAY_SIZE(tops); i++)
		err = fn(data, tops[i]);
	/* Links in debugfs lead there. */
	return err ? err : fn(data, "/sys/module/libcfs/parameters");
}

/* Copies a path without double and trailing slashes. *name is the part after the top. */
static char *tidy_path(const char *path, size_t top, const char **name)
{
	char *copy = malloc(strlen(path) + 1), *to = copy;

	if (!copy)
		return NULL;
	for (size_t i = 0; path[i]; i++)
		if (path[i] != '/' || i < top || (path[i + 1] && path[i + 1] != '/'))
			*to++ = path[i];
	*to = '\0';
	*name = copy + top + (to > copy + top);
	return copy;
}

static int add_match(struct tree_matches *matches, const char *path, size_t top)
{
	struct tree_match match;
	int err;

	match.path = tidy_path(path, top, &match.name);
	if (!match.path)
		return -ENOMEM;
	/* Skip the tree itself. */
	if (!*match.name) {
		free(match.path);
		return 0;
	}
	err = dkt__append(matches->rows, matches->n, match);
	if (err)
		free(match.path);
	return err;
}

/* musl has none: braces stand for themselves there. */
#ifndef GLOB_BRACE
#define GLOB_BRACE 0
#endif

static int find_below(const char *top, const char *pattern, bool *fits,
		      struct tree_matches *matches)
{
	char *whole __cleanup(free) = dkt__format("%s/%s", top, pattern);
	glob_t found = { 0 };
	int err;

	if (!whole)
		return -ENOMEM;
	err = glob(whole, GLOB_BRACE, NULL, &found);
	if (err == GLOB_NOMATCH)
		err = 0;
	else if (err)
		err = err == GLOB_NOSPACE ? -ENOMEM : -ENODEV;
	*fits |= found.gl_pathc;
	for (size_t i = 0; !err && i < found.gl_pathc; i++)
		err = add_match(matches, found.gl_pathv[i], strlen(top));
	globfree(&found);
	return err;
}

static int find_in_modules(const char *pattern, bool *fits, struct tree_matches *matches)
{
	int err = 0;

	for (size_t i = 0; !err && i < ARRAY_SIZE(modules_shown); i++) {
		char top[64];

		snprintf(top, sizeof(top), "/sys/module/%s/parameters", modules_shown[i]);
		err = find_below(top, pattern, fits, matches);
	}
	return err;
}

int dkl_tree_find(struct tree *tree, const char *pattern, bool modules,
		  struct tree_matches *matches)
{
	bool fits = false;
	int err = 0;

	*matches = (struct tree_matches){ 0 };
	dkl_tree_mount(tree);
	if (strlen(pattern) >= PATH_MAX)
		return -EINVAL;
	if (strlen(pattern) >= PATTERN_ROOM)
		return -E2BIG;
	for (size_t i = 0; !err && i < ARRAY_SIZE(tops); i++)
		err = find_below(tops[i], pattern, &fits, matches);
	if (!err && modules)
		err = find_in_modules(pattern, &fits, matches);
	if (err)
		dkl_tree_matches_clear(matches);
	return err ? err : fits ? 0 : -ENOENT;
}

void dkl_tree_matches_clear(struct tree_matches *matches)
{
	for (size_t i = 0; i < matches->n; i++)
		free(matches->rows[i].path);
	free(matches->rows);
	*matches = (struct tree_matches){ 0 };
}

const char *dkl_tree_pattern(const char *pattern, bool *modules)
{
	if (*modules || strncmp(pattern, MODULE, strlen(MODULE)))
		return pattern;
	*modules = true;
	pattern += strlen(MODULE);
	return pattern + (*pattern == '/');
}

int dkl_tree_first(struct tree *tree, const char *name, char **path)
{
	struct tree_matches matches;
	int err = dkl_tree_find(tree, name, false, &matches);

	*path = NULL;
	if (!err && matches.n)
		*path = strdup(matches.rows[0].path);
	if (!err && !*path)
		err = matches.n ? -ENOMEM : -ENOENT;
	dkl_tree_matches_clear(&matches);
	return err;
}

char *dkl_tree_dotted(const char *name, const char *mark)
{
	size_t len = strlen(name);
	char *text = dkt__format("%s%s", name, mark);

	for (size_t i = 0; text && i < len; i++)
		if (text[i] == '/')
			text[i] = '.';
	return text;
}

/* Finds the NID in the name, whose periods stay: *from is its start, *to the period after it. */
static void find_nid(char *name, char **from, char **to)
{
	static const char exports[] = ".exports.", mgc[] = ".MGC";
	char *at;

	*from = *to = NULL;
	if (!strchr(name, '@'))
		return;
	at = strstr(name, exports);
	if (at) {
		*from = at + strlen(exports);
	} else {
		at = strstr(name, mgc);
		*from = at ? at + 1 : NULL;
	}
	at = *from ? strchr(*from, '@') : NULL;
	if (at)
		*to = strchrnul(at, '.');
	else
		*from = NULL;
}

void dkl_tree_clean(char *name, bool with_type)
{
	size_t len = strlen(name);
	char *from, *to, *out;

	if (with_type && len && strchr("@=/", name[len - 1]))
		name[len - 1] = '\0';
	/* lctl keeps a backslash at the start. */
	for (char *in = out = name; *in; in++)
		if (*in != '\\' || in == name)
			*out++ = *in;
	*out = '\0';
	find_nid(name, &from, &to);
	for (char *in = name; *in; in++) {
		if (in == from)
			in = to;
		if (*in == '.')
			*in = '/';
		if (!*in)
			break;
	}
}

bool dkl_tree_is_kernel(const char *path)
{
	struct statfs st;

	if (statfs(path, &st))
		return false;
	return st.f_type == DEBUGFS_MAGIC || st.f_type == SYSFS_MAGIC ||
	       st.f_type == PROC_SUPER_MAGIC;
}

/* The kernel expects the complete value in one write. */
int dkl_param_file_write(const char *path, const char *value, const char *command)
{
	int fd __cleanup(close) = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t n;
	int err;

	if (fd < 0) {
		err = -errno;
		if (command)
			dkl_say_line(stderr, "error: %s: opening '%s': %s", command, path,
				     strerror(-err));
		return err;
	}
	n = write(fd, value, strlen(value));
	if (n < 0) {
		err = -errno;
		if (command && err != -EIO)
			dkl_say_line(stderr, "error: %s: setting %s=%s: %s", command, path, value,
				     strerror(-err));
		return err;
	}
	if ((size_t)n == strlen(value))
		return 0;
	if (command)
		dkl_say_line(stderr, "error: %s: setting %s=%s: wrote only %zd", command, path,
			     value, n);
	return -EINVAL;
}

static int read_first_line(const char *path, char value[PARAM_FILE_MAX])
{
	int fd __cleanup(close) = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, value, PARAM_FILE_MAX - 1);

	if (n < 0)
		return -errno;
	value[n] = '\0';
	value[strcspn(value, "\n")] = '\0';
	return 0;
}

int dkl_param_file_read(const struct param *param, const char *path, char value[PARAM_FILE_MAX])
{
	uint32_t mask;

	if (!dkl_param_is_mask(param) || dkl_lustre_mask_read(dkl_param_mask_kind(param), &mask))
		return read_first_line(path, value);
	dkl_mask_spell(dkl_param_mask_kind(param), mask, value);
	return 0;
}
