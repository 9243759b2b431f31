/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Call stacks over time as a heat map: a column is a second, or some of them, and a row a part of it. What repeats
 * every second is a line across, and a click on two cells chooses the time between them.
 */
"use strict";

/* Rows of a column, unless the slices are too long for so many. */
const HEAT_ROWS = [50, 25];
const HEAT_COLUMN = 1e9;

/* row: the ns of a row; cells: the count of each, column by column; first: where a range begins, if it has no end yet. */
const heat = { row: 0, rows: 0, cells: [], first: null };

function heatCells() {
	const { slice, counts } = trace.stacks.heat;
	const rows = HEAT_ROWS.find((n) => HEAT_COLUMN / n >= slice) || HEAT_ROWS[HEAT_ROWS.length - 1];
	const together = Math.max(1, Math.round(HEAT_COLUMN / rows / slice));

	heat.rows = rows;
	heat.row = slice * together;
	heat.cells = d3.range(Math.ceil(counts.length / together)).map((i) => d3.sum(counts.slice(i * together, (i + 1) * together)));
}

/* The cells of a count are one path: there may be many thousands. */
function drawCells(chart, width, y) {
	const scale = heatColors(d3.scaleSequential, d3.max(heat.cells)), paths = new Map();

	heat.cells.forEach((n, i) => {
		const column = Math.floor(i / heat.rows), row = i % heat.rows, fill = n ? scale(n) : null;

		if (fill && !paths.has(fill))
			paths.set(fill, []);
		if (fill)
			paths.get(fill).push(`M${(column * width).toFixed(2)},${y(row + 1).toFixed(2)}h${width.toFixed(2)}v${(y(row) - y(row + 1)).toFixed(2)}h${(-width).toFixed(2)}z`);
	});
	for (const [fill, path] of paths)
		chart.marks.append("path").attr("fill", fill).attr("d", path.join(""));
}

/* Frames the cells from one to another, both of them within. */
function frameCells(chart, from, to, width, y) {
	for (let column = Math.floor(from / heat.rows); column * heat.rows <= to; column++) {
		const low = Math.max(from - column * heat.rows, 0), high = Math.min(to - column * heat.rows, heat.rows - 1);

		chart.marks.append("rect").attr("class", "chosen").attr("x", column * width).attr("width", width)
			.attr("y", y(high + 1)).attr("height", y(low) - y(high + 1));
	}
}

function cellTime(i) {
	return trace.stacks.origin + i * heat.row;
}

/* The first cell begins a range, the second one ends it. */
function chooseCell(i) {
	const first = heat.first;

	heat.first = first === null ? i : null;
	if (first === null)
		drawHeat();
	else
		show(cellTime(Math.min(first, i)), cellTime(Math.max(first, i) + 1));
}

function drawHeat() {
	const columns = Math.ceil(heat.cells.length / heat.rows), column = heat.row * heat.rows, place = byId("heat-chart");
	const focused = place.contains(document.activeElement), end = columns * column;
	const range = { from: trace.stacks.origin, to: trace.stacks.origin + end, unit: [1e9, "s"] };
	const chart = makeChart(place, 200 * textScale(), 64 * textScale(), "Call stacks over time. Use the arrow keys, Enter and Escape.", range);
	const y = d3.scaleLinear([0, heat.rows], [chart.height, 0]), width = chart.width / columns;
	const last = heat.cells.length - 1, cellOf = (time) => Math.max(0, Math.min(last, Math.floor((time - trace.stacks.origin) / heat.row)));

	chart.plot.append("g").call(d3.axisLeft(y).tickValues([0, 1, 2, 3].map((part) => part * heat.rows / 4)).tickFormat((row) => row ? duration(row * heat.row) : "0").tickSizeOuter(0));
	drawCells(chart, width, y);
	if (heat.first !== null)
		frameCells(chart, heat.first, heat.first, width, y);
	else if (shown.from > 0 || shown.to < wholeTrace())
		frameCells(chart, cellOf(shown.from), cellOf(shown.to - 1), width, y);
	byId("heat-now").textContent = heat.first === null ? "" : "From " + clock(cellTime(heat.first)) + " s: choose the cell where the range ends.";
	watchChart(chart, column, (time, py) => {
		const nr = Math.floor((time - range.from) / column), row = Math.floor(y.invert(py)), i = nr * heat.rows + row;

		if (row < 0 || row >= heat.rows || !(i in heat.cells))
			return null;
		return { from: range.from + nr * column, to: range.from + (nr + 1) * column, y: y(row + 1), height: y(row) - y(row + 1),
			text: plural(heat.cells[i], "record") + " in " + duration(heat.row) + "\n" + clock(cellTime(i)) + " s", open: () => chooseCell(i) };
	}, { height: chart.height / heat.rows, n: heat.rows });
	if (focused)
		chart.svg.node().focus();
}

function startHeat() {
	heatCells();
	/* A column or two are no map. */
	byId("heat").hidden = heat.cells.length <= 2 * heat.rows;
	if (byId("heat").hidden)
		return;
	byId("heat-help").textContent = "The more call stacks, the darker: a column is " + duration(heat.row * heat.rows) + ", a row " +
		duration(heat.row) + " of it. Click the cells where a range of time begins and ends: all charts show it. Press Escape to see all.";
	drawHeat();
	shown.listeners.push(() => {
		heat.first = null;
		drawHeat();
	});
}
