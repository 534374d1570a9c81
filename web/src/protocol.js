// Messages from jostle, as docs/viewer.md describes them: a header of 80 bytes and blocks. Arrays are
// views into the message, not copies.
export const KIND = { bodies: 1, walls: 2, frame: 3, rows: 4, lines: 5 };
export const WANT = { speed: 1, force: 2, contacts: 4, spin: 8, lines: 16, next: 32, triangulation: 64 };
const blockNames = [null, "position", "speed", "force", "contacts", "spin", "id", "radius", "material", "fixed",
  "triangles", "owner", "rows", "lines", "shape", "orientation", "outline", "corners", "sides", "event"];
const types = [null, Float32Array, Uint32Array, Uint8Array, Float64Array];

export function decode(buffer) {
  if (buffer.byteLength < 80) throw new Error("a message shorter than its header");
  const u = new Uint32Array(buffer, 0, 20), d = new Float64Array(buffer, 0, 10);
  if (u[1] !== 1) throw new Error(`a message of version ${u[1]}; this page reads 1`);
  const m = { kind: u[0], serial: u[2], bodies: u[4], walls: u[5], time: d[3], step: d[4], index: d[5],
    origin: [d[6], d[7], d[8]], n: u[18], first: u[19], bytes: buffer.byteLength };
  let at = 80;
  for (let k = 0; k < u[3]; k++) {
    const [what, type, components, bytes] = new Uint32Array(buffer, at, 4);
    const Type = types[type], name = blockNames[what];
    if (!Type || at + 16 + bytes > buffer.byteLength) throw new Error("a block that does not fit its message");
    if (name) m[name] = new Type(buffer, at + 16, bytes / Type.BYTES_PER_ELEMENT);
    if (name === "rows") m.columns = components;
    at += 16 + Math.ceil(bytes / 8) * 8;
  }
  return m;
}
