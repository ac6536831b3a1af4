// Package operations resolves an operation once: its request, VNF instance, package, VIM connections and parameters.
// API server and worker share this code, so that /plan shows the same data that the worker acts on.
package operations

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/driver/cluster"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/requests"
	"github.com/windlass-nfv/windlass/internal/secrets"
	"github.com/windlass-nfv/windlass/internal/store"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// Resolver loads operations.
type Resolver struct {
	Store *store.Store
	// Vault opens the secrets of requests.
	Vault *secrets.Vault
	// Scripts is the policy for scripts of packages.
	Scripts lcm.ScriptPolicy

	vnfds vnfds
}

// Operation is a VNF LCM operation with everything that it refers to.
type Operation struct {
	OpOcc lcm.VnfLcmOpOcc
	// Own is the operation's own request; nil outside of any operation.
	Own lcm.Request
	// Instance is the VNF instance. It already includes the modifications of a MODIFY_INFO, the VIM connections of a
	// request that patches them, and the package of a CHANGE_VNFPKG.
	Instance lcm.VnfInstance
	// Request is the operation's own request for an INSTANTIATE. Otherwise it is the request that instantiated the VNF,
	// with the overrides of this operation.
	Request lcm.InstantiateRequest
	Vnfd    *descriptor.Vnfd
	// Flavour is nil while the VNF has none.
	Flavour *descriptor.Flavour
	// Choices are the NFVOs' choices. Targets are the VIM connections that an NFVO chose; empty when the request decides.
	Choices lcm.GrantedChoices
	Targets []lcm.VimConnectionInfo
	// Regranted is the plan as changed by a grant that is being accepted, nil if unchanged.
	Regranted *lcm.Plan
	// Modified lists the changes of a MODIFY_INFO, or another operation's changes to VIM connections. Instance includes
	// them.
	Modified lcm.VnfInfoModifications
	// FormerVims are the VIM connections before an operation that changes them and is no MODIFY_INFO.
	FormerVims []lcm.VimConnectionInfo
	// Former is the instance before a MODIFY_INFO; empty for any other operation.
	Former lcm.VnfInstance
	// Before is the VNF before an operation that gives it another definition; nil for any other operation. Package is the
	// new package of a CHANGE_VNFPKG.
	Before  *Operation
	Package *lcm.VnfPkg

	// vimTypes are the types of the VNF's VIM connections, if they choose among several kinds of VIMs.
	vimTypes []string

	scripts lcm.ScriptPolicy
	// bound are the VNF's drivers, made of the request's parameters once; nil until then.
	bound []driver.Bound
}

// Of resolves the references of an operation record.
func (r *Resolver) Of(ctx context.Context, opOcc lcm.VnfLcmOpOcc) (*Operation, error) {
	request, err := requests.Of(opOcc)
	if err != nil {
		return nil, err
	}
	return r.With(ctx, opOcc, request)
}

// Present resolves an instantiated VNF as it is, outside of any operation.
func (r *Resolver) Present(ctx context.Context, id lcm.VnfInstanceID) (*Operation, error) {
	return r.With(ctx, lcm.VnfLcmOpOcc{VnfInstanceID: id}, nil)
}

// With is Of for a request that was read already. An operation that has not begun needs only the id of its instance and
// the request.
func (r *Resolver) With(ctx context.Context, opOcc lcm.VnfLcmOpOcc, own lcm.Request) (o *Operation, err error) {
	if own != nil {
		opOcc.Operation = own.Operation()
	}
	o = &Operation{OpOcc: opOcc, Own: own, scripts: r.Scripts}
	if o.Instance, err = r.Store.Instance(ctx, opOcc.VnfInstanceID); err != nil {
		return nil, err
	}
	if err := checkInstantiated(o); err != nil {
		return nil, err
	}
	if request, ok := own.(lcm.ModifyRequest); ok {
		o.Former = o.Instance
		if o.Instance, o.Modified, err = r.modify(ctx, o.Instance, opOcc, request); err != nil {
			return nil, err
		}
	}
	if err := o.takeConnections(); err != nil {
		return nil, err
	}
	if err := r.takePackage(ctx, o); err != nil {
		return nil, err
	}
	if err := r.takeFormer(ctx, o); err != nil {
		return nil, err
	}
	if err := r.takeRequest(ctx, o); err != nil {
		return nil, err
	}
	if o.Vnfd, err = r.ReadVnfd(ctx, o.Instance.VnfPkgID); err != nil {
		return nil, err
	}
	if o.Instance.Instantiated == nil && opOcc.Operation.Type().Needs == "" { // no flavour is chosen yet
		return o, nil
	}
	if o.Flavour, err = o.Vnfd.Flavour(o.Request.FlavourID); err != nil {
		return nil, err
	}
	o.dropFormer()
	if err := r.chooseVims(ctx, o); err != nil {
		return nil, err
	}
	if err := r.takeWorkloads(ctx, o); err != nil {
		return nil, err
	}
	if err := r.granted(ctx, o); err != nil {
		return nil, err
	}
	if err := r.chooseVims(ctx, o); err != nil { // the grant may have named other VIMs
		return nil, err
	}
	o.bind()
	return o, nil
}

// checkInstantiated refuses an operation that changes a VNF which is not instantiated. A TERMINATE may have ended between
// the API server's own check and the moment when the instance was read here.
func checkInstantiated(o *Operation) error {
	_, ends := o.Own.(lcm.TerminateRequest) // takeLeft checks it
	needed := o.Own == nil || o.OpOcc.Operation.Type().Needs == lcm.Instantiated && !ends
	if o.Instance.Instantiated == nil && needed {
		return notInstantiated(o.Instance.ID)
	}
	return nil
}

func notInstantiated(id lcm.VnfInstanceID) error {
	return lcm.Errorf(lcm.KindConflict, "The VNF instance %s is not instantiated.", id)
}

// takeRequest completes the operation's request with the data that instantiated the VNF.
func (r *Resolver) takeRequest(ctx context.Context, o *Operation) (err error) {
	switch own := o.Own.(type) {
	case lcm.InstantiateRequest:
		o.Request = own
		return nil
	case lcm.TerminateRequest:
		if o.Instance.Instantiated == nil {
			return r.takeLeft(ctx, o)
		}
	}
	if o.Instance.Instantiated == nil {
		return nil
	}
	o.Request = lcm.InstantiateRequest{
		FlavourID: o.Instance.Instantiated.FlavourID, InstantiationLevelID: o.Instance.Instantiated.InstantiationLevelID,
		LocalizationLanguage: o.Instance.Instantiated.LocalizationLanguage,
		AdditionalParams:     o.Instance.Instantiated.AdditionalParams, VimConnections: o.Instance.VimConnections,
		ExtVirtualLinks:        o.Instance.Instantiated.ExtVirtualLinks,
		ExtManagedVirtualLinks: o.Instance.Instantiated.ExtManagedVirtualLinks,
	}
	if o.ChangesLinks() && o.OpOcc.Plan != nil {
		o.Request.ExtVirtualLinks = o.OpOcc.Plan.Links
	}
	if o.Request.AdditionalParams, err = o.overridden(o.Request.AdditionalParams); err != nil {
		return err
	}
	if o.Request.ExtVirtualLinks, err = o.OwnPorts(o.Request.ExtVirtualLinks); err != nil {
		return err
	}
	return o.redefine()
}

// takeLeft gives a TERMINATE that cleans up after a failed INSTANTIATE the request of that INSTANTIATE. After a regular
// TERMINATE there is no such INSTANTIATE, so there is nothing to terminate.
func (r *Resolver) takeLeft(ctx context.Context, o *Operation) error {
	former, left, err := r.Store.LeftBehind(ctx, o.Instance.ID, o.OpOcc.StartTime)
	if err != nil {
		return err
	}
	if !left {
		return notInstantiated(o.Instance.ID)
	}
	request, err := requests.Of(former)
	o.Request, _ = request.(lcm.InstantiateRequest)
	return err
}

// ReadVnfd reads the VNFD of a package, and caches it. Callers must not modify it.
func (r *Resolver) ReadVnfd(ctx context.Context, id lcm.VnfPkgID) (*descriptor.Vnfd, error) {
	return r.vnfds.get(ctx, id, r.readVnfd)
}

func (r *Resolver) readVnfd(ctx context.Context, id lcm.VnfPkgID) (*descriptor.Vnfd, error) {
	pkg, err := r.Store.Package(ctx, id)
	if err != nil {
		return nil, err
	}
	vnfd := &descriptor.Vnfd{}
	if err := json.Unmarshal(pkg.Vnfd, vnfd); err != nil {
		return nil, lcm.Wrap(lcm.KindBug, err, "The stored VNFD of package %s is unreadable.", id)
	}
	return vnfd, nil
}

// IsCluster reports whether a driver makes a cluster of the VNF's servers.
func (o *Operation) IsCluster() bool {
	return cluster.Makes(o.Flavour)
}

// Foreseen returns the VIM connections of the operation unless its grant names others: one for each of VimKinds, in
// that order. For an INSTANTIATE without a matching VIM, neither in the request nor as the default, the connection is a
// zero value.
func (r *Resolver) Foreseen(ctx context.Context, o *Operation) (out []lcm.VimConnectionInfo, err error) {
	for _, kind := range o.VimKinds() {
		c, err := r.connection(ctx, o, kind)
		if err != nil && (!o.OpOcc.Operation.Makes() || !lcm.Is(err, lcm.KindNotFound)) {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

// VimKinds returns the kinds of VIMs that the VNF uses; the VMs' kind comes first.
func (o *Operation) VimKinds() []lcm.VimKind { return lifecycle.VimKinds(o.Flavour, o.vimTypes...) }

// IsOn tells whether the VNF uses a VIM of that type.
func (o *Operation) IsOn(vimType string) bool {
	return slices.ContainsFunc(o.VimKinds(), func(k lcm.VimKind) bool { return k.Type == vimType })
}

// Follows tells whether the VNF uses a VIM that replaces VNFCs by itself.
func (o *Operation) Follows() bool {
	return slices.ContainsFunc(o.VimKinds(), func(k lcm.VimKind) bool { return k.ReplacesVnfcs })
}

// Connections returns the VIM connections of the operation: one for each of VimKinds, in that order. If the request
// names none, it is the default VIM. Without a default VIM the error is NotFound.
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
	for _, c := range o.Instance.VimConnections { // skips connections that only a modification has added
		if o.Instance.Uses(c.ID) && is(c) {
			return c, nil
		}
	}
	for _, c := range slices.Concat(o.ChangedConnections(), o.Request.VimConnections, o.Instance.VimConnections) {
		// The request may have the VIM's name and no type; the instance has the VIM's id and type.
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
		return lcm.VimConnectionInfo{}, lcm.Errorf(lcm.KindNotFound, "The default VIM %s is of type %s; this VNF "+
			"needs a VIM of type %s: name it in vimConnectionInfo.", vim.Name, vim.Type, kind.Type)
	}
	return lcm.VimConnectionInfo{ID: string(vim.ID), VimID: vim.ID, VimType: vim.Type}, nil
}

// typeOf returns the VIM type of a connection. Clients of v1 omit it, and a request may have connections of types that
// the VNF does not use.
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
