/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Answers on the loopback like the HTTP port of a ClickHouse server, with the engine of the npm package chdb: the
 * newest ClickHouse, where Debian has 18.16. Only the parts of the protocol that load uses are here.
 * usage: chdb-server.js PACKAGES DIR PORT; PACKAGES: the directory where "npm install chdb" ran, DIR: the data
 */
"use strict";

const fs = require("fs");
const http = require("http");
const { join } = require("path");
const zlib = require("zlib");

const [packages, dir, port] = process.argv.slice(2);
const { Session, version } = require(join(packages, "node_modules", "chdb"));
const session = new Session(dir, { connectionArgs: ["--timezone=UTC"] });
const bodies = join(dir, "body");

/* Names in the URL that are no settings. */
const own = new Set(["query", "database", "query_id", "wait_end_of_query", "user", "password"]);

/* The status of an error's number, as the server maps it; the others are 500. */
const statuses = { 60: 404, 81: 404, 115: 404, 516: 403, 159: 408, 62: 400, 36: 400, 47: 404 };

class Refusal extends Error {
	constructor(code, words) {
		super(`Code: ${code}. DB::Exception: ${words}`);
		this.clickhouseCode = code;
	}
}

function unpack(body, encoding) {
	const unpackers = { gzip: zlib.gunzipSync, deflate: zlib.inflateSync, identity: (it) => it };

	if (!unpackers[encoding])
		throw new Refusal(36, `Unknown encoding ${encoding}`);
	return unpackers[encoding](body);
}

/* The account default has no password, keeper has "secret". */
function check_account(headers) {
	const user = headers["x-clickhouse-user"] || "default", key = headers["x-clickhouse-key"] || "";

	if ({ default: "", keeper: "secret" }[user] !== key)
		throw new Refusal(516, `${user}: Authentication failed: password is incorrect, or there is no user with such name. ` +
			"(AUTHENTICATION_FAILED)");
}

const run = (text) => session.queryAsync(text, { format: "TabSeparated" });

/* A statement of the body is like one of the URL; the rows of an INSERT come from a file, as only that takes bytes. */
async function answer(request, body) {
	const url = new URL(request.url, "http://localhost");
	const query = url.searchParams.get("query");

	check_account(request.headers);
	body = unpack(body, request.headers["content-encoding"] || "identity");
	await run(`USE \`${url.searchParams.get("database") || "default"}\``);
	for (const [name, value] of url.searchParams)
		if (!own.has(name))
			await run(`SET ${name} = ${/^\d+$/.test(value) ? value : `'${value}'`}`);
	if (query === null)
		return run(body.toString());
	if (!/^INSERT /.test(query))
		return run(query);
	/* The rows would come later, and other statements before them. */
	if ((await run("SELECT getSetting('async_insert')")).text() !== "false\n")
		throw new Refusal(36, "async_insert is on");
	fs.writeFileSync(bodies, body);
	return run(query.replace(/ FORMAT (\w+)$/, ` FROM INFILE '${bodies}' FORMAT $1`));
}

async function serve(request, body, response) {
	try {
		const result = await answer(request, body);

		response.writeHead(200, { "X-ClickHouse-Server-Display-Name": "chdb" });
		response.end(result.bytes());
	} catch (error) {
		const code = error.clickhouseCode;

		response.writeHead(statuses[code] || 500, { "X-ClickHouse-Exception-Code": code });
		response.end(`${error.message} (version ${version().libchdb})\n`);
	}
}

/* The database, the settings and the file are the session's, so statements run one after the other. */
let last = Promise.resolve();

http.createServer((request, response) => {
	const pieces = [];

	request.on("data", (piece) => pieces.push(piece));
	request.on("end", () => {
		last = last.then(() => serve(request, Buffer.concat(pieces), response));
	});
}).listen(Number(port), "127.0.0.1");
