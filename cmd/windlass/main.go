// Command windlass is the VNF Manager: its servers, all of Windlass on one machine (dev), and the client.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/windlass-nfv/windlass/internal/userdata"
)

func main() {
	if userdata.IsChild() { // this process is to become Python
		fmt.Fprintln(os.Stderr, userdata.Confine())
		os.Exit(1)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], terminal(os.Stdin, os.Stdout, os.Stderr))
	stop()
	os.Exit(code)
}

// console is the input, the output and the clock of commands.
type console struct {
	in       io.Reader
	out, err io.Writer
	// size is the size of the terminal; 0, 0 if out is no terminal.
	size func() (width, height int)
	now  func() time.Time
	// relist is the pause of lists with --watch between two looks.
	relist time.Duration
	// slowAfter is the time after which the client reports that the API does not answer.
	slowAfter time.Duration
}

func run(ctx context.Context, args []string, con *console) int {
	defer enterProfile(args)()
	root := newRoot(con)
	root.SetArgs(args)
	return exitCode(con.err, root.ExecuteContext(ctx))
}

func newRoot(con *console) *cobra.Command {
	root := &cobra.Command{
		Use:   "windlass",
		Short: "A VNF Manager: ETSI NFV SOL003 on OpenStack and Kubernetes",
		Long: `Windlass is a VNF Manager. It instantiates, scales, heals and terminates VNFs on OpenStack and Kubernetes
through the ETSI NFV SOL003 API; every lifecycle operation is one durable workflow that survives the death of any
process.`,
		Example: `  windlass dev                                  # everything on this machine
  windlass package create vnfpkg/samples/k8s-ha # build, upload and on-board a package
  windlass vnf create "Kubernetes cluster" --name edge-1
  windlass vnf instantiate edge-1 request.json --watch
  windlass op list --state FAILED_TEMP
  windlass op retry edge-1`,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetIn(con.in)
	root.SetOut(con.out)
	root.SetErr(con.err)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usageErrorf(cmd, "%s", sentence(flagMistake(err)))
	})
	root.AddGroup(&cobra.Group{ID: "server", Title: "Servers:"}, &cobra.Group{ID: "client", Title: "Client commands:"})
	for _, cmd := range []*cobra.Command{newAPIServer(), newWorker(), newMigrate(), newDev(con), newKeys(con)} {
		cmd.GroupID = "server"
		refuseUnknown(cmd)
		root.AddCommand(cmd)
	}
	c := &cli{console: con}
	for _, cmd := range []*cobra.Command{
		newVnf(c), newOp(c), newPackage(c), newVim(c), newSubscription(c), newAudit(c), newProfile(c),
	} {
		cmd.GroupID = "client"
		c.addFlags(cmd)
		c.addNames(cmd)
		c.addCompletion(cmd)
		refuseUnknown(cmd)
		root.AddCommand(cmd)
	}
	check := newMigrateCheck(con)
	check.GroupID = "client"
	version := newVersion(c)
	c.addFlags(version)
	root.AddCommand(check, version)
	return root
}
