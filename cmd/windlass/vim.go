package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"

	"github.com/spf13/cobra"
)

func newVim(c *cli) *cobra.Command {
	cmd := &cobra.Command{Use: "vim", Aliases: []string{"vims"}, Short: "Register the clouds and clusters that VNFs run on"}
	cmd.AddCommand(newVimRegister(c), newVimList(c), newVimShow(c), newVimUpdate(c), newVimDelete(c))
	return cmd
}

// vim is the part of a registered VIM that tables show.
type vim struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Type        string   `json:"type"`
	AuthURL     string   `json:"auth_url"`
	IsDefault   bool     `json:"is_default"`
	Status      string   `json:"status"`
	Reason      string   `json:"status_reason"`
	Warnings    []string `json:"warnings"`
	Placement   struct {
		Version string `json:"version"`
	} `json:"placement_attr"`
	Project map[string]any `json:"vim_project"`
	Extra   map[string]any `json:"extra"`
}

func newVimRegister(c *cli) *cobra.Command {
	var configFile, kubeconfig, description string
	var isDefault bool
	cmd := &cobra.Command{
		Use:   "register NAME {--config FILE | --kubeconfig FILE}",
		Short: "Register an OpenStack or a Kubernetes cluster",
		Long: `Register a VIM. FILE is YAML, in the form that "openstack vim register --config-file" takes; "-" is
standard input. Windlass seals the credentials before it stores them.

  type: openstack                      type: kubernetes
  auth_url: http://cloud:5000/v3       auth_url: https://cluster:6443
  username: nfv_user                   bearer_token: ...
  password: ...                        ssl_ca_cert: |
  project_name: nfv                      -----BEGIN CERTIFICATE-----
  project_domain_name: Default         project_name: default
  user_domain_name: Default
  cert_verify: "True"

The command takes the current context of a kubeconfig. It must contain all data, as 'kubectl config view --flatten
--minify --raw' prints it.`,
		Example: `  windlass vim register north --config north.yaml --default
  windlass vim register edge --kubeconfig ~/.kube/config`,
		Args: exactly("NAME"),
	}
	cmd.Flags().StringVar(&configFile, "config", "", "YAML `file` with the address and the credentials")
	cmd.Flags().StringVar(&kubeconfig, "kubeconfig", "", "kubeconfig `file` of a Kubernetes cluster")
	cmd.Flags().StringVar(&description, "description", "", "what it is")
	cmd.Flags().BoolVar(&isDefault, "default", false, "use it where a request names no VIM")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		read, file := c.readVimConfig, configFile
		switch {
		case kubeconfig != "" && configFile != "":
			return usageErrorf(cmd, "Give --config or --kubeconfig, not both.")
		case kubeconfig != "":
			read, file = c.readKubeconfig, kubeconfig
		case configFile == "":
			return usageErrorf(cmd, "--config is missing.")
		}
		request, err := read(file)
		if err != nil {
			return err
		}
		request["name"], request["description"], request["is_default"] = args[0], description, isDefault
		var answer struct {
			Vim json.RawMessage `json:"vim"`
		}
		_, err = c.client.send(cmd.Context(), http.MethodPost, vimsPath, map[string]any{"vim": request}, &answer)
		if err != nil {
			return err
		}
		return c.printVim(answer.Vim)
	}
	return cmd
}

func newVimList(c *cli) *cobra.Command {
	var f listFlags
	cmd := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "List the registered VIMs",
		Example: "  windlass vim list\n  windlass vim list -o jsonpath='{.items[*].name}'\n" +
			"  windlass vim list --filter '(eq,type,kubernetes)'",
		Args: exactly(),
	}
	f.addListFlags(cmd)
	f.addFilterFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return showList(cmd, c, f, vimTable(), func(ctx context.Context) ([]json.RawMessage, error) {
			answer := struct {
				Vims []json.RawMessage `json:"vims"`
			}{Vims: []json.RawMessage{}}
			err := c.client.get(ctx, vimsPath+filterText(f.filter), &answer)
			return answer.Vims, err
		})
	}
	return cmd
}

func vimTable() table[vim] {
	return table[vim]{kind: "vim", id: func(v vim) string { return v.ID }, columns: []column[vim]{
		{name: "ID", of: func(v vim) any { return v.ID }},
		{name: "NAME", of: func(v vim) any { return v.Name }},
		{name: "TYPE", of: func(v vim) any { return v.Type }},
		{name: "ADDRESS", of: func(v vim) any { return v.AuthURL }},
		{name: "DEFAULT", of: func(v vim) any { return yes(v.IsDefault) }},
		{name: "STATUS", of: func(v vim) any { return v.Status }},
		{name: "PROJECT", of: func(v vim) any { return orEmpty(v.Project["name"]) }, wide: true},
		{name: "REASON", of: func(v vim) any { return v.Reason }, wide: true},
	}}
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return ""
}

func newVimShow(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:     "show NAME|ID",
		Aliases: []string{"describe", "get"},
		Short:   "Show one VIM, without its secrets",
		Example: "  windlass vim show north",
		Args:    exactly("NAME or ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			raw, err := c.findVim(cmd, args[0])
			if err != nil {
				return err
			}
			return c.printVim(raw)
		},
	}
}

func newVimUpdate(c *cli) *cobra.Command {
	var configFile, name, description string
	var isDefault bool
	cmd := &cobra.Command{
		Use:   "update NAME|ID [--config FILE] [--name N] [--description D] [--default=true|false]",
		Short: "Change the credentials, the name or the description of a VIM",
		Long: `Change a VIM. Properties that you do not give stay as they are. FILE is YAML as for 'windlass vim
register'; it may have only some of the credentials. Windlass tries them against the VIM before it replaces the
present ones. VNFs may use the VIM meanwhile. You cannot change its type and its address: register another VIM.`,
		Example: `  windlass vim update north --config new-password.yaml
  windlass vim update north --name south --default=false`,
		Args: exactly("NAME or ID"),
	}
	cmd.Flags().StringVar(&configFile, "config", "", "YAML `file` with new credentials")
	cmd.Flags().StringVar(&name, "name", "", "new `name`")
	cmd.Flags().StringVar(&description, "description", "", "new `text` that says what it is")
	cmd.Flags().BoolVar(&isDefault, "default", false, "use it where a request names no VIM, or not any more")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		raw, err := c.findVim(cmd, args[0])
		if err != nil {
			return err
		}
		v, err := decode[vim](raw)
		if err != nil {
			return err
		}
		request := map[string]any{}
		if configFile != "" {
			if request, err = c.readVimChanges(cmd, configFile, v); err != nil {
				return err
			}
		}
		for flag, value := range map[string]any{"name": name, "description": description} {
			if cmd.Flags().Changed(flag) {
				request[flag] = value
			}
		}
		if cmd.Flags().Changed("default") {
			request["is_default"] = isDefault
		}
		if len(request) == 0 {
			return usageErrorf(cmd, "There is nothing to change: give --config, --name, --description or --default.")
		}
		var answer struct {
			Vim json.RawMessage `json:"vim"`
		}
		_, err = c.client.send(cmd.Context(), http.MethodPut, vimsPath+"/"+url.PathEscape(v.ID),
			map[string]any{"vim": request}, &answer)
		if err != nil {
			return err
		}
		return c.printVim(answer.Vim)
	}
	return cmd
}

// readVimChanges reads a configuration for an existing VIM, and refuses members that cannot be changed.
func (c *cli) readVimChanges(cmd *cobra.Command, file string, present vim) (map[string]any, error) {
	request, err := c.readVimConfig(file)
	if err != nil {
		return nil, err
	}
	if address, given := request["auth_url"]; given && address != present.AuthURL {
		return nil, usageErrorf(cmd, "You cannot change the address of a VIM: %s has %s. Register another VIM.", present.Name,
			present.AuthURL)
	}
	delete(request, "auth_url")
	delete(request, "type")
	for _, part := range []string{"auth_cred", "vim_project"} {
		if members, _ := request[part].(map[string]any); len(members) == 0 {
			delete(request, part)
		}
	}
	return request, nil
}

func newVimDelete(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:     "delete NAME|ID...",
		Aliases: []string{"rm"},
		Short:   "Forget VIMs that no VNF instance uses",
		Example: "  windlass vim delete north",
		Args:    atLeastOne("NAME or ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, arg := range args {
				raw, err := c.findVim(cmd, arg)
				if err != nil {
					return err
				}
				v, err := decode[vim](raw)
				if err != nil {
					return err
				}
				if _, err := c.client.send(cmd.Context(), http.MethodDelete, vimsPath+"/"+url.PathEscape(v.ID), nil,
					nil); err != nil {
					return err
				}
				c.confirm("VIM %s is deleted.", arg)
			}
			return nil
		},
	}
}

// findVim reads the VIM with that name or id: the registry is small.
func (c *cli) findVim(cmd *cobra.Command, nameOrID string) (json.RawMessage, error) {
	var answer struct {
		Vims []json.RawMessage `json:"vims"`
	}
	if err := c.client.get(cmd.Context(), vimsPath, &answer); err != nil {
		return nil, err
	}
	vims, err := decodeAll[vim](answer.Vims)
	if err != nil {
		return nil, err
	}
	id, err := c.idOf(cmd.Context(), vimNaming, nameOrID)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(vims, func(v vim) bool { return v.ID == id })
	if i < 0 {
		return nil, fmt.Errorf("there is no VIM %q; 'windlass vim list' shows them all", nameOrID)
	}
	return answer.Vims[i], nil
}

func (c *cli) printVim(raw json.RawMessage) error {
	v, err := decode[vim](raw)
	if err != nil {
		return err
	}
	return c.print(raw, func(w io.Writer) {
		field(w, "ID", v.ID)
		field(w, "Name", v.Name)
		field(w, "Description", v.Description)
		field(w, "Type", v.Type)
		field(w, "Address", v.AuthURL)
		field(w, "Project", orEmpty(v.Project["name"]))
		field(w, "Default", yes(v.IsDefault))
		field(w, "Status", v.Status)
		for _, f := range []struct{ name, value string }{{"Reason", v.Reason}, {"Version", v.Placement.Version}} {
			if f.value != "" {
				field(w, f.name, f.value)
			}
		}
		for _, warning := range v.Warnings {
			field(w, "Warning", warning)
		}
		for _, key := range sortedKeys(v.Extra) {
			field(w, "Extra "+key, v.Extra[key])
		}
	})
}

func orEmpty(v any) any {
	if v == nil {
		return ""
	}
	return v
}
