package e2e

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"debug/elf"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/windlass-nfv/windlass/deployments/lab/image"
	"github.com/windlass-nfv/windlass/deployments/lab/machine"
	"github.com/windlass-nfv/windlass/internal/remote"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

const (
	registryVdu    = "PrivateRegistryVDU"
	packedRegistry = "Files/images/registry.tar"
	wrongPassword  = "Wr0ng-of-the-registry-51cd"
)

// TestRegistryOnRealMachines makes three image registries as VNFs. containerd's ctr runs the first one, over HTTP. The
// second one is Debian's package, over HTTPS with users and a certificate of a private CA. Docker runs the third one,
// which makes its certificate and keeps its images on a volume. A cluster pulls from the first two, also with nodes
// that come later. While it is in use, a modification connects it with the third one.
func TestRegistryOnRealMachines(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("Real machines need root; the scenarios on fake machines have run.")
	}
	b := newBed(t, "nspawn")
	ca, certificate := privateCA(t)
	b.onboardWithCA(t, ca)
	key := b.onboardRegistryServer(t, certificate)
	plain, secure, kept := &registryVnf{bed: b, port: 5000}, &registryVnf{bed: b, name: registryName, port: 443},
		&registryVnf{bed: b, name: "kept.windlass.test", port: 5000}
	users := []any{map[string]any{"username": "user01", "password": registryPassword}}
	began := []string{
		plain.begin(t, "instantiate-registry", map[string]any{"image_path": packedRegistry}),
		secure.begin(t, "instantiate-registry", map[string]any{
			"tls": map[string]any{"certificate_path": "Files/registry.crt", "private_key": key}, "users": users,
		}),
		kept.begin(t, "instantiate-registry-volume", map[string]any{
			"image_path": packedRegistry,
			"tls":        map[string]any{"generate": true, "host_names": []any{kept.name}}, "users": users,
		}),
	}
	tiny := tinyImage(t)
	for i, r := range []*registryVnf{plain, secure, kept} {
		b.Await(t, began[i], 5*time.Minute, "COMPLETED")
		t.Log(b.Timings(t, began[i]))
		r.find(t)
		r.requireRunsBy(t, []string{"/usr/bin/ctr run", "/usr/bin/docker-registry serve", "/usr/bin/docker run"}[i])
		require.NoError(t, r.to.push(t, r.image("v1"), tiny))
	}
	stranger := secure.to
	stranger.as = &authn.Basic{Username: "user01", Password: wrongPassword}
	require.ErrorContains(t, stranger.push(t, secure.image("v1"), tiny), "401")

	vnf := b.CreateOf(t, registryVnfdID, "puller")
	op := b.Begin(t, vnf, "instantiate", b.SampleRequest(t, "simple", "puller", func(_, cluster map[string]any) {
		cluster["private_registry_connection_info"] = []any{plain.entry(), secure.entry()}
	}))
	b.Await(t, op, 15*time.Minute, "COMPLETED")
	t.Log(b.Timings(t, op))
	day := dayTwo{bed: b, vnf: vnf, cluster: "cluster-puller", controlPlanes: 1, workers: 1, limit: 15 * time.Minute}
	p := puller{realPods{dayTwo: &day, c: b.Kubernetes(t, day.cluster)}, plain, secure}
	p.pullAll(t, "instantiated", p.workers(t))
	p.servesFrom(t, secure)

	before := p.workers(t)
	day.scale(t, "SCALE_OUT", 1)
	p.pullAll(t, "scaled", p.since(t, before))
	before = p.workers(t)
	day.operate(t, "heal", map[string]any{"vnfcInstanceId": b.VnfcOf(t, vnf, "workerNode")})
	day.requireNodes(t)
	p.pullAll(t, "healed", p.since(t, before))

	p.refuse(t, map[string]any{"password": wrongPassword}, "refuses the user name or the password (401)")
	p.refuse(t, map[string]any{"certificate_path": nil}, "has a certificate that is not trusted (x509: ",
		"give the certificate of its CA")
	p.pullAll(t, "afterwards", p.workers(t))

	told := kept.told(t)
	b.Await(t, b.Modify(t, vnf, registriesProperty([]any{plain.entry(), secure.entry(), told})), day.limit, "COMPLETED")
	p.pull(t, "told", p.workers(t)[0], kept.image("v1"))
	kept.heal(t)
	require.Equal(t, told, kept.told(t), "clients go on to trust it")
	p.pull(t, "kept", p.workers(t)[1], kept.image("v1"))

	plain.restart(t, &day)
	address := secure.to.address
	secure.heal(t)
	require.Equal(t, address, secure.to.address, "clients find it again")
	require.NoError(t, secure.to.push(t, secure.image("v2"), tiny))
	worker := p.workers(t)[0]
	p.pull(t, "restarted", worker, plain.image("v1"))
	p.pull(t, "replaced", worker, secure.image("v2"))
	b.requireNowhere(t, vnf, op, map[string]string{
		"the registry's password": registryPassword, "the wrong password": wrongPassword,
		"the registry's key":         strings.Split(key, "\n")[1],
		"the registry's credentials": base64.StdEncoding.EncodeToString([]byte("user01:" + registryPassword)),
		"the wrong credentials":      base64.StdEncoding.EncodeToString([]byte("user01:" + wrongPassword)),
	})
	for _, vnf := range []string{vnf, plain.vnf, secure.vnf, kept.vnf} {
		b.terminate(t, vnf)
	}
	b.RequireNothingLeft(t)
}

// registryVnf is a VNF that is an image registry.
type registryVnf struct {
	*bed

	name   string // the name in its certificate, or "" without HTTPS
	vnf    string
	port   int
	server string // the beginning of its images' names
	to     pushing
}

// onboardRegistryServer on-boards the sample's package with the image of a registry and a certificate. It returns the
// key of the certificate.
func (b *bed) onboardRegistryServer(t *testing.T, certificate *tls.Certificate) (key string) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join(b.Root, "vnfpkg/samples/private-registry"))))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "Files/images"), 0o755))
	tag, err := name.NewTag("lab.local/registry:2")
	require.NoError(t, err)
	require.NoError(t, tarball.WriteToFile(filepath.Join(dir, packedRegistry), tag, debianRegistry(t, b.Root)))
	hot := filepath.Join(dir, "BaseHOT/simple/private_registry_hot_top.yaml")
	text, err := os.ReadFile(hot)
	require.NoError(t, err)
	named := strings.NewReplacer(
		"parameters:\n", "parameters:\n  machine_name: { type: string, default: registry }\n",
		"OS::Nova::Server\n    properties:\n", "OS::Nova::Server\n    properties:\n      name: { get_param: machine_name }\n",
	).Replace(string(text))
	require.NoError(t, os.WriteFile(hot, []byte(named), 0o600))
	crt := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Certificate[0]})
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Files/registry.crt"), crt, 0o600))
	b.onboardDirectory(t, dir)
	der, err := x509.MarshalPKCS8PrivateKey(certificate.PrivateKey)
	require.NoError(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

// debianRegistry makes an image of the registry program in the lab's image, with its libraries. The entrypoint and the
// command are like those of the distribution project's image.
func debianRegistry(t *testing.T, root string) v1.Image {
	t.Helper()
	lab, ok := image.Find(image.Options{Source: root})
	require.True(t, ok, "the lab runs")
	require.NoError(t, lab.EnsureLayers(t.Context(), "registry"), "the program is in that layer")
	program := filepath.Join(lab.Services, "usr/bin/docker-registry")
	binary, err := elf.Open(program)
	require.NoError(t, err)
	defer binary.Close()
	needed, err := binary.ImportedLibraries()
	require.NoError(t, err)
	loader, err := io.ReadAll(binary.Section(".interp").Open())
	require.NoError(t, err)
	files := map[string][]byte{}
	add := func(path, file string) {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		files[path] = content
	}
	library := func(name string) string {
		found, err := filepath.Glob(filepath.Join(lab.Base, "usr/lib/*", name))
		require.NoError(t, err)
		require.NotEmpty(t, found, name)
		return found[0]
	}
	add("usr/bin/docker-registry", program)
	interpreter := strings.Trim(string(loader), "/\x00")
	add(interpreter, library(filepath.Base(interpreter)))
	for _, name := range needed {
		file := library(name)
		add(strings.TrimPrefix(file, lab.Base+"/"), file)
	}
	img := imageOf(t, files, "/usr/bin/docker-registry")
	config, err := img.ConfigFile()
	require.NoError(t, err)
	config = config.DeepCopy()
	config.Config.Cmd = []string{"serve", "/etc/docker/registry/config.yml"}
	img, err = mutate.ConfigFile(img, config)
	require.NoError(t, err)
	return img
}

// begin begins the instantiation of the registry. The request of the sample gets params in addition.
func (r *registryVnf) begin(t *testing.T, sample string, params map[string]any) (op string) {
	t.Helper()
	request, installation := r.registryRequest(t, sample)
	additional := request["additionalParams"].(map[string]any)
	additional["registry_port"] = r.port
	if r.name == "" {
		// The lab gives a machine of this name the image of a node, which only has containerd.
		additional["machine_name"] = "plain"
	}
	installation["port_no"] = r.port
	maps.Copy(installation, params)
	r.vnf = r.CreateOf(t, registryServerVnfdID, cmp.Or(r.name, "plain"))
	return r.Begin(t, r.vnf, "instantiate", request)
}

// find gets the registry's address from the cloud.
func (r *registryVnf) find(t *testing.T) {
	t.Helper()
	nova := testbed.Service(t, r.Cloud.Login(), openstack.NewComputeV2)
	pages, err := servers.ListAddresses(nova, r.VnfcOf(t, r.vnf, registryVdu)).AllPages(t.Context())
	require.NoError(t, err)
	networks, err := servers.ExtractAddresses(pages)
	require.NoError(t, err)
	require.Len(t, networks["net0"], 1)
	r.to = pushing{
		address: net.JoinHostPort(networks["net0"][0].Address, strconv.Itoa(r.port)), plain: r.name == "",
		as: authn.Anonymous,
	}
	r.server = r.to.address
	if r.name != "" {
		if r.server = r.name; r.port != 443 {
			r.server = net.JoinHostPort(r.name, strconv.Itoa(r.port))
		}
		r.to.as = &authn.Basic{Username: "user01", Password: registryPassword}
	}
}

// requireRunsBy checks that the registry's unit starts it with that program.
func (r *registryVnf) requireRunsBy(t *testing.T, program string) {
	t.Helper()
	address, _, _ := net.SplitHostPort(r.to.address)
	host, err := (&remote.Dialer{HostKeys: &bareNodes{}}).Dial(t.Context(), remote.Target{
		Node: r.vnf, ServerID: r.VnfcOf(t, r.vnf, registryVdu), Address: address, User: machine.User,
		Password: testbed.NodePassword,
	})
	require.NoError(t, err)
	defer func() { _ = host.Close() }()
	unit, err := host.Get(t.Context(), "/etc/systemd/system/windlass-registry.service", 1<<20)
	require.NoError(t, err)
	require.Contains(t, string(unit), "ExecStart="+program)
}

// told returns the registry for a cluster's request, as Windlass describes it, with the user.
func (r *registryVnf) told(t *testing.T) map[string]any {
	t.Helper()
	connection := r.connection(t, r.vnf)
	require.Equal(t, r.server, connection.Server)
	text, err := json.Marshal(connection)
	require.NoError(t, err)
	var entry map[string]any
	require.NoError(t, json.Unmarshal(text, &entry))
	entry["username"], entry["password"] = "user01", registryPassword
	return entry
}

func (r *registryVnf) image(tag string) string { return r.server + "/lab/tiny:" + tag }

// entry returns the registry for a cluster's request.
func (r *registryVnf) entry() map[string]any {
	if r.name == "" {
		return map[string]any{"connection_type": "0", "server": r.server}
	}
	host, _, _ := net.SplitHostPort(r.to.address)
	return map[string]any{
		"connection_type": "1", "server": r.server, "username": "user01", "password": registryPassword,
		"certificate_path": "Files/registries/ca.crt", "hosts_string": host + " " + r.name,
	}
}

// heal gives the registry another machine. Images that are not on a volume are lost.
func (r *registryVnf) heal(t *testing.T) {
	t.Helper()
	before := r.VnfcOf(t, r.vnf, registryVdu)
	op := r.Begin(t, r.vnf, "heal", map[string]any{"vnfcInstanceId": before})
	r.Await(t, op, 5*time.Minute, "COMPLETED")
	t.Log("heal", r.Timings(t, op))
	require.NotEqual(t, before, r.VnfcOf(t, r.vnf, registryVdu))
	r.find(t)
}

// restart switches the registry's machine off and on. The registry must answer again by itself.
func (r *registryVnf) restart(t *testing.T, day *dayTwo) {
	t.Helper()
	server := r.VnfcOf(t, r.vnf, registryVdu)
	day.switchOff(t, server)
	require.NoError(t, servers.Start(t.Context(), testbed.Service(t, r.Cloud.Login(), openstack.NewComputeV2),
		server).ExtractErr())
	require.Eventually(t, func() bool {
		a, err := testbed.Try(t.Context(), http.MethodGet, "http://"+r.to.address+"/v2/", nil)
		return err == nil && a.Status == http.StatusOK
	}, 3*time.Minute, time.Second, "the registry does not answer after a reboot")
}

// puller is a cluster that pulls from both registries.
type puller struct {
	realPods

	plain, secure *registryVnf
}

// pullAll makes the kubelets of these nodes pull from both registries.
func (p *puller) pullAll(t *testing.T, name string, nodes []string) {
	t.Helper()
	require.NotEmpty(t, nodes)
	for i, node := range nodes {
		p.pull(t, fmt.Sprintf("%s-http-%d", name, i), node, p.plain.image("v1"))
		p.pull(t, fmt.Sprintf("%s-https-%d", name, i), node, p.secure.image("v1"))
	}
}

// since returns the workers that were not in before.
func (p *puller) since(t *testing.T, before []string) []string {
	t.Helper()
	return slices.DeleteFunc(p.workers(t), func(node string) bool { return slices.Contains(before, node) })
}

// refuse changes the entry of the HTTPS registry so that no node can pull from it. The error must name every node, and
// say this about the registry. Then refuse rolls the modification back.
func (p *puller) refuse(t *testing.T, change map[string]any, said ...string) {
	t.Helper()
	entry := p.secure.entry()
	maps.Copy(entry, change)
	op := p.Modify(t, p.vnf, registriesProperty([]any{p.plain.entry(), entry}))
	got := p.Await(t, op, p.limit, "FAILED_TEMP")
	detail := got["error"].(map[string]any)["detail"].(string)
	t.Log(detail)
	for _, s := range said {
		require.Contains(t, detail, s)
	}
	require.Equal(t, 1, strings.Count(detail, p.secure.server+" "+said[0]), "once for all nodes: %s", detail)
	nodes, err := p.c.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	for _, n := range nodes.Items {
		require.Contains(t, detail, n.Name)
	}
	require.Equal(t, http.StatusAccepted, p.Act(t, op, "rollback", nil).Status)
	p.Await(t, op, p.limit, "ROLLED_BACK")
}
