package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"path"
	"time"

	"github.com/spf13/cobra"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// manner is how a command that makes an operation goes about it.
type manner struct {
	plan, watch, wait bool
	timeout           time.Duration
}

func (m *manner) addMannerFlags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&m.plan, "plan", false, "show what the operation would do, and do nothing")
	m.addWaitFlags(cmd)
}

// addWaitFlags is for commands after which an operation goes on.
func (m *manner) addWaitFlags(cmd *cobra.Command) {
	cmd.Flags().BoolVarP(&m.watch, "watch", "w", false, "show the progress until the operation has ended")
	cmd.Flags().BoolVar(&m.wait, "wait", false, "wait silently until the operation has ended")
	cmd.Flags().DurationVar(&m.timeout, "timeout", 0,
		"with --wait or --watch, longest time to wait, like 10m; after that the operation still goes on")
}

// check refuses a time limit for nothing.
func (m *manner) check(cmd *cobra.Command) error {
	if m.timeout > 0 && !m.wait && !m.watch {
		return usageErrorf(cmd, "--timeout is for --wait and --watch.")
	}
	return nil
}

// await waits for the end of an operation, as it was asked for.
func (c *cli) await(ctx context.Context, id string, how manner, w *watcher) error {
	if how.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, how.timeout, fmt.Errorf("the operation has not ended within %s; it "+
			"goes on. Follow it with: windlass op watch %s", how.timeout, id))
		defer cancel()
	}
	w.silent = !how.watch
	if err := c.watch(ctx, id, w); err != nil {
		return err
	}
	switch {
	case how.watch:
	case w.want == lcm.Completed:
		c.confirm("Operation %s has completed.", id)
	default:
		c.confirm("Operation %s is %s.", id, w.want)
	}
	return nil
}

// requestOf is the HTTP method and the path below the instance that take an operation's request.
func requestOf(op lcm.Operation) (method, path string) {
	if task := op.Type().Task; task != "" {
		return http.MethodPost, "/" + task
	}
	return http.MethodPatch, "" // a MODIFY_INFO patches the instance itself
}

// operate starts an operation, then prints or follows the operation in the Location header; or it shows the operation's
// plan.
func (c *cli) operate(cmd *cobra.Command, instance string, op lcm.Operation, request any, how manner) error {
	if err := how.check(cmd); err != nil {
		return err
	}
	if how.plan {
		return c.showPlan(cmd.Context(), instance, op, request)
	}
	method, path := requestOf(op)
	header, err := c.client.send(cmd.Context(), method, c.instancePath(instance)+path, request, nil)
	if err != nil {
		return err
	}
	return c.begun(cmd, header, how)
}

// cleanUp starts the operation that deletes the leftovers of a failed INSTANTIATE.
func (c *cli) cleanUp(cmd *cobra.Command, instance string, how manner) error {
	if err := how.check(cmd); err != nil {
		return err
	}
	if how.plan {
		return c.askPlan(cmd.Context(), instance, map[string]any{
			"operation": lcm.OpTerminate, "request": map[string]any{}, "leftovers": true,
		})
	}
	header, err := c.client.send(cmd.Context(), http.MethodPost, "/windlass/v1/vnf_instances/"+instance+"/clean_up",
		map[string]any{}, nil)
	if err != nil {
		return err
	}
	return c.begun(cmd, header, how)
}

// begun tells or follows an operation that has begun.
func (c *cli) begun(cmd *cobra.Command, header http.Header, how manner) error {
	location := header.Get("Location")
	id := path.Base(location)
	if how.watch || how.wait {
		return c.await(cmd.Context(), id, how, &watcher{want: lcm.Completed})
	}
	return c.print(map[string]string{"vnfLcmOpOccId": id, "location": location}, func(w io.Writer) {
		fmt.Fprintf(w, "Operation %s has begun. Follow it with: windlass op watch %s\n", id, id)
	})
}
