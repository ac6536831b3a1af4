package record

import (
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/operations"
)

// vnf is a VNF of which a record is made: as an operation sees it, and on which connection the VNFCs of a VDU are.
type vnf struct {
	*operations.Operation
	on func(vdu string) string
}

// of is the VNF of an operation, on these connections. What belongs to no VDU is with the servers.
func of(op *operations.Operation, connections []lcm.VimConnectionInfo) vnf {
	return vnf{op, func(vdu string) string { return lifecycle.Connection(op.Flavour, connections, vdu).ID }}
}

// Instantiated is the VNF after an operation that has made that of it; connections are those on which it works. cluster
// is the VIM as which a new cluster is registered, nil when there is none.
func Instantiated(
	op *operations.Operation, made Outcome, connections []lcm.VimConnectionInfo, cluster *lcm.Vim,
) InstantiatedVnf {
	if made.Left && op.Before != nil { // the package before counts until a change is complete
		op = op.Before
	}
	v := of(op, connections)
	if made.Restored {
		return v.restored(made)
	}
	if KeepsConnections(op, made) {
		return v.partlyReconnected(made)
	}
	out := v.complete(made)
	out.VimConnections = append(slices.Clone(connections), v.otherConnections(connections)...)
	if cluster != nil {
		out.VimConnections = append(out.VimConnections, lcm.VimConnectionInfo{
			ID: string(cluster.ID), VimID: cluster.ID, VimType: lcm.VimKubernetes,
			InterfaceInfo: map[string]any{"endpoint": cluster.AuthURL},
		})
	}
	slices.SortFunc(out.VimConnections, func(a, b lcm.VimConnectionInfo) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// KeepsConnections tells whether the VNF has the VIM connections afterwards that it had before the operation.
func KeepsConnections(op *operations.Operation, made Outcome) bool {
	return made.Restored || made.Left && op.OpOcc.Operation == lcm.OpChangeExtConn
}

// complete is the VNF without its connections.
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
		out.ConfigurableProperties = lcm.ShowRegistries(out.ConfigurableProperties, v.Request.AdditionalParams)
	}
	if v.FormerVims != nil || v.Package != nil {
		out.ChangedInfo, out.Package = &v.Modified, v.Package
	}
	return out
}

// showExposed keeps which ports of Services a load balancer serves: those of this operation, else those of before.
func (v vnf) showExposed(info *lcm.InstantiatedVnfInfo, made Outcome) {
	info.ExposedPorts = made.ExposedPorts
	if before := v.Instance.Instantiated; len(made.ExposedPorts) == 0 && before != nil {
		info.ExposedPorts = before.ExposedPorts
	}
}

// showStarted notes what an OPERATE has started. It is asked for those only whose VNFCs are others then.
func (v vnf) showStarted(info *lcm.InstantiatedVnfInfo) {
	p := v.OpOcc.Plan
	if v.OpOcc.Operation != lcm.OpOperate || p == nil || p.ChangeStateTo != lcm.VnfStarted {
		return
	}
	var started []string
	for _, operated := range p.Operated {
		started = append(started, operated.VnfcID)
	}
	info.Switch(lcm.VnfStarted, started, nil)
}

// otherConnections are those of the instance that neither its resources nor its cluster need, e.g. because a
// modification has added them. Those that an earlier attempt to instantiate has left are none.
func (v vnf) otherConnections(used []lcm.VimConnectionInfo) (out []lcm.VimConnectionInfo) {
	if v.OpOcc.Operation == lcm.OpInstantiate || v.Instance.Instantiated == nil {
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

// restored is the VNF as it was before the operation, with the resources that a rollback has made anew.
func (v vnf) restored(made Outcome) InstantiatedVnf {
	if v.Before != nil {
		v.Operation = v.Before
	}
	before := v.Instance.Instantiated
	info := *before
	v.linkedBy(before.ExtVirtualLinks).resources(&info, made) // not by those that the operation was to make
	vims := v.Instance.VimConnections
	if v.FormerVims != nil {
		vims = v.FormerVims
	}
	return InstantiatedVnf{
		Info: info, VimConnections: vims, Extensions: v.Instance.Extensions,
		ConfigurableProperties: v.Instance.ConfigurableProperties,
	}
}

// partlyReconnected is the VNF as it was before a CHANGE_EXT_CONN that was given up, with the ports that there are, and
// on the links on which these are.
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

// linkedBy is the VNF on other external links.
func (v vnf) linkedBy(links []lcm.ExtVirtualLink) vnf {
	op := *v.Operation
	op.Request.ExtVirtualLinks = links
	v.Operation = &op
	return v
}
