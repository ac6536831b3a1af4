package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/windlass-nfv/windlass/tests/support/kubespray"
)

const (
	ansibleServer = "ansible"
	ansibleHome   = "/home/debian"
	playbooksDir  = ansibleHome + "/kubespray"
)

// ansible makes an Ansible server in the lab, or finds the one of an earlier run, and returns its login for the
// request.
func (d *demo) ansible(ctx context.Context) (map[string]any, error) {
	d.title("An Ansible server, with playbooks that have kubespray's names and interface")
	password, err := d.ansiblePassword()
	if err != nil {
		return nil, err
	}
	machines, err := kubespray.Machines(ctx, d.env.Cloud.Login(), ansibleServer,
		kubespray.Server{Name: ansibleServer, Image: kubespray.AnsibleImage, Password: password})
	if err != nil {
		return nil, err
	}
	address := machines[ansibleServer].Address
	archive, err := kubespray.Archive(filepath.Join(d.env.Root, "tests/support/kubespray/playbooks"))
	if err != nil {
		return nil, err
	}
	if err := unpack(ctx, address+":22", password, archive, playbooksDir); err != nil {
		return nil, fmt.Errorf("put the playbooks onto the Ansible server at %s: %w", address, err)
	}
	d.say("It is at %s; the playbooks are in %s.", address, playbooksDir)
	return map[string]any{
		"ip_address": address, "username": "debian", "password": password,
		"kubespray_root_path": playbooksDir, "transferring_inventory_path": ansibleHome + "/inventory",
	}, nil
}

// ansiblePassword returns the password, and stores it in a file, because an earlier run may have made the server.
func (d *demo) ansiblePassword() (string, error) {
	file := filepath.Join(d.Dir, "ansible-password")
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		b = []byte(rand.Text())
		err = os.WriteFile(file, b, 0o600)
	}
	return string(b), err
}

// unpack waits until a machine answers, logs in, and unpacks an archive there.
func unpack(ctx context.Context, address, password string, archive []byte, dir string) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	for {
		client, err := logIn(address, password)
		if err == nil {
			defer client.Close()
			return runWith(client, archive, "mkdir -p "+dir+" && tar xf - -C "+dir)
		}
		if pause(ctx) != nil {
			return err
		}
	}
}

func runWith(client *ssh.Client, stdin []byte, command string) error {
	session, err := client.NewSession()
	if err != nil {
		return err
	}
	defer session.Close()
	session.Stdin = bytes.NewReader(stdin)
	if out, err := session.CombinedOutput(command); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}
