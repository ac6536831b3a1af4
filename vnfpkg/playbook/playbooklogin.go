package playbook

import (
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/vnfpkg/document"
)

// LogsIn tells whether a playbook may log in to a machine other than Ansible's own host. It does not if every play is
// local and neither the play nor its params in config.yaml change that. If the file alone cannot show that, e.g. with
// roles, LogsIn is true.
func LogsIn(file string, text []byte, params map[string]any) bool {
	root, err := document.Parse(file, text, document.Limits{}.WithDefaults())
	if err != nil || !root.IsList() {
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
	return slices.ContainsFunc(root.List(), func(play *document.Value) bool { return !isLocal(play, here) })
}

// localHosts are the host names for which Ansible does not log in by default.
var localHosts = []string{"localhost", "127.0.0.1", "::1"}

func isLocal(play *document.Value, here bool) bool {
	local := here || play.At("connection").Str() == "local" ||
		slices.Contains(localHosts, play.At("hosts").Str()) && !play.Has("connection")
	play.Walk(func(v *document.Value) {
		for name, item := range v.Members() {
			local = local && staysHere(name, item.Str())
			if name == "action" || name == "local_action" {
				local = local && staysHere(item.At("module").Str(), "")
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
