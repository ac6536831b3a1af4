package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"github.com/windlass-nfv/windlass/deployments/lab/machine/fake"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

func newOpenRC() *cobra.Command {
	var dir, user string
	cmd := &cobra.Command{
		Use:   "openrc",
		Short: "Print shell variables for OpenStack clients, with the password",
		Example: `  eval "$(windlass-lab openrc)" && openstack server list
  windlass-lab openrc --user admin`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			lab, password, err := passwordOf(dir, user)
			if err != nil {
				_, _ = fmt.Fprintln(cmd.OutOrStdout(), "false") // so that eval "$(windlass-lab openrc)" fails, too
				return err
			}
			return openrc(cmd.OutOrStdout(), lab, user, password)
		},
	}
	cmd.Flags().StringVar(&dir, "state-dir", defaultStateDir(), "`directory` with the state of the lab")
	cmd.Flags().StringVar(&user, "user", "demo", "`name` of the user: demo or admin")
	return cmd
}

func openrc(out io.Writer, lab info, user, password string) error {
	for _, v := range [][2]string{
		{"OS_AUTH_URL", lab.URL + "/identity/v3"},
		{"OS_IDENTITY_API_VERSION", "3"},
		{"OS_USERNAME", user},
		{"OS_PASSWORD", password},
		{"OS_PROJECT_NAME", "demo"},
		{"OS_USER_DOMAIN_NAME", "Default"},
		{"OS_PROJECT_DOMAIN_NAME", "Default"},
		{"OS_REGION_NAME", lab.Region},
		{"OS_INTERFACE", "public"},
		{"LAB", lab.URL}, // the base of the lab's own API, /lab
	} {
		if _, err := fmt.Fprintf(out, "export %s='%s'\n", v[0], strings.ReplaceAll(v[1], "'", `'\''`)); err != nil {
			return err
		}
	}
	return nil
}

// passwordOf finds the lab that runs in a state directory, and the password of one of its users.
func passwordOf(dir, user string) (info, string, error) {
	lab, err := running(dir)
	if err != nil {
		return lab, "", err
	}
	secrets, err := readPasswords(lab.PasswordFile)
	if err != nil {
		return lab, "", err
	}
	password, known := map[string]string{"demo": secrets.Demo, "admin": secrets.Admin}[user]
	if !known {
		return lab, "", lcm.Errorf(lcm.KindInvalid, "The users are demo and admin, not %q.", user)
	}
	return lab, password, nil
}

func newVim() *cobra.Command {
	var dir, user string
	cmd := &cobra.Command{
		Use:   "vim",
		Short: "Print a file for 'windlass vim register --config', with the password",
		Example: `  windlass-lab vim > lab.yaml && windlass vim register lab --config lab.yaml --default
  windlass-lab vim --user admin | windlass vim register lab --config -`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			lab, password, err := passwordOf(dir, user)
			if err != nil {
				return err
			}
			return vimFile(cmd.OutOrStdout(), lab, user, password)
		},
	}
	cmd.Flags().StringVar(&dir, "state-dir", defaultStateDir(), "`directory` with the state of the lab")
	cmd.Flags().StringVar(&user, "user", "demo", "`name` of the user: demo or admin")
	return cmd
}

// vimFile writes the configuration of a VIM. Fake machines use another SSH port: 22 needs root.
func vimFile(out io.Writer, lab info, user, password string) error {
	extra := map[string]any{"region": lab.Region}
	if lab.Machines == machinesFake {
		extra["ssh_port"] = fake.DefaultPort
	}
	b, err := yaml.Marshal(map[string]any{
		"type": "openstack", "auth_url": lab.URL + "/identity/v3", "username": user, "password": password,
		"project_name": "demo", "project_domain_name": "Default", "user_domain_name": "Default", "extra": extra,
	})
	if err != nil {
		return err
	}
	_, err = out.Write(b)
	return err
}
