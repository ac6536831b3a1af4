package openstack_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// servesServer answers as Nova does for a server that goes through these states; "" is a deleted server.
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
		"gone":      {[]string{""}, nil, false},
		"deleted":   {[]string{"ACTIVE", "ACTIVE deleting", ""}, []string{"DELETE /servers/s1"}, false},
		"under way": {[]string{"ERROR deleting", ""}, nil, false},
		"in ERROR":  {[]string{"ERROR", "ERROR deleting", ""}, []string{"DELETE /servers/s1"}, false},
		"kept for a while": {
			[]string{"SHUTOFF", "SHUTOFF soft-deleting", "SOFT_DELETED", "SOFT_DELETED deleting", ""},
			[]string{"DELETE /servers/s1", "POST /servers/s1/action"},
			false,
		},
		"given up": {[]string{"ACTIVE", "ACTIVE deleting", "ERROR"}, []string{"DELETE /servers/s1"}, true},
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

// servesDisks answers as Nova does for a server with these members and attachments; an old Nova has no microversions.
func servesDisks(server, attachments string, old bool) http.HandlerFunc {
	return func(res http.ResponseWriter, req *http.Request) {
		switch {
		case strings.HasSuffix(req.URL.Path, "/os-volume_attachments"):
			says(http.StatusOK, `{"volumeAttachments": [`+attachments+`]}`, "Content-Type", "application/json")(res, req)
		case req.Header.Get("X-OpenStack-Nova-API-Version") == "":
			says(http.StatusOK, `{"server": {"id": "s1", "image": {"id": "debian"}, "os-extended-volumes:volumes_attached": [{"id": "data"}]}}`, "Content-Type", "application/json")(res, req)
		case old:
			says(http.StatusNotAcceptable, `{"computeFault": {"message": "Version 2.3 is not supported by the API."}}`)(res, req)
		default:
			says(http.StatusOK, `{"server": {"id": "s1", `+server+`}}`, "Content-Type", "application/json")(res, req)
		}
	}
}

func TestVolumesLost_areThoseThatGoWithTheServer(t *testing.T) {
	const (
		fromImage  = `"image": {"id": "debian"}, `
		fromVolume = `"image": "", `
		attached   = `"os-extended-volumes:volumes_attached": `
		stays      = attached + `[{"id": "data", "delete_on_termination": false}]`
		goes       = attached + `[{"id": "data", "delete_on_termination": true}]`
		withRoot   = attached + `[{"id": "root", "delete_on_termination": true}, {"id": "data", "delete_on_termination": false}]`
		both       = attached + `[{"id": "root", "delete_on_termination": true}, {"id": "data", "delete_on_termination": true}]`
		root       = `{"volumeId": "root", "device": "/dev/vda"}, `
		vdb        = `{"volumeId": "data", "device": "/dev/vdb"}`
		sda        = `{"volumeId": "data", "device": "/dev/sda"}`
	)
	for name, c := range map[string]struct {
		server, attachments string
		old                 bool
		ours, want          []string
		says                string
	}{
		"nothing attached":               {server: fromImage + attached + `[]`},
		"one that stays":                 {server: fromImage + stays, attachments: vdb},
		"one that goes":                  {server: fromImage + goes, attachments: vdb, want: []string{"data"}},
		"a first disk beside an image's": {server: fromImage + goes, attachments: sda, want: []string{"data"}},
		"a root that goes":               {server: fromVolume + withRoot, attachments: root + vdb},
		"a root that goes and is the stack's": {
			server: fromVolume + withRoot, attachments: root + vdb,
			ours: []string{"data", "root"}, want: []string{"root"},
		},
		"a root beside data that go": {
			server: fromVolume + both, attachments: root + vdb, want: []string{"data"},
		},
		"two first disks": {
			server: fromVolume + both, attachments: root + sda, want: []string{"data", "root"},
		},
		"two first disks, told to administrators": {server: fromVolume + `"OS-EXT-SRV-ATTR:root_device_name": "/dev/vda", ` +
			both, attachments: root + sda, want: []string{"data"}},
		"a Nova that does not tell": {
			old: true, attachments: vdb,
			says: "Nova does not report whether it would delete the volume data together with the server s1",
		},
		"an old Nova without volumes": {old: true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWire(t)
			w.set(nil, servesDisks(c.server, c.attachments, c.old))
			lost, err := w.connected().VolumesLost(t.Context(), "s1", c.ours...)
			if c.says != "" {
				require.True(t, lcm.Is(err, lcm.KindConflict), "%v", err)
				require.ErrorContains(t, err, c.says)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, lost)
		})
	}
	t.Run("a server that is gone", func(t *testing.T) {
		w := newWire(t)
		w.set(nil, says(http.StatusNotFound, `{"itemNotFound": {"message": "Instance s1 could not be found."}}`))
		_, err := w.connected().VolumesLost(t.Context(), "s1")
		require.True(t, lcm.Is(err, lcm.KindNotFound), "%v", err)
	})
}
