package reach

import (
	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// NodeInput names the node to work on.
type NodeInput struct {
	activities.Tracked
	OpOccID lcm.OpOccID `json:"opOccId"`
	Node    lcm.Node    `json:"node"`
}

// ClusterInput names the control planes. The first working control plane does the work.
type ClusterInput struct {
	activities.Tracked
	OpOccID       lcm.OpOccID `json:"opOccId"`
	ControlPlanes lcm.Nodes   `json:"controlPlanes"`
}

// HostEntry is a node's address with its host name.
type HostEntry struct {
	Name    string `json:"name"`
	Address string `json:"address"`
}

// HostEntries makes the entries of all nodes, in their order.
func HostEntries(nodes lcm.Nodes) []HostEntry {
	entries := make([]HostEntry, 0, len(nodes))
	for _, node := range nodes {
		entries = append(entries, HostEntry{node.Name, node.Address})
	}
	return entries
}
