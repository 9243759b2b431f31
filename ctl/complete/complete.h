/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Completion: shared by its files. Each candidate is printed on a line. */
#pragma once

#include "compat/lustre/mask.h"
#include "ctl/app/app.h"

/* The word being typed. Candidates replace its rest. */
struct typed {
	const char *word;
	int keep; /* the number of characters before the rest */
	const char *rest;
};

struct typed typed_new(const char *word, const char *rest);

/* The rest begins after the last of these separators. */
struct typed typed_last(const struct typed *typed, const char *separators);

/* Prints the candidate and the text after it, if the candidate begins with the rest. */
void offer(const struct typed *typed, const char *candidate, const char *after);
void offer_words(const struct typed *typed, const char *const *words); /* ends with NULL */

/* Offer names of classes, subsystems, events and parameters. */
void offer_bits(const struct typed *typed, enum mask_kind kind);
void offer_mask(const struct typed *typed, enum mask_kind kind, bool words);
void offer_events(struct app *app, const struct typed *typed);
void offer_selection(struct app *app, const struct typed *typed);
void offer_params(const struct typed *typed, const char *after);
void offer_settings(struct app *app, const struct typed *typed);
void offer_named(struct app *app, const struct typed *typed, const char *separators);

/* Offers the fields of these events, "SYSTEM:NAME,...", and the fields that every event has. */
void offer_fields(struct app *app, const struct typed *typed, const char *events);

/* The command line as far as it is typed. */
struct completing {
	struct app *app;
	const struct command *command;
	int argc;
	char **argv; /* argv[0] is the command's name, the last one the word being typed */
	struct typed typed;
};

/* Offer what the row of the command, or of an option of it, says. */
void complete_arguments(const struct completing *at);
void complete_value(const struct completing *at, const struct opt *opt);
