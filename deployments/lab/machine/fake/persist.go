package fake

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// saved is the state that Close writes and Recover reads. As after a shutdown of a host, disks are kept and running
// processes are lost.
type saved struct {
	Networks  map[string]machine.Network
	Machines  map[string]savedMachine
	Volumes   map[string]string
	Floating  map[string]machine.FloatingIP
	Clusters  map[string]savedCluster
	Balancers map[string]map[string]savedBalancer
	Disks     map[string]disk
	Servers   map[string]nfsServer // by machine
}

type savedMachine struct {
	Definition machine.Machine
	UserData   []byte // Definition leaves these two out
	AdminPass  string
	HostKey    []byte
	Hostname   string
	On         bool
	Devices    []string
	Files      map[string]savedFile
}

type savedFile struct {
	Content []byte
	Mode    uint32
}

type savedBalancer struct {
	Priority int
	Port     string
	Servers  []string
	Alone    bool
}

type savedCluster struct {
	Picture             Cluster
	CA                  string
	Tokens              map[string]string
	CertificateKey, Vim string
	// Etcd maps a member's peer URL to the machine with the member's data; "" when the data is lost.
	Etcd map[string]string
}

func (h *Hypervisor) file() string { return filepath.Join(h.dir, "fake-machines.json") }

// save runs before the machines are powered off.
func (h *Hypervisor) save() error {
	if h.dir == "" {
		return nil
	}
	h.mu.Lock()
	s := saved{
		Networks: h.networks, Volumes: h.volumes, Floating: h.floating, Machines: map[string]savedMachine{},
		Clusters: map[string]savedCluster{}, Balancers: map[string]map[string]savedBalancer{},
	}
	for id, m := range h.machines {
		s.Machines[id] = m.saved()
	}
	w := h.world
	h.mu.Unlock()
	w.saveInto(&s)
	content, err := json.Marshal(s)
	if err == nil {
		err = os.WriteFile(h.file(), content, 0o600)
	}
	if err != nil {
		return lcm.Wrap(lcm.KindUnavailable, err, "the fake machines cannot be saved in %s", h.file())
	}
	return nil
}

func (m *Machine) saved() savedMachine {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := savedMachine{
		Definition: m.def, UserData: m.def.UserData, AdminPass: m.def.AdminPass, HostKey: m.hostKey,
		Hostname: m.hostname, On: m.power != nil, Devices: m.devices, Files: map[string]savedFile{},
	}
	m.files.mu.Lock()
	defer m.files.mu.Unlock()
	for name, f := range m.files.all {
		if !strings.Contains(name, "/runner-") { // scripts install it again when it is missing
			s.Files[name] = savedFile{f.content, f.mode}
		}
	}
	return s
}

func (w *world) saveInto(s *saved) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for id, c := range w.clusters {
		s.Clusters[id] = savedCluster{
			Picture: c.picture(), CA: c.ca, Tokens: c.tokens, CertificateKey: c.certificateKey, Vim: c.vimToken,
			Etcd: c.etcdData(),
		}
	}
	s.Disks, s.Servers = map[string]disk{}, map[string]nfsServer{}
	for id, on := range w.disks {
		s.Disks[id] = *on
	}
	for m, server := range w.servers {
		s.Servers[m.id] = nfsServer{maps.Clone(server.Mounts), maps.Clone(server.Exports)}
	}
	for ip, balancers := range w.balancers {
		s.Balancers[ip] = map[string]savedBalancer{}
		for m, b := range balancers {
			s.Balancers[ip][m.id] = savedBalancer{b.priority, b.port, b.servers, b.alone}
		}
	}
}

// Recover boots the machines that were on when an earlier hypervisor with the same directory was closed.
func (h *Hypervisor) Recover(context.Context) error {
	if h.dir == "" {
		return nil
	}
	content, err := os.ReadFile(h.file())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var s saved
	if err == nil {
		err = json.Unmarshal(content, &s)
	}
	if err != nil {
		return lcm.Wrap(lcm.KindBroken, err, "the fake machines cannot be read from %s; remove it to begin anew", h.file())
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	maps.Copy(h.networks, s.Networks)
	maps.Copy(h.volumes, s.Volumes)
	maps.Copy(h.floating, s.Floating)
	for id, from := range s.Machines {
		if h.machines[id], err = h.restore(from); err != nil {
			return err
		}
	}
	h.world.restore(s, h.machines)
	for id, m := range h.machines {
		if s.Machines[id].On {
			if err := m.powerOn(h.bootDelay, h.addresses(m)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (h *Hypervisor) restore(from savedMachine) (*Machine, error) {
	def := from.Definition
	def.UserData, def.AdminPass = from.UserData, from.AdminPass
	m, err := newMachine(h, def, from.HostKey)
	if err != nil {
		return nil, err
	}
	m.hostname, m.devices = from.Hostname, from.Devices
	for name, f := range from.Files {
		m.files.write(name, f.Content, f.Mode)
	}
	return m, nil
}

func (w *world) restore(s saved, machines map[string]*Machine) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for id, from := range s.Clusters {
		c := &cluster{
			id: id, ca: from.CA, members: map[string]*member{}, etcd: map[string]*etcdMember{}, tokens: map[string]string{},
			certificateKey: from.CertificateKey, manifests: from.Picture.Manifests, vimToken: from.Vim,
			violations: from.Picture.Violations, pods: map[string]*Pod{}, volumes: map[string]*PersistentVolume{},
			classes: map[string]*StorageClass{},
		}
		for _, v := range from.Picture.PersistentVolumes {
			c.volumes[v.Name] = &v
		}
		for _, class := range from.Picture.StorageClasses {
			c.classes[class.Name] = &class
		}
		for _, pod := range from.Picture.Pods {
			c.pods[pod.key()] = &pod
		}
		maps.Copy(c.tokens, from.Tokens)
		for _, m := range from.Picture.Members {
			owner := machines[m.MachineID]
			if owner == nil { // a node object that outlived its machine
				owner = &Machine{id: m.MachineID, ice: newIce()}
				owner.gone.Store(true)
			}
			labels := map[string]string{}
			maps.Copy(labels, m.Labels)
			c.members[m.Node] = &member{
				machine: owner, address: m.Address, controlPlane: m.ControlPlane, joins: m.Joins, cordoned: m.Cordoned,
				labels: labels,
			}
		}
		for _, e := range from.Picture.EtcdMembers {
			host := machines[from.Etcd[e.PeerURL]]
			c.etcd[e.PeerURL] = &etcdMember{node: e.Node, started: e.Started, host: host, lost: host == nil}
		}
		w.clusters[id] = c
	}
	for id, on := range s.Disks {
		w.disks[id] = &on
	}
	for id, server := range s.Servers {
		if m := machines[id]; m != nil {
			w.servers[m] = &server
		}
	}
	for ip, balancers := range s.Balancers {
		w.balancers[ip] = map[*Machine]balancer{}
		for id, b := range balancers {
			if m := machines[id]; m != nil {
				w.balancers[ip][m] = balancer{b.Priority, b.Port, b.Servers, b.Alone}
			}
		}
	}
}
