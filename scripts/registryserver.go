package scripts

// InstallRegistry makes a registry of images of a machine, and waits until it answers. Inputs: config (RegistryConfig), all
// others optional: htpasswd, certificate and key (PEM), http_proxy and https_proxy. Result: "way" is how it runs, one of
// docker, podman, nerdctl, ctr and package.
type InstallRegistry struct {
	Port  int
	HTTPS bool
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
)

// Name implements Script.
func (InstallRegistry) Name() string { return "install-registry" }

// Render implements Script.
func (s InstallRegistry) Render() (string, error) {
	return render(s.Name(), []param{
		number("PORT", s.Port), flag("HTTPS", s.HTTPS), optional("IMAGE_FILE", s.ImageFile), required("IMAGE", s.Image),
		optional("NO_PROXY_LIST", s.NoProxy), number("LOCK_FOR", s.LockFor),
	})
}

// RegistryConfig is the configuration of the distribution project's registry, the images' and Debian's.
type RegistryConfig struct {
	Port         int
	HTTPS, Users bool
}

// Render gives the file.
func (c RegistryConfig) Render() (string, error) {
	return config("registry-config.yml", struct {
		RegistryConfig

		Directory, Images string
	}{c, RegistryDirectory, registryImages})
}
