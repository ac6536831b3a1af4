// Package nfvotest is an NFVO for tests: it grants operations as in SOL003 clause 9, and records its requests.
package nfvotest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// The credentials for an NFVO that requires tokens or passwords.
const (
	ClientID = "windlass"
	Secret   = "s3cr3t-of-the-nfvo"
)

// Decision is the NFVO's reaction to a request for a grant.
type Decision struct {
	// Looks is the number of questions before the NFVO decides. At 0 it decides at once (201); below 0 it decides when
	// Conclude is called.
	Looks int
	// Status, if not 0, is the status of an answer without a grant, and Detail is in its ProblemDetails.
	Status int
	Detail string
	// Grant adds members to the grant of everything in the request, or replaces members.
	Grant map[string]any
}

// NFVO is an NFVO. Its zero value grants everything at once, to every client.
type NFVO struct {
	*httptest.Server
	// Authentication is "", "BASIC" or "OAUTH2".
	Authentication string

	mu       sync.Mutex
	decide   func(request map[string]any) Decision
	away     int // the number of coming answers with 503; -1 for all
	requests []map[string]any
	headers  []http.Header
	grants   []*grant
	tokens   []string
	refused  int // the number of invalid tokens, from the first on
	// concluded is set once the open decision is made; looks counts the questions before it.
	concluded bool
	looks     int
	packages  map[string]Package // by the ids of their VNFDs
	fetches   int
}

// Package is a VNF package that the NFVO has.
type Package struct {
	Archive  []byte
	Disabled bool
}

// Keep adds a package to the NFVO.
func (n *NFVO) Keep(vnfdID string, p Package) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.packages == nil {
		n.packages = map[string]Package{}
	}
	n.packages[vnfdID] = p
}

// Fetches returns how often an archive was fetched.
func (n *NFVO) Fetches() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.fetches
}

func (n *NFVO) packageInfo(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("vnfdId")
	p, ok := n.packages[id]
	if !ok {
		problem(w, http.StatusNotFound, "no such package")
		return
	}
	state := "ENABLED"
	if p.Disabled {
		state = "DISABLED"
	}
	answer(w, http.StatusOK, map[string]any{
		"id": "pkg-" + id, "vnfdId": id, "onboardingState": "ONBOARDED", "operationalState": state,
		"usageState": "NOT_IN_USE",
	})
}

func (n *NFVO) packageContent(w http.ResponseWriter, r *http.Request) {
	n.fetches++
	p, ok := n.packages[r.PathValue("vnfdId")]
	if !ok {
		problem(w, http.StatusNotFound, "no such package")
		return
	}
	w.Header().Set("Content-Type", "application/zip")
	_, _ = w.Write(p.Archive)
}

type grant struct {
	id       string
	request  map[string]any
	decision Decision
}

// New starts an NFVO until the test ends.
func New(t testing.TB) *NFVO {
	n := &NFVO{}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /token", n.token)
	mux.HandleFunc("POST /grant/v1/grants", n.guarded(n.post))
	mux.HandleFunc("GET /grant/v1/grants/{id}", n.guarded(n.get))
	for _, version := range []string{"v1", "v2"} {
		one := "GET /vnfpkgm/" + version + "/onboarded_vnf_packages/{vnfdId}"
		mux.HandleFunc(one, n.guarded(n.packageInfo))
		mux.HandleFunc(one+"/package_content", n.guarded(n.packageContent))
	}
	n.Server = httptest.NewServer(mux)
	t.Cleanup(n.Close)
	return n
}

// Decide sets how the NFVO decides on later requests.
func (n *NFVO) Decide(by func(request map[string]any) Decision) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.decide = by
}

// Away sets the number of coming answers with 503; with a negative number all are 503.
func (n *NFVO) Away(answers int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.away = answers
}

// Conclude makes the decision that Decide has left open.
func (n *NFVO) Conclude() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.concluded = true
}

// Looks returns how often Windlass has asked whether the NFVO has decided.
func (n *NFVO) Looks() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.looks
}

// WithdrawTokens makes all issued tokens invalid.
func (n *NFVO) WithdrawTokens() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.refused = len(n.tokens)
}

// Requests returns the requests for grants so far, with their headers.
func (n *NFVO) Requests() ([]map[string]any, []http.Header) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]map[string]any{}, n.requests...), append([]http.Header{}, n.headers...)
}

// Tokens returns the number of issued tokens.
func (n *NFVO) Tokens() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.tokens)
}

func (n *NFVO) token(w http.ResponseWriter, r *http.Request) {
	n.mu.Lock()
	defer n.mu.Unlock()
	id, secret, _ := r.BasicAuth()
	if id != ClientID || secret != Secret || r.FormValue("grant_type") != "client_credentials" {
		problem(w, http.StatusUnauthorized, "unknown client")
		return
	}
	n.tokens = append(n.tokens, fmt.Sprintf("token-%d", len(n.tokens)))
	answer(w, http.StatusOK, map[string]any{
		"access_token": n.tokens[len(n.tokens)-1], "token_type": "Bearer", "expires_in": 3600,
	})
}

// guarded requires credentials, or answers 503 if the test wants this.
func (n *NFVO) guarded(next func(http.ResponseWriter, *http.Request)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		n.mu.Lock()
		defer n.mu.Unlock()
		if n.away != 0 {
			n.away = max(n.away-1, -1)
			problem(w, http.StatusServiceUnavailable, "The NFVO is being upgraded.")
			return
		}
		if !n.knows(r) {
			problem(w, http.StatusUnauthorized, "who are you?")
			return
		}
		next(w, r)
	}
}

func (n *NFVO) knows(r *http.Request) bool {
	switch n.Authentication {
	case "BASIC":
		id, secret, _ := r.BasicAuth()
		return id == ClientID && secret == Secret
	case "OAUTH2":
		for _, token := range n.tokens[n.refused:] {
			if r.Header.Get("Authorization") == "Bearer "+token {
				return true
			}
		}
		return false
	default:
		return true
	}
}

func (n *NFVO) post(w http.ResponseWriter, r *http.Request) {
	var request map[string]any
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		problem(w, http.StatusBadRequest, err.Error())
		return
	}
	n.requests, n.headers = append(n.requests, request), append(n.headers, r.Header.Clone())
	g := &grant{id: fmt.Sprintf("grant-%d", len(n.grants)+1), request: request}
	if n.decide != nil {
		g.decision = n.decide(request)
	}
	n.grants = append(n.grants, g)
	if g.decision.Looks != 0 {
		w.Header().Set("Location", n.URL+"/grant/v1/grants/"+g.id)
		w.WriteHeader(http.StatusAccepted)
		return
	}
	n.decided(w, g, http.StatusCreated)
}

func (n *NFVO) get(w http.ResponseWriter, r *http.Request) {
	for _, g := range n.grants {
		if g.id != r.PathValue("id") {
			continue
		}
		n.looks++
		if n.undecided(g) {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		n.decided(w, g, http.StatusOK)
		return
	}
	problem(w, http.StatusNotFound, "no such grant")
}

// undecided counts a question, and reports whether the decision is still open.
func (n *NFVO) undecided(g *grant) bool {
	if g.decision.Looks < 0 {
		return !n.concluded
	}
	g.decision.Looks--
	return g.decision.Looks > 0
}

func (n *NFVO) decided(w http.ResponseWriter, g *grant, status int) {
	if g.decision.Status != 0 {
		problem(w, g.decision.Status, g.decision.Detail)
		return
	}
	href := func(path string) map[string]any { return map[string]any{"href": path} }
	links, _ := g.request["_links"].(map[string]any)
	out := map[string]any{
		"id": g.id, "vnfInstanceId": g.request["vnfInstanceId"], "vnfLcmOpOccId": g.request["vnfLcmOpOccId"],
		"_links": map[string]any{
			"self": href(n.URL + "/grant/v1/grants/" + g.id), "vnfLcmOpOcc": links["vnfLcmOpOcc"],
			"vnfInstance": links["vnfInstance"],
		},
	}
	for _, name := range []string{"addResources", "removeResources", "updateResources"} {
		if list := infos(g.request[name]); len(list) > 0 {
			out[name] = list
		}
	}
	maps.Copy(out, g.decision.Grant)
	answer(w, status, out)
}

// infos grants the resources of a list of definitions.
func infos(definitions any) (out []any) {
	list, _ := definitions.([]any)
	for _, d := range list {
		out = append(out, map[string]any{"resourceDefinitionId": d.(map[string]any)["id"]})
	}
	return out
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

func problem(w http.ResponseWriter, status int, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"status": status, "detail": detail})
}
