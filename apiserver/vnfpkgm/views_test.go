package vnfpkgm

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/apitest"
	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/store"
)

func TestPackageLooksAsClientsExpect(t *testing.T) {
	h := &Handler{Backend: &rest.Backend{Base: "https://vnfm.example:9890"}}
	apitest.Golden(t, "vnf_package", h.viewOfPackage(lcm.VnfPkg{
		ID: "8b0a5d5e-4d59-4a3a-9b7d-7f0c1e110b0e", OnboardingState: lcm.PkgOnboarded, OperationalState: lcm.PkgEnabled,
		UsageState: lcm.PkgInUse, VnfdID: "b1bb0ce7", Provider: "Windlass", ProductName: "Kubernetes",
		SoftwareVersion: "1.34",
		VnfdVersion:     "1.0", ChecksumAlgo: "SHA-256", Checksum: "00ff", UserDefinedData: map[string]any{"site": "north"},
		Artifacts: []lcm.PkgArtifact{{Path: "BaseHOT/ha.yaml", Size: 5, Algorithm: "SHA-256", Hash: "ff00"}},
		Warnings:  []lcm.Problem{{Path: "TOSCA.meta:7", Detail: "names an absent file"}},
	}))
}

// TestPackageView_hasOnlyAttributesThatFiltersFind requires a place in the database for each attribute of an answer.
func TestPackageView_hasOnlyAttributesThatFiltersFind(t *testing.T) {
	apitest.RequireFound(t, packageListRules.View, nil, store.PackageAttributes.Finds)
}

func TestBytesIn_readsSizesOfTOSCA(t *testing.T) {
	for text, want := range map[string]int64{
		"2 GB": 2e9, "1.5 GiB": 3 << 29, "512MB": 512e6, "64 KiB": 64 << 10, "17": 17, "3 B": 3, "": 0, "many": 0,
		"1 parsec": 0,
	} {
		require.Equal(t, want, bytesIn(text), text)
	}
}
