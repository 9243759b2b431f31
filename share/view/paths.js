/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lustre's slowest calls: a row for each, with the parts that its time was made of, one after the other. */
"use strict";

const PATH_ROWS = 40;
/* The parts in the order of their names in the legend: the number of the colour, and how high the mark is. */
const PATH_KINDS = { "client before": ["other", 0.3], "request on net": [6, 1], queue: [1, 1], "lock on server": [4, 1], disk: [5, 1],
	journal: [7, 1], cpu: [0, 0.5], work: [0, 1], "reply on net": [2, 1], "sent to reply": [3, 1], "lock on client": [4, 0.5],
	"client after": ["other", 0.3], unknown: ["other", 1] };
/* Where a time of a call is on the axis, and the reverse. */
const PATH_VIEWS = [
	{ name: "From the beginning of each", at: (row, ns) => ns - row.from, time: (row, x) => row.from + x,
		range: (rows) => ({ from: 0, to: d3.max(rows, (it) => it.ns) || 1 }) },
	{ name: "Shares of each", at: (row, ns) => 100 * (ns - row.from) / row.ns, time: (row, x) => row.from + x * row.ns / 100,
		range: () => ({ from: 0, to: 100, unit: [1, "%"] }) },
	{ name: "Over time", at: (row, ns) => ns, time: (row, x) => x, range: () => shown },
];
const paths = { view: PATH_VIEWS[0] };

function pathName(row) {
	return row.call ? [row.call, row.file || row.fid].filter(Boolean).join(" ") : pathRequest(row);
}

function pathRequest(row) {
	return (row.opcode || "request") + (row.xid ? " x" + row.xid : "") +
		(row.requests > 1 ? " and " + (row.requests - 1) + " more" : "");
}

function showPath(row, span) {
	const xid = (span && span[4]) || row.xid;

	if (xid)
		showAbout(pathName(row), row.from, row.ns, false, xid);
	else
		showRecords(pathName(row), row.from, row.from + row.ns + 1);
}

/* The holder of a lock, and how long each of the steps took in which he gave it back, within the wait. */
function heldText(span) {
	const [nid, file, pid, sent, received, returned] = span[5], times = [sent, received, returned, span[3]];
	const within = (ns) => Math.min(span[3], Math.max(span[2], ns));
	const steps = ["call to the holder ", "holder keeps it ", "back to the server "].map((words, i) =>
		times[i] === null || times[i + 1] === null || within(times[i]) >= within(times[i + 1]) ? null :
			words + duration(within(times[i + 1]) - within(times[i])));

	return ["held by " + nid + (pid === null ? "" : ", process " + pid + (fallHost(file) ? " of " + fallHost(file) : "")),
		...steps.filter(Boolean)];
}

function pathText(row, span) {
	const share = span ? (100 * (span[3] - span[2]) / row.ns).toFixed(1) : "";

	return [pathName(row) + ": " + duration(row.ns), ...span ? [span[0] + " " + duration(span[3] - span[2]) + ", " + share + " %" +
		(fallHost(span[1]) ? ", on " + fallHost(span[1]) : "") + (span[4] ? ", XID " + span[4] : "")] : [],
	...span && span[5] ? heldText(span) : [], row.call ? pathRequest(row) : null,
	[["FID", row.fid], ["job", row.job], ["to", row.target], ["client", row.client]].filter((it) => it[1])
		.map((it) => it.join(" ")).join(", "),
	row.left_out ? plural(row.left_out, "shorter span") + " left out" : null,
	clock(span ? span[2] : row.from) + " s"].filter(Boolean).join("\n");
}

/* The slowest calls of the window. Over time, one that began before another is above it. */
function pathRows() {
	const rows = trace.paths.filter((it) => it.from < shown.to && it.from + it.ns > shown.from).slice(0, PATH_ROWS);

	return paths.view.range(rows) === shown ? rows.sort((a, b) => a.from - b.from) : rows;
}

function drawPathSpans(chart, row, y, room) {
	for (const span of row.spans) {
		const [kind, part] = PATH_KINDS[span[0]], x = chart.x(paths.view.at(row, span[2]));

		chart.marks.append("rect").attr("class", "k" + kind).attr("stroke", "none").attr("x", x)
			.attr("width", Math.max(1, chart.x(paths.view.at(row, span[3])) - x))
			.attr("y", y + room * (1 - part) / 2).attr("height", room * part);
	}
}

/* The place of the span before or after the one at the place x, by the sign of way, within the range. */
function nextSpan(row, x, way, range) {
	const { at, time } = paths.view, spans = row.spans.filter((it) => at(row, it[2]) < range.to && at(row, it[3]) > range.from);
	const here = x === null ? -1 : spans.indexOf(spanAt(row, time(row, x)));
	const span = spans[here < 0 ? 0 : Math.max(0, Math.min(spans.length - 1, here + way))];

	return span ? (Math.max(at(row, span[2]), range.from) + Math.min(at(row, span[3]), range.to)) / 2 : null;
}

function spanAt(row, ns) {
	return row.spans.find((it) => it[2] <= ns && it[3] > ns);
}

function drawPaths() {
	const rows = pathRows(), em = textScale(), strip = STRIP * em, place = byId("paths-chart"), { at, time } = paths.view;
	const left = Math.min(280 * em, Math.max(110, place.clientWidth / 3));
	const range = paths.view.range(rows), chart = makeChart(place, Math.max(1, rows.length) * strip, left,
		"The parts of the time of Lustre's slowest calls. Each call is also in the table below.", range);

	rows.forEach((row, i) => {
		nameRow(chart, (i + 1) * strip, duration(row.ns) + " " + pathName(row));
		drawPathSpans(chart, row, i * strip, strip - 2);
	});
	if (range === shown)
		drawLosses(chart);
	watchChart(chart, 0, (x, py) => {
		const nr = Math.floor(py / strip), row = rows[nr], span = row && spanAt(row, time(row, x));
		const [from, to] = span ? [span[2], span[3]] : row ? [row.from, row.from + row.ns] : [];

		return row ? { from: at(row, from), to: at(row, to), y: nr * strip, height: strip - 1,
			text: pathText(row, span), open: () => showPath(row, span) } : null;
	}, { height: strip, n: rows.length, next: (nr, x, way) => rows[nr] ? nextSpan(rows[nr], x, way, range) : null });
	byId("paths-notes").textContent = !rows.length ?
		"None of the slowest is in this window. To see its calls, make a page of it: " + command("view", shown.from, shown.to, ["-o", "window.html"]) :
		trace.n_paths > trace.paths.length || rows.length === PATH_ROWS ?
			"Of " + plural(trace.n_paths, "call") + " the page has the " + trace.paths.length + " slowest, and draws up to " + PATH_ROWS +
			" of a window. A request that belongs to no call counts as one." : "";
}

function startPaths() {
	const used = new Set(trace.paths.flatMap((row) => row.spans.map((it) => it[0])));
	const sums = (row) => d3.rollups(row.spans, (list) => d3.sum(list, (it) => it[3] - it[2]), (it) => it[0]).sort((a, b) => b[1] - a[1]);

	byId("paths").hidden = !trace.paths.length;
	if (!trace.paths.length)
		return;
	byId("paths-legend").replaceChildren(...Object.keys(PATH_KINDS).filter((it) => used.has(it)).map((name) => {
		const it = element("li");

		it.append(swatch("k" + PATH_KINDS[name][0], PATH_KINDS[name][1]), name);
		return it;
	}));
	choices(byId("paths-by"), PATH_VIEWS.map((it) => it.name), 0, (nr) => {
		paths.view = PATH_VIEWS[nr];
		drawPaths();
	});
	makeTable(byId("paths-table"), "Lustre's calls", [{ key: "ns", title: "duration", type: "ns" }, { key: "call", title: "call", type: "text" },
		{ key: "name", title: "file", type: "text" }, { key: "request", title: "longest request", type: "text" },
		{ key: "parts", title: "parts, the longest first", type: "text" }, { key: "held", title: "locks held by", type: "text" },
		{ key: "job", title: "job", type: "text" }, { key: "target", title: "to", type: "text" }, { key: "client", title: "client", type: "text" }],
	trace.paths.map((row) => Object.assign({}, row, { name: row.file || row.fid, request: pathRequest(row),
		parts: sums(row).map((it) => it[0] + " " + duration(it[1])).join(", "),
		held: [...new Set(row.spans.filter((it) => it[5]).map((it) => heldText(it)[0].replace("held by ", "")))].join("; ") })),
	(row) => showPath(row));
	drawPaths();
	shown.listeners.push(drawPaths);
}
