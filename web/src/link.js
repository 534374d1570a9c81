// The connection: comes back by itself when it was lost.
import { decode } from "./protocol.js";

export class Link {
  constructor(on) {
    this.on = on;
    this.wait = 500;
    this.ends = []; // how connections ended
    this.received = 0;
    this.connect();
  }

  connect() {
    const token = new URLSearchParams(location.search).get("token");
    const url = `ws://${location.host}/stream${token ? `?token=${encodeURIComponent(token)}` : ""}`;
    const socket = (this.socket = new WebSocket(url, "jostle"));
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.wait = 500;
      this.on.open();
    };
    socket.onmessage = ({ data }) => {
      if (typeof data === "string") {
        const message = JSON.parse(data);
        this.on[message.type]?.(message);
      } else {
        this.received += data.byteLength;
        this.on.binary(decode(data));
      }
    };
    socket.onclose = ({ code, reason }) => {
      this.ends.push({ code, reason });
      this.on.close();
      setTimeout(() => this.connect(), this.wait);
      this.wait = Math.min(8000, 1.6 * this.wait);
    };
  }

  say(line) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(line);
  }
}
