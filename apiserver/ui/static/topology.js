// What a VNF consists of, in layers: from what clients meet first down to where data is.

import { h } from './dom.js';
import { moment, operationName, plural, wordFor } from './format.js';
import { pill } from './parts.js';

const layers = [
  ['load-balancer', 'Load balancer'], ['control-plane', 'Control planes'], ['worker', 'Workers'],
  ['storage', 'Storage server'], ['registry', 'Registry'], ['server', 'Servers'], ['object', 'Kubernetes objects'],
];

// layerOf is where a part is shown: whatever it does, it is shown.
const layerOf = ({ role }) => (layers.some(([known]) => known === role) ? role : 'server');

// opened are the parts whose details are unfolded: they stay so when the page is read again.
const opened = new Set();

// showTopology shows a VNF and what the operation under way has made beside it.
export function showTopology(topology, underWay) {
  const made = underWay ? halfMade(topology, underWay) : '';
  if (!topology.parts.length && !topology.findings?.length) return made && [h('h2', 'Topology'), h('div.topology', made)];
  const rows = layers.map(([role, title]) => {
    const parts = topology.parts.filter((p) => layerOf(p) === role);
    return parts.length && h('div.layer', h('h3', title, h('span.sub', ` ${parts.length}`)), h('ul.parts', parts.map((p) => part(p, topology))));
  });
  return [
    h('h2', 'Topology'),
    topology.findings?.map(finding),
    h('div.topology', rows.filter(Boolean), made, backs(topology)),
    topology.checkedAt && h('p.sub', `As of the check on ${moment(topology.checkedAt)}.`),
  ];
}

function part(p, topology) {
  const size = [p.zone && `Zone ${p.zone}`, p.computeFlavour || sizeIn(p), p.image].filter(Boolean).join(' · ');
  return h(`li.part.${p.health.toLowerCase()}`,
    h('div.part-head', h('span.part-name', { title: p.resourceId }, p.name), pill(p.health)),
    h('p.sub', [p.address, p.role === 'object' && p.resourceType].filter(Boolean).join(' · ') || p.vduId),
    size && h('p.sub.size', size),
    p.holdsVirtualIp && h('p.tag', { title: 'At the last check for drift' },
      `Holds the virtual IP${topology.virtualIp ? ` ${topology.virtualIp}` : ''}`),
    p.findings?.map(finding), more(p, topology));
}

const sizeIn = (p) => [p.virtualCpus && plural(p.virtualCpus, 'CPU'), p.virtualMemory].filter(Boolean).join(', ');

// more is what few people look for, in few cases.
function more(p, { networks = [], volumes = [] }) {
  const network = (port) => networks.find((n) => n.id === port.networkId);
  const rows = [
    ['Zone', p.zone], ['Flavour', p.computeFlavour], ['Image', p.image], ['As described', p.computeFlavour && sizeIn(p)],
    ['VDU', p.vduId], ['SSH', p.sshAddress !== p.address && p.sshAddress],
    ...(p.ports || []).map((port) => [`Port ${port.cpdId}`, [port.addresses?.join(', '),
      network(port) && `on ${networkName(network(port))}`, port.macAddress].filter(Boolean).join(' ') || port.resourceId]),
    ...volumes.filter((v) => v.vnfcInstanceId && v.vnfcInstanceId === p.vnfcInstanceId)
      .map((v) => ['Volume', [v.virtualStorageDescId, v.size].filter(Boolean).join(', ')]),
    ['VNFC', p.vnfcInstanceId], ['Resource', p.resourceId],
  ].filter(([, value]) => value);
  const key = p.vnfcInstanceId || p.name;
  return h('details.more', {
    open: opened.has(key), ontoggle: (e) => { if (e.currentTarget.open) opened.add(key); else opened.delete(key); },
  }, h('summary', 'Details'), h('dl', rows.map(([name, value]) => h('div', h('dt', name), h('dd', value)))));
}

const networkName = (n) => n.name || n.resourceId || n.id;

// nodeName is how Windlass calls servers; other nodes of steps are no part of a VNF.
const nodeName = /^(cp|worker|storage|lb|registry|vdu)-/;

// halfMade are the nodes of an operation that has not ended and that are not in the record yet: those of a scaling that
// has failed, for example.
function halfMade(topology, { operation, steps }) {
  const last = new Map();
  steps.filter((s) => s.node && nodeName.test(s.node) && !topology.parts.some((p) => p.name === s.node))
    .sort((a, b) => (a.startedAt || '').localeCompare(b.startedAt || ''))
    .forEach((s) => last.set(s.node, s));
  return last.size > 0 && h('div.layer', h('div', h('h3', 'Half made', h('span.sub', ` ${last.size}`)),
    h('p.sub', `By the operation ${operationName(operation.operation)}, which has not ended.`)),
  h('ul.parts', [...last.values()].map((s) => h('li.part.half', h('div.part-head', h('span.part-name', s.node), pill(s.state)),
    h('p.sub', s.title)))));
}

const remedies = {
  HEAL_VNFC: 'A heal of the VNFC repairs it.', HEAL_VNF: 'Only a heal of the entire VNF repairs it.',
  NONE: 'A person must check it.',
};

const finding = (f) => h('p.finding', h('strong', wordFor(f.kind)), ' ', f.detail, ' ', h('span.sub', remedies[f.remedy]));

const networkKinds = { EXTERNAL: 'Outside', MANAGED: 'Managed by others', INTERNAL: "The VNF's own" };

// backs are what is behind the nodes: networks, volumes, and the registries that they pull from.
function backs({ networks = [], volumes = [], registries = [], parts }) {
  const nameOf = (vnfc) => parts.find((p) => p.vnfcInstanceId === vnfc)?.name || vnfc;
  const ports = (n) => parts.flatMap((p) => p.ports || []).filter((port) => port.networkId === n.id).length;
  const layer = (title, list, show) => list.length > 0 && h('div.layer', h('h3', title, h('span.sub', ` ${list.length}`)),
    h('ul.parts', list.map((item) => h('li.part.small', show(item)))));
  return [
    layer('Networks', networks, (n) => [h('span.part-name', { title: n.id }, networkName(n)),
      h('p.sub', [networkKinds[n.kind], ports(n) && plural(ports(n), 'port')].filter(Boolean).join(' · '))]),
    layer('Volumes', volumes, (v) => [h('span.part-name', { title: v.resourceId }, v.virtualStorageDescId),
      h('p.sub', [v.size, v.vnfcInstanceId && `of ${nameOf(v.vnfcInstanceId)}`].filter(Boolean).join(' · '))]),
    layer('Pulls images from', registries, (r) => h('span.part-name', r.server)),
  ];
}
