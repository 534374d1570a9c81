// Random bytes, the same each time, at the real server: broken HTTP, broken WebSocket frames, lines that
// are nearly right. A run that is watched meanwhile by a good client ends with the same bits.
import { readdirSync } from "node:fs";
import { connect } from "node:net";
import { check, eventually, finish, runJostle, same, serve } from "./support.mjs";
import { Socket, exchange, frameOf } from "./socket.mjs";

const rounds = +(process.env.JOSTLE_NOISE ?? 400), together = 8;
let seed = 12345;
const random = (n) => { // below n; mulberry32
  let t = (seed = (seed + 0x6d2b79f5) | 0);
  t = Math.imul(t ^ (t >>> 15), t | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * n);
};
const any = (list) => list[random(list.length)];
const bytes = (n) => Buffer.from(Array.from({ length: n }, () => random(256)));
const spoil = (text) => { // a few bytes changed, taken out or put in
  const b = [...Buffer.from(text)];
  for (let k = random(6); k >= 0; k--) b.splice(random(b.length), random(3), ...bytes(random(3)));
  return Buffer.from(b);
};

const here = new URL(".", import.meta.url).pathname;
const alone = JSON.parse(runJostle("run", `${here}scene.yaml`, "--out", "alone", "--json"));
const served = await serve("run", `${here}scene.yaml`, "--out", "watched", "--json", "--view-pause", "--view-keep");
const { port, child } = served;
const last = {};
const good = new Socket(port, { onMessage: (m) => Buffer.isBuffer(m) || (last[m.type] = m) });
same("a good client", await good.opened, true);
await eventually("the run to be paused", () => last.status?.state === "paused");
const files = () => readdirSync(`/proc/${child.pid}/fd`).length, before = files();

// ---- what is thrown
const host = `127.0.0.1:${port}`;
const paths = ["/", "/app.js", "/app.css", "/stream", "/..", "/../../etc/passwd", "/%2e%2e/", "/%", "/%zz", "/?token=", "//", "/\0", `/${"a/".repeat(600)}`, "*", "http://127.0.0.1/"];
const request = () => `${any(["GET", "HEAD", "POST", "PUT", "OPTIONS", "get", ""])} ${any(paths)} HTTP/${any(["1.1", "1.0", "2.0", "0.9", "x"])}\r\nHost: ${any([host, "evil.example", ""])}\r\n`
  + any(["", "Content-Length: 5\r\n", "Content-Length: -1\r\n", "Content-Length: 99999999999999\r\n", "Transfer-Encoding: chunked\r\n", "Range: bytes=0-\r\n", `Cookie: ${"c".repeat(3000)}\r\n`, "Connection: Upgrade, keep-alive\r\n", " folded: yes\r\n"]) + "\r\n";
const upgrade = (more = "") => `GET /stream${any(["", "?token=x", "?token=", "?"])} HTTP/1.1\r\nHost: ${host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: ${bytes(16).toString("base64")}\r\nSec-WebSocket-Version: ${any(["13", "13", "8", "x"])}\r\nSec-WebSocket-Protocol: ${any(["jostle", "jostle, chat", "chat", ""])}\r\n${more}\r\n`;
const words = ["want ", "pick ", "frame ", "run ", "got", "none", "step ", "pause", " ", "0", "17", "-1", "1e9", "99999999999999999999", "\t", "\n", "ü", "\0", "x".repeat(60)];
const line = () => Array.from({ length: 1 + random(4) }, () => any(words)).join("");
const frame = () => any([
  () => frameOf(line()),
  () => frameOf(spoil(line())),
  () => frameOf(bytes(random(300)), { opcode: random(16), fin: random(2) === 1 }),
  () => frameOf(bytes(random(40)), { opcode: any([0, 1, 8, 9, 10]), mask: random(4) > 0 }),
  () => frameOf(bytes(random(20)), { opcode: any([1, 2, 9]), length: any([126, 127, 65535, 65536, 2 ** 31, 2 ** 40]) }),
  () => bytes(1 + random(200)),
])();
const thrown = () => any([
  () => [bytes(1 + random(2000))],
  () => [request()],
  () => [spoil(request())],
  () => [upgrade(any(["", "Origin: null\r\n", `Origin: http://${host}\r\n`, "Sec-WebSocket-Extensions: permessage-deflate\r\n"]))],
  () => [spoil(upgrade())],
  () => [upgrade().replace(/Version: \S+/, "Version: 13").replace(/Protocol: .*/, "Protocol: jostle"), ...Array.from({ length: 1 + random(12) }, frame)],
])();

// Thrown, read to the end or dropped: some close their side first, some wait for the server, some vanish.
const once = () => new Promise((done) => {
  const parts = thrown(), way = random(3), socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  socket.on("close", done);
  socket.on("data", () => {});
  socket.on("connect", () => {
    for (const p of parts) socket.write(p);
    if (way === 0) socket.write("", () => socket.destroy());
    else socket.end();
  });
  setTimeout(() => socket.destroy(), 300); // who is still let in by then leaves
});
for (let k = 0; k < rounds; k += together) await Promise.all(Array.from({ length: together }, once));

// ---- and all is as it was
check("the program is there", child.exitCode === null && child.signalCode === null, `: ${child.exitCode} ${child.signalCode}`);
const page = await exchange(port, `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
check("the page is served", page.toString("latin1").startsWith("HTTP/1.1 200"));
await eventually("its files to be closed", () => files() <= before);
last.status = null;
good.say("run go");
await eventually("the end", () => last.status?.state === "complete");
child.kill("SIGINT");
await served.ended;
const watched = JSON.parse(served.said.split("\n").find((l) => l.startsWith("{")));
same("the same bits", watched.state_hash, alone.state_hash);
await finish();
