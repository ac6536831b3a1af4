package environment

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// process is a binary of Windlass in its own session, so that it can continue after this program has ended.
type process struct {
	name string
	dir  string // holds NAME.pid and NAME.log

	told int64 // how much of the log echo has printed, or was there before the start
}

func (p *process) pidFile() string { return filepath.Join(p.dir, p.name+".pid") }

// logFile returns the file with everything that the process prints.
func (p *process) logFile() string { return filepath.Join(p.dir, p.name+".log") }

// start runs the binary. It records the pid and the start time, so that stop never ends another process with the same
// pid.
func (p *process) start(ctx context.Context, bin string, args ...string) error {
	if p.running() != 0 {
		if info, err := os.Stat(p.logFile()); err == nil {
			p.told = info.Size()
		}
		return nil
	}
	if err := os.MkdirAll(p.dir, 0o755); err != nil {
		return err
	}
	log, err := os.OpenFile(p.logFile(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	if p.told, err = log.Seek(0, io.SeekEnd); err != nil {
		return err
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), bin, args...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", p.name, err)
	}
	go func() { _ = cmd.Wait() }() // reaps the process while this program runs
	return os.WriteFile(p.pidFile(), fmt.Appendf(nil, "%d %s", cmd.Process.Pid, startTime(cmd.Process.Pid)), 0o600)
}

// running returns the pid while the process runs, otherwise 0.
func (p *process) running() int {
	b, err := os.ReadFile(p.pidFile())
	if err != nil {
		return 0
	}
	pid, started, _ := strings.Cut(string(b), " ")
	n, err := strconv.Atoi(pid)
	if err != nil || startTime(n) != started || started == "" {
		return 0
	}
	return n
}

// stop asks the process to end, and kills it when patience is over.
func (p *process) stop(patience time.Duration) error {
	pid := p.running()
	if pid == 0 {
		return nil
	}
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
		return err
	}
	end := time.Now().Add(patience)
	for p.running() != 0 && time.Now().Before(end) {
		time.Sleep(50 * time.Millisecond)
	}
	if pid := p.running(); pid != 0 {
		return syscall.Kill(pid, syscall.SIGKILL)
	}
	return os.Remove(p.pidFile())
}

// await calls ask until it returns no error, and prints the new log lines of the process to out meanwhile. It gives up
// when the process has ended or the limit is over.
func (p *process) await(ctx context.Context, limit time.Duration, out io.Writer, ask func() error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		err := ask()
		p.echo(out)
		if err == nil {
			return nil
		}
		if p.running() == 0 {
			return fmt.Errorf("%s has ended", p.name)
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// echo prints the log lines that came since the start or the last echo.
func (p *process) echo(out io.Writer) {
	log, err := os.Open(p.logFile())
	if err != nil || out == nil {
		return
	}
	defer log.Close()
	n, _ := io.Copy(out, io.NewSectionReader(log, p.told, math.MaxInt64-p.told)) // an error could be reported to nobody
	p.told += n
}

// tail returns the end of the log, for errors.
func (p *process) tail() string {
	b, err := os.ReadFile(p.logFile())
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	return strings.Join(lines[max(0, len(lines)-15):], "\n")
}

// startTime returns the 22nd field of /proc/PID/stat, which differs between a process and a later one with the same
// pid. It returns "" for a process that has ended or is a zombie.
func startTime(pid int) string {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	fields := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
	if len(fields) < 20 || fields[0] == "Z" {
		return ""
	}
	return fields[19]
}
