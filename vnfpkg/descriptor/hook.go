package descriptor

import (
	"path"
	"slices"
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

// Has tells whether a built-in driver works at the hook.
func (h Hook) Has(driver string) bool { return h.Driver == driver || slices.Contains(h.Also, driver) }

// PlaysPlaybooks tells whether Ansible runs anything of the flavour.
func (f *Flavour) PlaysPlaybooks() bool {
	for _, h := range f.Hooks {
		if len(h.Played) > 0 {
			return true
		}
	}
	return false
}
