package k8s_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCheckClusterParams_refusesWhatNobodyReads(t *testing.T) {
	t.Parallel()
	_, problems := checked([]byte(`{"k8s_cluster_installation_param": {
		"master_node": {"ssh_cp_name": "a", "username": "u", "password": "p", "cluster_cp_name": "a", "usernmae": "x"},
		"worker_node": {"ssh_cp_name": "b", "username": "u", "password": {"$secret": "x"}},
		"storage_servers": {}, "timeouts": {"shh": 3}}}`), 1, 1)
	got := map[string]string{}
	for _, p := range problems {
		got[p.Path] = p.Detail
	}
	const at = "$.additionalParams.k8s_cluster_installation_param."
	assert.Contains(t, got[at+"master_node.usernmae"], "is not a parameter")
	assert.Contains(t, got[at+"storage_servers"], "is not a parameter")
	assert.Contains(t, got[at+"timeouts.shh"], "is not a parameter")
	assert.Len(t, got, 3, "%v", got)
}
