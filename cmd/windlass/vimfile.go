package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/windlass-nfv/windlass/internal/params"
	"github.com/windlass-nfv/windlass/internal/vim/all"
)

// readVimConfig turns Tacker's flat file into the body that the registry takes.
func (c *cli) readVimConfig(name string) (map[string]any, error) {
	b, err := c.readVimFile(name)
	if err != nil {
		return nil, err
	}
	if err := c.checkVimKeys(name, b); err != nil {
		return nil, err
	}
	flat := map[string]any{}
	if err := yaml.Unmarshal(b, &flat); err != nil {
		return nil, fmt.Errorf("the file %s cannot be read: %s", name, reasonOf(err))
	}
	request := map[string]any{"type": "openstack"}
	credentials, project := map[string]any{}, map[string]any{}
	for key, value := range flat {
		if slices.Contains(passedOver, key) {
			continue
		}
		switch key {
		case "auth_url", "type", "extra":
			request[key] = value
		case "project_name":
			project["name"] = value
		case "project_id":
			project["id"] = value
		case "project_domain_name", "project_domain_id":
			project[key] = value
		default: // username, password, bearer_token, ssl_ca_cert, user_domain_name, cert_verify, oidc_token_url ...
			credentials[key] = value
		}
	}
	request["auth_cred"], request["vim_project"] = credentials, project
	return request, nil
}

// passedOver are keys in Tacker's own examples that Tacker's client passes over. The domains of the user and of the
// project have keys of their own.
var passedOver = []string{"domain_name", "domain_id"}

// checkVimKeys refuses unknown keys in a VIM's file: a misspelt key would be missing, and the VIM would get the blame.
func (c *cli) checkVimKeys(name string, text []byte) error {
	known := []string{"auth_url", "type", "extra", "project_name", "project_id", "project_domain_name", "project_domain_id"}
	for _, kind := range all.Kinds {
		known = append(known, kind.Members...)
	}
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return fmt.Errorf("the file %s is not YAML: %s", name, reasonOf(err))
	}
	if len(document.Content) == 0 {
		return nil
	}
	mapping := document.Content[0]
	if mapping.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d of the file %s: the file must have lines such as auth_url: http://cloud:5000/v3",
			mapping.Line, name)
	}
	var wrong []string
	given := map[string]int{}
	for i, node := range mapping.Content {
		if i%2 == 1 {
			continue
		}
		if first, twice := given[node.Value]; twice {
			wrong = append(wrong, fmt.Sprintf("line %d: %s is in line %d already", node.Line, node.Value, first))
			continue
		}
		given[node.Value] = node.Line
		if slices.Contains(passedOver, node.Value) {
			fmt.Fprintf(c.err, "%s: line %d: %s has no effect, as with Tacker's client: user_domain_name and "+
				"project_domain_name count.\n", name, node.Line, node.Value)
			continue
		}
		if slices.Contains(known, node.Value) {
			continue
		}
		text := fmt.Sprintf("line %d: %s is no key of a VIM's file", node.Line, node.Value)
		if meant := params.Meant(node.Value, known); meant != "" {
			text += fmt.Sprintf("; did you mean %s?", meant)
		}
		wrong = append(wrong, text)
	}
	if len(wrong) == 0 {
		return nil
	}
	return fmt.Errorf("the file %s has mistakes:\n  %s", name, strings.Join(wrong, "\n  "))
}

// readKubeconfig makes a body of a kubeconfig, which the registry takes apart.
func (c *cli) readKubeconfig(name string) (map[string]any, error) {
	b, err := c.readVimFile(name)
	return map[string]any{"type": "kubernetes", "auth_cred": map[string]any{"kubeconfig": string(b)}}, err
}

// readVimFile reads a file, or standard input for "-".
func (c *cli) readVimFile(name string) (b []byte, err error) {
	if name == "-" {
		b, err = io.ReadAll(c.in)
	} else {
		b, err = os.ReadFile(name)
	}
	if err != nil {
		return nil, fmt.Errorf("read the VIM's configuration: %w", err)
	}
	return b, nil
}

// reasonOf removes the quotes of the file from YAML errors: the file holds passwords.
func reasonOf(err error) string {
	line, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "yaml: "), "\n")
	if strings.HasPrefix(line, "unknown anchor") {
		return "a value begins with *; put it in quotes"
	}
	return line
}
