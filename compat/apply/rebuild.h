/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rebuilds settings from the events enabled in the kernel, when the settings file is missing. */
#pragma once

#include "compat/log/debuglog.h"

/*
 * Guesses the settings from the instance: a class is set if all its events in the set subsystems
 * are enabled. printk and classes without events, which the kernel does not know, get their
 * defaults. The map must be loaded.
 */
int dkl_debuglog_rebuild(struct debuglog *log);
