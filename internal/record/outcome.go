// Package record makes the record of a VNF (instantiatedVnfInfo, SOL003 clause 5.5.2.2): after an operation, and after
// changes that its cluster made on its own. It makes no calls: the operation brings all data that must be looked up.
package record

import (
	"time"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Outcome is the result of a completed operation: ids and addresses, no parameters.
type Outcome struct {
	// Terminated empties the instance; the other members are then unset.
	Terminated bool `json:"terminated,omitempty"`
	// Modified makes the modifications of a MODIFY_INFO; the other members are then unset.
	Modified bool `json:"modified,omitempty"`
	// Operated is the progress of an OPERATE; the other members are then unset.
	Operated *Operated `json:"operated,omitempty"`
	// Restored is set when a rollback made resources of the VNF anew. The other members describe the VNF after the
	// rollback.
	Restored bool `json:"restored,omitempty"`
	// Left is set when an operation was given up. The other members describe what exists afterwards.
	Left bool `json:"left,omitempty"`
	// NothingLeft is set when an INSTANTIATE was given up and its VIM has nothing of it; the other members are then
	// unset.
	NothingLeft bool `json:"nothingLeft,omitempty"`
	// Moved are the connection points that a CHANGE_EXT_CONN connected before it was given up.
	Moved        []string `json:"moved,omitempty"`
	DeploymentID string   `json:"stackId,omitempty"`
	Vnfcs        []Vnfc   `json:"vnfcs,omitempty"`
	// Networks are the networks of the deployment; nil when an older worker made the outcome.
	Networks []Network `json:"networks,omitempty"`
	Nodes    lcm.Nodes `json:"nodes,omitempty"`
	// Storage is the storage server of a cluster that has one.
	Storage *lcm.StorageServer `json:"storage,omitempty"`
	// Balancers are the external load balancers of a cluster that has some.
	Balancers lcm.Nodes `json:"balancers,omitempty"`
	// Registry says how clusters connect to a VNF that is a registry of images. It is nil when this operation did not
	// determine it.
	Registry *k8s.PrivateRegistry `json:"registry,omitempty"`
	// ExposedPorts are the Service ports that a load balancer serves since this operation.
	ExposedPorts []int `json:"exposedPorts,omitempty"`
	// ClusterVimID is the VIM that the new cluster is registered as.
	ClusterVimID lcm.VimID `json:"clusterVimId,omitempty"`
}

// Operated are the started or stopped VNFCs, and among them the ones with a drained node.
type Operated struct {
	ChangeStateTo lcm.VnfState `json:"changeStateTo"`
	Vnfcs         []string     `json:"vnfcs,omitempty"`
	Cordoned      []string     `json:"cordoned,omitempty"`
}

// Vnfc is one VM of the VNF.
type Vnfc struct {
	VduID    string `json:"vduId"`
	ServerID string `json:"serverId"`
	// Zone is the VM's availability zone.
	Zone string `json:"zone,omitempty"`
	// Part and ParentResource are the VM's place in the VIM's deployment; "" for a VM of the deployment itself.
	Part           string   `json:"stackId,omitempty"`
	ParentResource string   `json:"parentResource,omitempty"`
	VolumeIDs      []string `json:"volumeIds,omitempty"`
	// Attached are the VM's volumes and ports that belong to the deployment.
	Attached []Attached `json:"attached,omitempty"`
	// Created is when the VIM made it.
	Created time.Time `json:"created,omitzero"`
	// VimType is the VIM's type of the VM (vimLevelResourceType).
	VimType string `json:"vimType,omitempty"`
}

// Attached is a volume or a port of a VM.
type Attached struct {
	Type string `json:"type"` // lcm.GrantStorage or lcm.GrantLinkPort
	// Resource is its name in the template, "" for a volume that the VIM made itself.
	Resource string `json:"resource,omitempty"`
	ID       string `json:"id"`
	VimType  string `json:"vimType,omitempty"`
	// The addresses of a port.
	MAC       string        `json:"mac,omitempty"`
	Addresses []lcm.FixedIP `json:"addresses,omitempty"`
}

// Network is a network that the deployment made.
type Network struct {
	// Resource is its name in the template.
	Resource string `json:"resource"`
	ID       string `json:"id"`
	// Part is the network's place in the VIM's deployment; "" for a network of the deployment itself.
	Part    string `json:"stackId,omitempty"`
	VimType string `json:"vimType,omitempty"`
}

// InstantiatedVnf is what an operation writes into a VNF instance.
type InstantiatedVnf struct {
	Info           lcm.InstantiatedVnfInfo
	VimConnections []lcm.VimConnectionInfo
	// Extensions and ConfigurableProperties are the instance's, with those of the request merged in.
	Extensions, ConfigurableProperties map[string]any
	// ChangedInfo holds the other changes of the instance when the operation is complete; nil for none.
	ChangedInfo *lcm.VnfInfoModifications
	// Followed is set when the VNF's cluster changes it on its own. Then Windlass must look at it regularly.
	Followed bool
	// Package is the new package of the instance, nil when the package stays.
	Package *lcm.VnfPkg
}
