// Messages from jostle, as docs/viewer.md describes them: a header of 80 bytes and blocks. Arrays are
// views into the message, not copies.
export const KIND = { bodies: 1, walls: 2, frame: 3, rows: 4, lines: 5 };
export const WANT = { speed: 1, force: 2, contacts: 4, spin: 8, lines: 16, next: 32, triangulation: 64, exact: 128 };
const blockNames = [null, "position", "speed", "force", "contacts", "spin", "id", "radius", "material", "fixed",
  "triangles", "owner", "rows", "lines", "shape", "orientation", "outline", "corners", "sides", "event", "scale", "box", "sideKeys"];
const types = [null, Float32Array, Uint32Array, Uint8Array, Float64Array, Uint16Array, Uint16Array, Int16Array];
const units = { speed: 6, force: 7, spin: 8 }; // where their units are in `scale`

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
  if (m.scale) unpackLater(m);
  return m;
}

// ---- packed frames: positions of 16 bits within a box, quantities of half precision. They are drawn
// as they came (`packed`); plain numbers are made when something asks for them.

let halves = null;
function halfTable() {
  if (halves) return halves;
  halves = new Float32Array(65536);
  for (let h = 0; h < 65536; h++) {
    const e = (h >> 10) & 31, f = h & 1023, s = h & 32768 ? -1 : 1;
    halves[h] = s * (e === 0 ? f * 2 ** -24 : e === 31 ? Infinity : (1 + f / 1024) * 2 ** (e - 15));
  }
  return halves;
}

function unpackLater(m) {
  const packed = (m.packed = { low: m.scale.slice(0, 3), extent: m.scale.slice(3, 6), unit: {} });
  const later = (name, make) => {
    packed[name] = m[name];
    Object.defineProperty(m, name, { configurable: true, get() {
      const value = make(packed[name]);
      Object.defineProperty(m, name, { value });
      return value;
    } });
  };
  later("position", (p) => Float32Array.from(p, (v, k) => packed.low[k % 3] + (v / 65535) * packed.extent[k % 3]));
  if (m.orientation) later("orientation", (q) => Float32Array.from(q, (v) => v / 32767));
  for (const name in units) if (m[name]) {
    packed.unit[name] = m.scale[units[name]];
    const table = halfTable();
    later(name, (h) => Float32Array.from(h, (v) => packed.unit[name] * table[v]));
  }
}

// Every so-many-th value of a quantity, without making plain numbers of all of them.
export function sample(m, name, step) {
  const h = m.packed?.[name], v = h && name in units ? h : m[name], table = h && name in units ? halfTable() : null;
  const out = new Float32Array(v ? Math.ceil(m.n / step) : 0);
  for (let i = 0, k = 0; k < out.length; i += step, k++) out[k] = table ? m.packed.unit[name] * table[v[i]] : v[i];
  return out;
}
