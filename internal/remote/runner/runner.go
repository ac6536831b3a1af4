// Package runner is the protocol between Windlass and a small script on a machine that runs commands which outlive
// their SSH connection. It contains the script itself, the command lines that call it, the upload that it reads and the
// lines that it answers. internal/remote and the lab's fake machines use it.
package runner

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"regexp"
	"strings"
)

// Script is the runner. It changes name with its content, so that two versions of Windlass can work
// on one machine at once.
//
//go:embed runner.sh
var Script string

// The directories of the runner and its data: for root, and (below the login directory) for other users.
const (
	RootBase = "/var/lib/windlass"
	UserBase = ".windlass"
)

// Begin is the line on stdout before the wanted bytes; a login shell's own configuration may print something before it.
const Begin = "windlass-begin\n"

// Exit codes of the runner itself, from sysexits.h.
const (
	ExitUnreadable  = 66 // a file is there but cannot be read
	ExitCannotWrite = 73 // no space, no inode, read-only: stderr says which
	ExitBadUpload   = 74 // the upload was cut short: its checksum does not fit
	ExitBusy        = 75 // the command does not end
)

// Name is the file name of this version of the runner.
func Name() string {
	sum := sha256.Sum256([]byte(Script))
	return "runner-" + hex.EncodeToString(sum[:6])
}

var validID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)

// ValidID tells whether a command may have that id: it becomes the name of a directory.
func ValidID(id string) bool { return validID.MatchString(id) }

// Probe prints the user id, and tests whether sudo works without a password.
const Probe = `id -u; sudo -k -n true && echo ` + ProbeSudo

// ProbeSudo is the line that Probe prints if sudo needs no password.
const ProbeSudo = "windlass-sudo"

// The ways of becoming root. -k ignores a cached ticket: otherwise sudo would not read the password line, which
// Windlass sends first, and the command would.
const (
	AsUser           = ""
	WithSudo         = "sudo -n -- "
	WithSudoPassword = "sudo -k -S -p '' -- "
)

// installer reads the runner from stdin, and moves it into place only when it is complete.
const installer = `umask 077; mkdir -p "$1/run" && cat >"$1/$2.$$" && ` +
	`[ "runner-$(sha256sum <"$1/$2.$$" | cut -c 1-12)" = "$2" ] && mv -f "$1/$2.$$" "$1/$2"`

// Install is the command line that puts the runner, given on stdin, below base.
func Install(prefix, base string) string {
	return prefix + "sh -c " + Quote(installer) + " windlass " + Quote(base) + " " + Name()
}

// Call is the command line that calls the installed runner.
func Call(prefix, base, verb string, args ...string) string {
	var b strings.Builder
	b.WriteString(prefix + "bash " + base + "/" + Name() + " " + verb)
	for _, arg := range args {
		b.WriteString(" " + Quote(arg))
	}
	return b.String()
}

// Request is a command line as the machine understands it.
type Request struct {
	// Verb is a verb of the runner, or "probe", "install", "true".
	Verb string
	Args []string
	// Sudo and Password tell how the caller becomes root; with Password the first line of stdin is the password.
	Sudo, Password bool
	// Base is the runner's directory.
	Base string
}

// Parse is the inverse of Call, Install and Probe; ok is false for any other command line.
func Parse(line string) (req Request, ok bool) {
	if line == Probe {
		return Request{Verb: "probe"}, true
	}
	if rest, found := strings.CutPrefix(line, WithSudo); found {
		req.Sudo, line = true, rest
	} else if rest, found := strings.CutPrefix(line, WithSudoPassword); found {
		req.Sudo, req.Password, line = true, true, rest
	}
	words, ok := Words(line)
	if !ok {
		return req, false
	}
	switch {
	case len(words) == 1 && words[0] == "true":
		req.Verb = "true"
		return req, true
	case len(words) == 6 && words[0] == "sh" && words[2] == installer:
		req.Verb, req.Base, req.Args = "install", words[4], words[5:]
		return req, true
	case len(words) >= 3 && words[0] == "bash":
		base, name, found := cutLast(words[1], "/")
		req.Base, req.Verb, req.Args = base, words[2], words[3:]
		return req, found && strings.HasPrefix(name, "runner-")
	}
	return req, false
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
