/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Uses pages of view as a reader does. usage: view-browser.js PAGE STACKS TIMED LUSTRE HOSTS CALLS NAMES DIR: PAGE has system
 * calls, STACKS has call stacks, TIMED those of timed_stacks() in view.bats, LUSTRE has requests, HOSTS is of many hosts, CALLS has calls of Lustre of two hosts, one
 * of which has a lock that the other waits for, and NAMES has a call with names of HTML. DIR gets the contents of PAGE
 * as the browser has them. Prints each failure.
 */
"use strict";

const { writeFileSync } = require("fs");
const { resolve } = require("path");
const { Browser } = require("../helper/browser.js");

const [page, stacks, timed, lustre, hosts, calls, names, dir] = process.argv.slice(2).map((it) => resolve(it));
const url = (file) => "file://" + encodeURI(file).replace(/[?#]/g, encodeURIComponent);
let failures = 0;

function check(what, wanted, have) {
	if (typeof wanted === "function" ? wanted(have) : wanted === have)
		return;
	failures++;
	console.log(`${what}: have ${JSON.stringify(have)}` + (typeof wanted === "function" ? "" : `, wanted ${JSON.stringify(wanted)}`));
}

async function load(browser, file) {
	await browser.load(url(file));
	check("ready", "true", await browser.value("document.documentElement.dataset.ready"));
	check("error", null, await browser.value("document.documentElement.dataset.error || null"));
}

const text = (id) => `document.getElementById(${JSON.stringify(id)}).textContent`;
const hidden = (id) => `document.getElementById(${JSON.stringify(id)}).hidden`;

/* A click and the keyboard show the records of a mark. */
async function records(browser) {
	/* The middle of the highest bar. */
	const across = await browser.value(`(() => { const bins = new Map();
		for (const it of trace.events)
			for (const [bin, n] of pairsOf(it.series || []))
				bins.set(bin, (bins.get(bin) || 0) + n);
		const [bin] = [...bins].sort((a, b) => b[1] - a[1])[0];
		const chart = document.querySelector("#rates-chart svg").getBoundingClientRect(), left = 64;
		return (left + (bin + 0.5) * trace.bin / wholeTrace() * (chart.width - left - 8)) / chart.width; })()`);

	await browser.click('document.querySelector("#rates-chart svg")', across);
	check("records of a bar", false, await browser.value(hidden("records")));
	check("the bar's records are in its time", true, await browser.value(`(() => {
		const [from, to] = ${text("records-command")}.match(/\\d+\\.\\d{9}/g).map(Number);
		const lines = ${text("records-text")}.split("\\n");
		return lines.length > 0 && lines.every((line) => { const at = Number(line.match(/ (\\d+\\.\\d{6}):/)[1]);
			return at >= from - 1e-6 && at <= to + 1e-6; }); })()`));
	await browser.click('document.getElementById("records-close")');
	check("Close", true, await browser.value(hidden("records")));
	await browser.value('document.querySelector("#latency-chart svg").focus()');
	await browser.press("ArrowRight", "Enter");
	check("the keyboard shows records", false, await browser.value(hidden("records")));
	await browser.press("Escape");
	check("Escape", true, await browser.value(hidden("records")));
	await browser.click('document.querySelector("#latency-slowest td button")');
	check("the slowest pair has two records", 2, await browser.value(text("records-text") + '.split("\\n").length'));
	await browser.press("Escape");
	await browser.click('document.getElementById("records-close")');
}

/* The headings sort, up and down. */
async function sorting(browser) {
	const column = `[...document.querySelectorAll("#table-events tbody tr")].map((tr) => Number(tr.querySelector("td.number").dataset.value))`;
	const button = `[...document.querySelectorAll("#table-events th button")].find((it) => it.textContent === "records")`;
	const before = await browser.value(column);

	check("rows", (n) => n > 10, before.length);
	await browser.click(button);
	await browser.click(button);
	check("ascending", JSON.stringify(before.slice().sort((a, b) => a - b)), JSON.stringify(await browser.value(column)));
	check("aria-sort", "ascending", await browser.value(button + '.parentElement.getAttribute("aria-sort")'));
	await browser.click(button);
	check("descending", JSON.stringify(before.slice().sort((a, b) => b - a)), JSON.stringify(await browser.value(column)));
}

/* Nothing is wider than the window, and no label of an axis is cut. */
async function layout(browser) {
	for (const [width, height, dark] of [[390, 844, false], [1280, 900, true], [3840, 2160, false]]) {
		await browser.size(width, height, dark);
		await browser.value("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
		check(`theme at ${width}`, dark ? "dark" : "light", await browser.value("document.documentElement.dataset.theme"));
		check(`overflow at ${width}`, true, await browser.value("document.documentElement.scrollWidth <= innerWidth"));
		check(`cut labels at ${width}`, "", await browser.value(`[...document.querySelectorAll(".chart .tick text")].filter((it) => {
			const box = it.getBoundingClientRect(), svg = it.closest("svg").getBoundingClientRect();
			return box.left < svg.left - 1 || box.right > svg.right + 1 || box.bottom > svg.bottom + 1; })
			.map((it) => it.textContent).join(", ")`));
	}
	await browser.size(1280, 900, false);
}

async function print(browser) {
	await browser.media("print", true);
	check("what only a screen needs", 0, await browser.value(
		`[...document.querySelectorAll(".screen")].filter((it) => it.getClientRects().length).length`));
	check("PDF", "%PDF", (await browser.pdf()).subarray(0, 4).toString());
	await browser.media("screen", false);
}

/* Search colours frames and adds them up; a click zooms. */
async function flame(browser) {
	const frame = (name) => `[...document.querySelectorAll("#stacks-chart g[role=button]")]
		.find((it) => it.getAttribute("aria-label").startsWith(${JSON.stringify(name)} + ","))`;
	const [name, n, total] = await browser.value(`(() => { const all = [];
		(function walk(node, depth) { all.push([node[0], node[1], depth]); node[3].forEach((it) => walk(it, depth + 1)); })(trace.stacks.tree, 0);
		const it = all.filter((node) => node[2] === 2)[0]; return [it[0], it[1], all[0][1]]; })()`);

	check("all", `All: ${total} records`, (await browser.value(text("stacks-now"))).replace("\u202f", ""));
	await browser.value(`(() => { const it = document.getElementById("stacks-search"); it.value = ${JSON.stringify(name.toUpperCase())};
		it.dispatchEvent(new Event("input")); })()`);
	check("search", (have) => have.endsWith(` % contain \u201c${name.toLowerCase()}\u201d`), await browser.value(text("stacks-now")));
	check("matches", (have) => have > 0, await browser.value('document.querySelectorAll("#stacks-chart .match").length'));
	await browser.click(frame(name) + '.querySelector("rect")');
	check("zoom", (have) => have.includes(`;${name}: `) && have.replace("\u202f", "").includes(`: ${n} record`),
		await browser.value(text("stacks-now")));
	check("the frame fills the chart", true, await browser.value(`(() => { const chart = document.querySelector("#stacks-chart svg");
		return Number(${frame(name)}.querySelector("rect").getAttribute("width")) > chart.viewBox.baseVal.width - 2; })()`));
	await browser.click('document.getElementById("stacks-reset")');
	check("reset", (have) => have.startsWith("All: "), await browser.value(text("stacks-now")));
}

/* The flame graph is that of the time which the cells of the heat map, or the other charts, choose. */
async function stacksOverTime(browser) {
	const frames = `[...document.querySelectorAll("#stacks-chart g[role=button]")].map((it) => it.getAttribute("aria-label"))
		.filter((it) => it.startsWith("in_")).join("; ")`;
	const cell = (column, row) => browser.click('document.querySelector("#heat-chart svg")', ...cellPlace(column, row));
	const [width, height] = await browser.value('(({ width, height }) => [width, height])(document.querySelector("#heat-chart svg").viewBox.baseVal)');
	/* The plot begins 64 from the left and 4 from the top. */
	const cellPlace = (column, row) => [(64 + (column + 0.5) * (width - 72) / 4) / width, (4 + (49.5 - row) * (height - 28) / 50) / height];

	check("all", "All: 200 records", await browser.value(text("stacks-now")));
	check("columns and rows", "[20000000,50,200]", await browser.value("JSON.stringify([heat.row, heat.rows, heat.cells.length])"));
	await cell(1, 0);
	check("half a range", (have) => have.startsWith("From 2.000001000 s: "), await browser.value(text("heat-now")));
	await cell(1, 24);
	check("the time of two cells", "All: 25 records, 2.000001000 to 2.500001000 s", await browser.value(text("stacks-now")));
	check("its frames", "in_second_1, 25 records, 100.00 %", await browser.value(frames));
	check("the range in the map", 1, await browser.value('document.querySelectorAll("#heat-chart .chosen").length'));
	check("the common time", "[1000000000,1500000000]", await browser.value("JSON.stringify([shown.from, shown.to])"));
	await browser.value("show(0.5e9, 2.5e9)");
	check("other frames", "in_second_0, 25 records, 25.00 %; in_second_1, 50 records, 50.00 %; in_second_2, 25 records, 25.00 %", await browser.value(frames));
	await browser.value("show(0.002e9, 0.003e9)");
	check("a time without stacks", (have) => have.startsWith("All: 0 records, "), await browser.value(text("stacks-now")));
	await browser.value('document.querySelector("#heat-chart svg").focus()');
	await browser.press("Escape");
	check("all again", "All: 200 records", await browser.value(text("stacks-now")));
	await browser.press("ArrowRight", "Enter", "ArrowRight", "ArrowRight", "Enter");
	check("a range by the keyboard", (have) => /^All: [1-9]\d* records, 1\.9/.test(have), await browser.value(text("stacks-now")));
	await browser.press("Escape");
	await layout(browser);
}

/* A row of the waterfall shows the messages of its request. */
async function requests(browser) {
	const labels = await browser.value('[...document.querySelectorAll("#lustre-chart svg > text title")].map((it) => it.textContent)');
	const xid = labels[0].match(/x(\d+)$/)[1];

	check("spans without a colour", "", await browser.value('trace.waterfall.flatMap((it) => it.spans).map((it) => it[0]).filter((it) => !(it in FALL_COLORS)).join()'));
	check("the slowest request is first", xid, await browser.value("trace.waterfall.filter((it) => !isOpen(it)).sort((a, b) => b.ns - a.ns)[0].id"));
	await browser.click('document.querySelector("#lustre-chart svg")', 0.5, 0.015);
	check("command", (have) => have.startsWith(`dktrace lustre rpc --xid ${xid} `), await browser.value(text("records-command")));
	check("messages", true, await browser.value(text("records-text") + `.split("\\n").every((it) => it.includes("x${xid}"))`));
	await browser.value('document.querySelector("#lustre-chart svg").focus()');
	await browser.press("ArrowRight", "ArrowDown", "ArrowDown", "ArrowUp", "Enter");
	check("the second row by the keyboard", labels[1], await browser.value(text("records-title") + '.split(",")[0]'));
	await browser.value('document.querySelectorAll("#lustre-by button")[1].click()');
	check("requests without an end", true, await browser.value("fallRows().length > 0 && fallRows().every((it) => isOpen(it.marks[0].row))"));
}

/* A row of Lustre's calls has its parts, which the keyboard reaches, each with its numbers and the holder of a lock. */
async function partsOfCalls(browser) {
	const button = (nr) => `document.querySelectorAll("#paths-by button")[${nr}].click()`;
	const first = 'document.querySelector("#paths-chart svg > text title").textContent';
	const [row, nr, xid] = await browser.value(`(() => { const row = pathRows().findIndex((it) => it.spans.some((span) => span[5]));
		return [row, pathRows()[row].spans.findIndex((it) => it[5]), pathRows()[row].xid]; })()`);

	check("parts without a colour", "", await browser.value('trace.paths.flatMap((it) => it.spans).map((it) => it[0]).filter((it) => !(it in PATH_KINDS)).join()'));
	check("rows", 40, await browser.value("pathRows().length"));
	check("the slowest call is first", true, await browser.value(first + " === duration(d3.max(trace.paths, (it) => it.ns)) + ' ' + pathName(trace.paths[0])"));
	await browser.value('document.querySelector("#paths-chart svg").focus()');
	await browser.press("ArrowRight", ...Array(row).fill("ArrowDown"), ...Array(nr).fill("ArrowRight"));
	const told = await browser.value(text("tip"));
	check("the lock", (have) => /\nlock on client [0-9.]+ m?s, [0-9.]+ %, on .*client/.test(have), told);
	check("its holder", (have) => /\nheld by 10\.9\.0\.2@tcp, process [0-9]+ of .*\n(.+\n)*back to the server [0-9.]+ m?s\n/.test(have), told);
	await browser.press("Enter");
	check("command", (have) => have.startsWith(`dktrace lustre rpc --xid ${xid} `), await browser.value(text("records-command")));
	await browser.press("Escape");
	await browser.value(button(1));
	check("shares", "100 %", await browser.value('[...document.querySelectorAll("#paths-chart .tick text")].pop().textContent'));
	check("each call is whole", true, await browser.value(`(() => { const all = [...document.querySelectorAll("#paths-chart svg > g g rect")];
		const width = Number(document.querySelector("#paths-chart clipPath rect").getAttribute("width"));
		const sum = d3.sum(pathRows(), (it) => d3.sum(it.spans, (span) => span[3] - span[2]) / it.ns);
		return all.length >= d3.sum(pathRows(), (it) => it.spans.length) && Math.abs(sum - pathRows().length) < 1e-6 && width > 0; })()`));
	await browser.value(button(2));
	await browser.value("show(trace.paths[0].from, trace.paths[0].from + trace.paths[0].ns)");
	check("calls in order of their beginning", true, await browser.value(`(() => { const rows = pathRows();
		return rows.length > 1 && rows.every((it, i) => !i || it.from >= rows[i - 1].from) && rows.includes(trace.paths[0]); })()`));
	await browser.value("show(0, d3.min(trace.paths, (it) => it.from))");
	check("a window without calls", (have) => have.startsWith("None of the slowest is in this window. "), await browser.value(text("paths-notes")));
	await browser.value("show(0, wholeTrace())");
	await browser.value(button(0));
	await layout(browser);
}

/* Names of a log are text, wherever they are. */
async function hostileNames(browser) {
	const name = await browser.value("trace.paths[0].file");

	check("a name of HTML", (have) => have.includes("<img"), name);
	await browser.value('document.querySelector("#paths-chart svg").focus()');
	await browser.press("ArrowRight", "ArrowRight", "Enter");
	for (const id of ["tip", "paths-table", "paths-chart"])
		check(`the name in ${id}`, (have) => have.includes(name), await browser.value(text(id)));
	check("elements of names", 0, await browser.value('document.querySelectorAll("img, b, i").length'));
	check("title", (have) => have.endsWith(" - dktrace"), await browser.value("document.title"));
}

/* Each host has its small charts, and only kinds of numbers have buttons. */
async function manyHosts(browser) {
	const names = "trace.files.map((it) => it.name).join()", n = await browser.value("trace.files.length");
	const charts = (id) => `[...document.querySelectorAll("#${id} .multiple > span:first-child")].map((it) => it.textContent).join()`;

	check("hosts", (have) => have >= 40, n);
	check("buttons", (have) => have <= 8, await browser.value('document.querySelectorAll(".controls button").length - document.querySelectorAll("#records button").length'));
	check("latencies", await browser.value(names), await browser.value(charts("latency-hosts")));
	check("scale", true, await browser.value(`[...document.querySelectorAll("#latency-hosts path")].every((it) =>
		it.getAttribute("d").length > 3 && !it.getAttribute("d").includes("NaN"))`));
	await browser.click('document.querySelectorAll("#latency-hosts button")[17]');
	check("the chosen host", (have) => have.startsWith("h17.txt: "), await browser.value(text("latency-title")));
	check("its button", "true", await browser.value('document.querySelectorAll("#latency-hosts button")[17].getAttribute("aria-pressed")'));
	check("its focus", true, await browser.value('document.querySelectorAll("#latency-hosts button")[17] === document.activeElement'));
	check("rates hidden", true, await browser.value(hidden("rates-hosts")));
	await browser.click('[...document.querySelectorAll("#rates-by button")].find((it) => it.textContent === "Host")');
	check("rates", await browser.value(names), await browser.value(charts("rates-hosts")));
	check("the other chart", true, await browser.value(hidden("rates-chart")));
	await browser.value("show(0, wholeTrace() / 2)");
	check("zoom", "", await browser.value("document.documentElement.dataset.error || ''"));
	await browser.value("show(0, wholeTrace())");
	await browser.click('[...document.querySelectorAll("#rates-by button")].find((it) => it.textContent === "Event")');
	check("the chart again", false, await browser.value(hidden("rates-chart")));
	await layout(browser);
}

async function main() {
	const browser = new Browser(dir + "/profile");

	await browser.open();
	await browser.size(1280, 900, false);
	await load(browser, page);
	writeFileSync(dir + "/dom", await browser.value("document.documentElement.outerHTML"));
	await records(browser);
	await sorting(browser);
	await layout(browser);
	await print(browser);
	await load(browser, stacks);
	await flame(browser);
	await load(browser, timed);
	await stacksOverTime(browser);
	await load(browser, lustre);
	await requests(browser);
	await load(browser, calls);
	await partsOfCalls(browser);
	await load(browser, names);
	await hostileNames(browser);
	await load(browser, hosts);
	await manyHosts(browser);
	check("errors of scripts", "", browser.errors.join("\n"));
	await browser.close();
	process.exitCode = failures ? 1 : 0;
}

main().catch((error) => { console.log(error.stack); process.exit(1); });
