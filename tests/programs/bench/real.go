package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// real compares how long Windlass and a plain script take to make the same cluster from the same stack on the same lab.
// Both times begin when the stack is complete.
func (b *bench) real(ctx context.Context) (err error) {
	if can, err := b.canBeReal("the real cluster"); !can {
		return err
	}
	bed, err := newBed(ctx, "nspawn")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, bed.close()) }()
	var windlass, script []time.Duration
	for run := range max(1, b.runs) {
		turns := []func() error{
			func() error {
				took, err := bed.byWindlass(ctx)
				windlass = append(windlass, took)
				return err
			},
			func() error {
				took, err := bed.byScript(ctx)
				script = append(script, took)
				return err
			},
		}
		if run%2 == 1 { // the two ways alternate in being first, because the second finds warm caches
			turns[0], turns[1] = turns[1], turns[0]
		}
		for _, turn := range turns {
			if err := turn(); err != nil {
				return err
			}
		}
	}
	b.compare("instantiate_real_3_2", median(windlass), median(script), "s", "ratio 1.15")
	return nil
}

// byWindlass returns the time from the complete stack to COMPLETED.
func (b *bed) byWindlass(ctx context.Context) (time.Duration, error) {
	say("Windlass makes a cluster ...")
	op, err := b.instantiate(ctx, 1)
	if err != nil {
		return 0, err
	}
	steps, err := b.steps(ctx, op)
	if err != nil {
		return 0, err
	}
	showSteps(steps)
	var complete time.Time
	for _, s := range steps {
		if s.Title == stackStep && s.Node == "" {
			complete = s.Ended
		}
	}
	if complete.IsZero() {
		return 0, fmt.Errorf("the operation has no step %q", stackStep)
	}
	took := op.StateEntered.Sub(complete)
	say("Windlass took %.1f s after the stack was complete.", took.Seconds())
	_, err = b.terminate(ctx, op.vnf)
	return took, err
}

func showSteps(steps []step) {
	for _, s := range steps {
		if s.Node == "" {
			say("  %5.1f s  %s", s.Ended.Sub(s.Started).Seconds(), s.Title)
		}
	}
}

// stackStep is the title of the step after which both times begin.
const stackStep = "Create the infrastructure"

// byScript returns the time that the script takes after the stack is complete.
func (b *bed) byScript(ctx context.Context) (took time.Duration, err error) {
	say("A script makes a cluster ...")
	heat, err := b.heat(ctx)
	if err != nil {
		return 0, err
	}
	stack, err := heat.definition("baseline", 1)
	if err != nil {
		return 0, err
	}
	id, addresses, err := heat.create(ctx, stack)
	if id != "" {
		defer func() { err = errors.Join(err, heat.delete(context.WithoutCancel(ctx), stack.name, id)) }()
	}
	if err != nil {
		return 0, err
	}
	began := time.Now()
	if err := b.script(ctx, addresses, "baseline.sh"); err != nil {
		return 0, err
	}
	took = time.Since(began)
	say("The script took %.1f s after the stack was complete.", took.Seconds())
	return took, nil
}

// script runs one of the scripts that do the same as Windlass.
func (b *bed) script(ctx context.Context, at outputs, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, "bash", append([]string{filepath.Join(b.Root, "tests/programs/bench", name)}, args...)...)
	cmd.Env = append(os.Environ(), "SSHPASS="+b.password, "VIP="+at.APIAddress,
		"FILES="+filepath.Join(b.Root, "vnfpkg/samples/k8s-ha/Files/kubernetes"),
		"CONTROL_PLANES="+strings.Join(at.ControlPlanes, " "), "WORKERS="+strings.Join(at.Workers, " "))
	var errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = os.Stderr, &errs
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, errs.String())
	}
	return nil
}

// canBeReal reports whether real machines are possible here; otherwise it notes what is not measured.
func (b *bench) canBeReal(what string) (bool, error) {
	if os.Geteuid() != 0 {
		b.notes = append(b.notes, "Not measured: "+what+", which needs root.")
		return false, nil
	}
	if _, err := exec.LookPath("sshpass"); err != nil {
		return false, errors.New("the script logs in with sshpass; install it: apt-get install sshpass")
	}
	return true, nil
}
