package worker

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/outbound"
	"github.com/windlass-nfv/windlass/internal/secrets"
	"github.com/windlass-nfv/windlass/internal/store"
	"github.com/windlass-nfv/windlass/internal/userdata"
	"github.com/windlass-nfv/windlass/internal/vim/openstack"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

// driverKubernetes is the name under which VNF packages ask for Windlass's own cluster driver, as they ask
// Tacker for its management driver.
const driverKubernetes = "mgmt-drivers-kubernetes"

// operations reads what activities need to know of an operation: its request, its instance, its package.
// Histories hold ids only; this is where they are resolved.
type operations struct {
	store *store.Store
	vault *secrets.Vault
	// The repository of requests that name none, and its key.
	podNetwork []byte
	apt        *lcm.AptRepository
	aptKey     []byte
	vnfds      vnfds
	// grantPatience is how long an NFVO may take to grant an operation, 0 without one; endpoint begins links to the API.
	grantPatience time.Duration
	endpoint      string
	// userData runs the user data classes of packages; nil runs none.
	userData *userdata.Runner
	// vimGuard says where VIMs may be.
	vimGuard outbound.Guard
	// vimWraps are put around what calls VIMs.
	vimWraps []openstack.Wrap
}

// job is an operation with everything that it refers to.
type job struct {
	opOcc   lcm.VnfLcmOpOcc
	inst    lcm.VnfInstance
	request lcm.InstantiateRequest // of this operation, or of the one that instantiated the VNF
	vnfd    *vnfpkg.Vnfd
	flavour *vnfpkg.Flavour // nil while the VNF has none
	// choices are what NFVOs have chosen; target is where one wants the VNF, nil when the request decides.
	choices lcm.GrantedChoices
	target  *lcm.VimConnectionInfo
	// regranted is the plan as a grant that is being accepted changes it, nil when it does not.
	regranted *lcm.Plan
	// modified is what a MODIFY_INFO changes, or a CHANGE_EXT_CONN of the VIM connections; inst has it already.
	modified lcm.VnfInfoModifications
	// formerVims are the VIM connections before a CHANGE_EXT_CONN that changes them.
	formerVims []lcm.VimConnectionInfo
	// former is what it changes; empty for any other operation.
	former lcm.VnfInstance
}

func (o *operations) load(ctx context.Context, id lcm.OpOccID) (*job, error) {
	opOcc, err := o.store.Operation(ctx, id)
	if err != nil {
		return nil, err
	}
	return o.loadOf(ctx, opOcc)
}

// loadOf completes what is known of an operation; of one that does not exist, only its instance need be known.
func (o *operations) loadOf(ctx context.Context, opOcc lcm.VnfLcmOpOcc) (j *job, err error) {
	j = &job{opOcc: opOcc}
	if j.inst, err = o.store.Instance(ctx, opOcc.VnfInstanceID); err != nil {
		return nil, err
	}
	if opOcc.Operation == lcm.OpModifyInfo {
		j.former = j.inst
		if j.inst, j.modified, err = o.modify(ctx, j.inst, opOcc); err != nil {
			return nil, err
		}
	}
	if err := j.takeConnections(); err != nil {
		return nil, err
	}
	switch {
	case opOcc.Operation == lcm.OpInstantiate:
		if j.request, err = lcm.ParseInstantiate(opOcc.Params); err != nil {
			return nil, err
		}
	case j.inst.Instantiated != nil:
		j.request = lcm.InstantiateRequest{
			FlavourID: j.inst.Instantiated.FlavourID, InstantiationLevelID: j.inst.Instantiated.InstantiationLevelID,
			LocalizationLanguage: j.inst.Instantiated.LocalizationLanguage, AdditionalParams: j.inst.Instantiated.AdditionalParams, VimConnections: j.inst.VimConnections,
			ExtVirtualLinks: j.inst.Instantiated.ExtVirtualLinks, ExtManagedVirtualLinks: j.inst.Instantiated.ExtManagedVirtualLinks,
		}
		if opOcc.Operation == lcm.OpChangeExtConn && opOcc.Plan != nil {
			j.request.ExtVirtualLinks = opOcc.Plan.Links
		}
		if j.request.AdditionalParams, err = overridden(opOcc, j.request.AdditionalParams); err != nil {
			return nil, err
		}
		if changes(opOcc.Operation) { // a CHANGE_EXT_CONN has them in its plan
			j.request.ExtVirtualLinks, err = j.ownPorts()
		}
		if err != nil {
			return nil, err
		}
	}
	if j.vnfd, err = o.vnfds.get(ctx, j.inst.VnfPkgID, o.readVnfd); err != nil {
		return nil, err
	}
	if opOcc.Operation == lcm.OpModifyInfo && j.inst.Instantiated == nil {
		return j, nil
	}
	if j.flavour, err = j.vnfd.Flavour(j.request.FlavourID); err != nil {
		return nil, err
	}
	return j, o.granted(ctx, j)
}

func (o *operations) readVnfd(ctx context.Context, id lcm.VnfPkgID) (*vnfpkg.Vnfd, error) {
	pkg, err := o.store.Package(ctx, id)
	if err != nil {
		return nil, err
	}
	vnfd := &vnfpkg.Vnfd{}
	if err := json.Unmarshal(pkg.Vnfd, vnfd); err != nil {
		return nil, lcm.Wrap(lcm.KindBug, err, "The stored VNFD of package %s is unreadable.", id)
	}
	return vnfd, nil
}

// isCluster reports whether Windlass's own driver builds a cluster on the VMs.
func (j *job) isCluster() bool {
	if j.flavour == nil {
		return false
	}
	driver, ok := j.flavour.Driver("instantiate_end")
	return ok && driver == driverKubernetes
}

// Describe implements activities.Facts.
func (o *operations) Describe(ctx context.Context, id lcm.OpOccID) (activities.Description, error) {
	j, err := o.load(ctx, id)
	if err != nil {
		return activities.Description{}, err
	}
	facts, p, err := j.planned()
	if err != nil {
		return activities.Description{}, err
	}
	facts.PodNetwork = len(o.podNetwork) > 0
	d := activities.Description{
		State: j.opOcc.State, Sequence: j.opOcc.Sequence, ForwardOnly: j.opOcc.ForwardOnly, Refused: j.refused(),
		GrantPatience: o.grantPatience, Cluster: facts.Cluster != nil, HighlyAvailable: facts.HighlyAvailable(p),
		ControlPlanes: facts.ControlPlanes(p), Whole: p.Whole, ChangeStateTo: p.ChangeStateTo,
	}
	if d.Steps, err = o.stepsOf(ctx, id, facts, p); err != nil {
		return d, err
	}
	if j.inst.Instantiated != nil {
		d.Stopped, d.StorageServer = j.inst.Instantiated.StoppedServers(), facts.StorageServer()
		d.ServerIDs, d.Nodes, d.ClusterVimID = j.servers(), j.inst.Instantiated.Nodes, j.inst.Instantiated.ClusterVimID
	}
	return d, nil
}

// stepsOf is the list of steps that is kept with the operation. Until there is one it is what this release lists.
func (o *operations) stepsOf(ctx context.Context, id lcm.OpOccID, f lifecycle.Facts, p lcm.Plan) ([]lifecycle.Step, error) {
	rows, err := o.store.Steps(ctx, id)
	var kept []lifecycle.Step
	for _, row := range rows {
		if row.ID != "" {
			kept = append(kept, lifecycle.Step{ID: lifecycle.StepID(row.ID), Title: row.Title, Undo: row.Undo, Final: row.Final})
		}
	}
	if err != nil || len(kept) > 0 {
		return kept, err
	}
	return lifecycle.Steps(f, p), nil
}

// Cluster implements activities.Clusters.
func (o *operations) Cluster(ctx context.Context, id lcm.OpOccID) (activities.ClusterContext, error) {
	j, err := o.load(ctx, id)
	if err != nil {
		return activities.ClusterContext{}, err
	}
	return o.clusterOf(j)
}

func (o *operations) clusterOf(j *job) (activities.ClusterContext, error) {
	params, server, err := j.access()
	cluster := activities.ClusterContext{
		Instance: j.inst, Params: params, RegistryServer: server,
		PackageFile: func(ctx context.Context, path string) ([]byte, error) {
			return o.packageFile(ctx, j.inst.VnfPkgID, path)
		},
	}
	o.defaultRepository(&cluster)
	cluster.FormerRegistries = j.formerRegistries()
	if params.CniManifestPath == "" {
		cluster.PodNetwork = o.podNetwork
	}
	if err == nil && j.opOcc.Operation == lcm.OpOperate {
		err = stopInTime(j.opOcc, &cluster.Params)
	}
	return cluster, err
}

// defaultRepository gives a request that names no apt repository the one of the configuration.
func (o *operations) defaultRepository(c *activities.ClusterContext) {
	if c.Params.AptRepository == nil && o.apt != nil {
		c.Params.AptRepository, c.AptKey = o.apt, o.aptKey
	}
}

// foreseen is the connection on which the operation works unless its grant brings another one. It is none for an instantiation whose
// request names none where none is the default.
func (o *operations) foreseen(ctx context.Context, j *job) (lcm.VimConnectionInfo, error) {
	vim, err := o.connection(ctx, j)
	if j.opOcc.Operation == lcm.OpInstantiate && lcm.Is(err, lcm.KindNotFound) {
		return lcm.VimConnectionInfo{}, nil
	}
	return vim, err
}

// connection is the OpenStack on which the operation works, by its id in vimConnectionInfo. A request that
// names none means the default VIM; it is NotFound when there is none.
func (o *operations) connection(ctx context.Context, j *job) (lcm.VimConnectionInfo, error) {
	if j.target != nil {
		return *j.target, nil
	}
	for _, c := range j.inst.VimConnections { // there may be others, which a modification has added
		if j.inst.Uses(c.ID) {
			return c, nil
		}
	}
	for _, c := range slices.Concat(j.changedConnections(), j.request.VimConnections, j.inst.VimConnections) {
		if !c.IsOpenStack() {
			continue
		}
		// The instance has the VIM's id where the request may have its name.
		same := func(known lcm.VimConnectionInfo) bool { return known.ID == c.ID }
		if i := slices.IndexFunc(j.inst.VimConnections, same); i >= 0 {
			return j.inst.VimConnections[i], nil
		}
		return c, nil
	}
	vim, err := o.store.DefaultVim(ctx)
	if err != nil {
		return lcm.VimConnectionInfo{}, err
	}
	return lcm.VimConnectionInfo{ID: string(vim.ID), VimID: vim.ID, VimType: vim.Type}, nil
}
