package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// need is something that the demo calls, and the Debian package that has it.
type need struct {
	pkg     string
	path    string // a glob; else the program is looked for in $PATH
	program string
}

// postgres is Windlass's database.
var postgres = need{pkg: "postgresql", path: "/usr/lib/postgresql/*/bin/initdb"}

// machineNeeds are the lab's, for Linux machines.
var machineNeeds = []need{
	{pkg: "systemd-container", program: "systemd-nspawn"},
	{pkg: "mmdebstrap", program: "mmdebstrap"},
	{pkg: "debian-archive-keyring", path: "/usr/share/keyrings/debian-archive-keyring.gpg"},
	{pkg: "nftables", program: "nft"},
	{pkg: "iproute2", program: "ip"},
	{pkg: "openssh-client", program: "ssh"},
}

func (n need) missing() bool {
	if n.path != "" {
		found, _ := filepath.Glob(n.path)
		return len(found) == 0
	}
	_, err := exec.LookPath(n.program)
	return err != nil
}

// checkHost makes sure that this machine can run the demo, and installs what it lacks when it may.
func checkHost(ctx context.Context, o options) error {
	if o.cloud.root && os.Geteuid() != 0 {
		return errors.New("real machines need root. Run it as root, or with machines that only act:\n  go tool task demo -- --machines fake")
	}
	var missing []string
	for _, n := range o.cloud.needs {
		if n.missing() {
			missing = append(missing, n.pkg)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	system, debian := osRelease("/etc/os-release")
	switch {
	case !debian:
		return fmt.Errorf("this machine (%s) lacks what these Debian packages have: %s. Only Debian 12 and Ubuntu are known to the demo; install them by hand",
			system, strings.Join(missing, ", "))
	case os.Geteuid() != 0:
		return fmt.Errorf("this machine lacks %s; install it as root:\n  apt-get install %[1]s", strings.Join(missing, " "))
	}
	fmt.Fprintf(o.Out, "Installing %s ...\n", strings.Join(missing, ", "))
	return install(ctx, missing)
}

// osRelease names the system and tells whether it is Debian or made of it.
func osRelease(file string) (name string, debian bool) {
	name = "of an unknown system"
	b, err := os.ReadFile(file)
	if err != nil {
		return name, false
	}
	var ids []string
	for line := range strings.Lines(string(b)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		value = strings.Trim(value, `"`)
		switch key {
		case "PRETTY_NAME":
			name = value
		case "ID", "ID_LIKE":
			ids = append(ids, strings.Fields(value)...)
		}
	}
	return name, slices.Contains(ids, "debian")
}

// policyFile keeps what is installed from starting: the demo starts its own servers, and where services
// cannot start, as in a container, the installation would fail over it.
const policyFile = "/usr/sbin/policy-rc.d"

// clusterConf keeps Debian from making a PostgreSQL cluster of its own.
const clusterConf = "/etc/postgresql-common/createcluster.conf"

func install(ctx context.Context, packages []string) error {
	if _, err := os.Stat(policyFile); err != nil {
		if err := os.WriteFile(policyFile, []byte("#!/bin/sh\nexit 101\n"), 0o755); err != nil {
			return fmt.Errorf("prepare the installation: %w", err)
		}
		defer os.Remove(policyFile)
	}
	if _, err := os.Stat(clusterConf); err != nil {
		if err := os.MkdirAll(filepath.Dir(clusterConf), 0o755); err != nil {
			return fmt.Errorf("prepare the installation: %w", err)
		}
		if err := os.WriteFile(clusterConf, []byte("create_main_cluster = false\n"), 0o644); err != nil {
			return fmt.Errorf("prepare the installation: %w", err)
		}
	}
	if err := aptGet(ctx, "update"); err != nil {
		return err
	}
	return aptGet(ctx, append([]string{"install", "-y", "--no-install-recommends"}, packages...)...)
}

func aptGet(ctx context.Context, args ...string) error {
	cmd := exec.CommandContext(ctx, "apt-get", append([]string{"-q", "-o", "DPkg::Lock::Timeout=300"}, args...)...)
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		return fmt.Errorf("apt-get %s: %w\n%s", strings.Join(args, " "), err, strings.Join(lines[max(0, len(lines)-10):], "\n"))
	}
	return nil
}
