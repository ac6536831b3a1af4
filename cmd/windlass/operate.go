package main

import (
	"fmt"
	"io"
	"net/http"
	"path"

	"github.com/spf13/cobra"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// manner is how a command that makes an operation goes about it.
type manner struct{ plan, watch bool }

func (m *manner) addMannerFlags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&m.plan, "plan", false, "show what the operation would do, and do nothing")
	cmd.Flags().BoolVarP(&m.watch, "watch", "w", false, "show the progress until the operation has ended")
}

// taskPath is the resource below the instance to which an operation's request is posted; a MODIFY_INFO patches the
// instance itself.
func taskPath(op lcm.Operation) string {
	return map[lcm.Operation]string{
		lcm.OpInstantiate: "/instantiate", lcm.OpScale: "/scale", lcm.OpScaleToLevel: "/scale_to_level", lcm.OpHeal: "/heal",
		lcm.OpOperate: "/operate", lcm.OpChangeExtConn: "/change_ext_conn", lcm.OpChangeVnfPkg: "/change_vnfpkg",
		lcm.OpTerminate: "/terminate",
	}[op]
}

// methodOf is the HTTP method of an operation's request.
func methodOf(op lcm.Operation) string {
	if op == lcm.OpModifyInfo {
		return http.MethodPatch
	}
	return http.MethodPost
}

// operate begins an operation, and tells or follows what the Location header names; or shows its plan.
func (c *cli) operate(cmd *cobra.Command, instance string, op lcm.Operation, request any, how manner) error {
	if how.plan {
		return c.showPlan(cmd.Context(), instance, op, request)
	}
	header, err := c.client.send(cmd.Context(), methodOf(op), c.instancePath(instance)+taskPath(op), request, nil)
	if err != nil {
		return err
	}
	location := header.Get("Location")
	id := path.Base(location)
	if how.watch {
		return c.watch(cmd.Context(), id, &watcher{want: lcm.Completed})
	}
	return c.print(map[string]string{"vnfLcmOpOccId": id, "location": location}, func(w io.Writer) {
		fmt.Fprintf(w, "Operation %s has begun. Follow it with: windlass op watch %s\n", id, id)
	})
}
