/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The directory of what lasts until the machine is restarted. */
#pragma once

/* Below it a directory for each debug log: its settings, and records on their way out. */
#define RUN_DIR "/run/dktrace"
