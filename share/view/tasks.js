/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CPUs and processes over time: how much they ran, or each run if the window is short. */
"use strict";

const RUNS_SHOWN = 4000;
/* The height of a row at the usual size of text. */
const STRIP = 16;

function taskName(task) {
	return named((task.comm || "<...>") + "-" + task.pid, task.file);
}

/* The runs in the window; null: there are too many, or the page does not have them all. */
function runsShown() {
	const runs = trace.tasks.runs, kept = runs.length ? runs[runs.length - 1][3] : 0;
	const inside = runs.filter((it) => it[3] > shown.from && it[2] < shown.to);

	return inside.length <= RUNS_SHOWN && (runs.length === trace.tasks.n_runs || shown.to <= kept) ? inside : null;
}

/* rows: { name, busy }. nr of a row: what rowOf(run) returns. */
function drawStrips(place, rows, label, runs, rowOf) {
	const em = textScale(), strip = STRIP * em;
	const left = Math.min(160 * em, Math.max(72, place.clientWidth / 5)), width = trace.bin * trace.wide;
	const chart = makeChart(place, rows.length * strip, left, label);
	const style = getComputedStyle(document.documentElement);
	const shade = d3.interpolateRgb(style.getPropertyValue("--panel"), style.getPropertyValue("--c0"));

	rows.forEach((row, i) => {
		nameRow(chart, (i + 1) * strip, row.name);
		for (const [column, ns] of runs ? [] : pairsOf(row.busy || [])) {
			const x = chart.x(column * width), end = chart.x((column + 1) * width);

			if (end > 0 && x < chart.width)
				chart.marks.append("rect").attr("x", x).attr("width", Math.max(1, end - x)).attr("y", i * strip)
					.attr("height", strip - 2).attr("fill", shade(Math.max(0.12, Math.min(1, ns / width))));
		}
	});
	for (const run of runs || []) {
		const row = rowOf(run);

		if (row === null || row >= rows.length)
			continue;
		chart.marks.append("rect").attr("class", run[1] === null ? "kother" : "k" + run[1] % COLORS).attr("stroke", "none")
			.attr("x", chart.x(run[2])).attr("width", Math.max(0.5, chart.x(run[3]) - chart.x(run[2])))
			.attr("y", row * strip).attr("height", strip - 2);
	}
	drawLosses(chart);
	watchChart(chart, width, (time, py) => {
		const nr = Math.floor(py / strip), column = Math.floor(time / width), row = rows[nr];
		const run = runs && runs.find((it) => rowOf(it) === nr && it[2] <= time && it[3] > time);

		if (!row)
			return null;
		if (run)
			return { from: run[2], to: run[3], y: nr * strip, height: strip - 2, text: row.name + "\n" +
				(run[1] === null ? "another process" : taskName(trace.tasks.list[run[1]])) + " on CPU " + trace.tasks.cpus[run[0]].cpu +
				"\n" + duration(run[3] - run[2]) + "\n" + clock(run[2]) + " s" };
		const ns = (pairsOf(row.busy || []).find((it) => it[0] === column) || [0, 0])[1];

		return { from: column * width, to: (column + 1) * width, y: nr * strip, height: strip - 2,
			records: row.records, text: row.name + "\nran " + duration(ns) + " of " + duration(width) + "\n" + clock(column * width) + " s" };
	}, { height: strip, n: rows.length });
}

function drawTasks() {
	const cpus = trace.tasks.cpus.map((it, nr) => ({ nr, name: named("CPU " + it.cpu, it.file), busy: it.busy, cpu: it.cpu }))
		.sort((a, b) => compare(a.name, b.name));
	const place = new Map(cpus.map((it, i) => [it.nr, i])), runs = runsShown();
	const list = trace.tasks.list.map((it, row) => ({ row, name: taskName(it), busy: it.busy }))
		.filter((it) => it.busy).slice(0, 25);
	const rowOfTask = new Map(list.map((it, i) => [it.row, i]));

	for (const cpu of cpus)
		cpu.records = (sample) => sample[2] === cpu.cpu;
	drawStrips(byId("tasks-cpus"), cpus, "CPUs over time", runs, (run) => place.get(run[0]));
	drawStrips(byId("tasks-list"), list, "Processes over time", runs,
		(run) => rowOfTask.has(run[1]) ? rowOfTask.get(run[1]) : null);
	byId("tasks-notes").textContent = runs ? plural(runs.length, "run") + " in this window, each in the colour of its process." :
		"To see each run, zoom into a shorter time, or make a page of it: " + command("view", shown.from, shown.to, ["-o", "window.html"]);
}

function startTasks() {
	byId("tasks").hidden = !trace.tasks.cpus.some((it) => it.ns);
	if (byId("tasks").hidden)
		return;
	drawTasks();
	shown.listeners.push(drawTasks);
}
