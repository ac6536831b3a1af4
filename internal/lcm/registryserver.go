package lcm

import (
	"encoding/json"
	"fmt"
	"net"
	"net/netip"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

// RegistryServerKey is the member of additionalParams that holds RegistryServerParams.
const RegistryServerKey = "private_registry_installation_param"

const registryServerPath = "$.additionalParams." + RegistryServerKey

// RegistryServer is the machine of a VNF that is a registry of images.
const RegistryServer Role = "registry"

// DefaultRegistryPort is where a registry of images listens, and DefaultRegistryImage what runs there when the package brings
// no image.
const (
	DefaultRegistryPort  = 5000
	DefaultRegistryImage = dockerHub + "/library/registry:2"
)

// What a certificate that Windlass makes is valid for, in days: the default, and the longest that may be asked for. The CA
// outlives it.
const (
	defaultCertificateDays = 3650
	longestCertificateDays = 3650
)

// RegistryVolumeDirectory is where the volume of a registry is mounted to unless the request says otherwise.
const RegistryVolumeDirectory = "/registry"

// RegistryServerParams is additionalParams.private_registry_installation_param, as Tacker's driver of private registries takes
// it (the first block), with Windlass's own optional additions.
type RegistryServerParams struct {
	// SSHCpName is the Heat port or floating IP that gives the address for SSH.
	SSHCpName string `json:"ssh_cp_name"`
	Username  string `json:"ssh_username"`
	Password  Secret `json:"ssh_password,omitzero"`
	// ImagePath is a file in the package, as "docker save" makes it; without it the image is pulled, or Debian's package of the
	// registry is installed.
	ImagePath string       `json:"image_path,omitempty"`
	Port      int          `json:"port_no,omitempty"` // default 5000
	Proxy     *ProxyParams `json:"proxy,omitempty"`

	// PrivateKey is an OpenSSH or PEM private key; preferred to Password when both are given.
	PrivateKey Secret `json:"ssh_private_key,omitzero"`
	// Image is what is pulled when the package brings none.
	Image string `json:"image,omitempty"`
	// TLS lets the registry speak HTTPS.
	TLS *RegistryTLS `json:"tls,omitempty"`
	// Users are those who may pull and push; none lets everybody.
	Users []RegistryUser `json:"users,omitempty"`
	// Volume is the Cinder volume that the images are on, and where it is mounted; without one they are lost with the machine.
	Volume   *CinderVolumeParams    `json:"volume,omitempty"`
	Timeouts RegistryServerTimeouts `json:"timeouts,omitzero"`
}

// RegistryTLS is the certificate of a registry, with its chain, and the key to it; or says that both are made.
type RegistryTLS struct {
	// CertificatePath is a file in the package, PEM, the registry's own certificate first.
	CertificatePath string `json:"certificate_path,omitempty"`
	PrivateKey      Secret `json:"private_key,omitzero"` // PEM

	// Generate makes a CA and a certificate on the machine, for its addresses and for HostNames, which are names or addresses.
	Generate     bool     `json:"generate,omitempty"`
	HostNames    []string `json:"host_names,omitempty"`
	ValidityDays int      `json:"validity_days,omitempty"` // of the certificate; default 3650
}

// RegistryUser may pull and push.
type RegistryUser struct {
	Username string `json:"username"`
	Password Secret `json:"password,omitzero"`
}

// RegistryServerTimeouts are limits in seconds; 0 means the default, which is that of TimeoutParams.
type RegistryServerTimeouts struct {
	Stack   int `json:"stack,omitempty"`   // default 1800
	SSH     int `json:"ssh,omitempty"`     // default 600
	Login   int `json:"login,omitempty"`   // default 30
	Install int `json:"install,omitempty"` // default 2700
}

// ParseRegistryServerParams reads the parameters of a registry out of additionalParams and fills in defaults. The error lists
// every value of a wrong type.
func ParseRegistryServerParams(additionalParams json.RawMessage) (RegistryServerParams, error) {
	p, problems := parseRegistryServerParams(additionalParams)
	return p, InvalidAll("The registry's parameters are not of the right types.", problems)
}

// CheckRegistryServerParams parses and checks in one go: every mistake once, whether of type or of meaning.
func CheckRegistryServerParams(additionalParams json.RawMessage) (RegistryServerParams, []Problem) {
	p, problems := parseRegistryServerParams(additionalParams)
	known := map[string]bool{}
	for _, problem := range problems {
		known[problem.Path] = true
	}
	for _, problem := range p.problems() {
		if !covered(known, problem.Path) {
			problems = append(problems, problem)
		}
	}
	var outer map[string]json.RawMessage
	if json.Unmarshal(additionalParams, &outer) != nil {
		return p, problems // told already
	}
	return p, append(problems, unknownMembers(registryServerPath, outer[RegistryServerKey], reflect.TypeFor[RegistryServerParams]())...)
}

func parseRegistryServerParams(additionalParams json.RawMessage) (p RegistryServerParams, problems []Problem) {
	root := newParamReader("$.additionalParams", additionalParams, &problems)
	o := root.object(RegistryServerKey)
	if o == nil && len(problems) == 0 {
		problems = append(problems, Problem{registryServerPath, "is missing: it says how the registry is installed."})
	}
	p.read(o)
	orNumber(&p.Port, DefaultRegistryPort)
	orText(&p.Image, DefaultRegistryImage)
	if p.TLS != nil && p.TLS.Generate {
		orNumber(&p.TLS.ValidityDays, defaultCertificateDays)
	}
	if p.Volume != nil {
		orText(&p.Volume.MountTo, RegistryVolumeDirectory)
		p.Volume.MountTo = cleanDirectory(p.Volume.MountTo)
	}
	orNumber(&p.Timeouts.Stack, 1800)
	orNumber(&p.Timeouts.SSH, 600)
	orNumber(&p.Timeouts.Login, 30)
	orNumber(&p.Timeouts.Install, 2700)
	return p, problems
}

func (p *RegistryServerParams) read(o *paramReader) {
	o.text("ssh_cp_name", &p.SSHCpName)
	o.text("ssh_username", &p.Username)
	o.secret("ssh_password", &p.Password)
	o.secret("ssh_private_key", &p.PrivateKey)
	o.text("image_path", &p.ImagePath)
	o.text("image", &p.Image)
	o.number("port_no", &p.Port)
	if proxy := o.object("proxy"); proxy != nil {
		p.Proxy = &ProxyParams{}
		proxy.secret("http_proxy", &p.Proxy.HTTPProxy)
		proxy.secret("https_proxy", &p.Proxy.HTTPSProxy)
		proxy.text("no_proxy", &p.Proxy.NoProxy)
		proxy.text("k8s_node_cidr", &p.Proxy.K8sNodeCIDR)
	}
	if tls := o.object("tls"); tls != nil {
		p.TLS = &RegistryTLS{}
		tls.text("certificate_path", &p.TLS.CertificatePath)
		tls.secret("private_key", &p.TLS.PrivateKey)
		tls.boolean("generate", &p.TLS.Generate)
		tls.texts("host_names", &p.TLS.HostNames)
		tls.number("validity_days", &p.TLS.ValidityDays)
	}
	if volume := o.object("volume"); volume != nil {
		p.Volume = &CinderVolumeParams{}
		volume.text("volume_resource_id", &p.Volume.VolumeResourceID)
		volume.text("mount_to", &p.Volume.MountTo)
	}
	for _, item := range o.objects("users") {
		var u RegistryUser
		item.text("username", &u.Username)
		item.secret("password", &u.Password)
		p.Users = append(p.Users, u)
	}
	limits := o.object("timeouts")
	limits.number("stack", &p.Timeouts.Stack)
	limits.number("ssh", &p.Timeouts.SSH)
	limits.number("login", &p.Timeouts.Login)
	limits.number("install", &p.Timeouts.Install)
}

var (
	imagePattern        = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@-]*$`)
	registryUserPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._@-]*$`)
)

// bcryptLongest is what bcrypt reads of a password.
const bcryptLongest = 72

func (p RegistryServerParams) problems() (problems []Problem) {
	add := func(key, format string, args ...any) {
		problems = append(problems, Problem{registryServerPath + "." + key, fmt.Sprintf(format, args...)})
	}
	if p.SSHCpName == "" {
		add("ssh_cp_name", "is missing: it names the port or floating IP for SSH.")
	}
	switch {
	case p.Username == "":
		add("ssh_username", "is missing: it is the user for SSH.")
	case !userPattern.MatchString(p.Username):
		add("ssh_username", "must be a Linux user name, not %q.", p.Username)
	}
	if p.Password.IsZero() && p.PrivateKey.IsZero() {
		add("ssh_password", "is missing: give ssh_password or ssh_private_key.")
	}
	if p.ImagePath != "" && !LocalPath(p.ImagePath) {
		add("image_path", "%q leaves the package; give a path inside it.", p.ImagePath)
	}
	if !imagePattern.MatchString(p.Image) {
		add("image", "must be the name of an image, such as %q, not %q.", DefaultRegistryImage, p.Image)
	}
	if p.Port < 1 || p.Port > 65535 || p.Port == 22 {
		add("port_no", "must be between 1 and 65535, and not SSH's 22, not %d.", p.Port)
	}
	p.proxyProblems(add)
	p.accessProblems(add)
	p.volumeProblems(add)
	const longest = 2 * 60 * 60 // activities on machines end after three hours, whatever the request says
	for _, limit := range []struct {
		key     string
		seconds int
	}{{"stack", p.Timeouts.Stack}, {"ssh", p.Timeouts.SSH}, {"login", p.Timeouts.Login}, {"install", p.Timeouts.Install}} {
		if limit.seconds < 1 || limit.seconds > longest {
			add("timeouts."+limit.key, "must be between 1 and %d seconds, not %d.", longest, limit.seconds)
		}
	}
	return problems
}

func (p RegistryServerParams) proxyProblems(add func(key, format string, args ...any)) {
	if p.Proxy == nil {
		return
	}
	for key, secret := range map[string]Secret{"http_proxy": p.Proxy.HTTPProxy, "https_proxy": p.Proxy.HTTPSProxy} {
		if secret.Clear != "" && !IsProxyURL(secret.Clear) {
			add("proxy."+key, "must be a URL like http://user:password@proxy.example:3128.")
		}
	}
	if !IsNoProxy(p.Proxy.NoProxy) {
		add("proxy.no_proxy", noProxyProblem)
	}
	if cidr := p.Proxy.K8sNodeCIDR; cidr != "" {
		if _, err := netip.ParsePrefix(cidr); err != nil {
			add("proxy.k8s_node_cidr", "must be a network such as 10.10.0.0/24, not %q.", cidr)
		}
	}
}

func (p RegistryServerParams) volumeProblems(add func(key, format string, args ...any)) {
	if p.Volume == nil {
		return
	}
	if p.Volume.VolumeResourceID == "" {
		add("volume.volume_resource_id", "is missing: it names the volume in the Base HOT.")
	}
	switch why := directoryProblem(p.Volume.MountTo); {
	case why != "":
		add("volume.mount_to", "%s", why)
	case ofTheSystem(p.Volume.MountTo):
		add("volume.mount_to", "%q belongs to the system; take a directory of its own, such as %s.", p.Volume.MountTo, RegistryVolumeDirectory)
	}
}

func (t RegistryTLS) problems(add func(key, format string, args ...any)) {
	if t.Generate {
		t.generatedProblems(add)
		return
	}
	if t.CertificatePath == "" || !LocalPath(t.CertificatePath) {
		add("tls.certificate_path", "must be a path inside the package, not %q; or let Windlass make a certificate (generate).", t.CertificatePath)
	}
	if t.PrivateKey.IsZero() {
		add("tls.private_key", "is missing: it is the key to the certificate.")
	} else if t.PrivateKey.Clear != "" && !strings.Contains(t.PrivateKey.Clear, "PRIVATE KEY-----") {
		add("tls.private_key", "must be a private key in PEM form.")
	}
	if len(t.HostNames) > 0 {
		add("tls.host_names", "is only for a certificate that Windlass makes (generate).")
	}
	if t.ValidityDays != 0 {
		add("tls.validity_days", "is only for a certificate that Windlass makes (generate).")
	}
}

func (t RegistryTLS) generatedProblems(add func(key, format string, args ...any)) {
	if t.CertificatePath != "" {
		add("tls.certificate_path", "is there beside generate: give the one or the other.")
	}
	if !t.PrivateKey.IsZero() {
		add("tls.private_key", "is there beside generate: give the one or the other.")
	}
	seen := map[string]bool{}
	for i, name := range t.HostNames {
		at, low := fmt.Sprintf("tls.host_names[%d]", i), strings.ToLower(name)
		switch {
		case !isIPAddress(name) && (!hostNamePattern.MatchString(name) || len(name) > longestHostName):
			add(at, "must be the name or the address of a host, not %q.", name)
		case seen[low]:
			add(at, "%q is there twice.", name)
		}
		seen[low] = true
	}
	if t.ValidityDays < 1 || t.ValidityDays > longestCertificateDays {
		add("tls.validity_days", "must be between 1 and %d days, not %d.", longestCertificateDays, t.ValidityDays)
	}
}

// longestHostName is that of the DNS.
const longestHostName = 253

// accessProblems are those of the certificate and of the users.
func (p RegistryServerParams) accessProblems(add func(key, format string, args ...any)) {
	if p.TLS != nil {
		p.TLS.problems(add)
	}
	names := map[string]bool{}
	for i, u := range p.Users {
		at := fmt.Sprintf("users[%d]", i)
		switch {
		case !registryUserPattern.MatchString(u.Username):
			add(at+".username", "must be a name of letters, digits, dots, dashes and underscores, not %q.", u.Username)
		case names[u.Username]:
			add(at+".username", "%q is there twice.", u.Username)
		}
		names[u.Username] = true
		if u.Password.IsZero() {
			add(at+".password", "is missing.")
		} else if len(u.Password.Clear) > bcryptLongest {
			add(at+".password", "is longer than %d bytes, which the registry's file of users cannot have.", bcryptLongest)
		}
	}
}

// Access is how the machine is reached, in the form in which clusters say it: activities on nodes need not know more.
func (p RegistryServerParams) Access() (c ClusterParams) {
	c.MasterNode = NodeParams{SSHCpName: p.SSHCpName, NicCpName: p.SSHCpName, Username: p.Username, Password: p.Password, PrivateKey: p.PrivateKey}
	c.Proxy = p.Proxy
	c.Timeouts = TimeoutParams{Stack: p.Timeouts.Stack, SSH: p.Timeouts.SSH, Login: p.Timeouts.Login, Install: p.Timeouts.Install}
	c.fillDefaults()
	return c
}

// Connection is what a cluster names in private_registry_connection_info to pull from the registry on that machine. ca is the
// certificate of the CA that Windlass has made, "" for none. Whoever may pull is not in it.
func (p RegistryServerParams) Connection(machine Node, ca string) PrivateRegistry {
	r := PrivateRegistry{ConnectionType: RegistryHTTP, CACertificate: strings.TrimSpace(ca)}
	host := machine.SSHAddress
	if p.TLS != nil {
		r.ConnectionType = RegistryHTTPS
		for _, name := range p.TLS.HostNames {
			if isIPAddress(name) {
				continue
			}
			if r.HostsString == "" {
				r.HostsString, host = machine.SSHAddress, name
			}
			r.HostsString += " " + name
		}
	}
	r.Server = net.JoinHostPort(host, strconv.Itoa(p.Port))
	return r
}

// HasVolume reports whether the images are on a volume; nil parameters have none.
func (p *RegistryServerParams) HasVolume() bool { return p != nil && p.Volume != nil }
