/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of C++ and Rust functions as in their sources. */
#pragma once

/*
 * Returns the name without its parameters, "std::vector<int>::size" for "_ZNKSt6vectorIiE4sizeEv"; the
 * caller frees it. NULL: it is no such name, or one that is too long.
 */
char *dkt__demangle(const char *name);
