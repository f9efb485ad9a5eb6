// SPDX-License-Identifier: Apache-2.0
// Parameters of the model, the policy for bad inputs, and faults that are injected on purpose.
import { ask, by, limitsOf, make, rounded, rowOf, show } from './dom.js';
import { on, rig, say } from './rig.js';

let targets = '';

on('model', () => {
  const list = rig.model?.parameters ?? [];
  show(by('parameters-box'), list.length > 0);
  by('parameters').replaceChildren(...list.map((parameter) => rowOf([parameter.name, `${rounded(parameter.value)} ${parameter.unit}`,
    limitsOf(parameter.low, parameter.high), parameter.tunable ? 'as an input' : 'no'])));
});

/* a count is of the whole run; what acts now is said by the input itself */
on('policy', ({ policy }) => {
  by('policy').replaceChildren(...policy.map((rule) => rowOf([rule.condition + (rule.channel ? ` of ${rule.channel}` : ''), rule.action,
    rule.limit, rule.count, rule.count > 0 ? rule.last_step : ''])));
});

on('inputs', ({ inputs, claims }) => {
  const names = [...inputs.map((input) => input.channel), ...claims.map((claim) => claim.bench)];
  if (names.join() === targets) return;
  targets = names.join();
  by('targets').replaceChildren(...names.map((value) => make('option', '', null, { value })));
});

on('faults', ({ injections }) => {
  by('faults').replaceChildren(...injections.map((fault) => {
    const row = rowOf([fault.kind, fault.target || 'all', rounded(fault.amount), fault.for_s ? `${rounded(fault.for_s)} s` : 'until ended',
      fault.touched, fault.active ? 'active' : 'not active']);
    row.className = fault.active ? 'tripped' : '';
    return row;
  }));
  show(by('faults-box'), injections.length > 0);
});

async function inject() {
  const number = (name) => Number(by(`fault-${name}`).value) || 0;
  const fault = { op: 'inject', kind: by('fault-kind').value, target: by('fault-target').value.trim(), amount: number('amount'),
    share: number('share'), every_s: number('every'), after_s: number('after'), for_s: number('for') };
  const length = fault.for_s > 0 ? `for ${fault.for_s} s` : 'until all are ended';
  const what = `${fault.kind} ${fault.amount} into ${fault.target || 'all inputs'} ${length}`;
  if (await ask(`Inject ${what}? The rig is disturbed on purpose.`)) say(fault);
}

by('fault').onsubmit = (event) => { event.preventDefault(); inject(); };
by('fault-clear').onclick = () => say({ op: 'inject', clear: true });
on('role', () => {
  for (const control of document.querySelectorAll('#fault :is(button, input, select)')) control.disabled = !rig.operates;
});
