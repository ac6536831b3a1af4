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
	inlineCode = regexp.MustCompile("`([^`]+)`")
	// ofPrograms is the beginning of inline code with a command of Windlass's programs, or of the programs that its
	// pages explain. Commands for a look at a node (journalctl, namei) do not belong to them.
	ofPrograms = regexp.MustCompile(`^(?:bin/)?(?:(?:windlass|windlass-lab|temporal|tctl|openstack|helm) [a-z]` +
		`|(?:curl|kubectl) [-a-z$'"]|go tool task [a-z])`)
	fenced = regexp.MustCompile("(?sm)^```.*?^```")
)

// mentioned returns the commands in a page's blocks of shell, in its sentences and in its tables.
func mentioned(page string) (out []string) {
	for _, block := range shellBlocks.FindAllStringSubmatch(page, -1) {
		joined := strings.ReplaceAll(block[1], "\\\n", " ")
		for line := range strings.SplitSeq(strings.TrimSpace(joined), "\n") {
			out = append(out, programsIn(line)...)
		}
	}
	for paragraph := range strings.SplitSeq(fenced.ReplaceAllString(page, ""), "\n\n") {
		if strings.HasPrefix(paragraph, "    ") {
			continue // an indented block: the function indented reads it
		}
		for _, m := range inlineCode.FindAllStringSubmatch(paragraph, -1) {
			if command := strings.ReplaceAll(m[1], "\n", " "); ofPrograms.MatchString(command) {
				out = append(out, programsIn(command)...)
			}
		}
	}
	return out
}

var (
	separators = regexp.MustCompile(`[|;()\n]|&&`)
	assignment = regexp.MustCompile(`^(?:[A-Z_]+=\S* )+`)
	quoted     = regexp.MustCompile(`'[^']*'|"[^"]*"`)
	quotedURLs = regexp.MustCompile(`['"]((?:http://|\$)[^'"()|;]*)['"]`)
)

// programsIn returns the commands of those programs in a line of the shell, without variables and quoted text.
func programsIn(line string) (out []string) {
	line = quotedURLs.ReplaceAllString(withoutComment(line), "$1")
	line = quoted.ReplaceAllString(line, "TEXT")
	for _, c := range separators.Split(line, -1) {
		c = strings.TrimPrefix(assignment.ReplaceAllString(strings.TrimSpace(c), ""), "bin/")
		if ofPrograms.MatchString(c) {
			out = append(out, c)
		}
	}
	return out
}

// forms are the commands that tests run, without ids, names and files: the flags of each command.
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

// ofEveryCommand are flags with the same effect in all commands that have them. One command with such a flag is enough.
var ofEveryCommand = []string{
	"--api", "--config", "--filter", "--json", "--lcm-version", "--no-headers", "--plan", "--sort-by", "--timeout", "--wait",
	"--watch", "-o", "-w", "--help",
}

// have says whether tests run the command with each of its flags, or the command is only the name of a group.
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
	orders        = regexp.MustCompile(`--sort-by -\S+`) // the value looks like a flag
	flagNames     = regexp.MustCompile(`(?: )(--?[a-zA-Z][a-z-]*)`)
	commandGroups = regexp.MustCompile(`^windlass (?:vnf|op|package|vim|subscription|keys|profile|completion)$`)
)

// form returns a command's name and the names of its flags. The name has at most as many words as its program has
// levels of commands.
func form(command string) (name string, flags []string) {
	words := strings.Fields(command)
	if words[0] == "curl" {
		return formOfCurl(words)
	}
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

var (
	// identifiers are the parts in which requests to the same resource differ.
	identifiers = regexp.MustCompile(`/(?:ID|\$\w+|\{\w+\}|[0-9a-f]{8}-[0-9a-f-]{27})`)
	hosts       = regexp.MustCompile(`^(?:https?://[^/]*|\$\w+)`)
)

// formOfCurl returns the resource that curl requests, and the letters of its flags without -s, which only changes the
// output.
func formOfCurl(words []string) (name string, flags []string) {
	name = "curl"
	for i, w := range words[1:] {
		switch {
		case hosts.MatchString(w) && words[i] != "-d":
			path, _, _ := strings.Cut(hosts.ReplaceAllString(w, ""), "?")
			name += " " + identifiers.ReplaceAllString(path, "/ID")
		case strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--"):
			for _, letter := range strings.ReplaceAll(w[1:], "s", "") {
				flags = append(flags, "-"+string(letter))
			}
		}
	}
	return name, flags
}

func TestForms_areOfCommandsWithTheirFlags(t *testing.T) {
	t.Parallel()
	done := forms{}
	done.add("OS_TOKEN=x windlass vnf heal edge-1 --cause 'a --b' \\\n  --watch | tail; windlass keys add keys")
	done.add("curl -sN 'http://127.0.0.1:9890/events/$OP?after=1'")
	for _, c := range []string{
		"windlass vnf heal ID --cause TEXT", "windlass vnf heal ID -w", "windlass vnf", "windlass keys add",
		"windlass vnf heal ID --sort-by -age", "curl -N http://controller/events/ID",
	} {
		assert.True(t, done.have(c), c)
	}
	for _, c := range []string{
		"windlass vnf heal ID --vnfc x", "windlass vnf scale", "windlass op", "windlass vnf --all",
		"curl -N http://controller/events", "curl -i http://controller/events/ID",
	} {
		assert.False(t, done.have(c), c)
	}
	page := "| `windlass vnf show ID` | `curl $X/y` `the windlass` |\n\n    `windlass vim list`\n\n" +
		"```sh\n(umask 077; windlass op list > x)\nbin/windlass-lab down # `no`\n```\nlast `tctl workflow\nlist --query \"a b\"` and `kubectl get`"
	assert.Equal(t, []string{
		"windlass op list > x", "windlass-lab down", "windlass vnf show ID", "curl $X/y", "tctl workflow list --query TEXT",
		"kubectl get",
	}, mentioned(page))
}
