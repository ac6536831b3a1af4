package locate

import (
	"slices"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// FindStorage finds the storage server of the request in the deployment; nil when the request asks for none.
func FindStorage(inv *vim.Inventory, p k8s.Params) (*lcm.StorageServer, error) {
	params := p.StorageServer
	if params == nil {
		return nil, nil
	}
	node, err := NodeOf(inv, inv.ID, lcm.Storage,
		k8s.NodeParams{SSHCpName: params.SSHCpName, NicCpName: params.NicCpName})
	if err != nil {
		return nil, err
	}
	s := &lcm.StorageServer{Node: node}
	for _, v := range params.Volumes {
		volume, err := FindVolume(inv, v.VolumeResourceID)
		if err != nil {
			return nil, err
		}
		s.Volumes = append(s.Volumes, *volume)
	}
	for _, cp := range nfsServerCps(p) {
		port, err := PortNamed(inv, inv.ID, cp)
		if err != nil {
			return nil, err
		}
		s.Addresses = append(s.Addresses, lcm.CpAddress{Cp: cp, Address: port.Address})
	}
	return s, nil
}

// FindVolume finds a volume outside of any group by its name in the template, with the server that it is attached to.
func FindVolume(inv *vim.Inventory, name string) (*lcm.StorageVolume, error) {
	r, ok := inv.In(inv.ID, name)
	if !ok || r.ID == "" {
		return nil, Missing(name, "volume_resource_id")
	}
	return &lcm.StorageVolume{ResourceID: name, VolumeID: r.ID, ServerID: holderOf(inv, r.ID)}, nil
}

// nfsServerCps are the connection points whose addresses go into volumes, each once.
func nfsServerCps(p k8s.Params) (out []string) {
	add := func(cp string) {
		if !slices.Contains(out, cp) {
			out = append(out, cp)
		}
	}
	for _, pv := range p.PersistentVolumes {
		add(pv.NFSServerCp)
	}
	for _, class := range p.StorageClasses {
		add(class.NFSServerCp)
	}
	return out
}

// holderOf returns the deployment's server that a volume is attached to, "" for none.
func holderOf(inv *vim.Inventory, volume string) string {
	for _, r := range inv.OfKind(vim.Compute) {
		if slices.Contains(inv.Servers[r.ID].VolumeIDs, volume) {
			return r.ID
		}
	}
	return ""
}
