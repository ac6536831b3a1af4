package lcm

import (
	"regexp"

	"github.com/windlass-nfv/windlass/internal/params"
)

// RegistriesKey is the configurable property of a VNF instance in which a cluster shows its registries of images, and in
// which clients change them.
const RegistriesKey = "private_registry_connection_info"

// RegistriesPath is where a modification names registries.
const RegistriesPath = "$.vnfConfigurableProperties." + RegistriesKey

// KeepVolumes is the member of a heal request's additionalParams that gives a new storage server the volumes of the
// former one, with all data.
const KeepVolumes = "keep_volumes"

// HealAll is the member of the same purpose in Tacker's heal requests: true replaces storages as well, false does not.
const HealAll = "all"

// Patience is the member of additionalParams that limits, in seconds, how long containers may be in trouble that can
// end by itself. The value of a request overrides the value of the VNF.
const Patience = "patience"

// ReadyTimeout is the member of additionalParams that limits, in seconds, how long an operation waits until the objects
// of containers are ready. The value of a request overrides the value of the VNF.
const ReadyTimeout = "ready_timeout"

// Tackers reads parameters as Tacker's clients write them, with their common checks.
var Tackers = params.Manner{Checks: map[string]params.Check{
	"user name": params.Matches(regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9._-]*$`), "a Linux user name"),
}}
