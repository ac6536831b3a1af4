package lcm

import (
	"regexp"

	"github.com/windlass-nfv/windlass/internal/params"
)

// Members of additionalParams that are parameters of drivers.
const (
	// ClusterParamsKey is the member for a cluster.
	ClusterParamsKey = "k8s_cluster_installation_param"
	// RegistryServerKey is the member for a registry of images.
	RegistryServerKey = "private_registry_installation_param"
)

const clusterParamsPath = "$.additionalParams." + ClusterParamsKey

// RegistriesKey is the member of a cluster's parameters that lists the registries of images, and the configurable
// property of a VNF instance that shows and changes them.
const RegistriesKey = "private_registry_connection_info"

// RegistriesPath is where a modification gives registries.
const RegistriesPath = "$.vnfConfigurableProperties." + RegistriesKey

// KeepVolumes is the member of a heal request's additionalParams that lets a storage server that is made anew have its
// volumes, with all data, back.
const KeepVolumes = "keep_volumes"

// HealAll is the member of that name of Tacker's heal requests: true replaces storages as well, false does not.
const HealAll = "all"

// Patience is the member of additionalParams that says for how many seconds trouble of containers may last that may
// heal itself. That of a request goes before that of the VNF.
const Patience = "patience"

// Tackers is the manner of parameters as Tacker's clients write them, with the checks that all of these share.
var Tackers = params.Manner{Checks: map[string]params.Check{
	"user name": params.Matches(regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9._-]*$`), "a Linux user name"),
}}
