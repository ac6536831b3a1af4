package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// healGrant is a grant of an NFVO for a heal.
const healGrant = `{"id":"6fb9d0a5-3b43-5b0a-9a8e-0d7a4b0a9f11","vnfInstanceId":"` + vnfID + `","vnfLcmOpOccId":"` + opID + `",
	"vimConnections":[{"id":"openstack","vimId":"5f1d3a52","vimType":"openstack"}],
	"zones":[{"id":"zone-nova","zoneId":"nova","vimConnectionId":"openstack"}],
	"vimAssets":{"computeResourceFlavours":[{"vnfdVirtualComputeDescId":"workerNode","vimFlavourId":"m1.large"}],
		"softwareImages":[{"vnfdSoftwareImageId":"workerNode","vimSoftwareImageId":"debian-12"}]},
	"addResources":[{"resourceDefinitionId":"add-workerNode-1","zoneId":"zone-nova","type":"COMPUTE","vduId":"workerNode","replaces":"3f2a91c0"}],
	"removeResources":[{"resourceDefinitionId":"remove-3f2a91c0","zoneId":"zone-nova","type":"COMPUTE","vduId":"workerNode",
		"vnfcInstanceId":"3f2a91c0","node":"worker-3f2a91c0","why":"the request names it"}],
	"_links":{"self":{"href":"https://nfvo.example/grant/v1/grants/6fb9d0a5"}}}`

func TestOpGrant_showsWhatMayBeMadeAndRemoved(t *testing.T) {
	api := resources()
	api.answers["GET /windlass/v1/vnf_lcm_op_occs/"+opID+"/grant"] = ok(200, healGrant)
	got := windlass(t, api, "op", "grant", opID)
	require.Equal(t, 0, got.code, got.err)
	golden(t, "op-grant", got.out)
	assert.JSONEq(t, healGrant, windlass(t, api, "op", "grant", opID, "-o", "json").out)
}
