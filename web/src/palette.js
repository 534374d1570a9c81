// The colours of src/io/palette.c, so that the page and `jostle render` show the same: a path through
// OKLab for values, Okabe and Ito's colours for kinds.
const clamp = (v) => Math.min(1, Math.max(0, v));
const encode = (l) => (l <= 0.0031308 ? 12.92 * l : 1.055 * l ** (1 / 2.4) - 0.055);

export function colourOf(t) {
  t = clamp(t);
  const light = 0.4 + 0.53 * t, hue = ((308 - 203 * t) * Math.PI) / 180;
  const chroma = 0.104 + 0.25 * (t - 0.42) ** 2;
  const a = chroma * Math.cos(hue), b = chroma * Math.sin(hue);
  const l = (light + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (light - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (light - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ].map((v) => clamp(encode(clamp(v))));
}

export const kinds = [
  [0.0, 0.447, 0.698], [0.835, 0.369, 0.0], [0.0, 0.62, 0.451], [0.8, 0.475, 0.655],
  [0.902, 0.624, 0.0], [0.337, 0.706, 0.914], [0.45, 0.45, 0.47], [0.64, 0.6, 0.1],
];

export const css = ([r, g, b]) => `rgb(${Math.round(255 * r)} ${Math.round(255 * g)} ${Math.round(255 * b)})`;

// 256 colours as bytes for a texture: values, or kinds that repeat.
export function table(categorical) {
  const bytes = new Uint8Array(256 * 4);
  for (let k = 0; k < 256; k++) {
    const c = categorical ? kinds[k % kinds.length] : colourOf(k / 255);
    bytes.set([255 * c[0], 255 * c[1], 255 * c[2], 255].map(Math.round), 4 * k);
  }
  return bytes;
}
