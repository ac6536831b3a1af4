package apiserver_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/apitest"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/params"
	"github.com/windlass-nfv/windlass/internal/requests"
)

// TestOpenAPI_hasEveryMemberOfARequestAndNoOther compares the schemas of requests with the forms that Windlass reads.
func TestOpenAPI_hasEveryMemberOfARequestAndNoOther(t *testing.T) {
	paths := described(t).Paths
	seen := 0
	for _, op := range lcm.Operations {
		for _, version := range []int{1, 2} {
			members := requests.Members(op.Name, version)
			if members == nil {
				continue
			}
			path, method := fmt.Sprintf("/vnflcm/v%d/vnf_instances/{vnfInstanceId}", version), http.MethodPatch
			if op.Task != "" {
				path, method = path+"/"+op.Task, http.MethodPost
			}
			for kind, media := range paths.Find(path).GetOperation(method).RequestBody.Value.Content {
				compareMembers(t, path+" "+kind, media.Schema.Value, members)
				seen++
			}
		}
	}
	require.Greater(t, seen, 15)
}

// compareMembers compares a schema with what is read. Where both know the members of a member, it goes on there.
func compareMembers(t *testing.T, path string, s *openapi3.Schema, members []params.Member) {
	t.Helper()
	properties := apitest.Properties(s)
	var read []string
	for _, m := range members {
		read = append(read, m.Name)
		if property := properties[m.Name]; property != nil && len(m.Members) > 0 {
			inner := property.Value
			switch {
			case inner.Items != nil:
				inner = inner.Items.Value
			case inner.AdditionalProperties.Schema != nil:
				inner = inner.AdditionalProperties.Schema.Value
			}
			if len(apitest.Properties(inner)) > 0 {
				compareMembers(t, path+"."+m.Name, inner, m.Members)
			}
		}
	}
	assert.ElementsMatch(t, read, slices.Collect(maps.Keys(properties)), path)
}
