// The start page: every scene that comes with jostle, with a picture and a line; a click starts it in a
// process of its own, to whose page the browser then goes. The way back leads here again.
const $ = (id) => document.getElementById(id);

export class Gallery {
  constructor(say) {
    this.say = say;
    this.runs = [];
    this.waiting = null; // the scene that was chosen here, and the runs there were before
    addEventListener("pageshow", (e) => e.persisted && this.forget()); // come back to
  }

  start(hello) {
    const choosing = hello.mode === "gallery";
    document.body.classList.toggle("choosing", choosing);
    $("gallery").hidden = !choosing;
    if (!choosing) return;
    $("gallery-note").textContent = `${hello.scenes.length} scenes come with jostle; they are text files: jostle demo --list tells where. A click runs one here on this machine.`;
    $("gallery-scenes").replaceChildren(...hello.scenes.map((scene) => {
      const card = document.createElement("button"), picture = document.createElement("img"), title = document.createElement("b"), line = document.createElement("span");
      card.className = "scene";
      card.id = `scene-${scene.name}`;
      if (scene.picture) picture.src = `thumbnails/${scene.name}.png`;
      picture.alt = "";
      picture.width = 360;
      picture.height = 240;
      title.textContent = scene.name;
      line.textContent = scene.title || scene.summary;
      card.title = scene.summary;
      card.append(picture, title, line);
      card.addEventListener("click", () => this.choose(scene.name));
      return card;
    }));
    this.forget();
  }

  forget() {
    this.waiting = null;
    for (const card of $("gallery-scenes").children) card.classList.remove("starting");
  }

  choose(name) {
    if (this.waiting) return;
    this.waiting = { name, before: new Set(this.runs.map((r) => r.process)), refusals: this.refusals };
    $(`scene-${name}`).classList.add("starting");
    this.say(`run start ${name}`);
  }

  show({ runs, refusals, refused }) {
    this.runs = runs;
    this.refusals = refusals;
    const { waiting } = this;
    if (!waiting) return;
    if (refusals > waiting.refusals) {
      $("gallery-note").textContent = refused;
      return this.forget();
    }
    const mine = runs.find((r) => r.name === waiting.name && r.url && !waiting.before.has(r.process));
    if (mine) location.assign(mine.url);
  }
}
