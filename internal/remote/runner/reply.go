package runner

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
)

// replyPrefix marks the runner's own lines on stderr; other lines come from sudo, a shell or a tool.
const replyPrefix = "windlass-runner: "

// Reply is one line of the runner, as the client reads it.
type Reply struct {
	Word string // "attempt", "beat", "state", "rc", "stdout", "file", "error"
	Rest string
}

// ParseReply reads one line of stderr; ok is false when it is not the runner's.
func ParseReply(line string) (Reply, bool) {
	rest, ok := strings.CutPrefix(line, replyPrefix)
	if !ok {
		return Reply{}, false
	}
	word, rest, _ := strings.Cut(strings.TrimSpace(rest), " ")
	return Reply{Word: word, Rest: rest}, word != ""
}

// String is the line, with its newline.
func (r Reply) String() string {
	return replyPrefix + strings.TrimSpace(r.Word+" "+r.Rest) + "\n"
}

// States of a command or a file without a result.
const (
	Lost      = "lost"      // no such command, or it is gone without a result
	Cancelled = "cancelled" // a kill came before the start
	Killed    = "killed"    // the kill is done
	Absent    = "absent"    // no such file
)

// The reasons why a command ended.
const (
	Ended    = "ended"
	Deadline = "deadline"
)

// RC is the reply that ends a command.
func RC(code int, why string) Reply {
	return Reply{Word: "rc", Rest: strconv.Itoa(code) + " " + why}
}

// RC reads the exit code, and the reason why the command ended.
func (r Reply) RC() (code int, why string, err error) {
	if _, err := fmt.Sscanf(r.Rest, "%d %s", &code, &why); err != nil {
		return 0, "", fmt.Errorf("read the runner's result %q: %w", r.Rest, err)
	}
	return code, why, nil
}

// Stdout is the reply with stdout, separate from the output.
func Stdout(content []byte) Reply {
	return Reply{Word: "stdout", Rest: base64.StdEncoding.EncodeToString(content)}
}

// Stdout reads the command's stdout from the runner's reply.
func (r Reply) Stdout() ([]byte, error) {
	content, err := base64.StdEncoding.DecodeString(r.Rest)
	if err != nil {
		return nil, fmt.Errorf("read the command's stdout: %w", err)
	}
	return content, nil
}
