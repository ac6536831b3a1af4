// What a VNF consists of, in layers: from what clients meet first down to where data is.

import { h } from './dom.js';
import { moment, wordFor } from './format.js';
import { pill } from './parts.js';

const layers = [
  ['load-balancer', 'Load balancer'], ['control-plane', 'Control planes'], ['worker', 'Workers'],
  ['storage', 'Storage server'], ['registry', 'Registry'], ['server', 'Servers'], ['object', 'Kubernetes objects'],
];

// layerOf is where a part is shown: whatever it does, it is shown.
const layerOf = ({ role }) => (layers.some(([known]) => known === role) ? role : 'server');

export function showTopology(topology) {
  if (!topology.parts.length && !topology.findings?.length) return '';
  const rows = layers.map(([role, title]) => {
    const parts = topology.parts.filter((p) => layerOf(p) === role);
    return parts.length && h('div.layer', h('h3', title, h('span.sub', ` ${parts.length}`)), h('ul.parts', parts.map(part)));
  });
  return [
    h('h2', 'Topology'),
    topology.findings?.map(finding),
    h('div.topology', rows.filter(Boolean), backs(topology)),
    topology.checkedAt && h('p.sub', `As of the check on ${moment(topology.checkedAt)}.`),
  ];
}

function part(p) {
  return h(`li.part.${p.health.toLowerCase()}`,
    h('div.part-head', h('span.part-name', { title: p.resourceId }, p.name), pill(p.health)),
    h('p.sub', [p.address, p.role === 'object' && p.resourceType, p.zone].filter(Boolean).join(' · ') || p.vduId),
    p.holdsVirtualIp && h('p.tag', { title: 'At the last check for drift' }, 'Holds the virtual IP'),
    p.findings?.map(finding));
}

const remedies = {
  HEAL_VNFC: 'A heal of the VNFC repairs it.', HEAL_VNF: 'Only a heal of the entire VNF repairs it.',
  NONE: 'A person must check it.',
};

const finding = (f) => h('p.finding', h('strong', wordFor(f.kind)), ' ', f.detail, ' ', h('span.sub', remedies[f.remedy]));

// backs are what is behind the nodes: volumes, and the registries that they pull from.
function backs({ volumes = [], registries = [] }) {
  return [
    volumes.length > 0 && h('div.layer', h('h3', 'Volumes', h('span.sub', ` ${volumes.length}`)), h('ul.parts', volumes.map((v) =>
      h('li.part.small', h('span.part-name', { title: v.resourceId }, v.virtualStorageDescId))))),
    registries.length > 0 && h('div.layer', h('h3', 'Pulls images from'), h('ul.parts', registries.map((r) =>
      h('li.part.small', h('span.part-name', r.server))))),
  ];
}
