/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages to the service manager that started this process, sd_notify(3). */
#pragma once

/* Sends lines such as "READY=1"; does nothing without a service manager. */
void dkl_notify(const char *lines);
