"""cloud.py catalog|seed STATE: what the cloud knows before anybody uses it.

catalog: services, endpoints, regions, users and roles, right after Keystone is up.
seed:    networks, flavors, images, quotas and a key for the user demo, when all services are up; writes
         cloud.json, from which tests learn all this.

Both look first and create then, so they may be run again. Passwords come from the secrets directory.
"""
import json
import os
import pathlib
import sys
import time

import requests

ADDRESS = os.environ['ADDRESS']
REGION = os.environ['REGION']
NOWHERE = 'RegionNowhere'  # its endpoints refuse every connection: a client must not mix regions up
SERVICES = (  # type, name, port, path
    ('identity', 'keystone', 5000, '/v3'),
    ('orchestration', 'heat', 8004, '/v1/%(tenant_id)s'),
    ('cloudformation', 'heat-cfn', 8000, '/v1'),
    ('image', 'glance', 9292, ''),
    ('placement', 'placement', 8778, ''),
    ('network', 'neutron', 9696, ''),
    ('compute', 'nova', 8774, '/v2.1'),
    ('volumev3', 'cinderv3', 8776, '/v3/%(tenant_id)s'),
    ('block-storage', 'cinder', 8776, '/v3/%(tenant_id)s'),
)
NETWORKS = (  # name, range, gateway, first and last address of guests, attributes
    ('net0', '10.88.0.0/24', '10.88.0.1', '10.88.0.20', '10.88.0.250', {'shared': True}),
    ('public', '10.88.1.0/24', '10.88.1.1', '10.88.1.20', '10.88.1.250', {'router:external': True}),
)
FLAVORS = (  # name, CPUs, MiB, GiB of disk
    ('m1.tiny', 1, 192, 1),
    ('m1.small', 1, 768, 12),
    ('m1.medium', 2, 3072, 12),
)
TIMEOUT = 120


class Api:
    """The services' internal endpoints, with the token of one user."""

    def __init__(self, user, password, project):
        self.session = requests.Session()
        domain = {'id': 'default'}
        answer = self.session.post(url(5000, '/v3/auth/tokens'), timeout=TIMEOUT, json={'auth': {
            'identity': {'methods': ['password'], 'password': {'user': {
                'name': user, 'domain': domain, 'password': password}}},
            'scope': {'project': {'name': project, 'domain': domain}}}})
        check(answer)
        self.session.headers['X-Auth-Token'] = answer.headers['X-Subject-Token']
        token = answer.json()['token']
        self.user, self.project = token['user']['id'], token['project']['id']

    def call(self, method, port, path, **arguments):
        answer = self.session.request(method, url(port, path), timeout=TIMEOUT, **arguments)
        check(answer)
        return answer.json() if answer.content and 'json' in answer.headers.get('Content-Type', '') else None

    def ensure(self, port, path, kind, body, wrap=None, many=None):
        """The thing with that name, made if it is not there; wrap and many are its JSON keys."""
        wrap = wrap or kind.rstrip('s')
        listed = self.call('GET', port, f'{path}/{kind}')[many or kind]
        for have in listed:
            if have['name'] == body['name'] and have.get('domain_id') == body.get('domain_id', have.get('domain_id')):
                return have
        made = self.call('POST', port, f'{path}/{kind}', json={wrap: body})
        return made[wrap]


def url(port, path):
    return f'http://{ADDRESS}:{port}{path}'


def check(answer):
    if answer.status_code >= 300:
        sys.exit(f'{answer.request.method} {answer.url}: {answer.status_code} {answer.text[:2000]}')


def secret(state, name):
    return (state / 'secrets' / name).read_text().strip()


def admin_of(state):
    return Api('admin', secret(state, 'admin'), 'admin')


# ---- catalog ----

def catalog(state):
    api = admin_of(state)
    roles = {name: api.ensure(5000, '/v3', 'roles', {'name': name})['id']
             for name in ('admin', 'member', 'service', 'heat_stack_owner', 'heat_stack_user')}
    accounts(api, state, roles)
    endpoints(api)


def accounts(api, state, roles):
    service = api.ensure(5000, '/v3', 'projects', {'name': 'service', 'domain_id': 'default'})['id']
    for name in ('heat', 'glance', 'placement', 'neutron', 'nova', 'cinder'):
        user = account(api, state, name, 'default')
        for role in ('admin', 'service'):
            grant(api, f'projects/{service}', user, roles[role])
    demo = api.ensure(5000, '/v3', 'projects', {'name': 'demo', 'domain_id': 'default'})['id']
    grant(api, f'projects/{demo}', account(api, state, 'demo', 'default'), roles['member'])
    grant(api, f'projects/{demo}', api.user, roles['admin'])
    heat = api.ensure(5000, '/v3', 'domains', {'name': 'heat'})['id']
    grant(api, f'domains/{heat}', account(api, state, 'heat_domain_admin', heat), roles['admin'])


def account(api, state, name, domain):
    body = {'name': name, 'domain_id': domain, 'password': secret(state, name)}
    return api.ensure(5000, '/v3', 'users', body)['id']


def grant(api, scope, user, role):
    api.call('PUT', 5000, f'/v3/{scope}/users/{user}/roles/{role}')


def endpoints(api):
    """Public ones speak TLS, internal and admin ones do not."""
    if not any(region['id'] == NOWHERE for region in api.call('GET', 5000, '/v3/regions')['regions']):
        api.call('POST', 5000, '/v3/regions', json={'region': {'id': NOWHERE}})
    have = {(e['service_id'], e['interface'], e['region_id'])
            for e in api.call('GET', 5000, '/v3/endpoints')['endpoints']}
    known = {s['type']: s for s in api.call('GET', 5000, '/v3/services')['services']}
    for kind, name, port, path in SERVICES:
        service = known.get(kind) or api.call(
            'POST', 5000, '/v3/services', json={'service': {'type': kind, 'name': name}})['service']
        here = {'public': f'https://{ADDRESS}:{port + 10000}{path}', 'internal': url(port, path), 'admin': url(port, path)}
        nowhere = {'public': f'https://{ADDRESS}:9{path}'}
        for region, urls in ((REGION, here), (NOWHERE, nowhere)):
            for interface, address in urls.items():
                if (service['id'], interface, region) not in have:
                    api.call('POST', 5000, '/v3/endpoints', json={'endpoint': {
                        'service_id': service['id'], 'interface': interface, 'region_id': region, 'url': address}})


# ---- seed ----

def seed(state):
    admin = admin_of(state)
    demo = Api('demo', secret(state, 'demo'), 'demo')
    quotas(admin, demo.project)
    networks = {spec[0]: network(admin, demo.project, *spec) for spec in NETWORKS}
    flavors = {spec[0]: flavor(admin, *spec) for spec in FLAVORS}
    volume_type(admin)
    images = upload(admin, state / 'images')
    key = keypair(demo, (state / 'secrets' / 'id_guest.pub').read_text())
    await_agents(admin)
    write(state, {
        'auth_url': f'https://{ADDRESS}:15000/v3', 'auth_url_plain': url(5000, '/v3'),
        'ca_file': str(state / 'secrets' / 'ca.crt'), 'region': REGION, 'region_nowhere': NOWHERE,
        'domain': 'Default', 'project': 'demo', 'project_id': demo.project,
        'user': 'demo', 'password': secret(state, 'demo'),
        'admin': {'user': 'admin', 'password': secret(state, 'admin'), 'project': 'admin'},
        'networks': networks, 'flavors': flavors, 'images': images,
        'key_name': key, 'key_file': str(state / 'secrets' / 'id_guest'),
        'guest_user': 'debian',
    })


def network(api, project, name, cidr, gateway, first, last, attributes):
    # Only the owner of a network and administrators may give ports allowed_address_pairs on it.
    owner = {'project_id': project} if 'shared' in attributes else {}
    net = api.ensure(9696, '/v2.0', 'networks', {
        'name': name, 'provider:network_type': 'flat', 'provider:physical_network': name, **owner, **attributes})
    subnet = api.ensure(9696, '/v2.0', 'subnets', {
        'name': name + '-v4', 'network_id': net['id'], 'ip_version': 4, 'cidr': cidr, 'gateway_ip': gateway,
        'enable_dhcp': 'shared' in attributes, 'allocation_pools': [{'start': first, 'end': last}]})
    return {'id': net['id'], 'subnet_id': subnet['id'], 'cidr': cidr, 'gateway': gateway}


def flavor(api, name, cpus, ram, disk):
    return api.ensure(8774, '/v2.1', 'flavors', {'name': name, 'vcpus': cpus, 'ram': ram, 'disk': disk})['id']


def volume_type(api):
    # The services make __DEFAULT__ themselves; "file" is the one of the driver.
    api.ensure(8776, f'/v3/{api.project}', 'types', {'name': 'file'}, wrap='volume_type', many='volume_types')


def quotas(api, project):
    api.call('PUT', 8774, f'/v2.1/os-quota-sets/{project}', json={'quota_set': {
        'instances': 20, 'cores': 24, 'ram': 20480}})
    api.call('PUT', 9696, f'/v2.0/quotas/{project}', json={'quota': {
        'port': 100, 'network': 20, 'security_group': 50, 'security_group_rule': 500}})
    api.call('PUT', 8776, f'/v3/{api.project}/os-quota-sets/{project}', json={'quota_set': {
        'volumes': 20, 'gigabytes': 200}})


def upload(api, directory):
    """Guests boot their kernel without a boot loader: each image names its kernel and initial RAM disk."""
    ids = {}
    for file in sorted(directory.glob('*.image.json')):
        about = json.loads(file.read_text())
        parts = {part: image(api, f"{about['name']}-{part}", directory / about[part], form, {}, about['hash'])
                 for part, form in (('kernel', 'aki'), ('ramdisk', 'ari'))}
        properties = {'kernel_id': parts['kernel'], 'ramdisk_id': parts['ramdisk'], **about['properties']}
        ids[about['name']] = image(api, about['name'], directory / about['disk'], 'qcow2', properties, about['hash'])
    return ids


def image(api, name, file, form, properties, digest):
    """An image whose content has changed is replaced; servers of the old one go on."""
    for have in api.call('GET', 9292, f'/v2/images?name={name}')['images']:
        if have['status'] == 'active' and have.get('windlass_hash') == digest:
            return have['id']
        api.call('DELETE', 9292, f"/v2/images/{have['id']}")
    made = api.call('POST', 9292, '/v2/images', json={
        'name': name, 'visibility': 'public', 'disk_format': form,
        'container_format': form if form in ('aki', 'ari') else 'bare', 'windlass_hash': digest, **properties})
    with open(file, 'rb') as content:
        api.call('PUT', 9292, f"/v2/images/{made['id']}/file", data=content,
                 headers={'Content-Type': 'application/octet-stream'})
    return made['id']


def keypair(api, public_key):
    name = 'windlass'
    keys = api.call('GET', 8774, '/v2.1/os-keypairs')['keypairs']
    if not any(key['keypair']['name'] == name for key in keys):
        api.call('POST', 8774, '/v2.1/os-keypairs', json={'keypair': {'name': name, 'public_key': public_key}})
    return name


def await_agents(api):
    end = time.monotonic() + TIMEOUT
    missing = 'everything'
    while missing:
        if time.monotonic() > end:
            sys.exit(f'after {TIMEOUT} s still missing: {missing}')
        agents = api.call('GET', 9696, '/v2.0/agents')['agents']
        alive = {agent['binary'] for agent in agents if agent['alive']}
        missing = sorted({f'neutron-{n}-agent' for n in ('linuxbridge', 'dhcp', 'l3', 'metadata')} - alive)
        hypervisors = api.call('GET', 8774, '/v2.1/os-hypervisors')['hypervisors']
        if not any(h['state'] == 'up' for h in hypervisors):
            missing.append('hypervisor')
        volumes = api.call('GET', 8776, f'/v3/{api.project}/os-services')['services']
        if not any(v['binary'] == 'cinder-volume' and v['state'] == 'up' for v in volumes):
            missing.append('cinder-volume')
        if missing:
            time.sleep(0.5)


def write(state, content):
    file = os.open(state / 'cloud.json.new', os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
    with os.fdopen(file, 'w') as out:
        json.dump(content, out, indent='\t')
        out.write('\n')
    os.replace(state / 'cloud.json.new', state / 'cloud.json')


if __name__ == '__main__':
    {'catalog': catalog, 'seed': seed}[sys.argv[1]](pathlib.Path(sys.argv[2]))
