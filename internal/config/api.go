package config

import (
	"net/netip"
	"slices"
	"time"
)

// API is for the API server.
type API struct {
	// `host:port` on which the API is served
	Listen string `setting:"api.listen; default=127.0.0.1:9890; is=address"`
	// absolute `URL` at which clients reach the API; by default it is made from api.listen
	Endpoint string `setting:"api.endpoint; example=https://vnfm.example:9890; is=baseUrl"`
	// largest VNF package, in `MiB`
	MaxUploadMiB int `setting:"api.maxUploadMiB; default=8192; min=1; max=1048576"`
	// largest number of `items` of a list in one answer, which links to the next page; 0 is no limit
	PageSize int `setting:"api.pageSize; default=1000; min=0; max=100000"`
	// require the Version header at /vnflcm/v1 and /vnfpkgm/v1
	StrictV1 bool `setting:"api.strictV1; default=false"`
	// do not require the Version header at /vnflcm/v2
	TolerantV2 bool `setting:"api.tolerantV2; default=false"`
	// decrypt Temporal's payloads for the temporal command and the Web UI
	Codec bool `setting:"api.codec; default=false"`
	// `origins` of the Web UIs that may use the codec, separated by commas, such as https://temporal.example
	CodecOrigins []string `setting:"api.codecOrigins; example=https://temporal.example; is=origins"`
	// further host `names` of the API, with commas between them; with auth.mode none the API refuses other names
	//
	// They are in small letters.
	AllowedHosts []string `setting:"api.allowedHosts; example=windlass,windlass.internal.example; is=hosts"`
	TLS          TLS
	// `who` may read /metrics: open (everybody), admin (clients with the scope windlass:admin) or off (nobody)
	Metrics string `setting:"api.metrics; default=open; enum=open|admin|off"`
	// `networks` of trusted proxies, with commas between them; their X-Forwarded-For gives the client's address
	TrustedProxies []netip.Prefix `setting:"api.trustedProxies; example=10.0.0.0/24"`
}

// TLS has the files of the API's certificate; they are read again when they change.
type TLS struct {
	// `file` with the API's certificate, read again when it changes; without one the API speaks plain HTTP
	CertFile string `setting:"api.tls.certFile; example=/etc/windlass/api.pem"`
	// `file` with the key of that certificate
	KeyFile string `setting:"api.tls.keyFile; example=/etc/windlass/api-key.pem"`
	// `file` with the authorities of clients' certificates, for auth.mode mtls
	ClientCAFile string `setting:"api.tls.clientCaFile; example=/etc/windlass/clients-ca.pem"`
}

// Who may read /metrics of the API server.
const (
	MetricsOpen  = "open"
	MetricsAdmin = "admin"
	MetricsOff   = "off"
)

// The ways to authenticate clients.
const (
	AuthNone     = "none"
	AuthOAuth2   = "oauth2"
	AuthKeystone = "keystone"
	AuthMTLS     = "mtls"
)

// Auth says how the API identifies its clients.
type Auth struct {
	// `how` clients authenticate: none, or one or more of oauth2, keystone, mtls with commas between them
	Modes []string `setting:"auth.mode; default=none; is=modes"`
	// let auth.mode none serve other hosts, for a proxy that authenticates clients itself
	NoneAnywhere bool `setting:"auth.noneAnywhere; default=false"`
	MTLS         AuthCertificates
	OAuth2       OAuth2
	Keystone     Keystone
}

// Has tells whether clients are authenticated in that way.
func (a Auth) Has(mode string) bool { return slices.Contains(a.Modes, mode) }

// AuthCertificates is mutual TLS.
type AuthCertificates struct {
	// `clients` by the names in their certificates: name=project/role with commas between them; a role is read, write or
	// admin
	Clients string `setting:"auth.mtls.clients; example=nfvo.example=edge/write,ops.example=default/admin"`
}

// OAuth2 says whose bearer tokens are accepted.
type OAuth2 struct {
	// `URL` of the issuer whose bearer tokens are accepted
	Issuer string `setting:"auth.oauth2.issuer; example=https://id.example/realms/nfv; is=url"`
	// `audience` that bearer tokens must have
	Audience string `setting:"auth.oauth2.audience; example=windlass; is=notEmpty"`
	// `URL` of the issuer's keys; by default from the issuer's metadata
	JWKSURL string `setting:"auth.oauth2.jwksUrl; example=https://id.example/realms/nfv/keys; is=url"`
	// `file` with the authorities of the issuer's certificate; by default those of the system
	CAFile string `setting:"auth.oauth2.caFile; example=/etc/windlass/id-ca.pem"`
	// `claim` of a token that names the client's project
	ProjectClaim string `setting:"auth.oauth2.projectClaim; default=project_id; is=notEmpty"`
	// `project` of tokens without that claim; by default such tokens are refused
	Project string `setting:"auth.oauth2.project; example=default"`
}

// Keystone says which Keystone validates tokens, and with which account.
type Keystone struct {
	// `URL` of the Keystone that validates tokens, such as https://keystone.example/v3
	URL string `setting:"auth.keystone.url; example=https://keystone.example/v3; is=url"`
	// `user` that may validate the tokens of others
	Username string `setting:"auth.keystone.username; example=windlass"`
	// `file` with that user's password
	PasswordFile string `setting:"auth.keystone.passwordFile; example=/etc/windlass/keystone-password"`
	// `domain` of that user
	UserDomain string `setting:"auth.keystone.userDomain; default=Default; is=notEmpty"`
	// `project` of that user
	Project string `setting:"auth.keystone.project; default=service; is=notEmpty"`
	// `domain` of that project
	ProjectDomain string `setting:"auth.keystone.projectDomain; default=Default; is=notEmpty"`
	// `file` with the authorities of Keystone's certificate; by default those of the system
	CAFile string `setting:"auth.keystone.caFile; example=/etc/windlass/keystone-ca.pem"`
	// `roles` that let a user read, with commas between them
	ReadRoles []string `setting:"auth.keystone.readRoles; default=reader"`
	// `roles` that let a user change resources of their project
	WriteRoles []string `setting:"auth.keystone.writeRoles; default=member"`
	// `roles` that let a user do everything in every project
	AdminRoles []string `setting:"auth.keystone.adminRoles; default=admin"`
}

// Page holds the links of the web page at /ui, and the ways to log in there.
type Page struct {
	// `URL` of Temporal's Web UI, for links on the web page
	Temporal string `setting:"page.temporalUrl; example=https://temporal.example; is=baseUrl"`
	// `URL` of a trace with {traceId} in it, for links on the web page, such as https://jaeger.example/trace/{traceId}
	Traces string `setting:"page.traceUrl; example=https://jaeger.example/trace/{traceId}; is=traceUrl"`
	// client `id` of the web page at auth.oauth2.issuer (a public client); without it users paste a token
	OAuth2ClientID string `setting:"page.oauth2.clientId; example=windlass-page; is=notEmpty"`
	// `scopes` that the web page asks the issuer for, with blanks between them
	OAuth2Scope string `setting:"page.oauth2.scope; default=openid windlass:write"`
}

// Limits of requests to the API.
type Limits struct {
	// largest `number` of requests of one client in a second, on average; 0 is no limit
	RequestsPerSecond int `setting:"limits.requestsPerSecond; default=0; min=0; max=1000000"`
	// largest `number` of requests of one client at once, if limits.requestsPerSecond is set
	Burst int `setting:"limits.burst; default=100; min=1; max=1000000"`
	// largest body of a request, except uploads of packages, in `KiB`
	BodyKiB int `setting:"limits.bodyKiB; default=1024; min=1; max=1048576"`
	// longest path with its query, in `bytes`
	URIBytes int `setting:"limits.uriBytes; default=16384; min=256; max=32768"`
}

// Audit says how long audit records are kept.
type Audit struct {
	// how `long` records of the audit are kept; 0 is for ever
	KeepFor time.Duration `setting:"audit.keepFor; default=2160h"`
}
