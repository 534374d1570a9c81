// Changes to a live run: gravity, contacts, walls, bodies that are added. What the run is like now comes
// with its status; what hands ask for goes to the run as a line of words, and the run answers by its next
// status: with the new values, or a sentence that says why not.
const $ = (id) => document.getElementById(id);
const kind = { gravity: 1, friction: 2, restitution: 4, wall: 8, add: 16 };

// A field shows what the run says unless someone is typing into it.
function fill(input, value) {
  if (document.activeElement !== input) input.value = value === null || value === undefined || Number.isNaN(value) ? "" : value;
}

export class Controls {
  constructor(stage, say, frame) {
    this.stage = stage;
    this.say = say;
    this.frame = frame; // the one that is shown
    this.now = null;
    this.placing = false;
    this.due = 0; // changes and refusals there will be when what was asked last is answered
    const axes = ["x", "y", "z"].map((a) => $(`gravity-${a}`));
    axes.forEach((input) => input.addEventListener("change", () => this.change(`gravity ${axes.map((i) => +i.value).join(" ")}`)));
    $("pair").addEventListener("change", () => this.showPair());
    for (const what of ["friction", "restitution"]) $(what).addEventListener("change", () => {
      const { a, b } = this.pair();
      this.change(`${what} #${a} #${b} ${+$(what).value}`);
    });
    // What came while a field was being typed into is shown when it is left; before the answer to what was
    // typed has come, that is still shown.
    $("change-section").addEventListener("focusout", () => this.now && !this.waits() && this.show(this.now));
    $("add-above").addEventListener("click", () => this.add(this.above()));
    $("add-click").addEventListener("click", () => this.setPlacing(!this.placing));
  }

  answered() {
    return this.now.changes + this.now.refusals;
  }

  waits() {
    return this.answered() < this.due;
  }

  change(text) {
    this.due = Math.max(this.due, this.answered()) + 1;
    this.say(`run change ${text}`);
  }

  start(hello) {
    this.hello = hello;
    this.now = null;
    this.due = 0;
    this.setPlacing(false);
    $("change-section").hidden = true;
    $("gravity-z").hidden = hello.dim === 2;
    $("add-material").replaceChildren(...hello.materials.map((name, k) => new Option(name, k)));
    $("add-shape").replaceChildren(new Option(hello.dim === 2 ? "disc" : "sphere", ""), ...Array.from({ length: hello.shapes ?? 0 }, (_, k) => new Option(`shape ${k}`, k)));
    $("add-shape").hidden = !hello.shapes;
    $("add-radius").value = "";
    $("pair").replaceChildren();
    $("change-walls").replaceChildren();
  }

  // What the run says of itself.
  show(now) {
    this.now = now;
    $("change-section").hidden = !now;
    if (!now) return;
    const can = (what) => (now.changeable & kind[what]) !== 0;
    ["x", "y", "z"].forEach((a, k) => {
      fill($(`gravity-${a}`), now.gravity[k]);
      $(`gravity-${a}`).disabled = !can("gravity");
    });
    if ($("pair").options.length !== now.contacts.length)
      $("pair").replaceChildren(...now.contacts.map(({ a, b }, k) => new Option(`${this.hello.materials[a]} – ${this.hello.materials[b]}`, k)));
    $("friction").disabled = !can("friction");
    $("restitution").disabled = !can("restitution");
    this.showPair();
    this.showWalls(now.walls, can("wall"));
    $("add-rows").hidden = !can("add");
    const radius = this.frame()?.bodyInfo.radius;
    if ($("add-radius").value === "" && radius?.length && document.activeElement !== $("add-radius")) $("add-radius").value = +radius[0].toPrecision(4);
    $("change-note").textContent = now.changes ? `${now.changes} change${now.changes > 1 ? "s" : ""} noted in changes.csv; the last: ${now.last}` : "";
    $("change-refused").hidden = !now.refusals || now.refusals === this.forgiven;
    $("change-refused").textContent = now.refused;
  }

  pair() {
    return this.now.contacts[Math.max(0, $("pair").selectedIndex)];
  }

  showPair() {
    const { friction, restitution } = this.pair();
    fill($("friction"), friction);
    fill($("restitution"), restitution);
  }

  showWalls(walls, can) {
    const list = $("change-walls");
    if (list.children.length !== walls.length)
      list.replaceChildren(...walls.map((_, k) => {
        const button = document.createElement("button");
        button.id = `wall-${k}`;
        button.addEventListener("click", () => this.change(`wall #${k} ${this.now.walls[k] ? "open" : "shut"}`));
        return button;
      }));
    list.hidden = !can;
    walls.forEach((there, k) => (list.children[k].textContent = `${there ? "open" : "shut"} ${this.hello.walls[k] || `wall ${k}`}`));
  }

  // ---- bodies

  setPlacing(on) {
    this.placing = on;
    $("add-click").classList.toggle("on", on);
  }

  radius() {
    return +$("add-radius").value;
  }

  add(x) {
    if (!x) return;
    const shape = $("add-shape").value, o = this.frame().origin;
    this.change(`add #${$("add-material").value} ${this.radius()} ${x.map((v, a) => (a < this.hello.dim ? v + o[a] : 0)).join(" ")}${shape ? ` shape ${shape}` : ""}`);
  }

  // Over the middle of the bodies: above whatever lies in its way.
  above() {
    const f = this.frame(), g = this.now.gravity, dim = this.hello.dim, r = this.radius();
    if (!f) return null;
    let up = dim - 1;
    for (let a = 0; a < dim; a++) if (Math.abs(g[a]) > Math.abs(g[up])) up = a;
    const sign = g[up] > 0 ? -1 : 1, x = [0, 0, 0], radius = f.bodyInfo.radius;
    for (let i = 0; i < f.n; i++) for (let a = 0; a < dim; a++) x[a] += f.position[3 * i + a] / f.n;
    let top = -Infinity;
    for (let i = 0; i < f.n; i++) {
      let across = 0;
      for (let a = 0; a < dim; a++) if (a !== up) across += (f.position[3 * i + a] - x[a]) ** 2;
      if (across < (r + radius[i]) ** 2) top = Math.max(top, sign * f.position[3 * i + up] + radius[i]);
    }
    if (top > -Infinity) x[up] = sign * (top + 1.05 * r);
    return x;
  }

  // Where a point of the page is: against the body that is seen there, else in the plane through the middle.
  place(clientX, clientY) {
    const { origin: o, direction: d } = this.stage.ray(clientX, clientY), f = this.frame(), r = this.radius();
    if (this.hello.dim === 2) return [o.x, o.y, 0];
    const k = this.stage.pick(clientX, clientY, f), middle = this.stage.controls.target;
    if (k < 0) {
      const n = this.stage.camera.getWorldDirection(middle.clone()), t = middle.clone().sub(o).dot(n) / d.dot(n);
      return [o.x + t * d.x, o.y + t * d.y, o.z + t * d.z];
    }
    const c = [0, 1, 2].map((a) => f.position[3 * k + a]), R = f.bodyInfo.radius[k];
    const m = [o.x - c[0], o.y - c[1], o.z - c[2]], b = m[0] * d.x + m[1] * d.y + m[2] * d.z;
    const t = -b - Math.sqrt(Math.max(0, b * b - (m[0] ** 2 + m[1] ** 2 + m[2] ** 2 - R * R)));
    const n = [m[0] + t * d.x, m[1] + t * d.y, m[2] + t * d.z].map((v) => v / R);
    return c.map((v, a) => v + n[a] * (R + 1.001 * r));
  }

  // Whether a click was one that adds a body.
  click(clientX, clientY) {
    if (!this.placing || !this.now) return false;
    this.setPlacing(false);
    this.add(this.place(clientX, clientY));
    return true;
  }
}
