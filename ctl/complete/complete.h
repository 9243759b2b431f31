/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Completion: shared by its files. Each candidate is printed on a line. */
#pragma once

#include "app/app.h"
#include "lustre/mask.h"

/* The word being typed: what stays of it, and the rest, which candidates begin with. */
struct typed {
	const char *word;
	int keep;
	const char *rest;
};

struct typed typed_new(const char *word, const char *rest);

/* The typed text after the last of these separators. */
struct typed typed_last(const struct typed *typed, const char *separators);

/* Prints the candidate, and after behind it, if it begins with what is typed. */
void offer(const struct typed *typed, const char *candidate, const char *after);
void offer_words(const struct typed *typed, const char *const *words); /* NULL ends them */

/* Names that Linux, Lustre and this program have. */
void offer_bits(const struct typed *typed, enum mask_kind kind);
void offer_mask(const struct typed *typed, enum mask_kind kind, bool words);
void offer_events(struct app *app, const struct typed *typed);
void offer_selection(struct app *app, const struct typed *typed);
void offer_params(const struct typed *typed, const char *after);
void offer_settings(const struct typed *typed);

/* Fields of events, whose names are joined by commas, and what every event has. */
void offer_fields(struct app *app, const struct typed *typed, const char *events);

/*
 * Completes a command's arguments and the values of its options. argv[0] is the command's name; the
 * user types the last one.
 */
void complete_arguments(struct app *app, const char *command, int argc, char **argv,
			const struct typed *typed);
void complete_value(struct app *app, const struct command *command, const char *option, int argc,
		    char **argv, const struct typed *typed);
