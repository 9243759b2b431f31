/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Flame graphs: call stacks by records, or by the time that processes slept in them. */
"use strict";

/* The height of a frame at the usual size of text. */
const ROW = 18;
const stacks = { off: false, root: null, focus: null, search: "" };

/* The stacks have their times only in slices, and not if they are too many. */
function isWhole() {
	return !trace.stacks.slice || (shown.from <= 0 && shown.to >= wholeTrace());
}

function slicesShown() {
	const { slice, origin } = trace.stacks;

	return [Math.max(0, Math.floor((shown.from - origin) / slice)), Math.ceil((shown.to - origin) / slice)];
}

/* Sets the value of each node: all of it, or what is in the times that are shown. */
function setStackValues() {
	const which = stacks.off ? 2 : 1, [from, to] = isWhole() ? [] : slicesShown();

	/* A node's own part is what its children do not have. */
	stacks.root.eachAfter((node) => {
		node.value = isWhole() ? node.data[which] : d3.sum(node.children || [], (it) => it.value) +
			d3.sum(pairsOf(node.data[which + 3] || []), ([nr, n]) => nr >= from && nr < to ? n : 0);
	});
	d3.partition()(stacks.root);
}

/* Another time: the frame that was chosen stays, if it is there. */
function retimeStacks() {
	setStackValues();
	while (stacks.focus.parent && !stacks.focus.value)
		stacks.focus = stacks.focus.parent;
	drawStacks();
}

function stackText(value) {
	return stacks.off ? duration(value) : plural(value, "record");
}

/* Warm for the kernel's flame, cool for sleep, as in other flame graphs. */
function frameColor(name) {
	let hash = 0;

	for (const c of name)
		hash = (hash * 31 + c.codePointAt(0)) % 997;
	return stacks.off ? `hsl(${200 + hash % 40}, 65%, ${66 + hash % 14}%)` : `hsl(${20 + hash % 35}, 85%, ${62 + hash % 14}%)`;
}

function pathOf(node) {
	return node.ancestors().reverse().slice(1).map((it) => it.data[0]).join(";");
}

/* Slices can begin before and end after the times of the other charts. */
function stackTimes() {
	if (isWhole())
		return trace.stacks.slice || (shown.from <= 0 && shown.to >= wholeTrace()) ? "" : " at all times: the stacks are too many to tell them by time";
	const [from, to] = slicesShown().map((nr) => trace.stacks.origin + nr * trace.stacks.slice);

	return ", " + span(Math.max(0, from), Math.min(wholeTrace(), to));
}

function drawStacks() {
	const em = textScale(), step = ROW * em, place = byId("stacks-chart"), width = Math.max(280, place.clientWidth), focus = stacks.focus;
	const total = stacks.root.value || 1, scale = d3.scaleLinear([focus.x0, focus.x1], [0, width]);
	const seen = stacks.root.descendants().filter((it) => it.x1 > focus.x0 && it.x0 < focus.x1 &&
		scale(Math.min(it.x1, focus.x1)) - scale(Math.max(it.x0, focus.x0)) >= 0.7);
	const height = (d3.max(seen, (it) => it.depth) + 1) * step;
	const svg = d3.create("svg").attr("viewBox", [0, 0, width, height]).attr("role", "group").attr("aria-label", "Flame graph");
	let matched = 0;

	for (const node of seen) {
		const x = Math.max(0, scale(node.x0)), end = Math.min(width, scale(node.x1));
		const name = node.depth ? node.data[0] : "all", room = Math.floor((end - x - 6) / (7.3 * em));
		const match = stacks.search && name.toLowerCase().includes(stacks.search);
		const above = match && node.ancestors().slice(1).some((it) => it.data[0].toLowerCase().includes(stacks.search));
		const text = name + "\n" + stackText(node.value) + ", " + (100 * node.value / total).toFixed(2) + " %";
		const g = svg.append("g").attr("tabindex", 0).attr("role", "button").attr("aria-label", text.replace("\n", ", "));

		if (match && !above)
			matched += node.value;
		g.append("rect").attr("class", match ? "frame match" : "frame").attr("x", x).attr("width", end - x)
			.attr("y", node.depth * step).attr("height", step - 1).attr("fill", frameColor(name));
		if (room >= 3)
			g.append("text").attr("class", "label").attr("x", x + 3).attr("y", node.depth * step + 13 * em)
				.text(name.length > room ? name.slice(0, room - 1) + "\u2026" : name);
		g.node().addEventListener("pointermove", (event) => tip(event, text));
		g.node().addEventListener("pointerleave", hideTip);
		g.node().addEventListener("click", () => focusStack(node));
		g.node().addEventListener("keydown", (event) => {
			if (event.key === "Enter")
				focusStack(node);
			else if (event.key === "Escape")
				focusStack(stacks.root);
		});
	}
	place.replaceChildren(svg.node());
	byId("stacks-now").textContent = (focus.depth ? pathOf(focus) + ": " : "All: ") + stackText(focus.value) + stackTimes() +
		(stacks.search ? "; " + (100 * matched / total).toFixed(2) + " % contain \u201c" + stacks.search + "\u201d" : "");
}

function focusStack(node) {
	hideTip();
	stacks.focus = node;
	drawStacks();
	if (!node.depth)
		return;
	/* A sample whose text has the event and the process of the stack. */
	const names = node.ancestors().reverse().slice(1).map((it) => it.data[0]);

	showRecords(pathOf(node), shown.from, shown.to, (it) => it[1] === names[0] && (!names[1] || it[3].includes(names[1])));
}

function chooseStacks(nr) {
	stacks.off = nr === 1;
	stacks.root = d3.hierarchy(trace.stacks.tree, (data) => data[3]);
	stacks.root.sort((a, b) => d3.ascending(a.data[0], b.data[0]));
	setStackValues();
	stacks.focus = stacks.root;
	drawStacks();
}

function startStacks() {
	const tree = trace.stacks.tree, names = [];

	byId("stacks").hidden = !tree;
	if (!tree)
		return;
	names.push("Records");
	if (tree[2])
		names.push("Time asleep (off-CPU)");
	choices(byId("stacks-by"), names, 0, chooseStacks);
	byId("stacks-search").addEventListener("input", (event) => {
		stacks.search = event.target.value.toLowerCase();
		drawStacks();
	});
	byId("stacks-reset").addEventListener("click", () => focusStack(stacks.root));
	byId("stacks-notes").textContent = [trace.stacks.cut ?
		"Of " + plural(trace.stacks.cut, "stack") + " only the outermost functions are in the graph: they are too deep, or too many are different." : "",
	trace.stacks.folded ? plural(trace.stacks.folded, "frame") + " with together " + plural(trace.stacks.folded_count, "record") +
		(tree[2] ? " and " + duration(trace.stacks.folded_off) + " asleep" : "") + " are too narrow to see: frames named (other) have their sums." : "",
	].join(" ").trim();
	chooseStacks(0);
	shown.listeners.push(retimeStacks);
	startHeat();
}
