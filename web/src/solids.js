// Polyhedra: the triangles of each shape, drawn once for every body that has it, turned and scaled in
// the shader. What a cut opens shows its inside. Polygons are shapes too, each its own, with an outline.
import * as THREE from "three";

const vertex = /* glsl */ `
precision highp float;
uniform mat4 modelViewMatrix, projectionMatrix;
in vec3 position; in vec3 normal; in vec4 centre; in vec4 turn; in vec2 value; // value, number of the body
uniform vec2 range; uniform float chosen; uniform bool categorical;
out vec3 at; out vec3 out_normal; flat out float tint; flat out float mark;
vec3 rotate(vec4 q, vec3 p) { return p + 2.0 * cross(q.yzw, cross(q.yzw, p) + q.x * p); }
void main() {
  vec4 p = modelViewMatrix * vec4(centre.xyz + centre.w * rotate(turn, position), 1.0);
  at = p.xyz;
  out_normal = (modelViewMatrix * vec4(rotate(turn, normal), 0.0)).xyz;
  tint = categorical ? (mod(value.x, 256.0) + 0.5) / 256.0 : clamp((value.x - range.x) / max(range.y - range.x, 1e-30), 0.0, 1.0);
  mark = chosen == value.y ? 1.0 : 0.0;
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

export class Solids {
  constructor(bodies) {
    this.group = new THREE.Group();
    this.material = new THREE.RawShaderMaterial({ glslVersion: THREE.GLSL3, vertexShader: vertex, fragmentShader: fragment, uniforms: bodies.material.uniforms, side: THREE.DoubleSide });
    this.serial = 0;
    this.meshes = [];
    this.outlines = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: 0x202428, depthTest: false }));
    this.outlines.frustumCulled = false;
    this.outlines.renderOrder = 1;
  }

  // Which bodies have which shape; made anew when the bodies are others.
  prepare(info) {
    if (this.serial === info.serial) return;
    this.serial = info.serial;
    for (const m of this.meshes) m.geometry.dispose();
    this.group.clear();
    this.meshes = [];
    if (!info.shape) return;
    if (info.outline) {
      this.group.add(this.outlines);
      this.outlines.geometry.dispose();
      this.outlines.geometry = new THREE.BufferGeometry();
      this.outlines.geometry.setAttribute("position", new THREE.Float32BufferAttribute(new Float32Array(3 * info.outline.length), 3).setUsage(THREE.DynamicDrawUsage));
    }
    const members = new Map(), triangles = new Map();
    info.owner.forEach((o, t) => (triangles.has(o) ? triangles.get(o).push(t) : triangles.set(o, [t])));
    info.shape.forEach((s, i) => s !== 0xffffffff && (members.has(s) ? members.get(s).push(i) : members.set(s, [i])));
    for (const [shape, bodies] of members) {
      const corners = [];
      for (const t of triangles.get(shape) ?? []) corners.push(...info.triangles.subarray(9 * t, 9 * t + 9));
      const g = new THREE.InstancedBufferGeometry();
      g.setAttribute("position", new THREE.Float32BufferAttribute(corners, 3));
      g.computeVertexNormals();
      for (const [name, width] of [["centre", 4], ["turn", 4], ["value", 2]]) {
        const a = new THREE.InstancedBufferAttribute(new Float32Array(width * bodies.length), width);
        a.setUsage(THREE.DynamicDrawUsage);
        g.setAttribute(name, a);
      }
      g.instanceCount = bodies.length;
      const mesh = new THREE.Mesh(g, this.material);
      mesh.frustumCulled = false;
      mesh.members = bodies;
      this.meshes.push(mesh);
      this.group.add(mesh);
    }
  }

  show(frame, info) {
    this.prepare(info);
    const { position: x, orientation: q } = frame;
    for (const { geometry: g, members } of this.meshes) {
      const centre = g.getAttribute("centre"), turn = g.getAttribute("turn");
      members.forEach((i, k) => {
        centre.array.set([x[3 * i], x[3 * i + 1], x[3 * i + 2], info.radius[i]], 4 * k);
        turn.array.set(q ? q.subarray(4 * i, 4 * i + 4) : [1, 0, 0, 0], 4 * k);
      });
      centre.needsUpdate = turn.needsUpdate = true;
    }
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
    if (!this.meshes.length) return;
    const values = all();
    for (const { geometry: g, members } of this.meshes) {
      const value = g.getAttribute("value");
      members.forEach((i, k) => value.array.set([values[i], i], 2 * k));
      value.needsUpdate = true;
    }
  }

  // Radii for spheres alone: a body that is none has no sphere.
  static spheres(info) {
    info.sphereRadius ??= info.shape ? info.radius.map((r, i) => (info.shape[i] === 0xffffffff ? r : 0)) : info.radius;
    return info.sphereRadius;
  }
}
