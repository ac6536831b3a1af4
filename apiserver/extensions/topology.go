package extensions

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// topologyView is the parts of a VNF, grouped by their role, and their state at the last check for drift.
type topologyView struct {
	VnfInstanceID lcm.VnfInstanceID `json:"vnfInstanceId"`
	// Endpoint is the API of the cluster that the VNF is, ClusterVimID the VIM as which it is registered.
	Endpoint     string    `json:"endpoint,omitempty"`
	ClusterVimID lcm.VimID `json:"clusterVimId,omitempty"`
	// VirtualIP is the address that the control planes share.
	VirtualIP  string         `json:"virtualIp,omitempty"`
	CheckedAt  *time.Time     `json:"checkedAt,omitempty"`
	Vims       []vimOfVnfView `json:"vims,omitempty"`
	Scaling    []aspectView   `json:"scaling,omitempty"`
	Parts      []partView     `json:"parts"`
	Networks   []networkView  `json:"networks,omitempty"`
	Volumes    []volumeView   `json:"volumes,omitempty"`
	Registries []registryView `json:"registries,omitempty"`
	// Findings are findings of the last check that belong to no part, or to a part that is not recorded.
	Findings []lcm.DriftFinding `json:"findings,omitempty"`
}

// The health of a part.
const (
	healthOK      = "OK"      // the last check has found nothing
	healthDrifted = "DRIFTED" // the last check has found something
	healthStopped = "STOPPED" // it was stopped on purpose
	healthUnknown = "UNKNOWN" // it was never checked
)

// The roles of parts that are no nodes.
const (
	roleServer lcm.Role = "server" // of a VM that nothing more is known of
	roleObject lcm.Role = "object" // of Kubernetes
)

// partView is a VNFC: a node, another server, or an object of Kubernetes.
type partView struct {
	VnfcInstanceID string   `json:"vnfcInstanceId"` // as a heal names it
	Name           string   `json:"name"`
	Role           lcm.Role `json:"role"`
	VduID          string   `json:"vduId"`
	ResourceID     string   `json:"resourceId"`
	ResourceType   string   `json:"resourceType,omitempty"`
	Address        string   `json:"address,omitempty"`
	SSHAddress     string   `json:"sshAddress,omitempty"`
	Zone           string   `json:"zone,omitempty"`
	sizeView
	Ports  []portView `json:"ports,omitempty"`
	Health string     `json:"health"`
	// HoldsVirtualIP is set of the control plane that held the virtual IP when it was last looked.
	HoldsVirtualIP bool               `json:"holdsVirtualIp,omitempty"`
	Findings       []lcm.DriftFinding `json:"findings,omitempty"`
}

type volumeView struct {
	ID                   string `json:"id"`
	VirtualStorageDescID string `json:"virtualStorageDescId"`
	ResourceID           string `json:"resourceId"`
	// VnfcInstanceID is the VNFC that has the volume. Size is from the VNFD, e.g. "20 GB".
	VnfcInstanceID string `json:"vnfcInstanceId,omitempty"`
	Size           string `json:"size,omitempty"`
}

type registryView struct {
	Server         string `json:"server"`
	ConnectionType string `json:"connectionType,omitempty"`
}

// readTopology answers with the parts of a VNF.
func (h *Handler) readTopology(c echo.Context) error {
	inst, err := h.PathInstance(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	d, err := h.Store.Drift(ctx, inst.ID)
	if err != nil {
		return err
	}
	v := topologyView{
		VnfInstanceID: inst.ID, Vims: h.vimsOf(ctx, inst), Parts: []partView{}, Registries: registriesOf(inst),
	}
	if inst.Instantiated == nil {
		return rest.WriteJSON(c, http.StatusOK, v)
	}
	if v.ClusterVimID = inst.Instantiated.ClusterVimID; v.ClusterVimID != "" {
		v.Endpoint = h.endpointOf(ctx, v.ClusterVimID)
	}
	if d.Report == nil {
		if d.Report, err = h.seenByOperation(ctx, inst.ID); err != nil {
			return err
		}
	}
	if d.Report != nil {
		v.CheckedAt = moment(d.Report.CheckedAt)
	}
	v.add(inst, d.Report)
	v.describe(inst, h.flavourOf(ctx, inst))
	return rest.WriteJSON(c, http.StatusOK, v)
}

// seenByOperation is what the last operation has seen at its end, as a check would tell it: that all parts work. It is nil
// if the operation has not succeeded.
func (h *Handler) seenByOperation(ctx context.Context, id lcm.VnfInstanceID) (*lcm.DriftReport, error) {
	at, err := h.Store.LastSeenWell(ctx, id)
	if err != nil || at == nil {
		return nil, err
	}
	return &lcm.DriftReport{CheckedAt: *at}, nil
}

// endpointOf is where a cluster's API is; "" when it is not registered any more.
func (h *Handler) endpointOf(ctx context.Context, id lcm.VimID) string {
	vim, err := h.Store.Vim(ctx, id)
	if err != nil {
		return ""
	}
	return vim.AuthURL
}

// orderOfRoles is how a person looks at a cluster: from its clients to its data.
var orderOfRoles = []lcm.Role{
	lcm.LoadBalancer, lcm.ControlPlane, lcm.Worker, lcm.Storage, lcm.RegistryServer, roleServer, roleObject,
}

// add makes the parts, and gives each part its findings.
func (v *topologyView) add(inst lcm.VnfInstance, report *lcm.DriftReport) {
	i := inst.Instantiated
	params, _ := k8s.Read(i.AdditionalParams) // of a VNF that is no cluster there are none
	balancer, byCloud := params.BalancerCps()
	if byCloud {
		v.Parts = append(v.Parts, cloudBalancer(inst.ID, v.Endpoint, report))
	}
	for _, r := range i.VnfcResources {
		part := partOf(inst, r, balancer)
		switch {
		case i.StateOf(r.ID) == lcm.VnfStopped:
			part.Health = healthStopped
		case report == nil:
			part.Health = healthUnknown
		default:
			part.judge(r.ID, *report)
		}
		v.Parts = append(v.Parts, part)
	}
	slices.SortStableFunc(v.Parts, func(a, b partView) int {
		return slices.Index(orderOfRoles, a.Role) - slices.Index(orderOfRoles, b.Role)
	})
	if report == nil {
		return
	}
	for _, f := range report.Findings {
		if byCloud && aboutCloudBalancer(f) {
			continue
		}
		if !slices.ContainsFunc(i.VnfcResources, func(r lcm.VnfcResourceInfo) bool { return r.ID == f.VnfcInstanceID }) {
			v.Findings = append(v.Findings, f)
		}
	}
}

func (p *partView) judge(vnfc string, report lcm.DriftReport) {
	p.HoldsVirtualIP = report.VirtualIPHolder != "" && report.VirtualIPHolder == p.Name
	p.Health = healthOK
	for _, f := range report.Findings {
		if f.VnfcInstanceID == vnfc {
			p.Health, p.Findings = healthDrifted, append(p.Findings, f)
		}
	}
}

// partOf tells the role of a VNFC: from its record as a node, else from its resources.
func partOf(inst lcm.VnfInstance, r lcm.VnfcResourceInfo, balancer []string) partView {
	i := inst.Instantiated
	p := partView{
		VnfcInstanceID: inst.VnfcInfoID(r), Name: inst.VnfcInfoID(r), Role: roleServer, VduID: r.VduID, Zone: r.ZoneID,
		ResourceID: r.ComputeResource.ResourceID, ResourceType: r.ComputeResource.VimLevelResourceType,
		Address: firstAddress(r),
	}
	nodes := slices.Concat(i.Nodes, i.Balancers)
	if i.Storage != nil {
		nodes = append(nodes, i.Storage.Node)
	}
	for _, n := range nodes {
		if n.ServerID == r.ComputeResource.ResourceID {
			p.Name, p.Role, p.Address, p.SSHAddress = n.Name, n.Role, n.Address, n.SSHAddress
			return p
		}
	}
	switch {
	case inContainers(inst, r):
		p.Name, p.Role = p.ResourceID, roleObject
	case r.Metadata[lcm.RegistriesKey] != nil:
		p.Name, p.Role = lcm.NodeName(lcm.RegistryServer, p.ResourceID), lcm.RegistryServer
	case slices.ContainsFunc(r.CpInfo, func(cp lcm.VnfcCpInfo) bool { return slices.Contains(balancer, cp.CpdID) }):
		p.Name, p.Role = lcm.NodeName(lcm.LoadBalancer, p.ResourceID), lcm.LoadBalancer
	}
	return p
}

// inContainers tells whether a VNFC is an object of a VIM that runs containers.
func inContainers(inst lcm.VnfInstance, r lcm.VnfcResourceInfo) bool {
	return slices.ContainsFunc(inst.VimConnections, func(c lcm.VimConnectionInfo) bool {
		return c.ID == r.ComputeResource.VimConnectionID && lcm.KindOfVim(c.Kind()).RunsContainers
	})
}

// firstAddress is an address of a VNFC, "" when none is recorded.
func firstAddress(r lcm.VnfcResourceInfo) string {
	for _, cp := range r.CpInfo {
		for _, info := range cp.CpProtocolInfo {
			if info.IPOverEthernet == nil {
				continue
			}
			for _, ip := range info.IPOverEthernet.IPAddresses {
				if len(ip.Addresses) > 0 {
					return ip.Addresses[0]
				}
			}
		}
	}
	return ""
}

// cloudBalancer is the cloud's load balancer before a cluster. It is no VNFC, and has the deployment's name.
func cloudBalancer(id lcm.VnfInstanceID, endpoint string, report *lcm.DriftReport) partView {
	p := partView{
		Name: lcm.DeploymentName(id), Role: lcm.LoadBalancer, Health: healthUnknown,
	}
	if at, err := url.Parse(endpoint); err == nil {
		p.Address = at.Hostname()
	}
	if report == nil {
		return p
	}
	p.Health = healthOK
	for _, f := range report.Findings {
		if aboutCloudBalancer(f) {
			p.Health, p.Findings = healthDrifted, append(p.Findings, f)
		}
	}
	return p
}

func aboutCloudBalancer(f lcm.DriftFinding) bool {
	return f.Kind == lcm.DriftBalancerMissing || f.Kind == lcm.DriftBalancerStatus
}

// registriesOf are the registries that the nodes of a cluster pull from.
func registriesOf(inst lcm.VnfInstance) (out []registryView) {
	list, _ := inst.ConfigurableProperties[lcm.RegistriesKey].([]any)
	for _, item := range list {
		entry, _ := item.(map[string]any)
		server, _ := entry["server"].(string)
		kind, _ := entry["connection_type"].(string)
		if server != "" {
			out = append(out, registryView{server, kind})
		}
	}
	return out
}
