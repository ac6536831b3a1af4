package scripts

// RunPackageScript runs a shell script of the package as root. Inputs: script, and env.NAME for each variable.
type RunPackageScript struct{ Path string }

// Name implements Script.
func (RunPackageScript) Name() string { return "run-package-script" }

// Render implements Script.
func (s RunPackageScript) Render() (string, error) {
	return render(s.Name(), []param{required("SCRIPT_PATH", s.Path)})
}
