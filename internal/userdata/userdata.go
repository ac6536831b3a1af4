// Package userdata runs user data classes: Python code of VNF packages that makes the parameters of a Heat stack, as in
// Tacker. The code is a stranger's, so each run is a separate process that is confined before Python starts. It has no
// network and sees no other process. It may read only Python and the package, and write nothing. Its time and memory
// are bounded, and its environment is empty.
package userdata

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/secrets"
)

// A script's limits if the Runner sets none; the time is CPU time and clock time.
const (
	DefaultTime = 30 * time.Second
	memoryLimit = 512 << 20
	// largestAnswer bounds a script's output: parameters and, perhaps, templates.
	largestAnswer = 4 << 20
)

//go:embed all:python
var python embed.FS

// Runner runs user data classes.
type Runner struct {
	// Python is the interpreter's path, or its name in PATH.
	Python string
	// Time bounds one run; 0 is DefaultTime.
	Time time.Duration

	once sync.Once
	room chan struct{}
}

// atOnce is how many scripts may run at the same time: each may use all of its memory limit.
const atOnce = 8

// enter waits until another script may run.
func (r *Runner) enter(ctx context.Context) (leave func(), err error) {
	r.once.Do(func() { r.room = make(chan struct{}, atOnce) })
	select {
	case r.room <- struct{}{}:
		return func() { <-r.room }, nil
	case <-ctx.Done():
		return nil, lcm.Wrap(lcm.KindUnavailable, context.Cause(ctx),
			"The user data script was not run: too many other scripts are running.")
	}
}

// Call is one call of a class.
type Call struct {
	// Files are the package's files, by path.
	Files map[string][]byte
	// Path is the file of the class, Class its name.
	Path, Class string
	Told        Told
	// Secrets are values of Told that must not appear in an error.
	Secrets []string
}

// Told is the input of a class, in the terms of SOL003 v3.3.1.
type Told struct {
	// Hot is the top template ("template") and the nested ones ("files"), Vnfd the definition of the flavour.
	Hot  Hot `json:"hot"`
	Vnfd any `json:"vnfd"`
	// Request is the InstantiateVnfRequest; Instance, GrantRequest and Grant are the other arguments of v2.
	Request      map[string]any `json:"request"`
	Instance     map[string]any `json:"instance"`
	GrantRequest map[string]any `json:"grantRequest"`
	Grant        map[string]any `json:"grant"`
	// Images and Flavours map VDUs to names in the VIM; Capacity maps scaling aspects to numbers of VNFCs.
	Images   map[string]string `json:"images"`
	Flavours map[string]string `json:"flavours"`
	Capacity map[string]int    `json:"capacity"`
}

// Hot holds the templates.
type Hot struct {
	Template any            `json:"template"`
	Files    map[string]any `json:"files"`
}

// Made is the output of a class. Template is "" unless a class of v2 sets it.
type Made struct {
	Parameters map[string]any
	Template   string
	Files      map[string]string
}

// Run runs a class. An error of the script is Invalid, with the last line of its traceback. A host that cannot run
// confined scripts is Unavailable.
func (r *Runner) Run(ctx context.Context, call Call) (made Made, err error) {
	dir, err := os.MkdirTemp("", "windlass-user-data-")
	if err != nil {
		return made, lcm.Wrap(lcm.KindUnavailable, err,
			"The user data script could not be run: there is no room for its package.")
	}
	defer func() { _ = os.RemoveAll(dir) }()
	pkg, lib := filepath.Join(dir, "package"), filepath.Join(dir, "python")
	if err := errors.Join(unpack(python, dir), write(pkg, call.Files)); err != nil {
		return made, lcm.Wrap(lcm.KindUnavailable, err,
			"The user data script could not be run: there is no room for its package.")
	}
	script, err := ScriptPath(call.Path)
	if err != nil {
		return made, err
	}
	input, err := json.Marshal(struct {
		Told
		Lib     string `json:"lib"`
		Package string `json:"package"`
		Path    string `json:"path"`
		Class   string `json:"class"`
	}{call.Told, filepath.Join(lib, "lib"), pkg, script, call.Class})
	if err != nil {
		return made, lcm.Wrap(lcm.KindBug, err, "The input of the user data script is not JSON.")
	}
	leave, err := r.enter(ctx)
	if err != nil {
		return made, err
	}
	defer leave()
	answer, err := r.process(ctx, dir, job{
		profile: ofUserData, what: "The user data script", input: input, limit: r.limit(), setting: "userData.timeout",
	})
	if err != nil {
		return made, err
	}
	return read(answer, call)
}

// ScriptPath is the path in the package of a script as requests name it: "./UserData/x.py".
func ScriptPath(named string) (string, error) {
	script := path.Clean(strings.TrimLeft(named, "./"))
	if path.Ext(script) != ".py" || script != strings.TrimLeft(named, "./") || strings.ContainsAny(script, "\\\x00") ||
		!fs.ValidPath(script) {
		return "", lcm.Errorf(lcm.KindInvalid,
			"%q is not the path of a Python script in the VNF package, such as ./UserData/user_data.py.", named)
	}
	return script, nil
}

// read reads the output of the script's runner.
func read(answer []byte, call Call) (made Made, err error) {
	var said struct {
		Failure    string            `json:"failure"`
		Line       string            `json:"line"`
		Parameters map[string]any    `json:"parameters"`
		Template   any               `json:"template"`
		Files      map[string]string `json:"files"`
	}
	if err := json.Unmarshal(answer, &said); err != nil {
		return made, invalid(call, "has ended without an answer")
	}
	switch said.Failure {
	case "":
	case "memory":
		return made, invalid(call, "needs more than its limit of %d MiB of memory", memoryLimit>>20)
	case "type":
		return made, invalid(call, "has returned a %s, not a dict with the parameters of the stack", said.Line)
	default:
		return made, invalid(call, "has failed: %s", said.Line)
	}
	made = Made{Parameters: said.Parameters, Files: said.Files}
	switch t := said.Template.(type) {
	case nil:
	case string:
		made.Template = t
	default:
		return made, invalid(call, "has returned a template that is no text")
	}
	return made, nil
}

// invalid is an error about a script, without secrets.
func invalid(call Call, format string, args ...any) error {
	said := secrets.NewMasker(call.Secrets...).Mask(fmt.Sprintf(format, args...))
	said = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(said, "?"))
	const longest = 500
	if runes := []rune(said); len(runes) > longest {
		said = string(runes[:longest]) + "..."
	}
	return lcm.Errorf(lcm.KindInvalid, "The user data class %s of the VNF package (%s) %s.", call.Class, call.Path,
		strings.TrimSuffix(said, "."))
}

// unpack writes the modules that scripts import.
func unpack(from fs.FS, dir string) error {
	files := map[string][]byte{}
	err := fs.WalkDir(from, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		files[name], err = fs.ReadFile(from, name)
		return err
	})
	return errors.Join(err, write(dir, files))
}

// write makes files below dir. Their names are safe, because the package was checked: they stay inside it, and no file
// is the directory of another.
func write(dir string, files map[string][]byte) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := root.MkdirAll(path.Dir(name), 0o700); err != nil {
			return err
		}
		if err := root.WriteFile(name, files[name], 0o400); err != nil {
			return err
		}
	}
	return nil
}

// Check runs an empty script, to test whether this host can run scripts.
func (r *Runner) Check(ctx context.Context) error {
	const script = "class Nothing:\n    @staticmethod\n    def instantiate(base_hot_dict, vnfd_dict, inst_req_info, " +
		"grant_info):\n        return {}\n"
	_, err := r.Run(ctx, Call{
		Files: map[string][]byte{"nothing.py": []byte(script)}, Path: "nothing.py", Class: "Nothing",
		Told: Told{Hot: Hot{Template: map[string]any{}, Files: map[string]any{}}, Request: map[string]any{}},
	})
	return err
}
