// SPDX-License-Identifier: Apache-2.0
// Added to a page of linkage plot by check-plot-page.py: uses the page as its reader does, and leaves what it found in an
// element. The page is of the table in test-plot-page.sh: columns wave [m], twice [m], load.x [N], still [m], a gap from 4 to 6 s.
const found = document.body.appendChild(Object.assign(document.createElement('pre'), { id: 'found' }));
const { board, shared } = window.linkage;
const by = (id) => document.getElementById(id);
const frames = async (n) => { for (let i = 0; i < n; i++) await new Promise(requestAnimationFrame); };
const check = (text, is) => { if (!is) throw new Error(text); };
const near = (text, value, wanted, slack) => check(`${text}: ${value}, expected ${wanted}`, Math.abs(value - wanted) <= slack);
const click = (element) => element.dispatchEvent(new MouseEvent('click', { bubbles: true }));

/* the mouse from one place of a plot to another one, as parts of its width and height */
function drag(plot, [x0, y0], [x1, y1]) {
  const box = plot.inner.getBoundingClientRect();
  const at = (x, y) => ({ bubbles: true, cancelable: true, view: window, clientX: box.left + x * box.width,
    clientY: box.top + y * box.height });
  const to = plot.inner.querySelector('canvas:last-of-type');
  const say = (kind, x, y) => {
    to.dispatchEvent(new PointerEvent(`pointer${kind}`, at(x, y)));
    to.dispatchEvent(new MouseEvent(`mouse${kind}`, at(x, y)));
  };
  say('down', x0, y0);
  for (let k = 1; k <= 5; k++) say('move', x0 + k * (x1 - x0) / 5, y0 + k * (y1 - y0) / 5);
  say('up', x1, y1);
}

/* the columns of the picture of a curve that are drawn, as parts of its width */
function drawn(plot) {
  const canvas = plot.inner.querySelector('canvas');
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  const rows = Array.from({ length: canvas.height }, (_, y) => y);
  return Array.from({ length: canvas.width }, (_, x) => rows.some((y) => data[4 * (y * canvas.width + x) + 3] > 100));
}

async function test() {
  await frames(8);
  const [first, second] = board.list;
  check('two plots', board.list.length === 2 && first.curves.length === 2 && second.curves.length === 1);
  check('all times', shared.range[0] === 0 && shared.range[1] === 10);
  check('units', first.units.join() === 'm' && second.units.join() === 'N');

  const columns = drawn(second);
  const part = (from, to) => columns.slice(Math.ceil(from * columns.length), Math.floor(to * columns.length));
  check('the curve is drawn', part(0.02, 0.38).every(Boolean) && part(0.62, 0.98).every(Boolean));
  check('nothing is drawn in the gap', !part(0.41, 0.59).some(Boolean));

  const box = first.inner.getBoundingClientRect();
  first.area.dispatchEvent(new PointerEvent('pointermove', { clientX: box.left + 0.25 * box.width, clientY: box.top + 20 }));
  near('value under the cursor', Number(first.values[0].textContent), Math.sin(2.5), 0.02);
  near('in every plot', Number(second.values[0].textContent), 2500, 30);
  check('time of the cursor', by('now').textContent.startsWith('t = 2.5'));
  first.area.dispatchEvent(new PointerEvent('pointerleave'));

  drag(first, [0.2, 0.5], [0.4, 0.52]);
  await frames(8);
  near('zoom from', shared.range[0], 2, 0.05);
  near('zoom to', shared.range[1], 4, 0.05);
  near('in all plots', second.chart.xAxisRange()[1], 4, 0.05);
  drag(first, [0.5, 0.25], [0.52, 0.75]);
  await frames(8);
  check('zoom of values', first.range !== null && second.range === null);
  click(by('all'));
  await frames(8);
  check('all again', shared.range[1] === 10 && first.range === null);
  click(by('in'));
  near('zoom by a button', shared.range[1] - shared.range[0], 5, 1e-9);
  document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '>', bubbles: true }));
  near('later', shared.range[0], 3.75, 1e-9);
  click(by('all'));

  by('search').value = 'sti';
  by('search').oninput();
  const texts = [...by('found').querySelectorAll('span')].map(({ textContent }) => textContent);
  check(`search: ${texts}`, texts.join() === 'still [m]');
  board.mark(first);
  click(by('found').querySelectorAll('button')[1]);
  check('added', first.curves.length === 3 && first.curves[2].name === 'still');
  click(first.legend.querySelectorAll('button')[2]);
  check('removed', first.curves.length === 2);
  click(by('found').querySelectorAll('button')[0]);
  check('a new plot', board.list.length === 3);
  const { color, backgroundColor } = getComputedStyle(document.body);
  const text = [color, backgroundColor].map((word) => word.match(/\d+/g).reduce((sum, n) => sum + Number(n), 0));
  check('text is told from its ground', Math.abs(text[0] - text[1]) > 300);
  check('nothing is wider than the window', document.documentElement.scrollWidth <= window.innerWidth);
  return `good, ${matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'}`;
}

test().then((text) => { found.textContent = text; }, (error) => { found.textContent = String(error); });
