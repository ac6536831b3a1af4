// One VNF instance: what it consists of, how it is, what was done with it, what can be done.

import { h, fill, notice, refill } from './dom.js';
import { get, list, may, post } from './api.js';
import { listen } from './events.js';
import { isOpen, nameOf, plural } from './format.js';
import { failureOf } from './failure.js';
import { attempt, button, confirm, facts, id, inTemporal, oneAtATime, pill, soon, time } from './parts.js';
import { operationRows, tellsOfAStep } from './operations.js';
import { showTopology } from './topology.js';

export async function showInstance(place, { id: instanceId, signal }) {
  const path = `vnflcm/v2/vnf_instances/${encodeURIComponent(instanceId)}`;
  const own = `windlass/v1/vnf_instances/${encodeURIComponent(instanceId)}`;
  const state = h('div.state', { 'aria-live': 'polite' });
  const wrong = h('div');
  const actions = h('div.actions.top');
  const about = h('section.card');
  const parts = h('section');
  const past = h('section');

  const load = oneAtATime(async () => {
    const [instance, topology, operations] = await Promise.all([
      get(path, signal), get(`${own}/topology`, signal),
      list('windlass/v1/vnf_lcm_op_occs', { vnfInstanceId: instanceId, limit: 10 }, signal),
    ]);
    const info = instance.instantiatedVnfInfo;
    const [last] = operations.items;
    const busy = operations.items.find((o) => isOpen(o.operationState));
    const told = busy || (last?.operationState === 'FAILED' ? last : null);
    const did = told ? await get(`windlass/v1/vnf_lcm_op_occs/${told.id}/steps`, signal) : [];
    document.title = `${nameOf(instance.vnfInstanceName, instance.id)} · Windlass`;
    fill(place.querySelector('h1'), nameOf(instance.vnfInstanceName, instance.id));
    fill(state, pill(info?.vnfState === 'STOPPED' ? 'STOPPED' : instance.instantiationState));
    fill(wrong, told?.error && failureOf(told, did,
      h('a', { href: `#/operations/${told.id}` }, 'Its steps and decisions')));
    refill(actions, busy ? h('a.button.primary', { href: `#/operations/${busy.id}` }, 'See the operation under way')
      : buttons(instance, topology, own, path));
    fill(about, facts([
      ['Description', instance.vnfInstanceDescription],
      ['Product', `${instance.vnfProductName} ${instance.vnfSoftwareVersion}`], ['Provider', instance.vnfProvider],
      ['Flavour', info?.flavourId], ['Size', sizeOf(topology)],
      ['VIM', vimsOf(topology, false)], ['Registered as VIM', vimsOf(topology, true)],
      ['Kubernetes API', topology.endpoint && h('code', topology.endpoint)],
      ['Virtual IP', topology.virtualIp && h('code', topology.virtualIp)],
      ['Metadata', metadataOf(instance)],
      ['Drift', driftOf(topology, instance)], ['VNFD', id(instance.vnfdId)], ['Id', id(instance.id)],
    ]));
    fill(parts, showTopology(topology, busy && { operation: busy, steps: did }));
    fill(past, h('h2', 'Operations'), operations.total ? operationRows(operations.items, true) : h('p.sub', 'There are no operations yet.'),
      h('p.links', inTemporal(`VnfInstanceId = "${instance.id}"`, 'These operations in Temporal')),
      operations.total > 10 && h('p', h('a', { href: `#/operations?instance=${instance.id}` }, `All ${operations.total} operations`)));
  });

  fill(place, h('div.head', h('div', h('p.crumb', h('a', { href: '#/instances' }, 'Instances')), h('h1')), state),
    wrong, actions, about, parts, past);
  // It listens before it looks: what happens between the two is not missed.
  const again = soon(() => attempt(load), 400);
  const steps = soon(() => attempt(load), 2000); // there are many of them
  signal.addEventListener('abort', listen(({ type, data }) => {
    if (data.vnfInstanceId !== instanceId) return;
    if (['operation', 'drift'].includes(type)) again();
    else if (tellsOfAStep(type, data)) steps();
  }));
  await load();
}

// sizeOf tells how many nodes a scaling aspect has; its level is a number that begins with 0.
function sizeOf({ scaling = [], parts }) {
  if (!scaling.length) return '';
  return h('ul.plain', scaling.map((a) => {
    const part = parts.find((p) => a.vduIds?.includes(p.vduId));
    const noun = { object: 'object', server: 'server', 'load-balancer': 'server', registry: 'server' }[part?.role] || 'node';
    const level = `scale level ${a.scaleLevel}${a.maxScaleLevel === undefined ? '' : ` of ${a.maxScaleLevel}`}`;
    return h('li', a.vduIds ? [`${a.vduIds.join(', ')}: ${plural(a.vnfcs, noun)} `, h('span.sub', `${a.aspectId}, ${level}`)]
      : `${a.aspectId}: ${level}`);
  }));
}

// vimsOf are links to the VIMs of a VNF, or to the cluster that it is itself.
function vimsOf({ vims = [] }, ofCluster) {
  const some = vims.filter((v) => Boolean(v.ofCluster) === ofCluster);
  return some.length ? h('ul.plain', some.map((v) => h('li',
    v.name ? h('a', { href: `#/vims/${v.vimId}` }, v.name) : h('span', v.address || v.vimId || v.vimConnectionId),
    h('span.sub', ` ${typeOf(v.vimType)}`), v.status === 'UNREACHABLE' && [' ', pill(v.status)]))) : '';
}

// typeOf is a VIM's type in a word: standards have longer ones.
const typeOf = (type) => (/kubernetes/i.test(type) ? 'Kubernetes' : /openstack/i.test(type) ? 'OpenStack' : type);

function metadataOf({ metadata = {} }) {
  const texts = Object.entries(metadata).filter(([, v]) => ['string', 'number', 'boolean'].includes(typeof v));
  return texts.length ? h('ul.plain', texts.map(([key, value]) => h('li',
    h('a.quiet', { href: `#/instances?${new URLSearchParams({ metadata: `${key}=${value}` })}`, title: 'Instances with the same' },
      `${key}=${value}`)))) : '';
}

function driftOf(topology, instance) {
  if (instance.instantiationState !== 'INSTANTIATED') return '';
  if (!topology.checkedAt) return 'Not checked yet';
  const count = topology.parts.reduce((n, p) => n + (p.findings?.length || 0), topology.findings?.length || 0);
  return h('span', pill(count ? 'DRIFTED' : 'OK', count ? `${count} found` : undefined), ' ', h('span.sub', time(topology.checkedAt)));
}

// plan opens a dialog that is loaded now: few readers scale or heal.
const plan = (name, ...args) => attempt(async () => (await import('./plan.js'))[name](...args));

function buttons(instance, topology, own, path) {
  const has = (link, task) => instance._links?.[link] && may(task);
  const done = async (operation) => { location.hash = `#/operations/${operation}`; };
  return [
    has('scale', 'scale') && button('Scale…', () => plan('planScale', instance, own, path, done)),
    has('heal', 'heal') && button('Heal…', () => plan('planHeal', instance, topology, own, path, done)),
    instance.instantiationState === 'INSTANTIATED' && may('drift') && button('Check for drift', () => attempt(async () => {
      await post(`${own}/drift`);
      notice('The check is under way. The page will show its result here.');
    })),
    has('terminate', 'terminate') && button('Terminate…', () => confirm({
      title: `Terminate ${nameOf(instance.vnfInstanceName, instance.id)}?`, kind: 'danger', verb: 'Terminate it',
      text: ['This is final: Windlass deletes all its servers, volumes and data, and there is no rollback.'],
      act: async () => done(await post(`${path}/terminate`, { terminationType: 'FORCEFUL' })),
    })),
  ].filter(Boolean);
}
