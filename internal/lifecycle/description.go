package lifecycle

import (
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Description holds what a workflow needs to choose its steps. It holds no parameter.
type Description struct {
	// State and Sequence are the last recorded ones of the operation.
	State       lcm.OperationState `json:"state"`
	Sequence    int64              `json:"sequence"`
	ForwardOnly bool               `json:"forwardOnly,omitempty"`
	// Refused says why the operation is rolled back before it does anything: the VNFD does not allow the attributes that
	// the VNF instance would have. It is nil when the VNFD allows them, and when the operation has begun.
	Refused *lcm.Error `json:"refused,omitempty"`
	// LeftBehind is set for an INSTANTIATE after an earlier one was given up: resources of that one may exist.
	LeftBehind bool `json:"leftBehind,omitempty"`
	// VimTypes are the types of the VNF's VIM connections, if they choose among several kinds of VIMs.
	VimTypes []string `json:"vimTypes,omitempty"`
	// Steps are the operation's list: the stored list, or the list that will be stored.
	Steps []Step `json:"steps"`
	// ServerIDs are the servers that the instance has before the operation.
	ServerIDs []string `json:"serverIds,omitempty"`
	// Cluster is set when Windlass's own driver builds the VNF as a Kubernetes cluster.
	Cluster bool `json:"cluster,omitempty"`
	// Balanced is set when a load balancer that is no node stands before the cluster. CloudBalanced is set when it is the
	// cloud's.
	Balanced      bool `json:"balanced,omitempty"`
	CloudBalanced bool `json:"cloudBalanced,omitempty"`
	// Exposed are the ports of VNFs on the cluster that its load balancers serve.
	Exposed []lcm.ExposedPorts `json:"exposed,omitempty"`
	// HighlyAvailable is set when the cluster has a load balancer and a virtual IP.
	HighlyAvailable bool `json:"highlyAvailable,omitempty"`
	// Nodes are the cluster's nodes before the operation, in the order in which they are configured.
	Nodes lcm.Nodes `json:"nodes,omitempty"`
	// StorageServer is the cluster's storage server before the operation, nil when there is none.
	StorageServer *lcm.StorageServer `json:"storageServer,omitempty"`
	// ClusterVimID is the VIM as which the cluster is registered.
	ClusterVimID lcm.VimID `json:"clusterVimId,omitempty"`
	// Whole is set when a heal makes the entire VNF anew, or when an OPERATE is about the whole VNF.
	Whole bool `json:"whole,omitempty"`
	// ControlPlanes is set when control planes come or go, start or stop. A later step decides which ones.
	ControlPlanes bool `json:"controlPlanes,omitempty"`
	// ChangeStateTo is the state that an OPERATE gives servers.
	ChangeStateTo lcm.VnfState `json:"changeStateTo,omitempty"`
	// Stopped are the servers that were stopped on purpose before the operation.
	Stopped []string `json:"stopped,omitempty"`
	// GrantPatience is how long an NFVO may take to grant the operation; 0 when Windlass grants it itself.
	GrantPatience time.Duration `json:"grantPatience,omitempty"`
}
