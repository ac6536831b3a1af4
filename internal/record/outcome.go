// Package record makes the record of a VNF (instantiatedVnfInfo, SOL003 clause 5.5.2.2): what an operation leaves of
// it, and what its cluster makes of it beside operations. It calls nobody: what is looked up comes with the operation.
package record

import (
	"time"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Outcome is what a completed operation leaves: ids and addresses, no parameter.
type Outcome struct {
	// Terminated empties the instance; the other members are unset then.
	Terminated bool `json:"terminated,omitempty"`
	// Modified makes the modifications of a MODIFY_INFO; the other members are unset then.
	Modified bool `json:"modified,omitempty"`
	// Operated is what an OPERATE has done so far; the other members are unset then.
	Operated *Operated `json:"operated,omitempty"`
	// Restored is set where a rollback has made resources of the VNF anew, and the rest is what exists after it.
	Restored bool `json:"restored,omitempty"`
	// Left is set where an operation was given up, and the rest is what exists after it.
	Left bool `json:"left,omitempty"`
	// Moved are the connection points that a CHANGE_EXT_CONN that was given up has connected.
	Moved        []string `json:"moved,omitempty"`
	DeploymentID string   `json:"stackId,omitempty"`
	Vnfcs        []Vnfc   `json:"vnfcs,omitempty"`
	// Networks are those of the deployment; nil where an older worker has looked.
	Networks []Network `json:"networks,omitempty"`
	Nodes    lcm.Nodes `json:"nodes,omitempty"`
	// Storage is the storage server of a cluster that has one.
	Storage *lcm.StorageServer `json:"storage,omitempty"`
	// Balancers are the external load balancers of a cluster that has some.
	Balancers lcm.Nodes `json:"balancers,omitempty"`
	// Registry is how clusters connect to a VNF that is a registry of images, nil where this operation has not found it
	// out.
	Registry *k8s.PrivateRegistry `json:"registry,omitempty"`
	// ExposedPorts are those of Services that a load balancer serves since this operation.
	ExposedPorts []int `json:"exposedPorts,omitempty"`
	// ClusterVimID is the VIM that the new cluster is registered as.
	ClusterVimID lcm.VimID `json:"clusterVimId,omitempty"`
}

// Operated are the VNFCs that were started or stopped, and those whose nodes were drained for it.
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
	// Part and ParentResource tell where the VIM keeps it; "" for a VM of the deployment itself.
	Part           string   `json:"stackId,omitempty"`
	ParentResource string   `json:"parentResource,omitempty"`
	VolumeIDs      []string `json:"volumeIds,omitempty"`
	// Attached are the volumes and ports of the deployment that the VM has.
	Attached []Attached `json:"attached,omitempty"`
	// Created is when the VIM made it.
	Created time.Time `json:"created,omitzero"`
	// VimType is the VIM's word for it (vimLevelResourceType).
	VimType string `json:"vimType,omitempty"`
}

// Attached is a volume or a port of a VM.
type Attached struct {
	Type string `json:"type"` // lcm.GrantStorage or lcm.GrantLinkPort
	// Resource is its name in the template, "" for a volume that the VIM has made itself.
	Resource string `json:"resource,omitempty"`
	ID       string `json:"id"`
	VimType  string `json:"vimType,omitempty"`
	// Of a port: the addresses that it has.
	MAC       string        `json:"mac,omitempty"`
	Addresses []lcm.FixedIP `json:"addresses,omitempty"`
}

// Network is a network that the deployment has made.
type Network struct {
	// Resource is its name in the template.
	Resource string `json:"resource"`
	ID       string `json:"id"`
	// Part tells where the VIM keeps it; "" for one of the deployment itself.
	Part    string `json:"stackId,omitempty"`
	VimType string `json:"vimType,omitempty"`
}

// InstantiatedVnf is what a VNF instance gains when it is instantiated.
type InstantiatedVnf struct {
	Info           lcm.InstantiatedVnfInfo
	VimConnections []lcm.VimConnectionInfo
	// Extensions and ConfigurableProperties are those of the instance with those of the request.
	Extensions, ConfigurableProperties map[string]any
	// ChangedInfo is what else of the instance the operation changes when it is complete; nil for nothing.
	ChangedInfo *lcm.VnfInfoModifications
	// Followed is set when the VNF's cluster changes it of itself, so that it is to be looked at regularly.
	Followed bool
	// Package is the one that the instance has from then on, nil when it stays.
	Package *lcm.VnfPkg
}
