package fake

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"maps"
	"math/big"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"
)

// world is the state that the machines of one lab share: clusters and virtual IPs.
type world struct {
	mu        sync.Mutex
	clusters  map[string]*cluster
	balancers map[string]map[*Machine]balancer // by virtual IP
	disks     map[string]*disk                 // by volume id
	servers   map[*Machine]*nfsServer
	plays     []*Play
}

// balancer is HAProxy and keepalived on one machine.
type balancer struct {
	priority int
	port     string
	servers  []string // "name address" of HAProxy's backends
	alone    bool     // keepalived is stopped and has released the virtual IP
}

// cluster models a Kubernetes cluster as far as scripts observe it.
type cluster struct {
	id             string
	ca             string // PEM
	members        map[string]*member
	etcd           map[string]*etcdMember // by peer URL
	tokens         map[string]string      // token -> operation
	certificateKey string
	manifests      []string
	asked          string // the address of the control plane that kubespray asks, "" for any
	vimToken       string
	pods           map[string]*Pod // by namespace/name
	volumes        map[string]*PersistentVolume
	classes        map[string]*StorageClass
	violations     []string
}

type member struct {
	machine      *Machine
	address      string
	controlPlane bool
	joins        int
	cordoned     bool
	labels       map[string]string
}

type etcdMember struct {
	node    string
	started bool
	machine *Machine // the machine that joins; nil once the member has started
	host    *Machine // the machine with its data
	lost    bool     // its data is gone
}

func (e *etcdMember) works() bool { return e.started && !e.lost && e.host != nil && e.host.works() }

// Cluster describes a cluster.
type Cluster struct {
	ID                 string       `json:"id"`
	Members            []Member     `json:"members"`
	EtcdMembers        []EtcdMember `json:"etcdMembers"`
	Tokens             []string     `json:"-"`
	CertificatesShared bool         `json:"certificatesShared"`
	Manifests          []string     `json:"manifests"`
	VimAccount         bool         `json:"vimAccount"`
	Balancers          []Balancer   `json:"balancers"`
	Pods               []Pod        `json:"pods"`

	PersistentVolumes []PersistentVolume `json:"persistentVolumes"`
	StorageClasses    []StorageClass     `json:"storageClasses,omitempty"`

	// Violations are effects that would harm a real cluster. Examples: a second init, a second join of one node, two
	// control planes that join at once, or the removal of one during its join. Also: the deletion of a machine that etcd
	// needs or that was not drained, the deletion of a node that still takes pods, and a lost quorum.
	Violations []string `json:"violations"`
}

// Member is a node of a cluster.
type Member struct {
	Node         string            `json:"node"`
	MachineID    string            `json:"machineId"`
	Address      string            `json:"address"`
	ControlPlane bool              `json:"controlPlane"`
	Joins        int               `json:"joins"` // more than one means a repeated effect
	Ready        bool              `json:"ready"`
	Cordoned     bool              `json:"cordoned"`
	Labels       map[string]string `json:"labels"`
	// Hosts are the entries of its /etc/hosts without localhost, "address name", in the file's order.
	Hosts []string `json:"hosts"`
	// Registries are the image registries that it is configured for.
	Registries []string `json:"registries,omitempty"`
}

// EtcdMember is a member of etcd. A member that has not started comes from an interrupted join.
type EtcdMember struct {
	PeerURL string `json:"peerUrl"`
	Node    string `json:"node"`
	Started bool   `json:"started"`
}

// Clusters describes all clusters, by id.
func (h *Hypervisor) Clusters() []Cluster {
	w := h.locked()
	defer w.mu.Unlock()
	var all []Cluster
	for _, id := range slices.Sorted(maps.Keys(w.clusters)) {
		picture := w.clusters[id].picture()
		picture.Balancers = w.balancersOf(w.clusters[id])
		all = append(all, picture)
	}
	return all
}

// VirtualIPs maps each virtual IP to the id of the machine that holds it, "" when none does.
func (h *Hypervisor) VirtualIPs() map[string]string {
	w := h.locked()
	defer w.mu.Unlock()
	holders := map[string]string{}
	for ip := range w.balancers {
		holders[ip] = ""
		if holder := w.holder(ip); holder != nil {
			holders[ip] = holder.id
		}
	}
	return holders
}

func (h *Hypervisor) state() *world {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.world
}

// locked returns the state of all clusters with its lock held.
func (h *Hypervisor) locked() *world {
	w := h.state()
	w.mu.Lock()
	return w
}

func newWorld() *world {
	return &world{
		clusters: map[string]*cluster{}, balancers: map[string]map[*Machine]balancer{},
		disks: map[string]*disk{}, servers: map[*Machine]*nfsServer{},
	}
}

func (c *cluster) picture() Cluster {
	p := Cluster{
		ID: c.id, Tokens: slices.Sorted(maps.Keys(c.tokens)), CertificatesShared: c.certificateKey != "",
		Manifests: slices.Clone(c.manifests), VimAccount: c.vimToken != "", Violations: slices.Clone(c.violations),
	}
	for _, node := range slices.Sorted(maps.Keys(c.members)) {
		m := c.members[node]
		p.Members = append(p.Members, Member{
			Node: node, MachineID: m.machine.id, Address: m.address, ControlPlane: m.controlPlane,
			Joins: m.joins, Ready: c.ready(node), Cordoned: m.cordoned, Labels: maps.Clone(m.labels), Hosts: m.machine.hosts(),
			Registries: m.machine.registries(),
		})
	}
	for _, name := range slices.Sorted(maps.Keys(c.pods)) {
		p.Pods = append(p.Pods, *c.pods[name])
	}
	for _, name := range slices.Sorted(maps.Keys(c.volumes)) {
		p.PersistentVolumes = append(p.PersistentVolumes, *c.volumes[name])
	}
	for _, name := range slices.Sorted(maps.Keys(c.classes)) {
		p.StorageClasses = append(p.StorageClasses, *c.classes[name])
	}
	for _, url := range slices.Sorted(maps.Keys(c.etcd)) {
		p.EtcdMembers = append(p.EtcdMembers, EtcdMember{url, c.etcd[url].node, c.etcd[url].started})
	}
	return p
}

// ready reports a node's state as kubelet does once there is a pod network.
func (c *cluster) ready(node string) bool {
	m := c.members[node]
	return m != nil && m.machine.works() && m.machine.isMember(c.id) && len(c.manifests) > 0
}

// quorum reports whether a majority of the etcd members works.
func (c *cluster) quorum() bool {
	voters, alive := 0, 0 // a learner that has not started has no vote
	for _, e := range c.etcd {
		if !e.started {
			continue
		}
		voters++
		if e.works() {
			alive++
		}
	}
	return alive > voters/2
}

func (c *cluster) violate(format string, args ...any) {
	c.violations = append(c.violations, fmt.Sprintf(format, args...))
}

func (c *cluster) controlPlanes() int {
	count := 0
	for _, m := range c.members {
		if m.controlPlane {
			count++
		}
	}
	return count
}

// join adds a node to the cluster or renews its membership.
func (c *cluster) join(node, address string, m *Machine, controlPlane bool) {
	joins, labels := 0, map[string]string{}
	if old := c.members[node]; old != nil {
		joins, labels = old.joins, old.labels
		c.violate("%s joined %d times", node, joins+1)
	}
	if controlPlane {
		labels["node-role.kubernetes.io/control-plane"] = ""
		c.etcd[peerURL(address)] = &etcdMember{node: node, started: true, host: m}
	}
	c.members[node] = &member{machine: m, address: address, controlPlane: controlPlane, joins: joins + 1, labels: labels}
}

// leave acts out kubeadm reset.
func (c *cluster) leave(node, address string) {
	delete(c.members, node)
	delete(c.etcd, peerURL(address))
}

func peerURL(address string) string {
	if strings.Contains(address, ":") {
		address = "[" + address + "]"
	}
	return "https://" + address + ":2380"
}

// holder returns the machine that has the virtual IP: the working machine with the highest priority.
func (w *world) holder(ip string) *Machine {
	var best *Machine
	for m, b := range w.balancers[ip] {
		if !m.works() || b.alone {
			continue
		}
		// At equal priority, VRRP prefers the higher address. Here any fixed order is enough.
		if best == nil || b.priority > w.balancers[ip][best].priority || b.priority == w.balancers[ip][best].priority &&
			m.id > best.id {
			best = m
		}
	}
	return best
}

// answers reports whether m reaches the virtual IP. Neutron drops its frames unless the holder's port allows the
// address.
func (w *world) answers(m *Machine, ip string) bool {
	holder := w.holder(ip)
	return holder != nil && (holder == m || holder.allows(ip))
}

func (m *Machine) allows(ip string) bool {
	address, err := netip.ParseAddr(ip)
	if err != nil {
		return false
	}
	for _, port := range m.ports() {
		for _, allowed := range port.AllowedAddresses {
			prefix, err := netip.ParsePrefix(allowed)
			if allowed == ip || err == nil && prefix.Contains(address) {
				return true
			}
		}
	}
	return false
}

// drop removes a deleted machine. A cluster ends with its last machine; a node object stays.
func (w *world) drop(m *Machine) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, balancers := range w.balancers {
		delete(balancers, m)
	}
	w.dropStorage(m)
	for id, c := range w.clusters {
		c.lose(m)
		left := false
		for _, member := range c.members {
			left = left || !member.machine.gone.Load()
		}
		if !left {
			delete(w.clusters, id)
		}
	}
}

// newCA makes a certificate that a joining node can pin.
func newCA(name string) (string, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", fmt.Errorf("make a CA key: %w", err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(10, 0, 0), KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return "", fmt.Errorf("make a CA: %w", err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})), nil
}
