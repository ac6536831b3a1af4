package lcm

import (
	"fmt"
	"net/netip"
	"regexp"
	"strings"
)

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
