package openstack

import (
	"encoding/json"
	"fmt"

	"github.com/windlass-nfv/windlass/deployments/lab/hot"
)

// stackRequest is the body of POST, PUT and PATCH on stacks. Clients send some members as text or as JSON.
type stackRequest struct {
	Name             string            `json:"stack_name"`
	Template         json.RawMessage   `json:"template"`
	TemplateURL      string            `json:"template_url"`
	Files            map[string]string `json:"files"`
	Environment      json.RawMessage   `json:"environment"`
	EnvironmentFiles []string          `json:"environment_files"`
	Parameters       map[string]any    `json:"parameters"`
	Clear            []string          `json:"clear_parameters"`
	Timeout          any               `json:"timeout_mins"`
	DisableRollback  *bool             `json:"disable_rollback"`
	Tags             any               `json:"tags"`
}

// readStack turns a request's body into the engine's request.
func (c *Cloud) readStack(r *request) (hot.Request, error) {
	var q stackRequest
	if err := r.decode("", &q); err != nil {
		return hot.Request{}, err
	}
	req := hot.Request{
		Name: q.Name, ProjectID: r.project(), UserID: r.token.UserID, UserName: r.token.UserName, Files: q.Files,
		Parameters: q.Parameters,
		Clear:      q.Clear, TimeoutMins: intOf(q.Timeout, 0), DisableRollback: q.DisableRollback, Tags: stackTags(q.Tags),
	}
	if q.TemplateURL != "" {
		return req, badRequest("The lab fetches no templates (template_url); send the template itself.")
	}
	var err error
	if req.Template, err = textOrObject(q.Template, "template"); err != nil {
		return req, err
	}
	for _, name := range q.EnvironmentFiles {
		env, err := hot.ParseEnvironment(q.Files[name])
		if err != nil {
			return req, err
		}
		req.Environment = req.Environment.Merge(env)
	}
	m, err := textOrObject(q.Environment, "environment")
	if err != nil || m == nil {
		return req, err
	}
	env, err := hot.EnvironmentFromMap(m)
	if err != nil {
		return req, err
	}
	req.Environment = req.Environment.Merge(env)
	return req, nil
}

// textOrObject reads a document in YAML text or JSON; it returns nil when the document is missing.
func textOrObject(raw json.RawMessage, what string) (map[string]any, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil //nolint:nilnil // not given
	}
	text := string(raw) // JSON is YAML as well
	var s string
	if json.Unmarshal(raw, &s) == nil {
		text = s
	}
	doc, err := hot.ParseYAML(text)
	if err != nil {
		return nil, badRequest("Error parsing %s: %v", what, err)
	}
	if doc == nil {
		return nil, nil //nolint:nilnil // an empty text
	}
	m, isMap := doc.(map[string]any)
	if !isMap {
		return nil, badRequest("The %s is not a JSON object or YAML mapping.", what)
	}
	return m, nil
}

func stackTags(v any) []string {
	switch x := v.(type) {
	case string:
		return splitComma(x)
	case []any:
		out := []string{}
		for _, item := range x {
			out = append(out, fmt.Sprint(item))
		}
		return out
	default:
		return nil
	}
}
