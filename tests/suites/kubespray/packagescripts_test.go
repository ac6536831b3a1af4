package kubespray

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/environment"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// ofScripts is the VNFD of the sample package scripts.
const ofScripts = "9c1f3b0e-54f7-4b36-8f6e-2a1d7c0b5e31"

// TestWindlass_runsScriptsOfPackages runs shell scripts of the package on real servers, and its Python scripts on this
// host.
func TestWindlass_runsScriptsOfPackages(t *testing.T) {
	require.Zero(t, os.Geteuid(), "real machines need root")
	t.Setenv("WINDLASS_SCRIPTS_POLICY", "run")
	t.Setenv("WINDLASS_USER_DATA_PYTHON", "/usr/bin/python3")
	s := site{Bed: testbed.New(t, environment.NSpawn)}
	s.Onboard(t, "vnfpkg/samples/scripts")
	request := s.RequestOf(t, "scripts")

	vnf := s.CreateOf(t, ofScripts, "scripted")
	began := time.Now()
	op := s.Begin(t, vnf, "instantiate", request)
	s.Await(t, op, 5*time.Minute, "COMPLETED")
	t.Logf("instantiated in %s", time.Since(began).Round(100*time.Millisecond))
	require.Equal(t, 1, s.said(t, op, "opened an account for scripted"))
	require.Equal(t, 1, s.said(t, op, " is new"))

	op = s.Scale(t, vnf, "SCALE_OUT", "servers")
	s.Await(t, op, 5*time.Minute, "COMPLETED")
	require.Equal(t, 1, s.said(t, op, " is new"))
	require.Equal(t, 1, s.said(t, op, " knows of 2 servers"), "the one that was there")
	require.Zero(t, s.said(t, op, testbed.License))
	for _, to := range []string{"STOPPED", "STARTED"} {
		op = s.Operate(t, vnf, to)
		s.Await(t, op, 5*time.Minute, "COMPLETED")
		require.Equal(t, 1, s.said(t, op, "the account knows of "+to))
	}
	op = s.Remove(t, vnf)
	require.Equal(t, 2, s.said(t, op, " leaves"))
}
