package config

import (
	"fmt"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/sources"
)

// Services at these addresses trust every client that reaches them.
const (
	// metadata are links of this host, and the addresses at which clouds give their servers credentials: most at
	// 169.254.169.254, which some networks translate to IPv6, others elsewhere.
	metadata = "169.254.0.0/16,100.100.100.200/32,168.63.129.16/32,192.0.0.192/32,fe80::/10,64:ff9b::a9fe:0/112,fd00:ec2::/96,fd20:ce::254/128"
	// deniedByDefault are this host, too.
	deniedByDefault = "0.0.0.0/8,127.0.0.0/8,::/128,::1/128," + metadata
)

// notificationSettings say how subscribers are called.
var notificationSettings = []setting{
	{
		key: "notifications.testCallback", need: NeedNotifications, fallback: "true",
		usage: "test the callback URI before a subscription is accepted",
		set:   func(c *Config, v string) (err error) { c.Notifications.TestCallback, err = parseBool(v); return err },
	},
	{
		key: "notifications.duplicates", need: NeedNotifications, fallback: "false",
		usage: "accept a second subscription with the same callback URI and filter, instead of answering 303",
		set:   func(c *Config, v string) (err error) { c.Notifications.Duplicates, err = parseBool(v); return err },
	},
	{
		key: "notifications.retryFor", need: NeedNotifications, fallback: "24h",
		usage: "how `long` Windlass tries to deliver a notification before it becomes a dead letter",
		set:   func(c *Config, v string) (err error) { c.Notifications.RetryFor, err = parseDuration(v); return err },
	},
	{
		key: "notifications.keepFor", need: NeedNotifications, fallback: "720h",
		usage: "how `long` a dead letter is kept",
		set:   func(c *Config, v string) (err error) { c.Notifications.KeepFor, err = parsePositive(v); return err },
	},
	{
		key: "notifications.waiting", need: NeedNotifications, fallback: "10000",
		usage: "largest `number` of notifications that wait for a subscriber; the oldest of more become dead letters",
		set: func(c *Config, v string) (err error) {
			c.Notifications.Waiting, err = parseInt(v, 1, 1_000_000)
			return err
		},
	},
	{
		key: "notifications.subscriptions", need: NeedNotifications, fallback: "200",
		usage: "largest `number` of subscriptions of a project",
		set: func(c *Config, v string) (err error) {
			c.Notifications.Subscriptions, err = parseInt(v, 1, 100_000)
			return err
		},
	},
	{
		key: "notifications.deniedNetworks", need: NeedNotifications, fallback: deniedByDefault,
		usage: "`networks` to which Windlass sends no notification, with commas between them; \"none\" denies nothing",
		set: func(c *Config, v string) (err error) {
			c.Notifications.DeniedNetworks, err = parseNetworks(v)
			return err
		},
	},
	{
		key: "notifications.httpsOnly", need: NeedNotifications, fallback: "false", usage: "refuse callback URIs without TLS",
		set: func(c *Config, v string) (err error) { c.Notifications.HTTPSOnly, err = parseBool(v); return err },
	},
	{
		key: "notifications.caFile", need: NeedNotifications,
		usage: "`file` with the authorities of subscribers' certificates; by default those of the system",
		set:   func(c *Config, v string) error { c.Notifications.CAFile = v; return nil },
	},
	{
		key: "notifications.certFile", need: NeedNotifications,
		usage: "`file` with the certificate that is shown to subscribers",
		set:   func(c *Config, v string) error { c.Notifications.CertFile = v; return nil },
	},
	{
		key: "notifications.keyFile", need: NeedNotifications, usage: "`file` with the key of that certificate",
		set: func(c *Config, v string) error { c.Notifications.KeyFile = v; return nil },
	},
}

// nfvoSettings say whether an NFVO grants operations and has packages.
var nfvoSettings = []setting{
	{
		key: "nfvo.endpoint", need: NeedNFVO,
		usage: "absolute `URL` of the NFVO that grants operations and has packages; without it Windlass does both itself",
		set: func(c *Config, v string) error {
			c.NFVO.Endpoint = strings.TrimRight(v, "/")
			return checkEndpoint(v)
		},
	},
	{
		key: "nfvo.grants", need: NeedNFVO, fallback: "true", usage: "ask the NFVO for grants, if nfvo.endpoint is set",
		set: func(c *Config, v string) (err error) { c.NFVO.Grants, err = parseBool(v); return err },
	},
	{
		key: "nfvo.packages", need: NeedNFVO, fallback: PackagesOff, usage: "`version` of the NFVO's package management " +
			"for packages that Windlass does not have: v1, v2 or off",
		set: func(c *Config, v string) error {
			c.NFVO.Packages = v
			if v != PackagesOff && v != "v1" && v != "v2" {
				return fmt.Errorf("is %q, not v1, v2 or off", v)
			}
			return nil
		},
	},
	{
		key: "nfvo.clientId", need: NeedNFVO, usage: "`name` with which Windlass authenticates to the NFVO",
		set: func(c *Config, v string) error { c.NFVO.ClientID = v; return checkNotEmpty(v) },
	},
	{
		key: "nfvo.secretFile", need: NeedNFVO, usage: "`file` with the password of that name",
		set: func(c *Config, v string) error { c.NFVO.SecretFile = v; return nil },
	},
	{
		key: "nfvo.tokenEndpoint", need: NeedNFVO,
		usage: "`URL` of OAuth 2.0 tokens for that name (client credentials); without it HTTP Basic is used",
		set:   func(c *Config, v string) error { c.NFVO.TokenEndpoint = v; return checkEndpoint(v) },
	},
	{
		key: "nfvo.caFile", need: NeedNFVO,
		usage: "`file` with the authorities of the NFVO's certificate; by default those of the system",
		set:   func(c *Config, v string) error { c.NFVO.CAFile = v; return nil },
	},
	{
		key: "nfvo.certFile", need: NeedNFVO, usage: "`file` with the certificate that is shown to the NFVO",
		set: func(c *Config, v string) error { c.NFVO.CertFile = v; return nil },
	},
	{
		key: "nfvo.keyFile", need: NeedNFVO, usage: "`file` with the key of that certificate",
		set: func(c *Config, v string) error { c.NFVO.KeyFile = v; return nil },
	},
	{
		key: "nfvo.timeout", need: NeedNFVO, fallback: "30s", usage: "how `long` one request to the NFVO may take",
		set: func(c *Config, v string) (err error) { c.NFVO.Timeout, err = parsePositive(v); return err },
	},
	{
		key: "nfvo.grantTimeout", need: NeedNFVO, fallback: "1h",
		usage: "how `long` Windlass waits for a grant, also while the NFVO does not answer",
		set:   func(c *Config, v string) (err error) { c.NFVO.GrantTimeout, err = parsePositive(v); return err },
	},
	{
		key: "nfvo.grantPoll", need: NeedNFVO, fallback: "2s", usage: "how `often` Windlass asks for a pending grant",
		set: func(c *Config, v string) (err error) { c.NFVO.GrantPoll, err = parsePositive(v); return err },
	},
}

// packageSettings say which addresses packages and VIMs may have, and which parts of packages may run.
var packageSettings = []setting{
	{
		key: "packages.deniedNetworks", need: NeedPackages, fallback: deniedByDefault,
		usage: "`networks` from which Windlass fetches no package, with commas between them; \"none\" denies nothing",
		set: func(c *Config, v string) (err error) {
			c.Packages.DeniedNetworks, err = parseNetworks(v)
			return err
		},
	},
	{
		key: "packages.allowedSources", need: NeedPackages,
		usage: "beginnings of the `URLs` from which requests may take manifests and charts, with commas between them, such as " +
			"https://charts.example/stable,oci://registry.example/charts; by default no source is allowed",
		set: func(c *Config, v string) error {
			c.Packages.AllowedSources = parseList(v)
			return sources.CheckAllowed(c.Packages.AllowedSources)
		},
	},
	{
		key: "packages.httpsOnly", need: NeedPackages, fallback: "false", usage: "fetch no package without TLS",
		set: func(c *Config, v string) (err error) { c.Packages.HTTPSOnly, err = parseBool(v); return err },
	},
	{
		key: "packages.caFile", need: NeedPackages,
		usage: "`file` with the authorities of the certificates of packages' sources; by default those of the system",
		set:   func(c *Config, v string) error { c.Packages.CAFile = v; return nil },
	},
	{
		key: "packages.trustFile", need: NeedPackages,
		usage: "`file` with the authorities of the signers' certificates; without it no signature is checked",
		set:   func(c *Config, v string) error { c.Packages.TrustFile = v; return nil },
	},
	{
		key: "packages.signatureRequired", need: NeedPackages, fallback: "false",
		usage: "accept only packages with a valid signature",
		set:   func(c *Config, v string) (err error) { c.Packages.SignatureRequired, err = parseBool(v); return err },
	},
	{
		key: "vims.deniedNetworks", need: NeedVims, fallback: deniedByDefault,
		usage: "`networks` that addresses of VIMs and nodes must not be in, with commas between them; \"none\" denies nothing",
		set:   func(c *Config, v string) (err error) { c.Vims.DeniedNetworks, err = parseNetworks(v); return err },
	},
	{
		key: "userData.python", need: NeedPackages,
		usage: "`path` of the Python 3 that runs user data classes of packages in a sandbox; without it none are run",
		set:   func(c *Config, v string) error { c.UserData.Python = v; return nil },
	},
	{
		key: "userData.timeout", need: NeedPackages, fallback: "30s", usage: "how `long` a user data class may run",
		set: func(c *Config, v string) (err error) { c.UserData.Timeout, err = parsePositive(v); return err },
	},
	{
		key: "scripts.policy", need: NeedPlans, fallback: string(lcm.ScriptsSkipped),
		usage: "what Windlass does with scripts and playbooks at hooks of operations: `refuse`, skip or run",
		set:   func(c *Config, v string) (err error) { c.Scripts.Policy, err = parseScriptPolicy(v); return err },
	},
	{
		key: "scripts.skipTackerV1", need: NeedPlans, fallback: "false",
		usage: "skip management drivers of Tacker's v1 where other scripts run; else requests for their packages are refused",
		set:   func(c *Config, v string) (err error) { c.Scripts.SkipTackerV1, err = parseBool(v); return err },
	},
	{
		key: "scripts.network", need: NeedWorker, fallback: "false",
		usage: "let Python scripts of packages make connections from the worker's host",
		set:   func(c *Config, v string) (err error) { c.Scripts.Network, err = parseBool(v); return err },
	},
	{
		key: "scripts.ansible", need: NeedPlans, fallback: "false",
		usage: "run playbooks of packages with ansible-playbook on the worker's host, in a sandbox that allows connections",
		set:   func(c *Config, v string) (err error) { c.Scripts.Ansible, err = parseBool(v); return err },
	},
	{
		key: "scripts.ansibleLease", need: NeedWorker, fallback: "5m",
		usage: "how `long` a playbook on the worker's host goes on after its worker has died; another host waits so long",
		set:   func(c *Config, v string) (err error) { c.Scripts.AnsibleLease, err = parsePositive(v); return err },
	},
	{
		key: "scripts.ansibleAtOnce", need: NeedWorker, fallback: "4",
		usage: "largest `number` of playbooks that a worker runs at once on its host; others wait",
		set:   func(c *Config, v string) (err error) { c.Scripts.AnsibleAtOnce, err = parseInt(v, 1, 100); return err },
	},
	{
		key: "scripts.ansibleDirectory", need: NeedWorker,
		usage: "`folder` of running playbooks, which all workers of a host share; by default a folder of the user in /dev/shm",
		set:   func(c *Config, v string) error { c.Scripts.AnsibleDirectory = v; return nil },
	},
	{
		key: "scripts.timeout", need: NeedWorker, fallback: "1h", usage: "how `long` a Python script of a package may run",
		set: func(c *Config, v string) (err error) { c.Scripts.Timeout, err = parsePositive(v); return err },
	},
}

func parseScriptPolicy(v string) (lcm.ScriptPolicy, error) {
	switch p := lcm.ScriptPolicy(v); p {
	case lcm.ScriptsRefused, lcm.ScriptsSkipped, lcm.ScriptsRun:
		return p, nil
	default:
		return "", fmt.Errorf("is %q, neither refuse, skip nor run", v)
	}
}
