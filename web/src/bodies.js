// Spheres as impostors: a square per body that covers its outline, and in each pixel the ray's exact
// meeting with the sphere, with the depth that belongs to it. A cutting plane opens spheres and shows
// the flat inside. In 2D they are discs with a rim.
import * as THREE from "three";
import { List, lookup } from "./lists.js";
import { table } from "./palette.js";

const vertex = /* glsl */ `
uniform sampler2D centres, radii, values; uniform usampler2D packedCentres; uniform bool packed;
uniform bool ortho; uniform vec2 range; uniform float chosen; uniform bool categorical;
uniform vec3 low, extent; uniform float unit; // what packed numbers are in
out vec3 ray; flat out vec3 mid; flat out float size; flat out float tint; flat out float mark;
void main() {
  int body = gl_VertexID / 4, turn = gl_VertexID % 4; // four corners each
  vec2 corner = vec2(turn == 1 || turn == 2 ? 1.0 : -1.0, turn > 1 ? 1.0 : -1.0);
  vec3 centre = packed ? low + extent * (whole3(packedCentres, body) / 65535.0) : item3(centres, body);
  float radius = item(radii, body), value = item(values, body);
  mid = (modelViewMatrix * vec4(centre, 1.0)).xyz;
  size = radius;
  tint = categorical ? (mod(value, 256.0) + 0.5) / 256.0 : clamp((value * unit - range.x) / max(range.y - range.x, 1e-30), 0.0, 1.0);
  mark = chosen == float(body) ? 1.0 : 0.0;
  vec3 right = vec3(1, 0, 0), up = vec3(0, 1, 0);
  float reach = radius;
  if (!ortho) {
    float d2 = dot(mid, mid), r2 = radius * radius;
    if (radius <= 0.0 || d2 <= 1.0001 * r2) { gl_Position = vec4(2, 2, 2, 1); return; }
    vec3 away = mid * inversesqrt(d2);
    right = normalize(cross(away, abs(away.y) < 0.9 ? up : vec3(0, 0, 1)));
    up = cross(right, away);
    reach = radius * sqrt(d2 / (d2 - r2));
  }
  ray = mid + reach * (corner.x * right + corner.y * up);
  gl_Position = projectionMatrix * vec4(ray, 1.0);
}`;

const fragment = /* glsl */ `
precision highp float;
in vec3 ray; flat in vec3 mid; flat in float size; flat in float tint; flat in float mark;
uniform bool ortho; uniform bool disc; uniform sampler2D colours; uniform vec4 cut; uniform bool cutting;
uniform vec3 accent; uniform mat4 projectionMatrix; uniform bool ghost;
out vec4 shown;
void main() {
  vec3 from = ortho ? vec3(ray.xy, 0.0) : vec3(0.0), along = ortho ? vec3(0, 0, -1) : normalize(ray);
  vec3 rel = from - mid;
  float b = dot(rel, along), c = dot(rel, rel) - size * size, q = b * b - c;
  float edge = clamp(0.5 + q / max(fwidth(q), 1e-30), 0.0, 1.0); // smooth outlines
  if (edge <= 0.0) discard;
  q = max(q, 0.0);
  float s = sqrt(q), t = -b - s;
  vec3 hit = from + t * along, normal = (hit - mid) / size;
  bool inside = false;
  if (cutting && dot(cut.xyz, hit) > cut.w) {
    float slope = dot(cut.xyz, along);
    t = (cut.w - dot(cut.xyz, from)) / (abs(slope) < 1e-12 ? 1e-12 : slope);
    hit = from + t * along;
    if (t < -b - s || t > -b + s) discard;
    normal = -cut.xyz; // towards the side that was taken away, as seen from it
    inside = true;
  }
  vec3 colour = texture(colours, vec2((tint * 255.0 + 0.5) / 256.0, 0.5)).rgb;
  float facing = abs(dot(normal, along));
  if (disc) {
    float rim = length(hit.xy - mid.xy) / size;
    colour *= mix(1.06, 0.86, rim * rim) * (1.0 - 0.45 * smoothstep(0.86, 0.97, rim));
    hit.z = mid.z;
  } else if (inside) {
    colour = mix(colour, vec3(dot(colour, vec3(0.3, 0.6, 0.1))), 0.35) * 0.8;
  } else {
    float key = max(dot(normal, normalize(vec3(-0.45, 0.7, 0.75))), 0.0);
    float sky = 0.5 + 0.5 * normal.y;
    colour *= 0.58 + 0.20 * sky + 0.52 * key;
    colour *= mix(0.45, 1.0, smoothstep(0.0, 0.5, facing));
    colour += 0.12 * pow(max(dot(reflect(along, normal), normalize(vec3(-0.45, 0.7, 0.75))), 0.0), 24.0);
  }
  if (mark > 0.5) colour = mix(colour, accent, 0.35 + 0.5 * (1.0 - smoothstep(0.3, 0.6, facing)));
  shown = ghost ? vec4(colour, 0.06 + 0.3 * pow(1.0 - facing, 3.0)) : vec4(colour, edge);
  vec4 clip = projectionMatrix * vec4(hit, 1.0);
  gl_FragDepth = 0.5 + 0.5 * clip.z / clip.w;
}`;

export class Bodies {
  constructor(ghost = false) {
    this.room = 0;
    this.material = new THREE.RawShaderMaterial({
      glslVersion: THREE.GLSL3,
      alphaToCoverage: !ghost, transparent: ghost, depthWrite: !ghost,
      vertexShader: `${lookup}\nuniform mat4 modelViewMatrix, projectionMatrix;\n${vertex}`,
      fragmentShader: fragment,
      uniforms: {
        ortho: { value: false }, disc: { value: false }, range: { value: new THREE.Vector2(0, 1) },
        chosen: { value: -1 }, categorical: { value: false }, colours: { value: null },
        cut: { value: new THREE.Vector4(0, 0, 1, 0) }, cutting: { value: false },
        centres: { value: null }, packedCentres: { value: null }, radii: { value: null }, values: { value: null }, packed: { value: false },
        low: { value: new THREE.Vector3() }, extent: { value: new THREE.Vector3(1, 1, 1) }, unit: { value: 1 },
        accent: { value: new THREE.Color(1, 0.55, 0.2) }, ghost: { value: ghost },
      },
    });
    this.tables = [false, true].map((categorical) => {
      const t = new THREE.DataTexture(table(categorical), 256, 1);
      t.minFilter = t.magFilter = categorical ? THREE.NearestFilter : THREE.LinearFilter;
      t.needsUpdate = true;
      return t;
    });
    this.lists = { centres: new List(), packedCentres: new List(true), radii: new List(), values: new List() };
    this.mesh = new THREE.Mesh(new THREE.BufferGeometry(), this.material);
    this.mesh.frustumCulled = false;
    this.reserve(1);
    this.mesh.geometry.setDrawRange(0, 0);
    this.tell();
  }

  // Two triangles a body; what they are made of is looked up.
  reserve(n) {
    if (n <= this.room) return;
    this.room = Math.ceil(1.2 * n) + 16;
    const index = new Uint32Array(6 * this.room);
    for (let i = 0; i < this.room; i++) [0, 1, 2, 0, 2, 3].forEach((c, k) => (index[6 * i + k] = 4 * i + c));
    this.mesh.geometry.dispose();
    this.mesh.geometry = new THREE.BufferGeometry();
    this.mesh.geometry.setIndex(new THREE.BufferAttribute(index, 1));
  }

  tell() {
    for (const name in this.lists) this.material.uniforms[name].value = this.lists[name].texture;
  }

  // Positions of a frame; radii (the same array as long as they are the same); and what colours are of.
  // Packed numbers go to the graphics card as they came.
  show(frame, radius, value, { range, categorical, name }) {
    const { n, packed } = frame, u = this.material.uniforms, { lists } = this, h = packed?.unit[name] ? packed[name] : null;
    this.reserve(n);
    if (packed) lists.packedCentres.put(packed.position, 3 * n);
    else lists.centres.put(frame.position, 3 * n);
    lists.radii.put(radius, n);
    lists.values.put(h ?? value(), n);
    this.tell();
    this.mesh.geometry.setDrawRange(0, 6 * n);
    u.packed.value = !!packed;
    if (packed) (u.low.value.fromArray(packed.low), u.extent.value.fromArray(packed.extent));
    u.unit.value = h ? packed.unit[name] : 1;
    u.range.value.set(range[0], range[1]);
    u.categorical.value = categorical;
    u.colours.value = this.tables[categorical ? 1 : 0];
  }
}
