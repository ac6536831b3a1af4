package scripts

import "strings"

const certificateLibrary = "lib-certificate"

// InstallRegistry makes a registry of images of a machine, and waits until it answers. Inputs: config (RegistryConfig),
// all others optional: htpasswd, registry.crt and registry.key (PEM), http_proxy and https_proxy. Result: "way" is how
// it runs, one of docker, podman, nerdctl, ctr and package. Where Certificate is set, the CA's own is in
// RegistryAuthority.
type InstallRegistry struct {
	Port  int
	HTTPS bool
	// Volume is the directory that a volume for the images is mounted to, "" for none.
	Volume string
	// Certificate is the one that is made, nil for none.
	Certificate *MadeCertificate
	// ImageFile is a file on the machine that is loaded, "" for none; Image is what is pulled then.
	ImageFile, Image string
	NoProxy          string
	LockFor          int // seconds to wait for cloud-init and for dpkg's lock
}

// The files of a registry on its machine.
const (
	RegistryDirectory = "/etc/windlass/registry"
	RegistryUsers     = RegistryDirectory + "/htpasswd"
	RegistryImageFile = "/var/lib/windlass/registry-image.tar"
	registryImages    = "/var/lib/windlass/registry"
	registryCA        = "/etc/windlass/registry-ca"
)

// MadeCertificate is a certificate that is made where the registry is, with a CA for it where there is none yet.
type MadeCertificate struct {
	CA        string // what tells the CA from others, in its name
	Names     []string
	Addresses []string
	Days      int
}

// names are those of the certificate as openssl has them.
func (c MadeCertificate) names() string {
	var list []string
	for _, name := range c.Names {
		list = append(list, "DNS:"+name)
	}
	for _, address := range c.Addresses {
		list = append(list, "IP:"+address)
	}
	return strings.Join(list, ",")
}

// registryImagesOn is the directory of the images, and registryCAOn that of the CA: on the volume where there is one.
func registryImagesOn(volume string) string {
	if volume == "" {
		return registryImages
	}
	return volume + "/images"
}

func registryCAOn(volume string) string {
	if volume == "" {
		return registryCA
	}
	return volume + "/ca"
}

// RegistryAuthority is the file with the certificate of the CA that signs that of a registry with such a volume.
func RegistryAuthority(volume string) string { return registryCAOn(volume) + "/ca.crt" }

// Name implements Script.
func (InstallRegistry) Name() string { return "install-registry" }

// Render implements Script.
func (s InstallRegistry) Render() (string, error) {
	made := MadeCertificate{}
	if s.Certificate != nil {
		made = *s.Certificate
	}
	return render(s.Name(), []param{
		number("PORT", s.Port), flag("HTTPS", s.HTTPS), optional("IMAGE_FILE", s.ImageFile), required("IMAGE", s.Image),
		optional("VOLUME", s.Volume), required("IMAGES", registryImagesOn(s.Volume)),
		required("CA_DIR", registryCAOn(s.Volume)),
		optional("CA_NAME", made.CA), optional("CERTIFICATE_NAMES", made.names()), number("VALID_DAYS", made.Days),
		optional("NO_PROXY_LIST", s.NoProxy), number("LOCK_FOR", s.LockFor),
	}, cloudInitLibrary, certificateLibrary)
}

// RegistryConfig is the configuration of the distribution project's registry, the images' and Debian's.
type RegistryConfig struct {
	Port         int
	HTTPS, Users bool
	Volume       string // as InstallRegistry has it
}

// Render gives the file.
func (c RegistryConfig) Render() (string, error) {
	return config("registry-config.yml", struct {
		RegistryConfig

		Directory, Images string
	}{c, RegistryDirectory, registryImagesOn(c.Volume)})
}
