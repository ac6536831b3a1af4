// Package playbook reads which playbooks of a VNF package Ansible runs, and on which servers.
package playbook

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/vnfpkg/document"
)

// File is the default file that lists the playbooks for Tacker's Ansible driver; a hook may name another file.
const File = "ScriptANSIBLE/config.yaml"

// Config is a config.yaml for Tacker's Ansible driver.
type Config struct {
	// Variables are its configurable_properties, by their names without _VAR_.
	Variables map[string]string
	// Vdus are in the order of their playbooks' runs.
	Vdus []Vdu
}

// Vdu lists the playbooks or commands for each server of a VDU, and how Ansible logs in there. The texts may
// have variables.
type Vdu struct {
	Vdu                         string
	Order                       int
	Username, Password, KeyFile string
	// NodePair is a VDU; playbooks get its address as node_pair_ip.
	NodePair string
	// Plays are by action, each list in order.
	Plays map[string][]Play
}

// Play is one playbook, or one command.
type Play struct {
	// Path is the playbook's path in the package, "" for a command.
	Path string
	// Command runs in the server's shell, "" for a playbook.
	Command string
	Order   int
	Params  map[string]any
	// Targets are VDUs or addresses for the inventory; they replace the server.
	Targets []string
}

// String names the play in a sentence and in a list, as config.yaml writes it.
func (p Play) String() string {
	if p.Command != "" {
		return "the command " + document.Quote(p.Command)
	}
	return p.Path
}

// playActions are the names in config.yaml of the hooks at which Tacker's Ansible driver runs something.
var playActions = map[string]string{
	"instantiate_end": "instantiation", "terminate_start": "termination", "scale_start": "scale-in",
	"scale_end": "scale-out", "heal_end": "healing",
}

// Action is the name of a hook in config.yaml, "" for a hook without plays.
func Action(hook string) string { return playActions[hook] }

// remoteCommand is the type of a VDU that has commands instead of playbooks.
const remoteCommand = "remote-command"

// packagePath is the variable for the folder of the package.
const packagePath = "_VAR_vnf_package_path"

// Read reads a config.yaml. The error lists every problem in it, with file and line.
func Read(file string, text []byte) (*Config, error) {
	rep := &document.Report{}
	root, err := document.Parse(file, text, document.Limits{}.WithDefaults())
	if err != nil {
		rep.Unreadable(file, err)
		return nil, rep.Err("the file with the package's playbooks cannot be used")
	}
	p := Parse(rep, root)
	return p, rep.Err("the file with the package's playbooks cannot be used")
}

// Parse reads the content of a config.yaml, and reports all mistakes.
func Parse(rep *document.Report, root *document.Value) *Config {
	p := &Config{Variables: map[string]string{}}
	for name, item := range root.At("configurable_properties").Members() {
		short, ok := strings.CutPrefix(name, "_VAR_")
		switch {
		case !ok:
			rep.Problem(item.Place(), "the name of the property %s does not begin with _VAR_", document.Quote(name))
		case item.IsMap() || item.IsList():
			rep.Problem(item.Place(), "the property %s is no text", document.Quote(name))
		default:
			p.Variables[short] = item.Str()
		}
	}
	if !root.At("vdus").IsMap() {
		rep.Problem(root.Place(), "has no vdus: they say which playbooks run for which VDU")
	}
	for vdu, item := range root.At("vdus").Members() {
		p.Vdus = append(p.Vdus, readVduPlaybooks(rep, vdu, item.At("config")))
	}
	slices.SortStableFunc(p.Vdus, func(a, b Vdu) int {
		return cmp.Or(cmp.Compare(a.Order, b.Order), strings.Compare(a.Vdu, b.Vdu))
	})
	return p
}

func readVduPlaybooks(rep *document.Report, vdu string, config *document.Value) Vdu {
	of := config.At("vm_app_config")
	v := Vdu{
		Vdu: vdu, Order: orderOf(rep, config, "the VDU "+document.Quote(vdu)), Username: of.At("username").Str(),
		Password: of.At("password").Str(), KeyFile: of.At("priv_key_file").Str(), NodePair: of.At("node_pair").Str(),
		Plays: map[string][]Play{},
	}
	kind := of.At("type").Str()
	if !slices.Contains([]string{"", "ansible", remoteCommand}, kind) {
		rep.Problem(of.At("type").Place(), "is of the type %s; Windlass knows ansible and %s",
			document.Quote(kind), remoteCommand)
	}
	read := readPlay
	if kind == remoteCommand {
		read = readCommand
	}
	warnOfNoEffect(rep, of)
	for _, action := range playActions {
		for _, item := range of.At(action).List() {
			warnOfNoEffect(rep, item)
			if play, ok := read(rep, item); ok {
				v.Plays[action] = append(v.Plays[action], play)
			}
		}
		slices.SortStableFunc(v.Plays[action], func(a, b Play) int { return cmp.Compare(a.Order, b.Order) })
	}
	return v
}

// noEffect are members of config.yaml that Tacker's schema allows and Windlass ignores, and what to use instead.
var noEffect = []struct{ name, instead string }{
	{"execute-host", "Windlass runs playbooks from the Ansible server of the request (ansible.server), or on the " +
		"worker's host"},
	{"ansible_version", "Windlass uses the installed version of Ansible"},
	{"retry_count", "only a retry of the operation repeats failed playbooks and commands"},
	{"retry_interval", "only a retry of the operation repeats failed playbooks and commands"},
	{"connection_wait_timeout", "the request says how long (ansible.timeouts.ssh)"},
	{"command_execution_wait_timeout", "the request says how long (ansible.timeouts.run)"},
}

// warnOfNoEffect warns an author who may rely on such a member.
func warnOfNoEffect(rep *document.Report, of *document.Value) {
	for _, member := range noEffect {
		if of.Has(member.name) {
			rep.Warn(of.At(member.name).Place(), "%s has no effect: %s", member.name, member.instead)
		}
	}
}

// orderOf is the position in an order, which Tacker requires everywhere.
func orderOf(rep *document.Report, of *document.Value, what string) int {
	order, ok := of.At("order").Number()
	if !ok {
		rep.Problem(cmp.Or(of.At("order").Place(), of.Place()), "%s has no order: give a whole number", what)
	}
	return order
}

func readPlay(rep *document.Report, item *document.Value) (p Play, ok bool) {
	if item.Has("command") {
		rep.Problem(item.At("command").Place(), "is a command; its VDU needs the type %s, and a playbook needs a path",
			remoteCommand)
		return p, false
	}
	named := item.At("path").Str()
	p = Play{
		Path: path.Clean(
			strings.TrimPrefix(strings.TrimPrefix(named, packagePath), "/"),
		), Targets: item.At("target_hosts").Words(),
		Order: orderOf(rep, item, "the playbook "+document.Quote(named)),
	}
	if named == "" || p.Path == "." || !fs.ValidPath(p.Path) {
		rep.Problem(cmp.Or(item.At("path").Place(), item.Place()), "%s is not the path of a playbook in the package, "+
			"such as %s/Scripts/playbook.yaml", document.Quote(named), packagePath)
		return p, false
	}
	if given := item.At("params"); given.IsMap() {
		p.Params, _ = given.Plain().(map[string]any)
	}
	return p, true
}

// readCommand reads one command. In Tacker's schema, path and command exclude each other.
func readCommand(rep *document.Report, item *document.Value) (p Play, ok bool) {
	p = Play{Command: strings.TrimSpace(item.At("command").Str()), Targets: item.At("target_hosts").Words()}
	if p.Command == "" || item.Has("path") {
		rep.Problem(cmp.Or(item.At("path").Place(), item.Place()), "is not a command: a VDU of the type %s needs one "+
			"(command: TEXT)", remoteCommand)
		return p, false
	}
	p.Order = orderOf(rep, item, p.String())
	return p, true
}
