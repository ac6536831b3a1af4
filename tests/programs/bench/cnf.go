package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/windlass-nfv/windlass/deployments/lab/image"
	"github.com/windlass-nfv/windlass/tests/support/kubetest"
)

const (
	containersPackage = "tests/programs/bench/containers"
	containersVnfdID  = "0c9d3b52-6f0e-4d43-9d0b-5a1f6c0f7e41"
	// podsTake is the time that the kubelet needs for a Pod, about as long as a real one whose node already has the
	// image.
	podsTake = 2 * time.Second
)

// containers is a cluster and what is measured on it: the parameters of a request, and the arguments of cnf.sh.
type containers struct {
	*bed
	cluster *kubetest.ControlPlane
	vimID   string
	params  map[string]any
	up      string
	down    string
}

// cnf compares how long Windlass and a script with kubectl take for a containerised VNF of twenty objects.
func (b *bench) cnf(ctx context.Context) error {
	return b.containers(ctx, "cnf_20_objects", &containers{
		params: map[string]any{"lcm-kubernetes-def-files": []string{"Files/kubernetes/parts.yaml"}},
		up:     "apply", down: "delete",
	})
}

// cnfChart compares how long Windlass and Helm's own client take for a containerised VNF of a chart.
func (b *bench) cnfChart(ctx context.Context) error {
	return b.containers(ctx, "cnf_chart", &containers{
		params: map[string]any{"helm_chart_path": "Files/kubernetes/parts"}, up: "install", down: "uninstall",
	})
}

// containers measures twice: with Pods that take as long as on real nodes, and with Pods that take no time. The second
// shows the time of Windlass and of the script themselves.
func (b *bench) containers(ctx context.Context, name string, c *containers) (err error) {
	if can := b.hasKubernetes(name); !can {
		return nil
	}
	if err := c.start(ctx); err != nil {
		return errors.Join(err, c.stop())
	}
	defer func() { err = errors.Join(err, c.stop()) }()
	rounds := 9
	if b.quick {
		rounds = 3
	}
	for _, of := range []struct {
		name, target string
		pods         time.Duration
	}{
		{name, "ratio 1.15", podsTake},
		{name + "_idle_pods", "", 0},
	} {
		c.cluster.Kubelet.Pace.Store(int64(of.pods))
		say("%d times: twenty objects with Pods that take %s, by Windlass and by %s ...", rounds, of.pods, c.up)
		windlass, script, err := c.measure(ctx, rounds)
		if err != nil {
			return err
		}
		b.compare(of.name, median(windlass), median(script), "s", of.target)
	}
	return nil
}

// hasKubernetes reports whether the programs of Kubernetes are here or can be built; otherwise it notes what is not
// measured.
func (b *bench) hasKubernetes(what string) bool {
	if _, ok := image.Find(image.Options{}); ok || os.Geteuid() == 0 {
		return true
	}
	b.notes = append(b.notes, "Not measured: "+what+", which needs the programs of the lab's node image, that root builds.")
	return false
}

// start starts a cluster, and a Windlass where the cluster is registered and the package is onboarded.
func (c *containers) start(ctx context.Context) (err error) {
	if c.bed, err = newBed(ctx, "fake"); err != nil {
		return err
	}
	say("Starting a control plane of Kubernetes ...")
	dir := filepath.Join(c.Dir, "kubernetes")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	if c.cluster, err = kubetest.New(ctx, dir, image.Options{Progress: os.Stderr}); err != nil {
		return err
	}
	for _, namespace := range []string{"by-windlass", "by-script"} {
		if err := c.makeNamespace(ctx, namespace); err != nil {
			return err
		}
	}
	var made struct {
		Vim struct {
			ID string `json:"id"`
		} `json:"vim"`
	}
	if _, err := c.call(ctx, http.MethodPost, "/v1.0/vims", map[string]any{"vim": map[string]any{
		"name": "cluster", "type": "kubernetes", "auth_url": c.cluster.URL,
		"auth_cred":   map[string]any{"bearer_token": kubetest.Token, "ssl_ca_cert": c.cluster.CA},
		"vim_project": map[string]any{"name": "by-windlass"},
	}}, &made); err != nil {
		return err
	}
	c.vimID = made.Vim.ID
	if out, err := c.Windlass(ctx, "package", "create", containersPackage).CombinedOutput(); err != nil {
		return fmt.Errorf("on-board the package: %w\n%s", err, out)
	}
	return nil
}

func (c *containers) stop() error {
	var err error
	if c.bed != nil {
		err = c.close()
	}
	if c.cluster != nil {
		c.cluster.Close()
	}
	return err
}

func (c *containers) makeNamespace(ctx context.Context, name string) error {
	_, err := c.cluster.Client.CoreV1().Namespaces().Create(ctx, kubetest.Namespace(name), metav1.CreateOptions{})
	return err
}

// measure makes and removes the VNF this many times in each way. The two ways take turns in being first. The first
// round does not count, because connections, caches and the database's plans are cold.
func (c *containers) measure(ctx context.Context, rounds int) (windlass, script []time.Duration, err error) {
	for round := range rounds + 1 {
		var byWindlass, byScript time.Duration
		turns := []func() error{
			func() (err error) { byWindlass, err = c.byWindlass(ctx); return err },
			func() (err error) { byScript, err = c.byScript(ctx); return err },
		}
		if round%2 == 1 {
			turns[0], turns[1] = turns[1], turns[0]
		}
		for _, turn := range turns {
			if err := turn(); err != nil {
				return nil, nil, err
			}
		}
		say("  Windlass %.2f s, the script %.2f s", byWindlass.Seconds(), byScript.Seconds())
		if round > 0 {
			windlass, script = append(windlass, byWindlass), append(script, byScript)
		}
	}
	return windlass, script, nil
}

// request returns a request for a VNF in this namespace.
func (c *containers) request(namespace string) map[string]any {
	params := maps.Clone(c.params)
	params["namespace"] = namespace
	return map[string]any{
		"flavourId": "simple", "additionalParams": params,
		"vimConnectionInfo": []any{map[string]any{"id": "kubernetes", "vimId": c.vimID, "vimType": "kubernetes"}},
	}
}

// byWindlass returns the time from the request to COMPLETED.
func (c *containers) byWindlass(ctx context.Context) (time.Duration, error) {
	made, err := c.make(ctx, containersVnfdID, c.request("by-windlass"))
	if err != nil {
		return 0, err
	}
	_, err = c.terminate(ctx, made.vnf)
	return made.took(), err
}

func (c *containers) byScript(ctx context.Context) (time.Duration, error) {
	began := time.Now()
	if err := c.script(ctx, c.up); err != nil {
		return 0, err
	}
	took := time.Since(began)
	return took, c.script(ctx, c.down)
}

func (c *containers) script(ctx context.Context, word string) error {
	cmd := exec.CommandContext(ctx, filepath.Join(c.Root, "tests/programs/bench/cnf.sh"), word)
	cmd.Env = append(os.Environ(), "HOME="+c.Dir, "KUBECONFIG="+c.cluster.Kubeconfig, "NAMESPACE=by-script",
		"KUBECTL="+filepath.Join(c.cluster.Programs, "kubectl"), "HELM="+c.Bin("helm"),
		"FILES="+filepath.Join(c.Root, containersPackage, "Files/kubernetes"))
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("cnf.sh %s: %w\n%s", word, err, errs.String())
	}
	return nil
}
