package e2e

import (
	"cmp"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/userdata"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

const (
	scriptedPackage = "tests/suites/e2e/testdata/scripted"
	scriptedVnfdID  = "0c9d3b52-6f0e-4d43-9d0b-5a1f6c0f7e31"
)

func TestMain(m *testing.M) {
	if userdata.IsChild() { // canConfine has started this program again
		fmt.Fprintln(os.Stderr, userdata.Confine())
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// TestUserDataOfPackages uses a package with its own user data classes. By default Windlass refuses them. After a
// change of the configuration it runs them.
func TestUserDataOfPackages(t *testing.T) {
	b := newBed(t, "fake", "--image-alias", "tiny")
	b.Onboard(t, scriptedPackage)
	t.Run("refused where none are run", func(t *testing.T) { scriptsAreRefused(t, b) })

	python := cmp.Or(pathOf("/usr/bin/python3"), pathOf("python3"))
	canConfine(t, python)
	t.Setenv("WINDLASS_USER_DATA_PYTHON", python)
	// A busy machine needs less time, and the class that never ends still fails soon.
	t.Setenv("WINDLASS_USER_DATA_TIMEOUT", "15s")
	b.Restart(t)
	t.Run("the parameters of the stack are theirs", func(t *testing.T) { scriptsMakeParameters(t, b) })
	t.Run("also in Tacker's second form", func(t *testing.T) { scriptsOfTheSecondForm(t, b) })
	t.Run("they reach nothing", func(t *testing.T) { scriptsReachNothing(t, b) })
}

func pathOf(program string) string {
	path, err := exec.LookPath(program)
	if err != nil {
		return ""
	}
	return path
}

// canConfine skips the rest if the kernel cannot confine scripts, because then Windlass's worker does not start. Every
// other problem with Python fails the test.
func canConfine(t *testing.T, python string) {
	t.Helper()
	require.NotEmpty(t, python, "there is no Python 3")
	err := (&userdata.Runner{Python: python}).Check(t.Context())
	if lcm.Is(err, lcm.KindUnavailable) {
		t.Skip("Scripts of packages are NOT tested: this kernel has no Landlock or no seccomp to confine them with. ", err)
	}
	require.NoError(t, err)
}

// scripted creates an instance of the package.
func (b *bed) scripted(t *testing.T, name string) (vnf string) {
	t.Helper()
	return b.CreateOf(t, scriptedVnfdID, name)
}

// by returns a request to instantiate with the class of a script. The class gets params.
func (b *bed) by(script string, params map[string]any) map[string]any {
	request := testbed.LinksTo("net0")
	request["flavourId"] = "simple"
	request["vimConnectionInfo"] = b.OnOpenStack()
	params["lcm-operation-user-data"], params["lcm-operation-user-data-class"] = script, "Names"
	request["additionalParams"] = params
	return request
}

// servers returns the names of all servers of the lab.
func (b *bed) servers(t *testing.T) (names []string) {
	t.Helper()
	var all struct {
		Machines []struct{ Name string }
	}
	b.LabInto(t, "/machines", &all)
	for _, m := range all.Machines {
		names = append(names, m.Name)
	}
	return names
}

func scriptsAreRefused(t *testing.T, b *bed) {
	vnf := b.scripted(t, "refused")
	path := "/vnflcm/v1/vnf_instances/" + vnf
	a := b.Call(t, http.MethodPost, path+"/instantiate", b.by("./UserData/names.py", map[string]any{"rack": "r1"}))
	require.Equal(t, http.StatusUnprocessableEntity, a.Status, "%s", a.Body)
	require.Contains(t, testbed.Problem(t, a),
		`"Names" is Python of the VNF package, which Windlass runs only where its operator has set userData.python`)
	require.Equal(t, "NOT_INSTANTIATED", b.Get(t, path)["instantiationState"])
	require.Equal(t, http.StatusNoContent, b.Call(t, http.MethodDelete, path, nil).Status)
}

func scriptsMakeParameters(t *testing.T, b *bed) {
	vnf := b.scripted(t, "named")
	b.Await(t, b.Begin(t, vnf, "instantiate", b.by("./UserData/names.py", map[string]any{"rack": "r1"})), quick,
		"COMPLETED")
	require.Equal(t, []string{"r1-of-simple"}, b.servers(t))
	require.Len(t, b.Vnfcs(t, vnf), 1)

	// Windlass runs the class for every change of the stack, but decides on the sizes itself.
	op := b.Scale(t, vnf, "SCALE_OUT", "servers")
	b.Await(t, op, quick, "COMPLETED")
	b.RequireChanged(t, op, 1, 0)
	require.Equal(t, []string{"r1-of-simple", "r1-of-simple"}, b.servers(t))
	b.RequireRecorded(t, vnf)
	b.Remove(t, vnf)
	b.RequireNothingLeft(t)
}

func scriptsOfTheSecondForm(t *testing.T, b *bed) {
	vnf := b.scripted(t, "second")
	b.Await(t, b.Begin(t, vnf, "instantiate", b.by("UserData/names_v2.py", map[string]any{})), quick, "COMPLETED")
	require.Equal(t, []string{"second-of-simple"}, b.servers(t))
	b.Remove(t, vnf)
	b.RequireNothingLeft(t)
}

// scriptsReachNothing runs classes that try forbidden things. Each operation fails with that reason, and has no effect.
// Afterwards the VNF can be instantiated.
func scriptsReachNothing(t *testing.T, b *bed) {
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o777)) //nolint:gosec // G302: whoever the worker runs as could write here
	secret, written := filepath.Join(dir, "secret"), filepath.Join(dir, "written")
	require.NoError(t, os.WriteFile(secret, []byte("hunter2-of-the-host"), 0o644)) //nolint:gosec // G306: anybody could read it
	port, connections := listener(t)
	const refused = `The user data class Names of the VNF package \(\./UserData/names\.py\) has failed: UserData/names\.py:\d+: `
	vnf := b.scripted(t, "reaching")
	for _, c := range []struct{ first, want string }{
		{"connect", refused + "PermissionError"},
		{"write", refused + "PermissionError"},
		{"read", refused + "PermissionError"},
		{"look around", refused + "PermissionError"},
		{"start a program", refused + "(PermissionError|BlockingIOError)"},
		{"tell the password", refused + `ValueError: the password is \*\*\*`},
		{"run forever", `it ran longer than its limit of 15s \(userData\.timeout\)`},
	} {
		op := b.Begin(t, vnf, "instantiate", b.by("./UserData/names.py", map[string]any{
			"rack": "r1", "first": c.first, "port": port, "file": map[string]string{"write": written, "read": secret}[c.first],
			"password": testbed.NodePassword,
		}))
		got := b.Await(t, op, quick, "FAILED_TEMP")["error"].(map[string]any)["detail"].(string)
		require.Regexp(t, c.want, got, c.first)
		require.NotContains(t, got, "hunter2-of-the-host")
		require.NotContains(t, got, "WINDLASS_")
		require.NotContains(t, got, testbed.NodePassword)
		require.Equal(t, http.StatusAccepted, b.Act(t, op, "rollback", nil).Status)
		b.Await(t, op, quick, "ROLLED_BACK")
		b.RequireNothingLeft(t)
	}
	require.NoFileExists(t, written)
	require.Zero(t, connections.Load(), "a script has reached the network")

	b.Await(t, b.Begin(t, vnf, "instantiate", b.by("./UserData/names.py", map[string]any{"rack": "r1"})), quick,
		"COMPLETED")
	b.Remove(t, vnf)
	b.RequireNothingLeft(t)
}

// listener counts the connections to a port of this host.
func listener(t *testing.T) (port int, connections *atomic.Int32) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // closed with the test
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	connections = &atomic.Int32{}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			connections.Add(1)
			_ = conn.Close()
		}
	}()
	return l.Addr().(*net.TCPAddr).Port, connections
}
