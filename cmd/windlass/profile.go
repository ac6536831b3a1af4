package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"
)

// profile is what a client is told by a file: where the API is, and who the client is there.
type profile struct {
	API        string `yaml:"api"`
	LcmVersion int    `yaml:"lcmVersion"`
	Output     string `yaml:"output"`
	// Auth is a mode of credentials; the secrets themselves are in the environment.
	Auth       string `yaml:"auth,omitempty"       json:",omitempty"`
	CACert     string `yaml:"caCert,omitempty"     json:",omitempty"`
	ClientCert string `yaml:"clientCert,omitempty" json:",omitempty"`
	ClientKey  string `yaml:"clientKey,omitempty"  json:",omitempty"`
}

// profilesFile is where profiles are kept.
func profilesFile() (string, error) {
	if file := os.Getenv("WINDLASS_PROFILES"); file != "" {
		return file, nil
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("find the file with the profiles; WINDLASS_PROFILES can name it: %w", err)
	}
	return filepath.Join(dir, "windlass", "profiles.yaml"), nil
}

// readProfiles reads all profiles; without the file there are none.
func readProfiles() (all map[string]profile, file string, err error) {
	if file, err = profilesFile(); err != nil {
		return nil, "", err
	}
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, file, nil
	}
	if err != nil {
		return nil, file, fmt.Errorf("read the profiles: %w", err)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&all); err != nil && !errors.Is(err, io.EOF) {
		return nil, file, fmt.Errorf("%s is not a list of profiles: %s", file, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	return all, file, nil
}

// profileOf is the profile of that name, or of the one in WINDLASS_PROFILE; without a name it is empty.
func profileOf(name string) (profile, error) {
	if name = cmp.Or(name, os.Getenv("WINDLASS_PROFILE")); name == "" {
		return profile{}, nil
	}
	all, file, err := readProfiles()
	if err != nil {
		return profile{}, err
	}
	p, found := all[name]
	if !found {
		return p, fmt.Errorf("there is no profile %q in %s, which has: %s", name, file, cmp.Or(strings.Join(sortedKeys(all), ", "), "none"))
	}
	return p, nil
}

func newProfile(c *cli) *cobra.Command {
	cmd := &cobra.Command{Use: "profile", Short: "Show the profiles of this client"}
	cmd.AddCommand(newProfileList(c))
	return cmd
}

func newProfileList(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the profiles",
		Long: `List the profiles: APIs that --profile NAME, or WINDLASS_PROFILE, chooses among. They are kept in profiles.yaml in
the directory windlass of your configuration (~/.config), or in the file that WINDLASS_PROFILES names.`,
		Example: "  windlass profile list",
		Args:    exactly(),
		RunE: func(*cobra.Command, []string) error {
			all, file, err := readProfiles()
			if err != nil {
				return err
			}
			if len(all) == 0 {
				return fmt.Errorf("there are no profiles: %s does not exist, or is empty", file)
			}
			return c.print(all, func(w io.Writer) {
				row(w, "NAME", "API", "LCM VERSION")
				for _, name := range sortedKeys(all) {
					row(w, name, all[name].API, cmp.Or(all[name].LcmVersion, 1))
				}
			})
		},
	}
}
