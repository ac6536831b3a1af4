package openstack_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// servesServer answers as Nova does for one server, which is in one state after the other; "" is a server that is gone.
func servesServer(states ...string) (http.HandlerFunc, *[]string) {
	var asked []string
	return func(res http.ResponseWriter, req *http.Request) {
		if req.Method != http.MethodGet {
			asked = append(asked, req.Method+" "+req.URL.Path[strings.Index(req.URL.Path, "/servers"):])
			res.WriteHeader(http.StatusAccepted)
			return
		}
		state := states[0]
		if len(states) > 1 {
			states = states[1:]
		}
		status, task, _ := strings.Cut(state, " ")
		if state == "" {
			says(http.StatusNotFound, `{"itemNotFound": {"message": "Instance s1 could not be found."}}`)(res, req)
			return
		}
		says(http.StatusOK, `{"server": {"id": "s1", "name": "nfs", "status": "`+status+`", "OS-EXT-STS:task_state": "`+task+
			`", "fault": {"message": "libvirt is away"}}}`)(res, req)
	}, &asked
}

func TestDeleteServer_isDoneWhenTheServerIsGone(t *testing.T) {
	for name, c := range map[string]struct {
		states []string
		asked  []string
		broken bool
	}{
		"gone":             {[]string{""}, nil, false},
		"deleted":          {[]string{"ACTIVE", "ACTIVE deleting", ""}, []string{"DELETE /servers/s1"}, false},
		"under way":        {[]string{"ERROR deleting", ""}, nil, false},
		"in ERROR":         {[]string{"ERROR", "ERROR deleting", ""}, []string{"DELETE /servers/s1"}, false},
		"kept for a while": {[]string{"SHUTOFF", "SHUTOFF soft-deleting", "SOFT_DELETED", "SOFT_DELETED deleting", ""}, []string{"DELETE /servers/s1", "POST /servers/s1/action"}, false},
		"given up":         {[]string{"ACTIVE", "ACTIVE deleting", "ERROR"}, []string{"DELETE /servers/s1"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWire(t)
			service, asked := servesServer(c.states...)
			w.set(nil, service)
			err := w.connected().DeleteServer(t.Context(), "s1")
			require.Equal(t, c.asked, *asked)
			if !c.broken {
				require.NoError(t, err)
				return
			}
			require.True(t, lcm.Is(err, lcm.KindBroken), "%v", err)
			require.ErrorContains(t, err, "libvirt is away")
		})
	}
}

func TestVolumesLost_areThoseThatGoWithTheServer(t *testing.T) {
	const all = `{"volumeAttachments": [
		{"volumeId": "root", "device": "/dev/vda", "delete_on_termination": true}, {"volumeId": "kept", "device": "/dev/vdb", "delete_on_termination": false},
		{"volumeId": "lost", "device": "/dev/vdc", "delete_on_termination": true}, {"volumeId": "unknown", "device": "/dev/vdd"}]}`
	for name, c := range map[string]struct {
		service http.HandlerFunc
		want    []string
	}{
		"a Nova that tells": {says(http.StatusOK, all, "Content-Type", "application/json"), []string{"lost"}},
		"an old one": {func(res http.ResponseWriter, req *http.Request) {
			if req.Header.Get("X-OpenStack-Nova-API-Version") != "" {
				says(http.StatusNotAcceptable, `{"computeFault": {"message": "Version 2.79 is not supported by the API."}}`)(res, req)
				return
			}
			says(http.StatusOK, `{"volumeAttachments": [{"volumeId": "kept", "device": "/dev/vdb"}]}`, "Content-Type", "application/json")(res, req)
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWire(t)
			w.set(nil, c.service)
			lost, err := w.connected().VolumesLost(t.Context(), "s1")
			require.NoError(t, err)
			require.Equal(t, c.want, lost)
		})
	}
}
