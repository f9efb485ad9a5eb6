// SPDX-License-Identifier: Apache-2.0
// Places of an axis at 1, 2 and 5 times a power of ten, with as many digits as tell them apart.
const [LARGE, SMALL] = [1e5, 1e-3]; // beyond these numbers have an exponent
let context;

function text(place, step, largest) {
  if (Math.abs(place) < step * 1e-6) return '0';
  if (largest >= LARGE || largest < SMALL) {
    const digits = Math.max(Math.floor(Math.log10(Math.abs(place)) + 1e-9) - Math.floor(Math.log10(step) + 1e-9), 0);
    return place.toExponential(Math.min(digits, 12)).replace('e+', 'e');
  }
  return place.toFixed(Math.min(Math.max(-Math.floor(Math.log10(step) + 1e-9), 0), 15));
}

/** @param n about so many  @param unit behind each number  Return: list of { place, text } */
export function makeTicks(low, high, n, unit = '') {
  const rough = (high - low) / n;
  if (!(rough > 0) || !Number.isFinite(rough)) return [];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((k) => k * power >= rough * (1 - 1e-9)) * power;
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  const largest = Math.max(Math.abs(low), Math.abs(high));
  const places = Array.from({ length: Math.max(last - first + 1, 0) }, (_, i) => (first + i) * step);
  return places.map((place) => ({ place, text: text(place, step, largest) + unit }));
}

/** width of the widest of these texts [px] */
export function widest(ticks, font) {
  context ??= document.createElement('canvas').getContext('2d');
  context.font = font;
  return Math.max(0, ...ticks.map((tick) => context.measureText(tick.text).width));
}
