package apiserver

import (
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func sorted(list []string) []string { slices.Sort(list); return list }

// failed returns an operation in FAILED_TEMP.
func (b *bench) failed(root string) string {
	b.Helper()
	instance, request := b.ready("/vnflcm/v1")
	a := b.do("POST", instance+"/instantiate", request)
	a.want(http.StatusAccepted)
	b.enter(a.path(), lcm.Processing)
	b.enter(a.path(), lcm.FailedTemp, func(r *lcm.OperationRecord) {
		r.Step = "Join the workers"
		r.Error = &lcm.Error{
			Kind: lcm.KindExhausted, Detail: "The nodes have no room.",
			Problems: []lcm.Problem{{Path: "worker-3f2a91c0", Detail: "the disk is full"}},
		}
	})
	return root + a.path()[len("/vnflcm/v1"):]
}

func TestFailedOperationShowsWhyAndWhatCanBeDone(t *testing.T) {
	b := newBench(t)
	path := b.failed("/vnflcm/v2")
	doc := b.do("GET", path, nil).want(http.StatusOK)
	require.Equal(t, "FAILED_TEMP", doc["operationState"])
	require.Equal(t, "The nodes have no room: worker-3f2a91c0: the disk is full", doc["error"].(map[string]any)["detail"])
	require.Equal(t, []string{"fail", "retry", "rollback", "self", "vnfInstance"}, keysOf(doc["_links"]))
}

func TestActionsReachTheWorkflowAndAnswerAsTheStandardSays(t *testing.T) {
	for _, root := range []string{"/vnflcm/v1", "/vnflcm/v2"} {
		t.Run(root, func(t *testing.T) {
			b := newBench(t)
			path := b.failed(root)
			b.do("POST", path+"/cancel", map[string]any{"cancelMode": "GRACEFUL"}).problem(http.StatusConflict)
			retried := b.do("POST", path+"/retry", nil)
			retried.want(http.StatusAccepted)
			require.Empty(t, retried.Body)
			for _, action := range []string{"retry", "rollback", "fail"} {
				b.do("POST", path+"/"+action, nil).problem(http.StatusConflict)
			}

			b.do("POST", path+"/cancel", `{}`).problem(http.StatusBadRequest)
			b.do("POST", path+"/cancel", `{"cancelMode":"SOFT"}`).problem(http.StatusBadRequest)
			// python-tackerclient's cancel sends no Version header.
			cancelled := b.do("POST", path+"/cancel", map[string]any{"cancelMode": "GRACEFUL"}, "Version: ")
			cancelled.want(http.StatusAccepted)
			require.Empty(t, cancelled.Body)
			doc := b.do("GET", path, nil).want(http.StatusOK)
			require.Equal(t, true, doc["isCancelPending"])
			require.Equal(t, "GRACEFUL", doc["cancelMode"])

			b.enter(path, lcm.FailedTemp)
			doc = b.do("POST", path+"/fail", nil).want(http.StatusOK)
			require.Equal(t, "FAILED", doc["operationState"])
			require.Equal(t, []lcm.Action{lcm.Retry, lcm.Cancel, lcm.Fail}, b.starter.acts)
			b.do("POST", path+"/cancel", map[string]any{"cancelMode": "GRACEFUL"}).problem(http.StatusConflict)
		})
	}
}

func TestRefusalOfTheWorkflowIsAConflict(t *testing.T) {
	b := newBench(t)
	path := b.failed("/vnflcm/v2")
	b.starter.refuse = lcm.Errorf(lcm.KindConflict, "A retry has been accepted already.")
	require.Contains(t, b.do("POST", path+"/rollback", nil).problem(http.StatusConflict), "accepted already")
	b.starter.refuse = lcm.Errorf(lcm.KindUnavailable, "Temporal is away.")
	a := b.do("POST", path+"/rollback", nil)
	a.problem(http.StatusServiceUnavailable)
	require.Equal(t, "5", a.Header.Get("Retry-After"))
	b.starter.refuse = nil
	b.do("POST", path+"/rollback", nil).want(http.StatusAccepted)
	require.Equal(t, "ROLLING_BACK", b.do("GET", path, nil).want(http.StatusOK)["operationState"])
}

// TestARepeatedCancelIsAnsweredAsTaken repeats a cancel after a 503. If no worker accepts a cancel in time, the answer
// is 503, but the next worker carries the cancel out.
func TestARepeatedCancelIsAnsweredAsTaken(t *testing.T) {
	forceful := map[string]any{"cancelMode": "FORCEFUL"}
	for state, before := range map[lcm.OperationState][]lcm.OperationState{
		lcm.FailedTemp: {lcm.Processing}, lcm.RolledBack: nil,
	} {
		b := newBench(t)
		instance, request := b.ready("/vnflcm/v1")
		path := b.do("POST", instance+"/instantiate", request).path()
		for _, s := range before {
			b.enter(path, s)
		}
		b.starter.refuse = lcm.Errorf(lcm.KindUnavailable, "The operation's workflow cannot be reached. Try again.")
		b.do("POST", path+"/cancel", forceful).problem(http.StatusServiceUnavailable)
		b.starter.refuse = lcm.Errorf(lcm.KindConflict, "A FORCEFUL cancel is under way already.")
		b.enter(path, b.operation(path).State, func(r *lcm.OperationRecord) { r.IsCancelPending, r.CancelMode = true, lcm.Forceful })
		b.do("POST", path+"/cancel", forceful).want(http.StatusAccepted)
		b.do("POST", path+"/cancel", map[string]any{"cancelMode": "GRACEFUL"}).problem(http.StatusConflict)
		b.enter(path, state, func(r *lcm.OperationRecord) { r.Error = lcm.Cancelled(lcm.Forceful) })
		b.do("POST", path+"/cancel", forceful).problem(http.StatusConflict)
	}
}

func TestTerminationGoesForwardOnly(t *testing.T) {
	for _, root := range []string{"/vnflcm/v1", "/vnflcm/v2"} {
		t.Run(root, func(t *testing.T) {
			b := newBench(t)
			instance, request := b.ready("/vnflcm/v1")
			instantiated(b, instance, b.do("POST", instance+"/instantiate", request))
			a := b.do("POST", instance+"/terminate", map[string]any{"terminationType": "FORCEFUL"})
			a.want(http.StatusAccepted)
			path := root + a.path()[len("/vnflcm/v1"):]
			b.do("POST", path+"/rollback", nil).problem(http.StatusNotFound)
			b.enter(a.path(), lcm.Processing)
			b.enter(a.path(), lcm.FailedTemp)

			require.Equal(t, []string{"fail", "retry", "self", "vnfInstance"},
				keysOf(b.do("GET", path, nil).want(http.StatusOK)["_links"]))
			require.Equal(t, "A TERMINATE cannot be rolled back, it goes forward only: retry it, or fail it.",
				b.do("POST", path+"/rollback", nil).problem(http.StatusNotFound))
			require.Empty(t, b.starter.acts)
			b.do("POST", path+"/retry", nil).want(http.StatusAccepted)
		})
	}
}

func TestInstanceOfAFailedInstantiationIsNotDeleted(t *testing.T) {
	b := newBench(t)
	path := b.failed("/vnflcm/v2")
	b.do("POST", path+"/fail", nil).want(http.StatusOK)
	instance := "/vnflcm/v2/vnf_instances/" + string(b.operation(path).VnfInstanceID)
	require.Contains(t, b.do("DELETE", instance, nil).problem(http.StatusConflict), "resources may still exist")
	b.do("GET", instance, nil).want(http.StatusOK)
}

func TestInstanceOfAFailedInstantiationThatLeftNothingIsDeleted(t *testing.T) {
	b := newBench(t)
	path := b.failed("/vnflcm/v2")
	b.enter(path, lcm.Failed, func(r *lcm.OperationRecord) { r.NothingLeft = true })
	instance := "/vnflcm/v2/vnf_instances/" + string(b.operation(path).VnfInstanceID)
	cleanUp := "/windlass/v1" + instance[len("/vnflcm/v2"):] + "/clean_up"
	require.Contains(t, b.do("POST", cleanUp, nil).problem(http.StatusConflict), "You can delete the instance.")
	b.do("DELETE", instance, nil).want(http.StatusNoContent)
}

func TestActionsOnUnknownOperationsAreNotFound(t *testing.T) {
	b := newBench(t)
	for _, id := range []string{"nothing", "0b0e8b0a-5d5e-4d59-9a3a-2b7d7f0c1e11"} {
		path := "/vnflcm/v2/vnf_lcm_op_occs/" + id
		b.do("GET", path, nil).problem(http.StatusNotFound)
		for _, action := range []string{"retry", "rollback", "fail", "cancel"} {
			b.do("POST", path+"/"+action, nil).problem(http.StatusNotFound)
		}
	}
}
