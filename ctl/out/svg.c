/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes a static SVG picture. */
#include "ctl/out/svg.h"

#include <errno.h>
#include <math.h>

#include "compat/io/say.h"
#include "lib/base/util.h"

/* ---- texts ---- */

/* U+FFFE and U+FFFF, which XML does not allow, become spaces. */
static bool is_forbidden(const char *text, size_t len)
{
	return len > 2 && !memcmp(text, "\xef\xbf", 2) && (unsigned char)text[2] >= 0xbe;
}

static void put_xml(FILE *f, const char *text, size_t len)
{
	for (; len; text++, len--) {
		if (is_forbidden(text, len)) {
			fputc(' ', f);
			text += 2;
			len -= 2;
		} else if (strchr("<>&\"'", *text)) {
			fprintf(f, "&#%d;", *text);
		} else {
			fputc(*text, f);
		}
	}
}

/* Returns the bytes of the first n characters. */
static size_t characters(const char *text, size_t n)
{
	size_t i = 0;

	for (; text[i]; i++)
		if (((unsigned char)text[i] & 0xc0) != 0x80 && !n--)
			break;
	return i;
}

static void put_text(FILE *f, const char *raw, size_t most)
{
	char *text __cleanup(free) = dkl_shown(raw);
	size_t len = text ? characters(text, most) : 0;

	if (text && text[len])
		len = most ? characters(text, most - 1) : 0;
	put_xml(f, text ? text : "", len);
	if (text && text[len])
		fputs("\xe2\x80\xa6", f);
}

static void put_element(FILE *f, const char *name, const char *text)
{
	fprintf(f, "<%s>", name);
	put_text(f, text, SIZE_MAX);
	fprintf(f, "</%s>", name);
}

/* ---- the picture ---- */

void svg_begin(FILE *f, double width, double height, const char *title, const char *desc)
{
	fprintf(f,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\""
		" viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-labelledby=\"title desc\""
		" font-family=\"sans-serif\" font-size=\"12\">\n",
		width, height, width, height);
	fputs("<title id=\"title\">", f);
	put_text(f, title, SIZE_MAX);
	fputs("</title>\n<desc id=\"desc\">", f);
	put_text(f, desc, SIZE_MAX);
	fputs("</desc>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n", f);
	fprintf(f, "<g font-size=\"16\" font-weight=\"bold\">");
	svg_text(f, 16, 28, SVG_START, SVG_TEXT, (width - 32) * SVG_CHAR / 10, title);
	fprintf(f, "</g>\n");
	svg_text(f, 16, 48, SVG_START, SVG_SOFT, width - 32, desc);
}

int svg_end(FILE *f)
{
	fputs("</svg>\n", f);
	return fflush(f) || ferror(f) ? -EIO : 0;
}

/* ---- marks ---- */

void svg_rect(FILE *f, double x, double y, double width, double height, const char *color,
	      const char *tip)
{
	fprintf(f, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"", x, y,
		width, height, color);
	if (!tip) {
		fputs("/>\n", f);
		return;
	}
	fputc('>', f);
	put_element(f, "title", tip);
	fputs("</rect>\n", f);
}

void svg_line(FILE *f, double x, double y, double to_x, double to_y)
{
	fprintf(f, "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"" SVG_LINE "\" fill=\"none\"/>\n", x,
		y, to_x, to_y);
}

void svg_text(FILE *f, double x, double y, enum svg_anchor anchor, const char *color, double room,
	      const char *text)
{
	static const char *const anchors[] = { "start", "middle", "end" };

	fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"%s\">", x, y,
		anchors[anchor], color);
	put_text(f, text, room > 0 ? (size_t)(room / SVG_CHAR) : SIZE_MAX);
	fputs("</text>\n", f);
}

void svg_curve_begin(FILE *f, const char *color, const char *dashes)
{
	fprintf(f,
		"<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\""
		" stroke-dasharray=\"%s\" points=\"",
		color, dashes);
}

void svg_curve_to(FILE *f, double x, double y)
{
	fprintf(f, "%.1f,%.1f ", x, y);
}

void svg_curve_end(FILE *f)
{
	fputs("\"/>\n", f);
}

/* ---- colours ---- */

/* About the logarithm to base 2: exact for powers of two, straight lines between them. */
static double about_log2(uint64_t n)
{
	int power = n ? 63 - __builtin_clzll(n) : 0;

	return n ? power + ldexp((double)n, -power) - 1 : 0;
}

void svg_heat(uint64_t n, uint64_t max, char color[SVG_COLOR_SIZE])
{
	static const double light[] = { 74, 148, 200 }, dark[] = { 8, 48, 107 };
	double part = max > 1 ? about_log2(n) / about_log2(max) : 1;
	unsigned int rgb[3];

	for (size_t i = 0; i < ARRAY_SIZE(rgb); i++)
		rgb[i] = (unsigned int)(light[i] + part * (dark[i] - light[i]) + 0.5);
	snprintf(color, SVG_COLOR_SIZE, "#%02x%02x%02x", rgb[0] & 0xff, rgb[1] & 0xff,
		 rgb[2] & 0xff);
}

static unsigned int hash_of(const char *name, size_t len)
{
	unsigned int hash = 0;

	for (size_t i = 0; i < len; i++)
		hash = (hash * 31 + (unsigned char)name[i]) % 997;
	return hash;
}

void svg_flame(const char *name, size_t len, char color[SVG_COLOR_SIZE])
{
	const unsigned int hash = hash_of(name, len);

	/* From orange to yellow, light enough for dark text. */
	snprintf(color, SVG_COLOR_SIZE, "#%02x%02x%02x", 240 + hash % 12, 160 + hash % 60,
		 90 + hash % 40);
}

void svg_cool(const char *name, size_t len, char color[SVG_COLOR_SIZE])
{
	const unsigned int hash = hash_of(name, len);

	/* From blue to green, as light as the warm ones. */
	snprintf(color, SVG_COLOR_SIZE, "#%02x%02x%02x", 130 + hash % 40, 190 + hash % 30,
		 215 + hash % 30);
}

void svg_change(double by, char color[SVG_COLOR_SIZE])
{
	/* A tenth of the whole is the darkest. */
	const double part = DKT__MIN(fabs(by) * 10, 1.0);
	const unsigned int pale = (unsigned int)(238 - 128 * part), full = 238;

	if (fabs(by) < 0.0005)
		snprintf(color, SVG_COLOR_SIZE, "#eeeeee");
	else if (by > 0)
		snprintf(color, SVG_COLOR_SIZE, "#%02x%02x%02x", full, pale, pale);
	else
		snprintf(color, SVG_COLOR_SIZE, "#%02x%02x%02x", pale, pale, full);
}
