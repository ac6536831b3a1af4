package e2e

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// pasted is a command of a page.
type pasted struct {
	text string
	// exit is the exit code that the command must have, by the output that the page shows.
	exit int
}

// Exit codes of the client, when a watched operation reaches FAILED_TEMP, and for errors.
const (
	exitWaits = 3
	exitFails = 1
)

var (
	// shellBlocks are for readers to paste. The output of such a block may follow, after the words "It prints".
	shellBlocks = regexp.MustCompile("(?sm)^ *```sh\n(.*?)^ *```\n(?:\nIt prints[^\n]*:\n\n```text\n(.*?)^```)?")
	stopped     = regexp.MustCompile(`(?m)^\d\d:\d\d .* FAILED_TEMP$`)
	refused     = regexp.MustCompile(`(?m)^windlass: `)
)

// commandsOf returns the commands in the blocks of a page that a reader can paste, in their order. The output of a
// block says whether its last command fails.
func commandsOf(page string) (out []pasted) {
	for _, block := range shellBlocks.FindAllStringSubmatch(page, -1) {
		out = append(out, commandsIn(block[1])...)
		switch output := block[2]; {
		case stopped.MatchString(output):
			out[len(out)-1].exit = exitWaits
		case refused.MatchString(output):
			out[len(out)-1].exit = exitFails
		}
	}
	return out
}

// commandsIn returns the commands in a block. A command continues until its quotes and its here-document end. Lines
// with only a comment belong to no command.
func commandsIn(block string) (out []pasted) {
	lines := strings.Split(strings.TrimRight(block, "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		if line := strings.TrimSpace(lines[i]); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		end := i + 1
		for end < len(lines) && incomplete(strings.Join(lines[i:end], "\n")) {
			end++
		}
		out = append(out, pasted{text: strings.Join(lines[i:end], "\n")})
		i = end - 1
	}
	return out
}

var (
	hereDocument = regexp.MustCompile(`<<\s*'?(\w+)'?`)
	comment      = regexp.MustCompile(`(?m)(^|\s)#.*$`)
)

func incomplete(command string) bool {
	if m := hereDocument.FindStringSubmatch(command); m != nil {
		return !strings.HasSuffix(command, "\n"+m[1])
	}
	return strings.HasSuffix(command, "\\") || quoteIsOpen(command)
}

// quoteIsOpen says whether a quote of the command has no end yet. Quotes within other quotes or comments are text.
func quoteIsOpen(command string) bool {
	var quote, last rune
	for _, c := range command {
		switch {
		case quote == '#':
			if c == '\n' {
				quote = 0
			}
		case quote != 0:
			if c == quote && (last != '\\' || quote == '\'') {
				quote = 0
			}
		case last != '\\' && (c == '\'' || c == '"'), c == '#' && (last == ' ' || last == '\n' || last == 0):
			quote = c
		}
		last = c
	}
	return quote == '\'' || quote == '"'
}

var indentedBlocks = regexp.MustCompile(`(?m)(?:^ {4}.*\n)+`)

// shellLine is the beginning of a command.
var shellLine = regexp.MustCompile(
	`^(\$ )?((?:windlass|windlass-lab|curl|kubectl|helm|sed|source|openstack|temporal|tctl) [^:]|cat > |eval |[A-Z_]+=)`)

// indented returns the commands in blocks with four spaces. The pages for operators have such blocks: an operator types
// these commands on several hosts, so nobody pastes a block as a whole. A block begins with a command or has none.
func indented(page string) (out []pasted) {
	for _, block := range indentedBlocks.FindAllString(page, -1) {
		lines := strings.Split(strings.TrimRight(block, "\n"), "\n")
		for i := range lines {
			lines[i] = strings.TrimPrefix(lines[i], "    ")
		}
		if !shellLine.MatchString(lines[0]) {
			continue
		}
		prompt := strings.HasPrefix(lines[0], "$ ")
		for i := 0; i < len(lines); i++ {
			if !shellLine.MatchString(lines[i]) || prompt != strings.HasPrefix(lines[i], "$ ") {
				continue // the output of a command
			}
			end := i + 1
			for end < len(lines) && incomplete(strings.Join(lines[i:end], "\n")) {
				end++
			}
			out = append(out, pasted{text: strings.TrimPrefix(strings.Join(lines[i:end], "\n"), "$ ")})
			i = end - 1
		}
	}
	return out
}

func TestCommandsOf_areThoseThatReadersPaste(t *testing.T) {
	t.Parallel()
	page := "Prose\n\n```text\nwindlass: it prints\n```\n\n```sh\n# it's a comment\nwindlass vnf list\nA=1 \\\n  windlass op list # the reader's\n\ncat > x << 'END'\nit's\nEND\n" +
		"windlass vnf scale edge-1\n```\n\nIt prints:\n\n```text\n00:01 SCALE FAILED_TEMP\n```\n\n```json\n{}\n```\n\n```sh\ngrep \"it's\" '\"'\n```\n\n" +
		"It prints, at once:\n\n```text\nwindlass: no\n```\n\n```sh\nls\n```\n"
	assert.Equal(t, []pasted{
		{text: "windlass vnf list"},
		{text: "A=1 \\\n  windlass op list # the reader's"},
		{text: "cat > x << 'END'\nit's\nEND"},
		{text: "windlass vnf scale edge-1", exit: exitWaits},
		{text: `grep "it's" '"'`, exit: exitFails},
		{text: "ls"},
	}, commandsOf(page))
}
