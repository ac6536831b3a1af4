package config

import (
	"net/netip"
	"time"
)

// Services at these addresses trust every client that reaches them.
const (
	// metadata are links of this host, and the addresses at which clouds give their servers credentials: most at
	// 169.254.169.254, which some networks translate to IPv6, others elsewhere.
	metadata = "169.254.0.0/16,100.100.100.200/32,168.63.129.16/32,192.0.0.192/32," +
		"fe80::/10,64:ff9b::a9fe:0/112,fd00:ec2::/96,fd20:ce::254/128"
	// deniedByDefault are this host, too.
	deniedByDefault = "0.0.0.0/8,127.0.0.0/8,::/128,::1/128," + metadata
)

// defaults are values of default= that are too long for a tag.
var defaults = map[string]string{"@denied": deniedByDefault}

// Notifications says how subscribers are called.
type Notifications struct {
	// test the callback URI before a subscription is accepted
	TestCallback bool `setting:"notifications.testCallback; default=true"`
	// accept a second subscription with the same callback URI and filter, instead of answering 303
	Duplicates bool `setting:"notifications.duplicates; default=false"`
	// how `long` Windlass tries to deliver a notification before it becomes a dead letter
	RetryFor time.Duration `setting:"notifications.retryFor; default=24h"`
	// how `long` a dead letter is kept
	KeepFor time.Duration `setting:"notifications.keepFor; default=720h; is=positive"`
	// largest `number` of notifications that wait for a subscriber; the oldest of more become dead letters
	//
	// It also bounds the dead letters of a subscriber.
	Waiting int `setting:"notifications.waiting; default=10000; min=1; max=1000000"`
	// largest `number` of subscriptions of a project
	Subscriptions int `setting:"notifications.subscriptions; default=200; min=1; max=100000"`
	// `networks` to which Windlass sends no notification, with commas between them; "none" denies nothing
	DeniedNetworks []netip.Prefix `setting:"notifications.deniedNetworks; default=@denied"`
	// refuse callback URIs without TLS
	HTTPSOnly bool `setting:"notifications.httpsOnly; default=false"`
	// `file` with the authorities of subscribers' certificates; by default those of the system
	CAFile string `setting:"notifications.caFile; example=/etc/windlass/subscribers-ca.pem"`
	// `file` with the certificate that is shown to subscribers
	CertFile string `setting:"notifications.certFile; example=/etc/windlass/client.pem"`
	// `file` with the key of that certificate
	KeyFile string `setting:"notifications.keyFile; example=/etc/windlass/client-key.pem"`
}

// NFVO says whether an NFVO grants operations, and how to call it; without an Endpoint Windlass itself grants them.
type NFVO struct {
	// absolute `URL` of the NFVO that grants operations and has packages; without it Windlass does both itself
	Endpoint string `setting:"nfvo.endpoint; example=https://nfvo.example; is=baseUrl"`
	// ask the NFVO for grants, if nfvo.endpoint is set
	Grants bool `setting:"nfvo.grants; default=true"`
	// `version` of the NFVO's package management for packages that Windlass does not have: v1, v2 or off
	Packages string `setting:"nfvo.packages; default=off; enum=v1|v2|off"`
	// `name` with which Windlass authenticates to the NFVO
	ClientID string `setting:"nfvo.clientId; example=windlass; is=notEmpty"`
	// `file` with the password of that name
	SecretFile string `setting:"nfvo.secretFile; example=/etc/windlass/nfvo-secret"`
	// `URL` of OAuth 2.0 tokens for that name (client credentials); without it HTTP Basic is used
	TokenEndpoint string `setting:"nfvo.tokenEndpoint; example=https://idp.example/token; is=url"`
	// `file` with the authorities of the NFVO's certificate; by default those of the system
	CAFile string `setting:"nfvo.caFile; example=/etc/windlass/nfvo-ca.pem"`
	// `file` with the certificate that is shown to the NFVO
	CertFile string `setting:"nfvo.certFile; example=/etc/windlass/client.pem"`
	// `file` with the key of that certificate
	KeyFile string `setting:"nfvo.keyFile; example=/etc/windlass/client-key.pem"`
	// how `long` one request to the NFVO may take
	Timeout time.Duration `setting:"nfvo.timeout; default=30s; is=positive"`
	// how `long` Windlass waits for a grant, also while the NFVO does not answer
	GrantTimeout time.Duration `setting:"nfvo.grantTimeout; default=1h; is=positive"`
	// how `often` Windlass asks for a pending grant
	GrantPoll time.Duration `setting:"nfvo.grantPoll; default=2s; is=positive"`
}

// PackagesOff takes no packages from the NFVO.
const PackagesOff = "off"

// Packages says where VNF packages may be fetched from.
type Packages struct {
	// `networks` from which Windlass fetches no package, with commas between them; "none" denies nothing
	DeniedNetworks []netip.Prefix `setting:"packages.deniedNetworks; default=@denied"`
	// beginnings of the `URLs` from which requests may take manifests and charts, with commas between them, such as
	// https://charts.example/stable,oci://registry.example/charts; by default no source is allowed
	AllowedSources []string `setting:"packages.allowedSources; example=https://charts.example/stable; is=sources"`
	// fetch no package without TLS
	HTTPSOnly bool `setting:"packages.httpsOnly; default=false"`
	// `file` with the authorities of the certificates of packages' sources; by default those of the system
	CAFile string `setting:"packages.caFile; example=/etc/windlass/sources-ca.pem"`
	// `file` with the authorities of the signers' certificates; without it no signature is checked
	TrustFile string `setting:"packages.trustFile; example=/etc/windlass/package-signers.pem"`
	// accept only packages with a valid signature
	SignatureRequired bool `setting:"packages.signatureRequired; default=false"`
}

// Vims says where VIMs may be.
type Vims struct {
	// `networks` that addresses of VIMs and nodes must not be in, with commas between them; "none" denies nothing
	//
	// They hold for the services of a VIM, too.
	DeniedNetworks []netip.Prefix `setting:"vims.deniedNetworks; default=@denied"`
}
