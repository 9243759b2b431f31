/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile: samples where the CPUs spend their time. */
#include <inttypes.h>

#include "ctl/app/commands.h"
#include "ctl/profile/sample.h"

int cmd_profile(struct app *app, int argc, char **argv)
{
	struct dkt__sampler_result result;
	struct profile_sample what;
	int rc = profile_sample_read(app, &what);

	if (rc)
		return rc;
	if (argc - app->n_command > 1)
		return app_usage("profile: '%s' is not an option; give a command to run after --",
				 argv[1]);
	rc = profile_record(app, &what, app->n_command ? argv + 1 : NULL, app->output, &result);
	if (result.seconds > 0)
		app_say("%s: %" PRIu64 " samples of %s in %.1f s, %.1f MB", app->output,
			result.samples, result.event, result.seconds,
			(double)result.bytes / DKT__MB);
	return rc;
}
