package lcm

import "fmt"

// ClusterOfParam is the member of a VIM's extra that names the VNF instance of the cluster.
const ClusterOfParam = "windlass_cluster_of"

// VimName is the name under which a driver registers a cluster as a VIM.
type VimName struct {
	// Name is "" if the driver registers none. Path is where the request gives the name.
	Name, Path string
}

// VimNameHolder is the holder of a VIM's name: a registered VIM, or an operation that will register one.
type VimNameHolder struct {
	VimID         VimID
	OpOccID       OpOccID
	VnfInstanceID VnfInstanceID
}

// Reserved returns the error for a client that registers a VIM under a name that an operation will use; nil when none
// will.
func (h VimNameHolder) Reserved(name string) error {
	if h.OpOccID == "" {
		return nil
	}
	return Errorf(KindConflict, "The operation %s on the VNF instance %s will register a VIM named %q: choose another "+
		"name.", h.OpOccID, h.VnfInstanceID, name)
}

// Problem returns the error for an operation that asks for the name; nil when nobody has it.
func (h VimNameHolder) Problem(asked VimName) error {
	p, name := Problem{Path: asked.Path}, asked.Name
	switch {
	case h == VimNameHolder{}:
		return nil
	case h.VimID != "":
		p.Detail = fmt.Sprintf("there is a VIM named %q already (%s): choose another name, or rename that one at /v1.0/vims",
			name, h.VimID)
	default:
		p.Detail = fmt.Sprintf("the operation %s on the VNF instance %s will register a VIM named %q: choose another name",
			h.OpOccID, h.VnfInstanceID, name)
	}
	return &Error{
		Kind: KindInvalid, Unprocessable: true, Detail: "The request cannot be carried out", Problems: []Problem{p},
	}
}
