package main

import (
	"context"
	"fmt"
	"io"
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
		Example: "  windlass version\n  windlass version --client -o json",
		Args:    exactly(),
	}
	cmd.Flags().BoolVar(&own, "client", false, "do not ask the server")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		shown := versions{Client: ownVersion()}
		if !own {
			shown.Server = c.serverVersion(cmd.Context())
		}
		return c.print(shown, func(w io.Writer) { shown.describe(w, own, c.client.base) })
	}
	return cmd
}

// versions are those of the client and of the server. Server is nil if nobody has asked, or no server has answered.
type versions struct {
	Client programVersion  `json:"client"`
	Server *programVersion `json:"server,omitempty"`
}

// programVersion is the version of a program, and of the Go that made it.
type programVersion struct {
	Version   string `json:"version"`
	GoVersion string `json:"goVersion"`
	Platform  string `json:"platform,omitempty"`
}

func ownVersion() programVersion {
	return programVersion{versionText(), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
}

// serverVersion asks the server. It returns nil if there is no answer: the program's own version is what was asked for
// first.
func (c *cli) serverVersion(ctx context.Context) *programVersion {
	ctx, cancel := context.WithTimeout(ctx, askVersionWithin)
	defer cancel()
	var server programVersion
	if err := c.client.get(ctx, "/windlass/v1/version", &server); err != nil {
		return nil
	}
	return &server
}

func (v versions) describe(w io.Writer, own bool, api string) {
	fmt.Fprintf(w, "windlass %s (%s %s)\n", v.Client.Version, v.Client.GoVersion, v.Client.Platform)
	switch {
	case own:
	case v.Server == nil:
		fmt.Fprintf(w, "server   no answer at %s\n", api)
	default:
		fmt.Fprintf(w, "server   %s (%s) at %s\n", v.Server.Version, v.Server.GoVersion, api)
	}
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
