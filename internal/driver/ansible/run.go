package ansible

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/playbook"
)

// Told is the input of a run of a playbook.
type Told struct {
	Vdu playbook.Vdu
	// Play is the index of the playbook among those of the action.
	Action string
	Play   int
	// Address is the server's address. Addresses are those of all servers, by VDU. Several has the VDUs that may have
	// more than one server.
	Address   string
	Addresses map[string][]string
	Several   map[string]bool
	// Port is the servers' SSH port, 0 for 22.
	Port int
	// Variables have the values that replace _VAR_NAME. Login is the request's login, decrypted.
	Variables map[string]string
	Login     Login
	// Package are the values that the package itself gives. They may be templates of Ansible; values of a request and of
	// a VIM are only texts.
	Package map[string]string
}

// Login is how Ansible logs in to servers, with its secrets decrypted. Members are "" where nobody gives them.
type Login struct{ Username, Password, Key string }

// Run is one run of ansible-playbook.
type Run struct {
	// Playbook is its path in the package, or among Files. Files are playbooks beside the package's own.
	Playbook string
	Files    map[string][]byte
	// Inventory lists the hosts by their addresses, as Tacker's does. Hosts are those of them that are the VNF's servers,
	// or others.
	Inventory string
	// Given are the playbook's params in config.yaml, filled in.
	Given map[string]any
	// Variables are the extra variables as JSON, Given included. Secrets has their secrets, too.
	Variables []byte
	// Key is a private key, "" for none. Password is set when Ansible logs in with one.
	Key      string
	Password bool
	// Secrets are values that nobody may see.
	Secrets []string
}

// The variables that the script sets: the folder of the package, and the file of the private key.
const (
	packageVariable = "{{ windlass_package }}"
	keyVariable     = "{{ windlass_key }}"
)

// Make makes a run. If it cannot fill in some variables, it returns Invalid and names all of them.
func (t Told) Make() (Run, error) {
	f := filler{told: t, lacking: map[string]bool{}}
	play := t.Vdu.Plays[t.Action][t.Play]
	run := Run{Playbook: play.Path, Key: t.Login.Key, Given: map[string]any{}}
	vars := map[string]any{"host": t.Address}
	for vdu, list := range t.Addresses {
		if vars[vdu] = any(list); len(list) == 1 && !t.Several[vdu] {
			vars[vdu] = list[0]
		}
	}
	if t.Vdu.NodePair != "" {
		vars["node_pair_ip"] = strings.Join(t.Addresses[t.Vdu.NodePair], ",")
	}
	for name, value := range play.Params {
		run.Given[name] = f.fill(value)
	}
	maps.Copy(vars, run.Given)
	f.command(vars, play, &run)
	f.login(vars, &run)
	run.Inventory = f.inventory(play)
	if len(f.lacking) > 0 {
		return run, f.problems(play)
	}
	text, err := json.Marshal(vars)
	if err != nil {
		return run, lcm.Wrap(lcm.KindBug, err, "The variables of the playbook could not be written.")
	}
	run.Variables = text
	return run, nil
}

// filler replaces variables with their values.
type filler struct {
	told    Told
	lacking map[string]bool
}

// login adds how Ansible logs in: as the request says, else as config.yaml says.
func (f filler) login(vars map[string]any, run *Run) {
	user, password, key := f.told.Login.Username, f.told.Login.Password, ""
	if run.Key != "" {
		key = keyVariable
	}
	if user == "" {
		user, password = f.text(f.told.Vdu.Username), f.text(f.told.Vdu.Password)
		if key = f.text(f.told.Vdu.KeyFile); key != "" && !strings.HasPrefix(key, packageVariable+"/") ||
			key != "" && hasTemplate(key[len(packageVariable):]) {
			f.lacking[`the private key "`+key+`", which is not in the package: give ansible.servers.`+f.told.Vdu.Vdu+`.private_key`] = true
		}
	}
	if user != "" {
		vars["ansible_ssh_user"] = f.userOf(user)
	} else if run.Files != nil {
		f.lacking["a user for SSH: give ansible.servers."+f.told.Vdu.Vdu] = true
	}
	if password != "" {
		vars["ansible_ssh_pass"] = unsafe(password)
		if _, says := vars["ansible_become_pass"]; !says { // for sudo
			vars["ansible_become_pass"] = unsafe(password)
		}
		run.Secrets, run.Password = append(run.Secrets, password), true
	}
	if key != "" {
		vars["ansible_ssh_private_key_file"] = key
	}
}

// userOf is the user's name of the request, which is only a text, or that of config.yaml.
func (f filler) userOf(name string) any {
	switch {
	case f.told.Login.Username == "":
		return f.fillText(f.told.Vdu.Username)
	case hasTemplate(name):
		return unsafe(name)
	}
	return name
}

// inventory has the server, or the hosts that config.yaml names instead: VDUs and addresses.
func (f filler) inventory(play playbook.Play) string {
	hosts := []string{f.told.Address}
	if len(play.Targets) > 0 {
		hosts = nil
	}
	for _, target := range play.Targets {
		if of, is := f.told.Addresses[target]; is {
			hosts = append(hosts, of...)
			continue
		}
		hosts = slices.AppendSeq(hosts, strings.FieldsSeq(f.text(target)))
	}
	var b strings.Builder
	for _, host := range slices.Compact(hosts) {
		if !hostPattern.MatchString(host) { // it would be read as a setting or as a template
			f.lacking[fmt.Sprintf("the address of a host in place of %.80q", host)] = true
		}
		b.WriteString(host)
		if f.told.Port != 0 {
			fmt.Fprintf(&b, " ansible_port=%d", f.told.Port)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// fill fills in the texts of a value.
func (f filler) fill(value any) any {
	switch v := value.(type) {
	case string:
		return f.fillText(v)
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = f.fill(item)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, item := range v {
			out[name] = f.fill(item)
		}
		return out
	}
	return value
}

// variablePattern is how config.yaml writes a variable.
var variablePattern = regexp.MustCompile(`_VAR_[a-zA-Z0-9_]+(\.[a-zA-Z0-9_<>-]+)*`)

func (f filler) text(text string) string {
	return variablePattern.ReplaceAllStringFunc(text, func(found string) string {
		value, ok := f.value(strings.TrimPrefix(found, "_VAR_"))
		if !ok {
			f.lacking[found] = true
		}
		return value
	})
}

// fillText fills in a text. A text of the package may be a template of Ansible; what strangers give must not become one,
// or a part of one.
func (f filler) fillText(text string) any {
	full := f.text(text)
	if !hasTemplate(full) {
		return full
	}
	odd := ""
	own := variablePattern.ReplaceAllStringFunc(text, func(found string) string {
		name := strings.TrimPrefix(found, "_VAR_")
		value, _ := f.value(name)
		given, is := f.told.Variables[name]
		if !is || given != value || f.told.Package[name] == value { // the package's, or Windlass's own
			return value
		}
		if !harmless.MatchString(value) {
			odd = found
		}
		return "x"
	})
	switch {
	case !hasTemplate(own):
		return unsafe(full)
	case odd != "":
		f.lacking[fmt.Sprintf("another value of %s: its characters have a meaning in the template %.80q", odd, text)] = true
	}
	return full
}

// harmless matches texts that are only texts in each place of a template.
var harmless = regexp.MustCompile(`^[\w.:/@ ,+=-]*$`)

// hostPattern matches addresses and names of hosts.
var hostPattern = regexp.MustCompile(`^[a-zA-Z0-9]([a-zA-Z0-9._:-]*[a-zA-Z0-9])?$`)

// unsafe marks a text that Ansible must not take for a template.
func unsafe(text string) map[string]string { return map[string]string{"__ansible_unsafe": text} }

func hasTemplate(text string) bool { return marks(text) > 0 }

// marks counts the beginnings of templates.
func marks(text string) int {
	return strings.Count(text, "{{") + strings.Count(text, "{%") + strings.Count(text, "{#")
}

// value is the value of a variable. Tacker's driver knows some from the VNF; the request or config.yaml gives the
// others.
func (f filler) value(name string) (string, bool) {
	switch name {
	case "vnf_package_path":
		return packageVariable, true
	case "VDU_INSTANCE_IP":
		return f.told.Address, true
	case "VDU_INSTANCE_NAME", "vnf.vduname":
		return f.told.Vdu.Vdu, true
	case "vnf.failed_vdu_name":
		return f.failed(f.told.Vdu.Vdu), true
	case "vnf.failed_vdu_instance_ip":
		return f.failed(f.told.Address), true
	case "vnf.mgmt_ip_address":
		text, err := json.Marshal(f.told.Addresses)
		return string(text), err == nil
	}
	value, ok := f.told.Variables[name]
	return value, ok
}

func (f filler) failed(what string) string {
	if f.told.Action == "healing" {
		return what
	}
	return ""
}

func (f filler) problems(play playbook.Play) error {
	what := play.String()
	if play.Command == "" {
		what = "the playbook " + what
	}
	return lcm.Errorf(lcm.KindInvalid, "%s for %s lacks %s. Give the missing values in "+
		"additionalParams.ansible.variables or .secrets of the request, by their names without _VAR_.",
		strings.ToUpper(what[:1])+what[1:], f.told.Vdu.Vdu, strings.Join(slices.Sorted(maps.Keys(f.lacking)), ", "))
}

// Variables returns the values that replace _VAR_NAME. A later source takes precedence: config.yaml, then the top of
// the request's additionalParams, then this driver's parameters. open decrypts sealed values. hidden are the decrypted
// values, which nobody may see.
func (a *Ansible) Variables(
	of *playbook.Config, open func(lcm.Secret) (string, error),
) (out map[string]string, hidden []string, err error) {
	out = maps.Clone(of.Variables)
	for _, m := range []map[string]lcm.Secret{a.Given, texts(a.Params.Variables), a.Params.Secrets} {
		for name, secret := range m {
			if out[name], err = open(secret); err != nil {
				return nil, nil, err
			}
			if _, is := a.Params.Secrets[name]; is || secret.Ref != "" {
				hidden = append(hidden, out[name])
			}
		}
	}
	return out, hidden, nil
}

func texts(m map[string]string) map[string]lcm.Secret {
	out := map[string]lcm.Secret{}
	for name, value := range m {
		out[name] = lcm.Secret{Clear: value}
	}
	return out
}

// Wanted tells whether a run gets a file of the package: playbooks do not use images of VMs.
func Wanted(name string, size int64) bool {
	const largest = 4 << 20
	return size <= largest && fs.ValidPath(name) && !strings.HasPrefix(name, "Files/images/")
}
