package vnfpkg

import (
	"slices"
	"strings"
)

// LogsIn tells whether a playbook may log in to another machine than that on which Ansible runs. It does not if every play
// is local and nothing in it says otherwise. Where that cannot be told from the file alone, such as with roles, it may.
func LogsIn(file string, text []byte) bool {
	root, err := parseYAML(file, text, Limits{}.withDefaults())
	if err != nil || !root.isList() {
		return true
	}
	return slices.ContainsFunc(root.list(), func(play *value) bool { return !isLocal(play) })
}

// localHosts are the names for which Ansible logs in nowhere, unless it is told to.
var localHosts = []string{"localhost", "127.0.0.1", "::1"}

func isLocal(play *value) bool {
	here := play.at("connection").str() == "local"
	local := here || slices.Contains(localHosts, play.at("hosts").str()) && !play.has("connection")
	play.walk(func(v *value) {
		for name, item := range v.members() {
			local = local && staysHere(strings.TrimPrefix(name, "ansible.builtin."), item)
		}
	})
	return local
}

// staysHere tells whether a member of a play, or of what is in it, sends it to no other machine and to no other file.
func staysHere(name string, item *value) bool {
	switch name {
	case "connection", "ansible_connection":
		return item.str() == "local"
	case "delegate_to", "ansible_host", "ansible_ssh_host", "roles", "vars_files":
		return false
	}
	return !strings.HasPrefix(name, "include_") && !strings.HasPrefix(name, "import_")
}
