package dev

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
)

// Info is dev.json in the state directory: the addresses of all parts while `windlass dev` runs. Tests and the demo
// read it. It holds the database's password, so only its owner may read it.
type Info struct {
	PID         int    `json:"pid"`
	API         string `json:"api"`         // URL
	Temporal    string `json:"temporal"`    // host:port of the gRPC frontend
	TemporalUI  string `json:"temporalUi"`  // URL
	Namespace   string `json:"namespace"`   // in Temporal
	DatabaseURL string `json:"databaseUrl"` // of Windlass's own database
	KeyFile     string `json:"keyFile"`
	Logs        string `json:"logs"` // directory
	// Processes are the pids by name: postgres, temporal, apiserver, worker. A process is missing while it is started
	// again.
	Processes map[string]int `json:"processes"`
}

// InfoFile is the dev.json of a state directory; "" means the default one.
func InfoFile(stateDir string) string {
	if stateDir == "" {
		stateDir = DefaultStateDir()
	}
	return filepath.Join(stateDir, "dev.json")
}

// ReadInfo reads a dev.json.
func ReadInfo(stateDir string) (Info, error) {
	var info Info
	b, err := os.ReadFile(InfoFile(stateDir))
	if err != nil {
		return info, invalid(err, "windlass dev does not run in %s.", filepath.Dir(InfoFile(stateDir)))
	}
	if err := json.Unmarshal(b, &info); err != nil {
		return info, invalid(err, "%s is not what windlass dev writes.", InfoFile(stateDir))
	}
	return info, nil
}

func (t *tree) infoFile() string { return InfoFile(t.opts.StateDir) }

// envFile holds the environment of the servers in a form that shells read.
func (t *tree) envFile() string { return filepath.Join(t.opts.StateDir, "dev.env") }

// writeInfo brings dev.json up to date; it is called whenever a process has begun or ended.
func (t *tree) writeInfo() {
	t.mu.Lock()
	defer t.mu.Unlock()
	info := Info{
		PID: os.Getpid(), API: t.opts.Endpoint, Temporal: t.opts.Temporal, TemporalUI: "http://" + t.opts.UI,
		Namespace: namespace, DatabaseURL: t.databaseURL, KeyFile: t.keyFile(),
		Logs: filepath.Join(t.opts.StateDir, "logs"), Processes: map[string]int{},
	}
	if t.database != nil {
		if pid := t.database.pid(); pid != 0 {
			info.Processes["postgres"] = pid
		}
	}
	for _, c := range t.children {
		if pid := c.pid.Load(); pid != 0 {
			info.Processes[c.spec.name] = int(pid)
		}
	}
	b, err := json.MarshalIndent(info, "", "  ")
	if err == nil {
		err = replaceFile(t.infoFile(), append(b, '\n'))
	}
	if err != nil {
		t.say("%s cannot be written: %v", t.infoFile(), err)
	}
}

// writeEnv writes the environment for servers that are started by hand.
func (t *tree) writeEnv() error {
	var b strings.Builder
	for _, line := range t.serverSettings() {
		name, value, _ := strings.Cut(line, "=")
		b.WriteString(name + "='" + strings.ReplaceAll(value, "'", `'\''`) + "'\n")
	}
	if err := replaceFile(t.envFile(), []byte(b.String())); err != nil {
		return invalid(err, "%s cannot be written.", t.envFile())
	}
	return nil
}

// replaceFile writes beside the file and renames: readers see the old or the new file, never a part.
func replaceFile(name string, content []byte) error {
	tmp := name + ".new"
	if err := os.WriteFile(tmp, content, 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, name)
}

// tail is the last lines of a log.
func tail(file string) string {
	b, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	return "  " + strings.Join(lines[max(0, len(lines)-8):], "\n  ")
}
