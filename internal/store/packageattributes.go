package store

import "slices"

// PackageAttributes are those of VnfPkgInfo (SOL005 clause 9.5.2.5).
var PackageAttributes = slices.Concat(Attributes{
	{"id", mandatoryText.in("id")},
	{"vnfdId", optionalText.in("vnfd_id")},
	{"vnfProvider", optionalText.in("provider")},
	{"vnfProductName", optionalText.in("product_name")},
	{"vnfSoftwareVersion", optionalText.in("software_version")},
	{"vnfdVersion", optionalText.in("vnfd_version")},
	{"onboardingState", mandatoryText.in("onboarding_state")},
	{"operationalState", mandatoryText.in("operational_state")},
	{"userDefinedData", document.in("user_defined_data", "$")},
	{"additionalArtifacts", presence.in("artifacts")},
	{"onboardingFailureDetails", presence.in("error")},
	{"warnings", presence.in("warnings")},
	{"softwareImages", presence.in("vnfd")},
	{"usageState", mandatoryText.in(usageState)},
	{"_links", link.in("id", "/vnf_packages/")},
}, objectAt("checksum", object.in("checksum"), Attributes{
	{"algorithm", mandatoryText.in("checksum_algo")},
	{"hash", optionalText.in("checksum")},
}))

// SubscriptionAttributes are those of LccnSubscription in both versions, and of PkgmSubscription.
var SubscriptionAttributes = Attributes{
	{"id", mandatoryText.in("id")},
	{"callbackUri", mandatoryText.in("callback_uri")},
	{"verbosity", mandatoryText.in("verbosity")},
	{"filter", document.in("filter", "$")},
	{"_links", link.in("id", "/subscriptions/")},
}

// SnapshotAttributes are those of VnfSnapshotInfo (SOL003 v3.3.1 clause 5.5.2.22).
var SnapshotAttributes = Attributes{
	{"id", mandatoryText.in("id")},
	{"vnfSnapshotPkgId", optionalText.in("vnf_snapshot_pkg_id")},
	{"vnfSnapshot", request.in("vnf_snapshot", "$")},
	{"_links", link.in("id", "/vnf_snapshots/")},
}
