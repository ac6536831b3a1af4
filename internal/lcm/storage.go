package lcm

import "slices"

// StorageServer is the VM that exports volumes to the nodes of a cluster over NFS. It is a VNFC as others are,
// and no node of the cluster. It holds no secret.
type StorageServer struct {
	// Node is its VM, of the role Storage; no cluster has a node of that name.
	Node Node `json:"node"`
	// Volumes are those that it exports, in the order of cinder_volume_setup_params.
	Volumes []StorageVolume `json:"volumes,omitempty"`
	// Addresses are where nodes find it: one for each connection point that nfs_server_cp names.
	Addresses []CpAddress `json:"addresses,omitempty"`
}

// StorageVolume is a volume of a storage server.
type StorageVolume struct {
	// ResourceID is its name in the Base HOT, VolumeID the VIM's id.
	ResourceID string `json:"resourceId"`
	VolumeID   string `json:"volumeId"`
	// ServerID is the server that it is attached to, "" when there is none in the VNF.
	ServerID string `json:"serverId,omitempty"`
}

// CpAddress is the address of a connection point.
type CpAddress struct {
	Cp      string `json:"cp"`
	Address string `json:"address"`
}

// AddressOf is the address of a connection point, "" when it is not known.
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

// AllAddresses are the addresses under which nodes may have mounted an export, each once.
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
