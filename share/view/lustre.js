/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lustre's requests and locks over time: a row for each, the slowest first, or for each thread. */
"use strict";

const FALL_ROWS = 40;
/* The kinds of spans in the order in which they are drawn, with the number of their colour. */
const FALL_COLORS = { client: "other", send: 6, queue: 1, service: 0, bulk: 3, reply: 2, held: 4, wait: 1, callback: 7 };
const FALL_VIEWS = ["Slowest", "Without an end", "By thread"];
const fall = { view: FALL_VIEWS[0] };

function isOpen(row) {
	return row.spans.some((it) => it[4]);
}

function fallHost(nr) {
	return trace.files.length > 1 ? trace.files[nr].name : null;
}

/* Shows the messages about a lock or a request. */
function showAbout(title, from, ns, isLock, id) {
	const words = trace.files.map((it) => it.path).map(quoted).join(" ");

	showRecords(title, from, from + ns + 1, (it) => it[3].includes(isLock ? id : "x" + id));
	byId("records-command").textContent = isLock ? "dktrace lustre timeline " + id + " " + words :
		"dktrace lustre rpc --xid " + id + " " + words;
	byId("records-note").textContent = "The command prints every message about " +
		(isLock ? "the lock." : "the request, on all hosts.");
}

function showFall(row) {
	showAbout(row.label, row.from, row.ns, row.lock, row.id);
}

/* True for kinds of spans that a thread has one after the other. */
function isAlone(row, kind) {
	return kind === "service" || kind === "wait" || (kind === "client" && row.spans.length === 1);
}

/* Rows to draw: { name, marks }; a mark is a span with its row of the data. */
function fallRows() {
	const inside = trace.waterfall.filter((it) => it.from < shown.to && it.from + it.ns > shown.from)
		.sort((a, b) => b.ns - a.ns);
	const threads = new Map();

	if (fall.view !== "By thread")
		return inside.filter((it) => isOpen(it) === (fall.view === "Without an end")).slice(0, FALL_ROWS)
			.map((row) => ({ name: row.label, marks: row.spans.map((span) => ({ row, span })) }));
	for (const row of inside)
		for (const span of row.spans.filter((it) => isAlone(row, it[0]))) {
			const name = named(row.lock ? "locks" : row.thread || "requests", fallHost(span[1]));

			threads.set(name, (threads.get(name) || []).concat({ row, span }));
		}
	return [...threads].map(([name, marks]) => ({ name, marks })).sort((a, b) => compare(a.name, b.name)).slice(0, FALL_ROWS);
}

function fallText(mark) {
	const row = mark.row;

	return [row.label, ...row.spans.map((it) => it[0] + " " + (it[4] ? "did not end, so far " : "") + duration(it[3] - it[2]) +
		(fallHost(it[1]) ? " on " + fallHost(it[1]) : "")),
	[["NID", row.nid], ["thread", row.thread], ["job", row.job], ["namespace", row.space]]
		.filter((it) => it[1]).map((it) => it.join(" ")).join(", "), clock(row.from) + " s"].filter(Boolean).join("\n");
}

function drawFall() {
	const rows = fallRows(), em = textScale(), strip = STRIP * em, place = byId("lustre-chart");
	const left = Math.min(260 * em, Math.max(110, place.clientWidth / 3));
	const chart = makeChart(place, Math.max(1, rows.length) * strip, left,
		"Requests and locks over time. Each row is also in the table below.");
	const order = Object.keys(FALL_COLORS);

	rows.forEach((row, i) => {
		nameRow(chart, (i + 1) * strip, row.name);
		row.marks.sort((a, b) => b.span[4] - a.span[4] || order.indexOf(a.span[0]) - order.indexOf(b.span[0]));
		for (const { span } of row.marks) {
			const thin = span[0] === "client" || span[0] === "held", x = chart.x(span[2]);

			chart.marks.append("rect").attr("class", "k" + FALL_COLORS[span[0]]).attr("stroke", "none").attr("x", x)
				.attr("width", Math.max(1, chart.x(span[3]) - x)).attr("y", i * strip + (thin ? strip / 2 - 2 : 1))
				.attr("height", thin ? 3 : strip - 3)
				.attr("fill-opacity", span[4] ? 0.5 : 1);
		}
	});
	drawLosses(chart);
	watchChart(chart, (shown.to - shown.from) / 100, (time, py) => {
		const nr = Math.floor(py / strip), marks = rows[nr] ? rows[nr].marks : [];
		/* A row is one request: anywhere in it is right. */
		const mark = marks.filter((it) => it.span[2] <= time && it.span[3] >= time).pop() || (fall.view === "By thread" ? null : marks[0]);

		return mark ? { from: mark.row.from, to: mark.row.from + mark.row.ns, y: nr * strip, height: strip - 1,
			text: fallText(mark), open: () => showFall(mark.row) } : null;
	}, { height: strip, n: rows.length });
	byId("lustre-notes").textContent = rows.length ? "A pale mark did not end." : "There are none in this window.";
}

function startLustre() {
	const rows = trace.waterfall;
	/* null: the log does not tell. */
	const sum = (row, kind) => {
		const spans = row.spans.filter((it) => it[0] === kind);

		return spans.length ? d3.sum(spans, (it) => it[3] - it[2]) : null;
	};
	const kinds = Object.keys(FALL_COLORS).filter((kind) => rows.some((row) => row.spans.some((it) => it[0] === kind)));

	byId("lustre").hidden = !rows.length;
	if (!rows.length)
		return;
	byId("lustre-legend").replaceChildren(...kinds.map((kind) => {
		const it = element("li");

		it.append(swatch("k" + FALL_COLORS[kind]), kind);
		return it;
	}));
	fall.view = FALL_VIEWS[rows.every(isOpen) ? 1 : 0];
	choices(byId("lustre-by"), FALL_VIEWS, FALL_VIEWS.indexOf(fall.view), (nr) => {
		fall.view = FALL_VIEWS[nr];
		drawFall();
	});
	makeTable(byId("lustre-table"), "Requests and locks", [{ key: "label", title: "request or lock", type: "text" },
		{ key: "ns", title: "duration", type: "ns" }, { key: "queue", title: "queue", type: "ns" },
		{ key: "service", title: "service", type: "ns" }, { key: "nid", title: "NID", type: "text" },
		{ key: "thread", title: "thread", type: "text" }, { key: "job", title: "job", type: "text" },
		{ key: "state", title: "end", type: "text" }],
	rows.map((row) => Object.assign({}, row, { queue: sum(row, "queue"), service: sum(row, "service"),
		state: isOpen(row) ? "none" : "yes" })).sort((a, b) => b.ns - a.ns), showFall);
	drawFall();
	shown.listeners.push(drawFall);
}
