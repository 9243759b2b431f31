/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Drives a headless Chromium over a pipe, by its DevTools protocol. */
"use strict";

const { spawn } = require("child_process");
const { writeFileSync } = require("fs");

class Browser {
	/* profile: a directory for the browser's own files. */
	constructor(profile) {
		this.calls = new Map();
		this.number = 0;
		this.errors = [];
		this.loaded = null;
		this.process = spawn("chromium", ["--headless", "--no-sandbox", "--disable-gpu",
			"--disable-dev-shm-usage", "--hide-scrollbars", "--remote-debugging-pipe",
			"--user-data-dir=" + profile, "about:blank"],
		{ stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
		this.ended = new Promise((resolve) => this.process.on("exit", resolve));
		let rest = Buffer.alloc(0);

		this.process.stdio[4].on("data", (data) => {
			rest = Buffer.concat([rest, data]);
			for (let end; (end = rest.indexOf(0)) >= 0; rest = rest.subarray(end + 1))
				this.take(JSON.parse(rest.subarray(0, end)));
		});
	}

	take(message) {
		const call = this.calls.get(message.id);

		if (message.method === "Page.loadEventFired")
			this.loaded();
		else if (message.method === "Runtime.exceptionThrown")
			this.errors.push(message.params.exceptionDetails.text);
		else if (message.method === "Log.entryAdded" && message.params.entry.level === "error")
			this.errors.push(message.params.entry.text);
		if (!call)
			return;
		this.calls.delete(message.id);
		if (message.error)
			call.reject(new Error(message.error.message));
		else
			call.resolve(message.result);
	}

	call(method, params) {
		const id = ++this.number;

		this.process.stdio[3].write(JSON.stringify({ id, method, params, sessionId: this.session }) + "\0");
		return new Promise((resolve, reject) => this.calls.set(id, { resolve, reject }));
	}

	async open() {
		const { targetInfos } = await this.call("Target.getTargets");
		const { targetId } = targetInfos.find((it) => it.type === "page");

		this.session = (await this.call("Target.attachToTarget", { targetId, flatten: true })).sessionId;
		for (const domain of ["Page", "Runtime", "Log"])
			await this.call(domain + ".enable");
	}

	/* Loads a page, and waits until its scripts have run. */
	async load(url) {
		const loaded = new Promise((resolve) => { this.loaded = resolve; });

		await this.call("Page.navigate", { url });
		await loaded;
	}

	size(width, height, dark) {
		return this.call("Emulation.setDeviceMetricsOverride",
			{ width, height, deviceScaleFactor: 1, mobile: width < 600 })
			.then(() => this.media("screen", dark));
	}

	media(media, dark) {
		return this.call("Emulation.setEmulatedMedia", { media,
			features: [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }] });
	}

	/* Returns the value of an expression in the page. */
	async value(expression) {
		const { result, exceptionDetails } = await this.call("Runtime.evaluate",
			{ expression, returnByValue: true, awaitPromise: true });

		if (exceptionDetails)
			throw new Error(expression + ": " + (exceptionDetails.exception || {}).description);
		return result.value;
	}

	/* Clicks the middle of the element that the expression gives, or a place in it, from 0 to 1. */
	async click(expression, across = 0.5, down = 0.5) {
		const [x, y] = await this.value(`(() => { const it = ${expression}; it.scrollIntoView({ block: "center" });
			const box = it.getBoundingClientRect();
			return [box.left + box.width * ${across}, box.top + box.height * ${down}]; })()`);

		for (const type of ["mouseMoved", "mousePressed", "mouseReleased"])
			await this.call("Input.dispatchMouseEvent",
				{ type, x, y, button: type === "mouseMoved" ? "none" : "left", clickCount: 1 });
	}

	async press(...keys) {
		for (const key of keys)
			for (const type of ["keyDown", "keyUp"])
				await this.call("Input.dispatchKeyEvent", { type, key });
	}

	async screenshot(file, whole) {
		const params = { format: "png" };

		if (whole) {
			const { cssContentSize } = await this.call("Page.getLayoutMetrics");

			Object.assign(params, { captureBeyondViewport: true,
				clip: { x: 0, y: 0, scale: 1, width: cssContentSize.width, height: cssContentSize.height } });
		}
		writeFileSync(file, Buffer.from((await this.call("Page.captureScreenshot", params)).data, "base64"));
	}

	async pdf() {
		return Buffer.from((await this.call("Page.printToPDF", { printBackground: true })).data, "base64");
	}

	async close() {
		this.session = undefined;
		this.call("Browser.close").catch(() => {});
		await this.ended;
	}
}

module.exports = { Browser };
