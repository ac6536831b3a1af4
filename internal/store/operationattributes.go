package store

import "slices"

// OperationAttributes are those of VnfLcmOpOcc in both versions (SOL003 clause 5.5.2.13).
var OperationAttributes = slices.Concat(Attributes{
	{"id", mandatoryText.in("id")},
	{"vnfInstanceId", mandatoryText.in("vnf_instance_id")},
	{"operation", mandatoryText.in("operation")},
	{"operationState", mandatoryText.in("state")},
	{"stateEnteredTime", moment.in("state_entered_time")},
	{"startTime", moment.in("start_time")},
	{"grantId", optionalText.in("grant_id")},
	{"isAutomaticInvocation", boolean.in("is_automatic_invocation")},
	{"isCancelPending", boolean.in("is_cancel_pending")},
	{"cancelMode", optionalText.in("cancel_mode")},
	{"error", presence.in("error").except("title")},
	{"error/title", document.in("error", "$.kind")},
	{"resourceChanges", document.in("resource_changes", "$")},
	{"operationParams", request.in("params", "$")},
	{"_links", link.in("id", "/vnf_lcm_op_occs/")},
	{"_links/vnfInstance", link.in("vnf_instance_id", "/vnf_instances/")},
	{"_links/grant/href", mandatoryText.in("(plan->'grant'->>'href')")}, // at the NFVO
},
	inBothForms("operationParams/vimConnectionInfo", "params", "$.vimConnectionInfo", "id"),
	inBothForms("operationParams/extVirtualLinks/extCps/cpConfig", "params", "$.extVirtualLinks.extCps.cpConfig",
		"cpInstanceId"),
	Attributes{{"changedInfo", document.in("changed_info", "$").except("vimConnectionInfo")}}.
		when("operation <> 'CHANGE_VNFPKG'"),
	connections("changedInfo/vimConnectionInfo", "changed_info", "$.vimConnectionInfo"),
	Attributes{{"modificationsTriggeredByVnfPkgChange", document.in("changed_info", "$")}}.
		when("operation = 'CHANGE_VNFPKG'"),
	// The links that a completed operation has changed (lcm.Plan).
	linkInfo("changedExtConnectivity", "plan", "$.links", document.in("plan", "$.vimConnectionId")).
		when("operation = 'CHANGE_EXT_CONN' and state = 'COMPLETED'"),
)

// inBothForms are the further places of a part of a request whose form depends on the version of the API: v1 has a list
// of objects, and v2 a map of objects. The list has the map's keys as members idKey. An object without this member has
// its position as key. The API shows the form of the version that a client asks for.
func inBothForms(path, column, steps, idKey string) Attributes {
	return slices.Concat(
		Attributes{{path, object.in(column, steps)}},
		Attributes{
			{path + "/*", request.in(column, steps, "[*] ? (@.", idKey, " == {key})")},
			{path + "/*", request.in(column, steps, "[{position}]")},
		}.when("api_version = 1"),
		Attributes{
			{path, request.in(column, steps, ".*")},
			{path + "/" + idKey, request.in(column, steps, ".keyvalue().key")},
		}.when("api_version = 2"))
}
