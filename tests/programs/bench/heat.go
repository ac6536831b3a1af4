package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/orchestration/v1/stacks"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/requests"
	"github.com/windlass-nfv/windlass/internal/vim/templates"
	"github.com/windlass-nfv/windlass/vnfpkg"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/hot"
)

// stack is the definition of a stack.
type stack struct {
	name       string
	template   hot.Template
	parameters map[string]any
}

// ToStackCreateMap implements gophercloud's interface.
func (s stack) ToStackCreateMap() (map[string]any, error) {
	return map[string]any{
		"stack_name": s.name, "template": s.template.Top, "files": s.template.Files, "parameters": s.parameters,
		"disable_rollback": true, "timeout_mins": 10,
	}, nil
}

// heat makes stacks without Windlass.
type heat struct {
	client *gophercloud.ServiceClient
	bed    *bed
	// poll is the interval of polling.
	poll time.Duration
}

func (b *bed) heat(ctx context.Context) (*heat, error) {
	provider, err := b.Cloud.Login().Client(ctx)
	if err != nil {
		return nil, fmt.Errorf("log in to the cloud: %w", err)
	}
	client, err := openstack.NewOrchestrationV1(provider, b.Cloud.Login().Endpoint())
	// The interval is so short that it does not change the times much.
	return &heat{client, b, 20 * time.Millisecond}, err
}

// definition returns the stack that Windlass would make of the sample package for this level.
func (h *heat) definition(name string, level int) (stack, error) {
	request, err := h.bed.request(level)
	if err != nil {
		return stack{}, err
	}
	return h.define(name, samplePackage, request)
}

// define returns the stack that Windlass would make of a package for a request.
func (h *heat) define(name, dir string, request map[string]any) (stack, error) {
	var archive bytes.Buffer
	if err := vnfpkg.Build(filepath.Join(h.bed.Root, dir), &archive); err != nil {
		return stack{}, err
	}
	pkg, err := vnfpkg.Open(bytes.NewReader(archive.Bytes()), int64(archive.Len()),
		vnfpkg.Options{Templates: templates.Make})
	if err != nil {
		return stack{}, err
	}
	files := map[string][]byte{}
	for artifact, content := range pkg.Files(1 << 20) {
		files[artifact.Path] = content
	}
	id, _ := request["flavourId"].(string)
	flavour, err := pkg.Vnfd.Flavour(id)
	if err != nil {
		return stack{}, err
	}
	template, err := hot.StackTemplate(flavour, func(path string) ([]byte, error) { return files[path], pkg.Err() })
	if err != nil {
		return stack{}, err
	}
	parameters, err := heatParameters(flavour, template, request)
	return stack{name, template, parameters}, err
}

func heatParameters(
	flavour *descriptor.Flavour, template hot.Template, request map[string]any,
) (map[string]any, error) {
	doc, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	asked, err := requests.Read(lcm.OpInstantiate, 1, doc)
	if err != nil {
		return nil, err
	}
	parsed, err := lcm.RequestAs[lcm.InstantiateRequest](asked.Request)
	if err != nil {
		return nil, err
	}
	additional, _ := request["additionalParams"].(map[string]any)
	return hot.Parameters(flavour, template, hot.Request{
		LevelID: parsed.InstantiationLevelID, ExtVirtualLinks: parsed.ExtVirtualLinks, AdditionalParams: additional,
	})
}

// outputs are the outputs of the sample's template.
type outputs struct {
	APIAddress    string   `json:"api_address"`
	ControlPlanes []string `json:"control_plane_addresses"`
	Workers       []string `json:"worker_addresses"`
}

// create makes a stack and returns its id and its outputs when it is complete.
func (h *heat) create(ctx context.Context, s stack) (id string, out outputs, err error) {
	made, err := stacks.Create(ctx, h.client, s).Extract()
	if err != nil {
		return "", out, err
	}
	out, err = h.outputsOf(ctx, s.name, made.ID)
	return made.ID, out, err
}

// outputsOf waits until the stack is complete and reads its outputs.
func (h *heat) outputsOf(ctx context.Context, name, id string) (out outputs, err error) {
	have, err := h.wait(ctx, name, id)
	if err != nil {
		return out, err
	}
	values := map[string]any{}
	for _, o := range have.Outputs {
		key, _ := o["output_key"].(string)
		values[key] = o["output_value"]
	}
	doc, err := json.Marshal(values)
	if err != nil {
		return out, err
	}
	return out, json.Unmarshal(doc, &out)
}

// delete deletes a stack and waits until it is gone.
func (h *heat) delete(ctx context.Context, name, id string) error {
	if err := stacks.Delete(ctx, h.client, name, id).ExtractErr(); err != nil {
		return err
	}
	_, err := h.wait(ctx, name, id)
	if gophercloud.ResponseCodeIs(err, http.StatusNotFound) {
		return nil
	}
	return err
}

// wait waits until the stack's action has ended.
func (h *heat) wait(ctx context.Context, name, id string) (*stacks.RetrievedStack, error) {
	for {
		s, err := stacks.Get(ctx, h.client, name, id).Extract()
		switch {
		case err != nil:
			return nil, err
		case strings.HasSuffix(s.Status, "_COMPLETE"):
			return s, nil
		case strings.HasSuffix(s.Status, "_FAILED"):
			return nil, errors.New(s.StatusReason)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(h.poll):
		}
	}
}
