// SPDX-License-Identifier: Apache-2.0
// A number over the last seconds, by dygraphs. Times are seconds UTC.
import Dygraph from 'dygraphs';

Dygraph.PLUGINS = [Dygraph.Plugins.Axes, Dygraph.Plugins.Grid]; // the others write styles as text, which the page forbids

const KEPT = 2400;
const WINDOW_S = 15;
const STEP_S = 5; // of the axis
const LABEL_PX = 70;

const tidy = (value) => (Number.isFinite(value) ? String(Number(value.toPrecision(4))) : '');

export class Plot {
  static all = new Set(); // all have one cursor

  /** @param box the element it fills  @param name, unit of the value */
  constructor(box, name, unit) {
    Object.assign(this, { name, unit: unit === '1' ? '' : unit, times: [], values: [], end: 0, at: null, shown: [[], []] });
    this.title = box.appendChild(document.createElement('h3'));
    this.area = box.appendChild(document.createElement('div'));
    this.area.className = 'curve';
    Object.assign(this.area, { tabIndex: 0, role: 'img', ariaLabel: `${name} over time: arrow keys move a cursor, Escape removes it` });
    this.chart = new Dygraph(this.area, [[0, null]], this.options());
    this.cursor = this.area.appendChild(document.createElement('i'));
    this.cursor.hidden = true;
    this.recolor();
    this.area.onkeydown = (event) => { if (this.step(event)) event.preventDefault(); };
    this.area.onpointermove = ({ clientX }) => this.point(clientX - this.area.getBoundingClientRect().left);
    this.area.onpointerleave = () => Plot.all.forEach((plot) => plot.move(null));
    Plot.all.add(this);
  }

  options() {
    const places = () => [3, 2, 1, 0].map((n) => ({ v: this.end - n * STEP_S, label: n === 0 ? '' : `${-n * STEP_S} s` }));
    return {
      labels: ['time', 'value'], legend: 'never', interactionModel: {}, highlightCircleSize: 0, strokeWidth: 1.6, rightGap: 8,
      axes: { x: { ticker: places, axisLabelWidth: LABEL_PX, axisLineColor: 'transparent' },
        y: { axisLabelWidth: LABEL_PX, axisLabelFormatter: tidy, pixelsPerLabel: 26, axisLineColor: 'transparent' } },
    };
  }

  /** colours of the page, which may be others from now on */
  recolor() {
    const style = getComputedStyle(this.area);
    const [accent, line] = ['accent', 'line'].map((name) => style.getPropertyValue(`--${name}`).trim());
    this.chart.updateOptions({ colors: [accent], gridLineColor: line });
  }

  add(time, value) {
    this.times.push(time);
    this.values.push(value);
    this.changed = true;
    if (this.times.length > 2 * KEPT) {
      this.times.splice(0, KEPT);
      this.values.splice(0, KEPT);
    }
  }

  /** the cursor by keys, a sample or ten at a time. Return: whether it was one of these keys */
  step({ key, shiftKey }) {
    const [times] = this.shown;
    const at = this.at ?? times.length - 1;
    const by = shiftKey ? 10 : 1;
    const to = { ArrowLeft: at - by, ArrowRight: at + by, Home: 0, End: times.length - 1, Escape: null }[key];
    if (to === undefined || times.length === 0) return false;
    const time = to === null ? null : times[Math.min(Math.max(to, 0), times.length - 1)];
    Plot.all.forEach((plot) => plot.move(time));
    return true;
  }

  /** the cursor at a place of the area [px] */
  point(left) {
    const time = this.chart.toDataXCoord(left);
    Plot.all.forEach((plot) => plot.move(time));
  }

  /** the cursor at the sample next to a time, or nowhere */
  move(time) {
    const [times] = this.shown;
    this.at = null;
    if (time !== null && times.length > 0) {
      const after = times.findIndex((other) => other >= time);
      const right = after < 0 ? times.length - 1 : after;
      this.at = right > 0 && time - times[right - 1] < times[right] - time ? right - 1 : right;
      this.cursor.style.left = `${this.chart.toDomXCoord(times[this.at])}px`;
    }
    this.cursor.hidden = this.at === null;
    this.write();
  }

  /** the value at the cursor, or the newest, above the curve */
  write() {
    const [times, values] = this.shown;
    const behind = this.at === null ? '' : `  at ${(times[this.at] - this.end).toFixed(2)} s`;
    this.title.textContent = `${this.name}  ${tidy(values[this.at ?? values.length - 1])} ${this.unit}${behind}`;
  }

  /** @param frozen the curve stays as it is, and what comes is kept for later */
  draw(frozen) {
    const { clientWidth: width, clientHeight: height } = this.area;
    if (this.width !== width || this.height !== height) {
      Object.assign(this, { width, height });
      this.chart.resize();
    }
    if (frozen || !this.changed) return;
    this.changed = false;
    this.end = this.times.at(-1);
    let first = this.times.length - 1;
    while (first > 0 && this.times[first - 1] >= this.end - WINDOW_S) first--;
    this.shown = [this.times.slice(first), this.values.slice(first)];
    const rows = this.shown[0].map((time, i) => [time, this.shown[1][i]]);
    this.chart.updateOptions({ file: rows, dateWindow: [this.end - WINDOW_S, this.end] });
    this.write();
  }

  remove() {
    Plot.all.delete(this);
    this.chart.destroy();
  }
}
