package descriptor

import (
	"slices"
)

// Pod describes the Pods of a VDU of containers, if the VNFD describes them (SOL001 v4: OsContainerDeployableUnit).
type Pod struct {
	// Kind is the workload's: KindDeployment or KindStatefulSet.
	Kind string `json:"kind"`
	// Name is the workload's name on the cluster (mcio_identification_data). If it is "", each VNF has its own name.
	Name string `json:"name,omitempty"`
	// Namespace is the workload's namespace; "" leaves the choice to the request and the VIM.
	Namespace string            `json:"namespace,omitempty"`
	Labels    map[string]string `json:"labels,omitempty"`
	// Nodes are the labels of the nodes that the Pods may run on.
	Nodes []NodeLabel `json:"nodes,omitempty"`
	// Containers are in the order of the VNFD; there is at least one.
	Containers []Container `json:"containers"`
	// Autoscaling is set if the cluster decides the number of Pods.
	Autoscaling *Autoscaling `json:"autoscaling,omitempty"`
}

// The kinds of workloads that VNFDs may name (SOL001: McioIdentificationData).
const (
	KindDeployment  = "Deployment"
	KindStatefulSet = "StatefulSet"
)

// Container is one container of a Pod (SOL001: Vdu.OsContainer).
type Container struct {
	// ID is the node name in the VNFD, Name the container's name on the cluster.
	ID   string `json:"id"`
	Name string `json:"name"`
	// Image is a reference, e.g. "registry.example/web:1.0".
	Image Word `json:"image"`
	// Software is the artifact that describes the image; nil if there is none.
	Software *SwImage `json:"software,omitempty"`
	Command  []Word   `json:"command,omitempty"`
	Args     []Word   `json:"args,omitempty"`
	// Env are environment variables. Config becomes a ConfigMap, whose members are environment variables, too.
	Env    map[string]Word `json:"env,omitempty"`
	Config map[string]Word `json:"config,omitempty"`
	Ports  []ContainerPort `json:"ports,omitempty"`
	// Requests and Limits are quantities by Kubernetes' resource names.
	Requests map[string]string `json:"requests,omitempty"`
	Limits   map[string]string `json:"limits,omitempty"`
}

// ContainerPort is a port on which a container listens.
type ContainerPort struct {
	Name     string `json:"name,omitempty"`
	Protocol string `json:"protocol"` // "TCP", "UDP" or "SCTP"
	Port     int    `json:"port"`
}

// Autoscaling is a policy that lets a cluster decide how many Pods a VDU has.
type Autoscaling struct {
	Min int `json:"min"`
	Max int `json:"max"`
	// CPU is the target CPU use, in percent of the containers' requests.
	CPU int `json:"cpu"`
}

// Service is a Kubernetes Service for VDUs: from a VirtualCp, or from the ports that a VDU maps.
type Service struct {
	ID string `json:"id"`
	// Name is the Service's name on the cluster. If it is "", each VNF has its own name.
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
	// File is the path in the package of the archive or the folder.
	File string   `json:"file"`
	Vdus []string `json:"vdus,omitempty"`
}

// Described are the VDUs whose Pods the VNFD describes, except those that charts of the package make.
func (f *Flavour) Described() (out []Vdu) {
	for _, v := range f.Vdus {
		if v.Pod != nil && !f.Charted(v.ID) {
			out = append(out, v)
		}
	}
	return out
}

// Charted tells whether a chart of the package makes a VDU.
func (f *Flavour) Charted(vdu string) bool {
	return slices.ContainsFunc(f.Charts, func(c Chart) bool { return slices.Contains(c.Vdus, vdu) })
}

// ContainerImages are the images of a VDU's containers that the VNFD describes, by the containers' ids.
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

// NodeLabel is a label of the nodes that the Pods of a VDU may run on.
type NodeLabel struct {
	Key string `json:"key"`
	// Value is the value of the label, "" for any.
	Value string `json:"value,omitempty"`
	// Preferred is set if the Pods may also run on a node without the label.
	Preferred bool `json:"preferred,omitempty"`
}

// Autoscale leaves the number of Pods to the cluster. What the VNFD says of it elsewhere stays.
func (v *Vdu) Autoscale(a Autoscaling, begins int) {
	v.Pod.Autoscaling = &a
	if v.MinInstances == 0 && v.MaxInstances == 0 {
		v.MinInstances, v.MaxInstances = a.Min, a.Max
	}
	if begins > 0 && v.InitialInstances == nil {
		v.InitialInstances = &begins
	}
}

// Kubernetes' names for the resources of a container.
const (
	ResourceCPU     = "cpu"
	ResourceMemory  = "memory"
	ResourceStorage = "ephemeral-storage"
)
