/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes a static SVG picture: no script, a light background of its own, the light colours of view's page.
 * All texts may come from a trace. They are escaped as by dkt_buf_text(), and for XML.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>

/* A test compares them with share/view/page.css. */
#define SVG_TEXT   "#1a1d21"
#define SVG_SOFT   "#565c66"
#define SVG_LINE   "#c9ced6"
#define SVG_BLUE   "#1264b7"
#define SVG_ORANGE "#e16200"
#define SVG_RED    "#7f0e2a"

/* The height of a line of text, and about the width of a character. */
#define SVG_ROW  18.0
#define SVG_CHAR 6.6

enum svg_anchor { SVG_START, SVG_MIDDLE, SVG_END };

/* desc: what the picture shows, for those who do not see it. */
void svg_begin(FILE *f, double width, double height, const char *title, const char *desc);

/* Returns 0, or -EIO: the file has an error. */
int svg_end(FILE *f);

/* tip: the text beside the pointer; NULL: none. */
void svg_rect(FILE *f, double x, double y, double width, double height, const char *color,
	      const char *tip);
void svg_line(FILE *f, double x, double y, double to_x, double to_y);

/* y: of the base line. room: a longer text is cut to this width; 0: unlimited. */
void svg_text(FILE *f, double x, double y, enum svg_anchor anchor, const char *color, double room,
	      const char *text);

/* A line through points; dashes: as of SVG, "" for a solid line. */
void svg_curve_begin(FILE *f, const char *color, const char *dashes);
void svg_curve_to(FILE *f, double x, double y);
void svg_curve_end(FILE *f);

#define SVG_COLOR_SIZE 8

/* From a light blue for 1 to a dark one for max, by the logarithm of n. */
void svg_heat(uint64_t n, uint64_t max, char color[SVG_COLOR_SIZE]);

/* A warm colour, the same for the same name. */
void svg_flame(const char *name, size_t len, char color[SVG_COLOR_SIZE]);

/* A cool colour, the same for the same name. */
void svg_cool(const char *name, size_t len, char color[SVG_COLOR_SIZE]);

/* Red for a share that has grown, blue for one that has shrunk, grey for one that is as it was; by: -1 to 1. */
void svg_change(double by, char color[SVG_COLOR_SIZE]);
