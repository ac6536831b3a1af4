package nspawn

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestEnsureSpace_refusesANewMachineOnAFullDisk(t *testing.T) {
	free := diskOfMachine - 1
	d := &Hypervisor{opts: Options{StateDir: "/state"}, freeSpace: func(dir string) (int, error) {
		assert.Equal(t, "/state", dir)
		return free, nil
	}}
	fresh := &instance{dir: t.TempDir(), spec: machine.Machine{Name: "cp-1"}}
	err := d.ensureSpace(fresh)
	assert.True(t, lcm.Is(err, lcm.KindExhausted))
	assert.ErrorContains(t, err, "Machine cp-1 cannot start: the file system of /state has 6143 MiB free, "+
		"and a new machine needs 6144")
	free++
	require.NoError(t, d.ensureSpace(fresh))

	free = 0
	require.NoError(t, os.Mkdir(fresh.path("upper"), 0o755))
	require.NoError(t, d.ensureSpace(fresh), "a machine that was started before starts again")
}

func TestFreeSpace_ofThisHostCanBeRead(t *testing.T) {
	free, err := freeSpace(t.TempDir())
	require.NoError(t, err)
	assert.Positive(t, free)
}
