package registry

import (
	"cmp"
	"encoding/json"
	"net"
	"strconv"
	"strings"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/params"
)

// ParamsKey is the member of additionalParams for the parameters of a registry of images.
const ParamsKey = "private_registry_installation_param"

const paramsPath = "$.additionalParams." + ParamsKey

// DefaultImage is the registry's own image when the package brings none.
const DefaultImage = k8s.DockerHub + "/library/registry:2"

// The validity of a certificate from Windlass, in days: the default, and the longest that a request may ask for. The CA
// is valid longer.
const (
	defaultCertificateDays = 3650
	longestCertificateDays = 3650
)

// VolumeDirectory is the mount point of a registry's volume unless the request names another.
const VolumeDirectory = "/registry"

// Params is additionalParams.private_registry_installation_param, as Tacker's driver of private registries takes it
// (the first block), with Windlass's own optional additions.
type Params struct {
	// SSHCpName is the Heat port or floating IP that gives the address for SSH.
	SSHCpName string     `json:"ssh_cp_name" param:"required=it names the port or floating IP for SSH"`
	Username  string     `json:"ssh_username" param:"required=it is the user for SSH; is=user name"`
	Password  lcm.Secret `json:"ssh_password,omitzero"`
	// ImagePath is a file in the package, made by "docker save". Without it, the image is pulled, or Debian's package of
	// the registry is installed.
	ImagePath string           `json:"image_path,omitempty" param:"is=package path"`
	Port      int              `json:"port_no,omitempty" param:"default=5000; is=registry port"`
	Proxy     *k8s.ProxyParams `json:"proxy,omitempty"`

	// PrivateKey is an OpenSSH or PEM private key; preferred to Password when both are given.
	PrivateKey lcm.Secret `json:"ssh_private_key,omitzero"`
	// Image is the image to pull when the package brings none; default: DefaultImage.
	Image string `json:"image,omitempty" param:"is=image"`
	// TLS makes the registry use HTTPS.
	TLS *TLS `json:"tls,omitempty"`
	// Users are the users who may pull and push; without them everybody may.
	Users []User `json:"users,omitempty"`
	// Volume is the Cinder volume for the images, and its mount point. Without it the images are lost with the machine.
	Volume   *k8s.CinderVolumeParams `json:"volume,omitempty"`
	Timeouts Timeouts                `json:"timeouts,omitzero"`
}

// TLS has the certificate of a registry, with its chain, and its key; or it says that Windlass makes both.
type TLS struct {
	// CertificatePath is a file in the package, PEM, the registry's own certificate first.
	CertificatePath string     `json:"certificate_path,omitempty"`
	PrivateKey      lcm.Secret `json:"private_key,omitzero"` // PEM

	// Generate makes a CA and a certificate on the machine. The certificate is for the machine's addresses and for
	// HostNames, which are names or addresses.
	Generate     bool     `json:"generate,omitempty"`
	HostNames    []string `json:"host_names,omitempty"`
	ValidityDays int      `json:"validity_days,omitempty"` // of the certificate; default 3650
}

// User may pull and push.
type User struct {
	Username string     `json:"username" param:"required=this user may pull and push images; is=registry user"`
	Password lcm.Secret `json:"password,omitzero" param:"required; is=registry password"`
}

// Timeouts are limits in seconds; 0 means the default of TimeoutParams.
type Timeouts struct {
	Stack   int `json:"stack,omitempty" param:"default=1800; is=timeout"`
	SSH     int `json:"ssh,omitempty" param:"default=600; is=timeout"`
	Login   int `json:"login,omitempty" param:"default=30; is=timeout"`
	Install int `json:"install,omitempty" param:"default=2700; is=timeout"`
}

// Read reads the parameters of a registry from additionalParams and fills in defaults.
func Read(additionalParams json.RawMessage) (p Params, wrong params.Mistakes) {
	wrong.Types, wrong.Unknown = manner.ReadMember("$.additionalParams", additionalParams, ParamsKey,
		"it says how the registry is installed", &p)
	return p, wrong
}

// Problems lists the mistakes of meaning.
func (p Params) Problems() []lcm.Problem { return manner.Check(paramsPath, p) }

// Settle implements params.Settler.
func (p *Params) Settle() {
	p.Image = cmp.Or(p.Image, DefaultImage)
	if p.Volume != nil {
		p.Volume.MountTo = cmp.Or(p.Volume.MountTo, VolumeDirectory)
	}
}

// Settle implements params.Settler.
func (t *TLS) Settle() {
	if t.Generate {
		t.ValidityDays = cmp.Or(t.ValidityDays, defaultCertificateDays)
	}
}

// Connection is an entry of private_registry_connection_info with which a cluster pulls from this registry. ca is the
// certificate of Windlass's CA, "" for none. It has no credentials of users.
func (p Params) Connection(machine lcm.Node, ca string) k8s.PrivateRegistry {
	r := k8s.PrivateRegistry{ConnectionType: k8s.RegistryHTTP, CACertificate: strings.TrimSpace(ca)}
	host := machine.SSHAddress
	if p.TLS != nil {
		r.ConnectionType = k8s.RegistryHTTPS
		for _, name := range p.TLS.HostNames {
			if k8s.IsIPAddress(name) {
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
func (p *Params) HasVolume() bool { return p != nil && p.Volume != nil }
