package registry

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/params"
)

// manner reads the parameters of a registry.
var manner = k8s.Manner.With(map[string]params.Check{
	"registry password": params.Of(registryPasswordProblem),
	"registry port":     params.Of(registryPortProblem),
	"registry user": params.Matches(regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._@-]*$`),
		"a name of letters, digits, dots, dashes and underscores"),
})

// bcryptLongest is how many bytes of a password bcrypt reads.
const bcryptLongest = 72

// CheckMembers implements params.Checker.
func (p Params) CheckMembers(wrong params.Wrong) {
	if p.Password.IsZero() && p.PrivateKey.IsZero() {
		wrong("ssh_password", "is missing: give ssh_password or ssh_private_key")
	}
	names := map[string]bool{}
	for i, u := range p.Users {
		if names[u.Username] && u.Username != "" {
			wrong(fmt.Sprintf("users[%d].username", i), "%q is there twice", u.Username)
		}
		names[u.Username] = true
	}
}

func registryPasswordProblem(password lcm.Secret) string {
	if len(password.Clear) > bcryptLongest {
		return fmt.Sprintf("is longer than %d bytes: the registry's file of users cannot contain it", bcryptLongest)
	}
	return ""
}

func registryPortProblem(port int) string {
	if port < 1 || port > 65535 || port == 22 {
		return fmt.Sprintf("must be between 1 and 65535, and not SSH's 22, not %d", port)
	}
	return ""
}

// CheckMembers implements params.Checker.
func (t TLS) CheckMembers(wrong params.Wrong) {
	if t.Generate {
		t.generatedProblems(wrong)
		return
	}
	if t.CertificatePath == "" || !k8s.LocalPath(t.CertificatePath) {
		wrong("certificate_path", "must be a path inside the package, not %q; or let Windlass make a certificate (generate).",
			t.CertificatePath)
	}
	if t.PrivateKey.IsZero() {
		wrong("private_key", "is missing: it is the key to the certificate.")
	} else if t.PrivateKey.Clear != "" && !strings.Contains(t.PrivateKey.Clear, "PRIVATE KEY-----") {
		wrong("private_key", "must be a private key in PEM form.")
	}
	if len(t.HostNames) > 0 {
		wrong("host_names", "is only for a certificate that Windlass makes (generate).")
	}
	if t.ValidityDays != 0 {
		wrong("validity_days", "is only for a certificate that Windlass makes (generate).")
	}
}

func (t TLS) generatedProblems(wrong params.Wrong) {
	if t.CertificatePath != "" {
		wrong("certificate_path", "must not be given together with generate: give one of them.")
	}
	if !t.PrivateKey.IsZero() {
		wrong("private_key", "must not be given together with generate: give one of them.")
	}
	seen := map[string]bool{}
	for i, name := range t.HostNames {
		at, low := fmt.Sprintf("host_names[%d]", i), strings.ToLower(name)
		switch {
		case !k8s.IsIPAddress(name) && !k8s.IsHostName(name):
			wrong(at, "must be the name or the address of a host, not %q.", name)
		case seen[low]:
			wrong(at, "%q is there twice.", name)
		}
		seen[low] = true
	}
	if t.ValidityDays < 1 || t.ValidityDays > longestCertificateDays {
		wrong("validity_days", "must be between 1 and %d days, not %d.", longestCertificateDays, t.ValidityDays)
	}
}
