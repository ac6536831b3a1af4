package k8s

import (
	"fmt"
	"net"
	"regexp"
	"strconv"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/params"
)

// AnsibleParams is k8s_cluster_installation_param.ansible, as Tacker's driver for kubespray takes it: the server that
// runs kubespray's playbooks. ssh_port and private_key are additions.
type AnsibleParams struct {
	Address    string     `json:"ip_address" param:"required=it is the address of the Ansible server; is=host"`
	Port       int        `json:"ssh_port,omitempty" param:"default=22; min=1; max=65535"`
	Username   string     `json:"username" param:"required=it is the user for SSH; is=user name"`
	Password   lcm.Secret `json:"password,omitzero"`
	PrivateKey lcm.Secret `json:"private_key,omitzero"`
	// KubesprayRootPath is the directory that has kubespray's playbooks.
	KubesprayRootPath string `json:"kubespray_root_path" param:"required=it is the directory of kubespray; is=directory"`
	// InventoryPath is the directory with a subdirectory for the inventory of each cluster.
	InventoryPath string `json:"transferring_inventory_path" param:"required=Windlass copies inventories into it; is=directory"`
}

// HostPort is the SSH address of the server.
func (a AnsibleParams) HostPort() string { return net.JoinHostPort(a.Address, strconv.Itoa(a.Port)) }

// Settle implements params.Settler.
func (a *AnsibleParams) Settle() {
	a.KubesprayRootPath, a.InventoryPath = cleanDirectory(a.KubesprayRootPath), cleanDirectory(a.InventoryPath)
}

// CheckMembers implements params.Checker.
func (a AnsibleParams) CheckMembers(wrong params.Wrong) {
	if a.Password.IsZero() && a.PrivateKey.IsZero() {
		wrong("password", "is missing: give password or private_key")
	}
}

var hostPattern = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$`)

// hostProblem says why host is not a name or an address without a port.
func hostProblem(host string) string {
	if ip := net.ParseIP(host); ip != nil && !ip.IsUnspecified() || ip == nil && hostPattern.MatchString(host) {
		return ""
	}
	return fmt.Sprintf("must be the address or the name of a host, not %q", host)
}
