package lifecycle

import (
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Description is what a workflow needs to know to choose its steps. It holds no parameter.
type Description struct {
	// State and Sequence are what was recorded of the operation so far.
	State       lcm.OperationState `json:"state"`
	Sequence    int64              `json:"sequence"`
	ForwardOnly bool               `json:"forwardOnly,omitempty"`
	// Refused is why the operation is rolled back before it does anything: the VNFD does not allow the attributes that
	// the VNF instance would have. nil when it does, and of an operation that has begun.
	Refused *lcm.Error `json:"refused,omitempty"`
	// LeftBehind is set for an INSTANTIATE before which one was given up, so that what that one made may be there.
	LeftBehind bool `json:"leftBehind,omitempty"`
	// Steps are the operation's list: the one that is kept, or the one that will be.
	Steps []Step `json:"steps"`
	// ServerIDs are the servers that the instance has before the operation.
	ServerIDs []string `json:"serverIds,omitempty"`
	// Cluster is set when the VNF is a Kubernetes cluster that Windlass's own driver builds.
	Cluster bool `json:"cluster,omitempty"`
	// Balanced is set when something is before the cluster that is none of its nodes, CloudBalanced when it is the
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
	// Whole is set when a heal makes the entire VNF anew, or an OPERATE is about all of it.
	Whole bool `json:"whole,omitempty"`
	// ControlPlanes is set when control planes come or go, start or stop. Which ones these are is decided later.
	ControlPlanes bool `json:"controlPlanes,omitempty"`
	// ChangeStateTo is what an OPERATE makes of servers.
	ChangeStateTo lcm.VnfState `json:"changeStateTo,omitempty"`
	// Stopped are the servers that were stopped on purpose before the operation.
	Stopped []string `json:"stopped,omitempty"`
	// GrantPatience is how long an NFVO may take to grant the operation; 0 when Windlass grants it itself.
	GrantPatience time.Duration `json:"grantPatience,omitempty"`
}
