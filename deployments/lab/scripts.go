package main

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/windlass-nfv/windlass/deployments/lab/machine/fake"
	"github.com/windlass-nfv/windlass/deployments/lab/openstack"
)

// routes registers handlers that answer only requests from the lab's own host.
type routes struct{ mux *http.ServeMux }

func (s routes) handle(pattern string, h http.HandlerFunc) {
	s.mux.Handle(pattern, openstack.LocalOnly(h))
}

// get registers a handler that answers with the result of what.
func (s routes) get(path string, what func() any) {
	s.handle("GET "+path, func(w http.ResponseWriter, _ *http.Request) { tell(w, what()) })
}

func tell(w http.ResponseWriter, what any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(what) // an error means that the client has gone
}

// take registers a handler that decodes a body and calls do. It answers 404 when do returns NotFound.
func take[T any](s routes, pattern string, do func(r *http.Request, body T) error) {
	s.handle(pattern, func(w http.ResponseWriter, r *http.Request) {
		var body T
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if err := do(r, body); err != nil {
			http.Error(w, err.Error(), http.StatusNotFound)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
}

// scripts serves the controls of fake machines: how long scripts take, which scripts fail, and the state of the
// simulated clusters.
func scripts(mux *http.ServeMux, d *fake.Hypervisor) {
	s := routes{mux}
	runs(s, d)
	clusters(s, d)
	s.get("/lab/storage", func() any { return d.Storage() })
	s.get("/lab/plays", func() any { return d.Plays() })
	s.handle("GET /lab/machines/{id}/files", func(w http.ResponseWriter, r *http.Request) {
		found, err := d.Files(r.PathValue("id"), r.URL.Query().Get("below"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusNotFound)
			return
		}
		tell(w, found)
	})
}

// runs serves the controls of the scripts' time and failures.
func runs(s routes, d *fake.Hypervisor) {
	take(s, "POST /lab/scripts/faults", func(_ *http.Request, f fake.Fault) error {
		d.Inject(f)
		return nil
	})
	s.get("/lab/scripts/faults", func() any { return d.Faults() })
	s.handle("DELETE /lab/scripts/faults", func(w http.ResponseWriter, _ *http.Request) {
		d.ClearFaults()
		w.WriteHeader(http.StatusNoContent)
	})
	take(s, "PUT /lab/scripts/pace", func(_ *http.Request, p pace) error {
		d.SetPace(time.Duration(p.BootMs)*time.Millisecond, p.of)
		return nil
	})
}

// pace has the durations of boots and scripts, in milliseconds.
type pace struct {
	BootMs int `json:"boot_ms"`
	WorkMs int `json:"work_ms"`
	// Work has the time of the scripts that differ from WorkMs, by name.
	Work map[string]int `json:"work"`
}

func (p pace) of(script string) time.Duration {
	if ms, named := p.Work[script]; named {
		return time.Duration(ms) * time.Millisecond
	}
	return time.Duration(p.WorkMs) * time.Millisecond
}

// clusters serves the state of the clusters, and adds pods and claims to them.
func clusters(s routes, d *fake.Hypervisor) {
	type cluster struct {
		fake.Cluster

		TokenCount int `json:"tokenCount"` // the tokens themselves are secret
	}
	s.get("/lab/clusters", func() any {
		out := []cluster{}
		for _, c := range d.Clusters() {
			out = append(out, cluster{c, len(c.Tokens)})
		}
		return out
	})
	s.get("/lab/balancers", func() any { return append([]fake.ExternalBalancer{}, d.ExternalBalancers()...) })
	take(s, "POST /lab/clusters/{id}/pods", func(r *http.Request, pod fake.Pod) error {
		return d.AddPod(r.PathValue("id"), pod)
	})
	type claim struct {
		Claim  string `json:"claim"`
		Server string `json:"server"` // for a class only
	}
	take(s, "POST /lab/clusters/{id}/volumes/{volume}", func(r *http.Request, c claim) error {
		return d.Bind(r.PathValue("id"), r.PathValue("volume"), c.Claim)
	})
	take(s, "POST /lab/clusters/{id}/classes/{class}", func(r *http.Request, c claim) error {
		return d.Provision(r.PathValue("id"), r.PathValue("class"), c.Claim, c.Server)
	})
}
