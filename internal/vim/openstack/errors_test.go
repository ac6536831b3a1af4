package openstack

import (
	"net/url"
	"syscall"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestTranslate_readsWhatEachServiceSays(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
		kind   lcm.ErrorKind
		said   string
	}{
		"Nova's quota": {
			403, `{"forbidden": {"code": 403, "message": "Quota exceeded for cores: Requested 2"}}`,
			lcm.KindExhausted, "Quota exceeded for cores",
		},
		"Neutron's quota": {
			409,
			`{"NeutronError": {"type": "OverQuota", "message": "Quota exceeded for resources: ['port'].", "detail": ""}}`,
			lcm.KindExhausted, "Quota exceeded for resources",
		},
		"Cinder's quota": {
			413, `{"overLimit": {"code": 413, "message": "VolumeSizeExceedsAvailableQuota"}}`,
			lcm.KindExhausted, "VolumeSizeExceedsAvailableQuota",
		},
		"Heat's validation": {
			400,
			`{"code": 400, "error": {"message": "The Resource (x) could not be found.", "type": "StackValidationFailed"}, "title": "Bad Request"}`, lcm.KindInvalid, "could not be found",
		},
		"Heat's conflict": {
			409,
			`{"code": 409, "error": {"message": "The Stack (x) already exists.", "type": "StackExists"}}`, lcm.KindConflict,
			"already exists",
		},
		"rights":                {403, `{"error": {"message": "Policy doesn't allow it"}}`, lcm.KindDenied, "Policy"},
		"a gateway's HTML page": {503, `<html>Service Unavailable</html>`, lcm.KindUnavailable, "Service Unavailable"},
		"too many requests":     {429, `{}`, lcm.KindUnavailable, ""},
		"gone": {
			404, `{"error": {"message": "The Stack (x) could not be found."}}`, lcm.KindNotFound,
			"could not be found",
		},
	} {
		t.Run(name, func(t *testing.T) {
			err := translate("create stack x", gophercloud.ErrUnexpectedResponseCode{Actual: c.status, Body: []byte(c.body)})
			require.Equal(t, c.kind, lcm.KindOf(err))
			require.ErrorContains(t, err, c.said)
			require.ErrorContains(t, err, "create stack x")
		})
	}
	refused := &url.Error{Op: "Get", URL: "http://x", Err: syscall.ECONNREFUSED}
	require.Equal(t, lcm.KindUnavailable, lcm.KindOf(translate("find stack x", refused)))
	require.NoError(t, translate("find stack x", nil))
}
