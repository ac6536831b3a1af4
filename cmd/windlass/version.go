package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"
)

// version is set by the linker in releases: -ldflags "-X main.version=1.2.3".
var version = ""

// askVersionWithin is how long 'windlass version' waits for a server that need not be there.
const askVersionWithin = 3 * time.Second

func newVersion(c *cli) *cobra.Command {
	var own bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version of this program, and the server's",
		Example: "  windlass version\n  windlass version --client",
		Args:    exactly(),
	}
	cmd.Flags().BoolVar(&own, "client", false, "do not ask the server")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		fmt.Fprintf(c.out, "windlass %s (%s %s/%s)\n", versionText(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
		if own {
			return nil
		}
		ctx, cancel := context.WithTimeout(cmd.Context(), askVersionWithin)
		defer cancel()
		var server struct {
			Version   string `json:"version"`
			GoVersion string `json:"goVersion"`
		}
		if err := c.client.get(ctx, "/windlass/v1/version", &server); err != nil {
			fmt.Fprintf(c.out, "server   no answer at %s\n", c.client.base)
			return nil //nolint:nilerr // the program's own version is what was asked for first
		}
		fmt.Fprintf(c.out, "server   %s (%s) at %s\n", server.Version, server.GoVersion, c.client.base)
		return nil
	}
	return cmd
}

// versionText is the release, or else the commit that Go put into the binary.
func versionText() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "devel"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return "devel-" + s.Value[:12]
		}
	}
	return "devel"
}
