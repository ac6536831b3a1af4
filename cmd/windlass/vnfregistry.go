package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

func newVnfRegistry(c *cli) *cobra.Command {
	var onlyCA bool
	cmd := &cobra.Command{
		Use:   "registry ID",
		Short: "Show the parameters with which clusters connect to a registry of images",
		Long: `Show the parameters with which clusters connect to a registry of images, and the certificate of its
CA. With --json this is the parameter private_registry_connection_info of a cluster; add a user and a password if
the registry requires them. --ca prints the CA's certificate alone, in PEM.`,
		Example: `  windlass vnf registry registry --json
  windlass vnf registry registry --ca > ca.crt`,
		Args: exactly("ID"),
	}
	cmd.Flags().BoolVar(&onlyCA, "ca", false, "print the certificate of the registry's CA, and nothing else")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var raw json.RawMessage
		if err := c.client.get(cmd.Context(), c.instancePath(args[0]), &raw); err != nil {
			return err
		}
		i, err := decode[vnfInstance](raw)
		if err != nil {
			return err
		}
		connections := i.registry()
		if len(connections) == 0 {
			return errors.New("this VNF has no registry of images by Windlass. If the address of a registry has " +
				"changed, heal the VNF first")
		}
		if onlyCA {
			return c.printCA(connections[0])
		}
		return c.printRegistry(connections)
	}
	return cmd
}

// registry is how clusters connect to the VNF, nothing when it is no registry of images.
func (i vnfInstance) registry() []k8s.PrivateRegistry {
	if i.InstantiatedVnfRef == nil {
		return nil
	}
	for _, v := range i.InstantiatedVnfRef.Vnfcs {
		if len(v.Metadata.Registry) > 0 {
			return v.Metadata.Registry
		}
	}
	return nil
}

func (c *cli) printCA(r k8s.PrivateRegistry) error {
	if r.CACertificate == "" {
		return errors.New("Windlass has made no CA for this registry: the request has its certificate, or it speaks HTTP") //nolint:staticcheck // a name
	}
	_, err := fmt.Fprintln(c.out, r.CACertificate)
	return err
}

func (c *cli) printRegistry(connections []k8s.PrivateRegistry) error {
	r := connections[0]
	err := c.print(map[string]any{lcm.RegistriesKey: connections}, func(w io.Writer) {
		field(w, "Server", r.Server)
		field(w, "Protocol", map[bool]string{true: "HTTPS", false: "HTTP"}[r.HTTPS()])
		field(w, "/etc/hosts", r.HostsString)
	})
	if err == nil && r.CACertificate != "" && !c.structured() {
		_, err = fmt.Fprintln(c.out, r.CACertificate)
	}
	return err
}
