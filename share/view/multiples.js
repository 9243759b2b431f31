/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Small multiples: a small chart for each host, all of the same times and with the same scale. */
"use strict";

/* The size of a chart in its own units; it is as wide as its column. */
const MULTIPLE = { width: 200, height: 48 };

/*
 * items: { name, note, chosen } of the charts; paths(item, x, height): [class, path] of its marks; act: chooses
 * an item, if one can be chosen.
 */
function drawMultiples(place, items, paths, act) {
	const focus = [...place.querySelectorAll("button")].indexOf(document.activeElement);
	const x = d3.scaleLinear([shown.from, shown.to], [0, MULTIPLE.width]);

	place.replaceChildren(...items.map((item) => {
		const it = element(act ? "button" : "div", undefined, "multiple");
		const svg = d3.create("svg").attr("viewBox", [0, 0, MULTIPLE.width, MULTIPLE.height])
			.attr("preserveAspectRatio", "none").attr("aria-hidden", "true");

		for (const [className, path] of paths(item, x, MULTIPLE.height))
			svg.append("path").attr("class", className).attr("d", path).attr("vector-effect", "non-scaling-stroke");
		it.append(element("span", item.name), " ", element("span", item.note, "soft"), svg.node());
		if (act) {
			it.type = "button";
			it.setAttribute("aria-pressed", String(item.chosen));
			it.addEventListener("click", () => act(item));
		}
		return it;
	}));
	if (focus >= 0 && act)
		place.children[focus].focus();
}
