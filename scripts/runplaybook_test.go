package scripts_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ansibleServer is a directory with a kubespray of one playbook, an inventory's directory, and an ansible-playbook
// whose code the test chooses.
type ansibleServer struct{ kubespray, directory, home string }

func newAnsibleServer(t *testing.T, playbook string) ansibleServer {
	t.Helper()
	root := t.TempDir()
	s := ansibleServer{filepath.Join(root, "kubespray"), filepath.Join(root, "inventory"), root}
	for file, text := range map[string]string{
		filepath.Join(s.kubespray, playbook):                              "",
		filepath.Join(s.kubespray, "inventory/sample/group_vars/all.yml"): "whole: yes\n",
		filepath.Join(s.directory, "hosts.ini"):                           "",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	return s
}

// run runs run-playbook.sh with its libraries.
func (s ansibleServer) run(t *testing.T, playbook, ansible string) (string, int) {
	t.Helper()
	program := filepath.Join(s.home, ".local/bin/ansible-playbook")
	require.NoError(t, os.MkdirAll(filepath.Dir(program), 0o755))
	require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\n"+ansible), 0o755)) //nolint:gosec // G306: a program
	code := strings.ReplaceAll(library(t, s.home, "lib-base", "lib-ansible", "lib-play", "run-playbook"),
		"HOME=/root", "HOME="+s.home)
	return shell(t, fmt.Sprintf("ROOT=%s DIRECTORY=%s PLAYBOOK=%s LIMIT= VARIABLES= OWNER=op-2\n%s", s.kubespray,
		s.directory, playbook, strings.Replace(code, "\nread_inputs\n", "\nread_inputs <<<secrets=e30=\n", 1)))
}

func TestRunPlaybook_namesHostsTasksAndReasons(t *testing.T) {
	s := newAnsibleServer(t, "remove_node.yml")
	half := filepath.Join(s.directory, "group_vars.new", "half")
	require.NoError(t, os.MkdirAll(half, 0o755))
	const fails = `echo 'TASK [Remove it]'; echo 'TASK [Remove it]: still at n1 after 30s'; echo 'n1: FAILED: no room'
echo 'QUESTION [Confirm]: sure?'; exit 2`
	for range 2 {
		said, code := s.run(t, "remove-node", fails)
		require.Equal(t, 1, code, said)
		require.Contains(t, said, "windlass: remove_node.yml failed: n1: FAILED: no room (TASK [Remove it]); "+
			"it had asked what nobody answers here: [Confirm]: sure?")
		require.FileExists(t, filepath.Join(s.directory, "group_vars/all.yml"), "of kubespray's sample, whole")
		require.NoDirExists(t, filepath.Join(s.directory, "group_vars/half"), "of a copy that was cut short")
		require.NoDirExists(t, filepath.Dir(half))
	}
	said, code := s.run(t, "remove-node", "exit 137")
	require.Equal(t, 1, code, said)
	require.Contains(t, said, "windlass: remove_node.yml failed: ansible-playbook ended with exit status 137")
	said, code = s.run(t, "remove-node", "echo well")
	require.Zero(t, code, said)
	said, code = s.run(t, "recover-control-plane", "exit 0")
	require.Equal(t, 78, code, said)
	require.Contains(t, said, "has no playbook recover-control-plane.yml")
}

// TestRunPlaybook_hasOneRunAtATime has another run that locks the directory, and then dies.
func TestRunPlaybook_hasOneRunAtATime(t *testing.T) {
	s := newAnsibleServer(t, "cluster.yml")
	lock, owner := filepath.Join(s.directory, "lock"), filepath.Join(s.directory, "owner")
	require.NoError(t, os.WriteFile(owner, []byte("op-1 since noon\n"), 0o600))
	other := exec.CommandContext(t.Context(), "bash", "-c", "exec 9>>\"$0\"; flock 9; exec sleep 60", lock)
	require.NoError(t, other.Start())
	require.Eventually(t, func() bool {
		return exec.CommandContext(t.Context(), "bash", "-c", "flock -n 9 9>>\"$0\"", lock).Run() != nil
	},
		10*time.Second, 10*time.Millisecond)
	for range 2 {
		said, code := s.run(t, "cluster", "touch $HOME/was-run")
		require.Equal(t, 75, code, said)
		require.Contains(t, said, "another run works with "+s.directory+": op-1 since noon")
	}
	require.NoFileExists(t, filepath.Join(s.home, "was-run"))
	require.NoError(t, other.Process.Kill())
	require.Error(t, other.Wait())
	said, code := s.run(t, "cluster", "touch $HOME/was-run")
	require.Zero(t, code, said)
	require.FileExists(t, filepath.Join(s.home, "was-run"))
	text, err := os.ReadFile(owner)
	require.NoError(t, err)
	require.Contains(t, string(text), "op-2 since ")
}

// TestScratch_isSweptUpWhenItsScriptIsDead checks that the scratch directory of a running script stays, even if the
// script runs long.
func TestScratch_isSweptUpWhenItsScriptIsDead(t *testing.T) {
	memory := t.TempDir()
	dead := exec.CommandContext(t.Context(), "sh", "-c", ":")
	require.NoError(t, dead.Run())
	left := filepath.Join(memory, fmt.Sprintf("windlass-scratch.%d.abcdef", dead.Process.Pid))
	used := filepath.Join(memory, fmt.Sprintf("windlass-scratch.%d.abcdef", os.Getpid()))
	for _, dir := range []string{left, used} {
		require.NoError(t, os.Mkdir(dir, 0o700))
		dayOld := time.Now().Add(-24 * time.Hour)
		require.NoError(t, os.Chtimes(dir, dayOld, dayOld))
	}
	code := library(t, memory, "lib-base")
	code = strings.NewReplacer("MEMORY=/dev/shm", "MEMORY="+memory, "MEMORY=/run", "MEMORY="+memory).Replace(code)
	said, status := shell(t, code+"\nls \"$MEMORY\"")
	require.Zero(t, status, said)
	assert.NoDirExists(t, left)
	assert.DirExists(t, used)
	assert.Len(t, strings.Fields(said), 2, "its own, too: %s", said)
	entries, err := os.ReadDir(memory)
	require.NoError(t, err)
	assert.Len(t, entries, 1, "its own is gone with it")
}
