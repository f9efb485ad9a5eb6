# SPDX-License-Identifier: Apache-2.0
"""The picture of a drive, as SVG: path, specific force of car and platform, legs, latencies."""
import math

WIDTH, LEFT, RIGHT = 1180, 100, 1140
STYLE = ("text{font:16px 'DejaVu Sans',sans-serif}.small{font-size:14px;fill:#404040}.axis{fill:none;stroke:#404040}"
         ".grid{fill:none;stroke:#e0e0e0;stroke-dasharray:2 3}.curve{fill:none;stroke-width:2}"
         ".limit{fill:none;stroke:#c00020;stroke-width:1.5;stroke-dasharray:8 5}.bar{fill-opacity:.35}")
BLUE, ORANGE, GREEN, VIOLET = '#0060a8', '#d06000', '#007a5a', '#803090'
LEGS = ('#0060a8', '#58a0d8', '#d06000', '#e8a860', '#007a5a', '#60b898')
STATES = {2: ('#e8f0f8', 'rising'), 3: ('#f4f4f4', 'following'), 4: ('#f8e8e8', 'holding'), 5: ('#e8f0f8', 'settling')}


def tick_step(length, most):
    raw = max(length, 1e-9) / most
    power = 10 ** math.floor(math.log10(raw))
    return power * next(part for part in (1, 2, 5, 10) if raw / power <= part * (1 + 1e-9))


class Plot:
    """A rectangle with axes: x from LEFT to RIGHT, y from bottom up to top, in pixels."""

    def __init__(self, lines, title, x, y, bottom, top, x_title='', y_title='', labels=True, most=8, linear=True):
        self.lines, self.x, self.y, self.bottom, self.top = lines, x, y, bottom, top
        self.text((LEFT + RIGHT) / 2, top - 14, title)
        if linear:
            self.ticks(x, 14, True, labels)
            self.ticks(y, most, False, True)
        self.path('axis', f'M{LEFT} {top}V{bottom}H{RIGHT}')
        self.text((LEFT + RIGHT) / 2, bottom + 46, x_title)
        lines.append(f'<g transform="translate(34 {(bottom + top) / 2}) rotate(-90)">')
        self.text(0, 0, y_title)
        lines.append('</g>')

    def text(self, x, y, words, anchor='middle', kind=''):
        self.lines.append(f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{words}</text>')

    def path(self, kind, d):
        self.lines.append(f'<path class="{kind}" d="{d}"/>')

    def px(self, x):
        return LEFT + (x - self.x[0]) / (self.x[1] - self.x[0]) * (RIGHT - LEFT)

    def py(self, y):
        return self.bottom + (y - self.y[0]) / (self.y[1] - self.y[0]) * (self.top - self.bottom)

    def ticks(self, span, most, across, labels):
        step = tick_step(span[1] - span[0], most)
        for k in range(math.ceil(span[0] / step - 1e-9), math.floor(span[1] / step + 1e-9) + 1):
            label = f'{k * step:g}' if labels else ''
            if across:
                self.path('grid', f'M{self.px(k * step):.1f} {self.bottom}V{self.top}')
                self.text(self.px(k * step), self.bottom + 24, label)
            else:
                self.path('grid', f'M{LEFT} {self.py(k * step):.1f}H{RIGHT}')
                self.text(LEFT - 14, self.py(k * step) + 5, label, 'end')

    def curve(self, xs, ys, colour):
        stride = len(xs) // 1500 + 1
        points = ' '.join(f'{self.px(x):.1f},{self.py(y):.1f}' for x, y in zip(xs[::stride], ys[::stride]))
        self.lines.append(f'<polyline class="curve" stroke="{colour}" points="{points}"/>')

    def legend(self, entries, x, y):
        for colour, words in entries:
            self.lines.append(f'<path class="curve" stroke="{colour}" d="M{x} {y - 5}h28"/>')
            self.text(x + 36, y, words, 'start', 'small')
            x += 60 + 8.2 * len(words)


def span_of(values, margin=0.08, above=0):
    """with a margin, and room for a legend above"""
    low, high = min(values), max(values)
    size = max(high - low, 1e-3)
    return low - margin * size, high + (margin + above) * size


def draw_path(lines, outputs):
    """seen from above, both axes in one scale"""
    xs, ys = outputs['chassis.x'], outputs['chassis.y']
    x, y = span_of(xs, 0.03), span_of(ys, 0.12)
    scale = (x[1] - x[0]) / (RIGHT - LEFT)
    height = max(90, (y[1] - y[0]) / scale)
    if height > 330:                        # a high path: narrower, so that it fits
        scale, height = (y[1] - y[0]) / 330, 330
        middle, half = (x[0] + x[1]) / 2, scale * (RIGHT - LEFT) / 2
        x = middle - half, middle + half
    y = (y[0] + y[1] - height * scale) / 2, (y[0] + y[1] + height * scale) / 2
    plot = Plot(lines, 'Path of the car, from above', x, y, 46 + height, 46, 'x [m]', 'y [m]', most=4 if height < 200 else 8)
    plot.curve(xs, ys, BLUE)
    shown = None
    for i in range(0, len(xs), 2500):
        speed = math.hypot(outputs['motion.vx'][i], outputs['motion.vy'][i])
        if shown and math.dist(shown, (xs[i], ys[i])) < 130 * scale:
            continue
        shown = xs[i], ys[i]
        lines.append(f'<circle cx="{plot.px(xs[i]):.1f}" cy="{plot.py(ys[i]):.1f}" r="4" fill="{BLUE}"/>')
        plot.text(plot.px(xs[i]), plot.py(ys[i]) - 12, f'{outputs["time"][i]:.0f} s, {3.6 * speed:.0f} km/h', 'middle',
                  'small')
    return 46 + height + 84


def draw_force(lines, outputs, felt, scale, axis, top, time):
    name, title = (('x', 'Specific force ahead'), ('y', 'Specific force to the left'))[axis]
    cue = [scale[axis] * f for f in outputs['feel.f' + name]]
    given = [f[axis] for f in felt[1]]
    plot = Plot(lines, f'{title}: of the car, times {scale[axis]:g}, and what the platform gives', time,
                span_of(sorted(cue)[5:-5] + sorted(given)[5:-5], above=0.2), top + 180, top, '', 'm/s^2', False, 6)
    plot.curve(outputs['time'], cue, ORANGE)
    plot.curve(felt[0], given, BLUE)
    plot.legend(((ORANGE, 'car'), (BLUE, 'platform')), LEFT + 20, top + 18)
    return top + 180 + 50


def draw_legs(lines, platform, stroke, top, time):
    plot = Plot(lines, 'Legs of the hexapod, from neutral, and their limits', time, (-1.35 * stroke, 1.35 * stroke),
                top + 230, top, 'simulated time [s]', 'm', True, 7)
    begin, states = 0, platform['state']
    for i in range(1, len(states) + 1):
        if i < len(states) and states[i] == states[begin]:
            continue
        colour, words = STATES.get(states[begin], (None, None))
        a, b = (plot.px(min(max(platform['time'][k], time[0]), time[1])) for k in (begin, i - 1))
        if colour and b - a > 1:
            lines.append(f'<rect x="{a:.1f}" y="{top}" width="{b - a:.1f}" height="230" fill="{colour}"/>')
        if colour and b - a > 70:
            plot.text((a + b) / 2, top + 16, words, 'middle', 'small')
        begin = i
    for limit in (-stroke, stroke):
        plot.path('limit', f'M{LEFT} {plot.py(limit):.1f}H{RIGHT}')
    for k in range(6):
        plot.curve(platform['time'], platform[f'actuators.a{k + 1}'], LEGS[k])
    plot.legend([(LEGS[k], str(k + 1)) for k in range(6)], LEFT + 20, top + 222)
    return top + 230 + 100


def draw_latencies(lines, latencies, top):
    """shares in twelve classes a decade, both axes logarithmic"""
    bottom, x, y = top + 230, (-0.5, 5), (-2.3, 2.2)
    plot = Plot(lines, 'How long things take', x, y, bottom, top, 'time, logarithmic', 'share in class [%], logarithmic',
                linear=False)
    for power, label in enumerate(('1 us', '10 us', '100 us', '1 ms', '10 ms', '100 ms')):
        plot.path('grid', f'M{plot.px(power):.1f} {bottom}V{top}')
        plot.text(plot.px(power), bottom + 24, label)
    for power in range(-2, 3):
        plot.path('grid', f'M{LEFT} {plot.py(power):.1f}H{RIGHT}')
        plot.text(LEFT - 14, plot.py(power) + 5, f'{10.0 ** power:g}', 'end')
    for (name, values), colour in zip(latencies.items(), (BLUE, ORANGE, GREEN, VIOLET)):
        classes = {}
        for us in values:
            k = math.floor(12 * math.log10(max(us, 0.32)))
            classes[k] = classes.get(k, 0) + 100 / len(values)
        for k, share in classes.items():
            if share > 10 ** y[0] and k / 12 < x[1]:
                a, b, at = plot.px(k / 12), plot.px((k + 1) / 12), plot.py(math.log10(share))
                lines.append(f'<rect class="bar" x="{a:.1f}" y="{at:.1f}" width="{b - a:.1f}" '
                             f'height="{bottom - at:.1f}" fill="{colour}" stroke="{colour}"/>')
    plot.legend(list(zip((BLUE, ORANGE, GREEN, VIOLET), latencies)), LEFT + 20, top + 18)
    return bottom + 66


def write(path, outputs, platform, felt, scale, stroke, latencies):
    lines, time = [], (0, outputs['time'][-1])
    at = draw_path(lines, outputs)
    for axis in (0, 1):
        at = draw_force(lines, outputs, felt, scale, axis, at, time)
    at = draw_legs(lines, platform, stroke, at, time)
    height = draw_latencies(lines, latencies, at)
    path.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" width="{WIDTH}" '
                    f'height="{height:.0f}">\n<style>{STYLE}</style>\n<rect width="100%" height="100%" fill="white"/>\n' +
                    '\n'.join(lines) + '\n</svg>\n')
