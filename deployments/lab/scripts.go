package main

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/windlass-nfv/windlass/deployments/lab/machine/fake"
	"github.com/windlass-nfv/windlass/deployments/lab/openstack"
)

// scripts serves what only fake machines can: how long scripts take, which ones fail, and what the
// clusters that they act out look like.
func scripts(mux *http.ServeMux, d *fake.Driver) {
	mux.Handle("POST /lab/scripts/faults", openstack.LocalOnly(func(w http.ResponseWriter, r *http.Request) {
		var f fake.Fault
		if decode(w, r, &f) {
			d.Inject(f)
			w.WriteHeader(http.StatusNoContent)
		}
	}))
	mux.Handle("GET /lab/scripts/faults", openstack.LocalOnly(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(d.Faults())
	}))
	mux.Handle("DELETE /lab/scripts/faults", openstack.LocalOnly(func(w http.ResponseWriter, _ *http.Request) {
		d.ClearFaults()
		w.WriteHeader(http.StatusNoContent)
	}))
	mux.Handle("PUT /lab/scripts/pace", openstack.LocalOnly(func(w http.ResponseWriter, r *http.Request) {
		var p struct {
			BootMs int `json:"boot_ms"`
			WorkMs int `json:"work_ms"`
			// Work is the time of scripts by name, for those that differ from WorkMs.
			Work map[string]int `json:"work"`
		}
		if decode(w, r, &p) {
			d.SetPace(time.Duration(p.BootMs)*time.Millisecond, func(script string) time.Duration {
				if ms, named := p.Work[script]; named {
					return time.Duration(ms) * time.Millisecond
				}
				return time.Duration(p.WorkMs) * time.Millisecond
			})
			w.WriteHeader(http.StatusNoContent)
		}
	}))
	mux.Handle("POST /lab/clusters/{id}/pods", openstack.LocalOnly(func(w http.ResponseWriter, r *http.Request) {
		var pod fake.Pod
		if !decode(w, r, &pod) {
			return
		}
		if err := d.AddPod(r.PathValue("id"), pod); err != nil {
			http.Error(w, err.Error(), http.StatusNotFound)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}))
	mux.Handle("POST /lab/clusters/{id}/volumes/{volume}", openstack.LocalOnly(func(w http.ResponseWriter, r *http.Request) {
		var claim struct {
			Claim string `json:"claim"`
		}
		if !decode(w, r, &claim) {
			return
		}
		if err := d.Bind(r.PathValue("id"), r.PathValue("volume"), claim.Claim); err != nil {
			http.Error(w, err.Error(), http.StatusNotFound)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}))
	mux.Handle("POST /lab/clusters/{id}/classes/{class}", openstack.LocalOnly(func(w http.ResponseWriter, r *http.Request) {
		var claim struct {
			Claim  string `json:"claim"`
			Server string `json:"server"`
		}
		if !decode(w, r, &claim) {
			return
		}
		if err := d.Provision(r.PathValue("id"), r.PathValue("class"), claim.Claim, claim.Server); err != nil {
			http.Error(w, err.Error(), http.StatusNotFound)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}))
	mux.Handle("GET /lab/storage", openstack.LocalOnly(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(d.Storage()) // the client has gone; nobody to tell
	}))
	mux.Handle("GET /lab/clusters", openstack.LocalOnly(func(w http.ResponseWriter, _ *http.Request) {
		type cluster struct {
			fake.Cluster

			TokenCount int `json:"tokenCount"` // the tokens themselves are secret
		}
		out := []cluster{}
		for _, c := range d.Clusters() {
			out = append(out, cluster{c, len(c.Tokens)})
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(out) // the client has gone; nobody to tell
	}))
}

func decode(w http.ResponseWriter, r *http.Request, into any) bool {
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(into); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return false
	}
	return true
}
