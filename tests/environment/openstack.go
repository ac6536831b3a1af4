package environment

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// OpenStack is the real one of tests/openstack. It belongs to the machine, not to an environment: whoever brought it up
// takes it down (go tool task openstack:down).
type OpenStack struct {
	// File tells of an OpenStack that runs: the cloud.json that tests/openstack writes, or one like it. "" is that of
	// this machine, which Up brings up if it does not run.
	File string

	login Login
}

// OpenStackDir is where the OpenStack of this machine has its state.
func OpenStackDir() string {
	return cmp.Or(os.Getenv("WINDLASS_OPENSTACK_DIR"), "/var/lib/windlass-openstack")
}

// OpenStackScript brings it up and takes it down.
const OpenStackScript = "tests/openstack/openstack.sh"

// OpenStackRuns tells whether the OpenStack of this machine runs.
func OpenStackRuns(ctx context.Context) (file string, ok bool) {
	file = filepath.Join(OpenStackDir(), "cloud.json")
	login, err := readCloud(file)
	if err != nil {
		return "", false
	}
	_, err = login.Client(ctx)
	return file, err == nil
}

// Up implements Cloud.
func (o *OpenStack) Up(ctx context.Context, site Site) (err error) {
	file := o.File
	if file == "" {
		file = filepath.Join(OpenStackDir(), "cloud.json")
		up := exec.CommandContext(ctx, filepath.Join(site.Root, OpenStackScript), "up")
		up.Stdout, up.Stderr = site.Out, site.Out
		if err := up.Run(); err != nil {
			return fmt.Errorf("the OpenStack does not come up: %w", err)
		}
	}
	if o.login, err = readCloud(file); err != nil {
		return err
	}
	if _, err = o.login.Client(ctx); err != nil {
		return fmt.Errorf("log in to the OpenStack of %s: %w", file, err)
	}
	return nil
}

func readCloud(file string) (Login, error) {
	var about struct {
		AuthURL  string `json:"auth_url"`
		CAFile   string `json:"ca_file"`
		Region   string `json:"region"`
		Domain   string `json:"domain"`
		Project  string `json:"project"`
		User     string `json:"user"`
		Password string `json:"password"`
	}
	doc, err := os.ReadFile(file)
	if err != nil {
		return Login{}, err
	}
	if err := json.Unmarshal(doc, &about); err != nil {
		return Login{}, fmt.Errorf("%s: %w", file, err)
	}
	authority, err := os.ReadFile(about.CAFile)
	return Login{
		AuthURL: about.AuthURL, User: about.User, Password: about.Password, Domain: about.Domain, Project: about.Project,
		ProjectDomain: about.Domain, Region: about.Region, CACert: string(authority),
	}, err
}

// Down implements Cloud: what is not the environment's stays.
func (o *OpenStack) Down(context.Context, Site) error { return nil }

// Login implements Cloud.
func (o *OpenStack) Login() Login { return o.login }

// slow are the limits for machines whose processor is emulated.
var slow = map[string]any{"ssh": 1800, "login": 90, "command": 600, "install": 2700, "join": 2400, "node_ready": 1800}

// Adapt implements Cloud: what the lab's machines need for sharing the host's kernel, real ones do not; but they are
// slow.
func (o *OpenStack) Adapt(request map[string]any) {
	params, _ := request["additionalParams"].(map[string]any)
	cluster, _ := params["k8s_cluster_installation_param"].(map[string]any)
	delete(cluster, "ignore_preflight_errors")
	cluster["kubeadm_config_path"] = "Files/kubernetes/kubeadm-emulated.yaml"
	cluster["timeouts"] = slow
}
