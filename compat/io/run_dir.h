/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The directory for files that last until the next boot. */
#pragma once

/* Below it a directory for each debug log: its settings, and records on their way out. */
#define RUN_DIR "/run/dktrace"
