/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Latencies: a heat map over time, percentiles, the table of groups, the slowest pairs. */
"use strict";

const LINES = ["p50", "p90", "p99", "max"];
const ROWS_OF_POWER = 4;
const latency = { pair: null };

/* The durations of a row of the heat map. */
function rowFrom(row) {
	const power = Math.floor(row / ROWS_OF_POWER);

	return row ? 2 ** power * (1 + (row % ROWS_OF_POWER) / ROWS_OF_POWER) : 0;
}

/* The row of a duration; one between two rows, in proportion. */
function rowOf(ns) {
	const power = Math.floor(Math.log2(ns));

	return ns < 1 ? 0 : (power + ns / 2 ** power - 1) * ROWS_OF_POWER;
}

/* The powers of ten between two durations, 2 and 5 times these if they are few, or else the two. */
function decades(from, to) {
	const factors = to / 100 > from ? [1] : [1, 2, 5], list = [];

	for (let decade = 1; decade <= to; decade *= 10)
		list.push(...factors.map((factor) => factor * decade).filter((ns) => ns >= from && ns <= to));
	return list.length ? list : [from, to];
}

function drawLatency() {
	const pair = latency.pair, width = trace.bin * trace.wide, cells = new Map();
	const rows = pair.heat.flatMap((column) => pairsOf(column[6]).map((cell) => cell[0]));
	const low = d3.min(rows), high = d3.max(rows) + 1;
	const chart = makeChart(byId("latency-chart"), Math.max(200, Math.min(420, innerHeight / 2.5)), 64 * textScale(),
		"Latency over time. Use the arrow keys, Enter, plus, minus and Escape.");
	const y = d3.scaleLinear([low, high], [chart.height, 4]);
	const most = d3.max(pair.heat, (column) => d3.max(pairsOf(column[6]), (cell) => cell[1]));
	const heat = heatColors(d3.scaleSequentialLog, most);
	const place = (ns) => y(rowOf(ns));
	/* The scale is of rows, and its marks are of durations. */
	const ticks = decades(rowFrom(low), rowFrom(high));

	chart.plot.append("g").call(d3.axisLeft(y).tickValues(ticks.map((ns) => rowOf(ns)))
		.tickFormat((row, i) => duration(ticks[i])).tickSizeOuter(0));
	for (const column of pair.heat)
		for (const [row, n] of pairsOf(column[6])) {
			const x = chart.x(column[0] * width), next = chart.x((column[0] + 1) * width);

			cells.set(column[0] + ":" + row, n);
			if (next < 0 || x > chart.width)
				continue;
			chart.marks.append("rect").attr("x", x).attr("width", Math.max(1, next - x))
				.attr("y", y(row + 1)).attr("height", y(row) - y(row + 1)).attr("fill", heat(n));
		}
	LINES.forEach((name, i) => {
		/* A column without pairs interrupts the line. */
		const line = d3.line().defined((d) => d).x((d) => chart.x((d[0] + 0.5) * width)).y((d) => place(d[2 + i]));
		const byColumn = new Map(pair.heat.map((column) => [column[0], column]));
		const points = d3.range(pair.heat[0][0], pair.heat[pair.heat.length - 1][0] + 1).map((nr) => byColumn.get(nr));

		for (const className of ["halo", "curve kline" + i])
			chart.marks.append("path").attr("class", className).attr("d", line(points));
	});
	drawLosses(chart);
	watchChart(chart, width, (time, py) => {
		const nr = Math.floor(time / width), row = Math.floor(y.invert(py));
		const column = pair.heat.find((it) => it[0] === nr), n = cells.get(nr + ":" + row);

		if (!column)
			return null;
		const text = [n ? plural(n, "pair") + " of " + duration(rowFrom(row)) + " to " + duration(rowFrom(row + 1)) :
			plural(column[1], "pair"), "In these " + duration(width) + ": " + plural(column[1], "pair")]
			.concat(LINES.map((name, i) => name + " " + duration(column[2 + i])), clock(nr * width) + " s");

		return { from: nr * width, to: (nr + 1) * width, text: text.join("\n"),
			y: n ? y(row + 1) : 0, height: n ? y(row) - y(row + 1) : chart.height };
	});
}

function latencyNotes(numbers) {
	const notes = [[numbers.nested, "began again before they ended: the later beginning was counted"],
		[numbers.unmatched_ends, "ended without a recorded beginning"],
		[numbers.unmatched_begins, "began and did not end"],
		[numbers.spanned, "not counted because records were lost meanwhile"]];

	return notes.filter((it) => it[0]).map((it) => count(it[0]) + " " + it[1]).join("; ");
}

/* The text of some records has the number of a system call. */
function slowText(it) {
	return it.call ? it.call + ": " + it.text : it.text;
}

function showSlow(row) {
	const text = [row.begin, row.end].map((it) =>
		`${it.comm || "<...>"}-${it.pid} [${String(it.cpu).padStart(3, "0")}] ${clock(Number(BigInt(it.time) - BigInt(trace.origin)))}: ${it.event}: ${slowText(it)}`);
	const from = Number(BigInt(row.begin.time) - BigInt(trace.origin));

	showRecords(duration(row.ns), from, from + row.ns + 1, () => false);
	byId("records-text").textContent = text.join("\n");
	byId("records-note").textContent = "These records begin and end the pair. The command prints all between them.";
}

/* The medians and the longest of each host, on one logarithmic scale; a host can be chosen. */
function drawHostLatency() {
	const pairs = trace.pairs.filter((it) => it.name === latency.pair.name), wide = trace.bin * trace.wide;
	const all = pairs.flatMap((it) => it.heat.flatMap((column) => [column[2], column[5]]));
	const low = rowOf(d3.min(all)), high = rowOf(d3.max(all)) + 1, place = byId("latency-hosts");

	place.hidden = pairs.length < 2;
	if (place.hidden)
		return;
	drawMultiples(place, pairs.map((pair) => ({ name: pair.file, note: "up to " + duration(pair.numbers.all.max),
		pair, chosen: pair === latency.pair })),
	(item, x, height) => [[2, "curve kline0"], [5, "curve kline3"]].map(([nr, className]) => [className,
		d3.line().x((d) => x((d[0] + 0.5) * wide)).y((d) => 2 + (height - 4) * (1 - (rowOf(d[nr]) - low) / (high - low)))(
			/* One column is a point, which has no line. */
			item.pair.heat.length > 1 ? item.pair.heat : item.pair.heat.flatMap((d) => [d, Object.assign([], d, { 0: d[0] + 1 })]))]),
	(item) => choosePair(item.pair));
}

function drawLatencies() {
	drawHostLatency();
	drawLatency();
}

function choosePair(pair) {
	const numbers = pair.numbers, all = Object.assign({ group: "(all)" }, numbers.all);
	const times = ["min", "p50", "p90", "p99", "p99.9", "max", "total"].map((key) => ({ key, title: key, type: "ns" }));
	const columns = (pair.by ? [{ key: "group", title: pair.by, type: "text" }] : [])
		.concat({ key: "count", title: "count", type: "count" }, times);
	const rows = (pair.by ? numbers.groups : []).concat(!pair.by || numbers.groups.length > 1 ? all : []);

	latency.pair = pair;
	byId("latency-title").textContent = named(pair.name + ": " + pair.help, pair.file);
	byId("latency-notes").textContent = latencyNotes(numbers);
	makeTable(byId("latency-table"), "Latencies of " + pair.name, columns, rows);
	makeTable(byId("latency-slowest"), "Slowest", [{ key: "ns", title: "duration", type: "ns" },
		{ key: "who", title: "process", type: "text" }, { key: "what", title: "record", type: "text" }],
	numbers.slowest.map((it) => Object.assign({ who: (it.begin.comm || "<...>") + "-" + it.begin.pid, what: slowText(it.begin) }, it)), showSlow);
	drawLatencies();
}

/* The host of these that has most pairs. */
function mostOf(pairs) {
	return pairs[d3.scan(pairs, (a, b) => b.numbers.all.count - a.numbers.all.count)];
}

function startLatency() {

	byId("latency").hidden = !trace.pairs.length;
	if (!trace.pairs.length)
		return;
	byId("latency-legend").replaceChildren(...LINES.map((name, i) => {
		const it = element("li");

		it.append(swatch("kfill" + i), name);
		return it;
	}));
	/* A button for each kind of latency; the charts of the hosts choose the host. */
	const names = [...new Set(trace.pairs.map((it) => it.name))], first = mostOf(trace.pairs);

	choices(byId("latency-pairs"), names, names.indexOf(first.name),
		(nr) => choosePair(mostOf(trace.pairs.filter((it) => it.name === names[nr]))));
	choosePair(first);
	shown.listeners.push(drawLatencies);
}
