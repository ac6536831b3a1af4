package cluster_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/driver/cluster"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

func TestChecked_comparesTheFamilyOfThePodsWithThatOfTheNodes(t *testing.T) {
	const params = `{"k8s_cluster_installation_param": {
		"master_node": {"username": "u", "password": "p", "ssh_cp_name": "fip", "nic_cp_name": "cp", "cluster_cp_name": "vip",
			"aspect_id": "m", "pod_cidr": "fd00:10:244::/56", "cluster_cidr": "fd00:96::/112"},
		"worker_node": {"username": "u", "password": "p", "ssh_cp_name": "worker", "aspect_id": "w"}}}`
	cp := func(id string, addresses ...string) lcm.ExtVirtualLink {
		out := lcm.ExtCp{CpdID: id}
		for _, address := range addresses {
			out.FixedIPs = append(out.FixedIPs, lcm.FixedIP{Address: address})
		}
		return lcm.ExtVirtualLink{ExtCps: []lcm.ExtCp{out}}
	}
	given := driver.Request{
		InstantiateRequest: lcm.InstantiateRequest{
			AdditionalParams: json.RawMessage(params),
			ExtVirtualLinks: []lcm.ExtVirtualLink{
				cp("vip", "10.0.0.10"), cp("cp", "10.0.0.11", "fd00::11"), cp("fip", "203.0.113.7"), cp("worker"),
			},
		},
		Flavour: &descriptor.Flavour{}, Found: &driver.Findings{},
	}
	p, wrong := k8s.Read(given.AdditionalParams)
	(&cluster.Common{Params: p}).Checked(given, wrong)
	err := given.Found.Err()
	require.Error(t, err)
	assert.Contains(t, err.Error(), "$.extVirtualLinks[0].extCps[0].cpConfig")
	assert.Contains(t, err.Error(), "10.0.0.10, which is not IPv6")
	assert.NotContains(t, err.Error(), "10.0.0.11", "the node has an address of the family too")
	assert.NotContains(t, err.Error(), "203.0.113.7", "Windlass alone logs in there")
}
