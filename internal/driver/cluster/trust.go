package cluster

import (
	"crypto/sha256"
	"encoding/pem"

	"github.com/windlass-nfv/windlass/internal/drift"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Trust holds the CAs of a cluster: on its nodes, and in its registration as a VIM.
type Trust struct {
	// CAs maps the nodes that were seen to their certificates, in PEM; "" where there is none.
	CAs map[string]string
	// Registers is set when the cluster was registered as a VIM. Registered tells whether it still is. RegisteredCA is
	// the certificate of the registration.
	Registers, Registered bool
	RegisteredCA          string
}

// Compare compares the CA of the cluster with those of its nodes and of the registration. The CA of the cluster is the
// CA of most control planes.
func (t Trust) Compare(c *drift.Comparison) {
	votes, ca := map[string]int{}, ""
	for _, node := range c.Nodes.With(lcm.ControlPlane) {
		if print := fingerprint(t.CAs[node.Name]); print != "" {
			if votes[print]++; ca == "" || votes[print] > votes[ca] {
				ca = print
			}
		}
	}
	for _, node := range c.Nodes {
		own, seen := t.CAs[node.Name]
		if !seen || ca == "" {
			continue
		}
		switch fingerprint(own) {
		case ca:
		case "":
			c.About(node, lcm.DriftNodeCADiffers, "has no CA certificate of the cluster.")
		default:
			c.About(node, lcm.DriftNodeCADiffers, "has another CA certificate than the cluster.")
		}
	}
	switch {
	case !t.Registers:
	case !t.Registered:
		c.Add(lcm.DriftClusterVimUnregistered, "", "", "The cluster is not registered as a VIM any more.")
	case ca != "" && fingerprint(t.RegisteredCA) != ca:
		c.Add(lcm.DriftRegisteredCADiffers, "", "", "The cluster is registered as a VIM with another CA certificate "+
			"than it has: users of the VIM do not trust the cluster.")
	}
}

// fingerprint identifies certificates, however their PEM is written; "" for none.
func fingerprint(text string) string {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return ""
	}
	sum := sha256.Sum256(block.Bytes)
	return string(sum[:])
}
