package scripts

import "strings"

const certificateLibrary = "lib-certificate"

// InstallRegistry turns a machine into an image registry, and waits until the registry answers. Inputs: config
// (RegistryConfig); optional are htpasswd, registry.crt and registry.key (PEM), http_proxy and https_proxy. Result:
// "way" is how the registry runs: docker, podman, nerdctl, ctr or package. If Certificate is set, the CA's certificate
// is in RegistryAuthority.
type InstallRegistry struct {
	Port  int
	HTTPS bool
	// Volume is the mount directory of a volume for the images, "" for none.
	Volume string
	// Certificate is the certificate to make, nil for none.
	Certificate *MadeCertificate
	// ImageFile is a file on the machine to load the registry's image from, "" for none; Image is the image to pull then.
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

// MadeCertificate is a certificate that the script makes on the registry's machine. It makes a CA for it if there is
// none yet.
type MadeCertificate struct {
	CA        string // distinguishes the CA by its name
	Names     []string
	Addresses []string
	Days      int
}

// names are the certificate's subjectAltName in openssl's form.
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

// registryImagesOn is the directory of the images, and registryCAOn the directory of the CA: on the volume if there is
// one.
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

// RegistryAuthority is the CA certificate's file on a registry's machine with such a volume.
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

// RegistryConfig is the configuration of the distribution project's registry, both of its image and of Debian's
// package.
type RegistryConfig struct {
	Port         int
	HTTPS, Users bool
	Volume       string // as in InstallRegistry
}

// Render gives the file.
func (c RegistryConfig) Render() (string, error) {
	return config("registry-config.yml", struct {
		RegistryConfig

		Directory, Images string
	}{c, RegistryDirectory, registryImagesOn(c.Volume)})
}
