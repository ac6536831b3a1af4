package record

import (
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/operations"
)

// vnf is the VNF to record: the operation's view of it, and the connection of each VDU's VNFCs.
type vnf struct {
	*operations.Operation
	on func(vdu string) string
}

// of returns the VNF of an operation on these connections. Resources of no VDU belong to the connection of the servers.
func of(op *operations.Operation, connections []lcm.VimConnectionInfo) vnf {
	return vnf{op, func(vdu string) string { return lifecycle.Connection(op.FlavourOf(vdu), connections, vdu).ID }}
}

// Instantiated returns the record of a VNF after an operation with this outcome. connections are the connections that
// the operation used. cluster is the VIM that a new cluster is registered as, nil for none.
func Instantiated(
	op *operations.Operation, made Outcome, connections []lcm.VimConnectionInfo, cluster *lcm.Vim,
) InstantiatedVnf {
	v := of(op, connections)
	if made.Left && op.Before != nil { // the former definition counts until a change is complete
		v.Operation = op.Before
	}
	if made.Restored {
		return v.restored(made)
	}
	if KeepsConnections(op, made) {
		return v.partlyReconnected(made)
	}
	out := v.complete(made)
	out.VimConnections = append(slices.Clone(connections), v.otherConnections(connections)...)
	if v.Operation != op && op.FormerVims != nil { // given up: the instance keeps its connections
		out.VimConnections = slices.Clone(op.FormerVims)
	}
	out.Info.BetweenFlavours = v.Operation != op && op.Package == nil
	if cluster != nil {
		out.VimConnections = append(out.VimConnections, lcm.VimConnectionInfo{
			ID: string(cluster.ID), VimID: cluster.ID, VimType: lcm.VimKubernetes,
			InterfaceInfo: map[string]any{"endpoint": cluster.AuthURL},
		})
	}
	slices.SortFunc(out.VimConnections, func(a, b lcm.VimConnectionInfo) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// KeepsConnections reports whether the operation leaves the VNF's VIM connections as they were.
func KeepsConnections(op *operations.Operation, made Outcome) bool {
	return made.Restored || made.Left && op.ChangesLinks()
}

// complete returns the VNF without its connections.
func (v vnf) complete(made Outcome) InstantiatedVnf {
	out := InstantiatedVnf{Info: lcm.InstantiatedVnfInfo{
		FlavourID: v.Flavour.ID, VnfState: lcm.VnfStarted, ExtVirtualLinks: v.Request.ExtVirtualLinks,
		ExtManagedVirtualLinks: v.Request.ExtManagedVirtualLinks,
		DeploymentID:           made.DeploymentID, AdditionalParams: v.Request.AdditionalParams, Nodes: made.Nodes,
		Storage: made.Storage, Balancers: made.Balancers, ClusterVimID: made.ClusterVimID, MaxScaleLevels: v.Flavour.MaxScaleLevels(),
		Granted: v.Chosen(), LocalizationLanguage: v.Request.LocalizationLanguage,
	}}
	out.Info.InstantiationLevelID, out.Info.ScaleStatus = v.Levels()
	if made.Left {
		out.Info.InstantiationLevelID, out.Info.ScaleStatus = v.levelsLeft(made.Vnfcs)
	}
	v.resources(&out.Info, made)
	v.showRegistry(&out.Info, made)
	v.showExposed(&out.Info, made)
	out.Info.KeepStopped(v.Instance.Instantiated)
	v.showStarted(&out.Info)
	out.Extensions = lcm.Merged(v.Instance.Extensions, v.Request.Extensions)
	out.ConfigurableProperties = lcm.Merged(v.Instance.ConfigurableProperties, v.Request.ConfigurableProperties)
	out.Followed = v.Follows()
	if v.IsCluster() {
		out.ConfigurableProperties = k8s.ShowRegistries(out.ConfigurableProperties, v.Request.AdditionalParams)
	}
	if v.FormerVims != nil || v.Package != nil {
		out.ChangedInfo, out.Package = &v.Modified, v.Package
	}
	return out
}

// showExposed records the Service ports that a load balancer serves, from this operation or else from the former
// record.
func (v vnf) showExposed(info *lcm.InstantiatedVnfInfo, made Outcome) {
	info.ExposedPorts = made.ExposedPorts
	if before := v.Instance.Instantiated; len(made.ExposedPorts) == 0 && before != nil {
		info.ExposedPorts = before.ExposedPorts
	}
}

// showStarted records the VNFCs that an OPERATE started. It is only for VNFs whose VNFCs are new after a start.
func (v vnf) showStarted(info *lcm.InstantiatedVnfInfo) {
	p := v.OpOcc.Plan
	if p == nil || p.ChangeStateTo != lcm.VnfStarted {
		return
	}
	var started []string
	for _, operated := range p.Operated {
		started = append(started, operated.VnfcID)
	}
	info.Switch(lcm.VnfStarted, started, nil)
}

// otherConnections returns the instance's connections that neither its resources nor its cluster need, e.g. because a
// modification added them. Connections that a failed attempt to instantiate left do not count.
func (v vnf) otherConnections(used []lcm.VimConnectionInfo) (out []lcm.VimConnectionInfo) {
	if v.OpOcc.Operation.Makes() || v.Instance.Instantiated == nil {
		return nil
	}
	for _, c := range v.Instance.VimConnections {
		is := func(u lcm.VimConnectionInfo) bool { return u.ID == c.ID }
		alike := func(u lcm.VimConnectionInfo) bool { return u.Kind() == c.Kind() }
		if !slices.ContainsFunc(used, is) && slices.ContainsFunc(used, alike) {
			out = append(out, c)
		}
	}
	return out
}

// restored returns the VNF as it was before the operation, with the resources that a rollback made anew.
func (v vnf) restored(made Outcome) InstantiatedVnf {
	if v.Before != nil {
		v.Operation = v.Before
	}
	before := v.Instance.Instantiated
	info := *before
	v.linkedBy(before.ExtVirtualLinks).resources(&info, made) // not by the links that the operation was to make
	vims := v.Instance.VimConnections
	if v.FormerVims != nil {
		vims = v.FormerVims
	}
	return InstantiatedVnf{
		Info: info, VimConnections: vims, Extensions: v.Instance.Extensions,
		ConfigurableProperties: v.Instance.ConfigurableProperties,
	}
}

// partlyReconnected returns the VNF after a CHANGE_EXT_CONN that was given up: as before, but with the present ports
// and their links.
func (v vnf) partlyReconnected(made Outcome) InstantiatedVnf {
	out := v.restored(made)
	if len(made.Moved) == 0 {
		return out
	}
	links := lcm.PartlyReconnected(v.Instance.Instantiated.ExtVirtualLinks, v.Request.ExtVirtualLinks, made.Moved)
	out.Info.ExtVirtualLinks, out.Info.AdditionalParams = links, v.Request.AdditionalParams
	v.linkedBy(links).resources(&out.Info, made)
	return out
}

// linkedBy returns the VNF on other external links.
func (v vnf) linkedBy(links []lcm.ExtVirtualLink) vnf {
	op := *v.Operation
	op.Request.ExtVirtualLinks = links
	v.Operation = &op
	return v
}
