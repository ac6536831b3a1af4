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

	// imagePasswordEnv names the variable with the password that images give their user, as those have that
	// Tacker's guides make. It is no flag: arguments can be read by everybody.
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
		Short: "Run the lab until it is told to stop; its machines run on",
		Long: `Run the lab until SIGTERM or Ctrl-C. Its machines run on, and the next up finds them; down takes everything
away. What the lab knows is in the state directory, so it can be killed at any moment.

The first time, passwords of the users demo and admin are made and kept in a file that only you can read,
and (for real machines) the image of the machines is built, which takes some minutes.

WINDLASS_LAB_IMAGE_PASSWORD in the environment is the password that the image gives the user debian. Without it
only user data and keys open a login.`,
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
	flags.StringVar(&o.machines, "machines", machinesNspawn, "`kind` of machines: nspawn (real, needs root) or fake")
	flags.StringVar(&o.listen, "listen", "127.0.0.1:5000", "`address` of all APIs; port 0 takes any free one")
	flags.StringVar(&o.stateDir, "state-dir", defaultStateDir(), "`directory` of the lab's state")
	flags.StringVar(&o.passwordFile, "password-file", "",
		"`file` with the users' passwords, made when absent; default: "+passwordFile+" in the state directory")
	imageFlags(cmd, &o.image)
	flags.StringArrayVar(&o.aliases, "image-alias", nil,
		"further `name` under which Glance knows the image; may be repeated")
	flags.StringVar(&o.region, "region", "RegionOne", "`name` of the region in the catalog")
	flags.DurationVar(&o.tokenLifetime, "token-lifetime", time.Hour, "how long a token is valid")
	flags.IntVar(&o.hosts, "compute-hosts", 5,
		"`number` of hosts that Nova claims to have; anti-affinity needs as many as servers")
	flags.StringVar(&o.net0, "net0", "",
		"`subnet` of the network net0; default: 10.78.0.0/24, or another that is free; for fake machines a part of "+
			"127.78.0.0/16")
	flags.StringVar(&o.public, "public", "",
		"`subnet` of the external network; default: 10.78.255.0/24, or another that is free; for fake machines beside net0")
	flags.StringVar(&o.pace, "pace", "instant", "`pace` of fake machines: instant, or lifelike for people who watch")
	return cmd
}

func imageFlags(cmd *cobra.Command, o *image.Options) {
	cmd.Flags().StringVar(&o.Dir, "image-dir", image.DefaultDir, "`directory` of built images")
	cmd.Flags().StringVar(&o.Source, "image-source", "", "`directory` of Windlass's repository, from which the image is "+
		"built; default: that around the working directory or the program")
	cmd.Flags().StringVar(&o.Mirror, "mirror", "",
		"`URL` of a Debian mirror for building the image; default: that of mmdebstrap")
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
	defer func() { _ = lock.Close() }() // ends the lock
	if before, err := readInfo(o.stateDir); err == nil && before.Machines != o.machines {
		return lcm.Errorf(lcm.KindConflict,
			"The lab in %s has %s machines; take it down first, or choose another --state-dir.", o.stateDir, before.Machines)
	}
	driver, err := newDriver(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, driver.Close()) }()
	return serve(ctx, o, driver)
}

// newDriver makes what runs the machines.
func newDriver(ctx context.Context, o upOptions) (machine.Driver, error) {
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
