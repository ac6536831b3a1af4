package nspawn

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// layOutDisk lays out the machine's disk. It writes machine.json last: a machine with this file is complete.
func (h *Hypervisor) layOutDisk(ctx context.Context, i *instance, m machine.Machine) error {
	first, err := parseUserData(m.UserData)
	if err != nil {
		return lcm.Wrap(lcm.KindInvalid, err, "Machine %s cannot use its user data.", m.Name)
	}
	if err := h.opts.Image.EnsureLayers(ctx, m.Image, m.Name); err != nil {
		return err
	}
	if err := h.clear(ctx, i); err != nil {
		return err
	}
	if err := os.RemoveAll(i.dir); err != nil {
		return broken(err, "The disk of machine %s cannot be made.", m.Name)
	}
	if err := os.MkdirAll(i.path("var"), 0o711); err != nil {
		return broken(err, "The disk of machine %s cannot be made.", m.Name)
	}
	h.mu.Lock()
	i.spec = m
	i.spec.UserData, i.spec.AdminPass = nil, "" // from now on only the machine's own disk has them
	h.mu.Unlock()
	if err := h.fillState(ctx, i); err != nil {
		return broken(err, "The disk of machine %s cannot be made.", m.Name)
	}
	if err := h.fillDisk(ctx, i, m, first); err != nil {
		return broken(err, "The disk of machine %s cannot be prepared.", m.Name)
	}
	if err := writeJSON(i.path("machine.json"), i.spec); err != nil {
		return broken(err, "Machine %s cannot be recorded.", m.Name)
	}
	i.gone = false
	return nil
}

// fillState makes the directories outside the overlay. It hard-links containerd's directory, with all images of the
// node image: this takes no time and no space. It copies containerd's databases, because containerd writes them in
// place.
func (h *Hypervisor) fillState(ctx context.Context, i *instance) error {
	template := h.opts.Image.Containerd
	if template != "" {
		if _, err := run(ctx, "", "cp", "-al", template, i.path("var", "containerd")); err != nil {
			h.log.WarnContext(ctx, "State directory and image are on different file systems: images are copied", "error", err)
			if err := os.RemoveAll(i.path("var", "containerd")); err != nil {
				return err
			}
			if _, err := run(ctx, "", "cp", "-a", "--reflink=auto", template, i.path("var", "containerd")); err != nil {
				return err
			}
		}
		if err := unshareDatabases(template, i.path("var", "containerd")); err != nil {
			return err
		}
	}
	for _, dir := range ext4Dirs {
		if err := os.MkdirAll(i.path("var", dir), 0o711); err != nil {
			return err
		}
	}
	return nil
}

func unshareDatabases(template, dir string) error {
	return filepath.WalkDir(template, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(path) != ".db" {
			return err
		}
		rel, err := filepath.Rel(template, path)
		if err != nil {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return writeFile(filepath.Join(dir, rel), content, 0o600)
	})
}

// fillDisk writes the files in which this machine differs from others of its image.
func (h *Hypervisor) fillDisk(ctx context.Context, i *instance, m machine.Machine, first firstBoot) error {
	if err := h.mountDisk(i); err != nil {
		return err
	}
	root := i.path("root")
	err := errors.Join(
		writeIdentity(root, m),
		writeKeys(root, m.AuthorizedKeys),
		setPassword(ctx, root, m.AdminPass),
		first.write(root),
	)
	return errors.Join(err, unmount(root))
}

func writeIdentity(root string, m machine.Machine) error {
	hosts := "127.0.0.1 localhost\n::1 localhost\n"
	resolver := ""
	for _, p := range m.Ports {
		if address := firstAddress(p); address != "" && !strings.Contains(hosts, m.Name) {
			hosts += address + " " + m.Name + "\n"
		}
		if gateway := cmp.Or(p.Gateway, p.Gateway6); gateway != "" && resolver == "" {
			// No server listens there, but the refusal is immediate: lookups fail and do not hang.
			resolver = "nameserver " + gateway + "\n"
		}
	}
	id := make([]byte, 16)
	_, _ = rand.Read(id)
	return errors.Join(
		writeFile(filepath.Join(root, "etc/hostname"), []byte(m.Name+"\n"), 0o644),
		writeFile(filepath.Join(root, "etc/hosts"), []byte(hosts), 0o644),
		writeFile(filepath.Join(root, "etc/resolv.conf"), []byte(resolver), 0o644),
		writeFile(filepath.Join(root, "etc/machine-id"), []byte(hex.EncodeToString(id)+"\n"), 0o444),
	)
}

// firstAddress is the port's address of IPv4 if it has one.
func firstAddress(p machine.Port) string {
	if len(p.FixedIPs) > 0 {
		return p.FixedIPs[0]
	}
	if len(p.IPv6) > 0 {
		address, _, _ := strings.Cut(p.IPv6[0], "/")
		return address
	}
	return ""
}

func writeKeys(root string, keys []string) error {
	if len(keys) == 0 {
		return nil
	}
	home := filepath.Join(root, "home", machine.User)
	var owner unix.Stat_t
	if err := unix.Stat(home, &owner); err != nil {
		return fmt.Errorf("home of %s: %w", machine.User, err)
	}
	dir := filepath.Join(home, ".ssh")
	file := filepath.Join(dir, "authorized_keys")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := writeFile(file, []byte(strings.Join(keys, "\n")+"\n"), 0o600); err != nil {
		return err
	}
	return errors.Join(os.Chown(dir, int(owner.Uid), int(owner.Gid)), os.Chown(file, int(owner.Uid), int(owner.Gid)))
}

// setPassword passes the password on standard input, so that no argument list shows it.
func setPassword(ctx context.Context, root, password string) error {
	if password == "" {
		return nil
	}
	if strings.ContainsAny(password, "\n\x00") {
		return lcm.Errorf(lcm.KindInvalid, "The admin password has a line break.")
	}
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, "chroot", root, "chpasswd", "--crypt-method", "SHA512")
	cmd.Stdin, cmd.Stderr = strings.NewReader(machine.User+":"+password+"\n"), &stderr
	cmd.Env = []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin"}
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("set password of %s: %w: %s", machine.User, err,
			strings.ReplaceAll(stderr.String(), password, "***"))
	}
	return nil
}

// firstBootDir is the directory that the image's lab-first-boot reads.
const firstBootDir = "var/lib/windlass-lab"

func (f firstBoot) write(root string) error {
	dir := filepath.Join(root, firstBootDir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	var all error
	for _, script := range []struct{ name, text string }{{"config", f.Config}, {"final", f.Final}} {
		if script.text != "" {
			all = errors.Join(all, writeFile(filepath.Join(dir, script.name), []byte(script.text), 0o700))
		}
	}
	for n, file := range f.Files {
		content := filepath.Join(dir, "file-"+strconv.Itoa(n))
		all = errors.Join(all, writeFile(content, file, 0o600))
	}
	return all
}
