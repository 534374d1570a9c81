// Pictures and videos of what is on the stage.
function save(blob, name) {
  const a = document.createElement("a");
  a.href = URL.createObjectURL(blob);
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 10000);
}

const fileName = (state, extension) => {
  const base = (state.hello?.title ?? "jostle").toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
  return `${base || "jostle"}-${String(state.frame?.time ?? 0).slice(0, 8)}.${extension}`;
};

export function savePicture(stage, state) {
  stage.draw(); // the picture is gone after it was shown, so draw and take in one go
  stage.canvas.toBlob((blob) => save(blob, fileName(state, "png")));
}

export class Recorder {
  constructor(canvas, changed) {
    this.canvas = canvas;
    this.changed = changed;
  }

  get on() {
    return this.media?.state === "recording";
  }

  toggle() {
    if (this.on) return this.media.stop();
    const parts = [], type = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"].find((t) => MediaRecorder.isTypeSupported(t));
    this.media = new MediaRecorder(this.canvas.captureStream(30), { mimeType: type, videoBitsPerSecond: 12e6 });
    this.size = 0;
    this.media.ondataavailable = (e) => {
      parts.push(e.data);
      this.size += e.data.size;
    };
    this.media.onstop = () => {
      this.changed(false);
      save(new Blob(parts, { type: "video/webm" }), "jostle.webm");
    };
    this.media.start(250); // milliseconds of video in a part
    this.changed(true);
  }
}
