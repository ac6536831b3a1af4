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
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"
)

// profile holds a client's settings from a file: the address of the API, and the client's credentials there.
type profile struct {
	API        string `yaml:"api" json:"api"`
	LcmVersion int    `yaml:"lcmVersion" json:"lcmVersion,omitempty"`
	Output     string `yaml:"output" json:"output,omitempty"`
	// Auth is a mode of credentials.
	Auth       string `yaml:"auth" json:"auth,omitempty"`
	CACert     string `yaml:"caCert" json:"caCert,omitempty"`
	ClientCert string `yaml:"clientCert" json:"clientCert,omitempty"`
	ClientKey  string `yaml:"clientKey" json:"clientKey,omitempty"`
	// Variables are environment variables that the mode reads. Secrets are the secret variables, by the places that hold
	// their values.
	Variables map[string]string `yaml:"variables" json:"variables,omitempty"`
	Secrets   map[string]secret `yaml:"secrets" json:"secrets,omitempty"`
}

// secret is where a secret is: in a file, or in another variable.
type secret struct {
	File string `yaml:"file" json:"file,omitempty"`
	Env  string `yaml:"env" json:"env,omitempty"`
}

func (s secret) read() (string, error) {
	if (s.File == "") == (s.Env == "") {
		return "", errors.New("must have either a file or an env")
	}
	if s.Env != "" {
		value := os.Getenv(s.Env)
		if value == "" {
			return "", fmt.Errorf("is in %s, which is empty", s.Env)
		}
		return value, nil
	}
	file := s.File
	if rest, found := strings.CutPrefix(file, "~/"); found {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		file = filepath.Join(home, rest)
	}
	text, err := os.ReadFile(file)
	return strings.TrimRight(string(text), "\r\n"), err
}

// secretName is how variables with secrets are called.
var secretName = regexp.MustCompile(`(PASSWORD|SECRET|TOKEN)$`)

// environment returns the variables that the profile sets for the client.
func (p profile) environment() (map[string]string, error) {
	all := map[string]string{}
	for _, name := range sortedKeys(p.Variables) {
		if secretName.MatchString(name) {
			return nil, fmt.Errorf("%s is a secret: put it below secrets, as a file or an env with its value", name)
		}
		all[name] = p.Variables[name]
	}
	for _, name := range sortedKeys(p.Secrets) {
		value, err := p.Secrets[name].read()
		if err != nil {
			return nil, fmt.Errorf("the secret %s: %w", name, err)
		}
		all[name] = value
	}
	for name := range all {
		if !strings.HasPrefix(name, "WINDLASS_") && !strings.HasPrefix(name, "OS_") {
			return nil, fmt.Errorf("this client does not read the variable %s: its variables begin with WINDLASS_ or "+
				"OS_", name)
		}
	}
	return all, nil
}

// enterProfile sets the environment variables of the profile that args choose; leave restores the environment. It runs
// before the commands are made, because their flags take defaults from the environment. It keeps silent about mistakes:
// profileOf reports them when a command needs the profile.
func enterProfile(args []string) (leave func()) {
	p, err := profileOf(profileIn(args))
	if err != nil {
		return func() {}
	}
	variables, _ := p.environment() // profileOf has seen to it
	before := map[string]*string{}
	for name, value := range variables {
		if old, found := os.LookupEnv(name); found {
			before[name] = &old
		} else {
			before[name] = nil
		}
		_ = os.Setenv(name, value) // it fails for names that cannot be
	}
	return func() {
		for name, old := range before {
			if old == nil {
				_ = os.Unsetenv(name)
			} else {
				_ = os.Setenv(name, *old)
			}
		}
	}
}

// profileIn is the value of --profile.
func profileIn(args []string) string {
	for i, arg := range args {
		if arg == "--" {
			break
		}
		if value, found := strings.CutPrefix(arg, "--profile="); found {
			return value
		}
		if arg == "--profile" && i+1 < len(args) {
			return args[i+1]
		}
	}
	return ""
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

// currentFile has the name of the profile that 'windlass profile use' has chosen, beside the profiles.
const currentFile = ".current"

// currentProfile is the default profile, "" for none.
func currentProfile() string {
	file, err := profilesFile()
	if err != nil {
		return ""
	}
	name, err := os.ReadFile(file + currentFile)
	if err != nil {
		return "" // none was chosen
	}
	return strings.TrimSpace(string(name))
}

// profileOf is the profile of that name, else the profile in WINDLASS_PROFILE, else the current one. Without any name
// it is empty.
func profileOf(name string) (profile, error) {
	if name = cmp.Or(name, os.Getenv("WINDLASS_PROFILE"), currentProfile()); name == "" {
		return profile{}, nil
	}
	all, file, err := readProfiles()
	if err != nil {
		return profile{}, err
	}
	p, found := all[name]
	if !found {
		return p, fmt.Errorf("there is no profile %q in %s, which has: %s", name, file,
			cmp.Or(strings.Join(sortedKeys(all), ", "), "none"))
	}
	if _, err := p.environment(); err != nil {
		return p, fmt.Errorf("the profile %s in %s: %w", name, file, err)
	}
	return p, nil
}

func newProfile(c *cli) *cobra.Command {
	cmd := &cobra.Command{Use: "profile", Short: "Show the profiles of this client"}
	cmd.AddCommand(newProfileList(c), newProfileUse(c))
	return cmd
}

func newProfileUse(c *cli) *cobra.Command {
	var none bool
	cmd := &cobra.Command{
		Use:   "use NAME",
		Short: "Choose the default profile",
		Long: `Choose the profile for commands without --profile and WINDLASS_PROFILE. --none removes the choice.
Windlass keeps the choice in a file beside the profiles.`,
		Example: "  windlass profile use north\n  windlass profile use --none",
	}
	cmd.Flags().BoolVar(&none, "none", false, "use no profile any more")
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if none {
			return exactly()(cmd, args)
		}
		return exactly("NAME")(cmd, args)
	}
	// It must work when the chosen profile no longer exists.
	cmd.PersistentPreRunE = func(*cobra.Command, []string) error { c.format = formatTable; return nil }
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		file, err := profilesFile()
		if err != nil {
			return err
		}
		if none {
			if err := os.Remove(file + currentFile); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("forget the current profile: %w", err)
			}
			c.confirm("Commands now use no profile, unless you name one.")
			return nil
		}
		if _, err := profileOf(args[0]); err != nil {
			return err
		}
		if err := os.WriteFile(file+currentFile, []byte(args[0]+"\n"), 0o600); err != nil {
			return fmt.Errorf("keep the choice of the profile: %w", err)
		}
		c.confirm("Commands now use the profile %s.", args[0])
		return nil
	}
	return cmd
}

func newProfileList(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the profiles",
		Long: `List the profiles. A profile is an API, which --profile NAME or WINDLASS_PROFILE chooses. The
profiles are in profiles.yaml in the directory windlass of your configuration (~/.config), or in the file that
WINDLASS_PROFILES names.`,
		Example: "  windlass profile list",
		Args:    exactly(),
		RunE: func(*cobra.Command, []string) error {
			all, file, err := readProfiles()
			if err != nil {
				return err
			}
			if len(all) == 0 {
				fmt.Fprintf(c.err, "There are no profiles: %s does not exist, or is empty.\n", file)
				all = map[string]profile{}
			}
			return c.print(all, func(w io.Writer) {
				current := cmp.Or(os.Getenv("WINDLASS_PROFILE"), currentProfile())
				row(w, "NAME", "API", "LCM VERSION", "CURRENT")
				for _, name := range sortedKeys(all) {
					row(w, name, all[name].API, cmp.Or(all[name].LcmVersion, 1), yes(name == current))
				}
			})
		},
	}
}
