// The plan before a scaling or a healing: what would be done is shown before it is asked for.

import { h, fill, field } from './dom.js';
import { post, request } from './api.js';
import { nameOf, plural } from './format.js';
import { button, dialog, problem } from './parts.js';

// planned asks for the plan of an operation and shows it; carry out sends the very request that was planned.
function planned({ title, operation, verb, fields, body, own, path, task, done }) {
  dialog(title, (close) => {
    const outcome = h('div', { 'aria-live': 'polite' });
    const form = h('form', {
      onsubmit: async (event) => {
        event.preventDefault();
        try {
          const asked = body();
          fill(outcome, h('p.sub', 'Planning…'));
          const plan = await (await request(`${own}/plan`, {
            method: 'POST', headers: { Version: '2.0.0' }, json: { operation, request: asked, askVim: true },
            limit: 45000, // the server asks a VIM, too
          })).json();
          fill(outcome, planView(plan), h('div.actions', button('Do nothing', close), button(verb, async (click) => {
            const go = click.currentTarget;
            go.disabled = true;
            try {
              const id = await post(`${path}/${task}`, asked);
              close();
              await done(id);
            } catch (error) {
              fill(outcome, problem(error));
            }
          }, plan.steps?.some((s) => s.final) ? 'danger' : 'primary')));
          outcome.querySelector('.actions button:last-child').focus();
        } catch (error) {
          fill(outcome, problem(error));
        }
      },
      onchange: () => fill(outcome),
    }, fields, h('div.actions', h('button.primary', { type: 'submit' }, 'Show the plan')), outcome);
    return form;
  });
}

function planView(plan) {
  const room = plan.quota && [
    plural(plan.quota.instances, 'server'), plan.quota.cores && plural(plan.quota.cores, 'core'),
    plan.quota.ramMb && `${(plan.quota.ramMb / 1024).toLocaleString()} GiB of memory`,
    plan.quota.volumes && plural(plan.quota.volumes, 'volume'),
  ].filter(Boolean).join(', ');
  return h('div.plan',
    h('h3', 'This would happen'),
    plan.whole && h('p', 'Windlass makes the entire VNF anew.'),
    plan.groups?.map((g) => h('p', h('strong', g.vduId), ` from ${g.from} to ${g.to}`)),
    plan.leaving?.length > 0 && h('div', h('p', 'Windlass removes:'), h('ul', plan.leaving.map((l) =>
      h('li', h('code', l.node || l.vnfcId), ` because ${l.why || 'you chose it'}`)))),
    plan.keepVolumes && h('p', 'Volumes stay, with all data.'),
    room && h('p.sub', `The cloud must have room for ${room}.`),
    plan.vim?.problems.map((text) => h('p.problem', text)),
    plan.vim?.unasked && h('p.sub', plan.vim.unasked),
    plan.steps && h('ol.plan-steps', plan.steps.map((s, i) => h('li', s.title,
      s.final && h('span.tag.final', 'final'),
      plan.forwardOnlyFrom === i && h('span.tag', 'no rollback from here on')))));
}

export function planScale(instance, own, path, done) {
  const info = instance.instantiatedVnfInfo;
  const levels = new Map((info.scaleStatus || []).map((s) => [s.aspectId, s.scaleLevel]));
  const most = new Map((info.maxScaleLevels || []).map((s) => [s.aspectId, s.scaleLevel]));
  const aspect = h('select', [...levels].map(([name, level]) =>
    h('option', { value: name }, `${name}: level ${level}${most.has(name) ? ` of ${most.get(name)}` : ''}`)));
  const type = h('select', h('option', { value: 'SCALE_OUT' }, 'Out: more'), h('option', { value: 'SCALE_IN' }, 'In: fewer'));
  const steps = h('input', { type: 'number', min: 1, max: 100, value: 1, required: true });
  planned({
    title: `Scale ${nameOf(instance.vnfInstanceName, instance.id)}`, operation: 'SCALE', verb: 'Scale now', task: 'scale', own, path, done,
    fields: [field('Aspect', aspect), field('Direction', type), field('Steps', steps)],
    body: () => ({ type: type.value, aspectId: aspect.value, numberOfSteps: Number(steps.value) }),
  });
}

export function planHeal(instance, topology, own, path, done) {
  const vnfcs = topology.parts.filter((p) => p.vnfcInstanceId); // a load balancer of the cloud is none
  const boxes = vnfcs.map((p) => h('label.choice',
    h('input', { type: 'checkbox', name: 'vnfc', value: p.vnfcInstanceId, checked: p.findings?.some((f) => f.remedy === 'HEAL_VNFC') }),
    h('span', h('strong', p.name), h('span.sub', p.findings?.[0]?.detail || p.address || p.vduId))));
  const chosen = () => boxes.map((b) => b.querySelector('input')).filter((i) => i.checked).map((i) => i.value);
  const list = h('fieldset', h('legend', 'Which VNFCs?'), boxes);
  let whole = false; // nobody heals an entire VNF because nothing is chosen
  const way = (value, title, text) => h('label.choice', h('input', {
    type: 'radio', name: 'what', value, checked: whole === (value === 'all'),
    onchange: () => { whole = value === 'all'; list.hidden = whole; },
  }), h('span', h('strong', title), h('span.sub', text)));
  planned({
    title: `Heal ${nameOf(instance.vnfInstanceName, instance.id)}`, operation: 'HEAL', verb: 'Heal now', task: 'heal', own, path, done,
    fields: [h('fieldset', h('legend', 'What?'), way('some', 'Some VNFCs', 'Windlass repairs or replaces those that you choose.'),
      way('all', 'The entire VNF', 'Windlass makes all of it anew.')), list],
    body: () => {
      if (whole) return {};
      if (!chosen().length) throw new Error('Choose VNFCs, or the entire VNF.');
      return { vnfcInstanceId: chosen() };
    },
  });
}
