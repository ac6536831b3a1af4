package environment

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// The kinds of the lab's machines.
const (
	NSpawn = "nspawn" // Linux machines; they need root
	Fake   = "fake"   // SSH servers that simulate machines
)

// Lab is a cloud in a box that belongs to the environment.
type Lab struct {
	// Machines is NSpawn or Fake.
	Machines string
	// Listen is the address where it listens; with port 0 it uses any free port.
	Listen string
	// Args are further arguments of windlass-lab up.
	Args []string

	login Login
	net0  netip.Prefix
}

// LabDir returns the state directory of a lab.
func LabDir(dir string) string { return filepath.Join(dir, "lab") }

func labProcess(site Site) *process { return &process{name: "windlass-lab", dir: site.Dir} }

// Up implements Cloud.
func (l *Lab) Up(ctx context.Context, site Site) error {
	args := append([]string{"up", "--machines", l.Machines, "--listen", l.Listen, "--state-dir", LabDir(site.Dir)},
		l.Args...)
	lab := labProcess(site)
	if err := lab.start(ctx, site.Bin("windlass-lab"), args...); err != nil {
		return err
	}
	// At the first start, the lab builds the image of its machines, which takes minutes.
	err := lab.await(ctx, 40*time.Minute, site.Out, func() error {
		out, err := exec.CommandContext(ctx, site.Bin("windlass-lab"), "openrc", "--state-dir", LabDir(site.Dir)).Output()
		if err != nil {
			return err
		}
		l.login = l.loginOf(parseOpenRC(string(out)))
		return answers(ctx, l.login.AuthURL)
	})
	if err != nil {
		return fmt.Errorf("the lab does not come up: %w\n%s", err, lab.tail())
	}
	return l.readNet0(site)
}

func (l *Lab) readNet0(site Site) error {
	content, err := os.ReadFile(filepath.Join(LabDir(site.Dir), "lab.json"))
	if err != nil {
		return fmt.Errorf("read the networks of the lab: %w", err)
	}
	var info struct{ Net0 netip.Prefix }
	if err := json.Unmarshal(content, &info); err != nil {
		return fmt.Errorf("read the networks of the lab: %w", err)
	}
	l.net0 = info.Net0
	return nil
}

// Net0 returns the subnet of the lab's network net0, which the sample's machines are on.
func (l *Lab) Net0() netip.Prefix { return l.net0 }

func (l *Lab) loginOf(openrc map[string]string) Login {
	login := Login{
		AuthURL: openrc["OS_AUTH_URL"], User: openrc["OS_USERNAME"], Password: openrc["OS_PASSWORD"],
		Domain:  openrc["OS_USER_DOMAIN_NAME"],
		Project: openrc["OS_PROJECT_NAME"], ProjectDomain: openrc["OS_PROJECT_DOMAIN_NAME"],
	}
	if l.Machines == Fake {
		login.SSHPort = "2222" // only root may listen on port 22
	}
	return login
}

func parseOpenRC(text string) map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(text) {
		name, value, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "export "), "=")
		if ok {
			out[name] = strings.Trim(value, `'"`)
		}
	}
	return out
}

// Down implements Cloud.
func (l *Lab) Down(ctx context.Context, site Site) error {
	if err := labProcess(site).stop(30 * time.Second); err != nil {
		return err
	}
	out, err := exec.CommandContext(ctx, site.Bin("windlass-lab"), "down", "--state-dir",
		LabDir(site.Dir)).CombinedOutput()
	if err != nil {
		return fmt.Errorf("windlass-lab down: %w\n%s", err, out)
	}
	return nil
}

// Login implements Cloud.
func (l *Lab) Login() Login { return l.login }

// Admin returns the login of the cloud's administrator, in the same project.
func (l *Lab) Admin(ctx context.Context, e *Environment) (Login, error) {
	site := e.site()
	out, err := exec.CommandContext(ctx, site.Bin("windlass-lab"), "openrc", "--user", "admin", "--state-dir",
		LabDir(site.Dir)).Output()
	if err != nil {
		return Login{}, fmt.Errorf("ask the lab for its administrator: %w", err)
	}
	login := l.loginOf(parseOpenRC(string(out)))
	login.Project = l.login.Project
	return login, nil
}

// Adapt implements Cloud. It allows the machines of this lab to mount the sample's exports: a lab takes another subnet
// than that of the sample's requests if that one is taken.
func (l *Lab) Adapt(request map[string]any) { ExportTo(request, l.net0) }

// OrderURL returns the root of the lab's own API.
func (l *Lab) OrderURL() string {
	root, _, _ := strings.Cut(l.login.AuthURL, "/identity")
	return root + "/lab"
}
