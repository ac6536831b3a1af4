package fake

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Play is one run of a playbook on an Ansible server.
type Play struct {
	MachineID string   `json:"machineId"`
	Directory string   `json:"directory"`
	Playbook  string   `json:"playbook"`
	Limit     []string `json:"limit,omitempty"`
	Variables []string `json:"variables,omitempty"`
	Hosts     []string `json:"hosts"` // of the inventory
	// State is running, done, failed or interrupted.
	State string `json:"state"`
}

// Plays returns the runs of playbooks so far, in order. A restarted lab begins with an empty list.
func (h *Hypervisor) Plays() []Play {
	w := h.locked()
	defer w.mu.Unlock()
	all := []Play{}
	for _, play := range w.plays {
		all = append(all, *play)
	}
	return all
}

// hasAnsible reports whether the image or the name mentions Ansible, as on real machines.
func (m *Machine) hasAnsible() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	names := strings.ToLower(m.def.Image + " " + m.def.Name)
	return strings.Contains(names, "ansible") || strings.Contains(names, "offline")
}

func (p ScriptParams) lacksAnsible(m *Machine) *Result {
	if m.hasAnsible() {
		return nil
	}
	r := p.Fail(78, "the user debian of the Ansible server has no ansible-playbook; install Ansible there, then retry")
	return &r
}

func (h *Hypervisor) checkAnsible(ctx context.Context, m *Machine, p ScriptParams) Result {
	if failed := p.lacksAnsible(m); failed != nil {
		return *failed
	}
	if !p.Work(ctx) {
		return interrupted
	}
	p.Print("ansible-playbook [core 2.14.18], kubespray 2.23.0 in %s", p.Get("ROOT"))
	p.Result("ansible", "ansible-playbook [core 2.14.18]")
	p.Result("kubespray", "2.23.0")
	return Result{}
}

func (h *Hypervisor) removeInventory(_ context.Context, m *Machine, p ScriptParams) Result {
	if play := h.state().playIn(m, p.Get("DIRECTORY")); play != nil {
		return p.Fail(75, "a run works with %s: %s.yml", p.Get("DIRECTORY"), play.Playbook)
	}
	m.files.remove(p.Get("DIRECTORY"))
	return Result{}
}

// playIn returns the run that uses the directory, nil for none. The directory's lock ends when the machine loses power.
func (w *world) playIn(m *Machine, directory string) *Play {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, play := range w.plays {
		if play.State == "running" && play.MachineID == m.id && play.Directory == directory {
			return play
		}
	}
	return nil
}

func (h *Hypervisor) runPlaybook(ctx context.Context, m *Machine, p ScriptParams) Result {
	if failed := p.lacksAnsible(m); failed != nil {
		return *failed
	}
	if failed := p.lacks("secrets"); failed != nil {
		return *failed
	}
	directory, w := p.Get("DIRECTORY"), h.state()
	if other := w.playIn(m, directory); other != nil {
		return p.Fail(75, "another run works with %s: %s.yml", directory, other.Playbook)
	}
	text, _ := m.ReadFile(path.Join(directory, "hosts.ini"))
	run := &playRun{
		d: h, p: p, on: m, inventory: parseInventory(string(text)),
		record: &Play{
			MachineID: m.id, Directory: directory, Playbook: p.Get("PLAYBOOK"), Limit: fieldsOf(p.Get("LIMIT"), ","),
			Variables: strings.Fields(p.Get("VARIABLES")), State: "running",
		},
	}
	for _, host := range run.inventory.hosts {
		run.record.Hosts = append(run.record.Hosts, host.name)
	}
	w.mu.Lock()
	w.plays = append(w.plays, run.record)
	w.mu.Unlock()
	result, state := run.play(ctx), "done"
	switch {
	case ctx.Err() != nil:
		state = "interrupted"
	case result.ExitCode != 0:
		state = "failed"
	}
	w.mu.Lock()
	run.record.State = state
	w.mu.Unlock()
	return result
}

func fieldsOf(text, separator string) []string {
	return slices.DeleteFunc(strings.Split(text, separator), func(field string) bool { return field == "" })
}

// playRun is a playbook that runs.
type playRun struct {
	d         *Hypervisor
	p         ScriptParams
	on        *Machine
	inventory inventory
	record    *Play
	task      string
	machines  map[string]*Machine // the machines that it has logged in to, by host
}

var instanceID = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// cluster returns the id of the cluster: the id of the VNF instance at the end of the directory's name. Scripts on
// nodes know the cluster by the same id.
func (r *playRun) cluster() string {
	name := path.Base(r.record.Directory)
	if id := instanceID.FindString(name); id != "" {
		return id
	}
	return name
}

// variable returns a variable of the run, "" when it is not set.
func (r *playRun) variable(name string) string {
	for _, variable := range r.record.Variables {
		if value, ok := strings.CutPrefix(variable, name+"="); ok {
			return value
		}
	}
	return ""
}

func (r *playRun) begin(task string) {
	r.task = task
	r.p.Print("TASK [%s]", task)
}

// failed ends the run with the output of the callback plugin and the script.
func (r *playRun) failed(host, word, message string) Result {
	r.p.Print("%s: %s: %s", host, word, message)
	text, err := json.Marshal(map[string]any{
		"host": host, "task": r.task, "play": r.record.Playbook, "message": message, "unreachable": word == "UNREACHABLE",
	})
	if err == nil {
		r.p.Result("failed", base64.StdEncoding.EncodeToString(text))
	}
	return r.p.Fail(1, "%s.yml failed: %s: %s: %s (TASK [%s])", r.record.Playbook, host, word, message, r.task)
}

// plainText is a text that Ansible does not read as a template.
type plainText struct {
	Text string `json:"__ansible_unsafe"`
}

// passwords are those of the run, by host.
func (r *playRun) passwords() map[string]plainText {
	var secrets struct {
		Passwords map[string]plainText `json:"windlass_passwords"`
	}
	_ = json.Unmarshal([]byte(r.p.Input("secrets")), &secrets) // without valid JSON there are no passwords
	return secrets.Passwords
}

// logIn logs in to all these hosts with the run's credentials.
func (r *playRun) logIn(hosts []inventoryHost) *Result {
	passwords := r.passwords()
	known, _ := r.on.ReadFile(path.Join(r.record.Directory, "known_hosts"))
	r.machines = map[string]*Machine{}
	r.begin("Gather minimal facts")
	for _, host := range hosts {
		m, why := r.d.login(host, passwords[host.name].Text, r.p.Input("key."+host.name), string(known))
		if m == nil {
			failed := r.failed(host.name, "UNREACHABLE", why)
			return &failed
		}
		r.machines[host.name] = m
		r.p.Print("%s: ok", host.name)
	}
	return nil
}
