package lcm

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWithCredentials_replacesThoseGivenAndNoOthers(t *testing.T) {
	stored := ClusterParams{
		VimName:    "edge",
		MasterNode: NodeParams{Username: "debian", Password: Secret{Ref: "old-master"}, AspectID: "master_instance"},
		WorkerNode: NodeParams{Username: "debian", Password: Secret{Ref: "old-worker"}},
	}
	got, err := stored.WithCredentials(json.RawMessage(`{"cause":"x","additionalParams":{"all":true,"k8s_cluster_installation_param":{
		"master_node":{"username":"admin","password":{"$secret":"new-master"}},"worker_node":{"private_key":{"$secret":"new-key"}}}}}`))
	require.NoError(t, err)
	want := stored
	want.MasterNode.Username, want.MasterNode.Password = "admin", Secret{Ref: "new-master"}
	want.WorkerNode.PrivateKey = Secret{Ref: "new-key"}
	require.Equal(t, want, got)
	require.Equal(t, SecretRef("old-master"), stored.MasterNode.Password.Ref)

	for _, body := range []string{`{}`, `{"additionalParams":null}`, `{"additionalParams":{"k8s_cluster_installation_param":{"worker_node":{}}}}`} {
		got, err := stored.WithCredentials(json.RawMessage(body))
		require.NoError(t, err)
		require.Equal(t, stored, got)
	}
}

func TestCredentialProblems_listsEveryMistake(t *testing.T) {
	const prefix = "$.additionalParams.k8s_cluster_installation_param"
	var paths []string
	for _, p := range CredentialProblems(json.RawMessage(`{"additionalParams":{"k8s_cluster_installation_param":{"timeouts":{},
		"master_node":{"username":"a b","password":7,"ssh_cp_name":"cp"},"worker_node":[]}}}`)) {
		paths = append(paths, p.Path)
	}
	require.Equal(t, []string{
		prefix + ".master_node.password", prefix + ".master_node.ssh_cp_name", prefix + ".master_node.username",
		prefix + ".timeouts", prefix + ".worker_node",
	}, paths)
}

func TestDay2Requests_takeNullForNothing(t *testing.T) {
	heal, err := ParseHeal(json.RawMessage(`{"vnfcInstanceId":null}`))
	require.NoError(t, err)
	require.Empty(t, heal.VnfcInstanceID)
	scale, err := ParseScale(json.RawMessage(`{"numberOfSteps":null}`))
	require.NoError(t, err)
	require.Equal(t, Count(1), scale.NumberOfSteps)
}
