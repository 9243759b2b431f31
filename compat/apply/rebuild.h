/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rebuilds settings from the events enabled in the kernel, when the settings file is missing. */
#pragma once

#include "log/debuglog.h"

/*
 * Guesses the settings from the instance: a class is on if all its events of the subsystems that
 * are on are on. What the kernel cannot know (printk, classes without events) is as by default.
 * The map must be loaded.
 */
int debuglog_rebuild(struct debuglog *log);
