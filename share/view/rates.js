/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records over time, by system, class or event, with the losses. */
"use strict";

const rates = { by: 0, names: [], groups: [] };

/*
 * Adds up the events of each name; more than the colours become "other". The rarest events have their
 * counts together with the others of their system.
 */
function groupEvents(nameOf, bySystem) {
	const groups = new Map();

	for (const it of trace.events.filter((event) => event.series).concat(bySystem ? trace.rest : [])) {
		const name = nameOf(it), group = groups.get(name) || { name, count: 0, bins: new Map(), events: new Set() };

		groups.set(name, group);
		group.count += it.count;
		group.events.add(it.name);
		for (const [bin, n] of pairsOf(it.series))
			group.bins.set(bin, (group.bins.get(bin) || 0) + n);
	}
	return foldGroups([...groups.values()].sort((a, b) => b.count - a.count), bySystem ? [] : trace.rest);
}

/* more: groups without a name, of n events each. */
function foldGroups(groups, more) {
	const rest = groups.splice(COLORS).concat(more.map((it) => Object.assign({}, it, { bins: new Map(pairsOf(it.series)) })));
	const other = { name: plural(d3.sum(rest, (it) => it.n || 1), "other"), count: 0, bins: new Map(), other: true };

	for (const group of rest) {
		other.count += group.count;
		for (const [bin, n] of group.bins)
			other.bins.set(bin, (other.bins.get(bin) || 0) + n);
	}
	return rest.length ? groups.concat(other) : groups;
}

function classGroups() {
	return foldGroups(trace.classes.map((it) => ({ name: it.name, count: it.count, bins: new Map(pairsOf(it.series)) }))
		.sort((a, b) => b.count - a.count), []);
}

function colorClass(group, i) {
	return group.other ? "kother" : "k" + i;
}

function lostIn(list, bin) {
	const found = pairsOf(list).find((it) => it[0] === bin);

	return found ? found[1] : 0;
}

function binText(bin) {
	const from = bin * trace.bin, groups = rates.groups.filter((group) => group.bins.get(bin));
	const all = d3.sum(groups, (group) => group.bins.get(bin));
	const lost = lostIn(trace.losses.lost, bin), gaps = lostIn(trace.losses.gaps, bin);

	return [plural(all, "record") + " in " + duration(trace.bin)]
		.concat(groups.map((group) => group.name + ": " + count(group.bins.get(bin))))
		.concat(gaps ? ["Lost: " + (lost ? count(lost) : "an unknown number")] : [])
		.concat(clock(from) + " s", wall(from) || []).join("\n");
}

function drawRates() {
	const last = Math.floor(trace.end / trace.bin), first = Math.floor(shown.from / trace.bin);
	const bins = d3.range(first, Math.min(last, Math.floor(shown.to / trace.bin)) + 1);
	const chart = makeChart(byId("rates-chart"), Math.max(180, Math.min(360, innerHeight / 3)), 64 * textScale(),
		"Records over time. Use the arrow keys, Enter, plus, minus and Escape.");
	const stack = d3.stack().keys(d3.range(rates.groups.length))
		.value((bin, i) => (rates.groups[i].bins.get(bin) || 0) / trace.bin * 1e9)(bins);
	const most = d3.max(stack.length ? stack[stack.length - 1] : [], (d) => d[1]) || 1;
	const y = d3.scaleLinear([0, most], [chart.height, 8]);
	const seconds = d3.format("~s");

	chart.plot.append("g").call(d3.axisLeft(y).ticks(5).tickFormat((d) => seconds(d) + "/s").tickSizeOuter(0));
	stack.forEach((layer, i) => {
		/* Steps, as a bin is a count and not a point. */
		const points = layer.flatMap((d) => [[d.data * trace.bin, d[0], d[1]], [(d.data + 1) * trace.bin, d[0], d[1]]]);

		chart.marks.append("path").attr("class", "area " + colorClass(rates.groups[i], i))
			.attr("d", d3.area().x((d) => chart.x(d[0])).y0((d) => y(d[1])).y1((d) => y(d[2]))(points));
	});
	drawLosses(chart);
	watchChart(chart, trace.bin, (time) => {
		const bin = Math.floor(time / trace.bin);

		return bin < 0 || bin > last ? null :
			{ from: bin * trace.bin, to: (bin + 1) * trace.bin, text: binText(bin) };
	});
}

/* part: how much of its height it fills. */
function swatch(className, part = 1) {
	const box = d3.create("svg").attr("width", 14).attr("height", 14).attr("aria-hidden", "true");

	box.append("rect").attr("width", 14).attr("height", 14 * part).attr("y", 7 * (1 - part)).attr("rx", 2).attr("class", className);
	return box.node();
}

/* The records of each host. */
function drawHostRates() {
	const items = trace.files.map((it) => ({ name: it.name, note: plural(it.records, "record"), bins: pairsOf(it.series) }));
	const wide = trace.bin * trace.wide, most = d3.max(items, (it) => d3.max(it.bins, (bin) => bin[1])) || 1;

	drawMultiples(byId("rates-hosts"), items, (item, x, height) => [["area k0", d3.area().x((d) => x(d[0]))
		.y0(height).y1((d) => height * (1 - d[1] / most))(item.bins.flatMap(([bin, n]) =>
			[[bin * wide, 0], [bin * wide, n], [(bin + 1) * wide, n], [(bin + 1) * wide, 0]]))]]);
	byId("rates-notes").textContent = "The highest charts are of " + plural(most, "record") + " in " + duration(wide) + ".";
}

function drawRatesBy() {
	const byHost = rates.names[rates.by] === "Host";

	byId("rates-chart").hidden = byHost;
	byId("rates-hosts").hidden = !byHost;
	if (byHost)
		drawHostRates();
	else
		drawRates();
}

function chooseRates(by) {
	rates.by = by;
	rates.groups = rates.names[by] === "Host" ? [] : rates.names[by] === "Class" ? classGroups() :
		groupEvents(rates.names[by] === "System" ? (it) => it.system : (it) => it.system + ":" + it.name,
			rates.names[by] === "System");
	const rest = d3.sum(trace.rest, (it) => it.n);

	byId("rates-notes").textContent = rest && rates.names[by] === "Event" ?
		"The " + plural(rest, "rarest event") + " with together " + plural(d3.sum(trace.rest, (it) => it.count), "record") +
		" are within other. The table has each." : "";
	byId("rates-legend").replaceChildren(...rates.groups.map((group, i) => {
		const it = element("li");

		it.append(swatch(colorClass(group, i)), group.name + " ", element("span", count(group.count)));
		it.lastChild.className = "soft";
		return it;
	}));
	drawRatesBy();
}

function startRates() {
	const lost = trace.losses, all = d3.sum(trace.files, (it) => it.lost), unplaced = Math.max(0, all - lost.known);

	byId("rates").hidden = !trace.events.length && !lost.n;
	if (byId("rates").hidden)
		return;
	rates.names = ["System"].concat(trace.classes.length ? ["Class"] : [], ["Event"], trace.files.length > 1 ? ["Host"] : []);
	/* One system tells nothing: its events do. */
	const first = new Set(trace.events.map((it) => it.system)).size > 1 ? 0 : trace.classes.length > 1 ? 1 : rates.names.indexOf("Event");

	choices(byId("rates-by"), rates.names, first, chooseRates);
	byId("rates-losses").hidden = !lost.n && !all;
	byId("rates-losses").textContent = [lost.n ? "Records were lost in the hatched times: " +
		[lost.known ? plural(lost.known, "record") : "", lost.unknown ? plural(lost.unknown, "gap") + " of unknown size" : ""]
			.filter(Boolean).join(", and ") + ". No latency is measured across them." : "",
	unplaced ? plural(unplaced, "record") + (lost.n ? " more" : "") + " were lost at times that the file does not tell." : ""].join(" ");
	chooseRates(first);
	shown.listeners.push(drawRatesBy);
}
