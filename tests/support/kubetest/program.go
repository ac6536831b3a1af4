package kubetest

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// program is a program that runs until end kills it.
type program struct {
	name string
	cmd  *exec.Cmd
	log  *os.File
}

// run starts a program with a log file of its name.
func (p *ControlPlane) run(path string, args ...string) (*program, error) {
	name := filepath.Base(path)
	log, err := os.OpenFile(filepath.Join(p.dir, name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(path, args...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		_ = log.Close()
		return nil, err
	}
	running := &program{name: name, cmd: cmd, log: log}
	p.programs = append(p.programs, running)
	return running, nil
}

// end kills the program, unless it has ended already.
func (p *program) end() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
	_ = p.log.Close()
}

// showLogs shows the end of each program's log.
func (p *ControlPlane) showLogs(t testing.TB) {
	t.Helper()
	shown := map[string]bool{}
	for _, of := range p.programs {
		text, err := os.ReadFile(of.log.Name())
		if err == nil && !shown[of.name] {
			t.Logf("%s: %s", of.name, text[max(0, len(text)-2000):])
		}
		shown[of.name] = true
	}
}
