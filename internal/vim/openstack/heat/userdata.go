package heat

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/userdata"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/document"
	"github.com/windlass-nfv/windlass/vnfpkg/hot"
)

// Limits for the package's files that a user data class can read: small texts.
const (
	largestScript  = 1 << 20
	largestScripts = 32 << 20
)

var scriptTypes = []string{".py", ".yaml", ".yml", ".json", ".txt", ".meta", ".mf"}

// scripted makes the template and the parameters of the VNF's stack with the user data class of the package. It runs
// the class for every change of the stack, with the instantiation request and the VNF's new size. It keeps no earlier
// result.
func (o *Definer) scripted(
	ctx context.Context, j *job, class lcm.UserData, template hot.Template, request hot.Request, opened []string,
) (hot.Template, map[string]any, error) {
	if o.UserData == nil {
		return template, nil, lcm.Errorf(lcm.KindInvalid, "The user data class %s is Python of the VNF package, but "+
			"this worker runs no Python: set userData.python, then retry.", class.Class)
	}
	call := userdata.Call{Path: class.Path, Class: class.Class, Secrets: opened}
	var err error
	if call.Files, err = o.scripts(ctx, j.Instance.VnfPkgID); err != nil {
		return template, nil, err
	}
	if call.Told, err = j.told(template, request, call.Files); err != nil {
		return template, nil, err
	}
	made, err := o.UserData.Run(ctx, call)
	if err != nil {
		return template, nil, err
	}
	if template, err = ownTemplate(j.Flavour, template, made); err != nil {
		return template, nil, err
	}
	parameters, err := hot.MadeParameters(j.Flavour, template, request, made.Parameters)
	return template, parameters, err
}

// scripts reads the files of a package that its user data class may read.
func (o *Definer) scripts(ctx context.Context, id lcm.VnfPkgID) (map[string][]byte, error) {
	pkg, err := o.Store.Package(ctx, id)
	if err != nil {
		return nil, err
	}
	files, total := map[string][]byte{}, int64(0)
	for _, artifact := range pkg.Artifacts {
		if !slices.Contains(scriptTypes, strings.ToLower(path.Ext(artifact.Path))) || artifact.Size > largestScript {
			continue
		}
		if total += artifact.Size; total > largestScripts {
			return nil, lcm.Errorf(lcm.KindInvalid, "The scripts and definitions of VNF package %s have more than the %d MiB "+
				"that a user data class may read.", id, largestScripts>>20)
		}
		if files[artifact.Path], err = o.Store.PackageFile(ctx, id, artifact.Path); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// ownTemplate returns the template that a class made, if it differs from the package's. This works only where nothing
// is scaled: in a foreign template, Windlass cannot name the VNFCs to remove.
func ownTemplate(f *descriptor.Flavour, template hot.Template, made userdata.Made) (hot.Template, error) {
	if made.Template == "" {
		return template, nil
	}
	own := hot.Template{Top: made.Template, Files: template.Files}
	if len(made.Files) > 0 {
		own.Files = made.Files
	}
	if own.Same(f, template) {
		return template, nil
	}
	if len(f.Aspects) > 0 {
		return template, lcm.Errorf(lcm.KindInvalid, "The user data class has changed the template, but the flavour "+
			"%s of the VNFD can be scaled: do not change the template, or use %s, which makes a resource for each "+
			"VNFC.", f.ID, lcm.StandardUserData)
	}
	return own, nil
}

// told makes the data about an operation for a user data class.
func (j *job) told(
	template hot.Template, request hot.Request, files map[string][]byte,
) (told userdata.Told, err error) {
	definition, ok := files[j.Flavour.Definition]
	if !ok {
		return told, lcm.Errorf(lcm.KindInvalid,
			"Windlass has not kept the definition of the flavour %s: on-board the VNF package again.", j.Flavour.ID)
	}
	if told.Vnfd, err = document.ReadPlain(j.Flavour.Definition, definition); err != nil {
		return told, err
	}
	if told.Hot.Template, err = document.ReadPlain(j.Flavour.BaseHOT, []byte(template.Top)); err != nil {
		return told, err
	}
	told.Hot.Files = map[string]any{}
	for name, text := range template.Files {
		if nested, err := document.ReadPlain(name, []byte(text)); err == nil { // other files are no templates
			told.Hot.Files[name] = nested
		}
	}
	told.Images, told.Flavours = request.Chosen(j.Flavour)
	told.Capacity = j.Flavour.Sizes(request.Capacity)
	told.Request = j.instantiation(request.AdditionalParams)
	told.Instance = map[string]any{
		"id": j.Instance.ID, "vnfdId": j.Instance.VnfdID, "vnfInstanceName": j.Instance.Name,
		"instantiationState": lcm.NotInstantiated,
	}
	told.GrantRequest, told.Grant = j.grantFor(request)
	return told, nil
}

// instantiation makes the VNF's InstantiateVnfRequest of API v2. It has networks, addresses and parameters, but no
// credentials of VIMs.
func (j *job) instantiation(additionalParams map[string]any) map[string]any {
	links := []any{}
	for _, link := range j.Request.ExtVirtualLinks {
		cps, ports := []any{}, []any{}
		for _, cp := range link.ExtCps {
			configs := map[string]any{}
			for _, entry := range toldEntries(cp) {
				config := configOf(entry)
				if port := entry.LinkPort; port != nil {
					config["linkPortId"] = port.ID
					ports = append(ports, map[string]any{
						"id":             port.ID,
						"resourceHandle": map[string]any{"resourceId": port.ResourceID},
					})
				}
				configs[entry.Key] = config
			}
			cps = append(cps, map[string]any{"cpdId": cp.CpdID, "cpConfig": configs})
		}
		one := map[string]any{"id": link.ID, "resourceId": link.ResourceID, "extCps": cps}
		if len(ports) > 0 {
			one["extLinkPorts"] = ports
		}
		links = append(links, one)
	}
	managed := []any{}
	for _, l := range j.Request.ExtManagedVirtualLinks {
		managed = append(managed, map[string]any{
			"id": l.ID, "vnfVirtualLinkDescId": l.VnfVirtualLinkDescID, "resourceId": l.ResourceID,
		})
	}
	connections := map[string]any{}
	for _, c := range j.Request.VimConnections {
		connections[c.ID] = map[string]any{"vimId": c.VimID, "vimType": c.VimType}
	}
	if additionalParams == nil {
		additionalParams = map[string]any{}
	}
	return map[string]any{
		"flavourId": j.Flavour.ID, "instantiationLevelId": j.Request.InstantiationLevelID, "extVirtualLinks": links,
		"extManagedVirtualLinks": managed, "vimConnectionInfo": connections, "additionalParams": additionalParams,
	}
}

// toldEntries returns the entries of a connection point for a class: the entries with ports, or else one entry
// with the connection point's addresses.
func toldEntries(cp lcm.ExtCp) []lcm.CpConfig {
	if ported := cp.PortEntries(); len(ported) > 0 {
		return ported
	}
	return []lcm.CpConfig{{Key: cp.ConfigID(""), FixedIPs: cp.FixedIPs, MAC: cp.MAC}}
}

// configOf makes a VnfExtCpConfig of API v2 without its port.
func configOf(entry lcm.CpConfig) map[string]any {
	addresses := []any{}
	for _, ip := range entry.FixedIPs {
		for range ip.Count() {
			addresses = append(addresses, addressOf(ip))
		}
	}
	ethernet := map[string]any{"ipAddresses": addresses}
	if entry.MAC != "" {
		ethernet["macAddress"] = entry.MAC
	}
	return map[string]any{"cpProtocolData": []any{map[string]any{
		"layerProtocol":  "IP_OVER_ETHERNET",
		"ipOverEthernet": ethernet,
	}}}
}

func addressOf(ip lcm.FixedIP) map[string]any {
	out := map[string]any{"type": "IPV4"}
	if ip.IPv6 || strings.Contains(ip.Address, ":") {
		out["type"] = "IPV6"
	}
	if ip.Address != "" {
		out["fixedAddresses"] = []any{ip.Address}
	}
	if ip.SubnetID != "" {
		out["subnetId"] = ip.SubnetID
	}
	return out
}

// grantFor makes the GrantRequest and the Grant of an instantiation, with the requested number of VNFCs and the NFVO's
// choices.
func (j *job) grantFor(request hot.Request) (asked, granted map[string]any) {
	resources, places, zones := []any{}, []any{}, []any{}
	for _, vdu := range j.Flavour.Vdus {
		zone := request.Zones[vdu.ID]
		if zone != "" {
			zones = append(zones, map[string]any{"id": zone, "zoneId": zone})
		}
		for i := range request.Capacity[vdu.ID] {
			id := descriptor.MemberName(vdu.ID, i)
			resources = append(resources, map[string]any{
				"id": id, "type": "COMPUTE", "vduId": vdu.ID, "resourceTemplateId": vdu.ID,
			})
			place := map[string]any{"resourceDefinitionId": id}
			if zone != "" {
				place["zoneId"] = zone
			}
			places = append(places, place)
		}
	}
	flavours, images := []any{}, []any{}
	for _, id := range sortedKeys(request.ComputeFlavours) {
		flavours = append(flavours, map[string]any{
			"vnfdVirtualComputeDescId": id,
			"vimFlavourId":             request.ComputeFlavours[id],
		})
	}
	for _, id := range sortedKeys(request.Images) {
		images = append(images, map[string]any{"vnfdSoftwareImageId": id, "vimSoftwareImageId": request.Images[id]})
	}
	asked = map[string]any{
		"vnfInstanceId": j.Instance.ID, "vnfLcmOpOccId": j.OpOcc.ID, "vnfdId": j.Instance.VnfdID, "flavourId": j.Flavour.ID,
		"operation": lcm.OpInstantiate, "isAutomaticInvocation": false, "addResources": resources,
	}
	granted = map[string]any{
		"vnfInstanceId": j.Instance.ID, "vnfLcmOpOccId": j.OpOcc.ID, "addResources": places, "zones": zones,
		"vimAssets": map[string]any{"computeResourceFlavours": flavours, "softwareImages": images},
	}
	return asked, granted
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
