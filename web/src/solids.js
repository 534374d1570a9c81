// Polyhedra: the triangles of each shape, drawn for every body that has it, turned and scaled in the
// shader. What a cut opens shows its inside. Polygons are shapes too, each its own, with an outline.
import * as THREE from "three";
import { List, lookup } from "./lists.js";

const vertex = /* glsl */ `
${lookup}
uniform mat4 modelViewMatrix, projectionMatrix;
in float body; in float corner; // numbers of them
uniform sampler2D places, turns, sizes, tints, corners, normals;
uniform vec2 range; uniform float chosen; uniform bool categorical;
out vec3 at; out vec3 out_normal; flat out float tint; flat out float mark;
vec3 rotate(vec4 q, vec3 p) { return p + 2.0 * cross(q.yzw, cross(q.yzw, p) + q.x * p); }
void main() {
  int i = int(body + 0.5), c = int(corner + 0.5);
  vec4 turn = item4(turns, i);
  float value = item(tints, i);
  vec4 p = modelViewMatrix * vec4(item3(places, i) + item(sizes, i) * rotate(turn, item3(corners, c)), 1.0);
  at = p.xyz;
  out_normal = (modelViewMatrix * vec4(rotate(turn, item3(normals, c / 3)), 0.0)).xyz;
  tint = categorical ? (mod(value, 256.0) + 0.5) / 256.0 : clamp((value - range.x) / max(range.y - range.x, 1e-30), 0.0, 1.0);
  mark = chosen == body ? 1.0 : 0.0;
  gl_Position = projectionMatrix * p;
}`;

const fragment = /* glsl */ `
precision highp float;
in vec3 at; in vec3 out_normal; flat in float tint; flat in float mark;
uniform sampler2D colours; uniform vec4 cut; uniform bool cutting; uniform vec3 accent;
out vec4 shown;
void main() {
  if (cutting && dot(cut.xyz, at) > cut.w) discard;
  vec3 colour = texture(colours, vec2((tint * 255.0 + 0.5) / 256.0, 0.5)).rgb;
  vec3 n = normalize(out_normal), light = normalize(vec3(-0.45, 0.7, 0.75));
  if (gl_FrontFacing) colour *= 0.5 + 0.22 * (0.5 + 0.5 * n.y) + 0.5 * max(dot(n, light), 0.0);
  else colour = mix(colour, vec3(dot(colour, vec3(0.3, 0.6, 0.1))), 0.35) * 0.7;
  if (mark > 0.5) colour = mix(colour, accent, 0.6);
  shown = vec4(colour, 1.0);
}`;

const noShape = 0xffffffff;

// Triangles lie shape by shape: where those of each begin, how many they are, and corners of all bodies.
export function trianglesOf(info) {
  if (info.ofShapes) return info.ofShapes;
  const first = new Map(), count = new Map();
  info.owner.forEach((s, t) => (first.has(s) || first.set(s, t), count.set(s, (count.get(s) ?? 0) + 1)));
  const shapes = info.owner.reduce((most, s) => Math.max(most, s), -1) + 1, list = (map) => Uint32Array.from({ length: shapes }, (_, s) => map.get(s) ?? 0);
  const out = { first: list(first), count: list(count), corners: 0 };
  for (const s of info.shape) if (s !== noShape) out.corners += 3 * (out.count[s] ?? 0);
  return (info.ofShapes = out);
}

// Of every triangle, of length 1.
function normalsOf(t) {
  const out = new Float32Array(t.length / 3);
  for (let k = 0; 9 * k < t.length; k++) {
    const [a, b] = [3, 6].map((o) => [0, 1, 2].map((x) => t[9 * k + o + x] - t[9 * k + x]));
    const n = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]], l = Math.hypot(...n) || 1;
    n.forEach((v, x) => (out[3 * k + x] = v / l));
  }
  return out;
}

export class Solids {
  constructor(bodies) {
    this.group = new THREE.Group();
    this.lists = Object.fromEntries(["places", "turns", "sizes", "tints", "corners", "normals"].map((name) => [name, new List()]));
    const own = Object.fromEntries(Object.entries(this.lists).map(([name, list]) => [name, { value: list.texture }]));
    this.material = new THREE.RawShaderMaterial({ glslVersion: THREE.GLSL3, vertexShader: vertex, fragmentShader: fragment, uniforms: { ...bodies.material.uniforms, ...own }, side: THREE.DoubleSide });
    this.serial = 0;
    this.mesh = null;
    this.outlines = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: 0x202428, depthTest: false }));
    this.outlines.frustumCulled = false;
    this.outlines.renderOrder = 1;
  }

  // For every corner of every body that has a shape: which body, which corner of which triangle. Made
  // anew when the bodies are others.
  prepare(info) {
    if (this.serial === info.serial) return;
    this.serial = info.serial;
    this.mesh?.geometry.dispose();
    this.mesh = null;
    this.group.clear();
    if (!info.shape) return;
    if (info.outline) {
      this.group.add(this.outlines);
      this.outlines.geometry.dispose();
      this.outlines.geometry = new THREE.BufferGeometry();
      this.outlines.geometry.setAttribute("position", new THREE.Float32BufferAttribute(new Float32Array(3 * info.outline.length), 3).setUsage(THREE.DynamicDrawUsage));
    }
    const { first, count, corners: total } = trianglesOf(info);
    const body = new Float32Array(total), corner = new Float32Array(total);
    let at = 0;
    info.shape.forEach((s, i) => {
      if (s === noShape) return;
      for (let c = 3 * first[s]; c < 3 * (first[s] + count[s]); c++) (body[at] = i), (corner[at++] = c);
    });
    const g = new THREE.BufferGeometry();
    g.setAttribute("body", new THREE.BufferAttribute(body, 1));
    g.setAttribute("corner", new THREE.BufferAttribute(corner, 1));
    g.setIndex(new THREE.BufferAttribute(Uint32Array.from(body, (_, k) => k), 1));
    this.lists.corners.put(info.triangles, info.triangles.length);
    this.lists.normals.put(normalsOf(info.triangles), info.triangles.length / 3);
    this.mesh = new THREE.Mesh(g, this.material);
    this.mesh.frustumCulled = false;
    this.group.add(this.mesh);
  }

  show(frame, info) {
    this.prepare(info);
    if (!this.mesh) return;
    this.lists.places.put(frame.position, 3 * frame.n);
    this.lists.turns.put(frame.orientation ?? Float32Array.from({ length: 4 * frame.n }, (_, k) => +(k % 4 === 0)), 4 * frame.n);
    this.lists.sizes.put(info.radius, frame.n);
    if (info.outline) this.trace(frame, info);
  }

  // Two ends for every edge of a polygon, where it is.
  trace({ position: x, orientation: q }, { outline, corners }) {
    const place = this.outlines.geometry.getAttribute("position");
    for (let i = 0, from = 0, at = 0; i < corners.length; from += corners[i++]) {
      const w = q ? q[4 * i] : 1, z = q ? q[4 * i + 3] : 0, c = w * w - z * z, s = 2 * w * z;
      for (let k = 0; k < 2 * corners[i]; k++) {
        const p = 2 * (from + (((k + 1) >> 1) % corners[i]));
        place.array[at++] = x[3 * i] + c * outline[p] - s * outline[p + 1];
        place.array[at++] = x[3 * i + 1] + s * outline[p] + c * outline[p + 1];
        place.array[at++] = x[3 * i + 2];
      }
    }
    place.needsUpdate = true;
  }

  colour(all) {
    if (!this.mesh) return;
    const values = all();
    this.lists.tints.put(values, values.length);
    for (const name in this.lists) this.material.uniforms[name].value = this.lists[name].texture;
  }

  // Radii for spheres alone: a body that is none has no sphere.
  static spheres(info) {
    info.sphereRadius ??= info.shape ? info.radius.map((r, i) => (info.shape[i] === noShape ? r : 0)) : info.radius;
    return info.sphereRadius;
  }
}
