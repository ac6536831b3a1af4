package kubecluster_test

import (
	"context"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/activitytest"
	"github.com/windlass-nfv/windlass/activities/kubecluster"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/driver/kubeadm"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
)

// vimTable is a registry of VIMs, with the host keys and secrets of the nodes of clusters.
type vimTable struct {
	vims              map[string]lcm.Vim // by name
	hostKeys, secrets map[string]bool
}

func (v *vimTable) VimByName(_ context.Context, name string) (lcm.Vim, error) {
	if vim, ok := v.vims[name]; ok {
		return vim, nil
	}
	return lcm.Vim{}, lcm.Errorf(lcm.KindNotFound, "There is no VIM %s.", name)
}

func (v *vimTable) CreateVim(_ context.Context, vim lcm.Vim) error {
	if _, ok := v.vims[vim.Name]; ok {
		return lcm.Errorf(lcm.KindConflict, "There is a VIM %s.", vim.Name)
	}
	v.vims[vim.Name] = vim
	return nil
}

func (v *vimTable) UpdateVim(_ context.Context, vim lcm.Vim) error {
	v.vims[vim.Name] = vim
	return nil
}

func (v *vimTable) DeleteClusterVim(_ context.Context, id lcm.VimID, _ lcm.VnfInstanceID) error {
	maps.DeleteFunc(v.vims, func(_ string, vim lcm.Vim) bool { return vim.ID == id })
	return nil
}

func (v *vimTable) ForgetHostKeys(_ context.Context, _ lcm.VnfInstanceID, servers ...string) error {
	for _, s := range servers {
		delete(v.hostKeys, s)
	}
	return nil
}

func (v *vimTable) forget(_ context.Context, prefix string) error {
	delete(v.secrets, prefix)
	return nil
}

// named is a cluster whose request contains this name for its VIM.
type named string

func (n named) Vnf(context.Context, lcm.OpOccID) (activities.VnfContext, error) {
	return activities.VnfContext{
		Instance: lcm.VnfInstance{ID: "vnf", ProjectID: lcm.DefaultProject},
		Drivers:  []lifecycle.VnfDriver{kubeadm.New(k8s.Params{VimName: string(n)})},
	}, nil
}

func TestRegistry_registersAndForgetsAClusterOnce(t *testing.T) {
	table := &vimTable{
		vims:     map[string]lcm.Vim{"other": {ID: "other", Name: "other"}},
		hostKeys: map[string]bool{"cp-1": true, "cp-2": true},
		secrets:  map[string]bool{"vnf/vnf/cluster/": true},
	}
	registry := &kubecluster.VimRegistry{
		Vims: table, Vnfs: named("edge"), Forget: table.forget, Output: &activitytest.Output{},
		Look: func(context.Context, lcm.Vim) (lcm.VimFindings, string) {
			return lcm.VimFindings{Regions: []string{"default"}, Version: "v1.34.1"}, ""
		},
	}
	var tracked activities.Tracked
	tracked.Step.OpOccID = activitytest.OpOcc
	for range 2 {
		out := activitytest.Must(t, registry.RegisterVim, kubecluster.RegisterVimInput{
			Tracked: tracked, OpOccID: activitytest.OpOcc, Account: kubecluster.VimAccountOutput{ServerURL: "https://10.0.0.1:6443"},
		})
		require.Equal(t, kubecluster.ClusterVimID("vnf"), out.VimID)
		require.Len(t, table.vims, 2)
		require.Equal(t, "https://10.0.0.1:6443", table.vims["edge"].AuthURL)
		require.Equal(t, []any{lcm.VimReachable, "v1.34.1", []string{"default"}},
			[]any{table.vims["edge"].Status, table.vims["edge"].Check.Version, table.vims["edge"].Regions})
	}
	for range 2 {
		activitytest.Must(t, registry.ForgetNodes, kubecluster.ForgetNodesInput{
			Tracked: tracked, VnfInstanceID: "vnf", ServerIDs: []string{"cp-1"}, KeepCluster: true,
		})
		require.Equal(t, map[string]bool{"cp-2": true}, table.hostKeys)
		require.NotEmpty(t, table.secrets)
	}
	for range 2 {
		activitytest.Must(t, registry.DeregisterVim, kubecluster.DeregisterVimInput{Tracked: tracked, VnfInstanceID: "vnf"})
		activitytest.Must(t, registry.ForgetNodes, kubecluster.ForgetNodesInput{
			Tracked: tracked, VnfInstanceID: "vnf", ServerIDs: []string{"cp-2"},
		})
		require.Len(t, table.vims, 1, "that of another stays")
		require.Empty(t, table.secrets)
		require.Empty(t, table.hostKeys)
	}
	registry.Vnfs = named("other")
	for range 2 {
		_, err := activitytest.Do(
			t,
			registry.RegisterVim,
			kubecluster.RegisterVimInput{Tracked: tracked, OpOccID: activitytest.OpOcc},
		)
		require.ErrorContains(t, err, `A VIM named "other" is registered already`)
		require.Empty(t, table.vims["other"].AuthURL)
	}
}
