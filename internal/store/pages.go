package store

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/query"
)

// Page asks for a part of a list, which is ordered by id: what is inserted meanwhile moves nothing to another page.
type Page struct {
	// Filter chooses rows by the attributes of the standard. It leaves out no row that matches; some that do not match
	// may be among the result, for not every attribute is known here.
	Filter query.Filter
	// After is the id after which the page begins, "" for the first one.
	After string
	// Limit bounds the rows; 0 is no bound.
	Limit int
	// Omit are attributes of the standard that the caller does not look at. The large ones are not read then; only what
	// links depend on is there all the same.
	Omit []string
}

// part is a large column of a statement that selects, and what is read instead when nobody looks at it.
type part struct{ column, instead string }

// without leaves the columns of those attributes out of a statement.
func without(selects string, parts map[string]part, omit []string) string {
	for _, name := range omit {
		if p, ok := parts[name]; ok {
			selects = strings.Replace(selects, p.column, p.instead, 1)
		}
	}
	return selects
}

const nothing = " null::jsonb,"

var instanceParts = map[string]part{
	"metadata":                  {" metadata,", nothing},
	"extensions":                {" extensions,", nothing},
	"vnfConfigurableProperties": {" configurable_properties,", nothing},
	"vimConnectionInfo":         {" vim_connections,", nothing},
	// Links depend on vnfState and on what can be scaled.
	"instantiatedVnfInfo": {" instantiated,", ` instantiated - '{vnfcResourceInfo,virtualLinkResourceInfo,virtualStorageResourceInfo,attached,extCpInfo,extVirtualLinks,additionalParams,nodes}'::text[],`},
}

var operationParts = map[string]part{
	"operationParams":        {" params,", nothing},
	"error":                  {" error,", nothing},
	"resourceChanges":        {"\tresource_changes,", nothing},
	"changedInfo":            {" changed_info,", nothing},
	"changedExtConnectivity": {" nullif(plan - 'grant' - 'drains', '{}'),", nothing},
}

// page reads one page of what selects.
func page[T any](ctx context.Context, q querier, scan pgx.RowToFunc[T], selects string, w *where, p Page) ([]T, error) {
	if p.After != "" {
		w.add("id > " + w.arg(p.After))
	}
	sql := selects + w.String() + " order by id"
	if p.Limit > 0 {
		sql += " limit " + w.arg(p.Limit)
	}
	return all(ctx, q, scan, sql, w.args)
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
	"vimConnectionInfo":         keyedColumn("vim_connections"),
	// Of instantiatedVnfInfo only what is shown as it is stored.
	"instantiatedVnfInfo":                                              presentColumn("instantiated"),
	"instantiatedVnfInfo/flavourId":                                    documentColumn("instantiated", "flavourId"),
	"instantiatedVnfInfo/vnfState":                                     documentColumn("instantiated", "vnfState"),
	"instantiatedVnfInfo/scaleStatus":                                  documentColumn("instantiated", "scaleStatus"),
	"instantiatedVnfInfo/maxScaleLevels":                               documentColumn("instantiated", "maxScaleLevels"),
	"instantiatedVnfInfo/vnfcResourceInfo":                             documentColumn("instantiated", "vnfcResourceInfo"),
	"instantiatedVnfInfo/virtualLinkResourceInfo":                      documentColumn("instantiated", "virtualLinkResourceInfo"),
	"instantiatedVnfInfo/virtualStorageResourceInfo":                   documentColumn("instantiated", "virtualStorageResourceInfo"),
	"instantiatedVnfInfo/extCpInfo/id":                                 documentColumn("instantiated", "extCpInfo", "id"),
	"instantiatedVnfInfo/extCpInfo/cpdId":                              documentColumn("instantiated", "extCpInfo", "cpdId"),
	"instantiatedVnfInfo/extCpInfo/cpConfigId":                         documentColumn("instantiated", "extCpInfo", "cpdId"),
	"instantiatedVnfInfo/extVirtualLinkInfo/id":                        documentColumn("instantiated", "extVirtualLinks", "ID"),
	"instantiatedVnfInfo/extVirtualLinkInfo/resourceHandle/resourceId": documentColumn("instantiated", "extVirtualLinks", "ResourceID"),
	// Of v2 only; vnfcInfo is made of vnfcResourceInfo.
	"instantiatedVnfInfo/extVirtualLinkInfo/currentVnfExtCpData/cpdId": documentColumn("instantiated", "extVirtualLinks", "ExtCps", "CpdID"),
	"instantiatedVnfInfo/vnfcInfo/vduId":                               documentColumn("instantiated", "vnfcResourceInfo", "vduId"),
	"instantiatedVnfInfo/vnfcInfo/vnfcResourceInfoId":                  documentColumn("instantiated", "vnfcResourceInfo", "id"),
}

// InstancePage reads a page of the instances, ordered by id.
func (s *Store) InstancePage(ctx context.Context, p Page) ([]lcm.VnfInstance, error) {
	return page(ctx, s.pool, scanInstance, without(selectInstance, instanceParts, p.Omit), instanceAttributes.whereOf(p.Filter, nil).limit(ctx), p)
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
	"resourceChanges":       documentColumn("resource_changes"),
	"changedInfo":           presentColumn("changed_info"),
	"operationParams":       rawColumn("params"),
	// These look otherwise in the other version of the API.
	"operationParams/vimConnectionInfo": presentColumn("params"),
	"operationParams/extVirtualLinks":   presentColumn("params"),
}

// OperationPage reads a page of the operations, ordered by id.
func (s *Store) OperationPage(ctx context.Context, p Page) ([]lcm.VnfLcmOpOcc, error) {
	return page(ctx, s.pool, scanOperation, without(selectOperation, operationParts, p.Omit), operationAttributes.whereOf(p.Filter, nil).limit(ctx), p)
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
}

// OnboardedPage reads a page of the packages that are on board, ordered by id.
func (s *Store) OnboardedPage(ctx context.Context, p Page) ([]lcm.VnfPkg, error) {
	w := packageAttributes.whereOf(p.Filter, nil).limit(ctx)
	w.add("onboarding_state = 'ONBOARDED'")
	return page(ctx, s.pool, scanPackage, selectPackage, w, p)
}

// PackagePage reads a page of the packages, ordered by id.
func (s *Store) PackagePage(ctx context.Context, p Page) ([]lcm.VnfPkg, error) {
	return page(ctx, s.pool, scanPackage, selectPackage, packageAttributes.whereOf(p.Filter, nil).limit(ctx), p)
}
