package fake

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"strings"
	"time"

	"github.com/windlass-nfv/windlass/scripts"
)

// installRegistry writes a registry's files to the machine. It starts no listener: tests need only the script's output.
func (h *Hypervisor) installRegistry(ctx context.Context, m *Machine, p ScriptParams) Result {
	if dir := p.Get("VOLUME"); dir != "" && !h.state().mounts(m, dir) {
		return p.Fail(1, "no volume is mounted to %s; see that it is attached, and look at 'findmnt %s'", dir, dir)
	}
	way := "package" // Debian's own registry is on the image
	if file := p.Get("IMAGE_FILE"); file != "" {
		way = "docker"
		if _, there := m.ReadFile(file); !there {
			return p.Fail(1, "the image file of the package cannot be loaded: open %s: no such file or directory", file)
		}
		p.Print("Loaded image: registry:latest")
	}
	if !p.Work(ctx) {
		return interrupted
	}
	m.put(p, scripts.RegistryDirectory+"/config.yml", "config", 0o644)
	m.put(p, scripts.RegistryUsers, "htpasswd", 0o600)
	m.put(p, scripts.RegistryDirectory+"/registry.crt", "registry.crt", 0o600)
	m.put(p, scripts.RegistryDirectory+"/registry.key", "registry.key", 0o600)
	if names := p.Get("CERTIFICATE_NAMES"); names != "" {
		if err := h.makeCertificate(m, p, names); err != nil {
			return p.Fail(1, "the certificate cannot be signed: %s", err)
		}
	}
	p.Print("the registry answers on port %s", p.Get("PORT"))
	p.Result("way", way)
	return Result{}
}

// authority is a CA with its key, in PEM.
type authority struct{ Certificate, Key string }

// makeCertificate makes a certificate for these names, "DNS:..." and "IP:...". It also makes a CA if there is none.
func (h *Hypervisor) makeCertificate(m *Machine, p ScriptParams, names string) error {
	ca, err := h.authorityOf(m, p)
	if err != nil {
		return err
	}
	leaf := &x509.Certificate{
		Subject:  pkix.Name{CommonName: "Windlass registry " + p.Get("CA_NAME")},
		KeyUsage: x509.KeyUsageDigitalSignature,
	}
	for entry := range strings.SplitSeq(names, ",") {
		if name, found := strings.CutPrefix(entry, "DNS:"); found {
			leaf.DNSNames = append(leaf.DNSNames, name)
		} else {
			leaf.IPAddresses = append(leaf.IPAddresses, net.ParseIP(strings.TrimPrefix(entry, "IP:")))
		}
	}
	made, err := issue(leaf, &ca)
	if err != nil {
		return err
	}
	m.WriteFile(scripts.RegistryDirectory+"/registry.crt", []byte(made.Certificate), 0o600)
	m.WriteFile(scripts.RegistryDirectory+"/registry.key", []byte(made.Key), 0o600)
	return nil
}

// authorityOf returns the existing CA, or a new one. A CA on a volume outlives the machine.
func (h *Hypervisor) authorityOf(m *Machine, p ScriptParams) (ca authority, err error) {
	w, file, key := h.state(), p.Get("CA_DIR")+"/ca.crt", p.Get("CA_DIR")+"/ca.key"
	if ca = w.authorityAt(m, p.Get("VOLUME")); ca.Certificate == "" {
		certificate, _ := m.ReadFile(file)
		private, _ := m.ReadFile(key)
		ca = authority{string(certificate), string(private)}
	}
	if ca.Certificate == "" {
		name := pkix.Name{CommonName: "Windlass registry CA " + p.Get("CA_NAME")}
		ca, err = issue(&x509.Certificate{
			Subject: name, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
		}, nil)
	}
	w.keepAuthority(m, p.Get("VOLUME"), ca)
	m.WriteFile(file, []byte(ca.Certificate), 0o644)
	m.WriteFile(key, []byte(ca.Key), 0o600)
	return ca, err
}

// authorityAt returns the CA on the volume that is mounted at a directory, or the zero value.
func (w *world) authorityAt(m *Machine, dir string) authority {
	w.mu.Lock()
	defer w.mu.Unlock()
	if on := w.disks[w.volumeAt(m, dir)]; on != nil && on.CA != nil {
		return *on.CA
	}
	return authority{}
}

func (w *world) keepAuthority(m *Machine, dir string, ca authority) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if on := w.disks[w.volumeAt(m, dir)]; on != nil {
		on.CA = &ca
	}
}

// issue makes a key and a certificate for it, signed by the CA by; without a CA the certificate is self-signed.
func issue(template *x509.Certificate, by *authority) (out authority, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return out, err
	}
	parent, signer := template, key
	if by != nil {
		if parent, signer, err = by.read(); err != nil {
			return out, err
		}
	}
	template.SerialNumber, template.NotBefore, template.NotAfter = big.NewInt(time.Now().UnixNano()),
		time.Now().Add(-time.Hour), time.Now().AddDate(1, 0, 0)
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	if err != nil {
		return out, err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	return authority{
		Certificate: string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})),
		Key:         string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})),
	}, err
}

func (a authority) read() (*x509.Certificate, *ecdsa.PrivateKey, error) {
	pair, err := tls.X509KeyPair([]byte(a.Certificate), []byte(a.Key))
	if err != nil {
		return nil, nil, err
	}
	key, ok := pair.PrivateKey.(*ecdsa.PrivateKey)
	if !ok {
		return nil, nil, errors.New("the CA's key is of another kind")
	}
	return pair.Leaf, key, nil
}
