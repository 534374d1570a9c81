// A WebSocket made by hand, so that it can do what browsers never would: break frames, stop reading,
// send rubbish.
import { randomBytes } from "node:crypto";
import { connect } from "node:net";
import { patience } from "./support.mjs";

export function frameOf(payload, { opcode = 1, fin = true, mask = true, length = payload.length } = {}) {
  const body = Buffer.from(payload), key = randomBytes(4);
  const head = length < 126 ? Buffer.from([0, length]) : length < 65536 ? Buffer.from([0, 126, length >> 8, length & 255])
    : Buffer.concat([Buffer.from([0, 127]), Buffer.from(BigInt(length).toString(16).padStart(16, "0"), "hex")]);
  head[0] = (fin ? 128 : 0) | opcode;
  if (!mask) return Buffer.concat([head, body]);
  head[1] |= 128;
  return Buffer.concat([head, key, body.map((b, k) => b ^ key[k % 4])]);
}

// Raw bytes to the port; resolves with all that came back when the other side closes or time is up.
export function exchange(port, text, milliseconds = 1000 * patience) {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1"), parts = [];
    const timer = setTimeout(() => socket.destroy(), milliseconds);
    socket.on("connect", () => socket.write(text));
    socket.on("data", (d) => parts.push(d));
    socket.on("error", () => {});
    socket.on("close", () => (clearTimeout(timer), resolve(Buffer.concat(parts))));
  });
}

export class Socket {
  constructor(port, { path = "/stream", host = `127.0.0.1:${port}`, origin, protocol = "jostle", onMessage } = {}) {
    this.messages = 0;
    this.bytes = 0;
    this.closeCode = null;
    this.pending = Buffer.alloc(0);
    this.parts = [];
    this.onMessage = onMessage;
    this.socket = connect(port, "127.0.0.1");
    this.closed = new Promise((done) => this.socket.on("close", () => done(this.closeCode)));
    this.opened = new Promise((done) => (this.settle = done));
    this.first = Promise.race([new Promise((done) => (this.heard = done)), this.closed.then(() => null)]); // message
    this.socket.on("error", () => {});
    this.socket.on("close", () => this.settle(false));
    this.socket.on("data", (d) => this.take(d));
    const lines = [`GET ${path} HTTP/1.1`, `Host: ${host}`, "Upgrade: websocket", "Connection: Upgrade", `Sec-WebSocket-Key: ${randomBytes(16).toString("base64")}`, "Sec-WebSocket-Version: 13"];
    if (protocol) lines.push(`Sec-WebSocket-Protocol: ${protocol}`);
    if (origin) lines.push(`Origin: ${origin}`);
    this.socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  }

  take(data) {
    this.bytes += data.length;
    this.parts.push(data);
    this.have = (this.have ?? 0) + data.length;
    if (this.need && this.have < this.need) return;
    this.pending = Buffer.concat(this.parts);
    this.parse();
    this.parts = [this.pending];
    this.have = this.pending.length;
  }

  parse() {
    if (!this.greeted) {
      const end = this.pending.indexOf("\r\n\r\n");
      if (end < 0) return;
      this.head = this.pending.subarray(0, end).toString();
      this.greeted = true;
      this.settle(this.head.startsWith("HTTP/1.1 101"));
      this.pending = this.pending.subarray(end + 4);
    }
    for (;;) {
      this.need = 0;
      const p = this.pending;
      if (p.length < 2) return;
      let length = p[1] & 127, at = 2;
      if (length === 126) (length = p.length >= 4 ? p.readUInt16BE(2) : Infinity), (at = 4);
      if (length === 127) (length = p.length >= 10 ? Number(p.readBigUInt64BE(2)) : Infinity), (at = 10);
      if (p.length < at + length) return void (this.need = Number.isFinite(length) ? at + length : 0);
      const body = p.subarray(at, at + length), opcode = p[0] & 15;
      this.pending = p.subarray(at + length);
      if (opcode === 8) {
        this.closeCode = length >= 2 ? body.readUInt16BE(0) : 1005;
        this.socket.end(frameOf(body, { opcode: 8 }));
      }
      if (opcode === 9 && !this.deaf) this.socket.write(frameOf(body, { opcode: 10 }));
      else if (opcode < 3) this.gather(opcode, body, p[0] & 128);
    }
  }

  gather(opcode, body, last) {
    if (opcode) (this.kind = opcode), (this.pieces = []);
    this.pieces.push(body);
    if (!last) return;
    this.messages++;
    const message = this.kind === 1 ? JSON.parse(Buffer.concat(this.pieces)) : Buffer.concat(this.pieces);
    this.heard(message);
    this.onMessage?.(message);
  }

  say(text) {
    this.socket.write(frameOf(text));
  }

  end() {
    this.socket.destroy();
  }
}
