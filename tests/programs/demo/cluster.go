package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/windlass-nfv/windlass/deployments/lab/image"
	"github.com/windlass-nfv/windlass/tests/support/environment"
)

const imageDir = image.DefaultDir

// kubectl returns the path of the kubectl of the machines' image, a static binary, which runs here as well.
func (d *demo) kubectl() string { return filepath.Join(d.Dir, "kubectl") }

func (d *demo) kubeconfig() string { return filepath.Join(d.Dir, "kubeconfig") }

// showNodes lists the nodes of the new cluster, and returns how many are Ready.
func (d *demo) showNodes(ctx context.Context, instance vnf) (int, error) {
	if err := d.linkKubectl(); err != nil {
		return 0, err
	}
	if err := d.fetchKubeconfig(ctx, instance); err != nil {
		return 0, err
	}
	d.say("\n$ %s --kubeconfig %s get nodes -o wide", d.kubectl(), d.kubeconfig())
	out, err := d.runKubectl(ctx, "get", "nodes", "-o", "wide")
	if err != nil {
		return 0, err
	}
	d.say("%s", out)
	out, err = d.runKubectl(ctx, "get", "nodes", "-o",
		`jsonpath={range .items[*]}{.status.conditions[?(@.type=="Ready")].status}{"\n"}{end}`)
	return strings.Count(out, "True"), err
}

func (d *demo) linkKubectl() error {
	img, ok := image.Find(image.Options{Source: d.env.Root})
	if !ok {
		return errors.New("the image of the machines, which has kubectl, is not in " + imageDir)
	}
	for _, dir := range []string{"usr/bin", "usr/local/bin"} {
		if _, err := os.Stat(filepath.Join(img.Node, dir, "kubectl")); err == nil {
			_ = os.Remove(d.kubectl()) // it may be of an earlier image
			return os.Symlink(filepath.Join(img.Node, dir, "kubectl"), d.kubectl())
		}
	}
	return errors.New("the image of the machines has no kubectl")
}

func (d *demo) runKubectl(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, d.kubectl(),
		append([]string{"--kubeconfig", d.kubeconfig(), "--request-timeout", "20s"}, args...)...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("kubectl %s: %w\n%s", strings.Join(args, " "), err, errs.String())
	}
	return out.String(), nil
}

// fetchKubeconfig reads the administrator's kubeconfig from a control plane, and changes its server to the address that
// clients of the cluster use.
func (d *demo) fetchKubeconfig(ctx context.Context, instance vnf) error {
	api, err := d.clusterURL(ctx)
	if err != nil {
		return err
	}
	address := api.Hostname() // one of the control planes has this address
	if d.kubespray {          // a load balancer has this address
		address = instance.controlPlane()
	}
	b, err := os.ReadFile(d.requestFile())
	if err != nil {
		return err
	}
	var request map[string]any
	if err := json.Unmarshal(b, &request); err != nil {
		return err
	}
	conf, err := readRemote(address+":22", environment.NodePassword(request), "/etc/kubernetes/admin.conf")
	if err != nil {
		return fmt.Errorf("read the kubeconfig from the control plane at %s: %w", address, err)
	}
	conf = regexp.MustCompile(`server: \S+`).ReplaceAll(conf, []byte("server: "+api.String()))
	return os.WriteFile(d.kubeconfig(), conf, 0o600)
}

// controlPlane returns the address of one of the VNF's control planes.
func (v vnf) controlPlane() string {
	for _, cp := range v.Instantiated.ExtCps {
		for _, p := range cp.Protocols {
			if cp.CpdID != "masterNode_CP1" || p.IPOverEthernet == nil {
				continue
			}
			for _, ip := range p.IPOverEthernet.IPAddresses {
				for _, address := range ip.Addresses {
					return address
				}
			}
		}
	}
	return ""
}

// logIn logs in to a machine of the lab.
func logIn(address, password string) (*ssh.Client, error) {
	return ssh.Dial("tcp", address, &ssh.ClientConfig{
		User: "debian", Auth: []ssh.AuthMethod{ssh.Password(password)},
		// The machine belongs to the demo, and is on this host. Windlass itself pins host keys.
		HostKeyCallback: ssh.InsecureIgnoreHostKey(),
		Timeout:         10 * time.Second,
	})
}

// readRemote reads a file that only root may read.
func readRemote(address, password, file string) ([]byte, error) {
	client, err := logIn(address, password)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	session, err := client.NewSession()
	if err != nil {
		return nil, err
	}
	defer session.Close()
	return session.Output("sudo -n cat " + file)
}
