// Package scripts is everything that Windlass puts on a node: shell steps, and the configuration files of
// HAProxy, keepalived and kubeadm. It is pure: typed structs in, text out.
//
// Every shell step is one struct whose Render gives a whole bash script: a line with its name, one
// NAME='value' line for each parameter, and a body that is safe to run twice. Secrets are no parameters:
// they travel on stdin (see Stdin). A step exits with 75 when trying again can help, 65 or 78 when it
// cannot, 73 when the disk is full; before that it prints "windlass: " and a sentence without the node's
// name. What it finds out it prints as "windlass-result: key=value" (see ParseResults).
package scripts

import (
	"embed"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"text/template"
)

//go:embed sh/*.sh
var bodies embed.FS

//go:embed conf/*.tmpl
var configs embed.FS

// Script is a shell step.
type Script interface {
	// Name is the step's name, which is also the second line of the script.
	Name() string
	Render() (string, error)
}

// param is one NAME='value' line. A required parameter must not be empty.
type param struct {
	Name, Value string
	required    bool
}

func required(name, value string) param { return param{name, value, true} }
func optional(name, value string) param { return param{name, value, false} }
func number(name string, n int) param   { return param{name, fmt.Sprint(n), true} }
func flag(name string, on bool) param {
	return param{name, map[bool]string{true: "yes", false: "no"}[on], true}
}

var scriptTemplate = template.Must(template.New("script").Funcs(template.FuncMap{"quote": Quote}).Parse(
	`#!/bin/bash
# windlass: {{.Name}}
{{range .Params}}{{.Name}}={{quote .Value}}
{{end}}
{{range .Parts}}{{.}}
{{end}}`))

// render composes a script: the header, the libraries (base is always the first) and sh/<name>.sh.
func render(name string, params []param, libraries ...string) (string, error) {
	for _, p := range params {
		if p.required && p.Value == "" {
			return "", fmt.Errorf("script %s: parameter %s is empty", name, p.Name)
		}
		if strings.ContainsAny(p.Value, "\n\r\x00") {
			return "", fmt.Errorf("script %s: parameter %s is more than one line", name, p.Name)
		}
	}
	var parts []string
	for _, file := range slices.Concat([]string{"lib-base"}, libraries, []string{name}) {
		body, err := bodies.ReadFile("sh/" + file + ".sh")
		if err != nil {
			return "", fmt.Errorf("script %s: %w", name, err)
		}
		// Each file names its dialect for shellcheck; in a whole script the first line does that.
		text := strings.TrimSpace(strings.TrimPrefix(string(body), "# shellcheck shell=bash\n"))
		parts = append(parts, text+"\n")
	}
	var b strings.Builder
	err := scriptTemplate.Execute(&b, map[string]any{"Name": name, "Params": params, "Parts": parts})
	return strings.TrimRight(b.String(), "\n") + "\n", err
}

// config fills conf/<name>.tmpl with a typed struct; a missing key is an error.
func config(name string, data any) (string, error) {
	t, err := template.New(name+".tmpl").Option("missingkey=error").Funcs(template.FuncMap{
		"yaml": yamlString, "toml": yamlString, "word": word, "address": address, "add": func(a, b int) int { return a + b },
	}).ParseFS(configs, "conf/"+name+".tmpl")
	if err != nil {
		return "", fmt.Errorf("parse the template %s: %w", name, err)
	}
	var b strings.Builder
	if err := t.Execute(&b, data); err != nil {
		return "", fmt.Errorf("fill the template %s: %w", name, err)
	}
	return b.String(), nil
}

// Quote makes one shell word of s, whatever s contains.
func Quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// Input is one named value that a script reads from stdin.
type Input struct{ Name, Value string }

// Stdin encodes secrets and files for a script's stdin: one line "name=base64" each.
func Stdin(inputs ...Input) []byte {
	var b strings.Builder
	for _, in := range inputs {
		b.WriteString(in.Name + "=" + base64.StdEncoding.EncodeToString([]byte(in.Value)) + "\n")
	}
	return []byte(b.String())
}
