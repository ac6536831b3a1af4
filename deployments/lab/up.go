package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/windlass-nfv/windlass/deployments/lab/image"
	"github.com/windlass-nfv/windlass/deployments/lab/machine"
	"github.com/windlass-nfv/windlass/deployments/lab/machine/fake"
	"github.com/windlass-nfv/windlass/deployments/lab/machine/nspawn"
	"github.com/windlass-nfv/windlass/deployments/lab/openstack"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

const (
	machinesNspawn = "nspawn"
	machinesFake   = "fake"

	// imagePasswordEnv names the variable with the password of the images' user. Images made by Tacker's guides have such
	// a password. It is not a flag, because every user of the host can read arguments.
	imagePasswordEnv = "WINDLASS_LAB_IMAGE_PASSWORD"
)

// upOptions are the flags of up.
type upOptions struct {
	machines, listen, stateDir, passwordFile string
	image                                    image.Options
	aliases                                  []string
	region                                   string
	tokenLifetime                            time.Duration
	hosts                                    int
	net0, public                             string
	pace                                     string
	out                                      io.Writer
	log                                      *slog.Logger
}

func newUp() *cobra.Command {
	var o upOptions
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Run the lab until you stop it; its machines continue to run",
		Long: `Run the lab until SIGTERM or Ctrl-C. Its machines continue to run, and the next up finds them. down removes the
machines and the state. The lab keeps its state in the state directory, so you can kill it at any time.

The first start creates passwords for the users demo and admin, in a file that only you can read. For real machines it
also builds their image, which takes some minutes.

The environment variable WINDLASS_LAB_IMAGE_PASSWORD sets the password of the user debian in the image. Without it,
only user data and SSH keys give access.`,
		Example: `  windlass-lab up
  windlass-lab up --image-alias "Image for masterNode HA kubernetes"
  windlass-lab up --machines fake --pace lifelike --listen 127.0.0.1:0 --state-dir /tmp/lab`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.out = cmd.ErrOrStderr()
			o.log = slog.New(slog.NewTextHandler(o.out, nil))
			return up(cmd.Context(), o)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.machines, "machines", machinesNspawn, "`kind` of machines: nspawn (real; needs root) or fake")
	flags.StringVar(&o.listen, "listen", "127.0.0.1:5000", "`address` of all APIs; port 0 selects a free port")
	flags.StringVar(&o.stateDir, "state-dir", defaultStateDir(), "`directory` with the state of the lab")
	flags.StringVar(&o.passwordFile, "password-file", "",
		"`file` with the passwords of the users; the lab creates it if it does not exist; default: "+passwordFile+
			" in the state directory")
	imageFlags(cmd, &o.image)
	flags.StringArrayVar(&o.aliases, "image-alias", nil,
		"additional `name` of the image in Glance; you can repeat this flag")
	flags.StringVar(&o.region, "region", "RegionOne", "`name` of the region in the catalog")
	flags.DurationVar(&o.tokenLifetime, "token-lifetime", time.Hour, "`duration` of the validity of a token")
	flags.IntVar(&o.hosts, "compute-hosts", 5,
		"`number` of compute hosts in Nova; anti-affinity needs a host for each server")
	flags.StringVar(&o.net0, "net0", "",
		"`subnet` of the network net0; default: 10.78.0.0/24, or another free subnet; for fake machines a part of "+
			"127.78.0.0/16")
	flags.StringVar(&o.public, "public", "",
		"`subnet` of the external network; default: 10.78.255.0/24, or another free subnet; for fake machines the subnet "+
			"after net0")
	flags.StringVar(&o.pace, "pace", "instant",
		"`pace` of fake machines: instant, or lifelike (slower, for people who watch)")
	return cmd
}

func imageFlags(cmd *cobra.Command, o *image.Options) {
	cmd.Flags().StringVar(&o.Dir, "image-dir", image.DefaultDir, "`directory` with the built images")
	cmd.Flags().StringVar(&o.Source, "image-source", "", "`directory` with the repository of Windlass, for the build of "+
		"the image; default: the repository around the working directory or the program")
	cmd.Flags().StringVar(&o.Mirror, "mirror", "",
		"`URL` of a Debian mirror for the build of the image; default: the mirror of mmdebstrap")
}

// up runs the lab until ctx ends.
func up(ctx context.Context, o upOptions) (err error) {
	if o.machines != machinesNspawn && o.machines != machinesFake {
		return lcm.Errorf(lcm.KindInvalid, "--machines must be %s or %s, not %q.", machinesNspawn, machinesFake, o.machines)
	}
	if o.stateDir, err = filepath.Abs(o.stateDir); err != nil {
		return err
	}
	if o.passwordFile == "" {
		o.passwordFile = filepath.Join(o.stateDir, passwordFile)
	}
	lock, err := awaitStateDir(ctx, o.stateDir)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }() // releases the lock
	if before, err := readInfo(o.stateDir); err == nil && before.Machines != o.machines {
		return lcm.Errorf(lcm.KindConflict,
			"The lab in %s has %s machines; take it down first, or choose another --state-dir.", o.stateDir, before.Machines)
	}
	hypervisor, err := newHypervisor(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, hypervisor.Close()) }()
	return serve(ctx, o, hypervisor)
}

// newHypervisor makes the hypervisor that runs the machines.
func newHypervisor(ctx context.Context, o upOptions) (machine.Hypervisor, error) {
	if o.machines == machinesFake {
		f := fake.Options{Dir: filepath.Join(o.stateDir, fakeDir)}
		if err := os.MkdirAll(f.Dir, 0o700); err != nil {
			return nil, err
		}
		switch o.pace {
		case "lifelike":
			f.BootDelay, f.Work = 2*time.Second, fake.Lifelike
		case "instant":
		default:
			return nil, lcm.Errorf(lcm.KindInvalid, "--pace must be instant or lifelike, not %q.", o.pace)
		}
		return fake.New(f), nil
	}
	o.image.Progress = o.out
	img, err := image.Ensure(ctx, o.image)
	if err != nil {
		return nil, err
	}
	return nspawn.New(nspawn.Options{StateDir: o.stateDir, Image: img, Log: o.log})
}

// images are the names that Glance lists.
func (o upOptions) images() []string { return append(openstack.DefaultImages(), o.aliases...) }
