package tackerclient

import (
	"fmt"
	"maps"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// request returns an instantiate request in the client's version.
func (s *scenario) request(t *testing.T, name string) map[string]any {
	request := s.InstantiateRequest(t, name, nil)
	if s.version == "1" {
		return request
	}
	request["vimConnectionInfo"] = mapOf(request["vimConnectionInfo"], "id")
	for _, l := range request["extVirtualLinks"].([]any) {
		for _, p := range l.(map[string]any)["extCps"].([]any) {
			cp := p.(map[string]any)
			cp["cpConfig"] = mapOf(cp["cpConfig"], "cpInstanceId")
		}
	}
	return request
}

// mapOf converts a list of v2.6.1 into the map of v3.3.1.
func mapOf(list any, key string) map[string]any {
	out := map[string]any{}
	for _, item := range list.([]any) {
		value := maps.Clone(item.(map[string]any))
		id, _ := value[key].(string)
		delete(value, key)
		out[id] = value
	}
	return out
}

// operations follows the operations of an instance.
type operations struct {
	*scenario
	t    *testing.T
	c    *client
	vnf  string
	seen map[string]bool
}

// begun returns the id of the new operation.
func (o *operations) begun(operation string) string {
	o.t.Helper()
	for _, op := range o.c.list("vnflcm", "op", "list", "--filter",
		"(eq,vnfInstanceId,"+o.vnf+");(eq,operation,"+operation+")") {
		if id := op["ID"].(string); !o.seen[id] {
			o.seen[id] = true
			return id
		}
	}
	require.FailNow(o.t, "no operation has begun", operation)
	return ""
}

// path returns the path of an operation in v1, which the bed uses.
func path(id string) string { return "/vnflcm/v1/vnf_lcm_op_occs/" + id }

func (o *operations) completes(operation string) string {
	o.t.Helper()
	id := o.begun(operation)
	o.Await(o.t, path(id), quick, "COMPLETED")
	require.Equal(o.t, "COMPLETED", o.c.show("vnflcm", "op", "show", id)["Operation State"])
	return id
}

func (s *scenario) instance(t *testing.T, c *client) {
	made := c.show("vnflcm", "create", "--name", "edge", "--description", "at the edge", "--I",
		c.file("request.json", s.request(t, "edge")), testbed.VnfdID)
	require.Equal(t, []any{"edge", "at the edge"}, []any{made["VNF Instance Name"], made["VNF Instance Description"]})
	id := made["ID"].(string)
	o := &operations{scenario: s, t: t, c: c, vnf: id, seen: map[string]bool{}}
	op := o.completes("INSTANTIATE")
	shown := c.show("vnflcm", "show", id)
	require.Equal(t, "INSTANTIATED", shown["Instantiation State"])
	require.NotEmpty(t, shown["Instantiated Vnf Info"])
	require.NotEmpty(t, shown["VIM Connection Info"])
	if s.version == "1" { // the standard's v2 does not have this attribute
		require.Equal(t, s.Get(t, "/vnflcm/v1/vnf_instances/"+id)["vnfPkgId"], shown["vnfPkgId"])
		require.NotEmpty(t, shown["vnfPkgId"])
	}
	listed := c.list("vnflcm", "list")
	require.Len(t, listed, 1)
	require.Equal(t, id, listed[0]["ID"])
	require.Contains(t, c.fails("vnflcm", "instantiate", id, c.file("request.json", s.request(t, "edge"))),
		"instantiated already")
	require.Contains(t, c.fails("vnflcm", "delete", id), "Failed to delete")

	require.Contains(t, c.ok("vnflcm", "update", "--I",
		c.file("update.json", map[string]any{"vnfInstanceDescription": "moved"}), id), "Update vnf")
	o.completes("MODIFY_INFO")
	require.Equal(t, "moved", c.show("vnflcm", "show", id)["VNF Instance Description"])

	for _, options := range [][]string{
		{"--fields", "error,operationParams"},
		{"--exclude-fields", "operationParams"},
		nil,
	} {
		require.NotEmpty(t, c.list(append([]string{"vnflcm", "op", "list"}, options...)...), "%v", options)
	}
	require.Contains(t, c.fails("vnflcm", "op", "rollback", op), "COMPLETED")

	require.Contains(t, c.ok("vnflcm", "scale", "--type", "SCALE_OUT", "--aspect-id", "worker_instance",
		"--number-of-steps", "1", id), "accepted")
	o.completes("SCALE")
	s.RequireMembers(t, 3, 3)
	params := c.file("params.json", map[string]any{"additionalParams": map[string]any{"scale_in_policy": "newest"}})
	require.Contains(t, c.ok("vnflcm", "scale", "--type", "SCALE_IN", "--aspect-id", "worker_instance",
		"--additional-param-file", params, id), "accepted")
	o.completes("SCALE")
	require.Contains(t, c.ok("vnflcm", "heal", "--cause", "disk", "--vnfc-instance", s.vnfc(t, id), "--", id), "accepted")
	o.completes("HEAL")
	s.RequireMembers(t, 3, 2)

	// With this option, the client waits for the end and then deletes the instance.
	require.Contains(t, c.ok("vnflcm", "terminate", "--termination-type", "FORCEFUL", "--D", id), "deleted successfully")
	require.Empty(t, c.list("vnflcm", "list"))
	s.RequireNothingLeft(t)
}

// vnfc returns the id of a worker in the client's version of the API.
func (s *scenario) vnfc(t *testing.T, vnf string) string {
	id := s.VnfcOf(t, vnf, "workerNode")
	if s.version == "2" {
		return "workerNode-" + id
	}
	return id
}

// reconnection connects a server to another network. The first client onboards its package.
func (s *scenario) reconnection(t *testing.T, c *client) {
	const vnfdID = "0c9d3b52-6f0e-4d43-9d0b-5a1f6c0f7e11"
	if s.Call(t, http.MethodGet, "/vnfpkgm/v1/onboarded_vnf_packages/"+vnfdID, nil).Status == http.StatusNotFound {
		s.Onboard(t, testbed.ServerPackage)
	}
	other := s.AddNetwork(t, "other")

	on := func(network string) map[string]any {
		data := map[string]any{"cpProtocolData": []any{map[string]any{"layerProtocol": "IP_OVER_ETHERNET"}}}
		var config any = []any{data}
		if s.version == "2" {
			config = map[string]any{"VDU1_CP1": data}
		}
		cp := map[string]any{"cpdId": "VDU1_CP1", "cpConfig": config}
		return map[string]any{"extVirtualLinks": []any{map[string]any{
			"id": "link", "resourceId": network, "extCps": []any{cp},
		}}}
	}
	request := on("net0")
	request["flavourId"] = "simple"
	if request["vimConnectionInfo"] = any(s.OnOpenStack()); s.version == "2" {
		request["vimConnectionInfo"] = mapOf(request["vimConnectionInfo"], "id")
	}
	id := c.show("vnflcm", "create", "--name", "plugged", vnfdID)["ID"].(string)
	o := &operations{scenario: s, t: t, c: c, vnf: id, seen: map[string]bool{}}
	require.Contains(t, c.ok("vnflcm", "instantiate", id, c.file("request.json", request)), "accepted")
	o.completes("INSTANTIATE")
	require.Contains(t, c.ok("vnflcm", "change-ext-conn", id, c.file("links.json", on(other.ID))), "accepted")
	o.completes("CHANGE_EXT_CONN")
	links := s.Get(t, "/vnflcm/v1/vnf_instances/"+id)["instantiatedVnfInfo"].(map[string]any)["extVirtualLinkInfo"].([]any)
	require.Equal(t, other.ID, links[0].(map[string]any)["resourceHandle"].(map[string]any)["resourceId"])
	// The client of v1 does not have the command; Windlass refuses it with an error that the client shows.
	if s.version == "2" {
		require.Contains(t, c.fails("vnflcm", "change-vnfpkg", id,
			c.file("package.json", map[string]any{"vnfdId": testbed.VnfdID})), "does not support")
	}
	require.Contains(t, c.ok("vnflcm", "terminate", "--termination-type", "FORCEFUL", "--D", id), "deleted successfully")
	other.Remove(t)
	s.RequireNothingLeft(t)
}

// decisions makes decisions about operations that have failed or must be stopped.
func (s *scenario) decisions(t *testing.T, c *client) {
	id := c.show("vnflcm", "create", "--name", "decided", testbed.VnfdID)["ID"].(string)
	o := &operations{scenario: s, t: t, c: c, vnf: id, seen: map[string]bool{}}
	request := c.file("request.json", s.request(t, "decided"))
	fail := func() string {
		s.ScriptFault(t, map[string]any{"script": "check-node", "times": 100, "exit_code": 78, "output": "windlass: no."})
		require.Contains(t, c.ok("vnflcm", "instantiate", id, request), "accepted")
		op := o.begun("INSTANTIATE")
		s.Await(t, path(op), quick, "FAILED_TEMP")
		s.ClearFaults(t)
		return op
	}

	op := fail()
	require.Contains(t, fmt.Sprint(c.show("vnflcm", "op", "show", op)["Error"]), "5 of 5 nodes failed")
	require.Contains(t, c.ok("vnflcm", "op", "rollback", op), "accepted")
	s.Await(t, path(op), quick, "ROLLED_BACK")

	op = fail()
	require.Equal(t, "FAILED", c.show("vnflcm", "op", "fail", op)["Operation State"])

	s.ScriptFault(t, map[string]any{"script": "kubeadm-init", "times": 100, "hang": true})
	c.ok("vnflcm", "instantiate", id, request)
	op = o.begun("INSTANTIATE")
	s.AwaitNode(t, path(op), "Initialise the first control plane", "RUNNING")
	if s.version == "1" {
		// The client prints that the cancel was accepted, and then fails because of its own bug: the answer has no body
		// to show.
		out, errors, _ := c.run("vnflcm", "op", "cancel", "--cancel-mode", "FORCEFUL", op)
		require.Contains(t, out, "accepted", "%s", errors)
	} else { // the client does not have the command in v2
		require.Equal(t, http.StatusAccepted, s.Act(t, path(op), "cancel", map[string]any{"cancelMode": "FORCEFUL"}).Status)
	}
	s.Await(t, path(op), quick, "FAILED_TEMP")
	s.ClearFaults(t)
	require.Contains(t, c.ok("vnflcm", "op", "retry", op), "accepted")
	s.Await(t, path(op), quick, "COMPLETED")
	s.RequireMembers(t, 3, 2)

	require.Contains(t, c.ok("vnflcm", "terminate", "--graceful-termination-timeout", "60", id), "accepted")
	o.completes("TERMINATE")
	require.Contains(t, c.ok("vnflcm", "delete", id), "deleted successfully")
	require.Equal(t, http.StatusNotFound, s.Call(t, http.MethodGet, "/vnflcm/v1/vnf_instances/"+id, nil).Status)
	s.RequireNothingLeft(t)
}
