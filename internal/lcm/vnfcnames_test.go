package lcm_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestVnfcInfoID_isTheMappingsNameForThePlace(t *testing.T) {
	t.Parallel()
	var metadata map[string]any
	require.NoError(t, json.Unmarshal([]byte(`{"VDU_VNFc_mapping":{"VDU1":["a-001","a-010",""],"VDU2":"b"}}`), &metadata))
	for resource, want := range map[string]string{
		"VDU1-0": "a-001", "VDU1-1": "a-010", "VDU1-2": "VDU1-x", "VDU1-3": "VDU1-x", "VDU1-01": "VDU1-x",
		"VDU1--1": "VDU1-x", "0": "VDU1-x", "": "VDU1-x",
	} {
		v := lcm.VnfcResourceInfo{ID: "x", VduID: "VDU1", Metadata: map[string]any{"parent_resource_name": resource}}
		require.Equal(t, want, lcm.VnfInstance{Metadata: metadata}.VnfcInfoID(v), resource)
		require.Equal(t, "VDU1-x", lcm.VnfInstance{}.VnfcInfoID(v))
		v.VduID = "VDU2"
		require.Equal(t, "VDU2-x", lcm.VnfInstance{Metadata: metadata}.VnfcInfoID(v))
	}
}

func TestVnfcMappingProblems_namesEveryMistake(t *testing.T) {
	t.Parallel()
	const at = "$.metadata.VDU_VNFc_mapping"
	for doc, want := range map[string][]string{
		`{}`: nil,
		`{"VDU_VNFc_mapping":{"VDU1":["a-001","a-010"],"VDU2":["b-000"],"VDU3":[]}}`: nil,
		`{"VDU_VNFc_mapping":"a-001"}`: {at},
		`{"VDU_VNFc_mapping":{"VDU1":"a-001","VDU2":["a",7,"","a"],"VDU3":["a"]}}`: {at + ".VDU1", at + ".VDU2[1]", at +
			".VDU2[2]", at + ".VDU2[3]", at + ".VDU3[0]"},
		`{"VDU_VNFc_mapping":{"VDU1":["` + strings.Repeat("x", 256) + `"]}}`: {at + ".VDU1[0]"},
	} {
		var metadata map[string]any
		require.NoError(t, json.Unmarshal([]byte(doc), &metadata))
		var paths []string
		for _, p := range lcm.VnfcMappingProblems(metadata) {
			require.NotEmpty(t, p.Detail)
			paths = append(paths, p.Path)
		}
		require.Equal(t, want, paths, doc)
	}
}
