/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions that truncate, overflow or guess: a file that uses one does not compile. The Makefile
 * includes this header in every file of the layers, so the headers that declare the
 * functions come first here.
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DKT_BANNED(name) sorry_##name##_is_banned

#undef sprintf
#undef vsprintf
#undef strcpy
#undef strcat
#undef strncpy
#undef strncat
#undef strtok
#undef atoi
#undef atol
#define sprintf(...)  DKT_BANNED(sprintf)
#define vsprintf(...) DKT_BANNED(vsprintf)
#define strcpy(...)   DKT_BANNED(strcpy)
#define strcat(...)   DKT_BANNED(strcat)
#define strncpy(...)  DKT_BANNED(strncpy)
#define strncat(...)  DKT_BANNED(strncat)
#define strtok(...)   DKT_BANNED(strtok)
#define atoi(...)     DKT_BANNED(atoi)
#define atol(...)     DKT_BANNED(atol)
