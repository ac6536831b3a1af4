package model

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
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
	kind   kind
	random *rand.Rand
	// namespace is where VNFs of containers are.
	namespace string
	name      string // of the VNF
	vnf       string
	healed    string    // the VNFC that is healed next, "" for all of them
	ground    ground    // the VNF's servers, and what was done on them, when the operation before was over
	torn      bool      // a TERMINATE was given up, and the VNF not made anew since
	op        string    // id of the last operation, "" before the first
	last      opView    // as it was seen last
	was       []vnf     // what the VNF may have been when that operation began
	is        *vnf      // what it was seen to be after that operation; nil before
	uneven    bool      // something was given up, so that the VNF's servers may be other than its level says
	given     bool      // an INSTANTIATE was given up, and what it has left was not removed since
	unsure    bool      // the last decision was not answered
	forced    bool      // the last operation was cancelled FORCEFUL once
	worker    int       // the process id of the worker when it began
	labels    int       // so many modifications have been asked for
	began     time.Time // the sequence
	story     []string
	counts    map[string]int // answers by action and status
}

// slow is a sequence that is worth a look.
const slow = time.Minute

// sequence is the life of one instance: so many actions, half of the times on one that is instantiated, then it is
// taken down.
func (w *walker) sequence(t *testing.T, name string, actionCount int) {
	t.Helper()
	w.began = time.Now()
	defer func() {
		if took := time.Since(w.began); took > slow {
			t.Logf("%s took %.0f s:\n  %s", name, took.Seconds(), w.told())
		}
	}()
	w.story, w.op, w.last, w.is, w.uneven, w.given, w.unsure = nil, "", opView{}, nil, false, false, false
	w.name, w.ground, w.torn = name, ground{}, false
	w.was = []vnf{{servers: w.kind.servers, vnfd: w.kind.vnfdIDs[0]}}
	w.vnf = w.create(t, name)
	if w.kind.work != nil {
		w.ground.runs = w.kind.work.runs(t, w, nil)
	}
	if w.random.IntN(2) == 0 { // most actions need a VNF that runs, and chance makes few
		w.act(t, instantiate)
		w.settle(t)
	}
	for range actionCount {
		if !w.act(t, w.choose()) { // it is deleted
			w.requireLegal(t)
			return
		}
		if w.random.IntN(3) == 0 { // else the next one comes in the middle of what this one has begun
			w.settle(t)
		}
	}
	w.finish(t)
}

// choose takes any action; a deletion, which ends the sequence, more rarely than others.
func (w *walker) choose() action {
	all := w.kind.actions()
	a := all[w.random.IntN(len(all))]
	if a == remove && w.random.IntN(5) > 0 {
		return w.choose()
	}
	return a
}

// create asks again where the server that was asked is gone: an instance more hurts nobody.
func (w *walker) create(t *testing.T, name string) (vnf string) {
	t.Helper()
	for end := time.Now().Add(patience); ; testbed.Pause(t) {
		status, body := w.send(t, http.MethodPost, w.api()+"/vnf_instances",
			map[string]any{"vnfdId": w.kind.vnfdIDs[0], "vnfInstanceName": name})
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
	if a == heal {
		w.chooseHealed(t, before)
	}
	if a.begins() && !before.unfinished() {
		w.worker = w.workerNow(t)
	}
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
	require.Contains(t, expected(a, before, after), status, "%s, from %+v to %+v: %s\n  %s", a, before, after, body,
		w.told())
	return after.exists
}

// expected are the answers that are right: those of the position before the request, and of any that its operation can
// have reached by itself until the position after it.
func expected(a action, before, after position) []int {
	right := []int{before.answer(a)}
	if before.unsure && before.state == lcm.FailedTemp || before.forced || after.forced {
		right = append(right, http.StatusConflict)
	}
	if a == cancel && (before.forced || after.forced) {
		right = append(right, http.StatusAccepted, http.StatusConflict) // the mode tells which
	}
	if a.steps() && (before.uneven || after.uneven) { // there may be too few servers for it, or too many
		right = append(right, http.StatusAccepted, http.StatusBadRequest, http.StatusConflict)
	}
	for _, state := range reachable(before.state) {
		for _, forwardOnly := range []bool{before.forwardOnly, after.forwardOnly} {
			p := before
			p.state, p.forwardOnly = state, forwardOnly
			if before.unfinished() && state == lcm.Completed { // it may have been over when the request came
				p.completed(after)
			}
			right = append(right, p.answer(a))
			p.level = after.level
			right = append(right, p.answer(a))
			p.leftovers = after.leftovers && before.op != lcm.OpInstantiate // which may have removed them, and been deleted
			right = append(right, p.answer(a))
		}
	}
	return right
}

// completed is what the last operation has made of the instance when it is over.
func (p *position) completed(after position) {
	switch p.op {
	case lcm.OpTerminate:
		p.instantiated, p.stopped, p.level = false, false, 0
	case lcm.OpOperate:
		p.stopped = after.stopped
	case lcm.OpModifyInfo, lcm.OpChangeExtConn:
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

// api is the root of the API in one of its versions: clients of both work on the same VNF.
func (w *walker) api() string { return fmt.Sprintf("/vnflcm/v%d", 1+w.random.IntN(2)) }

// request makes it. An operation that begins is remembered.
func (w *walker) request(t *testing.T, a action) (status int, body []byte) {
	t.Helper()
	api := w.api()
	if a == change {
		api = "/vnflcm/v2" // which has it first
	}
	method, path, in := w.ask(a, api == "/vnflcm/v2")
	status, body = w.send(t, method, api+path, in)
	if a.begins() && status == http.StatusAccepted {
		w.find(t)
	}
	return status, body
}

// find looks for the newest operation of the instance, and checks the way of the one before, which is over.
func (w *walker) find(t *testing.T) {
	t.Helper()
	var list []struct {
		ID        string    `json:"id"`
		StartTime time.Time `json:"startTime"`
	}
	w.get(t, w.api()+"/vnf_lcm_op_occs?filter=(eq,vnfInstanceId,"+w.vnf+")", &list)
	if len(list) == 0 {
		return
	}
	last := list[0]
	for _, o := range list {
		if o.StartTime.After(last.StartTime) {
			last = o
		}
	}
	if last.ID == w.op {
		return
	}
	if w.op != "" {
		over := w.see(t, w.api())
		require.True(t, over.State.Terminal(), "%s has begun while %s was %s\n  %s", last.ID, w.op, over.State, w.told())
		w.was = w.may(over)
		w.requireLegal(t)
		w.weigh(over)
	}
	w.op, w.last, w.is, w.forced = last.ID, opView{}, nil, false
}

// requireLegal wants the operation to have gone only where the standard lets it go.
func (w *walker) requireLegal(t *testing.T) {
	t.Helper()
	if w.op == "" {
		return
	}
	rows := w.bed.Psql(t, "psql", "-qAtc",
		"select data from event where type = 'operation' and op_occ_id = '"+w.op+"' order by id")
	var events []lcm.OperationEvent
	for row := range strings.Lines(rows) {
		var e lcm.OperationEvent
		require.NoError(t, json.Unmarshal([]byte(row), &e), "%s", row)
		events = append(events, e)
	}
	require.Empty(t, eventsWrong(w.last.Operation, events), "the events of %s %s\n  %s", w.last.Operation, w.op, w.told())
}

// weigh notes whether an operation that is over has left something uneven, or made all anew.
func (w *walker) weigh(over opView) {
	switch {
	case over.State == lcm.Failed && over.leavesUneven():
		w.uneven = true
	case over.State == lcm.Completed && over.remakes():
		w.uneven = false
	}
}

// may is what the VNF may be with its last operation where it is.
func (w *walker) may(op opView) (list []vnf) {
	if w.op == "" {
		return w.was
	}
	if w.is != nil {
		return []vnf{*w.is}
	}
	for _, before := range w.was {
		list = append(list, op.after(before, w.uneven)...)
	}
	return list
}

// see reads the last operation, and compares what it says with what belongs to its state.
func (w *walker) see(t *testing.T, api string) (op opView) {
	t.Helper()
	if w.op == "" {
		return op
	}
	w.get(t, api+"/vnf_lcm_op_occs/"+w.op, &op)
	wrong := append(op.wrong(w.bed.URL+api), op.follows(w.last)...)
	require.Empty(t, wrong, "%s, as %s shows it: %+v\n  %s", w.op, api, op, w.told())
	w.last = op
	return op
}

// position is where the VNF is, read from the server and compared with what its operations must have made of it.
func (w *walker) position(t *testing.T) (p position) {
	t.Helper()
	for end := time.Now().Add(patience); ; testbed.Pause(t) {
		api := w.api()
		op := w.see(t, api)
		var inst instView
		p = position{
			exists:     w.get(t, api+"/vnf_instances/"+w.vnf, &inst) == http.StatusOK,
			containers: w.kind.containers, op: op.Operation, state: op.State,
		}
		if again := w.see(t, api); op.State == again.State && op.StateEnteredTime.Equal(again.StateEnteredTime) { // all of it is of one moment
			w.locate(t, &p, api, again, inst)
			return p
		}
		require.True(t, time.Now().Before(end), "%s never stays in a state\n  %s", w.op, w.told())
	}
}

// locate makes of what was read at one moment where the VNF is.
func (w *walker) locate(t *testing.T, p *position, api string, op opView, inst instView) {
	t.Helper()
	p.forced = op.CancelMode == lcm.Forceful
	w.forced = w.forced || p.forced
	w.unsure = w.unsure && op.State == lcm.FailedTemp
	w.given = w.givenUp(t, op)
	p.unsure, p.leftovers = w.unsure, w.given
	if _, ok := op.Links["rollback"]; !ok {
		p.forwardOnly = op.State == lcm.FailedTemp
	}
	if !p.exists {
		return
	}
	require.Empty(t, inst.wrong(w.bed.URL+api), "%s, as %s shows it: %+v\n  %s", w.vnf, api, inst, w.told())
	is := inst.vnf()
	is.servers = w.kind.servers
	require.Contains(t, w.may(op), is, "%s is not what %s in %s makes of one of %+v\n  %s", w.vnf, op.Operation, op.State,
		w.was, w.told())
	p.instantiated, p.stopped, p.level = is.instantiated, is.stopped, is.level
	p.uneven = w.uneven || op.State == lcm.Failed && op.leavesUneven()
	if op.State.Terminal() && w.is == nil {
		w.is = &is
		w.look(t, op, is, inst)
	}
}

// givenUp tells whether an INSTANTIATE that was given up has left something, which one that comes to a good end or is
// rolled back removes. One that ends before it began removes nothing.
func (w *walker) givenUp(t *testing.T, op opView) bool {
	t.Helper()
	switch {
	case op.Operation == lcm.OpInstantiate && op.State == lcm.Failed:
		return true
	case !w.given || op.State == lcm.Completed && op.Operation != lcm.OpModifyInfo:
		return false
	case op.State != lcm.RolledBack || op.Operation == lcm.OpModifyInfo:
		return true
	}
	began := w.bed.Psql(t, "psql", "-qAtc",
		"select count(*) from event where op_occ_id = '"+op.ID+"' and data ->> 'state' = 'ROLLING_BACK'")
	return strings.TrimSpace(began) == "0"
}

// settle waits until the operation has stopped.
func (w *walker) settle(t *testing.T) position {
	t.Helper()
	for end := time.Now().Add(patience); ; testbed.Pause(t) {
		p := w.position(t)
		if !p.unfinished() || p.state == lcm.FailedTemp {
			return p
		}
		require.True(t, time.Now().Before(end), "%s does not end\n  %s", w.op, w.told())
	}
}

// finish takes the instance down, whatever has become of it, as a patient operator does.
func (w *walker) finish(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(patience); ; {
		p := w.settle(t)
		require.True(t, time.Now().Before(end), "the instance cannot be taken down\n  %s", w.told())
		todo := remove
		switch {
		case p.state == lcm.FailedTemp && p.op == lcm.OpInstantiate:
			todo = rollback
		case p.state == lcm.FailedTemp &&
			slices.Contains([]lcm.Operation{
				lcm.OpOperate, lcm.OpScale, lcm.OpScaleToLevel, lcm.OpChangeExtConn,
				lcm.OpModifyInfo, lcm.OpChangeVnfPkg,
			}, p.op), p.state == lcm.FailedTemp && p.op == lcm.OpHeal && !w.kind.servers: // whose image may be none
			todo = fail // what a heal that was given up has left cannot be started or scaled, nor can a VIM be tried with it
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

// told is what has been done with the VNF.
func (w *walker) told() string { return strings.Join(w.story, "\n  ") }

func (w *walker) tell(format string, args ...any) {
	w.story = append(w.story, fmt.Sprintf("%.0f s: ", time.Since(w.began).Seconds())+fmt.Sprintf(format, args...))
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
