package vnfd

import (
	"cmp"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/document"
	"github.com/windlass-nfv/windlass/vnfpkg/playbook"
	"github.com/windlass-nfv/windlass/vnfpkg/tosca"
)

// hookReader reads the operations of a flavour's Vnflcm interface.
type hookReader struct {
	*tosca.Topology
	flavour *descriptor.Flavour
}

// read reads the operations of the Vnflcm interface. TOSCA 1.3 puts them below "operations".
func (r *hookReader) read(node *document.Value) {
	vnflcm := node.At("interfaces", "Vnflcm")
	operations := []*document.Value{vnflcm, vnflcm.At("operations")}
	for _, ops := range operations {
		for operation, item := range ops.Members() {
			switch operation {
			case "type", "inputs", "operations", "notifications", "description":
				continue
			}
			if hook, ok := r.hook(node, operation, item); ok {
				if r.flavour.Hooks == nil {
					r.flavour.Hooks = map[string]descriptor.Hook{}
				}
				r.flavour.Hooks[operation] = hook
			}
		}
	}
}

// hook reads one operation; false when nothing is to be done: there is no implementation, as in "instantiate: []", or
// one that does nothing.
func (r *hookReader) hook(node *document.Value, operation string, item *document.Value) (descriptor.Hook, bool) {
	implementation := item
	if item.IsMap() {
		implementation = item.At("implementation")
	}
	name := implementation.Str()
	for _, primary := range []*document.Value{implementation.At("primary"), implementation.At("primary", "file")} {
		name = cmp.Or(name, primary.Str())
	}
	if name == "" {
		return descriptor.Hook{}, false
	}
	hook := descriptor.Hook{Implementation: name, Driver: descriptor.BuiltinDriver(name)}
	artifact := node.At("artifacts", name)
	if file := cmp.Or(artifact.At("file").Str(), artifact.Str()); file != "" {
		r.hookFile(&hook, artifact, file)
	} else if hook.Driver == "" {
		var ok bool
		if hook.File, ok = r.Locate(item.File, name); !ok && !isFile(name) && !r.isIdle(hook, artifact) {
			r.Problem(item.Place(), "the implementation of %s is %s, which is neither an artifact of the node nor a driver "+
				"of Windlass (%s)",
				operation, document.Quote(name), strings.Join(slices.Sorted(maps.Keys(descriptor.ReplacedScripts)), ", "))
		}
	}
	r.dependencies(&hook, node, implementation)
	if len(hook.Also) == 0 && r.isIdle(hook, artifact) {
		return descriptor.Hook{}, false
	}
	r.playbooks(&hook, operation, item)
	r.hookInputs(&hook, item.At("inputs"))
	r.warnOfScripts(hook, operation, item)
	return hook, true
}

// isFile tells whether the name of an implementation names a file and not a driver.
func isFile(name string) bool { return strings.Contains(name, "/") || path.Ext(name) != "" }

// hookFile finds the script of an artifact. The script may be absent, or outside the package. Windlass does not run the
// scripts of Tacker's drivers: its built-in drivers replace those that it knows, and Tacker has its own scripts in its
// installation.
func (r *hookReader) hookFile(hook *descriptor.Hook, artifact *document.Value, file string) {
	hook.File, _ = r.Locate(artifact.File, file)
	if hook.Driver == "" {
		hook.Driver = descriptor.BuiltinDriver(file)
	}
}

// dependencies reads what else happens at a hook: further built-in drivers and, beside one, artifacts that are
// implementations. The dependencies of a script are its own files.
func (r *hookReader) dependencies(hook *descriptor.Hook, node, implementation *document.Value) {
	for _, also := range implementation.At("dependencies").List() {
		if driver := descriptor.BuiltinDriver(also.Str()); driver != "" {
			hook.Also = append(hook.Also, driver)
			continue
		}
		artifact := node.At("artifacts", also.Str())
		if named := artifact.At("file").Str(); hook.Has(descriptor.DriverAnsible) &&
			slices.Contains([]string{".yaml", ".yml"}, path.Ext(named)) {
			if hook.Playbooks, _ = r.Locate(artifact.File, named); hook.Playbooks == "" {
				hook.Playbooks = named // checked later, which reports that it is absent
			}
			continue
		}
		if hook.Driver == "" || !strings.HasPrefix(artifact.At("type").Str(), "tosca.artifacts.Implementation.") {
			continue
		}
		if file, ok := r.Locate(artifact.File, artifact.At("file").Str()); ok && descriptor.IsScript(file) {
			hook.AlsoScripts = append(hook.AlsoScripts, file)
		}
	}
}

// environmentName matches the name of a shell variable.
var environmentName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// vdusInput is the input of an operation that lists the VDUs whose servers run a shell script.
const vdusInput = "vdus"

// hookInputs reads the inputs of an operation: variables of its shell scripts, and their VDUs.
func (r *hookReader) hookInputs(hook *descriptor.Hook, inputs *document.Value) {
	if len(hook.Scripts()) == 0 {
		return
	}
	for name, given := range inputs.Members() {
		given = tosca.ResolveInput(r.Root, given)
		switch {
		case name == vdusInput:
			hook.Vdus = given.Words()
		case given.IsMap() || given.IsList() || given.IsNull():
		case !environmentName.MatchString(name):
			r.Warn(given.Place(), "the input %s is not a valid variable name, so scripts do not get it",
				document.Quote(name))
		default:
			if hook.Inputs == nil {
				hook.Inputs = map[string]string{}
			}
			hook.Inputs[name] = given.Str()
		}
	}
}

// warnOfScripts warns of scripts that run only if the operator allows them, and of files that cannot run at all.
func (r *hookReader) warnOfScripts(hook descriptor.Hook, operation string, item *document.Value) {
	for _, file := range hook.Scripts() {
		if !descriptor.IsPython(file) && slices.Contains(withoutServers, operation) {
			r.Warn(item.Place(), "%s is a shell script for servers of the VNF: at %s the VNF has no servers, so "+
				"Windlass does not run it", document.Quote(file), operation)
			continue
		}
		r.Warn(item.Place(), "%s is a script of the package: Windlass runs it at %s only if the operator allows "+
			"it (scripts.policy)", document.Quote(file), operation)
	}
	if hook.Driver != "" || len(hook.Scripts()) > 0 {
		return
	}
	lacking := ""
	if hook.File == "" {
		lacking = ", whose file the archive lacks"
	}
	if r.Warn(item.Place(), "Windlass has no driver of its own for %s%s, so it will not carry out %s",
		document.Quote(hook.Implementation), lacking, operation) {
		r.Undriven = append(r.Undriven, r.Warnings[len(r.Warnings)-1])
	}
}

// withoutServers are the hooks before servers exist, or after they are gone.
var withoutServers = []string{"instantiate_start", "terminate_end", "instantiate_rollback_end"}

// playbooks reads the hook's config.yaml: the VDUs with plays at that hook.
func (r *hookReader) playbooks(hook *descriptor.Hook, operation string, item *document.Value) {
	if !hook.Has(descriptor.DriverAnsible) {
		return
	}
	if hook.Playbooks == "" {
		hook.Playbooks = playbook.File
	}
	action := playbook.Action(operation)
	if action == "" {
		r.Warn(item.Place(), "Windlass runs no playbooks at %s: Tacker's Ansible driver has no playbooks for it",
			operation)
		return
	}
	if !r.Zip.Has(hook.Playbooks) {
		r.Problem(item.Place(), "the archive lacks %s, which names the playbooks of %s", hook.Playbooks, operation)
		return
	}
	root := r.YAML(hook.Playbooks)
	if root == nil {
		return
	}
	for _, v := range playbook.Parse(r.Report, root).Vdus {
		for _, play := range v.Plays[action] {
			if play.Command == "" && !r.Zip.Has(play.Path) {
				r.Problem(hook.Playbooks, "names the playbook %s for the VDU %s (%s), which the archive lacks", play.Path, v.Vdu,
					action)
			}
		}
		if len(v.Plays[action]) > 0 {
			hook.Played = append(hook.Played, v.Vdu)
		}
	}
	if len(hook.Played) > 0 {
		r.Warn(item.Place(), "Windlass runs playbooks of the package at %s only if the operator allows it "+
			"(scripts.policy)", operation)
	}
}
