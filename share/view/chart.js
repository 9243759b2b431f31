/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the charts over time: frame, axis, losses, zoom and keyboard. */
"use strict";

/* How much larger than usual text is: on a wall. */
function textScale() {
	return parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
}

/*
 * Makes an empty chart and returns { svg, plot, x, width, height, left, range }. left: room for labels; range:
 * what it shows, { from, to, unit }, if that is not the time that all charts show. The chart is as wide as its place and is scaled
 * when it is printed.
 */
function makeChart(place, height, left, label, range = shown) {
	const em = textScale(), width = Math.max(280, place.clientWidth), inner = width - left - 8;
	const svg = d3.create("svg").attr("viewBox", [0, 0, width, height + 28 * em])
		.attr("role", "img").attr("aria-label", label).attr("tabindex", 0);
	const x = d3.scaleLinear([range.from, range.to], [0, inner]);
	const plot = svg.append("g").attr("transform", `translate(${left},4)`);
	const whole = range.to - range.from, unit = range.unit ? range.unit : whole >= 2e9 ? [1e9, "s"] : whole >= 2e6 ? [1e6, "ms"] : [1e3, "\u00b5s"];
	const pattern = svg.append("defs").append("pattern").attr("id", "lost").attr("width", 6).attr("height", 6)
		.attr("patternUnits", "userSpaceOnUse").attr("patternTransform", "rotate(45)");

	pattern.append("line").attr("class", "hatch").attr("y2", 6).attr("stroke-width", 4);
	plot.append("clipPath").attr("id", place.id + "-clip").append("rect").attr("width", inner).attr("height", height);
	/* The axis has numbers of its unit, so that its ticks are round. */
	const scale = d3.scaleLinear([range.from / unit[0], range.to / unit[0]], [0, inner]);

	svg.append("g").attr("transform", `translate(${left},${height + 4})`)
		.call(d3.axisBottom(scale).ticks(Math.max(2, inner / (90 * em)))
			.tickFormat((d) => d3.format("~r")(Number(d.toPrecision(9))) + " " + unit[1]).tickSizeOuter(0))
		/* A number at the end of the axis must not be cut. */
		.selectAll(".tick text").attr("text-anchor", (d) => scale(d) > inner - 20 * em ? "end" : "middle");
	place.replaceChildren(svg.node());
	return { svg, plot, x, width: inner, height, left, place, range,
		marks: plot.append("g").attr("clip-path", `url(#${place.id}-clip)`) };
}

/* Writes the name of a row beside the chart, cut to the room that is there: capitals take more than most letters. */
function nameRow(chart, y, name) {
	const letters = Math.floor((chart.left - 8) / (7.6 * textScale()));

	chart.svg.append("text").attr("x", chart.left - 6).attr("y", y).attr("text-anchor", "end")
		.text(name.length > letters ? name.slice(0, letters - 1) + "\u2026" : name).append("title").text(name);
}

/* Colours of counts from 1 to most, the darker the more; on a dark page the brighter. scale: of d3. */
function heatColors(scale, most) {
	return scale(isDark() ? (t) => d3.interpolateViridis(0.15 + 0.85 * t) :
		(t) => d3.interpolateYlGnBu(0.2 + 0.8 * t)).domain([1, Math.max(2, most)]);
}

/* Hatches the times in which records were lost. */
function drawLosses(chart) {
	for (const [bin, ns] of pairsOf(trace.losses.shadow)) {
		const from = chart.x(bin * trace.bin), to = chart.x((bin + 1) * trace.bin);

		if (ns && to > 0 && from < chart.width)
			chart.marks.append("rect").attr("class", "lost").attr("x", from)
				.attr("width", Math.max(3, to - from)).attr("height", chart.height);
	}
}

/*
 * Pointer and keyboard. at(time, y) returns { from, to, y, height, text, records } for the mark there,
 * or null. records: which of the samples belong to it; open: shows its records itself. step: the width of
 * a mark. rows: { height, n, next } of a chart of rows. next(nr, time, way) returns the time of the mark in the row
 * that is before or after that one, by the sign of way, and of the first one if there is no time; without next,
 * the keyboard goes by step.
 */
function watchChart(chart, step, at, rows) {
	const cursor = chart.plot.append("rect").attr("class", "cursor").attr("visibility", "hidden");
	const brush = chart.plot.append("rect").attr("class", "brush").attr("height", chart.height).attr("visibility", "hidden");
	const node = chart.svg.node();
	/* Only a chart of the common times can change them. */
	const zooms = chart.range === shown, last = zooms ? wholeTrace() - 1 : chart.range.to;
	let down = null, key = null, nr = 0;

	function point(event) {
		const box = node.getBoundingClientRect(), scale = (chart.width + chart.left + 8) / box.width;

		return [(event.clientX - box.left) * scale - chart.left, (event.clientY - box.top) * scale - 4];
	}
	function mark(it) {
		cursor.attr("visibility", it ? "visible" : "hidden");
		if (it)
			cursor.attr("x", chart.x(it.from)).attr("width", Math.max(2, chart.x(it.to) - chart.x(it.from)))
				.attr("y", it.y || 0).attr("height", it.height || chart.height);
	}
	/* Where the keyboard is. */
	function height() {
		return rows ? (nr + 0.5) * rows.height : chart.height / 2;
	}
	function move(across, up) {
		/* The first key only goes to the chart. */
		if (rows && key !== null)
			nr = Math.max(0, Math.min(rows.n - 1, nr + up));
		if (rows && rows.next)
			key = rows.next(nr, across ? key : null, across);
		else
			key = key === null ? chart.range.from + step / 2 : Math.max(0, Math.min(last, key + across * step));
		if (key === null)
			return;
		const it = at(key, height()), box = node.getBoundingClientRect();

		mark(it);
		if (it)
			tip({ clientX: box.left + chart.left + chart.x(key), clientY: box.top + (rows ? height() : 20) }, it.text);
	}
	function open(it) {
		if (it && it.open)
			it.open();
		else if (it)
			showRecords(it.text.split("\n")[0], it.from, it.to, it.records);
	}

	node.addEventListener("pointermove", (event) => {
		const [px, py] = point(event);
		const it = px >= 0 && px <= chart.width ? at(chart.x.invert(px), py) : null;

		mark(it);
		it ? tip(event, it.text) : hideTip();
		if (zooms && down !== null)
			brush.attr("visibility", Math.abs(px - down) > 4 ? "visible" : "hidden")
				.attr("x", Math.min(px, down)).attr("width", Math.abs(px - down));
	});
	node.addEventListener("pointerleave", () => {
		hideTip();
		mark(null);
		down = null;
		brush.attr("visibility", "hidden");
	});
	node.addEventListener("pointerdown", (event) => {
		down = point(event)[0];
	});
	node.addEventListener("pointerup", (event) => {
		const [px, py] = point(event), from = down;

		down = null;
		if (zooms && from !== null && Math.abs(px - from) > 4)
			show(chart.x.invert(Math.max(0, from)), chart.x.invert(Math.max(0, px)));
		else
			open(at(chart.x.invert(px), py));
	});
	node.addEventListener("dblclick", () => show(0, wholeTrace()));
	node.addEventListener("keydown", (event) => {
		const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
		const middle = (shown.from + shown.to) / 2, half = (shown.to - shown.from) / 2;

		if (moves[event.key] && (rows || moves[event.key][0]))
			move(...moves[event.key]);
		else if (event.key === "Enter" && key !== null)
			open(at(key, height()));
		else if (event.key === "+" && zooms)
			show(middle - half / 2, middle + half / 2);
		else if (event.key === "-" && zooms)
			show(middle - half * 2, middle + half * 2);
		else if (event.key === "Escape") {
			hideTip();
			hideRecords();
			show(0, wholeTrace());
		} else
			return;
		event.preventDefault();
	});
}
