package rest_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/query"
	"github.com/windlass-nfv/windlass/internal/store"
)

// dice makes documents and filters from few words, so that many filters match.
type dice struct{ *rand.Rand }

func (d dice) of(words ...string) string { return words[d.IntN(len(words))] }

var (
	diceNames  = []string{"a", "b", "site", "x/y", "@key", "a,b", "q\"'", "ä ö", "true", "1"}
	diceValues = []string{
		"STOPPED", "IPV6", "a-ab", "", "a", "b", "site", "ab", "true", "false", "1", "1.0", "10", "-2.5", "1e3", "it's",
		"a,b", ")", `\"`, "%_.*", "ä ö", "Zz",
		"2030-01-02T03:04:05Z", "2030-01-02T04:04:05+01:00", "9007199254740993",
	}
)

func (d dice) value(depth int) any {
	switch d.IntN(9) {
	case 0:
		return nil
	case 1:
		return d.IntN(2) == 0
	case 2:
		return []float64{0, 1, 10, -2.5, 1000, 9007199254740992, 1e21}[d.IntN(7)]
	case 3, 4:
		if depth > 0 {
			list := make([]any, d.IntN(3))
			for i := range list {
				list[i] = d.value(depth - 1)
			}
			return list
		}
	case 5, 6:
		if depth > 0 {
			return d.object(depth - 1)
		}
	}
	return d.of(diceValues...)
}

func (d dice) object(depth int) map[string]any {
	out := map[string]any{}
	for range d.IntN(4) {
		out[d.of(diceNames...)] = d.value(depth)
	}
	return out
}

// pathsOf returns the paths of a table, and for each of them that there may be something below it.
func pathsOf(table store.Attributes) (paths []string) {
	for _, row := range table {
		paths = append(paths, row.Path+"/*")
	}
	return paths
}

// expression returns an expression about one of the paths, or about something below it.
func (d dice) expression(paths []string) query.Expression {
	e := query.Expression{Op: query.Op(d.of("eq", "neq", "gt", "gte", "lt", "lte", "in", "nin", "cont", "ncont"))}
	path := d.of(paths...)
	e.Path = strings.Split(strings.TrimSuffix(path, "/*"), "/")
	if strings.HasSuffix(path, "/*") {
		for range d.IntN(3) {
			e.Path = append(e.Path, d.of(diceNames...))
		}
		e.OfKey = d.IntN(5) == 0
	}
	for i, name := range e.Path {
		if name == "*" {
			e.Path[i] = d.of(diceNames...)
		}
	}
	e.Values = []string{d.of(diceValues...)}
	if e.Op.Many() {
		for range d.IntN(3) {
			e.Values = append(e.Values, d.of(diceValues...))
		}
	}
	return e
}

var diceInstancePaths = []string{
	"id", "vnfInstanceName", "vnfInstanceDescription", "vnfdId", "vnfProvider", "instantiationState", "vnfPkgId",
	"metadata/*", "metadata/*", "metadata/*",
	"vimConnectionInfo/*", "vimConnectionInfo/vimType", "vimConnectionInfo/a/vimType", "vimConnectionInfo/extra/*",
	"vimConnectionInfo/b/extra/*",
	"instantiatedVnfInfo/flavourId", "instantiatedVnfInfo/vnfcResourceInfo/id",
	"instantiatedVnfInfo/vnfcResourceInfo/metadata/*",
	"instantiatedVnfInfo/scaleStatus/scaleLevel", "instantiatedVnfInfo/extCpInfo/id",
	"instantiatedVnfInfo/extCpInfo/cpdId", "instantiatedVnfInfo/extCpInfo/cpConfigId",
	"instantiatedVnfInfo/extVirtualLinkInfo/id", "instantiatedVnfInfo/extVirtualLinkInfo/resourceHandle/resourceId",
	"instantiatedVnfInfo/extVirtualLinkInfo/currentVnfExtCpData/cpdId", "instantiatedVnfInfo/vnfcInfo/vduId",
	"instantiatedVnfInfo/vnfcInfo/vnfcResourceInfoId", "instantiatedVnfInfo/vnfcInfo/id", "instantiatedVnfInfo/stackId",
	"_links/self/href", "unknown/*",
	"instantiatedVnfInfo/vnfcInfo/vnfcState", "instantiatedVnfInfo/vnfState",
	"instantiatedVnfInfo/extCpInfo/associatedVnfcCpId", "instantiatedVnfInfo/extCpInfo/*", "instantiatedVnfInfo/*",
	"instantiatedVnfInfo/extManagedVirtualLinkInfo/id",
	"instantiatedVnfInfo/extManagedVirtualLinkInfo/networkResource/vimConnectionId",
	"instantiatedVnfInfo/extManagedVirtualLinkInfo/*",
	"instantiatedVnfInfo/extVirtualLinkInfo/resourceHandle/vimConnectionId", "instantiatedVnfInfo/extVirtualLinkInfo/*",
	"instantiatedVnfInfo/extVirtualLinkInfo/resourceHandle/*",
	cpConfigPath + "*", cpConfigPath + "a/*", cpConfigPath + "a/cpProtocolData/layerProtocol", cpConfigPath +
		"a/cpProtocolData/*", cpConfigPath + "a/cpProtocolData/ipOverEthernet/*",
	cpConfigPath + "b/cpProtocolData/ipOverEthernet/ipAddresses/type", cpConfigPath +
		"a/cpProtocolData/ipOverEthernet/ipAddresses/fixedAddresses",
	cpConfigPath + "a/cpProtocolData/ipOverEthernet/ipAddresses/subnetId", cpConfigPath +
		"a/cpProtocolData/ipOverEthernet/ipAddresses/numDynamicAddresses",
	cpConfigPath + "a/cpProtocolData/ipOverEthernet/macAddress",
}

const cpConfigPath = "instantiatedVnfInfo/extVirtualLinkInfo/currentVnfExtCpData/cpConfig/"

func (d dice) instance(vnfdID string, pkg lcm.VnfPkgID) lcm.VnfInstance {
	inst := lcm.VnfInstance{
		ID: rest.NewID[lcm.VnfInstanceID](), Name: d.of(diceValues...), Description: d.of("", "a", "ab"),
		VnfdID: lcm.VnfdID(vnfdID), VnfPkgID: pkg,
		Provider: d.of(diceValues...), InstantiationState: lcm.NotInstantiated, Metadata: d.object(2),
	}
	for _, id := range []string{"a", "b"}[:d.IntN(3)] {
		inst.VimConnections = append(inst.VimConnections,
			lcm.VimConnectionInfo{ID: id, VimType: d.of("a", "openstack"), Extra: d.object(1)})
	}
	if d.IntN(2) == 0 {
		inst.InstantiationState = lcm.Instantiated
		inst.Instantiated = &lcm.InstantiatedVnfInfo{
			FlavourID: d.of(diceValues...), VnfState: "STARTED", DeploymentID: "a",
			ScaleStatus: []lcm.ScaleInfo{{AspectID: "a", ScaleLevel: d.IntN(2)}},
			ExtVirtualLinks: []lcm.ExtVirtualLink{{ID: d.of(diceValues...), ResourceID: d.of(diceValues...), ExtCps: []lcm.ExtCp{
				{
					CpdID: d.of("a", "b", "ab"), MAC: d.of("", "a", "site"),
					FixedIPs: []lcm.FixedIP{{Address: d.of("", "192.0.2.7", "::7"), SubnetID: d.of("", "a", "site")}},
				},
				{CpdID: d.of(diceValues...)},
				{CpdID: d.of(diceValues...), Configs: []lcm.CpConfig{
					{Key: d.of(diceValues...)}, {
						Key: d.of("a", "b"), MAC: d.of("", "a", "site"),
						FixedIPs: []lcm.FixedIP{
							{SubnetID: d.of("", "a"), Dynamic: d.IntN(4), IPv6: d.IntN(2) == 0},
							{Address: d.of("192.0.2.7", "::7")},
						},
					},
				}[d.IntN(2):]},
			}}},
			ExtManagedVirtualLinks: []lcm.ExtManagedVirtualLink{{
				ID: d.of(diceValues...), VnfVirtualLinkDescID: "a", ResourceID: d.of(diceValues...),
			}},
			ExtCps: []lcm.VnfExtCpInfo{{
				ID: d.of(diceValues...), CpdID: d.of(diceValues...), AssociatedVnfcCpID: d.of("", "a"),
			}},
			VnfcResources: []lcm.VnfcResourceInfo{
				{
					ID: d.of(diceValues...), VduID: d.of(diceValues...), Metadata: d.object(1),
					ComputeResource: lcm.ResourceHandle{VimConnectionID: d.of("", "a")},
				}, {ID: d.of(diceValues...)},
			},
		}
		if d.IntN(2) == 0 {
			inst.Instantiated.Stopped = []lcm.StoppedVnfc{{VnfcID: inst.Instantiated.VnfcResources[0].ID}}
		}
	}
	return inst
}

// TestFilters_meanTheSameInSQL requires that SQL selects everything that the standard's filter matches. If SQL knows
// every attribute of the filter, it should select little else.
func TestFilters_meanTheSameInSQL(t *testing.T) {
	b := servertest.New(t)
	path, vnfdID := b.Onboard()
	d := dice{rand.New(rand.NewPCG(1, 2))}
	var ids []string
	for range 60 {
		inst := d.instance(vnfdID, lcm.VnfPkgID(path[strings.LastIndexByte(path, '/')+1:]))
		require.NoError(t, b.Store.CreateInstance(lcm.InProject(t.Context(), lcm.DefaultProject), inst))
		ids = append(ids, string(inst.ID))
	}
	all, err := b.Store.InstancePage(t.Context(), store.Page{})
	require.NoError(t, err)
	require.Len(t, all, len(ids))
	docs := map[int][]map[string]any{}
	for version := 1; version <= 2; version++ {
		shown := listed(b, version, "vnf_instances")
		for _, inst := range all {
			docs[version] = append(docs[version], shown[string(inst.ID)])
		}
	}
	paths := append(pathsOf(store.InstanceAttributes), diceInstancePaths...)
	matched, selected := 0, 0
	for i := range 3000 {
		f := query.Filter{d.expression(paths)}
		if i%3 == 0 {
			f = append(f, d.expression(paths))
		}
		if i%50 == 0 {
			f[0] = query.Expression{Op: query.Eq, Path: []string{"id"}, Values: []string{d.of(ids...)}}
		}
		rows, err := b.Store.InstancePage(t.Context(), store.Page{Filter: f})
		require.NoError(t, err, "%s", f)
		selected += len(rows)
		for i, inst := range all {
			for version, shown := range docs {
				if !f.Matches(shown[i]) {
					continue
				}
				matched++
				if !slices.ContainsFunc(rows, func(r lcm.VnfInstance) bool { return r.ID == inst.ID }) {
					t.Fatalf("%s matches in v%d, but SQL leaves it out: %v", f, version, shown[i])
				}
			}
		}
	}
	t.Logf("%d rows selected of %d, for %d matches in two versions", selected, 3000*len(all), matched)
	require.Greater(t, matched, 2000)
	require.Less(t, selected, 3000*len(all)/4, "SQL leaves out most of what does not match")
}

// TestFilters_ofOperationsMeanTheSameInSQL does the same for operations, which also have columns of times and booleans.
func TestFilters_ofOperationsMeanTheSameInSQL(t *testing.T) {
	b := servertest.New(t)
	_, vnfdID := b.Onboard()
	d := dice{rand.New(rand.NewPCG(3, 4))}
	for i := range 20 {
		path := b.Create("/vnflcm/v1", vnfdID)
		o := lcm.VnfLcmOpOcc{
			ID:                    rest.NewID[lcm.OpOccID](),
			VnfInstanceID:         lcm.VnfInstanceID(path[strings.LastIndexByte(path, '/')+1:]),
			Operation:             lcm.OpInstantiate,
			GrantID:               d.of("", "a"),
			IsAutomaticInvocation: i%2 == 0,
			APIVersion:            1,
			Params: []byte(
				`{"flavourId":"a","extVirtualLinks":[],"additionalParams":{"a":9007199254740993,"b":"ab","site":[true,"a"]}}`,
			),
		}
		switch i % 4 {
		case 1:
			o.Params = fmt.Appendf(
				nil,
				`{"vimConnectionInfo":[{"id":%q,"vimType":%q},{"id":"b","extra":{"a":1.00000000000000000001}}],"extVirtualLinks":[
				{"id":"a","extCps":[{"cpdId":"a","cpConfig":[{"cpInstanceId":"a","linkPortId":%q},{"linkPortId":"b"}]}]}]}`,
				d.of("a", "b", "1"),
				d.of("a", "b"),
				d.of("a", "b"),
			)
		case 2:
			o.APIVersion = 2
			o.Params = fmt.Appendf(
				nil,
				`{"vimConnectionInfo":{"a":{"vimType":%q},%q:{"extra":{"a":0.30000000000000001}}},"extVirtualLinks":[
				{"id":"a","extCps":[{"cpdId":"a","cpConfig":{"a":{"linkPortId":%q}}}]}]}`,
				d.of("a", "b"),
				d.of("b", "1"),
				d.of("a", "b"),
			)
		}
		require.NoError(t, b.Store.BeginOperation(t.Context(), o))
		if i%3 == 0 {
			require.NoError(t, b.Store.RecordOperation(t.Context(), lcm.OperationRecord{
				OpOccID: o.ID, Sequence: 1, State: lcm.RolledBack, IsCancelPending: i%2 == 0,
				Error:           lcm.Errorf(lcm.KindBroken, "a"),
				ResourceChanges: &lcm.ResourceChanges{AffectedVnfcs: []lcm.AffectedVnfc{{ID: "a", VduID: d.of("a", "b")}}},
			}))
		}
	}
	all, err := b.Store.OperationPage(t.Context(), store.Page{})
	require.NoError(t, err)
	const configs = "operationParams/extVirtualLinks/extCps/cpConfig/"
	paths := []string{
		"operationState", "operation", "startTime", "stateEnteredTime", "grantId", "isAutomaticInvocation", "isCancelPending",
		"cancelMode",
		"error/title", "error/status", "resourceChanges/affectedVnfcs/vduId", "operationParams/flavourId",
		"operationParams/additionalParams/*", "operationParams/*",
		"operationParams/vimConnectionInfo/*", "operationParams/vimConnectionInfo/vimType",
		"operationParams/vimConnectionInfo/id", "operationParams/vimConnectionInfo/a/vimType",
		"operationParams/vimConnectionInfo/extra/a", "operationParams/vimConnectionInfo/b/extra/a",
		"operationParams/vimConnectionInfo/1/extra/*", "operationParams/extVirtualLinks/*",
		configs + "*", configs + "linkPortId", configs + "cpInstanceId", configs + "a/linkPortId", configs + "1/linkPortId",
		"_links/self/href", "_links/grant/href", "changedInfo/*", "unknown/*",
	}
	paths = append(paths, pathsOf(store.OperationAttributes)...)
	docs := map[int]map[string]map[string]any{1: listed(b, 1, "vnf_lcm_op_occs"), 2: listed(b, 2, "vnf_lcm_op_occs")}
	for range 1500 {
		e := d.expression(paths)
		if strings.HasSuffix(e.Path[0], "Time") && d.IntN(2) == 0 {
			e.Values = []string{d.of("20", "Z", "-", "2", "2030-01-02", ".5")}
		} else if strings.HasSuffix(e.Path[0], "Time") {
			at := all[d.IntN(len(all))].StartTime.Add([]time.Duration{
				0, 100 * time.Nanosecond, time.Microsecond,
				-time.Hour,
			}[d.IntN(4)])
			e.Values = []string{at.In(time.FixedZone("", 3600)).Format(time.RFC3339Nano)}
		}
		f := query.Filter{e}
		rows, err := b.Store.OperationPage(t.Context(), store.Page{Filter: f})
		require.NoError(t, err, "%s", f)
		for version, shown := range docs {
			for _, o := range all {
				doc := shown[string(o.ID)]
				if f.Matches(doc) && !slices.ContainsFunc(rows, func(r lcm.VnfLcmOpOcc) bool { return r.ID == o.ID }) {
					t.Fatalf("%s matches in v%d, but SQL leaves it out: %v", f, version, doc)
				}
			}
		}
	}
}
