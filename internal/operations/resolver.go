// Package operations resolves an operation once: its request, its VNF instance, its package, its VIM connections and
// its parameters. API server and worker read them here alike: what /plan promises is made of what the worker acts on.
package operations

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/windlass-nfv/windlass/internal/driver/cluster"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/secrets"
	"github.com/windlass-nfv/windlass/internal/store"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

// Resolver loads operations.
type Resolver struct {
	Store *store.Store
	// Vault has the secrets of requests.
	Vault *secrets.Vault
	// PodNetwork is set when the configuration names a manifest of the pod network for clusters whose package has none.
	PodNetwork bool
	// Scripts is what becomes of scripts of packages.
	Scripts lcm.ScriptPolicy

	vnfds vnfds
}

// Operation is a VNF LCM operation with everything that it refers to.
type Operation struct {
	OpOcc lcm.VnfLcmOpOcc
	// Instance is the VNF instance, of a MODIFY_INFO with the modifications made, and of a CHANGE_EXT_CONN with its VIM
	// connections changed, and of a CHANGE_VNFPKG with its package.
	Instance lcm.VnfInstance
	// Request is that of this operation when it instantiates the VNF, else what the VNF was instantiated with, with what
	// the operation puts in its place.
	Request lcm.InstantiateRequest
	Vnfd    *vnfpkg.Vnfd
	// Flavour is nil while the VNF has none.
	Flavour *vnfpkg.Flavour
	// Choices are what NFVOs have chosen; Targets are where one wants the VNF, none when the request decides.
	Choices lcm.GrantedChoices
	Targets []lcm.VimConnectionInfo
	// Regranted is the plan as a grant that is being accepted changes it, nil when it does not.
	Regranted *lcm.Plan
	// Modified is what a MODIFY_INFO changes, or a CHANGE_EXT_CONN of the VIM connections; Instance has it already.
	Modified lcm.VnfInfoModifications
	// FormerVims are the VIM connections before a CHANGE_EXT_CONN that changes them.
	FormerVims []lcm.VimConnectionInfo
	// Former is what a MODIFY_INFO changes; empty for any other operation.
	Former lcm.VnfInstance
	// Before is the VNF as it is until a CHANGE_VNFPKG is complete, and Package what it gets; nil for any other operation.
	Before  *Operation
	Package *lcm.VnfPkg

	podNetwork bool
	scripts    lcm.ScriptPolicy
}

// Of completes what is known of an operation; of one that does not exist, only its instance need be known.
func (r *Resolver) Of(ctx context.Context, opOcc lcm.VnfLcmOpOcc) (o *Operation, err error) {
	o = &Operation{OpOcc: opOcc, podNetwork: r.PodNetwork, scripts: r.Scripts}
	if o.Instance, err = r.Store.Instance(ctx, opOcc.VnfInstanceID); err != nil {
		return nil, err
	}
	if opOcc.Operation == lcm.OpModifyInfo {
		o.Former = o.Instance
		if o.Instance, o.Modified, err = r.modify(ctx, o.Instance, opOcc); err != nil {
			return nil, err
		}
	}
	if err := o.takeConnections(); err != nil {
		return nil, err
	}
	if err := r.takePackage(ctx, o); err != nil {
		return nil, err
	}
	if err := r.takeRequest(ctx, o); err != nil {
		return nil, err
	}
	if o.Vnfd, err = r.ReadVnfd(ctx, o.Instance.VnfPkgID); err != nil {
		return nil, err
	}
	if opOcc.Operation == lcm.OpModifyInfo && o.Instance.Instantiated == nil {
		return o, nil
	}
	if o.Flavour, err = o.Vnfd.Flavour(o.Request.FlavourID); err != nil {
		return nil, err
	}
	if err := r.takeWorkloads(ctx, o); err != nil {
		return nil, err
	}
	return o, r.granted(ctx, o)
}

// takeRequest completes the request of an operation with what the VNF was instantiated with.
func (r *Resolver) takeRequest(ctx context.Context, o *Operation) (err error) {
	opOcc := o.OpOcc
	switch {
	case opOcc.Operation == lcm.OpInstantiate:
		o.Request, err = lcm.ParseInstantiate(opOcc.Params)
		return err
	case opOcc.Operation == lcm.OpTerminate && o.Instance.Instantiated == nil:
		return r.takeLeft(ctx, o)
	case o.Instance.Instantiated == nil:
		return nil
	}
	o.Request = lcm.InstantiateRequest{
		FlavourID: o.Instance.Instantiated.FlavourID, InstantiationLevelID: o.Instance.Instantiated.InstantiationLevelID,
		LocalizationLanguage: o.Instance.Instantiated.LocalizationLanguage,
		AdditionalParams:     o.Instance.Instantiated.AdditionalParams, VimConnections: o.Instance.VimConnections,
		ExtVirtualLinks:        o.Instance.Instantiated.ExtVirtualLinks,
		ExtManagedVirtualLinks: o.Instance.Instantiated.ExtManagedVirtualLinks,
	}
	if opOcc.Operation == lcm.OpChangeExtConn && opOcc.Plan != nil {
		o.Request.ExtVirtualLinks = opOcc.Plan.Links
	}
	if o.Request.AdditionalParams, err = overridden(opOcc, o.Request.AdditionalParams); err != nil {
		return err
	}
	if Changes(opOcc.Operation) { // a CHANGE_EXT_CONN has them in its plan
		o.Request.ExtVirtualLinks, err = o.OwnPorts()
	}
	return err
}

// takeLeft makes of a TERMINATE that cleans up one of what a failed INSTANTIATE was to make. There is no such
// INSTANTIATE of an operation that has terminated a VNF, which is read as before.
func (r *Resolver) takeLeft(ctx context.Context, o *Operation) error {
	former, left, err := r.Store.LeftBehind(ctx, o.Instance.ID, o.OpOcc.StartTime)
	if err != nil || !left {
		return err
	}
	o.Request, err = lcm.ParseInstantiate(former.Params)
	return err
}

// ReadVnfd reads the VNFD of a package; it is kept. Nobody may write to it.
func (r *Resolver) ReadVnfd(ctx context.Context, id lcm.VnfPkgID) (*vnfpkg.Vnfd, error) {
	return r.vnfds.get(ctx, id, r.readVnfd)
}

func (r *Resolver) readVnfd(ctx context.Context, id lcm.VnfPkgID) (*vnfpkg.Vnfd, error) {
	pkg, err := r.Store.Package(ctx, id)
	if err != nil {
		return nil, err
	}
	vnfd := &vnfpkg.Vnfd{}
	if err := json.Unmarshal(pkg.Vnfd, vnfd); err != nil {
		return nil, lcm.Wrap(lcm.KindBug, err, "The stored VNFD of package %s is unreadable.", id)
	}
	return vnfd, nil
}

// IsCluster reports whether a driver makes a cluster of the VNF's servers.
func (o *Operation) IsCluster() bool {
	return cluster.Makes(o.Flavour)
}

// Foreseen are the connections on which the operation works unless its grant brings others: one for each kind of VIM
// that the VNF is on, in their order. It is none, a zero value, for an instantiation whose request names none where
// none is the default.
func (r *Resolver) Foreseen(ctx context.Context, o *Operation) (out []lcm.VimConnectionInfo, err error) {
	for _, kind := range o.VimKinds() {
		c, err := r.connection(ctx, o, kind)
		if err != nil && (o.OpOcc.Operation != lcm.OpInstantiate || !lcm.Is(err, lcm.KindNotFound)) {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

// VimKinds are the kinds of the VIMs on which the VNF is, that of VMs first.
func (o *Operation) VimKinds() []lcm.VimKind { return lifecycle.VimKinds(o.Flavour) }

// IsOn tells whether the VNF is on a VIM of that type.
func (o *Operation) IsOn(vimType string) bool {
	return slices.ContainsFunc(o.VimKinds(), func(k lcm.VimKind) bool { return k.Type == vimType })
}

// Follows tells whether the VNF is on a VIM that replaces VNFCs without being told.
func (o *Operation) Follows() bool {
	return slices.ContainsFunc(o.VimKinds(), func(k lcm.VimKind) bool { return k.ReplacesVnfcs })
}

// Connections are the VIMs on which the operation works, by their ids in vimConnectionInfo: one of each kind that the
// VNF is on, in the order of VimKinds. A request that names none means the default VIM; it is NotFound when there is
// none.
func (r *Resolver) Connections(ctx context.Context, o *Operation) (out []lcm.VimConnectionInfo, err error) {
	for _, kind := range o.VimKinds() {
		c, err := r.connection(ctx, o, kind)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

func (r *Resolver) connection(ctx context.Context, o *Operation, kind lcm.VimKind) (lcm.VimConnectionInfo, error) {
	alone := len(o.VimKinds()) == 1
	is := func(c lcm.VimConnectionInfo) bool { return alone || c.Kind() == kind.Type }
	if i := slices.IndexFunc(o.Targets, is); i >= 0 {
		return o.Targets[i], nil
	}
	for _, c := range o.Instance.VimConnections { // there may be others, which a modification has added
		if o.Instance.Uses(c.ID) && is(c) {
			return c, nil
		}
	}
	for _, c := range slices.Concat(o.ChangedConnections(), o.Request.VimConnections, o.Instance.VimConnections) {
		// The instance has the VIM's id where the request may have its name, and its type where the request has none.
		same := func(known lcm.VimConnectionInfo) bool { return known.ID == c.ID }
		if i := slices.IndexFunc(o.Instance.VimConnections, same); i >= 0 {
			c = o.Instance.VimConnections[i]
		}
		of, err := r.typeOf(ctx, c)
		if err != nil {
			return c, err
		}
		if of == kind.Type {
			return c, nil
		}
	}
	vim, err := r.Store.DefaultVim(ctx)
	if err != nil {
		return lcm.VimConnectionInfo{}, err
	}
	if vim.Type != kind.Type {
		return lcm.VimConnectionInfo{}, lcm.Errorf(lcm.KindNotFound, "The default VIM %s is of type %s; this VNF needs one of "+
			"type %s: name it in vimConnectionInfo.", vim.Name, vim.Type, kind.Type)
	}
	return lcm.VimConnectionInfo{ID: string(vim.ID), VimID: vim.ID, VimType: vim.Type}, nil
}

// typeOf is the type of VIM that a connection leads to: clients of v1 leave it out, and a request may have connections
// of kinds that the VNF is not on.
func (r *Resolver) typeOf(ctx context.Context, c lcm.VimConnectionInfo) (string, error) {
	if c.VimType != "" || c.Registered() == "" {
		return c.Kind(), nil
	}
	vim, err := r.Store.Vim(ctx, c.Registered())
	if err != nil && !lcm.Is(err, lcm.KindNotFound) {
		return "", err
	}
	return cmp.Or(vim.Type, c.Kind()), nil
}
