package activitytest

import (
	"context"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// VolumeID is the volume of a StorageCloud.
const VolumeID = "0b1c2d3e-4f5a-6b7c-8d9e-0f1a2b3c4d5e"

// StorageCloud has the deployment of a storage server.
type StorageCloud struct {
	Unused

	Inv     *vim.Inventory
	Gone    bool
	Lost    []string
	Ours    []string // the deployment's volumes in the call of VolumesLost
	Deleted int
	Update  vim.Change
}

// VIM implements resources.VIMs.
func (c *StorageCloud) VIM(context.Context, lcm.OpOccID) (vim.VIM, error) { return c, nil }

// StopServer implements vim.Power.
func (c *StorageCloud) StopServer(context.Context, string) error {
	return lcm.Errorf(lcm.KindConflict, "It is in ERROR.")
}

// Inventory implements vim.VIM.
func (c *StorageCloud) Inventory(context.Context, string) (*vim.Inventory, error) {
	return c.Inv, nil
}

// Settle implements vim.VIM.
func (c *StorageCloud) Settle(context.Context, string, string, func(string)) error { return nil }

// Change implements vim.VIM.
func (c *StorageCloud) Change(_ context.Context, ch vim.Change, _ func(string)) error {
	c.Update = ch
	return nil
}

// VolumesLost implements vim.VolumeKeeper.
func (c *StorageCloud) VolumesLost(_ context.Context, _ string, ours ...string) ([]string, error) {
	c.Ours = ours
	if c.Gone {
		return nil, lcm.Errorf(lcm.KindNotFound, "There is no such server.")
	}
	return c.Lost, nil
}

// DeleteServer implements vim.Restorer.
func (c *StorageCloud) DeleteServer(context.Context, string) error {
	c.Deleted, c.Gone = c.Deleted+1, true
	return nil
}

// StorageInventory is the deployment of a storage server with one volume.
func StorageInventory() *vim.Inventory {
	return &vim.Inventory{ID: "top", Resources: []vim.Resource{
		{Name: "cp", Kind: vim.LinkPort, ID: "p0", Part: "top"},
		{Name: "worker_cp", Kind: vim.LinkPort, ID: "p2", Part: "top"},
		{Name: "storage_CP", Kind: vim.LinkPort, ID: "p1", Part: "top"},
		{Name: "cp_server", Kind: vim.Compute, ID: "s0", Part: "top"},
		{Name: "storage_server", Kind: vim.Compute, ID: "s1", Part: "top"},
		{Name: "vol", Kind: vim.Storage, ID: VolumeID, Part: "top"},
	}, Ports: map[string]vim.Port{
		"p0": {ID: "p0", ServerID: "s0", Address: "10.0.0.11"},
		"p1": {ID: "p1", ServerID: "s1", Address: "10.0.0.31", FloatingIP: "198.51.100.31"},
		"p2": {ID: "p2", ServerID: "s0", Address: "10.0.0.12"},
	}, Servers: map[string]vim.Server{"s1": {ID: "s1", VolumeIDs: []string{VolumeID}}}}
}
