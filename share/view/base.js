/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The page: its data, times and texts, the theme, tables, and the records behind a mark. */
"use strict";

/* A script error must not pass for a quiet trace. */
function showError(message) {
	const place = document.getElementById("error");

	document.documentElement.dataset.error = message;
	place.textContent = "This page has an error: " + message;
	place.hidden = false;
}
window.addEventListener("error", (event) => showError(event.message));
window.addEventListener("securitypolicyviolation", (event) => showError("refused: " + event.violatedDirective));

const trace = JSON.parse(document.getElementById("data").textContent);
const COLORS = 8;

function byId(id) {
	return document.getElementById(id);
}

/* Text of a trace only ever becomes text. */
function element(name, text, className) {
	const it = document.createElement(name);

	if (text !== undefined)
		it.textContent = text;
	if (className)
		it.className = className;
	return it;
}

/* ---- numbers and times ---- */

function count(n) {
	return String(n).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
}

function plural(n, one) {
	return count(n) + " " + one + (n === 1 ? "" : "s");
}

/* As duration_text() of the program: three digits. */
function duration(ns) {
	const units = [[1e9, "s"], [1e6, "ms"], [1e3, "\u00b5s"]];

	for (const [size, name] of units)
		if (ns >= size)
			return Number((ns / size).toPrecision(3)) + " " + name;
	return Math.round(ns) + " ns";
}

/* Seconds of the trace's clock, with all digits: for --since and --until. */
function clock(ns) {
	const at = (BigInt(trace.origin) + BigInt(Math.round(ns))).toString().padStart(10, "0");

	return at.slice(0, -9) + "." + at.slice(-9);
}

/* The time of day, if it is known. */
function wall(ns) {
	if (trace.wall === null)
		return "";
	const at = BigInt(trace.origin) + BigInt(Math.round(ns)) + BigInt(trace.wall);
	const day = new Date(Number(at / 1000000n));

	return isNaN(day) ? "" : day.toISOString().replace("T", " ").replace("Z", " UTC");
}

function span(from, to) {
	return clock(from) + " to " + clock(to) + " s";
}

/* An array of index, count, index, count ... as [index, count] pairs. */
function pairsOf(list) {
	const all = [];

	for (let i = 0; i < list.length; i += 2)
		all.push([list[i], list[i + 1]]);
	return all;
}

function named(name, file) {
	return file === null || file === undefined ? name : file + ": " + name;
}

/* ---- the window of time that the charts show ---- */

const shown = { from: 0, to: 0, listeners: [] };

function wholeTrace() {
	return Math.max(trace.end + 1, trace.bin);
}

function show(from, to) {
	shown.from = Math.max(0, Math.min(from, to));
	shown.to = Math.min(wholeTrace(), Math.max(from, to));
	shown.listeners.forEach((draw) => draw());
}

/* ---- the records behind a mark ---- */

function quoted(word) {
	return /^[\w@%+=:,.\/-]+$/.test(word) ? word : "'" + word.replace(/'/g, "'\\''") + "'";
}

function command(name, from, to, more) {
	return ["dktrace", name, "--since", clock(from), "--until", clock(to)]
		.concat(trace.words, more || []).map(quoted).join(" ");
}

function showRecords(title, from, to, wanted) {
	const inside = trace.samples.filter((it) => it[0] >= from && it[0] < to);
	const lines = inside.filter((it) => !wanted || wanted(it)).slice(0, 200);

	byId("records-title").textContent = title + ", " + span(from, to);
	byId("records-command").textContent = command("report", from, to);
	byId("records-text").textContent = lines.map((it) => it[3]).join("\n");
	byId("records-note").textContent = lines.length ?
		"These are a few of the records. The command prints them all." :
		"The page keeps no record of this mark. The command prints all of that time.";
	byId("records").hidden = false;
}

function hideRecords() {
	byId("records").hidden = true;
}

byId("records-close").addEventListener("click", hideRecords);
byId("records-copy").addEventListener("click", () => {
	const range = document.createRange();

	range.selectNodeContents(byId("records-command"));
	window.getSelection().removeAllRanges();
	window.getSelection().addRange(range);
	document.execCommand("copy");
});

/* ---- the line beside the pointer ---- */

function tip(event, text) {
	const it = byId("tip");

	it.textContent = text;
	it.hidden = false;
	it.style.left = Math.max(0, Math.min(event.clientX + 12, innerWidth - it.offsetWidth - 8)) + "px";
	it.style.top = (event.clientY + it.offsetHeight + 24 > innerHeight ?
		event.clientY - it.offsetHeight - 8 : event.clientY + 16) + "px";
}

function hideTip() {
	byId("tip").hidden = true;
}

/* ---- buttons of which one is pressed ---- */

function choices(place, names, chosen, act) {
	place.textContent = "";
	names.forEach((name, i) => {
		const button = element("button", name);

		button.type = "button";
		button.setAttribute("aria-pressed", String(i === chosen));
		button.addEventListener("click", () => {
			place.querySelectorAll("button").forEach((other) =>
				other.setAttribute("aria-pressed", String(other === button)));
			act(i);
		});
		place.append(button);
	});
}

/* ---- tables ---- */

function cellOf(value, type) {
	const cell = element("td", undefined, type === "text" ? "" : "number");

	if (value === null || value === undefined)
		return cell;
	cell.textContent = type === "text" || type === "id" ? value : type === "ns" ? duration(value) : count(value);
	if (type === "ns")
		cell.title = count(value) + " ns";
	if (type !== "text")
		cell.dataset.value = value;
	return cell;
}

function compare(a, b) {
	if (a === null || a === undefined || b === null || b === undefined)
		return (a === null || a === undefined) - (b === null || b === undefined);
	if (typeof a === "number" && typeof b === "number")
		return a - b;
	return String(a).localeCompare(String(b), "en", { numeric: true });
}

/* columns: { key, title, type }; type: text, id, count or ns. act: shows the records of a row. */
function makeTable(place, caption, columns, rows, act) {
	const box = element("div", undefined, "scroll"), table = element("table");
	const head = element("tr"), body = element("tbody");
	let by = -1, down = true;

	function fill(list) {
		body.textContent = "";
		for (const row of list) {
			const line = element("tr");

			columns.forEach((column) => line.append(cellOf(row[column.key], column.type)));
			if (act) {
				const cell = element("td", undefined, "screen"), button = element("button", "Records");

				button.type = "button";
				button.addEventListener("click", () => act(row));
				cell.append(button);
				line.append(cell);
			}
			body.append(line);
		}
	}

	function sort(nr) {
		const key = columns[nr].key;

		down = by === nr ? !down : columns[nr].type !== "text";
		by = nr;
		head.querySelectorAll("th").forEach((th, i) =>
			i === nr ? th.setAttribute("aria-sort", down ? "descending" : "ascending") :
				   th.removeAttribute("aria-sort"));
		fill(rows.slice().sort((a, b) => (down ? -1 : 1) * compare(a[key], b[key])));
	}

	columns.forEach((column, i) => {
		const th = element("th", undefined, column.type === "text" ? "" : "number");
		const button = element("button", column.title);

		th.scope = "col";
		button.type = "button";
		button.addEventListener("click", () => sort(i));
		th.append(button);
		head.append(th);
	});
	if (act)
		head.append(element("th", "", "screen"));
	table.setAttribute("aria-label", caption);
	table.append(element("thead"));
	table.tHead.append(head);
	table.append(body);
	fill(rows);
	box.tabIndex = 0;
	box.append(table);
	place.replaceChildren(box);
}

/* ---- the theme ---- */

const THEMES = ["system", "light", "dark"];
const prefersDark = window.matchMedia("(prefers-color-scheme: dark)");
let theme = 0;

function isDark() {
	return document.documentElement.dataset.theme === "dark";
}

function setTheme(dark) {
	document.documentElement.dataset.theme = dark ? "dark" : "light";
	shown.listeners.forEach((draw) => draw());
}

function useTheme() {
	byId("theme").textContent = "Theme: " + THEMES[theme];
	setTheme(THEMES[theme] === "dark" || (THEMES[theme] === "system" && prefersDark.matches));
}

byId("theme").addEventListener("click", () => {
	theme = (theme + 1) % THEMES.length;
	useTheme();
});
prefersDark.addEventListener("change", useTheme);
window.addEventListener("beforeprint", () => setTheme(false));
window.addEventListener("afterprint", useTheme);
