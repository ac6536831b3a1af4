package store

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/query"
)

// Page selects a part of a list that is ordered by id. So an insert does not move rows to another page.
type Page struct {
	// Filter selects rows by the attributes of the standard. The result contains every matching row. It may contain
	// others, because SQL does not know every attribute.
	Filter query.Filter
	// After is the last id before the page, "" for the first page.
	After string
	// Limit is the largest number of rows; 0 means no limit.
	Limit int
	// Omit lists attributes of the standard that the caller does not read, except for those in Seen. The query skips
	// large attributes among them, but still reads the data that links need.
	Omit, Seen []string
}

// part is a large column of a statement. instead is a smaller column that is enough when the caller reads only has,
// some parts of the attribute.
type part struct {
	column, instead string
	has             []string
}

// seen reports whether one of the paths needs more of the attribute than the smaller column has.
func (p part) seen(name string, paths []string) bool {
	return slices.ContainsFunc(paths, func(path string) bool {
		return within(path, name) && !slices.ContainsFunc(p.has, func(has string) bool { return within(path, has) })
	})
}

// without removes the columns of omitted attributes from a statement.
func (p Page) without(selects string, parts map[string]part) string {
	for _, name := range p.Omit {
		if part, ok := parts[name]; ok && !part.seen(name, p.Seen) {
			selects = strings.Replace(selects, part.column, part.instead, 1)
		}
	}
	return selects
}

// within reports whether path equals at, or is below it.
func within(path, at string) bool { return path == at || strings.HasPrefix(path, at+"/") }

const nothing = " null::jsonb,"

// vnfcNames is the part of the metadata that ids of VNFCs depend on.
const vnfcNames = " case when metadata ? '" + lcm.VduVnfcMapping + "' then jsonb_build_object('" + lcm.VduVnfcMapping +
	"', metadata -> '" + lcm.VduVnfcMapping + "') end,"

var instanceParts = map[string]part{
	"metadata":                  {" metadata,", vnfcNames, nil},
	"extensions":                {" extensions,", nothing, nil},
	"vnfConfigurableProperties": {" configurable_properties,", nothing, nil},
	"vimConnectionInfo":         {" vim_connections,", nothing, nil},
	// Links depend on it.
	"instantiatedVnfInfo": {" instantiated,", " instantiated_brief,", []string{
		"instantiatedVnfInfo/flavourId", "instantiatedVnfInfo/vnfState", "instantiatedVnfInfo/scaleStatus",
		"instantiatedVnfInfo/maxScaleLevels",
	}},
}

var operationParts = map[string]part{
	"operationParams":        {" params,", nothing, nil},
	"error":                  {" error,", nothing, nil},
	"resourceChanges":        {"\tresource_changes,", nothing, nil},
	"changedExtConnectivity": {" nullif(plan - 'grant' - 'drains' - 'nothingLeft', '{}'),", nothing, nil},
}

// forList returns the connections for a list. A filter may be much work, so such lists have a part of their own.
func (s *Store) forList(p Page) querier {
	if len(p.Filter) > 0 {
		return s.lists
	}
	return s.pool
}

// forSearch returns the connections for a list of rows that have a text in them, or for all rows without one.
func (s *Store) forSearch(text string) querier {
	if text != "" {
		return s.lists
	}
	return s.pool
}

// page reads one page of the selected rows of a table. It chooses the rows before it reads more than the conditions
// need, because the sort may drop most of them.
func page[T any](
	ctx context.Context, q querier, scan pgx.RowToFunc[T], selects, table string, w *where, p Page,
) ([]T, error) {
	if p.After != "" {
		w.add("id > " + w.arg(p.After))
	}
	rows := "select * from " + table + w.String() + " order by id"
	if p.Limit > 0 {
		rows += " limit " + w.arg(p.Limit)
	}
	sql := strings.TrimSuffix(selects, table) + "(" + rows + ") as " + table + " order by id"
	// Plan the query anew for these values each time. A generic plan is bad for a value that most rows have.
	found, _ := q.Query(ctx, sql, pgx.QueryExecModeCacheDescribe, w.args)
	v, err := pgx.CollectRows(found, scan)
	if took, ok := errors.AsType[*pgconn.PgError](err); ok && took.Code == codeTimeout {
		return nil, lcm.Wrap(lcm.KindUnavailable, err, "The database needed more than %s for this list. Use a filter with "+
			"fewer conditions and values, or ask later.", longestList)
	}
	return v, interpret("read from the database", err)
}

var instanceAttributes = attributes{
	"id":                        textColumn("id", false),
	"vnfInstanceName":           textColumn("name", true),
	"vnfInstanceDescription":    textColumn("description", true),
	"vnfdId":                    textColumn("vnfd_id", false),
	"vnfProvider":               textColumn("provider", false),
	"vnfProductName":            textColumn("product_name", false),
	"vnfSoftwareVersion":        textColumn("software_version", false),
	"vnfdVersion":               textColumn("vnfd_version", false),
	"vnfPkgId":                  textColumn("vnf_pkg_id", false),
	"instantiationState":        textColumn("instantiation_state", false),
	"metadata":                  documentColumn("metadata"),
	"extensions":                documentColumn("extensions"),
	"vnfConfigurableProperties": documentColumn("configurable_properties"),
	"vimConnectionInfo": keyedColumn("vim_connections", nil, "id", "vimId", "vimType", "interfaceInfo",
		"accessInfo", "extra"),
	"_links": linkColumn("id", "/vnf_instances/"),

	"instantiatedVnfInfo":                            objectColumn("instantiated_brief"),
	"instantiatedVnfInfo/flavourId":                  documentColumn("instantiated_brief", "flavourId"),
	"instantiatedVnfInfo/vnfState":                   documentColumn("instantiated_brief", "vnfState"),
	"instantiatedVnfInfo/scaleStatus":                documentColumn("instantiated_brief", "scaleStatus"),
	"instantiatedVnfInfo/maxScaleLevels":             documentColumn("instantiated_brief", "maxScaleLevels"),
	"instantiatedVnfInfo/localizationLanguage":       documentColumn("instantiated_brief", "localizationLanguage"),
	"instantiatedVnfInfo/vnfcResourceInfo":           documentColumn("instantiated", "vnfcResourceInfo"),
	"instantiatedVnfInfo/virtualLinkResourceInfo":    documentColumn("instantiated", "virtualLinkResourceInfo"),
	"instantiatedVnfInfo/virtualStorageResourceInfo": documentColumn("instantiated", "virtualStorageResourceInfo"),

	"instantiatedVnfInfo/extCpInfo":       objectColumn("instantiated_brief"),
	"instantiatedVnfInfo/extCpInfo/id":    documentColumn("instantiated", "extCpInfo", "id"),
	"instantiatedVnfInfo/extCpInfo/cpdId": documentColumn("instantiated", "extCpInfo", "cpdId"),
	"instantiatedVnfInfo/extCpInfo/cpConfigId": eitherColumn(
		documentColumn("instantiated", "extCpInfo", "cpdId"),
		documentColumn("instantiated", "extVirtualLinks", "ExtCps", "Configs", "Key")),
	"instantiatedVnfInfo/extCpInfo/cpProtocolInfo": documentColumn("instantiated", "extCpInfo", "cpProtocolInfo"),
	"instantiatedVnfInfo/extCpInfo/extLinkPortId":  documentColumn("instantiated", "extCpInfo", "extLinkPortId"),
	"instantiatedVnfInfo/extCpInfo/associatedVnfcCpId": eitherColumn(
		documentColumn("instantiated", "extCpInfo", "associatedVnfcCpId"), documentColumn("instantiated", "extCpInfo", "id")),

	// They are made from extCpInfo.
	"instantiatedVnfInfo/extVirtualLinkInfo/extLinkPorts": objectColumn("instantiated_brief"),
	"instantiatedVnfInfo/extVirtualLinkInfo/extLinkPorts/id": documentColumn("instantiated",
		"extCpInfo", "extLinkPortId"),
	"instantiatedVnfInfo/extVirtualLinkInfo/extLinkPorts/cpInstanceId": documentColumn("instantiated",
		"extCpInfo", "id"),
	"instantiatedVnfInfo/extVirtualLinkInfo/extLinkPorts/resourceHandle":                 objectColumn("instantiated_brief"),
	"instantiatedVnfInfo/extVirtualLinkInfo/extLinkPorts/resourceHandle/resourceId":      portColumn,
	"instantiatedVnfInfo/extVirtualLinkInfo/extLinkPorts/resourceHandle/vimConnectionId": vimConnectionColumn,
	"instantiatedVnfInfo/extVirtualLinkInfo/extLinkPorts/resourceHandle/vimLevelResourceType": documentColumn("instantiated",
		"extCpInfo", "portType"),

	"instantiatedVnfInfo/extManagedVirtualLinkInfo": objectColumn("instantiated_brief"),
	"instantiatedVnfInfo/extManagedVirtualLinkInfo/id": documentColumn("instantiated",
		"extManagedVirtualLinks", "id"),
	"instantiatedVnfInfo/extManagedVirtualLinkInfo/vnfVirtualLinkDescId": documentColumn("instantiated",
		"extManagedVirtualLinks", "vnfVirtualLinkDescId"),
	"instantiatedVnfInfo/extManagedVirtualLinkInfo/networkResource": objectColumn("instantiated_brief"),
	"instantiatedVnfInfo/extManagedVirtualLinkInfo/networkResource/resourceId": documentColumn("instantiated",
		"extManagedVirtualLinks", "resourceId"),
	"instantiatedVnfInfo/extManagedVirtualLinkInfo/networkResource/vimConnectionId": vimConnectionColumn,

	// In v2 only; it is made from vnfcResourceInfo.
	"instantiatedVnfInfo/vnfcInfo":                    objectColumn("instantiated_brief"),
	"instantiatedVnfInfo/vnfcInfo/id":                 vnfcIDColumn,
	"instantiatedVnfInfo/vnfcInfo/vduId":              documentColumn("instantiated", "vnfcResourceInfo", "vduId"),
	"instantiatedVnfInfo/vnfcInfo/vnfcResourceInfoId": documentColumn("instantiated", "vnfcResourceInfo", "id"),
	"instantiatedVnfInfo/vnfcInfo/vnfcConfigurableProperties": documentColumn("instantiated", "vnfcResourceInfo",
		"vnfcConfigurableProperties"),
	"instantiatedVnfInfo/vnfcInfo/vnfcState": constantColumn(
		constant{string(lcm.VnfStarted), "instantiated_brief is not null"},
		constant{string(lcm.VnfStopped), "instantiated_brief @? '$.stopped.vnfcId'"}),
}.with(linkInfo("instantiatedVnfInfo/extVirtualLinkInfo", "instantiated", "extVirtualLinks", vimConnectionColumn))

// portColumn is the VIM's id of given ports, which also have an id of the request.
func portColumn(w *where, e query.Expression, below []string) string {
	return either(documentColumn("instantiated", "extCpInfo", "portId")(w, e, below),
		jsonCondition(w, "instantiated", root+".extCpInfo[*] ? (!exists(@.portId)).extLinkPortId"+members(below), e, numbers))
}

// vimConnectionColumn is the connection of all resources of a VNF, read from its first VNFC.
var vimConnectionColumn = documentColumn("instantiated", "vnfcResourceInfo", "computeResource", "vimConnectionId")

// vnfcName is lcm.VnfInstance.VnfcInfoID in SQL: the metadata's name for the place in the resource's name, else VDU and
// id.
const vnfcName = `coalesce(nullif(metadata #>> array['` + lcm.VduVnfcMapping + `', vnfc ->> 'vduId', case
	when starts_with(vnfc #>> '{metadata,parent_resource_name}', (vnfc ->> 'vduId') || '-')
	and substr(vnfc #>> '{metadata,parent_resource_name}', length(vnfc ->> 'vduId') + 2) ~ '^(0|[1-9][0-9]{0,8})$'
	then substr(vnfc #>> '{metadata,parent_resource_name}', length(vnfc ->> 'vduId') + 2) end], ''), (vnfc ->> 'vduId') || '-' || (vnfc ->> 'id'))`

// vnfcIDColumn is the id of a VNFC in SOL002: its name in the metadata, else the VDU's id, a dash and the resource's
// id.
func vnfcIDColumn(w *where, e query.Expression, below []string) string {
	if len(below) > 0 || e.OfKey {
		return nobody
	}
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

// InstancePage reads a page of the instances, ordered by id.
func (s *Store) InstancePage(ctx context.Context, p Page) ([]lcm.VnfInstance, error) {
	return page(ctx, s.forList(p), scanInstance, p.without(selectInstance, instanceParts), "vnf_instance",
		instanceAttributes.whereOf(p.Filter, nil).limit(ctx), p)
}

var operationAttributes = attributes{
	"id":                    textColumn("id", false),
	"vnfInstanceId":         textColumn("vnf_instance_id", false),
	"operation":             textColumn("operation", false),
	"operationState":        textColumn("state", false),
	"stateEnteredTime":      timeColumn("state_entered_time"),
	"startTime":             timeColumn("start_time"),
	"grantId":               textColumn("grant_id", true),
	"isAutomaticInvocation": boolColumn("is_automatic_invocation"),
	"isCancelPending":       boolColumn("is_cancel_pending"),
	"cancelMode":            textColumn("cancel_mode", true),
	"error":                 presentColumn("error"),
	"error/title":           documentColumn("error", "kind"),
	"resourceChanges":       documentColumn("resource_changes"),
	"operationParams":       rawColumn("params"),
	// Their form depends on the version of the API.
	"operationParams/vimConnectionInfo": formsColumn("params", []string{"vimConnectionInfo"}, "id"),
	"operationParams/extVirtualLinks/extCps/cpConfig": formsColumn("params",
		[]string{"extVirtualLinks", "extCps", "cpConfig"}, "cpInstanceId"),
	"changedInfo":                          whenColumn("operation <> 'CHANGE_VNFPKG'", documentColumn("changed_info")),
	"modificationsTriggeredByVnfPkgChange": whenColumn("operation = 'CHANGE_VNFPKG'", documentColumn("changed_info")),
	"changedInfo/vimConnectionInfo": keyedColumn("changed_info", []string{"vimConnectionInfo"}, "id", "vimId", "vimType",
		"interfaceInfo", "accessInfo", "extra"),
	"_links":             linkColumn("id", "/vnf_lcm_op_occs/"),
	"_links/vnfInstance": linkColumn("vnf_instance_id", "/vnf_instances/"),
	"_links/grant":       eitherColumn(linkColumn("id", "/vnf_lcm_op_occs/"), grantLinkColumn),
}.with(changedConnectivity())

// grantLinkColumn is the link to the grant at the NFVO.
func grantLinkColumn(w *where, e query.Expression, _ []string) string {
	return compareText(w, "(plan->'grant'->>'href')", e)
}

// changedConnectivity are the links that a completed operation has changed (lcm.Plan).
func changedConnectivity() attributes {
	out := attributes{}
	for name, column := range linkInfo("changedExtConnectivity", "plan", "links",
		documentColumn("plan", "vimConnectionId")) {
		out[name] = whenColumn("operation = 'CHANGE_EXT_CONN' and state = 'COMPLETED'", column)
	}
	return out
}

// OperationPage reads a page of the operations, ordered by id.
func (s *Store) OperationPage(ctx context.Context, p Page) ([]lcm.VnfLcmOpOcc, error) {
	return page(ctx, s.forList(p), scanOperation, p.without(listOperations, operationParts), "vnf_lcm_op_occ",
		operationAttributes.whereOf(p.Filter, nil).limit(ctx), p)
}

var packageAttributes = attributes{
	"id":                       textColumn("id", false),
	"vnfdId":                   textColumn("vnfd_id", true),
	"vnfProvider":              textColumn("provider", true),
	"vnfProductName":           textColumn("product_name", true),
	"vnfSoftwareVersion":       textColumn("software_version", true),
	"vnfdVersion":              textColumn("vnfd_version", true),
	"checksum/algorithm":       textColumn("checksum_algo", false),
	"checksum/hash":            textColumn("checksum", true),
	"onboardingState":          textColumn("onboarding_state", false),
	"operationalState":         textColumn("operational_state", false),
	"userDefinedData":          documentColumn("user_defined_data"),
	"additionalArtifacts":      presentColumn("artifacts"),
	"onboardingFailureDetails": presentColumn("error"),
	"warnings":                 presentColumn("warnings"),
	"checksum":                 objectColumn("checksum"),
	"softwareImages":           unknownColumn,
	"usageState":               unknownColumn,
	"_links":                   linkColumn("id", "/vnf_packages/"),
}

// OnboardedPage reads a page of the on-boarded packages, ordered by id.
func (s *Store) OnboardedPage(ctx context.Context, p Page) ([]lcm.VnfPkg, error) {
	w := packageAttributes.whereOf(p.Filter, nil).limit(ctx)
	w.add("onboarding_state = 'ONBOARDED'")
	return page(ctx, s.forList(p), scanPackage, selectPackage, "vnf_pkg", w, p)
}

// PackagePage reads a page of the packages, ordered by id.
func (s *Store) PackagePage(ctx context.Context, p Page) ([]lcm.VnfPkg, error) {
	return page(ctx, s.forList(p), scanPackage, selectPackage, "vnf_pkg", packageAttributes.whereOf(p.Filter, nil).limit(ctx), p)
}
