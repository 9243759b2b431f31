/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes the configuration file, all or nothing. */
#include <fcntl.h>
#include <sys/stat.h>

#include "compat/io/output.h"
#include "compat/set/saved/conf.h"
#include "lib/base/buf.h"
#include "lib/inside.h"

/* Returns the target of a link; the file itself if it does not exist yet. */
static char *find_target(const char *file)
{
	char *real = realpath(file, NULL);

	return real ? real : errno == ENOENT ? strdup(file) : NULL;
}

static char *directory_of(const char *file)
{
	const char *slash = strrchr(file, '/');

	if (!slash)
		return strdup(".");
	return slash == file ? strdup("/") : strndup(file, (size_t)(slash - file));
}

/* Sets group and mode of an existing file of this user, otherwise mode 0644. */
static int set_mode(int fd, const char *target)
{
	struct stat st;

	if (stat(target, &st) || st.st_uid != geteuid())
		return fchmod(fd, 0644) ? -errno : 0;
	return fchown(fd, (uid_t)-1, st.st_gid) || fchmod(fd, st.st_mode & 0777) ? -errno : 0;
}

static int write_lines(int fd, const struct conf *conf)
{
	FILE *f = fdopen(fd, "w");
	int err;

	if (!f) {
		err = -errno;
		close(fd);
		return err;
	}
	for (size_t i = 0; i < conf->n; i++)
		fprintf(f, "%s\n", conf->lines[i].text);
	err = fflush(f) || fsync(fileno(f)) ? -errno : 0;
	return fclose(f) && !err ? -errno : err;
}

static int replace(struct dkt_ctx *ctx, const char *target, const char *temp, int fd,
		   const struct conf *conf)
{
	char *kept __cleanup(free) = NULL;
	int err = set_mode(fd, target);

	if (err)
		close(fd);
	else
		err = write_lines(fd, conf);
	if (err)
		return dkl_full_fail(ctx, err, target);
	err = dkl_output_keep_old(ctx, target, &kept);
	if (!err && rename(temp, target))
		err = dkt_fail(ctx, -errno, "write %s: %s", target, strerror(errno));
	return err;
}

static int save(struct dkt_ctx *ctx, const struct conf *conf)
{
	char *target __cleanup(free) = find_target(conf->file);
	char *dir __cleanup(free) = target ? directory_of(target) : NULL;
	char *temp __cleanup(free) = target ? dkt__format("%s.XXXXXX", target) : NULL;
	int fd, err;

	if (!target)
		return dkt_fail(ctx, -errno, "write %s: %s", conf->file, strerror(errno));
	if (!dir || !temp)
		return -ENOMEM;
	if (!mkdir(dir, 0755))
		dkt__log(ctx, DKT_LOG_WARN, "the directory %s is new", dir);
	else if (errno != EEXIST)
		return dkt_fail(ctx, -errno, "create %s: %s", dir, strerror(errno));
	fd = mkostemp(temp, O_CLOEXEC);
	if (fd < 0)
		return dkl_full_fail(ctx, -errno, target);
	err = replace(ctx, target, temp, fd, conf);
	if (err)
		unlink(temp);
	return err;
}

int dkl_conf_save(struct dkt_ctx *ctx, const struct conf *conf)
{
	int err = dkl_output_check(ctx, conf->file);

	if (err)
		return dkt__fail_in(ctx, err, "write %s", conf->file);
	return save(ctx, conf);
}
