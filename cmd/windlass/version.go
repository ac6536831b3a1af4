package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is set by the linker in releases: -ldflags "-X main.version=1.2.3".
var version = ""

func newVersion(con *console) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  windlass version",
		Args:    exactly(),
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(con.out, "windlass %s (%s %s/%s)\n", versionText(), runtime.Version(), runtime.GOOS,
				runtime.GOARCH)
			return err
		},
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
