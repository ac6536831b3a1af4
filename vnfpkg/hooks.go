package vnfpkg

import (
	"cmp"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// hookReader reads the operations of a flavour's Vnflcm interface.
type hookReader struct {
	*topology
	flavour *Flavour
}

// read reads the operations of the Vnflcm interface. TOSCA 1.3 puts them below "operations".
func (r *hookReader) read(node *value) {
	vnflcm := node.at("interfaces", "Vnflcm")
	operations := []*value{vnflcm, vnflcm.at("operations")}
	for _, ops := range operations {
		for operation, item := range ops.members() {
			switch operation {
			case "type", "inputs", "operations", "notifications", "description":
				continue
			}
			if hook, ok := r.hook(node, operation, item); ok {
				if r.flavour.Hooks == nil {
					r.flavour.Hooks = map[string]Hook{}
				}
				r.flavour.Hooks[operation] = hook
			}
		}
	}
}

// hook reads one operation; false when nothing is to be done: there is no implementation, as in "instantiate: []", or
// one that does nothing.
func (r *hookReader) hook(node *value, operation string, item *value) (Hook, bool) {
	implementation := item
	if item.isMap() {
		implementation = item.at("implementation")
	}
	name := implementation.str()
	for _, primary := range []*value{implementation.at("primary"), implementation.at("primary", "file")} {
		name = cmp.Or(name, primary.str())
	}
	if name == "" {
		return Hook{}, false
	}
	hook := Hook{Implementation: name, Driver: builtinDriver(name)}
	artifact := node.at("artifacts", name)
	if file := cmp.Or(artifact.at("file").str(), artifact.str()); file != "" {
		r.hookFile(&hook, artifact, file)
	} else if hook.Driver == "" {
		var ok bool
		if hook.File, ok = r.locate(item.file, name); !ok && !isFile(name) && !r.isIdle(hook, artifact) {
			r.problem(item.place(), "the implementation of %s is %s, which is neither an artifact of the node nor a driver "+
				"of Windlass (%s)",
				operation, quoteName(name), strings.Join(slices.Sorted(maps.Keys(driverScripts)), ", "))
		}
	}
	r.dependencies(&hook, node, implementation)
	if len(hook.Also) == 0 && r.isIdle(hook, artifact) {
		return Hook{}, false
	}
	r.playbooks(&hook, operation, item)
	r.hookInputs(&hook, item.at("inputs"))
	r.warnOfScripts(hook, operation, item)
	return hook, true
}

// isFile tells whether the name of an implementation names a file and not a driver.
func isFile(name string) bool { return strings.Contains(name, "/") || path.Ext(name) != "" }

// hookFile finds the script of an artifact. The script may be absent, or outside the package. Windlass does not run the
// scripts of Tacker's drivers: its built-in drivers replace those that it knows, and Tacker has its own scripts in its
// installation.
func (r *hookReader) hookFile(hook *Hook, artifact *value, file string) {
	hook.File, _ = r.locate(artifact.file, file)
	if hook.Driver == "" {
		hook.Driver = builtinDriver(file)
	}
}

// dependencies reads what else happens at a hook: further built-in drivers and, beside one, artifacts that are
// implementations. The dependencies of a script are its own files.
func (r *hookReader) dependencies(hook *Hook, node, implementation *value) {
	for _, also := range implementation.at("dependencies").list() {
		if driver := builtinDriver(also.str()); driver != "" {
			hook.Also = append(hook.Also, driver)
			continue
		}
		artifact := node.at("artifacts", also.str())
		if named := artifact.at("file").str(); hook.Has(DriverAnsible) && slices.Contains([]string{".yaml", ".yml"}, path.Ext(named)) {
			if hook.Playbooks, _ = r.locate(artifact.file, named); hook.Playbooks == "" {
				hook.Playbooks = named // checked later, which reports that it is absent
			}
			continue
		}
		if hook.Driver == "" || !strings.HasPrefix(artifact.at("type").str(), "tosca.artifacts.Implementation.") {
			continue
		}
		if file, ok := r.locate(artifact.file, artifact.at("file").str()); ok && IsScript(file) {
			hook.AlsoScripts = append(hook.AlsoScripts, file)
		}
	}
}

// environmentName matches the name of a shell variable.
var environmentName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// vdusInput is the input of an operation that lists the VDUs whose servers run a shell script.
const vdusInput = "vdus"

// hookInputs reads the inputs of an operation: variables of its shell scripts, and their VDUs.
func (r *hookReader) hookInputs(hook *Hook, inputs *value) {
	if len(hook.Scripts()) == 0 {
		return
	}
	for name, given := range inputs.members() {
		given = resolveInput(r.root, given)
		switch {
		case name == vdusInput:
			hook.Vdus = given.words()
		case given.isMap() || given.isList() || given.isNull():
		case !environmentName.MatchString(name):
			r.warn(given.place(), "the input %s is not a valid variable name, so scripts do not get it",
				quoteName(name))
		default:
			if hook.Inputs == nil {
				hook.Inputs = map[string]string{}
			}
			hook.Inputs[name] = given.str()
		}
	}
}

// warnOfScripts warns of scripts that run only if the operator allows them, and of files that cannot run at all.
func (r *hookReader) warnOfScripts(hook Hook, operation string, item *value) {
	for _, file := range hook.Scripts() {
		if !IsPython(file) && slices.Contains(withoutServers, operation) {
			r.warn(item.place(), "%s is a shell script for servers of the VNF: at %s the VNF has no servers, so "+
				"Windlass does not run it", quoteName(file), operation)
			continue
		}
		r.warn(item.place(), "%s is a script of the package: Windlass runs it at %s only if the operator allows "+
			"it (scripts.policy)", quoteName(file), operation)
	}
	if hook.Driver != "" || len(hook.Scripts()) > 0 {
		return
	}
	lacking := ""
	if hook.File == "" {
		lacking = ", whose file the archive lacks"
	}
	if r.warn(item.place(), "Windlass has no driver of its own for %s%s, so it will not carry out %s",
		quoteName(hook.Implementation), lacking, operation) {
		r.undriven = append(r.undriven, r.warnings[len(r.warnings)-1])
	}
}

// withoutServers are the hooks before servers exist, or after they are gone.
var withoutServers = []string{"instantiate_start", "terminate_end", "instantiate_rollback_end"}

// playbooks reads the hook's config.yaml: the VDUs with plays at that hook.
func (r *hookReader) playbooks(hook *Hook, operation string, item *value) {
	if !hook.Has(DriverAnsible) {
		return
	}
	if hook.Playbooks == "" {
		hook.Playbooks = PlaybooksFile
	}
	action := PlayAction(operation)
	if action == "" {
		r.warn(item.place(), "Windlass runs no playbooks at %s: Tacker's Ansible driver has no playbooks for it",
			operation)
		return
	}
	if !r.zip.has(hook.Playbooks) {
		r.problem(item.place(), "the archive lacks %s, which names the playbooks of %s", hook.Playbooks, operation)
		return
	}
	root := r.yaml(hook.Playbooks)
	if root == nil {
		return
	}
	for _, v := range readPlaybooks(r.report, root).Vdus {
		for _, play := range v.Plays[action] {
			if play.Command == "" && !r.zip.has(play.Path) {
				r.problem(hook.Playbooks, "names the playbook %s for the VDU %s (%s), which the archive lacks", play.Path, v.Vdu,
					action)
			}
		}
		if len(v.Plays[action]) > 0 {
			hook.Played = append(hook.Played, v.Vdu)
		}
	}
	if len(hook.Played) > 0 {
		r.warn(item.place(), "Windlass runs playbooks of the package at %s only if the operator allows it "+
			"(scripts.policy)", operation)
	}
}
