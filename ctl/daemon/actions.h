/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The actions of daemon that need more than a call. They return exit statuses. */
#pragma once

#include "ctl/app/app.h"

int daemon_action_start(struct app *app);
int daemon_action_status(struct app *app);
int daemon_action_reload(struct app *app);
