package fake

import (
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// disk is the content of a volume. It outlives the machines that use the volume.
type disk struct {
	UUID string
	// Made counts the file systems made on it.
	Made int
	// CA is the CA that a registry has left on the volume.
	CA *authority
}

// nfsServer is the NFS state of a machine.
type nfsServer struct {
	Mounts  map[string]string   // volume id -> directory
	Exports map[string][]string // directory -> networks
}

// Disk describes a volume with a file system.
type Disk struct {
	VolumeID string `json:"volumeId"`
	UUID     string `json:"uuid"`
	// Made counts the file systems made on it: more than one means that data was lost.
	Made int `json:"made"`
	// MachineID and Directory say where the disk is mounted.
	MachineID string `json:"machineId,omitempty"`
	Directory string `json:"directory,omitempty"`
}

// NFSExport describes a directory that a machine exports.
type NFSExport struct {
	MachineID string   `json:"machineId"`
	Directory string   `json:"directory"`
	Networks  []string `json:"networks"`
}

// Storage describes all disks and exports.
type Storage struct {
	Disks   []Disk      `json:"disks"`
	Exports []NFSExport `json:"exports"`
}

// Storage returns all disks and exports.
func (h *Hypervisor) Storage() Storage {
	w := h.locked()
	defer w.mu.Unlock()
	s := Storage{Disks: []Disk{}, Exports: []NFSExport{}}
	for _, id := range slices.Sorted(maps.Keys(w.disks)) {
		s.Disks = append(s.Disks, Disk{VolumeID: id, UUID: w.disks[id].UUID, Made: w.disks[id].Made})
	}
	for m, server := range w.servers {
		for i, at := range s.Disks {
			if dir, mounted := server.Mounts[at.VolumeID]; mounted {
				s.Disks[i].MachineID, s.Disks[i].Directory = m.id, dir
			}
		}
		for dir, networks := range server.Exports {
			s.Exports = append(s.Exports, NFSExport{m.id, dir, networks})
		}
	}
	slices.SortFunc(s.Exports, func(a, b NFSExport) int {
		return strings.Compare(a.Directory+a.MachineID,
			b.Directory+b.MachineID)
	})
	return s
}

func (h *Hypervisor) checkStorageServer(_ context.Context, m *Machine, p ScriptParams) Result {
	p.Print("the NFS server will be the kernel's")
	if address := p.Get("ADDRESS"); !m.hasAddress(address) {
		problem := "no interface has the address " + address + "; the image must configure the port that nic_cp_name names"
		p.Print("problem: %s", problem)
		p.Result("problem", base64.StdEncoding.EncodeToString([]byte(problem)))
	}
	return Result{}
}

func (h *Hypervisor) setUpVolumes(_ context.Context, m *Machine, p ScriptParams) Result {
	w, fstab := h.state(), ""
	var missing []string
	for entry := range strings.FieldsSeq(p.Get("VOLUMES")) {
		if id, _, _ := strings.Cut(entry, "="); h.holderOf(id) != m.id {
			missing = append(missing, id)
		}
	}
	if len(missing) > 0 {
		return p.Fail(1, "no disk of this machine is the volume %s: none has its id as serial number; see that it is "+
			"attached", strings.Join(missing, " or "))
	}
	for entry := range strings.FieldsSeq(p.Get("VOLUMES")) {
		id, dir, _ := strings.Cut(entry, "=")
		made, content := w.mount(m, id, dir)
		if made {
			p.Print("the volume %s (%s) is empty: making a file system (ext4)", id, m.device(id))
		} else {
			p.Print("the volume %s (%s) holds a file system (ext4): it is kept", id, m.device(id))
		}
		fstab += fmt.Sprintf("UUID=%s %s ext4 defaults,nofail 0 2\n", content.UUID, dir)
		p.Result("volume", strings.Join([]string{id, m.device(id), "ext4", yesNo(made)}, "|"))
	}
	m.WriteFile("/etc/fstab", []byte(fstab), 0o644)
	return Result{}
}

// holderOf returns the machine that a volume is attached to.
func (h *Hypervisor) holderOf(volume string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.volumes[volume]
}

// mount mounts a volume; it makes a file system on an empty volume.
func (w *world) mount(m *Machine, id, dir string) (made bool, content disk) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.disks[id] == nil {
		w.disks[id] = &disk{UUID: uuid.NewString()}
	}
	on := w.disks[id]
	if on.Made == 0 {
		on.Made, made = 1, true
	}
	w.server(m).Mounts[id] = dir
	return made, *on
}

// mounts reports whether a volume is mounted at that directory of a machine.
func (w *world) mounts(m *Machine, dir string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.volumeAt(m, dir) != ""
}

// volumeAt returns the volume that is mounted at a directory, "" for none. The caller holds w.mu.
func (w *world) volumeAt(m *Machine, dir string) string {
	for id, at := range w.server(m).Mounts {
		if at == dir {
			return id
		}
	}
	return ""
}

// server returns the NFS state of a machine. The caller holds w.mu.
func (w *world) server(m *Machine) *nfsServer {
	if w.servers[m] == nil {
		w.servers[m] = &nfsServer{Mounts: map[string]string{}, Exports: map[string][]string{}}
	}
	return w.servers[m]
}

func (h *Hypervisor) exportVolumes(_ context.Context, m *Machine, p ScriptParams) Result {
	w := h.locked()
	defer w.mu.Unlock()
	server, exports := w.server(m), map[string][]string{}
	for entry := range strings.FieldsSeq(p.Get("EXPORTS")) {
		dir, networks, _ := strings.Cut(entry, "=")
		mounts := strings.Fields(p.Get("MOUNTS"))
		on := func(mount string) bool { return dir == mount || strings.HasPrefix(dir, mount+"/") }
		switch at := slices.IndexFunc(mounts, on); {
		case at < 0:
			return p.Fail(65, "%s is on none of the volumes, which are mounted to %s", dir, strings.Join(mounts, ", "))
		case !slices.Contains(slices.Collect(maps.Values(server.Mounts)), mounts[at]):
			return p.Fail(1, "the volume of %s is not mounted; see that it is attached", mounts[at])
		}
		exports[dir] = strings.Split(networks, ",")
	}
	server.Exports = exports
	p.Result("server", "kernel")
	return Result{}
}

func (h *Hypervisor) mountExports(_ context.Context, m *Machine, p ScriptParams) Result {
	for entry := range strings.FieldsSeq(p.Get("EXPORTS")) {
		address, dir, _ := strings.Cut(entry, "=")
		other := h.machineAt(address)
		if other == nil || !other.works() {
			return p.Fail(1, "%s of the storage server cannot be mounted from %s: Connection timed out; see that its security "+
				"group lets this node in (TCP 2049)", dir, address)
		}
		networks, exported := h.state().exported(other, dir)
		switch {
		case !exported:
			return p.Fail(1, "%s of the storage server cannot be mounted from %s: No such file or directory; see that its "+
				"security group lets this node in (TCP 2049)", dir, address)
		case !m.isIn(networks):
			return p.Fail(1, "the storage server does not let this node mount %s (access denied by server); see that the "+
				"network of this node is in export_to", dir)
		}
		p.Print("%s:%s can be mounted and written to", address, dir)
	}
	return Result{}
}

// exported returns the networks that a machine exports a directory to.
func (w *world) exported(m *Machine, dir string) (networks []string, exported bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.servers[m] != nil {
		networks, exported = w.servers[m].Exports[dir]
	}
	return networks, exported
}

// isIn reports whether one of the machine's addresses is in one of the networks.
func (m *Machine) isIn(networks []string) bool {
	for _, network := range networks {
		prefix, err := netip.ParsePrefix(network)
		for _, port := range m.ports() {
			for _, ip := range port.FixedIPs {
				if address, bad := netip.ParseAddr(ip); ip == network || err == nil && bad == nil && prefix.Contains(address) {
					return true
				}
			}
		}
	}
	return false
}

// dropStorage removes the mounts and exports of a deleted machine; disks stay. The caller holds w.mu.
func (w *world) dropStorage(m *Machine) {
	for _, c := range w.clusters {
		for _, v := range c.volumes {
			if v.Phase == "Bound" && m.hasAddress(v.Server) && (v.Provisioner == "" || c.uses(v)) {
				c.violate("the storage server %s was deleted while %s was bound", m.Name(), v.Name)
			}
		}
	}
	delete(w.servers, m)
}

// forgetDisk removes the disk of a deleted volume.
func (w *world) forgetDisk(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.disks, id)
}
