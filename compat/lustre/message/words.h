/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The words that a format takes from its arguments. */
#pragma once

/*
 * Returns the number of argument words before the conversion at s, a % in the format: one for each
 * conversion, and one for each star.
 */
unsigned int dkl_words_before(const char *format, const char *s);
