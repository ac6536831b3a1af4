package auth

import (
	"crypto/x509"
	"net/http"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Grant is the permissions of a client in the settings.
type Grant struct {
	Project lcm.ProjectID
	Scope   string
}

// Certificates authenticates by client certificates (mutual TLS). TLS has already verified the certificate.
type Certificates struct {
	// Clients are the known clients, by a name in their certificates: a DNS name or URI of the subject's alternative
	// names, or the common name.
	Clients map[string]Grant
}

// ParseClients reads "name=project/role" pairs with commas between them; a role is read, write or admin.
func ParseClients(text string) (map[string]Grant, error) {
	out := map[string]Grant{}
	for pair := range strings.SplitSeq(text, ",") {
		name, grant, found := cutLast(strings.TrimSpace(pair), "=")
		project, role, slash := cutLast(grant, "/")
		scope, known := ScopeFor(role)
		if !found || !slash || !known || name == "" || project == "" {
			return nil, lcm.Errorf(lcm.KindInvalid, "has %q, not name=project/role with the role read, write or admin", pair)
		}
		if _, twice := out[name]; twice {
			return nil, lcm.Errorf(lcm.KindInvalid, "names %q twice", name)
		}
		out[name] = Grant{lcm.ProjectID(project), scope}
	}
	return out, nil
}

// cutLast cuts at the last separator: names in certificates may be URIs.
func cutLast(s, separator string) (before, after string, found bool) {
	i := strings.LastIndex(s, separator)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(separator):], true
}

// Authenticate is Method's.
func (c *Certificates) Authenticate(r *http.Request) (Identity, bool, error) {
	if r.TLS == nil || len(r.TLS.VerifiedChains) == 0 || len(r.TLS.PeerCertificates) == 0 {
		return Identity{}, false, nil
	}
	certificate := r.TLS.PeerCertificates[0]
	names := namesOf(certificate)
	for _, name := range names {
		if grant, ok := c.Clients[name]; ok {
			return Identity{
				Client: "certificate " + name, Project: grant.Project, Scopes: []string{grant.Scope},
				Until: certificate.NotAfter,
			}, true, nil
		}
	}
	return Identity{}, true, &RefusalError{
		Unknown: true, Detail: "The client certificate is valid, but none of its names (" + strings.Join(names, ", ") +
			") is among this server's clients.",
	}
}

// namesOf lists a certificate's names. Names that authorities check most closely come first.
func namesOf(cert *x509.Certificate) []string {
	var names []string
	for _, u := range cert.URIs {
		names = append(names, u.String())
	}
	names = append(names, cert.DNSNames...)
	if cert.Subject.CommonName != "" {
		names = append(names, cert.Subject.CommonName)
	}
	return names
}

// Challenge implements Method. HTTP has no scheme for certificates, but the header must be there.
func (c *Certificates) Challenge(*RefusalError) string { return `Certificate realm="windlass"` }
