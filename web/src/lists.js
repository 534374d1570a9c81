// Numbers where shaders can look them up: arrays as they come in messages, put into textures of one
// channel, row by row. Vertices ask for what belongs to their body; so nothing is repeated for each
// vertex, and all bodies are drawn by one call. (Drawing by instances would do the same, but software
// renderers draw instances one by one.)
import * as THREE from "three";

const width = 3072; // holds whole groups of 1, 2, 3 and 4
const kinds = new Map([
  [Float32Array, [THREE.RedFormat, THREE.FloatType]],
  [Uint16Array, [THREE.RedFormat, THREE.HalfFloatType]],
]);

export const lookup = /* glsl */ `
precision highp float; precision highp int; precision highp sampler2D; precision highp usampler2D;
float item(sampler2D list, int k) { return texelFetch(list, ivec2(k % ${width}, k / ${width}), 0).r; }
vec3 item3(sampler2D list, int k) { return vec3(item(list, 3 * k), item(list, 3 * k + 1), item(list, 3 * k + 2)); }
vec4 item4(sampler2D list, int k) { return vec4(item(list, 4 * k), item(list, 4 * k + 1), item(list, 4 * k + 2), item(list, 4 * k + 3)); }
vec3 whole3(usampler2D list, int k) {
  ivec2 at = ivec2((3 * k) % ${width}, (3 * k) / ${width});
  return vec3(texelFetch(list, at, 0).r, texelFetch(list, at + ivec2(1, 0), 0).r, texelFetch(list, at + ivec2(2, 0), 0).r);
}`;

export class List {
  // Where `whole`, 16 bits are whole numbers; else they are numbers of half precision.
  constructor(whole = false) {
    this.whole = whole;
    this.make(1, whole ? Uint16Array : Float32Array);
  }

  make(count, Type) {
    const rows = Math.ceil((1.1 * count) / width) || 1, data = new Type(width * rows);
    const [format, type] = this.whole ? [THREE.RedIntegerFormat, THREE.UnsignedShortType] : kinds.get(Type);
    this.texture?.dispose();
    this.texture = new THREE.DataTexture(data, width, rows, format, type);
    this.texture.needsUpdate = true;
    this.last = null;
  }

  // Nothing is done where they are the same array as before.
  put(values, count) {
    if (values === this.last) return;
    const { data } = this.texture.image, Type = values.constructor;
    if (data.length < count || data.constructor !== Type) this.make(count, Type);
    this.texture.image.data.set(values.length > count ? values.subarray(0, count) : values);
    this.texture.needsUpdate = true;
    this.last = values;
  }
}
