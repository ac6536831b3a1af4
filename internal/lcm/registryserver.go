package lcm

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
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
	Users    []RegistryUser         `json:"users,omitempty"`
	Timeouts RegistryServerTimeouts `json:"timeouts,omitzero"`
}

// RegistryTLS is the certificate of a registry, with its chain, and the key to it.
type RegistryTLS struct {
	// CertificatePath is a file in the package, PEM, the registry's own certificate first.
	CertificatePath string `json:"certificate_path"`
	PrivateKey      Secret `json:"private_key,omitzero"` // PEM
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
}

// accessProblems are those of the certificate and of the users.
func (p RegistryServerParams) accessProblems(add func(key, format string, args ...any)) {
	if p.TLS != nil {
		if p.TLS.CertificatePath == "" || !LocalPath(p.TLS.CertificatePath) {
			add("tls.certificate_path", "must be a path inside the package, not %q.", p.TLS.CertificatePath)
		}
		if p.TLS.PrivateKey.IsZero() {
			add("tls.private_key", "is missing: it is the key to the certificate.")
		} else if p.TLS.PrivateKey.Clear != "" && !strings.Contains(p.TLS.PrivateKey.Clear, "PRIVATE KEY-----") {
			add("tls.private_key", "must be a private key in PEM form.")
		}
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
