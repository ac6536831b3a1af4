package e2e

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

var (
	shellBlocks = regexp.MustCompile("(?s)```sh\n(.*?)```")
	inlineCode  = regexp.MustCompile("`([^`\n]+)`")
	// ofPrograms is how inline code begins that is a command of a program that comes with Windlass, or of those that its
	// pages are about. What people look for on a node (journalctl, namei) is not among them.
	ofPrograms = regexp.MustCompile(`^(?:bin/)?(?:(?:windlass|windlass-lab|temporal|tctl|openstack) [a-z]|go tool task [a-z])`)
)

// mentioned are the commands in a page's blocks of shell, and those amid its sentences and in its tables.
func mentioned(page string) (out []string) {
	for _, block := range shellBlocks.FindAllStringSubmatch(page, -1) {
		joined := strings.ReplaceAll(block[1], "\\\n", " ")
		for line := range strings.SplitSeq(strings.TrimSpace(joined), "\n") {
			out = append(out, programsIn(line)...)
		}
	}
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "    ") {
			continue // a block, which indented reads
		}
		for _, m := range inlineCode.FindAllStringSubmatch(line, -1) {
			if ofPrograms.MatchString(m[1]) {
				out = append(out, programsIn(m[1])...)
			}
		}
	}
	return out
}

var (
	separators = regexp.MustCompile(`[|;()\n]|&&`)
	assignment = regexp.MustCompile(`^(?:[A-Z_]+=\S* )+`)
	quoted     = regexp.MustCompile(`'[^']*'|"[^"]*"`)
)

// programsIn are the commands of those programs in a line of the shell, without variables, and with quoted text left out.
func programsIn(line string) (out []string) {
	line = quoted.ReplaceAllString(withoutComment(line), "TEXT")
	for _, c := range separators.Split(line, -1) {
		c = strings.TrimPrefix(assignment.ReplaceAllString(strings.TrimSpace(c), ""), "bin/")
		if ofPrograms.MatchString(c) {
			out = append(out, c)
		}
	}
	return out
}

// forms are commands that tests carry out, whatever the ids, names and files in them: for each command its flags.
type forms map[string]map[string]bool

func (f forms) add(command string) {
	for _, c := range programsIn(strings.ReplaceAll(command, "\\\n", " ")) {
		name, flags := form(c)
		if f[name] == nil {
			f[name] = map[string]bool{}
		}
		for _, flag := range flags {
			f[name][flag] = true
		}
	}
}

// ofEveryCommand are flags that do the same in all commands that have them: one command with them is enough.
var ofEveryCommand = []string{
	"--api", "--config", "--filter", "--json", "--lcm-version", "--no-headers", "--plan", "--sort-by", "--timeout", "--wait",
	"--watch", "-o", "-w", "--help",
}

// have tells whether a command is carried out with each of the flags, or is no more than the name of a group of commands.
func (f forms) have(command string) bool {
	name, flags := form(command)
	known, done := f[name]
	if !done {
		return len(flags) == 0 && slices.ContainsFunc(slices.Collect(maps.Keys(f)), func(n string) bool {
			return strings.HasPrefix(n, name+" ")
		})
	}
	return !slices.ContainsFunc(flags, func(flag string) bool {
		return !known[flag] && !slices.Contains(ofEveryCommand, flag)
	})
}

var (
	orders        = regexp.MustCompile(`--sort-by -\S+`) // no flag
	flagNames     = regexp.MustCompile(`(?: )(--?[a-zA-Z][a-z-]*)`)
	commandGroups = regexp.MustCompile(`^windlass (?:vnf|op|package|vim|keys|profile|completion)$`)
)

// form is a command's name and the names of its flags. The name is at most as many words as its program has levels.
func form(command string) (name string, flags []string) {
	words := strings.Fields(command)
	levels := map[string]int{"go": 4, "temporal": 3, "openstack": 4, "tctl": 3}[words[0]]
	if levels == 0 {
		levels = 2
	}
	for i, w := range words {
		if !regexp.MustCompile(`^[a-z][a-z:-]*$`).MatchString(w) || i == levels && !commandGroups.MatchString(name) || i > levels {
			break
		}
		name = strings.TrimSpace(name + " " + w)
	}
	for _, m := range flagNames.FindAllStringSubmatch(orders.ReplaceAllString(command, "--sort-by"), -1) {
		flags = append(flags, m[1])
	}
	return name, flags
}

func TestForms_areOfCommandsWithTheirFlags(t *testing.T) {
	t.Parallel()
	done := forms{}
	done.add("OS_TOKEN=x windlass vnf heal edge-1 --cause 'a --b' \\\n  --watch | tail; windlass keys add keys")
	for _, c := range []string{
		"windlass vnf heal ID --cause TEXT", "windlass vnf heal ID -w", "windlass vnf", "windlass keys add",
		"windlass vnf heal ID --sort-by -age",
	} {
		assert.True(t, done.have(c), c)
	}
	for _, c := range []string{"windlass vnf heal ID --vnfc x", "windlass vnf scale", "windlass op", "windlass vnf --all"} {
		assert.False(t, done.have(c), c)
	}
	page := "| `windlass vnf show ID` | `curl x` `the windlass` |\n    `windlass vim list`\n" +
		"```sh\n(umask 077; windlass op list > x)\nbin/windlass-lab down # `no`\n```\nlast `tctl workflow list --query \"a b\"`"
	assert.Equal(t, []string{
		"windlass op list > x", "windlass-lab down", "windlass vnf show ID", "tctl workflow list --query TEXT",
	}, mentioned(page))
}
