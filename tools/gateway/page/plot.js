// SPDX-License-Identifier: Apache-2.0
// A plot of several curves over time, by dygraphs. Times are seconds UTC. Curves of one unit share an axis; a plot has at most
// two units, one at each side. A curve is { key, name, unit, samples, index }.
import Dygraph from 'dygraphs';
import { makeTicks, widest } from './ticks.js';

Dygraph.PLUGINS = []; // they write names and styles as HTML, which this page does not do
export const CURVES = 6; // of a plot, as many as there are colours
const [TOP_PX, BOTTOM_PX, SIDE_PX, LABEL_PX] = [8, 20, 10, 8];
const UNIT_PX = 10; // base of the text of an axis' unit, below the top
const SLACK_PX = 16; // what labels may leave free before their room is taken back
const SMALL = 1e-3; // numbers below it have an exponent
const MARGIN = 0.08; // of the range, above and below the curves
const FONT = '11px system-ui, sans-serif';

function tidy(value) {
  if (!Number.isFinite(value)) return '–';
  return value !== 0 && Math.abs(value) < SMALL ? value.toExponential(2) : String(Number(value.toPrecision(4)));
}

export class Plot {
  /** @param box the element it fills  @param shared { range: [from, to], now, zoom(range), point(time) } of all plots */
  constructor(box, shared) {
    Object.assign(this, { box, shared, curves: [], range: null, at: null, ticks: { x: [], y: [[], []] }, busy: false });
    this.legend = box.appendChild(document.createElement('div'));
    this.legend.className = 'legend';
    this.area = box.appendChild(document.createElement('div'));
    Object.assign(this.area, { className: 'curve', tabIndex: 0, role: 'img' });
    this.axes = this.area.appendChild(document.createElement('canvas'));
    this.inner = this.area.appendChild(document.createElement('div'));
    this.sides = [SIDE_PX, SIDE_PX];
    this.place();
    this.chart = new Dygraph(this.inner, [[0, null]], this.options());
    Object.assign(this.inner.style, { width: '', height: '' }); // given by dygraphs to what is not shown yet
    this.cursor = this.area.appendChild(document.createElement('i'));
    this.cursor.hidden = true;
    this.listen();
    this.recolor();
  }

  options() {
    return {
      labels: ['time', 's0'], legend: 'never', highlightCircleSize: 0, strokeWidth: 1.5, rightGap: 0,
      connectSeparatedPoints: true, // but not over NaN
      interactionModel: { mousedown: Dygraph.defaultInteractionModel.mousedown, willDestroyContextMyself: true,
        dblclick: () => this.shared.zoom(null, this) },
      zoomCallback: (from, to, ranges) => this.zoom(from, to, ranges),
      axes: { x: { ticker: () => [] }, y: { ticker: () => [] }, y2: { ticker: () => [], independentTicks: true } },
    };
  }

  /** what is inside of the axes, as wide as their labels leave it */
  place() {
    const [left, right] = this.sides;
    Object.assign(this.inner.style, { left: `${left}px`, right: `${right}px`, top: `${TOP_PX}px`, bottom: `${BOTTOM_PX}px` });
  }

  /** axes and their grid, in a picture of their own below the curves: no label is an element, and none is cut off */
  drawAxes(width, height) {
    const scale = window.devicePixelRatio || 1;
    const [across, down] = [Math.round(scale * width), Math.round(scale * height)];
    if (this.axes.width !== across || this.axes.height !== down) Object.assign(this.axes, { width: across, height: down });
    const context = this.axes.getContext('2d');
    const [left, right, top, bottom] = [this.sides[0], width - this.sides[1], TOP_PX, height - BOTTOM_PX];
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, height);
    Object.assign(context, { font: FONT, fillStyle: this.colors.soft, strokeStyle: this.colors.line, lineWidth: 1 });
    context.beginPath();
    for (const { place, text } of this.ticks.x) {
      const at = Math.round(left + this.chart.toDomXCoord(place)) + 0.5;
      const half = context.measureText(text).width / 2;
      context.moveTo(at, top);
      context.lineTo(at, bottom);
      context.fillText(text, Math.min(Math.max(at - half, 2), width - 2 * half - 2), height - 5);
    }
    for (const [side, ticks] of this.ticks.y.entries()) {
      for (const { place, text } of ticks) {
        const at = Math.round(top + this.chart.toDomYCoord(place, side)) + 0.5;
        if (side === 0) context.moveTo(left, at);
        if (side === 0) context.lineTo(right, at);
        const from = side === 0 ? left - context.measureText(text).width - LABEL_PX / 2 : right + LABEL_PX / 2;
        context.fillText(text, from, Math.max(at + 4, 9));
      }
      const unit = ticks.length > 0 ? this.units[side] ?? '' : '';
      context.fillText(unit, side === 0 ? left + LABEL_PX / 2 : right - context.measureText(unit).width - LABEL_PX / 2, top + UNIT_PX);
    }
    context.stroke();
  }

  /** colours of the page, which may be others from now on */
  recolor() {
    const style = getComputedStyle(this.area);
    const color = (name) => style.getPropertyValue(`--${name}`).trim();
    this.colors = { soft: color('soft'), line: color('line'), curves: Array.from({ length: CURVES }, (_, i) => color(`curve-${i}`)) };
    this.setCurves(this.curves);
  }

  // ---- curves ----

  get units() {
    return [...new Set(this.curves.map(({ unit }) => unit))];
  }

  takes(curve) {
    return this.curves.length < CURVES && !this.curves.some(({ key }) => key === curve.key)
      && (this.units.length < 2 || this.units.includes(curve.unit));
  }

  setCurves(curves) {
    this.curves = curves;
    this.range = null;
    const names = curves.map((_, i) => `s${i}`);
    this.settings = { labels: ['time', ...(names.length > 0 ? names : ['s0'])],
      colors: curves.map((_, i) => this.colors.curves[i]),
      series: Object.fromEntries(curves.map(({ unit }, i) => [`s${i}`, { axis: unit === this.units[0] ? 'y' : 'y2' }])) };
    this.area.ariaLabel = `${curves.map(({ name }) => name).join(', ')} over time: arrow keys move a cursor, Escape removes it`;
    this.values = curves.map((curve, i) => this.addName(curve, i));
    while (this.legend.children.length > curves.length) this.legend.firstChild.remove();
    this.fresh = true;
  }

  /** a curve in the legend. Return: the element of its value */
  addName(curve, i) {
    const chip = this.legend.appendChild(document.createElement('span'));
    chip.className = 'chip';
    chip.style.setProperty('--curve', this.colors.curves[i]);
    const add = (tag, text) => Object.assign(chip.appendChild(document.createElement(tag)), { textContent: text });
    add('b', curve.name);
    const value = add('output', '–');
    add('span', curve.unit);
    const close = add('button', '×');
    close.ariaLabel = `remove ${curve.name}`;
    close.onclick = () => this.onremove?.(curve);
    return value;
  }

  // ---- cursor and zoom ----

  listen() {
    const timeAt = (px) => this.chart.toDataXCoord(px - this.inner.getBoundingClientRect().left);
    this.area.onpointermove = ({ clientX }) => this.shared.point(timeAt(clientX));
    this.area.onpointerleave = () => this.shared.point(null);
    this.area.onpointerdown = () => { this.busy = true; };
    this.release = () => { this.busy = false; };
    for (const kind of ['pointerup', 'pointercancel']) window.addEventListener(kind, this.release); // a finger scrolls: cancel
    this.area.onkeydown = (event) => { if (this.step(event)) event.preventDefault(); };
  }

  zoom(from, to, ranges) {
    const [now, then] = this.shared.range;
    if (Math.abs(from - now) + Math.abs(to - then) > 1e-6) this.shared.zoom([from, to]);
    else this.range = ranges;
  }

  /** the cursor by keys, a sample or ten at a time. Return: whether it was one of these keys */
  step({ key, shiftKey }) {
    const { samples } = this.curves[0] ?? {};
    if (!samples || samples.times.length === 0) return false;
    const [from, to] = this.shared.range;
    const [first, end] = [samples.before(from), samples.before(to)];
    const at = this.at === null ? end - 1 : samples.before(this.at);
    const by = shiftKey ? 10 : 1;
    const next = { ArrowLeft: at - by, ArrowRight: at + by, Home: first, End: end - 1, Escape: null }[key];
    if (next === undefined) return false;
    this.shared.point(next === null ? null : samples.times[Math.min(Math.max(next, first), Math.max(end - 1, first))]);
    return true;
  }

  /** values at the cursor, or the newest, in the legend */
  write() {
    const [from, to] = this.shared.range;
    const shown = this.at !== null && this.at >= from && this.at <= to;
    for (const [i, { samples, index }] of this.curves.entries()) {
      const text = tidy(shown ? samples.at(index, this.at) : samples.newest(index));
      if (this.values[i].textContent !== text) this.values[i].textContent = text;
    }
    this.cursor.hidden = !shown;
    if (shown) this.cursor.style.left = `${this.sides[0] + this.chart.toDomXCoord(this.at)}px`;
  }

  // ---- the picture ----

  /** rows of dygraphs: a time and a value of each curve, two of each column of the picture */
  collect(from, to, width) {
    const columns = Math.max(Math.floor(width), 10);
    const step = (to - from) / columns;
    const start = Math.floor(from / step) * step; // columns stay where they are in time, so that curves do not flicker
    const lists = this.curves.map(() => new Array(2 * (columns + 2)).fill(null));
    const extent = [[Infinity, -Infinity], [Infinity, -Infinity]];
    for (const [i, { samples, index, unit }] of this.curves.entries()) {
      const all = extent[unit === this.units[0] ? 0 : 1];
      const [low, high] = samples.reduce(index, start, step, lists[i]);
      all[0] = Math.min(all[0], low);
      all[1] = Math.max(all[1], high);
    }
    const rows = [];
    for (let k = 0; k < 2 * (columns + 2); k++) {
      if (lists.some((list) => list[k] !== null)) rows.push([start + (k / 2 + 0.25) * step, ...lists.map((list) => list[k])]);
    }
    return { rows, extent };
  }

  scale([low, high], zoomed) {
    if (zoomed) return zoomed;
    if (!(low <= high)) return [0, 1];
    const margin = high > low ? MARGIN * (high - low) : Math.abs(low) * 0.01 || 1;
    return [low - margin, high + margin];
  }

  /** room for the labels; that of fewer digits is kept, so that nothing jumps */
  fitSides(width, height) {
    const wanted = this.ticks.y.map((ticks) => (ticks.length > 0 ? widest(ticks, FONT) + LABEL_PX : SIDE_PX));
    const sides = wanted.map((px, side) => (px > this.sides[side] || px < this.sides[side] - SLACK_PX ? Math.ceil(px) : this.sides[side]));
    if (this.width === width && this.height === height && sides.every((px, side) => px === this.sides[side])) return;
    Object.assign(this, { width, height, sides });
    this.place();
    this.chart.resize();
  }

  draw() {
    const { clientWidth: width, clientHeight: height } = this.area;
    if (this.busy || width * height === 0) return;
    const [from, to] = this.shared.range;
    const { rows, extent } = this.collect(from, to, width - this.sides[0] - this.sides[1]);
    const ranges = extent.map((all, side) => this.scale(all, this.range?.[side]));
    const n = Math.max(3, Math.floor(height / 20));
    this.ticks.y = ranges.map(([low, high], side) => (side < this.units.length ? makeTicks(low, high, n) : []));
    this.ticks.x = makeTicks(from - this.shared.now, to - this.shared.now, Math.max(2, Math.floor(width / 90)), ' s')
      .map(({ place, text }) => ({ place: place + this.shared.now, text }));
    this.fitSides(width, height);
    if (rows.length === 0) rows.push([from, ...this.settings.labels.slice(1).map(() => null)]);
    this.chart.updateOptions({ ...(this.fresh ? this.settings : {}), file: rows,
      dateWindow: [from, to], axes: { y: { valueRange: ranges[0] }, y2: { valueRange: ranges[1] } } });
    this.fresh = false;
    this.drawAxes(width, height);
    this.write();
  }

  remove() {
    for (const kind of ['pointerup', 'pointercancel']) window.removeEventListener(kind, this.release);
    this.chart.destroy();
    this.box.remove();
  }
}
