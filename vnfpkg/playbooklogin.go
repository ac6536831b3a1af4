package vnfpkg

import (
	"slices"
	"strings"
)

// LogsIn tells whether a playbook may log in to a machine other than Ansible's own host. It does not if every play is
// local and neither the play nor its params in config.yaml change that. If the file alone cannot show that, e.g. with
// roles, LogsIn is true.
func LogsIn(file string, text []byte, params map[string]any) bool {
	root, err := parseYAML(file, text, yamlLimits{}.withDefaults())
	if err != nil || !root.isList() {
		return true
	}
	here := false // params override plays
	for name, given := range params {
		word, _ := given.(string)
		if !staysHere(name, word) {
			return true
		}
		here = here || name == "ansible_connection"
	}
	return slices.ContainsFunc(root.list(), func(play *value) bool { return !isLocal(play, here) })
}

// localHosts are the host names for which Ansible does not log in by default.
var localHosts = []string{"localhost", "127.0.0.1", "::1"}

func isLocal(play *value, here bool) bool {
	local := here || play.at("connection").str() == "local" ||
		slices.Contains(localHosts, play.at("hosts").str()) && !play.has("connection")
	play.walk(func(v *value) {
		for name, item := range v.members() {
			local = local && staysHere(name, item.str())
			if name == "action" || name == "local_action" {
				local = local && staysHere(item.at("module").str(), "")
			}
		}
	})
	return local
}

// staysHere tells whether a member of a play, or of its tasks, refers to no other machine and to no other file. text is
// the member's value, if that is a text.
func staysHere(name, text string) bool {
	name = name[strings.LastIndexByte(name, '.')+1:] // of ansible.builtin.NAME
	switch name {
	case "connection", "ansible_connection":
		return text == "local"
	case "delegate_to", "ansible_host", "ansible_ssh_host", "roles", "vars_files", "synchronize":
		return false
	case "action", "local_action": // a module and its arguments in one text
		module, arguments, _ := strings.Cut(text, " ")
		return staysHere(module, arguments)
	}
	for word := range strings.FieldsSeq(text) {
		if argument, value, is := strings.Cut(word, "="); is && strings.HasPrefix(argument, "ansible_") && !staysHere(argument, value) {
			return false
		}
	}
	return !strings.HasPrefix(name, "include_") && !strings.HasPrefix(name, "import_")
}
