/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Exchanges between hosts: the way of each through the lines of its hosts. */
"use strict";

/* More ways make a picture that nobody can read. */
const WAYS_SHOWN = 40;
/* The height of a host's line at the usual size of text. */
const LANE = 44;

function waysShown() {
	return trace.exchanges.filter((it) => it.from < shown.to && it.from + it.ns >= shown.from).slice(0, WAYS_SHOWN);
}

function stepText(way, step) {
	const error = trace.files[step[0]].error;

	return [way.label, step[2] + " on " + trace.files[step[0]].name,
		duration(step[1] - way.from) + " after the first step, " + duration(way.ns) + " in all", clock(step[1]) + " s" +
		(error ? ", off by at most " + duration(error) : "")].join("\n");
}

function showStep(way, step) {
	showRecords(way.label, way.from, way.from + way.ns + 1, null);
	byId("records-note").textContent = step[2] + " at " + clock(step[1]) + " s. The command prints all records of the exchange's time.";
}

/* Half a step's mark, in the chart's units. */
const DOT = 4;

function drawHosts() {
	const ways = waysShown(), em = textScale(), lane = LANE * em, place = byId("hosts-chart");
	const hosts = [...new Set(trace.exchanges.flatMap((it) => it.steps.map((step) => step[0])))].sort((a, b) => a - b);
	const left = Math.min(160 * em, Math.max(72, place.clientWidth / 5));
	const y = new Map(hosts.map((nr, i) => [nr, (i + 0.5) * lane]));
	const chart = makeChart(place, hosts.length * lane, left, "Exchanges between hosts over time. Each is also in the table below.");

	for (const nr of hosts) {
		nameRow(chart, y.get(nr) + 8, trace.files[nr].name);
		chart.marks.append("line").attr("class", "lane").attr("x2", chart.width).attr("y1", y.get(nr)).attr("y2", y.get(nr));
	}
	ways.forEach((way, i) => {
		const kind = "k" + i % COLORS, at = (step) => [chart.x(step[1]), y.get(step[0])];

		chart.marks.append("path").attr("class", "way " + kind).attr("d", d3.line()(way.steps.map(at)));
		for (const step of way.steps)
			chart.marks.append("circle").attr("class", kind).attr("cx", at(step)[0]).attr("cy", at(step)[1]).attr("r", DOT);
	});
	drawLosses(chart);
	watchChart(chart, (shown.to - shown.from) / 100, (time, py) => {
		const near = ways.flatMap((way) => way.steps.map((step) => ({ way, step,
			off: Math.hypot(chart.x(step[1]) - chart.x(time), y.get(step[0]) - py) }))).sort((a, b) => a.off - b.off)[0];

		return near && near.off <= lane ? { from: near.way.from, to: near.way.from + near.way.ns + 1,
			y: y.get(near.step[0]) - lane / 2, height: lane, text: stepText(near.way, near.step),
			open: () => showStep(near.way, near.step) } : null;
	});
	byId("hosts-notes").textContent = !ways.length ? "There are none in this window." :
		ways.length === WAYS_SHOWN || trace.n_exchanges > trace.exchanges.length ?
			"Of " + plural(trace.n_exchanges, "exchange") + " the page has the " + trace.exchanges.length +
			" longest, and draws up to " + WAYS_SHOWN + " of a window." : "";
}

function startHosts() {
	byId("hosts").hidden = !trace.exchanges.length;
	if (!trace.exchanges.length)
		return;
	makeTable(byId("hosts-table"), "Exchanges between hosts", [{ key: "label", title: "exchange", type: "text" },
		{ key: "ns", title: "from first to last step", type: "ns" }, { key: "hosts", title: "hosts", type: "text" },
		{ key: "way", title: "steps, with the time since the one before", type: "text" }],
	trace.exchanges.map((it) => Object.assign({}, it, {
		hosts: [...new Set(it.steps.map((step) => trace.files[step[0]].name))].join(", "),
		way: it.steps.map((step, i) => trace.files[step[0]].name + " " + step[2] +
			(i ? " +" + duration(step[1] - it.steps[i - 1][1]) : "")).join(", ") })),
	(row) => {
		show(row.from - row.ns / 10, row.from + row.ns * 1.1 + 1);
		showRecords(row.label, row.from, row.from + row.ns + 1, null);
	});
	drawHosts();
	shown.listeners.push(drawHosts);
}
