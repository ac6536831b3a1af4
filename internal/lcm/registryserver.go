package lcm

import (
	"encoding/json"
	"net"
	"reflect"
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
		return p, problems // reported already
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
