// Package imageregistry has the activities that make a server a registry of images.
package imageregistry

import (
	"context"
	"crypto/tls"
	"net/netip"
	"slices"
	"strings"

	"golang.org/x/crypto/bcrypt"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/activities/storageserver"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/driver/registry"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/remote"
	"github.com/windlass-nfv/windlass/scripts"
)

// registryContext is what the activities of the driver registry need in addition to their input.
type registryContext struct {
	activities.VnfContext
	Params registry.Params
}

// registryOf returns the requested registry of an operation.
func registryOf(ctx context.Context, vnfs activities.Vnfs, id lcm.OpOccID) (r registryContext, err error) {
	if r.VnfContext, err = vnfs.Vnf(ctx, id); err != nil {
		return r, err
	}
	server := registry.In(r.Drivers)
	if server == nil {
		return r, lcm.Errorf(lcm.KindBug, "Windlass ran a step for registries of images, but the VNF is no such "+
			"registry.")
	}
	r.Params = server.Params
	return r, nil
}

// MountRegistryVolumeInput names the machine and the volume.
type MountRegistryVolumeInput struct {
	reach.NodeInput
	Volume *lcm.StorageVolume `json:"volume,omitempty"`
}

// MountRegistryVolumeOutput tells whether the volume was empty.
type MountRegistryVolumeOutput struct {
	Formatted bool `json:"formatted,omitempty"`
}

// MountRegistryVolume mounts the volume for a registry's images, now and at every boot. It makes a file system only on
// an empty volume.
//
// Idempotent: it never formats a volume that has a file system, and a mounted volume stays mounted. Takes seconds, or
// minutes for large volumes (timeouts.install).
func (n *Activities) MountRegistryVolume(
	ctx context.Context, in MountRegistryVolumeInput,
) (out MountRegistryVolumeOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "mount the volume of "+in.Node.Name, err) }()
	defer activities.Heartbeat(ctx)()
	vnf, err := registryOf(ctx, n.Reach.Vnfs, in.OpOccID)
	if err != nil {
		return out, err
	}
	p := vnf.Params
	if p.Volume == nil || in.Volume == nil {
		return out, lcm.Errorf(lcm.KindBug, "Windlass ran a step for the volume of a registry, but the request asks "+
			"for no such volume.")
	}
	if err := storageserver.AttachedTo(in.Node, *in.Volume, "the registry"); err != nil {
		return out, err
	}
	results, err := n.Reach.RunOn(ctx, in.NodeInput, reach.Task{
		Script: scripts.SetUpVolumes{
			Node: in.Node.Name, Volumes: []scripts.MountedVolume{{ID: in.Volume.VolumeID, Directory: p.Volume.MountTo}},
			Timeout: storageserver.DeviceTimeout, LockFor: reach.LockFor(p.Timeouts.Install),
		},
		Limit: reach.Seconds(p.Timeouts.Install), Parameter: "timeouts.install",
	})
	out.Formatted = len(storageserver.Formatted(results)) > 0
	return out, err
}

// InstallRegistryOutput describes the running registry.
type InstallRegistryOutput struct {
	Way string `json:"way"`
	// Connection is what clusters put into their requests to pull from this registry.
	Connection *k8s.PrivateRegistry `json:"connection,omitempty"`
}

// InstallRegistry turns a machine into an image registry. It finds or installs a container engine or Debian's own
// registry package. It loads the image from the VNF package or pulls it, and runs the registry as a systemd service,
// also after a reboot. It ends when the registry answers. If a certificate is needed, the machine makes it itself, and
// no key leaves the machine.
//
// Idempotent: it uses what is there, writes files only when they differ, and restarts the registry only then. Takes
// minutes when it installs packages (timeouts.install).
func (n *Activities) InstallRegistry(ctx context.Context, in reach.NodeInput) (out InstallRegistryOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "install the registry on "+in.Node.Name, err) }()
	defer activities.Heartbeat(ctx)()
	vnf, err := registryOf(ctx, n.Reach.Vnfs, in.OpOccID)
	if err != nil {
		return out, err
	}
	p := vnf.Params
	script := scripts.InstallRegistry{
		Port: p.Port, HTTPS: p.TLS != nil, Image: p.Image, LockFor: reach.LockFor(p.Timeouts.Install),
		NoProxy: registryNoProxy(p.Proxy), Certificate: madeCertificate(vnf.Instance.ID, in.Node, p.TLS),
	}
	if p.Volume != nil {
		script.Volume = p.Volume.MountTo
	}
	inputs, mask, err := n.Reach.ProxyInputs(ctx, p.Proxy)
	if err != nil {
		return out, err
	}
	certificate, err := n.registryCertificate(ctx, vnf, p.TLS)
	if err != nil {
		return out, err
	}
	host, err := n.Reach.Hosts.Dial(ctx, in.OpOccID, in.Node)
	if err != nil {
		return out, err
	}
	defer func() { _ = host.Close() }()
	users, secrets, err := n.registryUsers(ctx, host, p.Users)
	if err != nil {
		return out, err
	}
	if p.ImagePath != "" {
		if err := sendImage(ctx, host, vnf, p.ImagePath); err != nil {
			return out, err
		}
		script.ImageFile = scripts.RegistryImageFile
	}
	config, err := scripts.RegistryConfig{
		Port: p.Port, HTTPS: p.TLS != nil, Users: len(p.Users) > 0, Volume: script.Volume,
	}.Render()
	if err != nil {
		return out, lcm.Wrap(lcm.KindBug, err, "Windlass could not write the registry's configuration.")
	}
	inputs = append(append(inputs, certificate...), scripts.Input{Name: "config", Value: config},
		scripts.Input{Name: "htpasswd", Value: users})
	results, err := n.Reach.Run(ctx, host, in.Step, reach.Task{
		Script: script, Stdin: scripts.Stdin(inputs...), Mask: append(mask, secrets...),
		Limit:     reach.Seconds(p.Timeouts.Install),
		Parameter: "timeouts.install",
	})
	if err != nil {
		return out, err
	}
	out.Way = results.Get("way")
	ca, err := registryAuthority(ctx, host, in.Node, script)
	if err != nil {
		return out, err
	}
	connection := p.Connection(in.Node, ca)
	out.Connection = &connection
	return out, nil
}

// registryAuthority returns the machine's own CA certificate, "" if it makes none. It is not in the script's results:
// there a short password could mask a part of the certificate.
func registryAuthority(
	ctx context.Context, host reach.Host, node lcm.Node, script scripts.InstallRegistry,
) (string, error) {
	if script.Certificate == nil {
		return "", nil
	}
	file := scripts.RegistryAuthority(script.Volume)
	ca, err := host.Get(ctx, file, reach.MaxFile)
	if err != nil {
		return "", err
	}
	if why := k8s.CertificateProblem(ca); why != "" {
		return "", lcm.Errorf(lcm.KindBroken, "%s: its file %s %s; remove it, then retry.", node.Name, file, why)
	}
	return string(ca), nil
}

// madeCertificate describes the certificate that the machine makes for itself: for its names as clients use them, and
// for all its known addresses. Nil if it makes none.
func madeCertificate(id lcm.VnfInstanceID, node lcm.Node, t *registry.TLS) *scripts.MadeCertificate {
	if t == nil || !t.Generate {
		return nil
	}
	made := &scripts.MadeCertificate{CA: string(id), Days: t.ValidityDays}
	for _, name := range append([]string{node.Address, node.SSHAddress}, t.HostNames...) {
		address, err := netip.ParseAddr(name)
		switch {
		case name == "":
		case err != nil:
			made.Names = append(made.Names, name)
		case !slices.Contains(made.Addresses, address.String()):
			made.Addresses = append(made.Addresses, address.String())
		}
	}
	return made
}

// sendImage copies the package's image to the machine, unless it is already there.
func sendImage(ctx context.Context, host reach.Host, vnf registryContext, path string) error {
	image, err := vnf.PackageFile(ctx, path)
	if err != nil {
		return err
	}
	return host.Put(ctx, remote.File{Path: scripts.RegistryImageFile, Mode: 0o600, Content: image, Sudo: true})
}

// registryCertificate returns the inputs with the certificate and the key. It checks that they match.
func (n *Activities) registryCertificate(
	ctx context.Context, vnf registryContext, t *registry.TLS,
) ([]scripts.Input, error) {
	if t == nil || t.Generate {
		return nil, nil
	}
	certificate, err := vnf.OptionalFile(ctx, t.CertificatePath)
	if err != nil {
		return nil, err
	}
	key, err := n.Reach.Open(ctx, t.PrivateKey)
	if err != nil {
		return nil, err
	}
	if _, err := tls.X509KeyPair(certificate, []byte(key)); err != nil {
		return nil, lcm.Errorf(lcm.KindInvalid, "The certificate %s of the package and tls.private_key do not belong "+
			"together. Roll back, and correct one of them.", t.CertificatePath)
	}
	return []scripts.Input{{Name: "registry.crt", Value: string(certificate)}, {Name: "registry.key", Value: key}}, nil
}

// registryUsers returns the file of users. A user with an unchanged password keeps the old line: a new hash would
// differ in every run.
func (n *Activities) registryUsers(
	ctx context.Context, host reach.Host, users []registry.User,
) (file string, secrets []string, err error) {
	if len(users) == 0 {
		return "", nil, nil
	}
	have, err := host.Get(ctx, scripts.RegistryUsers, reach.MaxFile)
	if err != nil && !lcm.Is(err, lcm.KindNotFound) {
		return "", nil, err
	}
	hashes := map[string]string{}
	for line := range strings.Lines(string(have)) {
		name, hash, _ := strings.Cut(strings.TrimSpace(line), ":")
		hashes[name] = hash
	}
	var lines []string
	for _, u := range users {
		password, err := n.Reach.Open(ctx, u.Password)
		if err != nil {
			return "", nil, err
		}
		hash := hashes[u.Username]
		if bcrypt.CompareHashAndPassword([]byte(hash), []byte(password)) != nil {
			made, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.DefaultCost)
			if err != nil {
				return "", nil, lcm.Errorf(lcm.KindInvalid, "The password of the registry's user %s is too long.", u.Username)
			}
			hash = string(made)
		}
		lines, secrets = append(lines, u.Username+":"+hash), append(secrets, password, hash)
	}
	return strings.Join(lines, "\n") + "\n", secrets, nil
}

// registryNoProxy lists the addresses that a registry's machine contacts without the proxy.
func registryNoProxy(proxy *k8s.ProxyParams) string {
	if proxy == nil {
		return ""
	}
	list := []string{"127.0.0.1", "localhost"}
	for entry := range strings.SplitSeq(proxy.NoProxy+","+proxy.K8sNodeCIDR, ",") {
		if entry = strings.TrimSpace(entry); entry != "" {
			list = append(list, entry)
		}
	}
	return strings.Join(list, ",")
}
