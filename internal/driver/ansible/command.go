package ansible

import (
	"encoding/json"
	"strings"

	"github.com/windlass-nfv/windlass/vnfpkg/playbook"
)

// The playbook that runs a command, and the variable with the command. Text in the command that looks like a template
// is not one.
const (
	commandPlaybook = "windlass-command.yaml"
	commandVariable = "windlass_command"
)

// command adds the playbook of a command. Ansible then runs the command with the same rules for progress, crashes and
// secrets. Its module raw needs no Python on the server.
func (f filler) command(vars map[string]any, play playbook.Play, run *Run) {
	if play.Command == "" {
		return
	}
	vars[commandVariable] = map[string]string{"__ansible_unsafe": f.text(play.Command)}
	run.Playbook = commandPlaybook
	run.Files = map[string][]byte{commandPlaybook: playbookOf(play.Command)}
}

// playbookOf writes a playbook in JSON, which is also YAML. Its task has the command's name of config.yaml, without
// secrets filled in.
func playbookOf(command string) []byte {
	type object = map[string]any
	name := strings.NewReplacer("{{", "{ {", "{%", "{ %", "{#", "{ #").Replace(command)
	text, _ := json.Marshal([]object{{
		"name": "A command of the package", "hosts": "all", "gather_facts": false, "tasks": []object{
			{"name": name, "ansible.builtin.raw": "{{ " + commandVariable + " }}", "register": "windlass_said"},
			{
				"name": "Its output", "ansible.builtin.debug": object{"msg": "{{ windlass_said.stdout_lines }}"},
				"when": "windlass_said.stdout_lines | length > 0",
			},
		},
	}}) //nolint:errchkjson // of texts, it cannot fail
	return text
}
