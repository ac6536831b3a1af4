package scripts

import (
	_ "embed" // the plugin
	"encoding/json"
	"slices"
	"strings"
)

// AnsibleCallback is an Ansible plugin that prints Ansible's progress in plain lines (see RunPlaybook).
//
//go:embed ansible/windlass.py
var AnsibleCallback []byte

// Inventory lists the nodes of a cluster for kubespray, in the INI form of kubespray 2.16, with the current group names
// beside the former ones. It holds no password: each host refers to a variable that exists for one run. The name of an
// etcd member is its host's name, so it stays when other members leave.
type Inventory struct {
	Hosts []InventoryHost
	// Recovers adds the groups of recover-control-plane.yml. Broken are the lost control planes in them.
	Recovers bool
	Broken   []InventoryHost
}

// InventoryHost is one node.
type InventoryHost struct {
	Name string
	// SSHAddress is the address at which the Ansible server reaches the node, and Port its SSH port, 0 for 22. Address is
	// the node's own.
	SSHAddress string
	Port       int
	Address    string
	User       string
	// Password and Key tell which of the two the node has.
	Password, Key bool
	ControlPlane  bool
}

// ControlPlanes are the hosts that are control planes, and members of etcd.
func (i Inventory) ControlPlanes() []InventoryHost {
	return slices.DeleteFunc(slices.Clone(i.Hosts), func(h InventoryHost) bool { return !h.ControlPlane })
}

// Workers are the hosts that are no control planes.
func (i Inventory) Workers() []InventoryHost {
	return slices.DeleteFunc(slices.Clone(i.Hosts), func(h InventoryHost) bool { return h.ControlPlane })
}

// Render makes hosts.ini.
func (i Inventory) Render() (string, error) { return config("hosts.ini", i) }

// The names of the variables with the nodes' passwords and key files, by host.
const (
	ansiblePasswords = "windlass_passwords"
	ansibleKeys      = "windlass_keys"
)

// AnsibleSecrets are the secret variables of one run. Keys are private keys, by host: the script puts each into a file
// of its own.
type AnsibleSecrets struct {
	Passwords, Keys map[string]string
	Variables       map[string]string
}

// Stdin is the input of RunPlaybook.
func (s AnsibleSecrets) Stdin() ([]byte, error) {
	passwords := map[string]any{}
	for host, password := range s.Passwords {
		passwords[host] = plain(password)
	}
	variables := map[string]any{ansiblePasswords: passwords}
	for name, value := range s.Variables {
		variables[name] = plain(value)
	}
	text, err := json.Marshal(variables)
	if err != nil {
		return nil, err
	}
	inputs := []Input{{Name: "secrets", Value: string(text)}}
	for _, host := range sortedKeys(s.Keys) {
		inputs = append(inputs, Input{Name: "key." + host, Value: strings.TrimRight(s.Keys[host], "\n") + "\n"})
	}
	return Stdin(inputs...), nil
}

// plain marks a text that Ansible must not read as a template: "{{" in a password would run what follows.
func plain(text string) map[string]string { return map[string]string{"__ansible_unsafe": text} }

func sortedKeys(m map[string]string) (out []string) {
	for key := range m {
		out = append(out, key)
	}
	slices.Sort(out)
	return out
}

// CheckAnsible checks the Ansible server: whether Ansible and kubespray are there, and whether the directory is
// writable. Results: "ansible" and "kubespray", versions.
type CheckAnsible struct {
	Root, Directory string
	Passwords       bool // Ansible logs in to nodes with passwords
	Playbooks       []string
	// Recover is the playbook that replaces control planes, "" when none is replaced.
	Recover string
}

// Name implements Script.
func (CheckAnsible) Name() string { return "check-ansible" }

// Render implements Script.
func (s CheckAnsible) Render() (string, error) {
	return render(s.Name(), []param{
		required("ROOT", s.Root), required("DIRECTORY", s.Directory), flag("PASSWORDS", s.Passwords),
		required("PLAYBOOKS", strings.Join(s.Playbooks, " ")), optional("RECOVER", s.Recover),
	}, ansibleLibrary)
}

// RunPlaybook runs one kubespray playbook on the inventory in the directory. Its input is from AnsibleSecrets. A lock
// allows one run at a time in a directory; a dead run does not hold the lock.
type RunPlaybook struct {
	Root, Directory string
	Playbook        string   // its name without .yml, with dashes
	Limit           []string // hosts; none for all
	// Variables are "name=value" for this run.
	Variables []string
	// Owner is the user of the directory, as the lock names it.
	Owner string
}

// Name implements Script.
func (RunPlaybook) Name() string { return "run-playbook" }

// Render implements Script.
func (s RunPlaybook) Render() (string, error) {
	return render(s.Name(), []param{
		required("ROOT", s.Root), required("DIRECTORY", s.Directory), required("PLAYBOOK", s.Playbook),
		optional("LIMIT", strings.Join(s.Limit, ",")), optional("VARIABLES", strings.Join(s.Variables, " ")),
		required("OWNER", s.Owner),
	}, ansibleLibrary, playLibrary)
}

// RemoveInventory removes the directory of one cluster.
type RemoveInventory struct{ Directory string }

// Name implements Script.
func (RemoveInventory) Name() string { return "remove-inventory" }

// Render implements Script.
func (s RemoveInventory) Render() (string, error) {
	return render(s.Name(), []param{required("DIRECTORY", s.Directory)}, ansibleLibrary)
}

// ansibleLibrary is the library that all scripts on an Ansible server share.
const ansibleLibrary = "lib-ansible"
