// The ways to log in at a VIM, as the page about VIMs lists them: the members of a registration and their fields.

const must = { required: true };
const secret = { kind: 'secret', required: true };

// only leaves out members without a value.
const only = (pairs) => Object.fromEntries(Object.entries(pairs).filter(([, v]) => v !== undefined && v !== ''));

const openstack = {
  title: 'OpenStack',
  methods: [
    {
      title: 'User and password',
      members: [
        ['username', 'User', must], ['password', 'Password', secret], ['user_domain_name', 'Domain of the user', { value: 'Default' }],
        ['project_name', 'Project', must], ['project_domain_name', 'Domain of the project', { value: 'Default' }],
      ],
    },
    {
      title: 'Application credential',
      members: [
        ['application_credential_id', 'Id of the application credential', must],
        ['application_credential_secret', 'Secret of the application credential', secret],
      ],
    },
  ],
  common: [
    ['auth_url', 'Address of Keystone', { required: true, hint: 'For example https://cloud.example:5000/v3' }],
    ['region', 'Region', { hint: 'If the cloud has several' }],
    ['ca_cert', 'CA certificates, PEM', { kind: 'long', hint: 'If the certificate of the cloud is not from a public CA' }],
    ['cert_verify', 'Verify the certificate of the cloud', { kind: 'check', value: true }],
  ],
  body: ({ auth_url: address, region, project_name: project, project_domain_name: domain, cert_verify: verify, ...cred }) => ({
    auth_url: address,
    auth_cred: { ...cred, cert_verify: verify ? 'True' : 'False' },
    vim_project: only({ name: project, project_domain_name: domain }),
    extra: only({ region }),
  }),
};

const kubernetes = {
  title: 'Kubernetes',
  methods: [
    { title: 'Bearer token', members: [['bearer_token', 'Bearer token', secret]] },
    {
      title: 'Client certificate',
      members: [
        ['client_certificate', 'File of the certificate, PEM', { kind: 'file', required: true }],
        ['client_key', 'File of the key, PEM', { kind: 'file', required: true }],
      ],
    },
    { title: 'User and password', members: [['username', 'User', must], ['password', 'Password', secret]] },
    {
      title: 'OpenID Connect',
      members: [
        ['oidc_token_url', 'Address for tokens', must], ['username', 'User', must], ['password', 'Password', secret],
        ['client_id', 'Id of the client', must], ['client_secret', 'Secret of the client', { kind: 'secret', hint: 'If it has one' }],
      ],
    },
    {
      title: 'Kubeconfig', whole: true,
      members: [['kubeconfig', 'File', {
        kind: 'file', required: true, hint: 'It must contain everything: kubectl config view --flatten --minify --raw',
      }]],
    },
  ],
  common: [
    ['auth_url', 'Address of the Kubernetes API', { required: true, hint: 'For example https://192.0.2.7:6443' }],
    ['ssl_ca_cert', 'CA certificates, PEM', { kind: 'long', hint: 'Without them Windlass does not verify the certificate, and warns' }],
    ['project_name', 'Namespace of VNFs', { value: 'default' }],
  ],
  body: ({ auth_url: address, project_name: project, ...cred }) => only({
    auth_url: address, auth_cred: cred, vim_project: project ? { name: project } : undefined,
  }),
};

export const ways = { kubernetes, openstack };
