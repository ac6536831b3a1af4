package ui

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// TestDetails looks at the pages of an instance, an operation and a VIM: at what people look for there.
func TestDetails(t *testing.T) {
	p := openPage(t)
	p.as(write)
	p.large()
	p.instanceTellsWhereAndHowLarge()
	p.operationTellsWhoAndWhy()
	p.instanceTellsWhatIsHalfMade()
	p.cancelIsNoFault()
	p.vimTellsWhy()
}

// large makes a cluster on a registered VIM, with everything that its record and its VNFD tell.
func (p *page) large() {
	p.Helper()
	vnfd, err := json.Marshal(descriptor.Vnfd{Flavours: []descriptor.Flavour{{
		ID: "ha",
		Vdus: []descriptor.Vdu{
			{ID: "masterNode", VirtualCpus: 2, VirtualMemory: "4 GB", Image: &descriptor.SwImage{Name: "debian-12"}},
		},
		Storages: []descriptor.VirtualStorage{{ID: "data", Size: "20 GB"}},
		Aspects: []descriptor.ScalingAspect{
			{ID: "master_instance", Deltas: map[string]map[string]int{"masterNode": {"two": 2}}},
		},
	}}})
	require.NoError(p, err)
	p.exec(p.T, `update vnf_pkg set vnfd = $1`, vnfd)
	p.exec(p.T, `
		insert into vim (id, name, description, type, auth_url, auth_cred, is_default, status, last_check, project_id)
		values ($1, 'north', '', 'kubernetes', 'https://192.0.2.7:6443', '{"bearer_token": {"$secret": "x"}}', false, 'UNREACHABLE',
			'{"reason": "Nobody answers at 192.0.2.7:6443.", "warnings": ["The certificate is not verified."], "version": "v1.33.1"}', $2)`,
		idOf("north"), project)
	info := &lcm.InstantiatedVnfInfo{
		FlavourID: "ha", VnfState: lcm.VnfStarted, ScaleStatus: []lcm.ScaleInfo{{AspectID: "master_instance"}},
		MaxScaleLevels:  []lcm.ScaleInfo{{AspectID: "master_instance", ScaleLevel: 2}},
		ExtVirtualLinks: []lcm.ExtVirtualLink{{ID: "outside", ResourceID: "net0", ExtCps: []lcm.ExtCp{{CpdID: "master_CP"}}}},
		ExtCps: []lcm.VnfExtCpInfo{
			{ID: "ext", CpdID: "master_CP", CpProtocolInfo: lcm.ProtocolInfo("fa:16:3e:00:00:01", []lcm.FixedIP{{Address: "10.0.0.7"}}, nil)},
			{ID: "vip", CpdID: "vip_CP", CpProtocolInfo: lcm.ProtocolInfo("fa:16:3e:00:00:02", []lcm.FixedIP{{Address: "10.0.0.80"}}, nil)},
		},
		AdditionalParams: []byte(`{"k8s_cluster_installation_param":{"master_node":{"cluster_cp_name":"vip_CP"}}}`),
		VirtualStorages:  []lcm.VirtualStorageResourceInfo{{ID: "s", VirtualStorageDescID: "data"}},
	}
	for _, id := range []string{"11111111-x", "11111112-x", "11111113-x"} {
		server(info, lcm.ControlPlane, id).VduID = "masterNode"
	}
	first := &info.VnfcResources[0]
	first.ZoneID, first.StorageIDs = "nova", []string{"s"}
	first.CpInfo = []lcm.VnfcCpInfo{{ID: "cp", CpdID: "master_CP", VnfExtCpID: "ext"}}
	p.instance("large", info, func(i *lcm.VnfInstance) {
		i.VimConnections = []lcm.VimConnectionInfo{{ID: "vim", VimID: lcm.VimID(idOf("north")), VimType: "kubernetes"}}
	})
}

func (p *page) instanceTellsWhereAndHowLarge() {
	p.Helper()
	p.goTo("instances/" + idOf("large"))
	p.says(".facts", "masterNode: 3 nodes master_instance, scale level 0 of 2")
	p.says(".facts", "north Kubernetes")
	p.says(".facts", "10.0.0.80")
	p.says(".part .size", "Zone nova · 2 CPUs, 4 GB · debian-12")
	p.says(".layer", "Networks")
	p.says(".part", "net0")
	p.says(".part", "20 GB · of cp-11111111")
	p.reach(`[...document.querySelectorAll("details.more summary")]`, "click")
	p.says("details.more[open]", "10.0.0.7 on net0 fa:16:3e:00:00:01")
	p.checked("large", "1", "cp-11111111")
	p.says(".part .tag", "Holds the virtual IP 10.0.0.80")
	p.says("details.more[open]", "debian-12") // it stays unfolded
	p.click(`.facts a[href^="#/vims/"]`)
	p.says("h1", "north")
	p.says(".failure", "Nobody answers at 192.0.2.7:6443.")
}

// text of an error, as a person would count it.
const onceTold = "It cannot join the cluster."

// stopped makes an operation that has stopped at its second step, on one of two nodes.
func (p *page) stopped(name string, why *lcm.Error) {
	p.Helper()
	p.operation(name, "large", lcm.OpScale, lcm.Processing, false, "")
	op, at := lcm.OpOccID(idOf(name)), time.Now().Add(-time.Minute)
	require.NoError(p, p.store.RecordPlan(p.Context(), op, []lcm.Step{
		{Index: 0, Title: "Look"}, {Index: 1, Title: "Join the new nodes"}, {Index: 2, Title: "Finish"},
	}))
	step := func(index int, node string, state lcm.StepState, cause *lcm.Error) {
		p.Helper()
		require.NoError(p, p.store.RecordStep(p.Context(), lcm.Step{
			OpOccID: op, Index: index, Node: node, State: state, Attempt: 2, Started: at, Ended: at.Add(time.Second), Error: cause,
		}))
	}
	step(0, "", lcm.StepDone, nil)
	step(1, "worker-2222", lcm.StepDone, nil)
	step(1, "worker-3333", lcm.StepFailed, lcm.Errorf(lcm.KindBroken, onceTold))
	step(1, "", lcm.StepFailed, why)
	p.exec(p.T, `update vnf_lcm_op_occ set error = $2, params = $3, resource_changes = $4 where id = $1`, op, why,
		`{"type": "SCALE_OUT", "aspectId": "worker_instance", "cause": "more load", "additionalParams": {"password": {"$secret": "x"}}}`,
		`{"affectedVnfcs": [{"id": "a", "vduId": "workerNode", "changeType": "ADDED", "computeResource": {"resourceId": "3333"}}]}`)
	p.operation(name, "large", lcm.OpScale, lcm.FailedTemp, false, "")
}

func (p *page) operationTellsWhoAndWhy() {
	p.Helper()
	p.stopped("stopped", lcm.Errorf(lcm.KindBroken, "worker-3333: %s", onceTold))
	path := "/vnflcm/v2/vnf_lcm_op_occs/" + idOf("stopped")
	asked := func(r lcm.AuditRecord) {
		p.Helper()
		r.Client, r.ProjectID, r.Method = "oauth2 "+r.Client, project, "POST"
		require.NoError(p, p.store.RecordAudit(p.Context(), r))
	}
	asked(lcm.AuditRecord{Client: "nfvo", Path: "/vnflcm/v2/vnf_instances/i/scale", Resource: path, Status: 202})
	asked(lcm.AuditRecord{Client: "operator", Path: path + "/retry", Status: 202})
	p.goTo("operations/" + idOf("stopped"))
	p.says(".failed-step", "Step 2 of 3: Join the new nodes, on worker-3333, attempt 2")
	p.says(".failed-remedy", "Read the output of the step")
	p.says(".facts", "oauth2 nfvo")
	p.says(".facts", "more load")
	p.says(".facts", "1 added")
	p.do(chromedp.Evaluate(`[...document.querySelectorAll("details")].forEach((d) => { d.open = true; })`, nil))
	p.says("pre", `"aspectId": "worker_instance"`)
	p.says("pre", `"password": "***"`)
	p.says("details.fold", "Retried by oauth2 operator")
	p.says("details.fold", "workerNode 3333 added")
	p.says(".chip.bad", "worker-3333")
	var times int
	p.look(`document.body.innerText.split("`+onceTold+`").length - 1`, &times)
	require.Equal(p, 1, times, "how often the page tells the error")
}

func (p *page) instanceTellsWhatIsHalfMade() {
	p.Helper()
	p.goTo("instances/" + idOf("large"))
	p.says(".failure .title", "The operation Scale has stopped and waits for your decision")
	p.says(".failure", "Step 2 of 3: Join the new nodes, on worker-3333, attempt 2")
	p.says(".failure", onceTold)
	p.says(".layer", "By the operation Scale, which has not ended.")
	p.shows(`[...document.querySelectorAll(".part.half .part-name")].map((e) => e.innerText)`, "worker-2222", "worker-3333")
	p.click(`.failure a[href^="#/operations/"]`)
	p.says("h1", "Scale large")
	p.exec(p.T, `update vnf_lcm_op_occ set error = null where id = $1`, idOf("stopped"))
	p.operation("stopped", "large", lcm.OpScale, lcm.Completed, false, "")
	p.says(".state", "Completed")
	p.goTo("instances/" + idOf("large"))
	p.says(".state", "Instantiated")
	p.shows(`[...document.querySelectorAll(".part.half, .failure")].map(String)`)
}

func (p *page) cancelIsNoFault() {
	p.Helper()
	p.stopped("cancelled", lcm.Cancelled(lcm.Forceful))
	p.goTo("operations/" + idOf("cancelled"))
	p.says(".failure .title", "The operation has been cancelled and waits for your decision")
	p.says(".failure", "The operation was cancelled (FORCEFUL).")
	require.NotContains(p, p.text(), "Kind:")
	require.NotContains(p, p.text(), "What such errors mean")
	p.operation("cancelled", "large", lcm.OpScale, lcm.RolledBack, false, "")
}

func (p *page) vimTellsWhy() {
	p.Helper()
	p.goTo("vims")
	p.says("td .step", "Nobody answers at 192.0.2.7:6443.")
	p.click(`td a.name`)
	p.says("h1", "north")
	p.says(".state", "Unreachable")
	p.says(".failure", "Nobody answers at 192.0.2.7:6443.")
	p.says(".failure", "The certificate is not verified.")
	p.says(".facts", "a bearer token")
	p.says(".facts", "Kubernetes v1.33.1")
	p.says("table", "large")
}
