package vnflcm

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/apitest"
)

// TestViews_areTheSchemas compares answers with openapi.yaml.
func TestViews_areTheSchemas(t *testing.T) {
	const (
		ofVnfc = "$.instantiatedVnfInfo.vnfcResourceInfo.vnfcConfigurableProperties" // shown in vnfcInfo
		cps    = ".currentVnfExtCpData.cpConfig.cpInstanceId"                        // in requests only
	)
	for _, c := range []struct {
		schema string
		view   any
		but    []string
	}{
		{"VnfInstanceV1", vnfInstanceView{}, []string{ofVnfc, "$.instantiatedVnfInfo.extVirtualLinkInfo" + cps, "$.instantiatedVnfInfo.vnfcInfo"}},
		{"VnfInstanceV2", vnfInstanceView{}, []string{ofVnfc, "$.instantiatedVnfInfo.extVirtualLinkInfo" + cps, "$.vnfPkgId"}},
		{"VnfLcmOpOcc", opOccView{}, []string{"$.changedExtConnectivity" + cps}},
		{"VnfSnapshotInfo", snapshotView{}, nil},
		{"Plan", planView{}, []string{"$.links" + cps}},
		{"Grant", grantView{}, nil},
	} {
		differences, err := apitest.SchemaDifferences(c.schema, c.view, c.but...)
		require.NoError(t, err)
		assert.Empty(t, differences, c.schema)
	}
}
