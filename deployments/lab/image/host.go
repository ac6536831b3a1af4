package image

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/jobs"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// hostTools are what building images and running machines need of the host, by Debian package.
var hostTools = []struct{ tool, pkg string }{
	{"mmdebstrap", "mmdebstrap"},
	{"systemd-nspawn", "systemd-container"},
	{"ip", "iproute2"},
	{"nft", "nftables"},
	{"ssh", "openssh-client"},
	{"losetup", "mount"},
	{"unshare", "util-linux"},
	{"cp", "coreutils"},
}

// debianKeyring is needed on Ubuntu, which does not trust Debian's archive by itself.
const debianKeyring = "/usr/share/keyrings/debian-archive-keyring.gpg"

// ensurePackages installs with apt-get what is missing, and says so.
func (b *builder) ensurePackages(ctx context.Context, now jobs.Now) error {
	missing := missingPackages()
	if len(missing) == 0 {
		return nil
	}
	if _, err := exec.LookPath("go"); err != nil {
		return lcm.Wrap(lcm.KindInvalid, err, "The build of the node image needs Go; install the version that go.mod names.")
	}
	if _, err := exec.LookPath("apt-get"); err != nil {
		return lcm.Errorf(lcm.KindInvalid, "This host lacks %s and has no apt-get; install them.",
			strings.Join(missing, ", "))
	}
	now("installing %s", strings.Join(missing, " "))
	install := append([]string{"-o", "DPkg::Lock::Timeout=300", "install", "-qq", "-y", "--no-install-recommends"},
		missing...)
	err := b.command(ctx, "", "apt-get", install...)
	if err != nil { // the package lists may be old or absent
		if err = b.command(ctx, "", "apt-get", "-o", "DPkg::Lock::Timeout=300", "update", "-qq"); err == nil {
			err = b.command(ctx, "", "apt-get", install...)
		}
	}
	if err == nil {
		if missing = missingPackages(); len(missing) > 0 {
			err = fmt.Errorf("still missing: %s", strings.Join(missing, ", "))
		}
	}
	if err != nil {
		return lcm.Wrap(lcm.KindBroken, err, "apt-get could not install %s; install them by hand.",
			strings.Join(missing, " "))
	}
	return nil
}

func missingPackages() []string {
	var missing []string
	for _, t := range hostTools {
		if _, err := exec.LookPath(t.tool); err != nil && !slices.Contains(missing, t.pkg) {
			missing = append(missing, t.pkg)
		}
	}
	if _, err := os.Stat(debianKeyring); err != nil {
		missing = append(missing, "debian-archive-keyring")
	}
	return missing
}

// command runs a program at low priority: builds must not take the host from those who work on it.
func (b *builder) command(ctx context.Context, dir, name string, args ...string) error {
	return b.commandEnv(ctx, dir, nil, name, args...)
}

func (b *builder) commandEnv(ctx context.Context, dir string, env []string, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, "nice", append([]string{"-n", "10", name}, args...)...)
	var out bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &out
	cmd.Env = append(append(os.Environ(), "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C.UTF-8"), env...)
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, lastLines(out.String(), 20))
	}
	return nil
}

func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
