package lcm

import "slices"

// StorageServer is the VM that exports volumes to the nodes of a cluster over NFS. It is an ordinary VNFC, and no node
// of the cluster. It holds no secret.
type StorageServer struct {
	// Node is its VM, with the role Storage; no cluster has a node of that name.
	Node Node `json:"node"`
	// Volumes are the exported volumes, in the order of cinder_volume_setup_params.
	Volumes []StorageVolume `json:"volumes,omitempty"`
	// Addresses are the server's addresses for the nodes, one for each connection point that nfs_server_cp names.
	Addresses []CpAddress `json:"addresses,omitempty"`
}

// StorageVolume is a volume of a storage server.
type StorageVolume struct {
	// ResourceID is the volume's name in the Base HOT. VolumeID is the VIM's id.
	ResourceID string `json:"resourceId"`
	VolumeID   string `json:"volumeId"`
	// ServerID is the server with the volume, "" when no server of the VNF has it.
	ServerID string `json:"serverId,omitempty"`
}

// CpAddress is the address of a connection point.
type CpAddress struct {
	Cp      string `json:"cp"`
	Address string `json:"address"`
}

// AddressOf returns the address of a connection point, "" when it is not known.
func (s *StorageServer) AddressOf(cp string) string {
	if s == nil {
		return ""
	}
	for _, a := range s.Addresses {
		if a.Cp == cp {
			return a.Address
		}
	}
	return ""
}

// AllAddresses returns the addresses under which nodes may have mounted an export, each once.
func (s *StorageServer) AllAddresses() (out []string) {
	if s == nil {
		return nil
	}
	add := func(address string) {
		if address != "" && !slices.Contains(out, address) {
			out = append(out, address)
		}
	}
	for _, a := range s.Addresses {
		add(a.Address)
	}
	add(s.Node.Address)
	return out
}

// VolumeIDs are the VIM's ids of the volumes, in order.
func (s *StorageServer) VolumeIDs() (out []string) {
	if s == nil {
		return nil
	}
	for _, v := range s.Volumes {
		out = append(out, v.VolumeID)
	}
	return out
}
