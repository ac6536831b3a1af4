package vnfpkg

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// PlaybooksFile is the default file that lists the playbooks for Tacker's Ansible driver; a hook may name another file.
const PlaybooksFile = "ScriptANSIBLE/config.yaml"

// Playbooks is a config.yaml for Tacker's Ansible driver.
type Playbooks struct {
	// Variables are its configurable_properties, by their names without _VAR_.
	Variables map[string]string
	// Vdus are in the order of their playbooks' runs.
	Vdus []VduPlaybooks
}

// VduPlaybooks lists the playbooks or commands for each server of a VDU, and how Ansible logs in there. The texts may
// have variables.
type VduPlaybooks struct {
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
		return "the command " + quoteName(p.Command)
	}
	return p.Path
}

// playActions are the names in config.yaml of the hooks at which Tacker's Ansible driver runs something.
var playActions = map[string]string{
	"instantiate_end": "instantiation", "terminate_start": "termination", "scale_start": "scale-in",
	"scale_end": "scale-out", "heal_end": "healing",
}

// PlayAction is the name of a hook in config.yaml, "" for a hook without plays.
func PlayAction(hook string) string { return playActions[hook] }

// remoteCommand is the type of a VDU that has commands instead of playbooks.
const remoteCommand = "remote-command"

// packagePath is the variable for the folder of the package.
const packagePath = "_VAR_vnf_package_path"

// ReadPlaybooks reads a config.yaml. The error lists every problem in it, with file and line.
func ReadPlaybooks(file string, text []byte) (*Playbooks, error) {
	rep := &report{}
	root, err := parseYAML(file, text, yamlLimits{}.withDefaults())
	if err != nil {
		reportYAML(rep, file, err)
		return nil, rep.err("the file with the package's playbooks cannot be used")
	}
	p := readPlaybooks(rep, root)
	return p, rep.err("the file with the package's playbooks cannot be used")
}

func readPlaybooks(rep *report, root *value) *Playbooks {
	p := &Playbooks{Variables: map[string]string{}}
	for name, item := range root.at("configurable_properties").members() {
		short, ok := strings.CutPrefix(name, "_VAR_")
		switch {
		case !ok:
			rep.problem(item.place(), "the name of the property %s does not begin with _VAR_", quoteName(name))
		case item.isMap() || item.isList():
			rep.problem(item.place(), "the property %s is no text", quoteName(name))
		default:
			p.Variables[short] = item.str()
		}
	}
	if !root.at("vdus").isMap() {
		rep.problem(root.place(), "has no vdus: they say which playbooks run for which VDU")
	}
	for vdu, item := range root.at("vdus").members() {
		p.Vdus = append(p.Vdus, readVduPlaybooks(rep, vdu, item.at("config")))
	}
	slices.SortStableFunc(p.Vdus, func(a, b VduPlaybooks) int {
		return cmp.Or(cmp.Compare(a.Order, b.Order), strings.Compare(a.Vdu, b.Vdu))
	})
	return p
}

func readVduPlaybooks(rep *report, vdu string, config *value) VduPlaybooks {
	of := config.at("vm_app_config")
	v := VduPlaybooks{
		Vdu: vdu, Order: orderOf(rep, config, "the VDU "+quoteName(vdu)), Username: of.at("username").str(),
		Password: of.at("password").str(), KeyFile: of.at("priv_key_file").str(), NodePair: of.at("node_pair").str(),
		Plays: map[string][]Play{},
	}
	kind := of.at("type").str()
	if !slices.Contains([]string{"", "ansible", remoteCommand}, kind) {
		rep.problem(of.at("type").place(), "is of the type %s; Windlass knows ansible and %s",
			quoteName(kind), remoteCommand)
	}
	read := readPlay
	if kind == remoteCommand {
		read = readCommand
	}
	warnOfNoEffect(rep, of)
	for _, action := range playActions {
		for _, item := range of.at(action).list() {
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
func warnOfNoEffect(rep *report, of *value) {
	for _, member := range noEffect {
		if of.has(member.name) {
			rep.warn(of.at(member.name).place(), "%s has no effect: %s", member.name, member.instead)
		}
	}
}

// orderOf is the position in an order, which Tacker requires everywhere.
func orderOf(rep *report, of *value, what string) int {
	order, ok := of.at("order").number()
	if !ok {
		rep.problem(cmp.Or(of.at("order").place(), of.place()), "%s has no order: give a whole number", what)
	}
	return order
}

func readPlay(rep *report, item *value) (p Play, ok bool) {
	if item.has("command") {
		rep.problem(item.at("command").place(), "is a command; its VDU needs the type %s, and a playbook needs a path",
			remoteCommand)
		return p, false
	}
	named := item.at("path").str()
	p = Play{
		Path: path.Clean(strings.TrimPrefix(strings.TrimPrefix(named, packagePath), "/")), Targets: item.at("target_hosts").words(),
		Order: orderOf(rep, item, "the playbook "+quoteName(named)),
	}
	if named == "" || p.Path == "." || !fs.ValidPath(p.Path) {
		rep.problem(cmp.Or(item.at("path").place(), item.place()), "%s is not the path of a playbook in the package, "+
			"such as %s/Scripts/playbook.yaml", quoteName(named), packagePath)
		return p, false
	}
	if given := item.at("params"); given.isMap() {
		p.Params, _ = given.plain().(map[string]any)
	}
	return p, true
}

// readCommand reads one command. In Tacker's schema, path and command exclude each other.
func readCommand(rep *report, item *value) (p Play, ok bool) {
	p = Play{Command: strings.TrimSpace(item.at("command").str()), Targets: item.at("target_hosts").words()}
	if p.Command == "" || item.has("path") {
		rep.problem(cmp.Or(item.at("path").place(), item.place()), "is not a command: a VDU of the type %s needs one "+
			"(command: TEXT)", remoteCommand)
		return p, false
	}
	p.Order = orderOf(rep, item, p.String())
	return p, true
}
