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

// OpenStack is the real OpenStack of tests/support/openstack. It belongs to the machine and not to an environment: the
// user who started it must remove it (go tool task openstack:down).
type OpenStack struct {
	// File is the cloud.json of a running OpenStack, as tests/support/openstack writes it. "" is the OpenStack of this
	// machine, which Up starts if it does not run.
	File string

	login Login
}

// OpenStackDir returns the state directory of this machine's OpenStack.
func OpenStackDir() string {
	return cmp.Or(os.Getenv("WINDLASS_OPENSTACK_DIR"), "/var/lib/windlass-openstack")
}

// OpenStackScript starts and removes the OpenStack of this machine.
const OpenStackScript = "tests/support/openstack/openstack.sh"

// OpenStackRuns reports whether the OpenStack of this machine runs.
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

// Down implements Cloud. It changes nothing, because the OpenStack does not belong to the environment.
func (o *OpenStack) Down(context.Context, Site) error { return nil }

// Login implements Cloud.
func (o *OpenStack) Login() Login { return o.login }

// slow are the timeouts for machines whose processor is emulated.
var slow = map[string]any{"ssh": 1800, "login": 90, "command": 600, "install": 2700, "join": 2400, "node_ready": 1800}

// Adapt implements Cloud. It removes the settings that the lab's machines need because they share the host's kernel,
// and sets longer timeouts, because machines with an emulated processor are slow.
func (o *OpenStack) Adapt(request map[string]any) {
	params, _ := request["additionalParams"].(map[string]any)
	cluster, _ := params["k8s_cluster_installation_param"].(map[string]any)
	delete(cluster, "ignore_preflight_errors")
	cluster["kubeadm_config_path"] = "Files/kubernetes/kubeadm-emulated.yaml"
	cluster["timeouts"] = slow
}
