// What is seen: bodies, walls, the box, and the camera that a hand moves. Knows nothing of where
// frames come from. Coordinates are the scene's own, less `origin`.
import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { Bodies } from "./bodies.js";
import { Solids, trianglesOf } from "./solids.js";

export class Stage {
  constructor(canvas) {
    this.canvas = canvas;
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, alpha: true, preserveDrawingBuffer: false });
    this.renderer.outputColorSpace = THREE.LinearSRGBColorSpace; // colours come ready to be shown
    this.scene = new THREE.Scene();
    this.bodies = new Bodies();
    this.solids = new Solids(this.bodies);
    this.walls = new THREE.Group();
    this.box = new THREE.Group();
    this.layers = new THREE.Group();
    this.scene.add(this.bodies.mesh, this.solids.group, this.walls, this.box, this.layers);
    this.clip = { axis: "none", at: 0.5, flip: false };
    this.dark = true;
    this.draws = 0;
    this.setDimension(3);
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
    this.resize();
  }

  setDimension(dim) {
    if (this.dim === dim) return;
    this.dim = dim;
    this.controls?.dispose();
    this.camera = dim === 2 ? new THREE.OrthographicCamera(-1, 1, 1, -1, -10, 10) : new THREE.PerspectiveCamera(32, 1, 0.01, 100);
    this.camera.up.set(0, dim === 2 ? 1 : 0, dim === 2 ? 0 : 1);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = false;
    this.controls.zoomToCursor = true;
    this.controls.enableRotate = dim === 3;
    if (dim === 2) this.controls.mouseButtons.LEFT = THREE.MOUSE.PAN;
    if (dim === 2) this.controls.touches.ONE = THREE.TOUCH.PAN;
    this.controls.addEventListener("change", () => this.ask());
    this.controls.addEventListener("start", () => (this.moved = true)); // by a hand
    this.bodies.material.uniforms.ortho.value = dim === 2;
    this.bodies.material.uniforms.disc.value = dim === 2;
    this.resize();
  }

  resize() {
    const { clientWidth: w, clientHeight: h } = this.canvas.parentElement;
    this.renderer.setPixelRatio(Math.min(2, devicePixelRatio));
    this.renderer.setSize(w, h, false);
    if (this.dim === 3) this.camera.aspect = w / h;
    else if (this.tall) this.frameFlat();
    this.setFree(this.free ?? [0, 0, 0, 0]);
  }

  // How much of the canvas lies under other things (left, top, right, bottom): the rest is where the
  // middle of the scene belongs.
  setFree(covered) {
    const { clientWidth: w, clientHeight: h } = this.canvas.parentElement, [left, top, right, bottom] = covered;
    this.free = covered;
    this.room = [Math.max(0.2, (w - left - right) / w), Math.max(0.2, (h - top - bottom) / h)];
    this.camera.setViewOffset(w, h, 0.5 * (right - left), 0.5 * (bottom - top), w, h);
    this.camera.updateProjectionMatrix();
    this.ask();
  }

  frameFlat() {
    const a = this.canvas.clientWidth / this.canvas.clientHeight, half = 0.5 * this.tall;
    Object.assign(this.camera, { left: -half * a, right: half * a, top: half, bottom: -half });
    this.camera.updateProjectionMatrix();
  }

  // Draws once, soon: however often it was asked for.
  ask() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => this.draw());
  }

  draw() {
    this.asked = false;
    this.setCut();
    this.renderer.render(this.scene, this.camera);
    this.draws++;
    this.drawn?.();
  }

  // ---- the camera

  setBounds(lo, hi) {
    this.lo = new THREE.Vector3(...lo);
    this.hi = new THREE.Vector3(...hi);
  }

  look(azimuth, elevation) {
    if (!this.lo) return;
    this.moved = true;
    const middle = this.lo.clone().add(this.hi).multiplyScalar(0.5), size = this.hi.clone().sub(this.lo);
    if (this.dim === 2) {
      const aspect = this.canvas.clientWidth / this.canvas.clientHeight;
      this.tall = 1.04 * Math.max(size.y / this.room[1], size.x / this.room[0] / aspect);
      this.camera.zoom = 1;
      this.camera.near = -10 * size.length();
      this.camera.far = 10 * size.length();
      this.frameFlat();
      this.camera.position.set(middle.x, middle.y, size.length());
    } else {
      const a = (azimuth * Math.PI) / 180, e = (elevation * Math.PI) / 180;
      const away = new THREE.Vector3(Math.cos(e) * Math.cos(a), Math.cos(e) * Math.sin(a), Math.sin(e));
      const distance = this.distanceFor(middle, size, away);
      this.camera.position.copy(middle).addScaledVector(away, distance);
      this.camera.near = distance / 500;
      this.camera.far = 40 * distance;
    }
    this.controls.target.copy(middle);
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.ask();
  }

  // The nearest from where every corner of the bounds is seen.
  distanceFor(middle, size, away) {
    const right = new THREE.Vector3().crossVectors(this.camera.up, away);
    if (right.lengthSq() < 1e-6) right.set(1, 0, 0);
    right.normalize();
    const up = new THREE.Vector3().crossVectors(away, right), tan = Math.tan((this.camera.fov * Math.PI) / 360);
    let distance = 0;
    for (let k = 0; k < 8; k++) {
      const corner = new THREE.Vector3(k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5, k & 4 ? 0.5 : -0.5).multiply(size);
      const across = Math.abs(corner.dot(right)) / (tan * this.camera.aspect * this.room[0]);
      distance = Math.max(distance, corner.dot(away) + 1.03 * Math.max(across, Math.abs(corner.dot(up)) / (tan * this.room[1])));
    }
    return distance;
  }

  // ---- the cut: keeps what lies below it along its axis (above, if flipped)

  setCut() {
    const u = this.bodies.material.uniforms, axis = "xyz".indexOf(this.clip.axis);
    u.cutting.value = axis >= 0 && !!this.lo;
    if (!u.cutting.value) return;
    const normal = new THREE.Vector3().setComponent(axis, this.clip.flip ? -1 : 1);
    const point = this.lo.clone().lerp(this.hi, this.clip.at);
    this.camera.updateMatrixWorld();
    const view = this.camera.matrixWorldInverse;
    point.applyMatrix4(view);
    normal.transformDirection(view);
    u.cut.value.set(normal.x, normal.y, normal.z, normal.dot(point));
  }

  isCut(x, y, z) {
    const axis = "xyz".indexOf(this.clip.axis);
    if (axis < 0) return false;
    const at = this.lo.getComponent(axis) + this.clip.at * (this.hi.getComponent(axis) - this.lo.getComponent(axis));
    return this.clip.flip ? [x, y, z][axis] < at : [x, y, z][axis] > at;
  }

  // ---- walls and box

  lineColour() {
    return this.dark ? 0xffffff : 0x20262c;
  }

  setWalls(triangles, origin) {
    this.wallTriangles = triangles;
    this.wallOrigin = origin;
    for (const child of this.walls.children) child.geometry.dispose();
    this.walls.clear();
    if (!triangles?.length) return this.ask();
    const positions = new Float32Array(triangles.length);
    for (let k = 0; k < triangles.length; k++) positions[k] = triangles[k] - origin[k % 3];
    if (this.dim === 2) return this.setSegments(positions);
    const g = new THREE.BufferGeometry();
    g.setAttribute("position", new THREE.BufferAttribute(positions, 3));
    const tint = this.dark ? 0xb9c7d2 : 0x3b4a55;
    for (const [side, opacity] of [[THREE.BackSide, this.dark ? 0.1 : 0.13], [THREE.FrontSide, this.dark ? 0.045 : 0.06]]) {
      const m = new THREE.MeshBasicMaterial({ color: tint, transparent: true, opacity, side, depthWrite: false });
      this.walls.add(new THREE.Mesh(g, m));
    }
    if (triangles.length / 9 <= 60000) {
      const edges = new THREE.EdgesGeometry(g, 25);
      this.walls.add(new THREE.LineSegments(edges, new THREE.LineBasicMaterial({ color: this.lineColour(), transparent: true, opacity: 0.28, depthWrite: false })));
    }
    this.ask();
  }

  setSegments(corners) {
    const points = [];
    for (let k = 0; k < corners.length; k += 9) points.push(...corners.subarray(k, k + 6));
    const g = new THREE.BufferGeometry();
    g.setAttribute("position", new THREE.BufferAttribute(new Float32Array(points), 3));
    this.walls.add(new THREE.LineSegments(g, new THREE.LineBasicMaterial({ color: this.lineColour(), transparent: true, opacity: 0.75 })));
    this.ask();
  }

  setBox(lo, hi, origin) {
    this.boxGiven = lo && [lo, hi, origin];
    for (const child of this.box.children) child.geometry.dispose();
    this.box.clear();
    if (!lo) return;
    const size = hi.map((v, k) => (k < this.dim ? v - lo[k] : 0));
    const middle = hi.map((v, k) => (k < this.dim ? 0.5 * (v + lo[k]) - origin[k] : 0));
    const g = new THREE.EdgesGeometry(new THREE.BoxGeometry(...size));
    const lines = new THREE.LineSegments(g, new THREE.LineBasicMaterial({ color: this.lineColour(), transparent: true, opacity: 0.16 }));
    lines.position.set(...middle);
    this.box.add(lines);
    this.ask();
  }

  setDark(dark) {
    this.dark = dark;
    this.setWalls(this.wallTriangles, this.wallOrigin);
    if (this.boxGiven) this.setBox(...this.boxGiven);
    this.ask();
  }

  // ---- picking: the nearest body under a point of the canvas; -1: none

  ray(clientX, clientY) {
    const at = this.canvas.getBoundingClientRect();
    const point = new THREE.Vector2((2 * (clientX - at.left)) / at.width - 1, 1 - (2 * (clientY - at.top)) / at.height);
    const caster = new THREE.Raycaster();
    this.camera.updateMatrixWorld();
    caster.setFromCamera(point, this.camera);
    return caster.ray;
  }

  pick(clientX, clientY, frame) {
    const { origin: o, direction: d } = this.ray(clientX, clientY), x = frame.position, { radius, shape } = frame.bodyInfo;
    let best = -1, nearest = Infinity;
    for (let i = 0; i < frame.n; i++) {
      const cx = o.x - x[3 * i], cy = o.y - x[3 * i + 1], cz = o.z - x[3 * i + 2], r = radius[i];
      const b = cx * d.x + cy * d.y + cz * d.z, q = b * b - (cx * cx + cy * cy + cz * cz - r * r);
      if (q < 0) continue; // past the sphere around it
      const solid = shape && shape[i] !== 0xffffffff;
      const t = solid ? this.meetSolid(o, d, frame, i) : this.meet(o, d, -b - Math.sqrt(q), -b + Math.sqrt(q));
      if (t >= nearest || (t < 0 && this.dim === 3)) continue;
      nearest = t;
      best = i;
    }
    return best;
  }

  // Where a ray that goes through something from s to t meets what the cut leaves of it.
  meet(o, d, s, t) {
    const cut = (v) => this.isCut(o.x + v * d.x, o.y + v * d.y, o.z + v * d.z);
    if (!cut(s)) return s;
    if (cut(t)) return Infinity;
    const axis = "xyz".indexOf(this.clip.axis), at = this.lo.getComponent(axis) + this.clip.at * (this.hi.getComponent(axis) - this.lo.getComponent(axis));
    return (at - o.getComponent(axis)) / d.getComponent(axis);
  }

  // The same for a body made of triangles: the first one that is not cut away.
  meetSolid(o, d, frame, i) {
    const { radius, shape, triangles } = frame.bodyInfo, { first, count } = trianglesOf(frame.bodyInfo), x = frame.position, q = frame.orientation;
    const back = q ? new THREE.Quaternion(-q[4 * i + 1], -q[4 * i + 2], -q[4 * i + 3], q[4 * i]) : new THREE.Quaternion();
    const from = new THREE.Vector3(o.x - x[3 * i], o.y - x[3 * i + 1], o.z - x[3 * i + 2]).applyQuaternion(back).divideScalar(radius[i]);
    const ray = new THREE.Ray(from, d.clone().applyQuaternion(back)), hit = new THREE.Vector3();
    const corner = (k) => new THREE.Vector3(triangles[k], triangles[k + 1], triangles[k + 2]);
    let nearest = Infinity;
    for (let k = 9 * first[shape[i]], n = count[shape[i]]; n > 0; n--, k += 9) {
      if (!ray.intersectTriangle(corner(k), corner(k + 3), corner(k + 6), false, hit)) continue;
      const t = radius[i] * hit.sub(from).dot(ray.direction);
      if (t < nearest && !this.isCut(o.x + t * d.x, o.y + t * d.y, o.z + t * d.z)) nearest = t;
    }
    return nearest;
  }

  // Where a point of the scene is on the page, in pixels.
  project(x, y, z) {
    const at = this.canvas.getBoundingClientRect(), v = new THREE.Vector3(x, y, z).project(this.camera);
    return [at.left + 0.5 * (v.x + 1) * at.width, at.top + 0.5 * (1 - v.y) * at.height];
  }
}
