package lcm

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/windlass-nfv/windlass/internal/params"
)

// SSHPortKey is the member of a VIM's extra with the SSH port of servers, where it is not 22. Labs on one machine need
// it.
const SSHPortKey = "ssh_port"

// SSHPort returns the port that the extra of a VIM names, 0 when it names none. The error is a clause about its value.
func SSHPort(extra map[string]any) (int, error) {
	given, ok := extra[SSHPortKey]
	if !ok {
		return 0, nil
	}
	text := strings.TrimSpace(fmt.Sprint(given))
	if n, isNumber := given.(float64); isNumber {
		text = strconv.FormatFloat(n, 'f', -1, 64)
	}
	port, err := strconv.Atoi(text)
	if err != nil || port < 1 || port > 65535 {
		return 0, fmt.Errorf("must be a port between 1 and 65535, such as 2222, not %q", text)
	}
	return port, nil
}

// extraKeys are the members of a VIM's extra that Windlass or Tacker reads. Anybody may add others, as in Tacker.
var extraKeys = []string{
	SSHPortKey, "interface", "region", "call_timeout", "poll_interval", "outage_patience", "use_helm", "helm_info", "area",
}

// ExtraProblems returns the mistakes in the extra of a VIM; path is its path in the request.
func ExtraProblems(path string, extra map[string]any) []Problem {
	problems := Misspelt(path, extra, extraKeys)
	if _, err := SSHPort(extra); err != nil {
		problems = append(problems, Problem{Path: path + "." + SSHPortKey, Detail: err.Error()})
	}
	return problems
}

// Unknown returns the members of an object at path that are not in known, with a suggestion for each.
func Unknown(path string, object map[string]any, known []string) (problems []Problem) {
	for _, key := range slices.Sorted(maps.Keys(object)) {
		meant := params.Meant(key, known)
		switch meant {
		case key:
			continue
		case "":
			problems = append(problems, Problem{Path: MemberPath(path, key), Detail: "is unknown"})
		default:
			problems = append(problems, Problem{
				Path: MemberPath(path, key), Detail: fmt.Sprintf("is unknown; did you mean %s?", meant),
			})
		}
	}
	return problems
}

// Misspelt returns the members of an object at path that are not in known, but resemble a known member.
func Misspelt(path string, object map[string]any, known []string) (problems []Problem) {
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if meant := params.Meant(key, known); meant != "" && meant != key {
			problems = append(problems, Problem{
				Path: MemberPath(path, key), Detail: fmt.Sprintf("is unknown; did you mean %s?", meant),
			})
		}
	}
	return problems
}
