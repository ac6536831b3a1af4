package model

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/tests/testbed"
)

// walker takes one VNF instance after another through a random sequence of actions.
type walker struct {
	bed    *testbed.Bed
	random *rand.Rand
	vnf    string
	op     string // path of the last operation, "" before the first
	kind   lcm.Operation
	given  bool // an INSTANTIATE was given up, and not begun again since
	unsure bool // the last decision was not answered
	story  []string
	counts map[string]int // answers by action and status
}

// sequence is the life of one instance: so many actions, then it is taken down.
func (w *walker) sequence(t *testing.T, name string, actionCount int) {
	t.Helper()
	w.story, w.op, w.given, w.unsure = nil, "", false, false
	w.vnf = w.create(t, name)
	for range actionCount {
		if !w.act(t, w.choose()) {
			return // it is deleted
		}
		if w.random.IntN(3) == 0 { // else the next one comes in the middle of what this one has begun
			w.settle(t)
		}
	}
	w.finish(t)
}

// choose takes any action; a deletion, which ends the sequence, more rarely than others.
func (w *walker) choose() action {
	a := actions[w.random.IntN(len(actions))]
	if a == remove && w.random.IntN(5) > 0 {
		return w.choose()
	}
	return a
}

// create asks again where the server that was asked is gone: an instance more hurts nobody.
func (w *walker) create(t *testing.T, name string) (vnf string) {
	t.Helper()
	for end := time.Now().Add(patience); ; testbed.Pause(t) {
		status, body := w.send(t, http.MethodPost, "/vnflcm/v1/vnf_instances", map[string]any{"vnfdId": vnfdID, "vnfInstanceName": name})
		if status == http.StatusCreated {
			var made struct {
				ID string `json:"id"`
			}
			require.NoError(t, json.Unmarshal(body, &made))
			return made.ID
		}
		require.Contains(t, []int{0, http.StatusServiceUnavailable}, status, "%s", body)
		require.True(t, time.Now().Before(end), "no instance can be made: %s", body)
	}
}

// act makes a request and compares the answer with the model's, in the position before and the one after it: in
// between the operation may have gone on by itself. false: the instance is gone.
func (w *walker) act(t *testing.T, a action) bool {
	t.Helper()
	if a.decides() && w.op == "" {
		return true
	}
	before := w.position(t)
	status, body := w.request(t, a)
	w.counts[fmt.Sprintf("%s %d", a, status)]++
	if status == 0 || status == http.StatusServiceUnavailable { // nobody was there to answer: what has become of it is seen
		w.tell("%s: no answer", a)
		w.unsure = w.unsure || a.decides()
		w.find(t)
		return w.position(t).exists
	}
	after := w.position(t)
	if a.decides() && status < 300 && after.state == lcm.FailedTemp { // accepted, and not recorded yet, or stopped again
		w.unsure = true
	}
	w.tell("%s in %s/%s: %d, then %s/%s", a, before.op, before.state, status, after.op, after.state)
	require.Contains(t, expected(a, before, after), status, "%s, from %+v to %+v: %s\n  %s", a, before, after, body, strings.Join(w.story, "\n  "))
	return after.exists
}

// expected are the answers that are right: those of the position before the request, and of any that its operation can
// have reached by itself until the position after it.
func expected(a action, before, after position) []int {
	right := []int{before.answer(a)}
	if before.unsure && before.state == lcm.FailedTemp || before.forced || after.forced {
		right = append(right, http.StatusConflict)
	}
	for _, state := range reachable(before.state) {
		for _, forwardOnly := range []bool{before.forwardOnly, after.forwardOnly} {
			p := before
			p.state, p.forwardOnly = state, forwardOnly
			if before.unfinished() && state == lcm.Completed { // it may have been over when the request came
				p.completed(after)
			}
			right = append(right, p.answer(a))
		}
	}
	return right
}

// completed is what the last operation has made of the instance when it is over.
func (p *position) completed(after position) {
	switch p.op {
	case lcm.OpTerminate:
		p.instantiated, p.stopped = false, false
	case lcm.OpOperate:
		p.stopped = after.stopped
	case lcm.OpModifyInfo:
	default:
		p.instantiated, p.stopped = true, false
	}
}

// reachable are the states to which an operation gets without a decision.
func reachable(from lcm.OperationState) []lcm.OperationState {
	if from == lcm.FailedTemp {
		return nil
	}
	var out []lcm.OperationState
	for _, s := range next[from] {
		out = append(append(out, s), reachable(s)...)
	}
	return out
}

// request makes it. An operation that begins is remembered.
func (w *walker) request(t *testing.T, a action) (status int, body []byte) {
	t.Helper()
	path := "/vnflcm/v1/vnf_instances/" + w.vnf
	switch a {
	case remove:
		return w.send(t, http.MethodDelete, path, nil)
	case instantiate:
		status, body = w.send(t, http.MethodPost, path+"/instantiate", w.instantiateRequest())
	case terminate:
		status, body = w.send(t, http.MethodPost, path+"/terminate", map[string]any{"terminationType": "FORCEFUL"})
	case heal:
		status, body = w.send(t, http.MethodPost, path+"/heal", map[string]any{"cause": "the model"})
	case stop:
		status, body = w.send(t, http.MethodPost, path+"/operate", map[string]any{"changeStateTo": "STOPPED"})
	case start:
		status, body = w.send(t, http.MethodPost, path+"/operate", map[string]any{"changeStateTo": "STARTED"})
	case modify:
		connection := map[string]any{"id": "openstack", "vimId": w.bed.Vim, "vimType": "openstack"}
		status, body = w.send(t, http.MethodPatch, path, map[string]any{"metadata": map[string]any{"by": "the model"}, "vimConnectionInfo": []any{connection}})
	case cancel:
		mode := []string{"GRACEFUL", "FORCEFUL"}[w.random.IntN(2)]
		return w.send(t, http.MethodPost, w.op+"/cancel", map[string]any{"cancelMode": mode})
	default:
		return w.send(t, http.MethodPost, w.op+"/"+string(a), nil)
	}
	if status == http.StatusAccepted {
		w.find(t)
		w.given = w.given && a != instantiate
	}
	return status, body
}

// find looks for the newest operation of the instance, and checks the way of the one before, which is over.
func (w *walker) find(t *testing.T) {
	t.Helper()
	var list []struct {
		ID        string        `json:"id"`
		Operation lcm.Operation `json:"operation"`
		StartTime time.Time     `json:"startTime"`
	}
	w.get(t, "/vnflcm/v1/vnf_lcm_op_occs?filter=(eq,vnfInstanceId,"+w.vnf+")", &list)
	if len(list) == 0 {
		return
	}
	last := list[0]
	for _, o := range list {
		if o.StartTime.After(last.StartTime) {
			last = o
		}
	}
	if path := "/vnflcm/v1/vnf_lcm_op_occs/" + last.ID; path != w.op {
		w.requireLegal(t)
		w.op, w.kind = path, last.Operation
	}
}

// requireLegal wants the operation to have gone only where the standard lets it go.
func (w *walker) requireLegal(t *testing.T) {
	t.Helper()
	if w.op == "" {
		return
	}
	rows := w.bed.Psql(t, "psql", "-qAtc", "select data->>'state' from event where type = 'operation' and op_occ_id = '"+filepath.Base(w.op)+"' order by id")
	var states []lcm.OperationState
	for s := range strings.FieldsSeq(rows) {
		states = append(states, lcm.OperationState(s))
	}
	require.NotEmpty(t, states)
	require.True(t, follows(w.kind, states), "%s went through %v\n  %s", w.op, states, strings.Join(w.story, "\n  "))
}

func (w *walker) position(t *testing.T) (p position) {
	t.Helper()
	p.leftovers = w.given
	if w.op != "" {
		var op struct {
			Operation      lcm.Operation      `json:"operation"`
			OperationState lcm.OperationState `json:"operationState"`
			Links          map[string]any     `json:"_links"`
			CancelMode     lcm.CancelMode     `json:"cancelMode"`
		}
		w.get(t, w.op, &op)
		p.op, p.state, p.forced = op.Operation, op.OperationState, op.CancelMode == lcm.Forceful
		if p.state != lcm.FailedTemp {
			w.unsure = false
		}
		p.unsure = w.unsure
		p.forwardOnly = p.state == lcm.FailedTemp && op.Links["rollback"] == nil
		if p.op == lcm.OpInstantiate && p.state == lcm.Failed {
			w.given, p.leftovers = true, true
		}
	}
	var inst struct {
		State string `json:"instantiationState"`
		Info  struct {
			VnfState lcm.VnfState `json:"vnfState"`
		} `json:"instantiatedVnfInfo"`
	}
	p.exists = w.get(t, "/vnflcm/v1/vnf_instances/"+w.vnf, &inst) == http.StatusOK
	p.instantiated, p.stopped = inst.State == "INSTANTIATED", inst.Info.VnfState == lcm.VnfStopped
	return p
}

// settle waits until the operation has stopped.
func (w *walker) settle(t *testing.T) position {
	t.Helper()
	for end := time.Now().Add(patience); ; testbed.Pause(t) {
		p := w.position(t)
		if !p.unfinished() || p.state == lcm.FailedTemp {
			return p
		}
		require.True(t, time.Now().Before(end), "%s does not end\n  %s", w.op, strings.Join(w.story, "\n  "))
	}
}

// finish takes the instance down, whatever has become of it, as a patient operator does.
func (w *walker) finish(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(patience); ; {
		p := w.settle(t)
		require.True(t, time.Now().Before(end), "the instance cannot be taken down\n  %s", strings.Join(w.story, "\n  "))
		todo := remove
		switch {
		case p.state == lcm.FailedTemp && p.op == lcm.OpInstantiate:
			todo = rollback
		case p.state == lcm.FailedTemp && (p.op == lcm.OpOperate || p.op == lcm.OpModifyInfo):
			todo = fail // what a heal that was given up has left cannot be started, nor can a VIM be tried with it
		case p.state == lcm.FailedTemp:
			todo = retry
		case p.leftovers:
			todo = instantiate
		case p.instantiated:
			todo = terminate
		}
		if !w.act(t, todo) {
			w.requireLegal(t)
			return
		}
	}
}

func (w *walker) tell(format string, args ...any) {
	w.story = append(w.story, fmt.Sprintf(format, args...))
}

// get reads a resource, as often as it takes until somebody answers.
func (w *walker) get(t *testing.T, path string, into any) (status int) {
	t.Helper()
	for end := time.Now().Add(patience); ; testbed.Pause(t) {
		status, body := w.send(t, http.MethodGet, path, nil)
		if slices.Contains([]int{http.StatusOK, http.StatusNotFound}, status) {
			require.NoError(t, json.Unmarshal(body, into), "%s: %s", path, body)
			return status
		}
		require.Contains(t, []int{0, http.StatusServiceUnavailable}, status, "%s: %s", path, body)
		require.True(t, time.Now().Before(end), "%s: nobody answers", path)
	}
}

// send is a request to a server that may have been killed: status 0.
func (w *walker) send(t *testing.T, method, path string, body any) (status int, answer []byte) {
	t.Helper()
	a, err := testbed.Try(t.Context(), method, w.bed.URL+path, body)
	if err != nil {
		require.NoError(t, t.Context().Err())
		return 0, nil
	}
	return a.Status, a.Body
}

func (w *walker) instantiateRequest() map[string]any {
	return map[string]any{
		"flavourId":         "simple",
		"vimConnectionInfo": []any{map[string]any{"id": "openstack", "vimId": w.bed.Vim, "vimType": "openstack"}},
		"extVirtualLinks": []any{map[string]any{"id": "net0", "resourceId": "net0", "extCps": []any{map[string]any{
			"cpdId":    "VDU1_CP1",
			"cpConfig": []any{map[string]any{"cpProtocolData": []any{map[string]any{"layerProtocol": "IP_OVER_ETHERNET"}}}},
		}}}},
	}
}
