// A client that watches a run and counts: watch.mjs PORT. Prints one line of JSON when the run ends.
import { Socket } from "../../tests/web/socket.mjs";

const counts = { frames: 0, bytes: 0, frame_bytes: 0 };
let first = 0, last = 0;
const socket = new Socket(+process.argv[2], {
  onMessage(m) {
    if (!Buffer.isBuffer(m) || m.readUInt32LE(0) !== 3) return;
    counts.frames++;
    counts.frame_bytes = m.length;
    last = performance.now();
    first ||= last;
  },
});
await socket.opened;
socket.say("want 1");
await socket.closed;
counts.bytes = socket.bytes;
counts.frames_per_second = counts.frames > 1 ? (1000 * (counts.frames - 1)) / (last - first) : 0;
console.log(JSON.stringify(counts));
