package vnflcm_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

func sorted(list []string) []string { slices.Sort(list); return list }

func TestFailedOperationShowsWhyAndWhatCanBeDone(t *testing.T) {
	b := servertest.New(t)
	path := b.FailedOperation("/vnflcm/v2")
	doc := b.Do("GET", path, nil).Want(http.StatusOK)
	require.Equal(t, "FAILED_TEMP", doc["operationState"])
	require.Equal(t, "The nodes have no room: worker-3f2a91c0: the disk is full", doc["error"].(map[string]any)["detail"])
	require.Equal(t, []string{"fail", "retry", "rollback", "self", "vnfInstance"}, keysOf(doc["_links"]))
}

func TestActionsReachTheWorkflowAndAnswerAsTheStandardSays(t *testing.T) {
	for _, root := range []string{"/vnflcm/v1", "/vnflcm/v2"} {
		t.Run(root, func(t *testing.T) {
			b := servertest.New(t)
			path := b.FailedOperation(root)
			b.Do("POST", path+"/cancel", map[string]any{"cancelMode": "GRACEFUL"}).Problem(http.StatusConflict)
			retried := b.Do("POST", path+"/retry", nil)
			retried.Want(http.StatusAccepted)
			require.Empty(t, retried.Body)
			for _, action := range []string{"retry", "rollback", "fail"} {
				b.Do("POST", path+"/"+action, nil).Problem(http.StatusConflict)
			}

			b.Do("POST", path+"/cancel", `{}`).Problem(http.StatusBadRequest)
			b.Do("POST", path+"/cancel", `{"cancelMode":"SOFT"}`).Problem(http.StatusBadRequest)
			// python-tackerclient's cancel sends no Version header.
			cancelled := b.Do("POST", path+"/cancel", map[string]any{"cancelMode": "GRACEFUL"}, "Version: ")
			cancelled.Want(http.StatusAccepted)
			require.Empty(t, cancelled.Body)
			doc := b.Do("GET", path, nil).Want(http.StatusOK)
			require.Equal(t, true, doc["isCancelPending"])
			require.Equal(t, "GRACEFUL", doc["cancelMode"])

			b.Enter(path, lcm.FailedTemp)
			doc = b.Do("POST", path+"/fail", nil).Want(http.StatusOK)
			require.Equal(t, "FAILED", doc["operationState"])
			require.Equal(t, []lcm.Action{lcm.Retry, lcm.Cancel, lcm.Fail}, b.Starter.Acts)
			b.Do("POST", path+"/cancel", map[string]any{"cancelMode": "GRACEFUL"}).Problem(http.StatusConflict)
		})
	}
}

func TestRefusalOfTheWorkflowIsAConflict(t *testing.T) {
	b := servertest.New(t)
	path := b.FailedOperation("/vnflcm/v2")
	b.Starter.Refuse = lcm.Errorf(lcm.KindConflict, "A retry has been accepted already.")
	require.Contains(t, b.Do("POST", path+"/rollback", nil).Problem(http.StatusConflict), "accepted already")
	b.Starter.Refuse = lcm.Errorf(lcm.KindUnavailable, "Temporal is away.")
	a := b.Do("POST", path+"/rollback", nil)
	a.Problem(http.StatusServiceUnavailable)
	require.Equal(t, "5", a.Header.Get("Retry-After"))
	b.Starter.Refuse = nil
	b.Do("POST", path+"/rollback", nil).Want(http.StatusAccepted)
	require.Equal(t, "ROLLING_BACK", b.Do("GET", path, nil).Want(http.StatusOK)["operationState"])
}

// TestARepeatedCancelIsAnsweredAsTaken repeats a cancel after a 503. If no worker accepts a cancel in time, the answer
// is 503, but the next worker carries the cancel out.
func TestARepeatedCancelIsAnsweredAsTaken(t *testing.T) {
	forceful := map[string]any{"cancelMode": "FORCEFUL"}
	for state, before := range map[lcm.OperationState][]lcm.OperationState{
		lcm.FailedTemp: {lcm.Processing}, lcm.RolledBack: nil,
	} {
		b := servertest.New(t)
		instance, request := b.Ready("/vnflcm/v1")
		path := b.Do("POST", instance+"/instantiate", request).Path()
		for _, s := range before {
			b.Enter(path, s)
		}
		b.Starter.Refuse = lcm.Errorf(lcm.KindUnavailable, "The operation's workflow cannot be reached. Try again.")
		b.Do("POST", path+"/cancel", forceful).Problem(http.StatusServiceUnavailable)
		b.Starter.Refuse = lcm.Errorf(lcm.KindConflict, "A FORCEFUL cancel is under way already.")
		b.Enter(
			path,
			b.Operation(path).State,
			func(r *lcm.OperationRecord) { r.IsCancelPending, r.CancelMode = true, lcm.Forceful },
		)
		b.Do("POST", path+"/cancel", forceful).Want(http.StatusAccepted)
		b.Do("POST", path+"/cancel", map[string]any{"cancelMode": "GRACEFUL"}).Problem(http.StatusConflict)
		b.Enter(path, state, func(r *lcm.OperationRecord) { r.Error = lcm.Cancelled(lcm.Forceful) })
		b.Do("POST", path+"/cancel", forceful).Problem(http.StatusConflict)
	}
}

func TestTerminationGoesForwardOnly(t *testing.T) {
	for _, root := range []string{"/vnflcm/v1", "/vnflcm/v2"} {
		t.Run(root, func(t *testing.T) {
			b := servertest.New(t)
			instance, request := b.Ready("/vnflcm/v1")
			instantiated(b, instance, b.Do("POST", instance+"/instantiate", request))
			a := b.Do("POST", instance+"/terminate", map[string]any{"terminationType": "FORCEFUL"})
			a.Want(http.StatusAccepted)
			path := root + a.Path()[len("/vnflcm/v1"):]
			b.Do("POST", path+"/rollback", nil).Problem(http.StatusNotFound)
			b.Enter(a.Path(), lcm.Processing)
			b.Enter(a.Path(), lcm.FailedTemp)

			require.Equal(t, []string{"fail", "retry", "self", "vnfInstance"},
				keysOf(b.Do("GET", path, nil).Want(http.StatusOK)["_links"]))
			require.Equal(t, "A TERMINATE cannot be rolled back, it goes forward only: retry it, or fail it.",
				b.Do("POST", path+"/rollback", nil).Problem(http.StatusNotFound))
			require.Empty(t, b.Starter.Acts)
			b.Do("POST", path+"/retry", nil).Want(http.StatusAccepted)
		})
	}
}

func TestInstanceOfAFailedInstantiationIsNotDeleted(t *testing.T) {
	b := servertest.New(t)
	path := b.FailedOperation("/vnflcm/v2")
	b.Do("POST", path+"/fail", nil).Want(http.StatusOK)
	instance := "/vnflcm/v2/vnf_instances/" + string(b.Operation(path).VnfInstanceID)
	require.Contains(t, b.Do("DELETE", instance, nil).Problem(http.StatusConflict), "resources may still exist")
	b.Do("GET", instance, nil).Want(http.StatusOK)
}

func TestInstanceOfAFailedInstantiationThatLeftNothingIsDeleted(t *testing.T) {
	b := servertest.New(t)
	path := b.FailedOperation("/vnflcm/v2")
	b.Enter(path, lcm.Failed, func(r *lcm.OperationRecord) { r.NothingLeft = true })
	instance := "/vnflcm/v2/vnf_instances/" + string(b.Operation(path).VnfInstanceID)
	cleanUp := "/windlass/v1" + instance[len("/vnflcm/v2"):] + "/clean_up"
	require.Contains(t, b.Do("POST", cleanUp, nil).Problem(http.StatusConflict), "You can delete the instance.")
	b.Do("DELETE", instance, nil).Want(http.StatusNoContent)
}

func TestActionsOnUnknownOperationsAreNotFound(t *testing.T) {
	b := servertest.New(t)
	for _, id := range []string{"nothing", "0b0e8b0a-5d5e-4d59-9a3a-2b7d7f0c1e11"} {
		path := "/vnflcm/v2/vnf_lcm_op_occs/" + id
		b.Do("GET", path, nil).Problem(http.StatusNotFound)
		for _, action := range []string{"retry", "rollback", "fail", "cancel"} {
			b.Do("POST", path+"/"+action, nil).Problem(http.StatusNotFound)
		}
	}
}
