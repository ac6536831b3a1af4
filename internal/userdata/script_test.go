package userdata

import (
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/ownnet"
)

// ofTacker has the form of the scripts in Tacker's own packages of v2: it writes its answer and exits.
const ofTacker = `import os
import pickle
import sys


class Script(object):
    def __init__(self, given):
        self.given = given

    def instantiate_end(self):
%s

def main():
    given = pickle.load(sys.stdin.buffer)
    script = Script(given)
    kept = given['user_script_err_handling_data']
    getattr(script, given['operation'])()
    output_dict = {'vnf_instance': given['vnf_instance'], 'user_script_err_handling_data': kept}
    sys.stdout.buffer.write(pickle.dumps(output_dict))
    sys.stdout.flush()


if __name__ == "__main__":
    try:
        main()
        os._exit(0)
    except Exception as ex:
        sys.stderr.write(str(ex))
        sys.stderr.flush()
        os._exit(1)
`

// printed collects the lines of a script.
type printed struct {
	mu    sync.Mutex
	lines []string
}

func (p *printed) line(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lines = append(p.lines, text)
}

func run(t *testing.T, s *Scripts, text string) (ScriptMade, []string, error) {
	t.Helper()
	var said printed
	made, err := s.Run(t.Context(), ScriptCall{
		NewFiles: map[string][]byte{"Files/note": []byte("a newer note\n")},
		Files:    map[string][]byte{"Scripts/own.py": []byte(text), "Scripts/beside.py": []byte("NAME = 'beside'\n"), "Files/note": []byte("a note\n")},
		Path:     "Scripts/own.py", Hook: "instantiate_end", Secrets: []string{"hunter2-of-the-request"}, Lines: said.line,
		Given: map[string]any{
			"operation": "instantiate_end", "request": map[string]any{"password": "hunter2-of-the-request", "n": 1},
			"vnf_instance":                  map[string]any{"id": "vnf", "metadata": map[string]any{}},
			"user_script_err_handling_data": map[string]any{"seen": "before"},
			"large":                         strings.Repeat("x", 1<<20),
		},
	})
	return made, said.lines, err
}

func script(lines ...string) string {
	return fmt.Sprintf(ofTacker, "        "+strings.Join(lines, "\n        ")+"\n")
}

func TestScripts_runAsThoseOfTackersV2(t *testing.T) {
	s := &Scripts{Runner: newRunner(t)}
	made, lines, err := run(t, s, script(
		"assert self.given['request'] == {'password': 'hunter2-of-the-request', 'n': 1}",
		"import beside, sys",
		"print('with', self.given['request']['password'], 'and', beside.NAME, file=sys.stderr)",
		"print(open(self.given['tmp_csar_dir'] + '/Files/note').read(), file=sys.stderr)",
		"print(open(self.given['new_csar_dir'] + '/Files/note').read(), file=sys.stderr)",
		"self.given['user_script_err_handling_data']['now'] = 2",
	))
	require.NoError(t, err)
	require.Equal(t, ScriptMade{Kept: map[string]any{"seen": "before", "now": 2.0}}, made)
	require.Equal(t, []string{"with *** and beside", "a note", "a newer note"}, lines)

	made, _, err = run(t, s, script("self.given['vnf_instance']['metadata']['mine'] = 1"))
	require.NoError(t, err)
	require.True(t, made.Changed)
}

func TestScripts_thatPrintTextOrNothing(t *testing.T) {
	s := &Scripts{Runner: newRunner(t)}
	_, lines, err := run(t, s, "print('only text')\n")
	require.NoError(t, err)
	require.Equal(t, []string{"only text"}, lines)
	_, lines, err = run(t, s, "pass\n")
	require.NoError(t, err)
	require.Empty(t, lines)
}

func TestScripts_thatFailSayWhy(t *testing.T) {
	s := &Scripts{Runner: newRunner(t)}
	made, _, err := run(t, s, script("self.given['user_script_err_handling_data']['half'] = 'done'",
		"sys.stdout.buffer.write(pickle.dumps({'user_script_err_handling_data': {'half': 'done'}}))",
		"raise Exception('the switch is off, not hunter2-of-the-request.')"))
	require.EqualError(t, err,
		"The script Scripts/own.py (instantiate_end) has failed with exit status 1: the switch is off, not ***.")
	require.True(t, lcm.Is(err, lcm.KindBroken))
	require.Equal(t, map[string]any{"half": "done"}, made.Kept, "what it has done is known to the next one")
	_, _, err = run(t, s, "import sys\nsys.exit('no more')\n")
	require.ErrorContains(t, err, "exit status 1: no more.")
	_, lines, err := run(t, s, "1 / 0\n")
	require.ErrorContains(t, err, "ZeroDivisionError: division by zero")
	require.Contains(t, strings.Join(lines, "\n"), "own.py\", line 1")
	_, _, err = run(t, s, "import ctypes\nctypes.string_at(0)\n")
	require.ErrorContains(t, err, "has ended without an answer")
}

func TestScripts_areConfined(t *testing.T) {
	networks(t)
	s := &Scripts{Runner: newRunner(t)}
	for name, body := range map[string]string{
		"a file of the host": "open('/etc/passwd')",
		"to write":           "open(self.given['tmp_csar_dir'] + '/new', 'w')",
		"a process":          "import subprocess; subprocess.run(['/bin/true'])",
		"a connection":       "import socket; socket.socket()",
	} {
		_, _, err := run(t, s, script(body))
		require.ErrorContains(t, err, "has failed with exit status 1", name)
		_, _, err = run(t, &Scripts{Runner: s.Runner, Network: true}, script(body))
		if name == "a connection" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, "has failed with exit status 1", "%s, with a network", name)
	}
}

func TestScripts_withANetworkReachServers(t *testing.T) {
	networks(t)
	s := &Scripts{Runner: newRunner(t), Network: true}
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = listener.Close() }()
	go func() {
		if conn, err := listener.Accept(); err == nil {
			_, _ = conn.Write([]byte("hello"))
			_ = conn.Close()
		}
	}()
	_, lines, err := run(t, s, fmt.Sprintf("import socket, sys\nc = socket.create_connection(('localhost', %d))\n"+
		"print(c.recv(5).decode(), file=sys.stderr)\n", listener.Addr().(*net.TCPAddr).Port))
	require.NoError(t, err)
	require.Equal(t, []string{"hello"}, lines)
}

func TestScripts_withANetworkReachNoServerOfWindlass(t *testing.T) {
	networks(t)
	temporal := listening(t)
	s := &Scripts{Runner: newRunner(t), Network: true, Reach: ownnet.Policy{Peers: []string{temporal}}}
	host, port, _ := net.SplitHostPort(temporal)
	_, lines, err := run(t, s, fmt.Sprintf("import socket\nsocket.create_connection(('%s', %s))\n", host, port))
	require.ErrorContains(t, err, "refused")
	require.Contains(t, strings.Join(lines, "\n"), "The script may not connect to "+temporal)
}

func TestScripts_sayWhyTheirNetworkCannotBeServed(t *testing.T) {
	networks(t)
	s := &Scripts{Runner: newRunner(t), Network: true, Reach: ownnet.Policy{Peers: []string{"temporal.invalid:7233"}}}
	_, _, err := run(t, s, "pass\n")
	require.True(t, lcm.Is(err, lcm.KindUnavailable), "%v", err)
	require.ErrorContains(t, err, "its network cannot be served: a server of Windlass: lookup temporal.invalid")
}

func TestScripts_endInTime(t *testing.T) {
	s := &Scripts{Runner: newRunner(t), Time: time.Second}
	_, _, err := run(t, s, "import threading\nthreading.Event().wait()\n")
	require.EqualError(t, err,
		"The script Scripts/own.py (instantiate_end) was stopped: it ran longer than its limit of 1s "+
			"(scripts.timeout).")
	require.True(t, lcm.Is(err, lcm.KindInvalid))
}

func TestProfileOf_knowsThoseThatAreGiven(t *testing.T) {
	require.Equal(t, ofUserData, profileOf([]string{childName, "python", "dir"}))
	require.Equal(t, ofUserData, profileOf([]string{childName, "python", "dir", "another"}))
	require.Equal(t, ofScript, profileOf([]string{childName, "python", "dir", "script"}))
	require.Equal(t, ofNetworkUser, profileOf([]string{childName, "python", "dir", "script-with-network"}))
	require.FileExists(t, "python/"+ofScript.runner)
	_, err := os.Stat("python/" + ofUserData.runner)
	require.NoError(t, err)
}
