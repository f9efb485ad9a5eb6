// SPDX-License-Identifier: Apache-2.0
// A histogram of durations with logarithmic axes. The period is an upright line at the edge of a column, so that a column is
// either within the period or beyond it.
import { duration } from './dom.js';

const COLUMN = 5; // px
const [TOP, BOTTOM, SIDE] = [4, 15, 2]; // px around the columns
const [CLOSE, TEXT] = [44, '11px system-ui, sans-serif']; // px between two labels of the axis

/** Sort the buckets of the daemon into columns. @param decades of a column
 * Return: Map of the index, 0 at the period, to { count, late: beyond the limit of the configuration } */
export function columnsOf({ upper_ns: uppers, count, late }, period, decades) {
  const columns = new Map();
  let left = late; // the late ones are the longest
  for (let i = uppers.length - 1; i >= 0; i--) {
    const index = Math.floor(Math.log10(uppers[i] / period) / decades);
    const column = columns.get(index) ?? { count: 0, late: 0 };
    const more = Math.min(left, count[i]);
    column.count += count[i];
    column.late += more;
    left -= more;
    columns.set(index, column);
  }
  return columns;
}

/** number of durations beyond the period, to the width of a bucket (3 %) */
export const countBeyond = ({ upper_ns: uppers, count }, period) => count.reduce((sum, n, i) => sum + (uppers[i] > period ? n : 0), 0);

function drawAxis(context, { width, height, place, least, most }) {
  context.textAlign = 'center';
  let last = -Infinity;
  for (let power = Math.ceil(Math.log10(least)); 10 ** power <= most; power++) {
    const x = place(10 ** power);
    context.fillRect(Math.round(x), height - BOTTOM, 1, 3);
    if (x - last < CLOSE || x < CLOSE / 2 || x > width - CLOSE / 2) continue;
    context.fillText(duration(10 ** power), x, height - 2);
    last = x;
  }
}

/** @param range { least, most } of the axis [ns]  @param limit of the proof, as a share of the period, or nothing */
export function drawHistogram(canvas, histogram, { least, most }, period, limit) {
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  if (width * height === 0) return;
  const scale = window.devicePixelRatio || 1;
  Object.assign(canvas, { width: Math.round(scale * width), height: Math.round(scale * height) });
  const style = getComputedStyle(canvas);
  const color = (name) => style.getPropertyValue(`--${name}`).trim();
  const decades = Math.log10(most / least) / (width - 2 * SIDE);
  const place = (ns) => SIDE + Math.log10(ns / least) / decades;
  const columns = columnsOf(histogram, period, COLUMN * decades);
  const highest = 1 + Math.log10(Math.max(...[...columns.values()].map(({ count }) => count), 1));
  const floor = height - BOTTOM;
  const context = Object.assign(canvas.getContext('2d'), { font: TEXT });
  context.setTransform(scale, 0, 0, scale, 0, 0);
  for (const [index, { count, late }] of columns) {
    const rise = (floor - TOP) * (1 + Math.log10(count)) / highest;
    context.fillStyle = color(index >= 0 ? 'bad' : late > 0 ? 'warn' : 'good');
    context.fillRect(place(period) + index * COLUMN + 0.5, floor - rise, COLUMN - 1, rise);
  }
  context.fillStyle = color('ink');
  context.fillRect(place(period) - 1, 0, 2, floor);
  context.fillStyle = color('soft');
  context.fillRect(0, floor, width, 1);
  for (let y = 0; limit && y < floor; y += 5) context.fillRect(place(limit * period) - 1, y, 1.5, 3);
  drawAxis(context, { width, height, place, least, most });
}
