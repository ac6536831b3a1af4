package store

import (
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/query"
)

// InstanceAttributes are those of VnfInstance in both versions (SOL003 clause 5.5.2.2).
var InstanceAttributes = slices.Concat(Attributes{
	{"id", mandatoryText.in("id")},
	{"vnfInstanceName", optionalText.in("name")},
	{"vnfInstanceDescription", optionalText.in("description")},
	{"vnfdId", mandatoryText.in("vnfd_id")},
	{"vnfProvider", mandatoryText.in("provider")},
	{"vnfProductName", mandatoryText.in("product_name")},
	{"vnfSoftwareVersion", mandatoryText.in("software_version")},
	{"vnfdVersion", mandatoryText.in("vnfd_version")},
	{"vnfPkgId", mandatoryText.in("vnf_pkg_id")},
	{"instantiationState", mandatoryText.in("instantiation_state")},
	{"metadata", document.in("metadata", "$")},
	{"extensions", document.in("extensions", "$")},
	{"vnfConfigurableProperties", document.in("configurable_properties", "$")},
	{"_links", link.in("id", "/vnf_instances/")},
}, connections("vimConnectionInfo", "vim_connections", "$"),
	objectAt("instantiatedVnfInfo", object.in("instantiated_brief"), Attributes{
		{"flavourId", document.in("instantiated_brief", "$.flavourId")},
		{"vnfState", document.in("instantiated_brief", "$.vnfState")},
		{"scaleStatus", document.in("instantiated_brief", "$.scaleStatus")},
		{"maxScaleLevels", document.in("instantiated_brief", "$.maxScaleLevels")},
		{"localizationLanguage", document.in("instantiated_brief", "$.localizationLanguage")},
		{"vnfcResourceInfo", document.in("instantiated", "$.vnfcResourceInfo")},
		{"virtualLinkResourceInfo", document.in("instantiated", "$.virtualLinkResourceInfo")},
		{"virtualStorageResourceInfo", document.in("instantiated", "$.virtualStorageResourceInfo")},
	}, vnfcInfo, extCpInfo, extManagedVirtualLinkInfo,
		linkInfo("extVirtualLinkInfo", "instantiated", "$.extVirtualLinks", connectionOfVnf, extLinkPorts)))

// connectionOfVnf is the connection of all resources of a VNF, read from its first VNFC.
var connectionOfVnf = document.in("instantiated", "$.vnfcResourceInfo.computeResource.vimConnectionId")

// vnfcInfo is in v2 only; it is made from vnfcResourceInfo.
var vnfcInfo = objectAt("vnfcInfo", object.in("instantiated"), Attributes{
	{"id", vnfcID.in("instantiated")},
	{"vduId", document.in("instantiated", "$.vnfcResourceInfo.vduId")},
	{"vnfcResourceInfoId", document.in("instantiated", "$.vnfcResourceInfo.id")},
	{"vnfcConfigurableProperties", document.in("instantiated", "$.vnfcResourceInfo.vnfcConfigurableProperties")},
	{"vnfcState", constant.in("instantiated").is(string(lcm.VnfStarted))},
	{"vnfcState", constant.in("instantiated_brief", "$.stopped.vnfcId").is(string(lcm.VnfStopped))},
})

var extCpInfo = objectAt("extCpInfo", object.in("instantiated"), Attributes{
	{"id", document.in("instantiated", "$.extCpInfo.id")},
	{"cpdId", document.in("instantiated", "$.extCpInfo.cpdId")},
	{"cpConfigId", document.in("instantiated", "$.extCpInfo.cpdId")},
	{"cpConfigId", document.in("instantiated", "$.extVirtualLinks.ExtCps.Configs.Key")},
	{"cpProtocolInfo", document.in("instantiated", "$.extCpInfo.cpProtocolInfo")},
	{"extLinkPortId", document.in("instantiated", "$.extCpInfo.extLinkPortId")},
	{"associatedVnfcCpId", document.in("instantiated", "$.extCpInfo.associatedVnfcCpId")},
	{"associatedVnfcCpId", document.in("instantiated", "$.extCpInfo.id")},
})

// extLinkPorts are made from extCpInfo. A given port has an id of the request and an id of the VIM, its portId.
var extLinkPorts = objectAt("extLinkPorts", object.in("instantiated"), Attributes{
	{"id", document.in("instantiated", "$.extCpInfo.extLinkPortId")},
	{"cpInstanceId", document.in("instantiated", "$.extCpInfo.id")},
}, objectAt("resourceHandle", object.in("instantiated"), Attributes{
	{"resourceId", document.in("instantiated", "$.extCpInfo.portId")},
	{"resourceId", document.in("instantiated", "$.extCpInfo[*] ? (!exists(@.portId)).extLinkPortId")},
	{"vimConnectionId", connectionOfVnf},
	{"vimLevelResourceType", document.in("instantiated", "$.extCpInfo.portType")},
}))

var extManagedVirtualLinkInfo = objectAt("extManagedVirtualLinkInfo", object.in("instantiated"), Attributes{
	{"id", document.in("instantiated", "$.extManagedVirtualLinks.id")},
	{"vnfVirtualLinkDescId", document.in("instantiated", "$.extManagedVirtualLinks.vnfVirtualLinkDescId")},
}, objectAt("networkResource", object.in("instantiated"), Attributes{
	{"resourceId", document.in("instantiated", "$.extManagedVirtualLinks.resourceId")},
	{"vimConnectionId", connectionOfVnf},
}))

// connections are connections to VIMs, which the column has as a list at the steps. V1 shows the list, and v2 a map by
// id.
func connections(path, column, steps string) Attributes {
	list := document.in(column, steps)
	list.members = []string{"id", "vimId", "vimType", "interfaceInfo", "accessInfo", "extra"}
	return Attributes{
		{path, list},
		{path, mapKeys.in(column, steps, ".id")},
		{path + "/*", document.in(column, steps, "[*] ? (@.id == {key})")},
	}
}

// vnfcName is lcm.VnfInstance.VnfcInfoID in SQL: the metadata's name for the place in the resource's name, else VDU and
// id.
const vnfcName = `coalesce(nullif(metadata #>> array['` + lcm.VduVnfcMapping + `', vnfc ->> 'vduId', case
	when starts_with(vnfc #>> '{metadata,parent_resource_name}', (vnfc ->> 'vduId') || '-')
	and substr(vnfc #>> '{metadata,parent_resource_name}', length(vnfc ->> 'vduId') + 2) ~ '^(0|[1-9][0-9]{0,8})$'
	then substr(vnfc #>> '{metadata,parent_resource_name}', length(vnfc ->> 'vduId') + 2) end], ''), (vnfc ->> 'vduId') || '-' || (vnfc ->> 'id'))`

// compareVnfcID compares the id of a VNFC in SOL002: its name in the metadata, else the VDU's id, a dash and the
// resource's id.
func compareVnfcID(w *where, e query.Expression) string {
	const vnfcs = `$.vnfcResourceInfo[*]`
	exactly := "exists (select from jsonb_path_query(instantiated, '" + vnfcs + "') as vnfc where " +
		compareText(w, vnfcName, e) + ")"
	if e.Op != query.Eq && e.Op != query.In {
		return exactly
	}
	var parts, names []string // for the indexes
	for _, value := range e.Values {
		if strings.Count(value, "-") > mostDashes {
			return exactly
		}
		names = append(names, "@ == "+quoted(value))
		for i := range len(value) {
			if value[i] == '-' {
				parts = append(parts, "@.vduId == "+quoted(value[:i])+" && @.id == "+quoted(value[i+1:]))
			}
		}
	}
	likely := "metadata @? " + w.arg("$."+lcm.VduVnfcMapping+".*[*] ? ("+strings.Join(names, " || ")+")") + "::jsonpath"
	if len(parts) > 0 {
		likely = "(" + likely + " or instantiated @? " + w.arg(vnfcs+" ? ("+strings.Join(parts, " || ")+")") + "::jsonpath)"
	}
	return "(" + likely + " and " + exactly + ")"
}

// mostDashes limits the dashes of a value that is split at each of them for an index. Ids of VNFCs have fewer. Every
// dash copies the value, so a client's long value could use gigabytes.
const mostDashes = 16
