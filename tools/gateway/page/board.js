// SPDX-License-Identifier: Apache-2.0
// Plots below each other, and the search of channels to draw in them: of the operator's page and of the page of linkage plot.
// A page has the elements plots-panel, search-box, search, found, plots and no-plots.
import { by, make, show } from './elements.js';

const FOUND = 40; // channels that a search shows
const DRAGGED = 'application/x-linkage-channel';

export class Board {
  /** @param Plot class of a plot  @param shared by all plots, see plot.js  @param changed called after a user changed the curves */
  constructor(Plot, shared, changed) {
    Object.assign(this, { Plot, shared, changed, list: [], channels: [], marked: null });
    this.listen();
  }

  mark(plot) {
    this.marked = plot;
    for (const other of this.list) other.box.classList.toggle('marked', other === plot && this.list.length > 1);
  }

  add(curves) {
    const box = make('div', '', by('plots'), { className: 'plot' });
    const plot = new this.Plot(box, this.shared);
    plot.setCurves(curves);
    plot.onremove = (curve) => {
      const rest = plot.curves.filter((other) => other !== curve);
      if (rest.length > 0) plot.setCurves(rest);
      else this.drop(plot);
      this.changed();
    };
    box.onpointerdown = () => this.mark(plot);
    box.ondragover = (event) => { if (event.dataTransfer.types.includes(DRAGGED)) event.preventDefault(); };
    box.ondrop = (event) => {
      event.preventDefault();
      const channel = this.channels.find(({ key }) => key === event.dataTransfer.getData(DRAGGED));
      if (channel) this.addCurve(channel, plot);
    };
    this.list.push(plot);
    this.mark(plot);
    show(by('no-plots'), false);
    return plot;
  }

  drop(plot) {
    plot.remove();
    this.list = this.list.filter((other) => other !== plot);
    this.mark(this.list.at(-1) ?? null);
    show(by('no-plots'), this.list.length === 0);
  }

  clear() {
    for (const plot of this.list) plot.remove();
    Object.assign(this, { list: [], marked: null });
  }

  /** @param plot null: a new one, as where the units of a plot do not fit */
  addCurve(channel, plot) {
    if (plot?.takes(channel)) plot.setCurves([...plot.curves, channel]);
    else if (!plot?.curves.includes(channel)) this.add([channel]);
    this.changed();
  }

  /** the cursor of all plots. @param time null: none */
  point(time) {
    for (const plot of this.list) Object.assign(plot, { at: time });
    for (const plot of this.list) plot.write();
  }

  // ---- search ----

  search() {
    const words = by('search').value.toLowerCase().split(/\s+/).filter(Boolean);
    const open = document.activeElement === by('search') || by('found').contains(document.activeElement) || words.length > 0;
    const fitting = this.channels.filter(({ name, unit }) => words.every((word) => `${name} [${unit}]`.toLowerCase().includes(word)));
    show(by('found'), open);
    if (!open) return;
    by('found').replaceChildren(...fitting.slice(0, FOUND).map((channel) => this.makeItem(channel)));
    if (fitting.length > FOUND) make('li', `${fitting.length - FOUND} more: type more of the name`, by('found'));
    if (fitting.length === 0) make('li', this.channels.length > 0 ? 'no channel has this name' : 'there are no channels', by('found'));
  }

  makeItem(channel) {
    const item = make('li', '', null, { draggable: true });
    item.ondragstart = (event) => event.dataTransfer.setData(DRAGGED, channel.key);
    make('span', `${channel.name}${channel.unit ? ` [${channel.unit}]` : ''}`, item);
    make('button', 'new plot', item, { onclick: () => this.addCurve(channel, null) });
    make('button', 'add', item, { onclick: () => this.addCurve(channel, this.marked), title: 'to the marked plot' });
    return item;
  }

  listen() {
    by('search').oninput = () => this.search();
    by('search').onfocus = () => this.search();
    by('search').onkeydown = ({ key }) => {
      if (key === 'Escape') { by('search').value = ''; by('search').blur(); show(by('found'), false); }
      if (key === 'Enter') by('found').querySelector('button')?.click();
    };
    by('plots-panel').addEventListener('focusout', () => setTimeout(() => {
      if (!by('search-box').contains(document.activeElement) && by('search').value === '') show(by('found'), false);
    }));
    document.addEventListener('pointerdown', ({ target }) => {
      if (by('search-box').contains(target)) return;
      show(by('found'), false);
    });
  }
}
