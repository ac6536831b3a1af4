package activities

import (
	"context"
	"crypto/tls"
	"strings"

	"golang.org/x/crypto/bcrypt"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/remote"
	"github.com/windlass-nfv/windlass/scripts"
)

// FindMachineInput names the operation whose VNF is one machine.
type FindMachineInput struct {
	Tracked
	OpOccID lcm.OpOccID `json:"opOccId"`
}

// FindMachineOutput is the machine, named as nodes are.
type FindMachineOutput struct {
	Machine lcm.Node `json:"machine"`
}

// FindMachine finds the only machine of a VNF that is a registry of images. Idempotent: it only reads.
func (i *Infrastructure) FindMachine(ctx context.Context, in FindMachineInput) (out FindMachineOutput, err error) {
	defer func() { err = boundary(ctx, "find the machine", err) }()
	defer heartbeat(ctx)()
	cloud, err := i.Clouds.Cloud(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	name, _, err := i.Stacks.StackName(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	inv, err := cloud.Inventory(ctx, name)
	if err != nil {
		return out, err
	}
	cluster, err := i.Clusters.Cluster(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	out.Machine, err = nodeOf(inv, inv.StackID, lcm.RegistryServer, cluster.Params.MasterNode)
	return out, err
}

// InstallRegistryOutput tells how the registry runs.
type InstallRegistryOutput struct {
	Way string `json:"way"`
}

// InstallRegistry makes a registry of images of a machine: an engine for containers, or Debian's own package, is found or
// installed, the image is loaded from the VNF package or pulled, and the registry runs as a service of systemd, also after a
// reboot. It ends when the registry answers.
//
// Idempotent: what is there is used, files are written only when they differ, and the registry is restarted only then. Takes
// minutes when packages are installed (timeouts.install).
func (n *Nodes) InstallRegistry(ctx context.Context, in NodeInput) (out InstallRegistryOutput, err error) {
	defer func() { err = boundary(ctx, "install the registry on "+in.Node.Name, err) }()
	defer heartbeat(ctx)()
	cluster, err := n.Clusters.Cluster(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	p := cluster.RegistryServer
	if p == nil {
		return out, lcm.Errorf(lcm.KindBug, "The VNF is no registry.")
	}
	script := scripts.InstallRegistry{
		Port: p.Port, HTTPS: p.TLS != nil, Image: p.Image, LockFor: lockFor(p.Timeouts.Install), NoProxy: registryNoProxy(p.Proxy),
	}
	inputs, mask, err := n.proxyInputs(ctx, p.Proxy)
	if err != nil {
		return out, err
	}
	certificate, err := n.registryCertificate(ctx, cluster, p.TLS)
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
		if err := sendImage(ctx, host, cluster, p.ImagePath); err != nil {
			return out, err
		}
		script.ImageFile = scripts.RegistryImageFile
	}
	config, err := scripts.RegistryConfig{Port: p.Port, HTTPS: p.TLS != nil, Users: len(p.Users) > 0}.Render()
	if err != nil {
		return out, lcm.Wrap(lcm.KindBug, err, "Windlass could not write the registry's configuration.")
	}
	inputs = append(append(inputs, certificate...), scripts.Input{Name: "config", Value: config}, scripts.Input{Name: "htpasswd", Value: users})
	results, err := n.run(ctx, host, in.Step, job{
		script: script, stdin: scripts.Stdin(inputs...), mask: append(mask, secrets...), limit: seconds(p.Timeouts.Install), parameter: "timeouts.install",
	})
	out.Way = results.Get("way")
	return out, err
}

// sendImage puts the package's image on the machine, unless it is there.
func sendImage(ctx context.Context, host Host, cluster ClusterContext, path string) error {
	image, err := cluster.PackageFile(ctx, path)
	if err != nil {
		return err
	}
	return host.Put(ctx, remote.File{Path: scripts.RegistryImageFile, Mode: 0o600, Content: image, Sudo: true})
}

// registryCertificate are the inputs with the certificate and the key, which must fit each other.
func (n *Nodes) registryCertificate(ctx context.Context, cluster ClusterContext, t *lcm.RegistryTLS) ([]scripts.Input, error) {
	if t == nil {
		return nil, nil
	}
	certificate, err := packageFile(ctx, cluster, t.CertificatePath)
	if err != nil {
		return nil, err
	}
	key, err := n.open(ctx, t.PrivateKey)
	if err != nil {
		return nil, err
	}
	if _, err := tls.X509KeyPair(certificate, []byte(key)); err != nil {
		return nil, lcm.Errorf(lcm.KindInvalid, "The certificate %s of the package and tls.private_key do not belong together. Roll back, and correct the one or the other.", t.CertificatePath)
	}
	return []scripts.Input{{Name: "registry.crt", Value: string(certificate)}, {Name: "registry.key", Value: key}}, nil
}

// registryUsers is the file of users. A user whose password has not changed keeps its line, whose hash would else be another
// one with every run.
func (n *Nodes) registryUsers(ctx context.Context, host Host, users []lcm.RegistryUser) (file string, secrets []string, err error) {
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
func registryNoProxy(proxy *lcm.ProxyParams) string {
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
