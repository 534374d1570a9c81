// Which frame is shown, and when the next one is. A stored run is asked for frames by number, one at a
// time; of a live run those that came are kept, thinned out where they are many, and the last one is
// shown unless someone looks back.
const budget = 192e6; // bytes of live frames
const framesPerSecond = 25;

export class Timeline {
  constructor({ request, show }) {
    this.request = request;
    this.show = show;
    this.live = false;
    this.count = 0;
    this.at = 0; // position in the timeline
    this.playing = false;
    this.speed = 1;
    this.waiting = this.next = null; // the frame asked for, and the one to ask for then
    this.kept = [];
    this.bytes = 0;
    this.due = 0;
    this.follow = true;
  }

  start(live, count) {
    const again = this.live === live && !live && this.count > 0;
    this.live = live;
    if (live) {
      this.kept = [];
      this.bytes = this.count = this.at = 0;
      this.follow = this.playing = true;
      return;
    }
    this.count = count;
    this.waiting = this.next = null;
    this.go(again ? this.at : 0);
  }

  get last() {
    return Math.max(0, this.count - 1);
  }

  receive(frame) {
    if (this.live) return this.keep(frame);
    if (this.waiting === null) return;
    const { next } = this;
    this.waiting = this.next = null;
    this.at = frame.index;
    this.current = frame;
    this.show(frame);
    if (next !== null) this.ask(next); // also the same again: something about it was to change
  }

  keep(frame) {
    this.kept.push(frame);
    this.bytes += frame.bytes;
    if (this.bytes > budget) this.thin();
    this.count = this.kept.length;
    if (!this.follow) return;
    this.at = this.last;
    this.current = frame;
    this.show(frame);
  }

  thin() {
    const half = this.kept.length >> 1, shown = this.kept[this.at];
    this.kept = this.kept.filter((_, k) => k >= half || k % 2 === 0);
    this.bytes = this.kept.reduce((sum, f) => sum + f.bytes, 0);
    this.at = Math.max(0, this.kept.indexOf(shown));
  }

  ask(k) {
    if (this.waiting !== null) {
      this.next = k;
      return;
    }
    this.waiting = k;
    this.request(k);
  }

  // To a frame; of a live run the last one means: whatever comes.
  go(k) {
    k = Math.min(this.last, Math.max(0, Math.round(k)));
    if (!this.live) return this.ask(k);
    this.follow = k === this.last;
    this.at = k;
    if (this.kept[k]) this.show((this.current = this.kept[k]));
  }

  refresh() {
    if (!this.live && this.current) this.ask(this.current.index);
  }

  lost() {
    this.waiting = this.next = null;
  }

  play(on) {
    this.playing = on;
    if (on && this.at >= this.last && !this.live) this.go(0);
    if (on && this.live && this.at >= this.last) this.follow = true;
    if (!on) this.follow = false;
    this.due = 0;
  }

  tick(now) {
    if (!this.playing || (this.live && this.follow) || this.waiting !== null) return;
    if (now < this.due) return;
    const interval = 1000 / (framesPerSecond * this.speed);
    const stride = Math.max(1, Math.round(16 / interval));
    this.due = Math.max(now, (this.due || now) + interval * stride);
    if (this.at >= this.last) {
      if (this.live) this.follow = true;
      else this.playing = false;
      this.stopped?.();
      return;
    }
    this.go(this.at + stride);
  }
}
