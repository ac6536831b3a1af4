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
	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// walker takes one VNF instance after another through a random sequence of actions.
type walker struct {
	bed    *testbed.Bed
	kind   kind
	random *rand.Rand
	// namespace is the namespace for VNFs of containers.
	namespace string
	name      string // of the VNF
	vnf       string
	healed    string    // the VNFC for the next heal, "" for the entire VNF
	ground    ground    // the VNF's servers, and what was done on them, when the operation before had ended
	stale     bool      // an operation ended and the next one began before the walker looked: ground is older
	torn      bool      // a TERMINATE became FAILED, and no operation has made the VNF anew since
	op        string    // id of the last operation, "" before the first
	last      opView    // the last operation as the API showed it last
	was       []vnf     // the states that the VNF may have been in when that operation began
	is        *vnf      // the state of the VNF after that operation; nil until it is read
	uneven    bool      // an operation became FAILED, so that the VNF's servers may differ from its scale level
	between   bool      // a CHANGE_FLAVOUR became FAILED, and nothing has given the VNF one flavour since
	given     bool      // an INSTANTIATE became FAILED, and nothing has removed its stack since
	unsure    bool      // the last decision got no answer, or is not recorded yet
	forced    bool      // the last operation was cancelled with FORCEFUL
	worker    int       // the process id of the worker when the last operation began
	labels    int       // the number of modifications so far
	began     time.Time // when the sequence began
	story     []string
	counts    map[string]int // answers by action and status
}

// slow is the duration from which a sequence logs its story.
const slow = time.Minute

// sequence creates an instance, makes actionCount random actions on it, and deletes it. It instantiates about half of
// the instances first.
func (w *walker) sequence(t *testing.T, name string, actionCount int) {
	t.Helper()
	w.began = time.Now()
	defer func() {
		if took := time.Since(w.began); took > slow {
			t.Logf("%s took %.0f s:\n  %s", name, took.Seconds(), w.told())
		}
	}()
	w.story, w.op, w.last, w.is, w.uneven, w.given, w.unsure = nil, "", opView{}, nil, false, false, false
	w.between = false
	w.name, w.ground, w.torn, w.stale = name, ground{}, false, false
	w.was = []vnf{{servers: w.kind.servers, vnfd: w.kind.vnfdIDs[0]}}
	w.vnf = w.create(t, name)
	if w.kind.work != nil {
		w.ground.runs = w.kind.work.runs(t, w, nil)
	}
	if w.random.IntN(2) == 0 { // most actions need an instantiated VNF, and random actions seldom make one
		w.act(t, instantiate)
		w.settle(t)
	}
	for range actionCount {
		if !w.act(t, w.choose()) { // the instance is deleted
			w.requireLegal(t)
			return
		}
		if w.random.IntN(3) == 0 { // otherwise the next action comes while the operation is under way
			w.settle(t)
		}
	}
	w.finish(t)
}

// choose chooses a random action. It chooses a deletion, which ends the sequence, more rarely.
func (w *walker) choose() action {
	all := w.kind.actions()
	a := all[w.random.IntN(len(all))]
	if a == remove && w.random.IntN(5) > 0 {
		return w.choose()
	}
	return a
}

// create creates an instance, and asks again when the API server does not answer. An additional instance does no harm.
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

// act makes a request and compares the answer with what the model expects. It uses the positions before and after the
// request, because the operation may continue in between. act returns false when the instance is deleted.
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
	// No server answered: the next position shows the effect.
	if status == 0 || status == http.StatusServiceUnavailable {
		w.tell("%s: no answer", a)
		w.unsure = w.unsure || a.decides()
		w.find(t)
		return w.position(t).exists
	}
	after := w.position(t)
	// The decision is accepted, but not recorded yet, or the operation has stopped again.
	if a.decides() && status < 300 && after.state == lcm.FailedTemp {
		w.unsure = true
	}
	w.tell("%s in %s/%s: %d, then %s/%s", a, before.op, before.state, status, after.op, after.state)
	require.Contains(t, expected(a, before, after), status, "%s, from %+v to %+v: %s\n  %s", a, before, after, body,
		w.told())
	return after.exists
}

// expected returns the statuses that are right: for the position before the request, and for each position that the
// operation may have reached by itself before the position after it.
func expected(a action, before, after position) []int {
	right := []int{before.answer(a)}
	if before.unsure && before.state == lcm.FailedTemp || before.forced || after.forced {
		right = append(right, http.StatusConflict)
	}
	if a == cancel && (before.forced || after.forced) {
		right = append(right, http.StatusAccepted, http.StatusConflict) // the answer depends on the mode of the cancel
	}
	if a.steps() && (before.uneven || after.uneven) { // there may be too few servers for the action, or too many
		right = append(right, http.StatusAccepted, http.StatusBadRequest, http.StatusConflict)
	}
	if a.begins() && (before.between || after.between) { // only another flavour, or a TERMINATE, is sure to be accepted
		right = append(right, http.StatusAccepted, http.StatusConflict)
	}
	for _, state := range reachable(before.state) {
		for _, forwardOnly := range []bool{before.forwardOnly, after.forwardOnly} {
			p := before
			p.state, p.forwardOnly = state, forwardOnly
			if before.unfinished() && state == lcm.Completed { // the operation may have ended before the request came
				p.completed(after)
			}
			right = append(right, p.answer(a))
			p.level, p.flavour = after.level, after.flavour
			right = append(right, p.answer(a))
			// The operation may have removed the leftovers before it ended.
			p.leftovers = after.leftovers && before.op != lcm.OpInstantiate
			right = append(right, p.answer(a))
		}
	}
	return right
}

// completed changes p to the position after its operation is completed.
func (p *position) completed(after position) {
	switch p.op {
	case lcm.OpTerminate:
		p.instantiated, p.stopped, p.level, p.flavour = false, false, 0, ""
	case lcm.OpOperate:
		p.stopped = after.stopped
	case lcm.OpModifyInfo, lcm.OpChangeExtConn:
	default:
		p.instantiated, p.stopped = true, false
	}
}

// reachable returns the states that an operation may reach without a decision.
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

// api returns the root of the API in a random version: clients of both versions use the same VNF.
func (w *walker) api() string { return fmt.Sprintf("/vnflcm/v%d", 1+w.random.IntN(2)) }

// request sends the request of an action. If it begins an operation, the walker remembers the operation.
func (w *walker) request(t *testing.T, a action) (status int, body []byte) {
	t.Helper()
	api := w.api()
	if a == change {
		api = "/vnflcm/v2" // v1 does not have the task
	}
	method, path, in := w.ask(a, api == "/vnflcm/v2")
	status, body = w.send(t, method, api+path, in)
	if a.begins() && status == http.StatusAccepted {
		w.find(t)
	}
	return status, body
}

// find looks for the newest operation of the instance. If there is a new one, the one before must have ended, and find
// checks its events.
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
	w.stale = w.op != "" && w.is == nil
	w.op, w.last, w.is, w.forced = last.ID, opView{}, nil, false
}

// requireLegal requires that the operation went only through transitions that the standard allows.
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

// weigh notes whether an operation that has ended may have left the VNF uneven, or has made everything anew.
func (w *walker) weigh(over opView) {
	switch {
	case over.State == lcm.Failed && over.leavesUneven():
		w.uneven = true
	case over.State == lcm.Completed && over.remakes():
		w.uneven = false
	}
	if over.Operation == lcm.OpChangeFlavour && over.State == lcm.Failed {
		w.between = true
	} else if over.State == lcm.Completed && (over.Operation == lcm.OpChangeFlavour || over.remakes()) {
		w.between = false
	}
}

// may returns the states that the VNF may be in while its last operation is in its current state.
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

// see reads the last operation and checks its representation.
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

// position reads the instance and its last operation, and compares the instance with what its operations must have made
// of it.
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
		// The instance was read while the operation was in one state.
		if again := w.see(t, api); op.State == again.State && op.StateEnteredTime.Equal(again.StateEnteredTime) {
			w.locate(t, &p, api, again, inst)
			return p
		}
		require.True(t, time.Now().Before(end), "%s never stays in a state\n  %s", w.op, w.told())
	}
}

// locate fills in the position from an operation and an instance that were read at the same moment.
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
	require.Contains(t, w.may(op), is, "%s: %s in %s does not lead here from any of %+v\n  %s", w.vnf, op.Operation, op.State,
		w.was, w.told())
	p.instantiated, p.stopped, p.level, p.flavour = is.instantiated, is.stopped, is.level, is.flavour
	p.uneven = w.uneven || op.State == lcm.Failed && op.leavesUneven()
	p.between = w.between || op.State == lcm.Failed && op.Operation == lcm.OpChangeFlavour
	if op.State.Terminal() && w.is == nil {
		w.is = &is
		w.look(t, op, is, inst)
	}
}

// givenUp reports whether an INSTANTIATE that became FAILED has left a stack. A later INSTANTIATE removes it when it is
// completed or rolled back, but not when it ends before it began its work.
func (w *walker) givenUp(t *testing.T, op opView) bool {
	t.Helper()
	count := func(query string) string {
		return strings.TrimSpace(w.bed.Psql(t, "psql", "-qAtc", "select count(*) from "+query))
	}
	switch {
	case op.Operation == lcm.OpInstantiate && op.State == lcm.Failed:
		// The worker has looked. That it looks rightly is for its own tests to tell.
		return w.given || count("vnf_lcm_op_occ where id = '"+op.ID+"' and plan ? 'nothingLeft'") == "0"
	case !w.given || op.State == lcm.Completed && op.Operation != lcm.OpModifyInfo:
		return false
	case op.State != lcm.RolledBack || op.Operation == lcm.OpModifyInfo:
		return true
	}
	return count("event where op_occ_id = '"+op.ID+"' and data ->> 'state' = 'ROLLING_BACK'") == "0"
}

// settle waits until the operation has ended or waits for a decision.
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

// finish takes the instance down from any position, as an operator does.
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
				lcm.OpModifyInfo, lcm.OpChangeVnfPkg, lcm.OpChangeFlavour,
			}, p.op), p.state == lcm.FailedTemp && p.op == lcm.OpHeal && !w.kind.servers: // its image may not exist
			todo = fail // then it is terminated: after a heal that became FAILED, no start or scaling is possible
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

// told returns the story of the VNF.
func (w *walker) told() string { return strings.Join(w.story, "\n  ") }

func (w *walker) tell(format string, args ...any) {
	w.story = append(w.story, fmt.Sprintf("%.0f s: ", time.Since(w.began).Seconds())+fmt.Sprintf(format, args...))
}

// get reads a resource, and repeats the request until the server answers.
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

// send sends a request. The status is 0 when the server does not answer, because it may have been killed.
func (w *walker) send(t *testing.T, method, path string, body any) (status int, answer []byte) {
	t.Helper()
	a, err := testbed.Try(t.Context(), method, w.bed.URL+path, body)
	if err != nil {
		require.NoError(t, t.Context().Err())
		return 0, nil
	}
	return a.Status, a.Body
}
