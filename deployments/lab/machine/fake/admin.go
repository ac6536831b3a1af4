package fake

import (
	"encoding/json"
	"net/http"
	"time"
)

// Admin is the HTTP API through which tests give orders to fake machines: faults of scripts, their pace, and
// what became of the clusters. The lab mounts it under /lab.
func (d *Driver) Admin() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /lab/scripts/faults", d.addFault)
	mux.HandleFunc("DELETE /lab/scripts/faults", func(w http.ResponseWriter, _ *http.Request) {
		d.ClearFaults()
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("PUT /lab/scripts/pace", d.setPace)
	mux.HandleFunc("GET /lab/clusters", func(w http.ResponseWriter, _ *http.Request) {
		type view struct {
			Cluster
			// TokenCount stands for the tokens themselves, which are secret.
			TokenCount int `json:"tokenCount"`
		}
		out := []view{}
		for _, c := range d.Clusters() {
			out = append(out, view{c, len(c.Tokens)})
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(out)
	})
	return mux
}

func (d *Driver) addFault(w http.ResponseWriter, r *http.Request) {
	var f struct {
		Machine  string `json:"machine"`
		Script   string `json:"script"`
		Times    int    `json:"times"`
		ExitCode int    `json:"exit_code"`
		Output   string `json:"output"`
		Hang     bool   `json:"hang"`
	}
	if err := json.NewDecoder(r.Body).Decode(&f); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	d.Inject(Fault{Machine: f.Machine, Script: f.Script, Times: f.Times, ExitCode: f.ExitCode, Output: f.Output, Hang: f.Hang})
	w.WriteHeader(http.StatusCreated)
}

// setPace sets how long machines take to boot and for a script, from now on.
func (d *Driver) setPace(w http.ResponseWriter, r *http.Request) {
	var p struct {
		BootMs int `json:"boot_ms"`
		WorkMs int `json:"work_ms"`
	}
	if err := json.NewDecoder(r.Body).Decode(&p); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	work := time.Duration(p.WorkMs) * time.Millisecond
	d.SetPace(time.Duration(p.BootMs)*time.Millisecond, func(string) time.Duration { return work })
	w.WriteHeader(http.StatusNoContent)
}
