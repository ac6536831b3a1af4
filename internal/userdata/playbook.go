package userdata

import (
	"bytes"
	"context"
	"encoding/gob"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/secrets"
	"github.com/windlass-nfv/windlass/scripts"
)

// Playbooks runs playbooks of packages where this program is. Each run is a process of its own that is confined before
// Ansible starts: as another user where Windlass is root, with processes of its own only, nothing to write but a
// directory in memory, and nothing to read but that, Ansible and what programs need. It may make connections.
//
// A worker that dies takes the run and its files with it.
type Playbooks struct{}

// ErrBecome is in the chain of the error of a playbook whose task failed when it was to become another user.
var ErrBecome = errors.New("the task that failed becomes another user")

// nobody is who Ansible runs as where Windlass is root.
const nobody = 65534

// Play runs one. What it prints goes to lines, without the texts of mask. One that fails is Broken, with what Ansible
// says of it; a host on which none can be run confined is Unavailable.
func (*Playbooks) Play(ctx context.Context, in scripts.PlayInput, playbook string, mask []string, lines func(string)) error {
	files, err := furnish(in)
	if err != nil {
		return err
	}
	// The kernel ends the child with the thread that has made it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	child := exec.CommandContext(ctx, "/proc/self/exe")
	child.Args = []string{childName, "/bin/bash", playDirectory, playProfile, playbook}
	child.Env = []string{"LANG=C.UTF-8"}
	child.Dir = "/"
	child.Stdin = bytes.NewReader(files)
	child.SysProcAttr = apart()
	failure, becomes, masker := "", false, secrets.NewMasker(mask...)
	said := &lineWriter{to: func(line string) {
		line = masker.Mask(line)
		if sentence, is := strings.CutPrefix(line, "windlass: "); is {
			failure = sentence
		}
		if !strings.HasPrefix(line, scripts.ResultPrefix) {
			lines(line)
		}
		becomes = becomes || failedAsOther(line)
	}}
	child.Stdout, child.Stderr = io.Writer(said), io.Writer(said)
	err = child.Run()
	said.end()
	if err = playbookError(ctx, playbook, failure, err); becomes && lcm.Is(err, lcm.KindBroken) {
		return lcm.Wrap(lcm.KindBroken, ErrBecome, "%s", lcm.Sentence(err))
	}
	return err
}

// failedAsOther tells whether a line of the callback plugin is about a task that failed and was to become another user.
func failedAsOther(line string) bool {
	for _, text := range scripts.ParseResults(line).Texts("failed") {
		var failed struct {
			Become bool `json:"become"`
		}
		if json.Unmarshal([]byte(text), &failed) == nil && failed.Become {
			return true
		}
	}
	return false
}

// playDirectory is where a run has its files: in memory, of its own mounts, so that they are gone with it, however it
// ends.
const playDirectory = "/run/windlass-playbook"

// furnish is what a run finds in playDirectory, for its standard input.
func furnish(in scripts.PlayInput) ([]byte, error) {
	program, err := scripts.PlayHere()
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{
		"play.sh": []byte(program), "callback/windlass.py": scripts.AnsibleCallback,
		"passwd": []byte("root:x:0:0::" + filepath.Join(playDirectory, "home") + ":/bin/sh\n"),
	}
	for name, text := range in.Files() {
		files["in."+name] = []byte(text)
	}
	for name, text := range in.Package {
		files["package/"+name] = text
	}
	var out bytes.Buffer
	if err := gob.NewEncoder(&out).Encode(files); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// receive writes what furnish has made.
func receive(from io.Reader, dir string) error {
	var files map[string][]byte
	if err := gob.NewDecoder(from).Decode(&files); err != nil {
		return err
	}
	err := write(dir, files)
	for _, name := range []string{"home", "tmp"} {
		err = errors.Join(err, os.Mkdir(filepath.Join(dir, name), 0o700))
	}
	return err
}

// playbookError is what the end of a run means.
func playbookError(ctx context.Context, playbook, sentence string, err error) error {
	exit, ended := errors.AsType[*exec.ExitError](err)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case !ended:
		return lcm.Wrap(lcm.KindUnavailable, err, "The playbook %s could not be run here: the process could not be started. "+
			"Give ansible.server, or let the worker make namespaces of users, mounts and processes.", playbook)
	case sentence == "":
		return lcm.Wrap(lcm.KindUnavailable, err, "The playbook %s could not be run here: its process has ended (%s) before it "+
			"has told why; its output says more.", playbook, exit)
	case exit.ExitCode() == 65 || exit.ExitCode() == 78:
		return lcm.Errorf(lcm.KindInvalid, "%s.", strings.TrimSuffix(sentence, "."))
	}
	return lcm.Errorf(lcm.KindBroken, "%s.", strings.TrimSuffix(sentence, "."))
}

// playProfile is the name of the profile of playbooks.
const playProfile = "playbook"
