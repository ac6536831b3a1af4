package worker

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/windlass-nfv/windlass/activities/pkgplaybook"
	"github.com/windlass-nfv/windlass/activities/pkgscript"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/internal/driver/script"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/operations"
	"github.com/windlass-nfv/windlass/internal/record"
	"github.com/windlass-nfv/windlass/internal/secrets"
	"github.com/windlass-nfv/windlass/internal/userdata"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// playbooksAtOnce is the number of places for playbooks.
func (o Options) playbooksAtOnce() int { return cmp.Or(o.Scripts.AnsibleAtOnce, 4) }

// scripts runs Python of packages; nil where the worker may run none.
func (o Options) scripts() pkgscript.ScriptRunner {
	if o.UserData == nil || o.Scripts.Policy != lcm.ScriptsRun {
		return nil
	}
	return &userdata.Scripts{Runner: o.UserData, Network: o.Scripts.Network, Reach: o.Reach, Time: o.Scripts.Timeout}
}

// playbooks runs playbooks of packages on this host; nil where the worker may run none.
func (o Options) playbooks() pkgplaybook.WorkerHost {
	if !o.Scripts.Ansible || o.Scripts.Policy != lcm.ScriptsRun {
		return nil
	}
	return thisHost{&userdata.Playbooks{Lease: o.Scripts.AnsibleLease, Dir: o.Scripts.AnsibleDirectory, Reach: o.Reach}}
}

// thisHost runs playbooks on this host.
type thisHost struct{ *userdata.Playbooks }

// Connect implements activities.WorkerHost.
func (h thisHost) Connect() (reach.Host, error) { return h.Host() }

// Hook implements activities.ScriptFacts.
func (f facts) Hook(
	ctx context.Context, id lcm.OpOccID, side script.Side,
) (name string, hook descriptor.Hook, plan lcm.Plan, err error) {
	op, err := f.Load(ctx, id)
	if err != nil {
		return "", hook, plan, err
	}
	if _, plan, err = op.Planned(); err != nil {
		return "", hook, plan, err
	}
	name, hook, ok := script.HookOf(op.Flavour, op.OpOcc.Operation, side)
	if !ok {
		return "", hook, plan, nil
	}
	return name, hook, plan, nil
}

// Told implements activities.ScriptFacts. The names are those of SOL003 v3.3.1, as scripts of Tacker's v2 expect them.
// The facts include no credentials of VIMs.
func (f facts) Told(
	ctx context.Context, id lcm.OpOccID, made *record.Outcome,
) (told pkgscript.ScriptTold, err error) {
	op, err := f.Load(ctx, id)
	if err != nil {
		return told, err
	}
	info, connections := op.Instance.Instantiated, op.Instance.VimConnections
	if made != nil {
		now, err := f.Instantiated(ctx, id, *made)
		if err != nil {
			return told, err
		}
		info, connections = &now.Info, now.VimConnections
	}
	request, opened, err := f.requestOf(ctx, op)
	if err != nil {
		return told, err
	}
	asked, granted, err := f.grantOf(ctx, op)
	if err != nil {
		return told, err
	}
	told.Given = map[string]any{
		"request": request, "vnf_instance": instanceTold(op.Instance, info, connections),
		"grant_request": asked, "grant_response": granted,
	}
	told.Secrets = opened
	if told.Files, err = f.smallFiles(ctx, op.Instance.VnfPkgID); err != nil {
		return told, err
	}
	if _, modifies := op.Own.(lcm.ModifyRequest); modifies && op.Modified.VnfPkgID != "" {
		told.NewFiles, err = f.smallFiles(ctx, op.Modified.VnfPkgID)
	}
	return told, err
}

// requestOf is the operation's request with its secrets, but without credentials of VIMs.
func (f facts) requestOf(ctx context.Context, op *operations.Operation) (request map[string]any, opened []string, err error) {
	if len(op.OpOcc.Params) == 0 {
		return map[string]any{}, nil, nil
	}
	if err := json.Unmarshal(op.OpOcc.Params, &request); err != nil {
		return nil, nil, lcm.Wrap(lcm.KindBug, err, "The stored request of the operation is unreadable.")
	}
	if _, names := request["vimConnectionInfo"]; names {
		request["vimConnectionInfo"] = connectionsTold(op.Request.VimConnections)
	}
	sealed, err := json.Marshal(request)
	if err != nil {
		return nil, nil, lcm.Wrap(lcm.KindBug, err, "The stored request of the operation is unreadable.")
	}
	plain, opened, err := secrets.Open(ctx, f.Vault, sealed)
	if err != nil {
		return nil, nil, err
	}
	return request, opened, json.Unmarshal(plain, &request)
}

// grantOf returns what the operation asked for and what it was granted; nil for an operation that asks for nothing.
func (f facts) grantOf(ctx context.Context, op *operations.Operation) (asked, granted map[string]any, err error) {
	if !op.OpOcc.Operation.Type().Granted {
		return nil, nil, nil
	}
	grant, err := f.Grant(ctx, op.OpOcc.ID)
	if err != nil {
		return nil, nil, err
	}
	if asked, err = asMap(grant); err != nil {
		return nil, nil, err
	}
	granted, err = asMap(grant)
	delete(asked, "id")
	asked["vnfdId"], asked["operation"] = op.Instance.VnfdID, op.OpOcc.Operation
	asked["isAutomaticInvocation"] = op.OpOcc.IsAutomaticInvocation
	granted["id"] = op.OpOcc.GrantID
	return asked, granted, err
}

func asMap(v any) (out map[string]any, err error) {
	text, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		return nil, lcm.Wrap(lcm.KindBug, err, "Windlass could not write the input of a script.")
	}
	return out, nil
}

// instanceTold is the VnfInstance of SOL003 clause 5.5.2.2. As in Tacker, members without a value are absent.
func instanceTold(inst lcm.VnfInstance, info *lcm.InstantiatedVnfInfo, vims []lcm.VimConnectionInfo) map[string]any {
	out := map[string]any{
		"id": inst.ID, "vnfInstanceName": inst.Name, "vnfInstanceDescription": inst.Description, "vnfdId": inst.VnfdID,
		"vnfProvider": inst.Provider, "vnfProductName": inst.ProductName, "vnfSoftwareVersion": inst.SoftwareVersion,
		"vnfdVersion": inst.VnfdVersion, "instantiationState": inst.InstantiationState,
		"vimConnectionInfo": connectionsTold(vims),
	}
	for name, value := range map[string]map[string]any{
		"metadata": inst.Metadata, "extensions": inst.Extensions, "vnfConfigurableProperties": inst.ConfigurableProperties,
	} {
		if len(value) > 0 {
			out[name] = value
		}
	}
	if info != nil {
		out["instantiatedVnfInfo"] = infoTold(info)
	}
	return out
}

func infoTold(info *lcm.InstantiatedVnfInfo) map[string]any {
	vnfcs := []any{}
	for _, v := range info.VnfcResources {
		vnfcs = append(vnfcs, map[string]any{"id": v.VduID + "-" + v.ID, "vduId": v.VduID, "vnfcResourceInfoId": v.ID, "vnfcState": "STARTED"})
	}
	out := map[string]any{
		"flavourId": info.FlavourID, "vnfState": info.VnfState, "scaleStatus": info.ScaleStatus,
		"maxScaleLevels": info.MaxScaleLevels, "extCpInfo": info.ExtCps, "vnfcResourceInfo": info.VnfcResources,
		"virtualStorageResourceInfo": info.VirtualStorages, "vnfVirtualLinkResourceInfo": info.VirtualLinks,
		"vnfcInfo": vnfcs, "metadata": map[string]any{},
	}
	if info.LocalizationLanguage != "" {
		out["localizationLanguage"] = info.LocalizationLanguage
	}
	return out
}

// connectionsTold is the map of SOL003 v3.3.1, without credentials.
func connectionsTold(list []lcm.VimConnectionInfo) map[string]any {
	out := map[string]any{}
	for _, c := range list {
		out[c.ID] = map[string]any{"vimId": c.VimID, "vimType": c.VimType, "interfaceInfo": c.InterfaceInfo}
	}
	return out
}

// The files of its package that a script finds.
const (
	largestOfScripts = 1 << 20
	allOfScripts     = 32 << 20
)

// SmallFiles implements activities.PlaybookFacts.
func (f facts) SmallFiles(ctx context.Context, id lcm.VnfPkgID) (map[string][]byte, error) {
	return f.smallFiles(ctx, id)
}

// PlannedFor implements activities.PlaybookFacts.
func (f facts) PlannedFor(ctx context.Context, id lcm.OpOccID) (*descriptor.Flavour, lcm.Plan, error) {
	op, err := f.Load(ctx, id)
	if err != nil {
		return nil, lcm.Plan{}, err
	}
	_, plan, err := op.Planned()
	return op.Flavour, plan, err
}

// smallFiles are the files of a package that a script may read.
func (f facts) smallFiles(ctx context.Context, id lcm.VnfPkgID) (map[string][]byte, error) {
	pkg, err := f.Store.Package(ctx, id)
	if err != nil {
		return nil, err
	}
	files, total := map[string][]byte{}, int64(0)
	for _, artifact := range pkg.Artifacts {
		if artifact.Size > largestOfScripts {
			continue
		}
		if total += artifact.Size; total > allOfScripts {
			return nil, lcm.Errorf(lcm.KindInvalid, "The files of VNF package %s have more than the %d MiB that a script may read.",
				id, allOfScripts>>20)
		}
		if files[artifact.Path], err = f.Store.PackageFile(ctx, id, artifact.Path); err != nil {
			return nil, err
		}
	}
	return files, nil
}
