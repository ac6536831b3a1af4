package activities

import (
	"context"
	"crypto/tls"
	"net/netip"
	"slices"
	"strings"

	"golang.org/x/crypto/bcrypt"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/driver/registry"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/remote"
	"github.com/windlass-nfv/windlass/scripts"
)

// registryContext is what the activities of the driver registry need beside their input.
type registryContext struct {
	VnfContext
	Params registry.Params
}

// registryOf tells what the registry of an operation is to be.
func registryOf(ctx context.Context, vnfs Vnfs, id lcm.OpOccID) (r registryContext, err error) {
	if r.VnfContext, err = vnfs.Vnf(ctx, id); err != nil {
		return r, err
	}
	server := registry.In(r.Drivers)
	if server == nil {
		return r, lcm.Errorf(lcm.KindBug, "The VNF is no registry of images, but a step of one was run.")
	}
	r.Params = server.Params
	return r, nil
}

// FindMachineInput names the operation whose VNF is one machine.
type FindMachineInput struct {
	Tracked
	OpOccID lcm.OpOccID `json:"opOccId"`
}

// FindMachineOutput is the machine, named as nodes are.
type FindMachineOutput struct {
	Machine lcm.Node `json:"machine"`
	// Volume is the one for the images, nil when the request asks for none.
	Volume *lcm.StorageVolume `json:"volume,omitempty"`
}

// FindMachine finds the only machine of a VNF that is a registry of images. Idempotent: it only reads.
func (i *Infrastructure) FindMachine(ctx context.Context, in FindMachineInput) (out FindMachineOutput, err error) {
	defer func() { err = boundary(ctx, "find the machine", err) }()
	defer heartbeat(ctx)()
	cloud, err := i.VIMs.VIM(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	name, _, err := i.Deployments.DeploymentName(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	inv, err := i.inventory(ctx, cloud, in.OpOccID, name)
	if err != nil {
		return out, err
	}
	vnf, err := registryOf(ctx, i.Vnfs, in.OpOccID)
	if err != nil {
		return out, err
	}
	p := vnf.Params
	at := k8s.NodeParams{SSHCpName: p.SSHCpName, NicCpName: p.SSHCpName}
	if out.Machine, err = nodeOf(inv, inv.ID, lcm.RegistryServer, at); err != nil {
		return out, err
	}
	if p.Volume != nil {
		out.Volume, err = findVolume(inv, p.Volume.VolumeResourceID)
	}
	return out, err
}

// MountRegistryVolumeInput names the machine and the volume.
type MountRegistryVolumeInput struct {
	NodeInput
	Volume *lcm.StorageVolume `json:"volume,omitempty"`
}

// MountRegistryVolumeOutput tells whether the volume was empty.
type MountRegistryVolumeOutput struct {
	Formatted bool `json:"formatted,omitempty"`
}

// MountRegistryVolume mounts the volume for the images of a registry, now and at every boot. Only an empty one gets a
// file system.
//
// Idempotent: a volume that holds a file system is never written to, one that is mounted stays so. Takes seconds, or
// minutes for large volumes (timeouts.install).
func (n *Nodes) MountRegistryVolume(
	ctx context.Context, in MountRegistryVolumeInput,
) (out MountRegistryVolumeOutput, err error) {
	defer func() { err = boundary(ctx, "mount the volume of "+in.Node.Name, err) }()
	defer heartbeat(ctx)()
	vnf, err := registryOf(ctx, n.Vnfs, in.OpOccID)
	if err != nil {
		return out, err
	}
	p := vnf.Params
	if p.Volume == nil || in.Volume == nil {
		return out, lcm.Errorf(lcm.KindBug, "The request asks for no volume of a registry, but a step of one was run.")
	}
	if err := attachedTo(in.Node, *in.Volume, "the registry"); err != nil {
		return out, err
	}
	results, err := n.runOn(ctx, in.NodeInput, task{
		script: scripts.SetUpVolumes{
			Node: in.Node.Name, Volumes: []scripts.MountedVolume{{ID: in.Volume.VolumeID, Directory: p.Volume.MountTo}},
			Timeout: deviceTimeout,
			LockFor: lockFor(p.Timeouts.Install),
		},
		limit: seconds(p.Timeouts.Install), parameter: "timeouts.install",
	})
	out.Formatted = len(formatted(results)) > 0
	return out, err
}

// InstallRegistryOutput tells how the registry runs.
type InstallRegistryOutput struct {
	Way string `json:"way"`
	// Connection is what clusters name to pull from it.
	Connection *k8s.PrivateRegistry `json:"connection,omitempty"`
}

// InstallRegistry makes a registry of images of a machine: an engine for containers, or Debian's own package, is found
// or installed, the image is loaded from the VNF package or pulled, and the registry runs as a service of systemd, also
// after a reboot. It ends when the registry answers. A certificate that is to be made is made on the machine, which no
// key leaves.
//
// Idempotent: what is there is used, files are written only when they differ, and the registry is restarted only then.
// Takes minutes when packages are installed (timeouts.install).
func (n *Nodes) InstallRegistry(ctx context.Context, in NodeInput) (out InstallRegistryOutput, err error) {
	defer func() { err = boundary(ctx, "install the registry on "+in.Node.Name, err) }()
	defer heartbeat(ctx)()
	vnf, err := registryOf(ctx, n.Vnfs, in.OpOccID)
	if err != nil {
		return out, err
	}
	p := vnf.Params
	script := scripts.InstallRegistry{
		Port: p.Port, HTTPS: p.TLS != nil, Image: p.Image, LockFor: lockFor(p.Timeouts.Install),
		NoProxy:     registryNoProxy(p.Proxy),
		Certificate: madeCertificate(vnf.Instance.ID, in.Node, p.TLS),
	}
	if p.Volume != nil {
		script.Volume = p.Volume.MountTo
	}
	inputs, mask, err := n.proxyInputs(ctx, p.Proxy)
	if err != nil {
		return out, err
	}
	certificate, err := n.registryCertificate(ctx, vnf, p.TLS)
	if err != nil {
		return out, err
	}
	host, err := n.Hosts.Dial(ctx, in.OpOccID, in.Node)
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
		Port: p.Port, HTTPS: p.TLS != nil, Users: len(p.Users) > 0,
		Volume: script.Volume,
	}.Render()
	if err != nil {
		return out, lcm.Wrap(lcm.KindBug, err, "Windlass could not write the registry's configuration.")
	}
	inputs = append(append(inputs, certificate...), scripts.Input{Name: "config", Value: config},
		scripts.Input{Name: "htpasswd", Value: users})
	results, err := n.run(ctx, host, in.Step, task{
		script: script, stdin: scripts.Stdin(inputs...), mask: append(mask, secrets...), limit: seconds(p.Timeouts.Install),
		parameter: "timeouts.install",
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

// registryAuthority is the certificate of the CA that the machine has made, "" where none was to be made. It is not
// among the script's results, of which a short password could mask a part.
func registryAuthority(ctx context.Context, host Host, node lcm.Node, script scripts.InstallRegistry) (string, error) {
	if script.Certificate == nil {
		return "", nil
	}
	file := scripts.RegistryAuthority(script.Volume)
	ca, err := host.Get(ctx, file, maxConfiguration)
	if err != nil {
		return "", err
	}
	if why := k8s.CertificateProblem(ca); why != "" {
		return "", lcm.Errorf(lcm.KindBroken, "%s: its file %s %s; remove it, then retry.", node.Name, file, why)
	}
	return string(ca), nil
}

// madeCertificate is the certificate that the machine makes for itself: for the names that clients have for it, and for
// all its addresses that are known. Nil where none is made.
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

// sendImage puts the package's image on the machine, unless it is there.
func sendImage(ctx context.Context, host Host, vnf registryContext, path string) error {
	image, err := vnf.PackageFile(ctx, path)
	if err != nil {
		return err
	}
	return host.Put(ctx, remote.File{Path: scripts.RegistryImageFile, Mode: 0o600, Content: image, Sudo: true})
}

// registryCertificate are the inputs with the certificate and the key, which must fit each other.
func (n *Nodes) registryCertificate(
	ctx context.Context, vnf registryContext, t *registry.TLS,
) ([]scripts.Input, error) {
	if t == nil || t.Generate {
		return nil, nil
	}
	certificate, err := vnf.packageFile(ctx, t.CertificatePath)
	if err != nil {
		return nil, err
	}
	key, err := n.open(ctx, t.PrivateKey)
	if err != nil {
		return nil, err
	}
	if _, err := tls.X509KeyPair(certificate, []byte(key)); err != nil {
		return nil, lcm.Errorf(lcm.KindInvalid, "The certificate %s of the package and tls.private_key do not belong "+
			"together. Roll back, and correct the one or the other.", t.CertificatePath)
	}
	return []scripts.Input{{Name: "registry.crt", Value: string(certificate)}, {Name: "registry.key", Value: key}}, nil
}

// registryUsers is the file of users. A user whose password has not changed keeps its line, whose hash would else be
// another one with every run.
func (n *Nodes) registryUsers(
	ctx context.Context, host Host, users []registry.User,
) (file string, secrets []string, err error) {
	if len(users) == 0 {
		return "", nil, nil
	}
	have, err := host.Get(ctx, scripts.RegistryUsers, maxConfiguration)
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
		password, err := n.open(ctx, u.Password)
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

// registryNoProxy is what a registry's machine asks without the proxy.
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
