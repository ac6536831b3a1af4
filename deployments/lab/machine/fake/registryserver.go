package fake

import (
	"context"

	"github.com/windlass-nfv/windlass/scripts"
)

// installRegistry leaves the files of a registry on the machine. Nothing listens: what a fake machine says is enough.
func (d *Driver) installRegistry(ctx context.Context, m *Machine, p Params) Result {
	if p.Input("config") == "" {
		return p.Fail(65, "the input config is missing")
	}
	if file := p.Get("IMAGE_FILE"); file != "" {
		if _, there := m.ReadFile(file); !there {
			return p.Fail(65, "the image file of the package holds no image, or one without a name")
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
	p.Print("the registry answers on port %s", p.Get("PORT"))
	p.Result("way", "docker")
	return Result{}
}
