package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/flannel-io/flannel/pkg/lease"
)

// writeCNI writes the list of CNI's plugins for a node's share of an IPv6 network. flannel's own plugin would make the
// same list, but the release that the lab has knows IPv4 only.
func writeCNI(file string, of *lease.Lease, mtu int) error {
	list := map[string]any{
		"name": "cbr0", "cniVersion": "1.0.0",
		"plugins": []any{
			map[string]any{
				"type": "bridge", "bridge": "cni0", "mtu": mtu, "isDefaultGateway": true, "hairpinMode": true,
				"ipam": map[string]any{
					"type": "host-local", "ranges": []any{[]any{map[string]any{"subnet": of.IPv6Subnet.String()}}},
				},
			},
			map[string]any{"type": "portmap", "capabilities": map[string]any{"portMappings": true}},
		},
	}
	text, err := json.Marshal(list)
	if err != nil {
		return err
	}
	// The container runtime reads the directory at any time: only a whole file has the name.
	written := filepath.Join(filepath.Dir(file), "."+filepath.Base(file))
	if err := os.WriteFile(written, text, 0o600); err != nil {
		return err
	}
	if err := os.Rename(written, file); err != nil {
		return fmt.Errorf("write %s: %w", file, err)
	}
	return nil
}
