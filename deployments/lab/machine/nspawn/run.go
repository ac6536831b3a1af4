package nspawn

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
)

// run executes a command on the host; the command's standard error becomes the error's text.
func run(ctx context.Context, stdin string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		said := strings.TrimSpace(stderr.String())
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return stdout.String(), fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, said)
	}
	return stdout.String(), nil
}
