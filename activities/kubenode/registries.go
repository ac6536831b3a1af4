package kubenode

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/scripts"
)

// ConnectRegistriesInput names the node.
type ConnectRegistriesInput struct {
	reach.NodeInput
	// Former sets the registries from before a modification, and does not contact them: a registry must not block a
	// rollback.
	Former bool `json:"former,omitempty"`
	// PassOver skips a node without a connection or login: a dead node must not block a rollback either.
	PassOver bool `json:"passOver,omitempty"`
}

// ConnectRegistriesOutput tells how many registries the node can pull from.
type ConnectRegistriesOutput struct {
	Registries int `json:"registries"`
	// Unseen are the servers that answer, but have shown no manifest: they do not list their content, or are empty.
	Unseen []string `json:"unseen,omitempty"`
	// Unreachable is set when the node was skipped.
	Unreachable bool `json:"unreachable,omitempty"`
}

// ConnectRegistries lets a node pull images from the registries of the request, and removes registries of an earlier
// request. Then it contacts each registry from the node.
//
// Idempotent: it writes files only when they differ. A change may require a restart of containerd or kubelet, which
// leaves pods running; the node remembers this until it is done. Takes seconds. Temporal retries only Unavailable, when
// a registry does not answer. Refused credentials are Denied, an untrusted registry is Broken: the operator repairs the
// registry and retries, or rolls back.
func (n *Activities) ConnectRegistries(
	ctx context.Context, in ConnectRegistriesInput,
) (out ConnectRegistriesOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "connect "+in.Node.Name+" to the registries", err) }()
	defer activities.Heartbeat(ctx)()
	cluster, err := n.Reach.Cluster(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	list := cluster.Params.PrivateRegistries
	if in.Former {
		list = cluster.FormerRegistries
	}
	registries, err := n.openRegistries(ctx, cluster, list)
	if err != nil {
		return out, err
	}
	out, err = n.connectRegistries(ctx, in, cluster, registries)
	if in.PassOver &&
		(reach.Unreachable(ctx, err) || ctx.Err() == nil && lcm.Is(err, lcm.KindDenied)) { // Denied: the login
		n.Reach.Output.Lines(ctx, in.Step)("left as it is; heal it, or change the registries again when it answers: " +
			activities.Classify(err).Sentence())
		return ConnectRegistriesOutput{Unreachable: true}, nil
	}
	return out, err
}

func (n *Activities) connectRegistries(
	ctx context.Context, in ConnectRegistriesInput, cluster reach.ClusterContext, registries []openRegistry,
) (out ConnectRegistriesOutput, err error) {
	host, err := n.Reach.Hosts.Dial(ctx, in.OpOccID, in.Node)
	if err != nil {
		return out, err
	}
	defer func() { _ = host.Close() }()
	found, err := registriesOn(ctx, host, in.Node)
	if err != nil {
		return out, err
	}
	connect, err := found.connect(registries)
	if err != nil {
		return out, err
	}
	connect.Limit, connect.Parameter = reach.Command(cluster, connect.Script).Limit, "timeouts.command"
	if _, err := n.Reach.Run(ctx, host, in.Step, connect); err != nil {
		return out, err
	}
	out.Registries = len(registries)
	if in.Former || len(registries) == 0 {
		return out, nil
	}
	check := found.check(registries)
	check.Limit, check.Parameter = connect.Limit, connect.Parameter
	results, err := n.Reach.Run(ctx, host, in.Step, check)
	if err != nil {
		return out, err
	}
	out.Unseen = unseen(registries, scripts.RegistriesSeen(results))
	if err := unusable(in.Node, withoutImages(registries, out.Unseen, scripts.RegistryFailures(results))); err != nil {
		return out, err
	}
	if len(out.Unseen) > 0 {
		n.Reach.Output.Lines(ctx, in.Step)("Windlass got no manifest from " + strings.Join(out.Unseen, ", ") +
			"; name an image as test_image to check the registry with it")
	}
	return out, nil
}

// unseen returns the servers that answer, but have not shown that they can serve an image.
func unseen(registries []openRegistry, seen []string) (out []string) {
	for _, r := range registries {
		if !slices.Contains(seen, r.Server) {
			out = append(out, r.Server)
		}
	}
	return out
}

// openRegistry is a registry with its opened secrets and its files from the package.
type openRegistry struct {
	k8s.PrivateRegistry

	password string
	ca       string
}

// openRegistries reads the passwords and certificates of registries.
func (n *Activities) openRegistries(
	ctx context.Context, cluster reach.ClusterContext, list []k8s.PrivateRegistry,
) (out []openRegistry, err error) {
	for _, r := range list {
		open := openRegistry{PrivateRegistry: r}
		if open.password, err = n.Reach.Open(ctx, r.Password); err != nil {
			return nil, err
		}
		ca, err := cluster.OptionalFile(ctx, r.CertificatePath)
		if err != nil {
			return nil, err
		}
		if why := k8s.CertificateProblem(ca); r.CertificatePath != "" && why != "" {
			return nil, lcm.Errorf(lcm.KindInvalid, "The package's file %s, of the registry %s, %s.", r.CertificatePath,
				r.Server, why)
		}
		open.ca = string(ca)
		if r.CACertificate != "" {
			open.ca = r.CACertificate + "\n"
		}
		out = append(out, open)
	}
	return out, nil
}

// masks returns the texts to hide in all output, including user:password as in files and headers.
func masks(registries []openRegistry) (out []string) {
	for _, r := range registries {
		if r.password != "" {
			out = append(out, r.password, r.Username+":"+r.password)
		}
	}
	return out
}

// connect is the task that configures these registries on a node.
func (f *nodeRegistries) connect(registries []openRegistry) (j reach.Task, err error) {
	script := scripts.ConnectRegistries{
		Gone: f.gone(registries), DockerGone: f.dockerGone(registries),
		Credentials: slices.ContainsFunc(registries, func(r openRegistry) bool { return r.Username != "" }),
	}
	var inputs []scripts.Input
	for i, r := range registries {
		script.Servers = append(script.Servers, r.Server)
		if entry := r.HostsEntry(); entry != "" && !slices.Contains(script.Hosts, entry) {
			script.Hosts = append(script.Hosts, entry)
		}
		file, err := scripts.HostsTOML{URL: r.URL(), CA: r.ca != ""}.Render()
		if err != nil {
			return j, lcm.Wrap(lcm.KindBug, err, "Windlass could not write hosts.toml.")
		}
		inputs = append(inputs, scripts.Input{Name: fmt.Sprintf("hosts.%d", i), Value: file},
			scripts.Input{Name: fmt.Sprintf("ca.%d", i), Value: r.ca})
	}
	files, err := f.files(registries)
	if err != nil {
		return j, err
	}
	return reach.Task{
		Script: script, Stdin: scripts.Stdin(append(inputs, files...)...), Mask: append(masks(registries), f.masks...),
	}, nil
}

// check is the task that contacts the registries from the node, through containerd's proxy if it has one.
func (f *nodeRegistries) check(registries []openRegistry) reach.Task {
	var (
		script scripts.CheckRegistries
		inputs []scripts.Input
	)
	for i, r := range registries {
		script.Servers, script.URLs = append(script.Servers, r.Server), append(script.URLs, r.URL())
		script.Manifests = append(script.Manifests, r.TestManifest())
		config := scripts.CurlConfig{Username: r.Username, Password: r.password, Proxy: f.proxyFor(r.URL())}
		inputs = append(inputs, scripts.Input{Name: fmt.Sprintf("curl.%d", i), Value: config.Render()},
			scripts.Input{Name: fmt.Sprintf("ca.%d", i), Value: r.ca})
	}
	return reach.Task{Script: script, Stdin: scripts.Stdin(inputs...), Mask: append(masks(registries), f.masks...)}
}

// registryKinds maps failures that do not go away by waiting. All other failures are Unavailable.
var registryKinds = map[string]lcm.ErrorKind{
	"denied": lcm.KindDenied, "untrusted": lcm.KindBroken, "unknown": lcm.KindBroken, "wrong": lcm.KindBroken,
}

// withoutImages adds a failure for each registry that has not shown its test image and has no other failure.
func withoutImages(
	registries []openRegistry, unseen []string, failures []scripts.RegistryFailure,
) []scripts.RegistryFailure {
	for _, r := range registries {
		told := slices.ContainsFunc(failures, func(f scripts.RegistryFailure) bool { return f.Server == r.Server })
		if r.TestImage != "" && !told && slices.Contains(unseen, r.Server) {
			failures = append(failures, scripts.RegistryFailure{
				Class: "wrong", Server: r.Server, Sentence: "did not return the manifest of test_image " + r.TestImage,
			})
		}
	}
	return failures
}

// unusable makes one error of a node's failures, nil when there is none.
func unusable(node lcm.Node, failures []scripts.RegistryFailure) error {
	if len(failures) == 0 {
		return nil
	}
	kind := lcm.KindUnavailable
	sentences := make([]string, 0, len(failures))
	for _, f := range failures {
		if known, ok := registryKinds[f.Class]; ok && kind == lcm.KindUnavailable {
			kind = known
		}
		sentences = append(sentences, f.Server+" "+f.Sentence)
	}
	return lcm.Errorf(kind, "%s cannot pull from all its registries: %s. Mend the registry and retry, or roll back "+
		"and correct %s.", node.Name, strings.Join(sentences, "; "), lcm.RegistriesKey)
}
