package main

import (
	"net/http"
	"net/url"

	"github.com/spf13/cobra"
)

func newVnfForgetHostKey(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "forget-host-key ID VNFC",
		Short: "Accept another SSH host key of a VNFC whose VM was rebuilt",
		Long: `Forget the SSH host key that Windlass has kept since its first contact with the VM of a VNFC. Do so
only if you know that somebody has rebuilt the VM: otherwise another machine may have its address. Windlass keeps
the key that the VM shows at the next contact. VNFC is an id in 'windlass vnf show', or the name of the node.`,
		Example: "  windlass vnf forget-host-key edge-1 worker-3f2a91c0",
		Args:    exactly("ID", "VNFC"),
		RunE: func(cmd *cobra.Command, args []string) error {
			path := "/windlass/v1/vnf_instances/" + url.PathEscape(args[0]) + "/host_keys/" + url.PathEscape(args[1])
			if _, err := c.client.send(cmd.Context(), http.MethodDelete, path, nil, nil); err != nil {
				return err
			}
			c.confirm("Windlass has forgotten the host key of %s, and keeps the key that it shows at the next contact.", args[1])
			return nil
		},
	}
}
