package machines

import (
	"encoding/base64"
	"encoding/pem"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// encoded are the results whose values are in base64.
var encoded = []string{"attached", "ca", "failure", "haproxy", "manifest", "member", "node", "pod", "problem"}

// alias sets the name that replaces a text which differs with the kind of machine.
func (s *stage) alias(text, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.aliases = append([]string{text, name}, s.aliases...) // the newest first: a longer text may contain an older one
}

// plain replaces the texts that differ with the kind of machine by their names.
func (s *stage) plain(text string) string { return strings.NewReplacer(s.aliases...).Replace(text) }

// read returns the value of a result without the parts that differ between machines or runs.
func (s *stage) read(script, key, value string) string {
	if slices.Contains(encoded, key) || script == "look-at-volumes" {
		if text, err := base64.StdEncoding.DecodeString(value); err == nil {
			value = string(text)
		}
	}
	switch fields := strings.Split(value, "|"); {
	case key == "clock":
		return s.clock(value)
	case key == "ca" && value != "":
		if block, rest := pem.Decode([]byte(value)); block != nil && strings.TrimSpace(string(rest)) == "" {
			return "a certificate"
		}
	case key == "haproxy" && value != "" && value == strings.TrimRight(s.haproxy, "\n"):
		return "as configured"
	case key == "server" && (value == "kernel" || value == "ganesha"):
		return "an NFS server"
	case key == "failure":
		return reason.ReplaceAllString(value, "does not answer (...);")
	case key == "node" && len(fields) > 3: // name|ready|cordoned|reason|message
		return strings.Join(fields[:3], "|")
	case key == "member" && len(fields) == 6: // id|name|peer|started|learner|healthy
		return strings.Join(fields[1:], "|")
	case key == "pod" && len(fields) == 6: // namespace|name|phase|claim|server|class
		fields[1] = generated.ReplaceAllString(fields[1], "$1")
		return strings.Join(fields, "|")
	case key == "volume" && len(fields) == 10 && fields[1] != "" && fields[2] != "": // name|uid|version|...
		fields[1], fields[2] = "uid", "version"
		return strings.Join(fields, "|")
	}
	return value
}

var (
	// reason is the reason of curl, or of Go.
	reason = regexp.MustCompile(`does not answer \(.*\);`)
	// generated is the name of a Pod that a Deployment has made.
	generated = regexp.MustCompile(`^(nfs-fast)-.*$`)
)

func (s *stage) clock(value string) string {
	seconds, err := strconv.ParseInt(value, 10, 64)
	if err == nil && time.Since(time.Unix(seconds, 0)).Abs() < time.Minute {
		return "now"
	}
	return value
}
