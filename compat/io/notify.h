/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages to the service manager that started this process, sd_notify(3). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Sends lines such as "READY=1"; does nothing without a service manager. */
void notify(const char *lines);

/* Returns after how many ns without WATCHDOG=1 the manager ends this process; 0: never. */
uint64_t notify_watchdog(void);
