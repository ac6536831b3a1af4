package servertest

import (
	"encoding/json"
	"maps"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
)

// ClusterRequest returns an instantiate request of v1 for the sample package.
func ClusterRequest(vimID string) map[string]any {
	node := func(role string) map[string]any {
		return map[string]any{
			"aspect_id": role + "_instance", "ssh_cp_name": map[string]string{
				"master": "masterNode_CP1",
				"worker": "workerNode_CP2",
			}[role],
			"username": "debian", "password": Marker + "-" + role,
		}
	}
	master := node("master")
	master["cluster_cp_name"], master["pod_cidr"] = "vip_CP", "192.168.3.0/16"
	var cps []any
	for _, cp := range []string{"masterNode_CP1", "workerNode_CP2"} {
		cps = append(cps, map[string]any{"cpdId": cp, "cpConfig": []any{map[string]any{"linkPortId": "port"}}})
	}
	return map[string]any{
		"flavourId": "ha",
		"extVirtualLinks": []any{map[string]any{
			"id": "net", "resourceId": "6c1b1a52-4e5e-4a53-b1a2-9e1d3a2f7b10", "extCps": cps,
		}},
		"vimConnectionInfo": []any{map[string]any{"id": "vim1", "vimId": vimID, "vimType": "openstack"}},
		"additionalParams": map[string]any{k8s.ParamsKey: map[string]any{
			"vim_name": "edge-k8s", "master_node": master, "worker_node": node("worker"),
			"proxy": map[string]any{
				"http_proxy":  "http://nfv:" + Marker + "-proxy@192.0.2.9:3128",
				"https_proxy": "http://192.0.2.9:3128",
			},
		}},
	}
}

// AsV2 converts an instantiate request of v1 into the form of v2.
func AsV2(t *testing.T, request map[string]any) map[string]any {
	t.Helper()
	doc, err := json.Marshal(request)
	require.NoError(t, err)
	var out map[string]any
	require.NoError(t, json.Unmarshal(doc, &out))
	if vims, ok := out["vimConnectionInfo"]; ok {
		out["vimConnectionInfo"] = ByKey(vims, "id")
	}
	links, _ := out["extVirtualLinks"].([]any)
	for _, link := range links {
		for _, cp := range link.(map[string]any)["extCps"].([]any) {
			if cp := cp.(map[string]any); cp["cpConfig"] != nil {
				cp["cpConfig"] = ByKey(cp["cpConfig"], "cpInstanceId")
			}
		}
	}
	return out
}

// ByKey converts a list of v1 into the map that v2 has instead. The key of an item without the member is its position.
func ByKey(list any, member string) any {
	items, ok := list.([]any)
	if !ok {
		return list
	}
	m := map[string]any{}
	for i, item := range items {
		item := item.(map[string]any)
		key, _ := item[member].(string)
		if key == "" {
			key = strconv.Itoa(i)
		}
		delete(item, member)
		m[key] = item
	}
	return m
}

// AsMergePatch is the header of a PATCH.
const AsMergePatch = "Content-Type: application/merge-patch+json"

// SnapshotsPath is the path of the snapshots.
const SnapshotsPath = "/vnflcm/v2/vnf_snapshots"

// SnapshotRecord returns a VnfSnapshot.
func SnapshotRecord() map[string]any {
	const at = "2026-01-02T03:04:05Z"
	inst := map[string]any{
		"id": "there", "vnfdId": "d", "vnfProvider": "p", "vnfProductName": "n", "vnfSoftwareVersion": "1",
		"vnfdVersion": "1", "instantiationState": "NOT_INSTANTIATED",
		"vimConnectionInfo": map[string]any{"vim1": map[string]any{
			"vimType":    "openstack",
			"accessInfo": map[string]any{"username": "nfv", "password": Marker + "-snapshot"},
		}},
	}
	return map[string]any{
		"id": "s1", "vnfInstanceId": "there", "creationStartedAt": at, "creationFinishedAt": at, "vnfdId": "d",
		"vnfInstance": inst,
		"vnfcSnapshots": []any{map[string]any{
			"id": "c1", "vnfcInstanceId": "master-r1", "creationStartedAt": at, "vnfcResourceInfoId": "r1",
			"computeSnapshotResource":  map[string]any{"resourceId": "image-1"},
			"storageSnapshotResources": []any{map[string]any{"storageResourceId": "st1"}},
		}},
		"vnfStateSnapshotInfo": map[string]any{
			"checksum":    map[string]any{"algorithm": "SHA-256", "hash": "ab"},
			"isEncrypted": false,
		},
		"userDefinedData": map[string]any{"large": json.Number("9007199254740993")},
	}
}

// Callback is the URI of SubscriptionTo.
const Callback = "https://nfvo.example/notify"

// SubscriptionTo returns a request for a subscription with Callback and more members.
func SubscriptionTo(more map[string]any) map[string]any {
	out := map[string]any{"callbackUri": Callback}
	maps.Copy(out, more)
	return out
}

// SomePEM looks like a certificate.
const SomePEM = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
