// One operation, live: its state, what it does on which node, what can be decided about it.

import { h, fill, setText, notice, refill } from './dom.js';
import { get, may, post, session } from './api.js';
import { failureOf } from './failure.js';
import { listen } from './events.js';
import { isOpen, nameOf, operationName, moment, span } from './format.js';
import { attempt, button, confirm, facts, id, oneAtATime, pill, soon } from './parts.js';
import { affected, askedBy, asRequested } from './request.js';
import { Timeline } from './timeline.js';

export async function showOperation(place, { id: opId, signal }) {
  const path = `vnflcm/v2/vnf_lcm_op_occs/${encodeURIComponent(opId)}`;
  const own = `windlass/v1/vnf_lcm_op_occs/${encodeURIComponent(opId)}`;
  let operation;
  let steps;
  let instance;
  let asked;

  const state = h('div.state', { 'aria-live': 'polite' });
  const actions = h('div.actions.top');
  const wrong = h('div');
  const about = h('div');
  const request = h('section');
  const duration = h('span');
  const timeline = new Timeline(own, signal);

  const show = () => {
    timeline.begin(operation, steps);
    fill(state, pill(operation.operationState),
      operation.isCancelPending && h('span.sub', ` ${operation.cancelMode === 'FORCEFUL' ? 'Forceful' : 'Graceful'} cancel requested`));
    refill(actions, buttons(operation, path, load));
    fill(wrong, operation.error && failureOf(operation, steps));
    fill(about, facts([
      ['Instance', h('a', { href: `#/instances/${operation.vnfInstanceId}` },
        nameOf(instance.vnfInstanceName, operation.vnfInstanceId))],
      ['Began', moment(operation.startTime)], ['Duration', duration], ['Asked for by', askedBy(operation, asked)],
      ['Cause', operation.operationParams?.cause], ['VNFCs', affected(operation)],
      ['Id', id(operation.id)], ['Links', links(operation, steps)],
    ]));
    asRequested(request, operation, asked);
    tick();
  };
  const tick = () => {
    const end = isOpen(operation.operationState) ? Date.now() : new Date(operation.stateEnteredTime);
    setText(duration, span(Math.max(0, end - new Date(operation.startTime)) / 1000));
    timeline.tick();
  };
  const load = oneAtATime(async () => {
    // Nobody waits in vain for who has asked: a reader may not be allowed to know.
    [operation, steps, asked] = await Promise.all([
      get(path, signal), get(`${own}/steps`, signal), get(`${own}/requests`, signal).catch(() => []),
    ]);
    instance ??= await get(`vnflcm/v2/vnf_instances/${operation.vnfInstanceId}`, signal).catch(() => ({}));
    show();
  });

  // It listens before it looks: what happens between the two is not missed.
  const again = soon(() => attempt(load), 150);
  signal.addEventListener('abort', listen(({ type, data }) => {
    if (data.vnfLcmOpOccId !== opId) return;
    if (type === 'operation' || !timeline.operation) again();
    else if (type === 'step') timeline.take(data);
    else timeline.output(data);
  }));
  await load();

  document.title = `${operationName(operation.operation)} ${nameOf(instance.vnfInstanceName, operation.vnfInstanceId)} · Windlass`;
  fill(place, h('div.head', h('div', h('p.crumb', h('a', { href: '#/operations' }, 'Operations')),
    h('h1', operationName(operation.operation), h('span.of', ` ${nameOf(instance.vnfInstanceName, operation.vnfInstanceId)}`))), state),
  wrong, actions, h('section.card', about), h('section', h('h2', 'Steps'), timeline.element), request);
  const clock = setInterval(() => { if (isOpen(operation.operationState)) tick(); }, 1000);
  signal.addEventListener('abort', () => clearInterval(clock));
}

function links(operation, steps) {
  const { temporal, traces } = session.settings;
  const trace = steps.find((s) => s.traceId)?.traceId;
  const out = [
    temporal && h('a', { href: `${temporal}/workflows/lcm-${operation.id}`, rel: 'noreferrer', target: '_blank' }, 'Temporal'),
    traces && trace && h('a', { href: traces.replaceAll('{traceId}', trace), rel: 'noreferrer', target: '_blank' }, 'Trace'),
  ].filter(Boolean);
  return out.length ? h('span.links', out) : '';
}

// buttons are those of what is possible now: the operation's own links tell, and the reader's scopes.
function buttons(operation, path, load) {
  const has = (task) => operation._links?.[task] && may(task);
  const act = (task, body) => async () => {
    await post(`${path}/${task}`, body);
    notice({ retry: 'Windlass tries the operation again.', rollback: 'Windlass rolls the operation back.',
      fail: 'The operation has failed permanently.', cancel: 'Windlass has accepted the cancel.' }[task]);
    await load();
  };
  return [
    has('retry') && button('Retry', () => attempt(act('retry')), 'primary'),
    has('rollback') && button('Roll back…', () => confirm({
      title: 'Roll this operation back?', kind: 'warn', verb: 'Roll back',
      text: ['Windlass undoes everything that the operation has done, from the last step to the first.',
        'The operation is over then: you cannot resume it.'],
      act: act('rollback'),
    })),
    has('fail') && button('Fail…', () => confirm({
      title: 'Fail this operation permanently?', kind: 'danger', verb: 'Fail it permanently',
      text: ['This is final: you cannot retry it or roll it back afterwards.',
        'Everything that it has made or changed stays as it is now.'],
      act: act('fail'),
    })),
    has('cancel') && button('Cancel…', () => askCancel(operation, act)),
  ].filter(Boolean);
}

function askCancel(operation, act) {
  let mode = operation.isCancelPending ? 'FORCEFUL' : 'GRACEFUL'; // who asks again wants more
  const choice = (value, title, text) => h('label.choice',
    h('input', { type: 'radio', name: 'mode', value, checked: value === mode, onchange: () => { mode = value; } }),
    h('span', h('strong', title), h('span.sub', text)));
  confirm({
    title: 'Cancel this operation?', kind: 'warn', verb: 'Cancel the operation',
    text: 'It stops and then waits for your decision: retry, roll back or fail.',
    fields: h('fieldset', h('legend', 'How'),
      choice('GRACEFUL', 'Gracefully', 'The step under way ends first.'),
      choice('FORCEFUL', 'Forcefully', 'Windlass interrupts the step under way at once.')),
    act: () => act('cancel', { cancelMode: mode })(),
  });
}

