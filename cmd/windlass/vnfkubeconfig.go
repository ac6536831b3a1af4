package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/spf13/cobra"
)

func newVnfKubeconfig(c *cli) *cobra.Command {
	var lifetime time.Duration
	cmd := &cobra.Command{
		Use:   "kubeconfig ID",
		Short: "Print a kubeconfig for the cluster of a VNF instance",
		Long: `Print a kubeconfig for the cluster of a VNF instance. Every call makes a new credential. With it a
client can do everything in the cluster until --duration is over. Nobody can revoke it before. The audit shows who
asked for it. The cluster must be registered as a VIM: the last step of its instantiation does so.`,
		Example: `  (umask 077; windlass vnf kubeconfig edge-1 > edge-1.kubeconfig); kubectl --kubeconfig edge-1.kubeconfig get nodes
  windlass vnf kubeconfig edge-1 --duration 10m`,
		Args: exactly("ID"),
	}
	cmd.Flags().DurationVar(&lifetime, "duration", time.Hour, "how `long` the credential is valid, 10m to 24h")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if lifetime < 10*time.Minute || lifetime > 24*time.Hour {
			return usageErrorf(cmd, "--duration must be 10m to 24h, not %s.", lifetime)
		}
		var raw json.RawMessage
		if _, err := c.client.send(cmd.Context(), http.MethodPost, "/windlass/v1/vnf_instances/"+args[0]+"/kubeconfig",
			map[string]int{"expirationSeconds": int(lifetime.Seconds())}, &raw); err != nil {
			return err
		}
		if c.structured() {
			return c.print(raw, nil)
		}
		var made struct {
			Kubeconfig string `json:"kubeconfig"`
		}
		if err := json.Unmarshal(raw, &made); err != nil {
			return err
		}
		_, err := fmt.Fprint(c.out, made.Kubeconfig)
		return err
	}
	return cmd
}
