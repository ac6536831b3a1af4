package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/windlass-nfv/windlass/internal/params"
)

// requestEdits are changes of a request on its way.
type requestEdits struct {
	vim        string
	sets       []string
	setsOfFile []string
}

func (e *requestEdits) addEditFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&e.vim, "vim", "", "instantiate on the VIM with this `name` or id, not on the VIM of the "+
		"request")
	cmd.Flags().StringArrayVar(&e.sets, "set", nil,
		"set a member of the request, `path=value`: a.b[0].c=5; numbers, true, false, null and JSON keep their types")
	cmd.Flags().StringArrayVar(&e.setsOfFile, "set-file", nil,
		"set a member of the request to the text of a file, `path=file`, as for passwords and keys")
}

// unreplaced begins a placeholder in a sample request; the user has to replace it.
const unreplaced = "REPLACE-"

// readFilled reads a request from a file. The request is sent unchanged, except for names of VIMs.
func (c *cli) readFilled(ctx context.Context, file string) (map[string]any, error) {
	raw, err := c.readRequest(file)
	if err != nil {
		return nil, err
	}
	return c.edit(ctx, raw, requestEdits{})
}

// edit turns the request in a file into the request to send.
func (c *cli) edit(ctx context.Context, raw json.RawMessage, e requestEdits) (map[string]any, error) {
	request, err := params.Unmarshal(raw)
	if err != nil {
		return nil, fmt.Errorf("read the request: %w", err)
	}
	object, ok := request.(map[string]any)
	if !ok {
		return nil, errors.New("the request must be a JSON object")
	}
	if e.vim != "" {
		if err := c.setVim(ctx, object, e.vim); err != nil {
			return nil, err
		}
	}
	for _, assignment := range e.sets {
		if err := assign(object, assignment, "--set", func(text string) (any, error) { return valueOf(text), nil }); err != nil {
			return nil, err
		}
	}
	for _, assignment := range e.setsOfFile {
		if err := assign(object, assignment, "--set-file", textOfFile); err != nil {
			return nil, err
		}
	}
	if left := unreplacedIn("$", object); len(left) > 0 {
		return nil, fmt.Errorf("the request has values that you must replace:\n  %s", strings.Join(left, "\n  "))
	}
	return object, c.nameVims(ctx, object)
}

// instantiateMembers are the members of InstantiateVnfRequest, in both versions of the API.
var instantiateMembers = []string{
	"flavourId", "instantiationLevelId", "extVirtualLinks", "extManagedVirtualLinks", "vimConnectionInfo",
	"localizationLanguage", "additionalParams", "extensions", "vnfConfigurableProperties",
}

// warnOfMisspelt warns of members that resemble a member of the request. The API ignores members that it does not know,
// as the standard wants; with another word for instantiationLevelId the VNF would have the default level.
func (c *cli) warnOfMisspelt(request map[string]any, members []string) {
	for _, name := range sortedKeys(request) {
		if meant := params.Meant(name, members); meant != "" && meant != name {
			fmt.Fprintf(c.err, "The API ignores %q of the request. Did you mean %q?\n", name, meant)
		}
	}
}

// setVim puts a VIM into the request, in the form of the API's version.
func (c *cli) setVim(ctx context.Context, request map[string]any, name string) error {
	var answer struct {
		Vims []vim `json:"vims"`
	}
	if err := c.client.get(ctx, vimsPath, &answer); err != nil {
		return err
	}
	id, err := c.idOf(ctx, vimNaming, name)
	if err != nil {
		return err
	}
	connection := map[string]any{"id": "vim", "vimId": id}
	for _, v := range answer.Vims {
		if v.ID == id {
			connection["vimType"] = v.Type
		}
	}
	if strings.HasSuffix(c.client.lcm, "/v2") {
		delete(connection, "id")
		request["vimConnectionInfo"] = map[string]any{"vim": connection}
		return nil
	}
	request["vimConnectionInfo"] = []any{connection}
	return nil
}

// nameVims makes ids of the names of VIMs.
func (c *cli) nameVims(ctx context.Context, request map[string]any) error {
	var connections []any
	switch list := request["vimConnectionInfo"].(type) {
	case []any:
		connections = list
	case map[string]any:
		for _, key := range sortedKeys(list) {
			connections = append(connections, list[key])
		}
	}
	for _, each := range connections {
		connection, _ := each.(map[string]any)
		name, _ := connection["vimId"].(string)
		if name == "" {
			continue
		}
		id, err := c.idOf(ctx, vimNaming, name)
		if err != nil {
			return err
		}
		connection["vimId"] = id
	}
	return nil
}

// valueOf is a value of --set: JSON if the text is valid JSON, else the text.
func valueOf(text string) any {
	if !json.Valid([]byte(text)) {
		return text
	}
	v, err := params.Unmarshal([]byte(text))
	if err != nil {
		return text
	}
	return v
}

func textOfFile(file string) (any, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the file of --set-file: %w", err)
	}
	return strings.TrimRight(string(b), "\r\n"), nil
}

// assign applies "path=value". It makes missing objects on the way; lists must be long enough.
func assign(request map[string]any, assignment, flag string, read func(string) (any, error)) error {
	path, text, found := strings.Cut(assignment, "=")
	steps := strings.FieldsFunc(strings.TrimPrefix(path, "$."), func(r rune) bool { return strings.ContainsRune(".[]", r) })
	if !found || len(steps) == 0 {
		return fmt.Errorf("%s must be path=value, not %q", flag, path)
	}
	value, err := read(text)
	if err != nil {
		return err
	}
	var at any = request
	for i, step := range steps {
		last := i == len(steps)-1
		switch here := at.(type) {
		case map[string]any:
			if last {
				here[step] = value
			} else if here[step] == nil {
				here[step] = map[string]any{}
			}
			at = here[step]
		case []any:
			n, err := strconv.Atoi(step)
			if err != nil || n < 0 || n >= len(here) {
				return fmt.Errorf("%s %s: there is no element %s in a list of %d", flag, path, step, len(here))
			}
			if last {
				here[n] = value
			}
			at = here[n]
		default:
			return fmt.Errorf("%s %s: the value before %s is not an object", flag, path, step)
		}
	}
	return nil
}

// unreplacedIn are the paths of placeholders that nobody has replaced.
func unreplacedIn(path string, v any) (places []string) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range sortedKeys(v) {
			places = append(places, unreplacedIn(path+"."+key, v[key])...)
		}
	case []any:
		for i, element := range v {
			places = append(places, unreplacedIn(fmt.Sprintf("%s[%d]", path, i), element)...)
		}
	case string:
		if strings.HasPrefix(v, unreplaced) {
			places = append(places, path+" is "+v)
		}
	}
	return places
}
