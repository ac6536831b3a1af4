package lcm_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lcm/lcmtest"
)

// TestMerged_followsRFC7396 uses the examples of RFC 7396, appendix A, in which both sides are objects.
func TestMerged_followsRFC7396(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{
		{`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{`{"a":"b"}`, `{"a":null}`, `{}`},
		{`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`},
		{`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"c"}`, `{"a":["b"]}`, `{"a":["b"]}`},
		{`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`},
		{`{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`},
		{`{"e":null}`, `{"a":1}`, `{"e":null,"a":1}`},
		{`{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},
		{`{"password":{"$secret":"old"}}`, `{"password":{"$secret":"new"}}`, `{"password":{"$secret":"new"}}`},
		{`{"password":{"$secret":"old"}}`, `{"password":{"hint":"x"}}`, `{"password":{"hint":"x"}}`},
	} {
		target, patch := object(t, c[0]), object(t, c[1])
		got, err := json.Marshal(lcm.Merged(target, patch))
		require.NoError(t, err)
		assert.JSONEq(t, c[2], string(got), "%s over %s", c[1], c[0])
		assert.Equal(t, object(t, c[0]), target, "the target stays")
	}
	assert.Nil(t, lcm.Merged(nil, nil))
}

func object(t *testing.T, doc string) (out map[string]any) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(doc), &out))
	return out
}

func modified(
	t *testing.T, inst lcm.VnfInstance, pkg *lcm.NextPackage, body string,
) (lcm.VnfInstance, lcm.VnfInfoModifications, error) {
	t.Helper()
	req, err := lcmtest.Read[lcm.ModifyRequest]([]byte(body))
	require.NoError(t, err)
	return req.Apply(inst, pkg)
}

func TestModify_changesWhatIsGivenAndNothingElse(t *testing.T) {
	t.Parallel()
	inst := lcm.VnfInstance{
		Name: "old", Description: "d", Metadata: map[string]any{"a": "1", "b": "2"},
		Extensions: map[string]any{"x": 1.0},
	}
	after, done, err := modified(t, inst, nil, `{}`)
	require.NoError(t, err)
	assert.Equal(t, inst, after)
	assert.Equal(t, lcm.VnfInfoModifications{}, done)

	after, done, err = modified(t, inst, nil, `{"vnfInstanceName":"new","vnfInstanceDescription":null,"metadata":{"a":null,"c":{"token":{"$secret":"r"}}},
		"extensions":null,"vnfConfigurableProperties":{"isAutohealEnabled":true}}`)
	require.NoError(t, err)
	assert.Equal(t, "new", after.Name)
	assert.Empty(t, after.Description)
	assert.Equal(t, object(t, `{"b":"2","c":{"token":{"$secret":"r"}}}`), after.Metadata)
	assert.Nil(t, after.Extensions)
	assert.Equal(t, object(t, `{"isAutohealEnabled":true}`), after.ConfigurableProperties)
	shown, err := json.Marshal(done.Shown(1))
	require.NoError(t, err)
	assert.JSONEq(t, `{"vnfInstanceName":"new","vnfInstanceDescription":"","metadata":{"a":null,"c":{"token":"***"}},"extensions":{},
		"vnfConfigurableProperties":{"isAutohealEnabled":true}}`, string(shown))
}

func TestModify_mergesVimConnectionsById(t *testing.T) {
	t.Parallel()
	inst := lcm.VnfInstance{VimConnections: []lcm.VimConnectionInfo{
		{ID: "one", VimID: "vim-1", VimType: "openstack", Extra: map[string]any{"a": "1"}},
		{ID: "two", VimID: "vim-2", VimType: "openstack"},
	}}
	want := []lcm.VimConnectionInfo{
		{ID: "one", VimID: "vim-9", VimType: "openstack", Extra: map[string]any{"a": "1"}},
		{ID: "three", VimID: "vim-3", VimType: "openstack"},
	}
	for version, body := range map[int]string{
		1: `{"vimConnectionInfo":[{"id":"one","vimId":"vim-9"},{"id":"three","vimId":"vim-3"}],"vimConnectionInfoDeleteIds":["two","nothing"]}`,
		2: `{"vimConnectionInfo":{"one":{"vimId":"vim-9"},"three":{"vimId":"vim-3","vimType":"openstack"},"two":null}}`,
	} {
		after, done, err := modified(t, inst, nil, body)
		require.NoError(t, err)
		assert.ElementsMatch(t, want, after.VimConnections, version)
		assert.Equal(t, []string{"two"}, done.DeletedVimConnections)
		shown, err := json.Marshal(done.Shown(version)["vimConnectionInfo"])
		require.NoError(t, err)
		assert.JSONEq(t, map[int]string{
			1: `[{"id":"one","vimId":"vim-9","vimType":"openstack","extra":{"a":"1"}},{"id":"three","vimId":"vim-3","vimType":"openstack"}]`,
			2: `{"one":{"vimId":"vim-9","vimType":"openstack","extra":{"a":"1"}},"three":{"vimId":"vim-3","vimType":"openstack"}}`,
		}[version], string(shown))
	}
	assert.Equal(t, "vim-1", string(inst.VimConnections[0].VimID), "the instance itself stays")
}

func TestModify_refusesWhatAnInstantiatedVnfNeeds(t *testing.T) {
	t.Parallel()
	pkg := &lcm.NextPackage{VnfPkg: lcm.VnfPkg{
		ID: "other", VnfdID: "vnfd-2", Provider: "p", ProductName: "n", SoftwareVersion: "2", VnfdVersion: "3",
	}}
	inst := lcm.VnfInstance{
		VnfPkgID: "mine",
		VimConnections: []lcm.VimConnectionInfo{
			{ID: "one", VimID: "vim-1"},
			{ID: "own", VimID: "k8s"},
			{ID: "two", VimID: "vim-2"},
		},
		Instantiated: &lcm.InstantiatedVnfInfo{ClusterVimID: "k8s", VnfcResources: []lcm.VnfcResourceInfo{
			{ID: "a", ComputeResource: lcm.ResourceHandle{VimConnectionID: "one"}},
		}},
	}
	for body, says := range map[string]string{
		`{"vnfdId":"vnfd-2"}`:                         "may differ from the old one in software images only",
		`{"vimConnectionInfo":{"one":null}}`:          "cannot be removed while the VNF is instantiated",
		`{"vimConnectionInfo":{"own":{"vimId":"x"}}}`: "own cluster",
		`{"vimConnectionInfoDeleteIds":["own"]}`:      "own cluster",
	} {
		var of *lcm.NextPackage
		if body == `{"vnfdId":"vnfd-2"}` {
			of = pkg
		}
		_, _, err := modified(t, inst, of, body)
		require.True(t, lcm.Is(err, lcm.KindConflict), "%s: %v", body, err)
		require.ErrorContains(t, err, says)
	}
	after, _, err := modified(t, inst, nil, `{"vimConnectionInfo":{"two":null,"one":{"vimId":"vim-9"}}}`)
	require.NoError(t, err)
	assert.Len(t, after.VimConnections, 2)

	inst.Instantiated = nil
	after, done, err := modified(t, inst, pkg, `{"vnfdId":"vnfd-2"}`)
	require.NoError(t, err)
	assert.Equal(t, lcm.VnfdID("vnfd-2"), after.VnfdID)
	assert.Equal(t, lcm.VnfPkgID("other"), after.VnfPkgID)
	assert.Equal(t, "n", done.ProductName)
	assert.NotContains(t, done.Shown(2), "vnfPkgId")
}

// TestModify_keepsTheImagesOfAnInstantiatedVnf checks that the servers keep their images, because with other images
// Heat would replace all servers at the next change.
func TestModify_keepsTheImagesOfAnInstantiatedVnf(t *testing.T) {
	t.Parallel()
	next := &lcm.NextPackage{
		VnfPkg: lcm.VnfPkg{ID: "other", VnfdID: "vnfd-2", SoftwareVersion: "2"}, Succeeds: true,
		KeptImages: map[string]string{"node": "image-1"},
	}
	inst := lcm.VnfInstance{
		VnfPkgID:     "mine",
		Instantiated: &lcm.InstantiatedVnfInfo{Granted: &lcm.GrantedChoices{Zones: map[string]string{"node": "z"}}},
	}
	after, done, err := modified(t, inst, next, `{"vnfdId":"vnfd-2"}`)
	require.NoError(t, err)
	assert.Equal(t, []string{"vnfd-2", "2"}, []string{string(after.VnfdID), after.SoftwareVersion})
	assert.Equal(t, lcm.VnfdID("vnfd-2"), done.VnfdID)
	assert.Equal(t, &lcm.GrantedChoices{
		Zones:      map[string]string{"node": "z"},
		KeptImages: map[string]string{"node": "image-1"},
	}, after.Instantiated.Granted)
	assert.Nil(t, inst.Instantiated.Granted.KeptImages, "the instance itself stays")

	again := *next
	again.ID, again.KeptImages = "third", map[string]string{"node": "image-2", "disk": "image-d"}
	after, _, err = modified(t, after, &again, `{"vnfPkgId":"third"}`)
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"node": "image-1", "disk": "image-d"}, after.Instantiated.Granted.KeptImages,
		"the servers still have the first one")

	inst.Instantiated.Granted = nil
	again.ID, again.KeptImages = "fourth", nil
	after, _, err = modified(t, inst, &again, `{"vnfPkgId":"fourth"}`)
	require.NoError(t, err)
	assert.Nil(t, after.Instantiated.Granted)
}

func TestApply_showsThatAllWasRemoved(t *testing.T) {
	request, err := lcmtest.Read[lcm.ModifyRequest]([]byte(`{"metadata":null,"extensions":{},"vnfConfigurableProperties":{"a":null}}`))
	require.NoError(t, err)
	after, done, err := request.Apply(lcm.VnfInstance{Metadata: map[string]any{"site": "north"}}, nil)
	require.NoError(t, err)
	require.Empty(t, after.Metadata)
	for _, version := range []int{1, 2} {
		require.Equal(t, map[string]any{
			"metadata": map[string]any{}, "vnfConfigurableProperties": map[string]any{"a": nil},
		}, done.Shown(version))
	}
	stored, err := json.Marshal(done)
	require.NoError(t, err)
	var again lcm.VnfInfoModifications
	require.NoError(t, json.Unmarshal(stored, &again))
	require.Equal(t, done.Shown(2), again.Shown(2))
}
