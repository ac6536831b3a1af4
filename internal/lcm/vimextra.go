package lcm

import (
	"fmt"
	"strconv"
	"strings"
)

// SSHPortKey is the member of a VIM's extra that names another port than 22 for SSH to servers; labs on one machine
// need it.
const SSHPortKey = "ssh_port"

// SSHPort is the port that the extra of a VIM names, 0 when it names none. The error is a clause about its value.
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
