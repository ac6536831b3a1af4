package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
	"github.com/windlass-nfv/windlass/deployments/lab/machine/fake"
	"github.com/windlass-nfv/windlass/deployments/lab/openstack"
	"github.com/windlass-nfv/windlass/deployments/lab/state"
	"github.com/windlass-nfv/windlass/internal/freeport"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// grace is how long requests may take to finish when the lab stops.
const grace = 10 * time.Second

// serve answers requests until ctx ends.
func serve(ctx context.Context, o upOptions, hypervisor machine.Hypervisor) (err error) {
	sub, err := takeSubnets(ctx, o)
	if err != nil {
		return err
	}
	defer sub.release()
	secrets, err := ensurePasswords(o.passwordFile)
	if err != nil {
		return err
	}
	listener, err := listen(ctx, o)
	if err != nil {
		return err
	}
	defer func() { _ = listener.Close() }() // the server closes it, unless it never started
	store, err := state.Open(filepath.Join(o.stateDir, databaseFile))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	here := info{
		PID: os.Getpid(), URL: "http://" + listener.Addr().String(), Listen: listener.Addr().String(), Machines: o.machines,
		PasswordFile: o.passwordFile, Region: o.region, Net0: sub.net0.String(), Public: sub.public.String(),
	}
	cloud, err := openstack.New(openstack.Config{
		Store: store, Machines: hypervisor, Endpoint: here.URL, Region: o.region, DemoPassword: secrets.Demo,
		AdminPassword: secrets.Admin,
		TokenLifetime: o.tokenLifetime, Images: o.images(), Net0: sub.net0, Public: sub.public, ComputeHosts: o.hosts,
		Log:           o.log,
		ImagePassword: os.Getenv(imagePasswordEnv),
	})
	if err != nil {
		return err
	}
	defer cloud.Close()
	// Before the first machine: from here on, down must know what kind of lab this is.
	if err := here.write(o.stateDir); err != nil {
		return err
	}
	if err := cloud.Recover(ctx); err != nil {
		return err
	}
	if err := forgetFakes(o.stateDir); err != nil {
		return err
	}
	here.Ready = true
	if err := here.write(o.stateDir); err != nil {
		return err
	}
	fmt.Fprintf(o.out, "The lab answers at %s/identity/v3 with %s machines. windlass-lab openrc --state-dir %s tells how "+
		"to log in.\n", here.URL, o.machines, o.stateDir)
	err = answer(ctx, listener, handler(cloud, hypervisor))
	here.PID, here.Ready = 0, false
	return errors.Join(err, here.write(o.stateDir))
}

// forgetFakes deletes the record of the fake machines that the last lab wrote when it stopped. The new lab has read it
// by now. If this lab is killed later, the next lab must not boot machines from an old record.
func forgetFakes(stateDir string) error {
	dir := filepath.Join(stateDir, fakeDir)
	if _, err := os.Stat(dir); err != nil {
		return nil //nolint:nilerr // real machines
	}
	return errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o700))
}

// listen opens the port. For "any free port", it prefers the port that this lab had before, because clients know it. It
// takes another port if that one is in use.
func listen(ctx context.Context, o upOptions) (net.Listener, error) {
	var config net.ListenConfig
	if host, port, err := net.SplitHostPort(o.listen); err == nil && port == "0" {
		if free, err := freeport.Find(ctx, host); err == nil {
			o.listen = net.JoinHostPort(host, strconv.Itoa(free))
		}
		if before, err := readInfo(o.stateDir); err == nil && before.Listen != "" {
			if l, err := config.Listen(ctx, "tcp", before.Listen); err == nil {
				return l, nil
			}
		}
	}
	l, err := config.Listen(ctx, "tcp", o.listen)
	if err != nil {
		return nil, lcm.Wrap(lcm.KindConflict, err, "The lab cannot listen on %s; choose another --listen.", o.listen)
	}
	return l, nil
}

func handler(cloud *openstack.Cloud, hypervisor machine.Hypervisor) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", cloud.Handler())
	if d, isFake := hypervisor.(*fake.Hypervisor); isFake {
		scripts(mux, d)
	}
	return mux
}

func answer(ctx context.Context, l net.Listener, h http.Handler) error {
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	if err := server.Shutdown(stopping); err != nil {
		return server.Close() // the remaining requests are clients that wait
	}
	return nil
}
