/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fills the page once all its scripts are there. */
"use strict";

function summary() {
	const lost = d3.sum(trace.files, (it) => it.lost), least = trace.files.some((it) => it.lost_is_least);
	const losses = lost ? (least ? "at least " : "") + count(lost) + " lost" :
		least ? "an unknown number lost" : "nothing lost";
	const begins = wall(0);
	/* The list has an event once for each file. */
	const names = new Set(trace.events.map((it) => it.system + ":" + it.name));

	if (!trace.events.length && !lost && !least)
		return trace.selects ? "No record is selected. The command \u201cdktrace info " + quoted(trace.files[0].path) +
			"\u201d shows the events and times of the file." : "The file has no records.";
	return [plural(d3.sum(trace.events, (it) => it.count), "record") + " of " + plural(names.size, "event") +
		" in " + duration(trace.end), losses,
	begins ? "from " + begins : "from " + clock(0) + " s"].concat(trace.lacking.length ?
		[trace.lacking.length + " of " + plural(trace.collected, "host") + " did not send everything"] : []).join("; ");
}

/* A table with its heading, unless it is empty. */
function headedTable(place, heading, columns, rows, act) {
	if (!rows.length)
		return;
	makeTable(place, heading, columns, rows, act);
	place.prepend(element("h3", heading));
}

function startTables() {
	const files = trace.files.length > 1 ? [{ key: "file", title: "file", type: "text" }] : [];
	const runs = trace.tasks.list.some((it) => it.runs) ? [{ key: "runs", title: "runs", type: "count" },
		{ key: "ns", title: "time on CPU", type: "ns" }] : [];

	headedTable(byId("table-events"), "Events", files.concat({ key: "event", title: "event", type: "text" },
		{ key: "kinds", title: "classes", type: "text" }, { key: "count", title: "records", type: "count" }),
	trace.events.map((it) => Object.assign({ event: it.system + ":" + it.name, kinds: it.classes.join(" ") }, it)),
	(row) => showRecords(row.event, 0, wholeTrace(), (it) => it[1] === row.name));
	headedTable(byId("table-tasks"), "Processes", files.concat({ key: "comm", title: "name", type: "text" },
		{ key: "pid", title: "PID", type: "id" }, { key: "records", title: "records", type: "count" }, ...runs),
	trace.tasks.list);
	if (trace.tasks.n > trace.tasks.list.length)
		byId("table-tasks").append(element("p", plural(trace.tasks.n - trace.tasks.list.length, "more process").replace(/s$/, "es")));
	headedTable(byId("table-files"), "Files", [{ key: "path", title: "file", type: "text" }, { key: "kind", title: "kind", type: "text" },
		{ key: "host", title: "host", type: "text" }, { key: "kernel", title: "kernel", type: "text" },
		{ key: "records", title: "records", type: "count" }, { key: "lost", title: "lost", type: "count" },
		{ key: "damage", title: "damage", type: "text" }].concat(trace.files.some((it) => it.error) ?
		[{ key: "error", title: "clock off by at most", type: "ns" }] : []),
	trace.files.concat(trace.lacking.filter((it) => !it.sent).map((it) => Object.assign({ path: it.name, records: 0, lost: 0 }, it))));
}

function startCharts() {
	startRates();
	startLatency();
	startStacks();
	startHosts();
	startTasks();
	startPaths();
	startLustre();
}

function start() {
	byId("summary").textContent = summary();
	byId("footer").textContent = "Made by dktrace " + trace.version + ".";
	useTheme();
	shown.to = wholeTrace();
	if (d3.create) {
		startCharts();
	} else {
		byId("lacks").textContent = "This page has no charts: the dktrace that made it was built without d3, which draws them.";
		byId("lacks").hidden = false;
	}
	startTables();
	for (const section of document.querySelectorAll("section:not([hidden])")) {
		const link = element("a", section.querySelector("h2").textContent);

		link.href = "#" + section.id;
		byId("nav").append(link);
	}
	let width = innerWidth;
	window.addEventListener("resize", () => {
		if (innerWidth === width)
			return;
		width = innerWidth;
		shown.listeners.forEach((draw) => draw());
	});
	document.documentElement.dataset.ready = "true";
}

start();
