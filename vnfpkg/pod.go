package vnfpkg

import (
	"slices"
)

// Pod is what the Pods of a VDU of containers are, where the VNFD says it (SOL001 v4: OsContainerDeployableUnit).
type Pod struct {
	// Kind is the workload's: KindDeployment or KindStatefulSet.
	Kind string `json:"kind"`
	// Name is what the workload is called on the cluster (mcio_identification_data), "" for a name of its own in each
	// VNF.
	Name string `json:"name,omitempty"`
	// Namespace is where the workload is, "" to leave that to the request and the VIM.
	Namespace string            `json:"namespace,omitempty"`
	Labels    map[string]string `json:"labels,omitempty"`
	// Nodes are the labels of the nodes on which the Pods may be.
	Nodes []NodeLabel `json:"nodes,omitempty"`
	// Containers are ordered as the VNFD has them; there is one at least.
	Containers []Container `json:"containers"`
	// Autoscaling is set where the cluster decides how many Pods there are.
	Autoscaling *Autoscaling `json:"autoscaling,omitempty"`
}

// The kinds of workloads that VNFDs may name (SOL001: McioIdentificationData).
const (
	KindDeployment  = "Deployment"
	KindStatefulSet = "StatefulSet"
)

// Container is one container of a Pod (SOL001: Vdu.OsContainer).
type Container struct {
	// ID is the node of the VNFD, Name what the container is called on the cluster.
	ID   string `json:"id"`
	Name string `json:"name"`
	// Image is a reference, as "registry.example/web:1.0".
	Image Word `json:"image"`
	// Software is the artifact that tells of the image; nil when there is none.
	Software *SwImage `json:"software,omitempty"`
	Command  []Word   `json:"command,omitempty"`
	Args     []Word   `json:"args,omitempty"`
	// Env are variables of the environment; Config becomes a ConfigMap, whose members are variables, too.
	Env    map[string]Word `json:"env,omitempty"`
	Config map[string]Word `json:"config,omitempty"`
	Ports  []ContainerPort `json:"ports,omitempty"`
	// Requests and Limits are quantities, by the names that Kubernetes has for resources.
	Requests map[string]string `json:"requests,omitempty"`
	Limits   map[string]string `json:"limits,omitempty"`
}

// ContainerPort is one on which a container listens.
type ContainerPort struct {
	Name     string `json:"name,omitempty"`
	Protocol string `json:"protocol"` // "TCP", "UDP" or "SCTP"
	Port     int    `json:"port"`
}

// Autoscaling is a policy by which a cluster decides how many Pods a VDU has.
type Autoscaling struct {
	Min int `json:"min"`
	Max int `json:"max"`
	// CPU is the use of the processors, in percent of what containers request, that is aimed at.
	CPU int `json:"cpu"`
}

// Service is an address of VDUs on the cluster: of a VirtualCp, or of the ports that a VDU maps.
type Service struct {
	ID string `json:"id"`
	// Name is what it is called on the cluster, "" for a name of its own in each VNF.
	Name  string        `json:"name,omitempty"`
	Type  string        `json:"type,omitempty"` // "" for ClusterIP
	Vdus  []string      `json:"vdus"`
	Ports []ServicePort `json:"ports"`
}

// ServicePort is one port of a Service.
type ServicePort struct {
	Name     string `json:"name"`
	Protocol string `json:"protocol"` // "TCP", "UDP" or "SCTP"
	Port     int    `json:"port"`
	// Target is the port of the containers.
	Target int `json:"target"`
}

// Chart is a Helm chart of the package that makes VDUs (SOL001: Mciop).
type Chart struct {
	ID string `json:"id"`
	// File is the path of the archive, or of the folder, in the package.
	File string   `json:"file"`
	Vdus []string `json:"vdus,omitempty"`
}

// Described are the VDUs whose Pods the VNFD describes, without those that charts of the package make.
func (f *Flavour) Described() (out []Vdu) {
	for _, v := range f.Vdus {
		if v.Pod != nil && !f.charted(v.ID) {
			out = append(out, v)
		}
	}
	return out
}

func (f *Flavour) charted(vdu string) bool {
	return slices.ContainsFunc(f.Charts, func(c Chart) bool { return slices.Contains(c.Vdus, vdu) })
}

// ContainerImages are those of a VDU's containers, by the ids of these, as far as the VNFD tells of them.
func (v Vdu) ContainerImages() map[string]*SwImage {
	out := map[string]*SwImage{}
	if v.Pod == nil {
		return out
	}
	for _, c := range v.Pod.Containers {
		if c.Software != nil {
			out[c.ID] = c.Software
		}
	}
	return out
}

// HasContainer tells whether a node of the VNFD is a container of the VDU.
func (v Vdu) HasContainer(id string) bool {
	return v.Pod != nil && slices.ContainsFunc(v.Pod.Containers, func(c Container) bool { return c.ID == id })
}
