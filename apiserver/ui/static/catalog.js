// VNF packages and VIMs.

import { h, fill } from './dom.js';
import { get } from './api.js';
import { plural } from './format.js';
import { empty, head, id, pill, table, time } from './parts.js';

export async function showPackages(place, { signal }) {
  const packages = await get('vnfpkgm/v1/vnf_packages', signal);
  fill(place, head('Packages', h('p.count', plural(packages.length, 'package'))),
    packages.length ? table('VNF packages', ['Product', 'Provider', 'Version', 'State', 'Use', 'VNFD'], packages.map((p) => [
      h('span.name', p.vnfProductName || 'Not on board yet'), p.vnfProvider || '', p.vnfSoftwareVersion || '',
      h('span', pill(p.onboardingState), ' ', p.onboardingState === 'ONBOARDED' && pill(p.operationalState)),
      h('span.sub', p.usageState === 'IN_USE' ? 'In use' : 'Not in use'), p.vnfdId ? id(p.vnfdId) : '',
    ])) : empty('There is no package yet.', 'The command "windlass package create FILE" brings one on board.'));
}

export async function showVims(place, { signal }) {
  const { vims } = await get('v1.0/vims', signal);
  fill(place, head('VIMs', h('p.count', plural(vims.length, 'VIM'))),
    vims.length ? table('VIMs', ['Name', 'Type', 'State', 'Where', 'Registered'], vims.map((v) => [
      h('span', h('span.name', v.name), v.is_default && h('span.tag', 'default')), v.type, pill(v.status),
      h('code', v.auth_url), time(v.created_at),
    ])) : empty('There is no VIM yet.', 'The command "windlass vim register" registers one.'));
}
