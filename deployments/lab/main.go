// Command windlass-lab is a cloud in one process: the OpenStack APIs that Windlass uses. Its servers are real Linux
// machines or fake ones. It is for development and tests, never for production.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	err := newRoot().ExecuteContext(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "windlass-lab:", sentence(err))
		os.Exit(1)
	}
}

// sentence is the text of an error for an operator.
func sentence(err error) string {
	if e, ok := errors.AsType[*lcm.Error](err); ok {
		if e.Err != nil {
			return fmt.Sprintf("%s (%v)", e.Sentence(), e.Err)
		}
		return e.Sentence()
	}
	return err.Error()
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "windlass-lab",
		Short: "A cloud in a box for Windlass",
		Long: `windlass-lab is a cloud in a box. It serves Keystone, Heat, Nova, Neutron, Cinder and Glance on one port of
this host. It supports the requests that Windlass and the usual clients send.

The servers of this cloud are real or fake machines. Real machines are systemd-nspawn containers with their own
systemd, sshd and containerd; they need root. Fake machines are SSH servers that act like nodes; they need no root.`,
		Example: `  windlass-lab up                            # real machines; the first start builds their image
  windlass-lab up --machines fake --listen 127.0.0.1:0 --state-dir /tmp/lab
  eval "$(windlass-lab openrc)"              # sets OS_AUTH_URL, OS_PASSWORD ... for OpenStack clients
  windlass-lab vim > lab.yaml                # a file for windlass vim register --config
  windlass-lab status
  windlass-lab down                          # removes the machines, their networks and volumes, and the state`,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.AddCommand(newUp(), newDown(), newStatus(), newImage(), newOpenRC(), newVim())
	return root
}
