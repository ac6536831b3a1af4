package vnfpkg

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// Scripts are the files of the package that run at the hook, in order. Where no built-in driver does the work they are
// the implementation itself, else the scripts among its dependencies.
func (h Hook) Scripts() []string {
	if h.Driver == "" && IsScript(h.File) {
		return append([]string{h.File}, h.AlsoScripts...)
	}
	return h.AlsoScripts
}

// IsScript tells whether Windlass can run a file: Python as in Tacker's v2, or a shell script.
func IsScript(file string) bool { return IsPython(file) || path.Ext(file) == ".sh" }

// IsPython tells whether a script is Python. Python runs on the worker's host; other scripts run on servers.
func IsPython(file string) bool { return path.Ext(file) == ".py" }

// RunsScripts tells whether any hook of the flavour runs a script of the package.
func (f *Flavour) RunsScripts() bool {
	for _, h := range f.Hooks {
		if len(h.Scripts()) > 0 {
			return true
		}
	}
	return false
}

// dependencies reads what else happens at a hook: further built-in drivers and, beside one, artifacts that are
// implementations. The dependencies of a script are its own files.
func (r *flavourReader) dependencies(hook *Hook, node, implementation *value) {
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
func (r *flavourReader) hookInputs(hook *Hook, inputs *value) {
	if len(hook.Scripts()) == 0 {
		return
	}
	for name, given := range inputs.members() {
		given = resolveInput(r.topology, given)
		switch {
		case name == vdusInput:
			hook.Vdus = given.words()
		case given.isMap() || given.isList() || given.isNull():
		case !environmentName.MatchString(name):
			r.rep.warn(given.place(), "the input %s is not a valid variable name, so scripts do not get it",
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
func (r *flavourReader) warnOfScripts(hook Hook, operation string, item *value) {
	for _, file := range hook.Scripts() {
		if !IsPython(file) && slices.Contains(withoutServers, operation) {
			r.rep.warn(item.place(), "%s is a shell script for servers of the VNF: at %s the VNF has no servers, so "+
				"Windlass does not run it", quoteName(file), operation)
			continue
		}
		r.rep.warn(item.place(), "%s is a script of the package: Windlass runs it at %s only if the operator allows "+
			"it (scripts.policy)", quoteName(file), operation)
	}
	if hook.Driver != "" || len(hook.Scripts()) > 0 {
		return
	}
	lacking := ""
	if hook.File == "" {
		lacking = ", whose file the archive lacks"
	}
	if r.rep.warn(item.place(), "Windlass has no driver of its own for %s%s, so it will not carry out %s",
		quoteName(hook.Implementation), lacking, operation) {
		r.rep.undriven = append(r.rep.undriven, r.rep.warnings[len(r.rep.warnings)-1])
	}
}

// withoutServers are the hooks before servers exist, or after they are gone.
var withoutServers = []string{"instantiate_start", "terminate_end", "instantiate_rollback_end"}
