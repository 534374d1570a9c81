// The server against clients of every kind: they get what they may, and the run never notices them.
import { randomBytes } from "node:crypto";
import { check, eventually, finish, runJostle, same, serve } from "./support.mjs";
import { Socket, exchange, frameOf } from "./socket.mjs";

const here = new URL(".", import.meta.url).pathname;
const alone = JSON.parse(runJostle("run", `${here}scene.yaml`, "--out", "alone", "--json"));
const served = await serve("run", `${here}scene.yaml`, "--out", "watched", "--json", "--view-pause", "--view-keep");
const { port } = served;

// ---- HTTP
const get = async (path, more = "", method = "GET") => (await exchange(port, `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n${more}\r\n`)).toString("latin1");
const page = await get("/");
check("the page", page.startsWith("HTTP/1.1 200") && page.includes("<canvas"));
check("a policy that lets nothing else in", /content-security-policy: default-src 'none'/i.test(page));
check("the script", (await get("/app.js")).length > 200000);
for (const path of ["/../../etc/passwd", "/..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/app.js/../../../etc/passwd", "/etc/passwd", "/app.js%00.html", "/stream"]) {
  const answer = await get(path);
  check(`${path} is not there`, /^(HTTP\/1.1 [34]|$)/.test(answer) && !answer.includes("root:"), `: ${answer.slice(0, 60)}`);
}
check("no POST", !(await get("/", "Content-Length: 3\r\n\r\nabc", "POST")).startsWith("HTTP/1.1 200"));
const foreign = (await exchange(port, `GET / HTTP/1.1\r\nHost: evil.example:${port}\r\nConnection: close\r\n\r\n`)).toString();
check("another Host is refused", foreign.startsWith("HTTP/1.1 403"), `: ${foreign.slice(0, 60)}`);
check("a header without end", !(await exchange(port, `GET / HTTP/1.1\r\nX: ${"a".repeat(300000)}`)).toString().startsWith("HTTP/1.1 200"));

// ---- who may open the stream
const opens = async (options) => {
  const s = new Socket(port, options), open = await s.opened;
  s.end();
  return open;
};
same("a foreign Origin", await opens({ origin: "http://evil.example" }), false);
same("our Origin at another port", await opens({ origin: `http://127.0.0.1:${port + 1}` }), false);
same("Origin null", await opens({ origin: "null" }), false);
same("a foreign Host", await opens({ host: `evil.example:${port}` }), false);
same("another protocol", await opens({ protocol: "chat" }), false);
same("no protocol", await opens({ protocol: null }), false);
same("our own Origin", await opens({ origin: `http://127.0.0.1:${port}` }), true);

// ---- a good client, beside which the others misbehave
const good = new Socket(port, { onMessage: (m) => Buffer.isBuffer(m) ? (seen[m.readUInt32LE(0)] = (seen[m.readUInt32LE(0)] ?? 0) + 1) : (last[m.type] = m) });
const seen = {}, last = {};
same("a client without Origin", await good.opened, true);
good.say("want 1");
await eventually("the run to be paused, with a frame", () => last.status?.state === "paused" && seen[3] >= 1);
good.say("run step 100"); // across two moments of output
await eventually("a hundred steps", () => last.status.state === "paused" && last.status.count === 100);

// A client that tells what it has shown is not sent more than two frames ahead, and then the newest.
const slow = { steps: [] };
slow.link = new Socket(port, { onMessage: (m) => Buffer.isBuffer(m) && m.readUInt32LE(0) === 3 && slow.steps.push(m.readDoubleLE(32)) });
await eventually("its first frame", () => slow.steps.length >= 1);
slow.link.say("got");
for (let k = 101; k <= 110; k++) {
  good.say("run step 1");
  await eventually(`step ${k}`, () => last.status.state === "paused" && last.status.count === k);
}
check("no more than two ahead", slow.steps.length <= 4, `: ${slow.steps}`);
await eventually("the newest", () => {
  slow.link.say("got");
  return slow.steps.at(-1) === 110;
});
slow.link.end();

const closedBy = async (what) => {
  const s = new Socket(port);
  await s.opened;
  s.socket.write(what);
  return s.closed; // or never, and the test takes too long
};
// Closed with that code, or torn off where there was more to read.
const refused = async (what, bytes, code) => {
  const got = await closedBy(bytes);
  check(what, got === code || got === null, `: ${got}, not ${code}`);
};
await refused("rubbish words", frameOf("hello there"), 1008);
await refused("a number that is none", frameOf("frame 12x"), 1008);
await refused("a negative one", frameOf("frame -1"), 1008);
await refused("one too large", frameOf("frame 99999999999999999999999"), 1008);
await refused("a zero byte in a line", frameOf("frame 1\0"), 1008);
await refused("a long line", frameOf("x".repeat(5000)), 1009);
await refused("a long line in pieces", Buffer.concat([frameOf("want ", { fin: false }), ...Array.from({ length: 60 }, () => frameOf("1".repeat(50), { opcode: 0, fin: false }))]), 1009);
await refused("binary", frameOf("frame 1", { opcode: 2 }), 1003);
for (const [what, bytes] of [
  ["a frame that claims to be huge", frameOf("x", { length: 2 ** 40 })],
  ["a code that does not exist", frameOf("x", { opcode: 11 })],
  ["noise", randomBytes(4096)],
]) {
  const code = await closedBy(bytes);
  check(what, code !== 1000, `: ${code}`);
}

// ---- floods, crowds, and clients that go away or do not read
const stalled = new Socket(port);
await stalled.opened;
stalled.say("want 15");
stalled.deaf = true;
stalled.socket.pause();
const flood = new Socket(port);
await flood.opened;
flood.socket.write(Buffer.concat(Array.from({ length: 20000 }, (_, k) => frameOf(`pick ${k % 100}`))));
// Of a crowd, each is let in and told what is shown, or closed.
const crowd = Array.from({ length: 40 }, () => new Socket(port));
const let_in = (await Promise.all(crowd.map((s) => s.first.then((m) => (m ? 1 : 0))))).reduce((a, b) => a + b);
check("not more than 16 at a time, three of them above", let_in <= 13, `: ${let_in}`);
crowd.forEach((s) => s.end());
for (let k = 0; k < 40; k++) {
  const s = new Socket(port);
  s.opened.then(() => s.end());
  if (k % 3 === 0) s.end();
}

good.say("run go");
await eventually("the end of the run", () => last.status.state !== "paused" && last.status.state !== "running");
same("the run comes to its end", last.status?.state, "complete");
check("frames came", seen[3] >= 2, `: ${seen[3]}`);
check("and all rows of measures", seen[4] >= 1);
stalled.end();
flood.end();
served.child.kill("SIGINT");
await served.ended;
const watched = JSON.parse(served.said.split("\n").find((l) => l.startsWith("{")));
same("and with the same bits", watched.state_hash, alone.state_hash);

// ---- other interfaces need the token
const open = await serve("view", "alone", "--address", "0.0.0.0");
const token = new URL(open.url).searchParams.get("token");
same("a token of 128 bits", token?.length, 32);
const asks = async (path) => {
  const s = new Socket(open.port, { path }), yes = await s.opened;
  s.end();
  return yes;
};
same("without it", await asks("/stream"), false);
same("with a wrong one", await asks(`/stream?token=${"0".repeat(32)}`), false);
same("with half of it", await asks(`/stream?token=${token.slice(0, 16)}`), false);
same("with it", await asks(`/stream?token=${token}`), true);
open.child.kill("SIGTERM");
await open.ended;
await finish();
