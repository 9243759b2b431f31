/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Checks the colours of view's page: marks stand out from both backgrounds (WCAG 2.1, 1.4.11), and can be
 * told apart by those who do not see red or green. The pictures of svg.h have the same colours.
 * usage: view-palette.js page.css svg.h. Prints each failure.
 */
"use strict";

const css = require("fs").readFileSync(process.argv[2], "utf8");
const MARKS = ["c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "other"];
/* Distances in CIELAB; 2.3 is the least that people notice of large areas. */
const APART = 15, TEXT_CONTRAST = 4.5, MARK_CONTRAST = 3;

function block(selector) {
	const text = css.slice(css.indexOf(selector + " {")).split("}")[0];

	return Object.fromEntries([...text.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map((it) => [it[1], it[2]]));
}

/* From #rrggbb to linear light. */
function linear(hex) {
	return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255)
		.map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
}

function contrast(a, b) {
	const [p, q] = [a, b].map((it) => linear(it).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0.05));

	return Math.max(p, q) / Math.min(p, q);
}

/* G. M. Machado, M. M. Oliveira, L. A. F. Fernandes, 2009: complete lack of one kind of cones. */
const SIGHT = {
	"normal sight": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
	protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
	deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
};

function lab(hex, sight) {
	const seen = SIGHT[sight].map((row) => Math.max(0, row.reduce((sum, v, i) => sum + v * linear(hex)[i], 0)));
	const white = [0.95047, 1, 1.08883];
	const [x, y, z] = [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
		.map((row, i) => row.reduce((sum, v, j) => sum + v * seen[j], 0) / white[i])
		.map((t) => t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);

	return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

const light = block(":root"), themes = { light, dark: Object.assign({}, light, block(':root[data-theme="dark"]')) };

for (const [color] of require("fs").readFileSync(process.argv[3], "utf8").matchAll(/#[0-9a-f]{6}/g))
	if (!Object.values(light).includes(color))
		console.log(`svg.h has ${color}, page.css has not`);
for (const [theme, colors] of Object.entries(themes)) {
	for (const back of ["back", "panel"]) {
		for (const mark of [...MARKS, "alert", "accent"])
			if (!(contrast(colors[mark], colors[back]) >= MARK_CONTRAST))
				console.log(`${theme}: ${mark} on ${back}: contrast ${contrast(colors[mark], colors[back]).toFixed(2)}`);
		for (const text of ["text", "soft"])
			if (!(contrast(colors[text], colors[back]) >= TEXT_CONTRAST))
				console.log(`${theme}: ${text} on ${back}: contrast ${contrast(colors[text], colors[back]).toFixed(2)}`);
	}
	for (const sight of Object.keys(SIGHT))
		MARKS.forEach((a, i) => MARKS.slice(i + 1).forEach((b) => {
			const p = lab(colors[a], sight), q = lab(colors[b], sight), far = Math.hypot(...p.map((v, n) => v - q[n]));

			if (!(far >= APART))
				console.log(`${theme}: ${a} and ${b} are ${far.toFixed(1)} apart with ${sight}`);
		}));
}
