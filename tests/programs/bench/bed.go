package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/tests/support/environment"
)

// samplePackage is the package of the cluster.
const (
	samplePackage = "vnfpkg/samples/k8s-ha"
	vnfdID        = "ee1f8f34-7c92-4023-840d-6f3b6885d92e"
)

// bed is a lab and a Windlass to measure.
type bed struct {
	*environment.Environment
	api      string
	vim      string
	password string // of the nodes
}

// newBed starts a lab and Windlass, and onboards the sample package. The caller must close the bed.
func newBed(ctx context.Context, machines string, labArgs ...string) (*bed, error) {
	if machines == environment.Fake { // with addresses that no test and no demo uses
		labArgs = append(labArgs, "--net0", "127.81.0.0/20", "--public", "127.81.255.0/24")
	}
	say("Starting Windlass and a lab with %s machines ...", machines)
	return newBedIn(ctx, &environment.Lab{Machines: machines, Listen: "127.0.0.1:0", Args: labArgs}, samplePackage)
}

// newBedIn starts a cloud and Windlass, and onboards a package. The caller must close the bed.
func newBedIn(ctx context.Context, cloud environment.Cloud, pkg string) (_ *bed, err error) {
	dir, err := os.MkdirTemp("/var/tmp", "windlass-bench-")
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(dir, 0o755); err != nil { // PostgreSQL's account must be able to enter it
		return nil, err
	}
	b := &bed{password: rand.Text()}
	b.Environment, err = environment.Start(ctx, environment.Options{
		Dir: dir, Cloud: cloud, API: "127.0.0.1:0", Temporal: "127.0.0.1:0", UI: "127.0.0.1:0", Out: io.Discard,
	})
	if b.Environment != nil {
		defer func() {
			if err != nil {
				err = errors.Join(err, b.close())
			}
		}()
	}
	if err != nil {
		return nil, err
	}
	info, err := b.Info()
	if err != nil {
		return nil, err
	}
	b.api = info.API
	if err := b.register(ctx); err != nil {
		return nil, err
	}
	if out, err := b.Windlass(ctx, "package", "create", pkg).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("on-board the package: %w\n%s", err, out)
	}
	return b, nil
}

// close removes everything, also after the benchmark was interrupted.
func (b *bed) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	if err := b.Stop(ctx); err != nil {
		return err
	}
	return os.RemoveAll(b.Dir)
}

// call sends a request to the API and decodes the answer into out, unless out is nil.
func (b *bed) call(ctx context.Context, method, path string, in, out any) (http.Header, error) {
	return call(ctx, method, b.api+path, in, out)
}

func call(ctx context.Context, method, url string, in, out any) (http.Header, error) {
	var body io.Reader
	if in != nil {
		data, err := json.Marshal(in)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Version", "1.3.0")
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, err
	}
	if res.StatusCode >= http.StatusBadRequest {
		return nil, fmt.Errorf("%s %s: %s: %s", method, url, res.Status, data)
	}
	if out == nil {
		return res.Header, nil
	}
	return res.Header, json.Unmarshal(data, out)
}

func (b *bed) register(ctx context.Context) error {
	var made struct {
		Vim struct {
			ID string `json:"id"`
		} `json:"vim"`
	}
	_, err := b.call(ctx, http.MethodPost, "/v1.0/vims", b.Cloud.Login().Vim("cloud"), &made)
	b.vim = made.Vim.ID
	return err
}

// request returns the sample's request, for this lab and this level.
func (b *bed) request(level int) (map[string]any, error) {
	data, err := os.ReadFile(filepath.Join(b.Root, "vnfpkg/samples/requests/instantiate-ha.json"))
	if err != nil {
		return nil, err
	}
	var req map[string]any
	if err := json.Unmarshal(data, &req); err != nil {
		return nil, err
	}
	req["vimConnectionInfo"] = []any{map[string]any{"id": "openstack", "vimId": b.vim, "vimType": "openstack"}}
	req["instantiationLevelId"] = fmt.Sprintf("instantiation_level_%d", level)
	if params, ok := req["additionalParams"].(map[string]any); ok {
		if cluster, ok := params[k8s.ParamsKey].(map[string]any); ok {
			delete(cluster, "vim_name") // each of several clusters gets its own name
		}
	}
	environment.SetNodePassword(req, b.password)
	return req, nil
}

// operation is an operation, with the time when it was requested.
type operation struct {
	ID           string             `json:"id"`
	State        lcm.OperationState `json:"operationState"`
	StateEntered time.Time          `json:"stateEnteredTime"`
	Error        *struct {
		Detail string `json:"detail"`
	} `json:"error"`

	vnf  string
	sent time.Time // before the request
}

// took returns the time from the request to COMPLETED.
func (o operation) took() time.Duration { return o.StateEntered.Sub(o.sent) }

// instantiate makes a VNF of the sample package and waits until it is instantiated.
func (b *bed) instantiate(ctx context.Context, level int) (operation, error) {
	op, err := b.begin(ctx, level)
	if err != nil {
		return op, err
	}
	return b.await(ctx, "instantiate", op)
}

// begin makes a VNF of the sample package and requests its instantiation.
func (b *bed) begin(ctx context.Context, level int) (operation, error) {
	req, err := b.request(level)
	if err != nil {
		return operation{}, err
	}
	return b.beginOf(ctx, vnfdID, req)
}

// make makes a VNF and waits until it is instantiated.
func (b *bed) make(ctx context.Context, vnfd string, req map[string]any) (operation, error) {
	op, err := b.beginOf(ctx, vnfd, req)
	if err != nil {
		return op, err
	}
	return b.await(ctx, "instantiate", op)
}

func (b *bed) beginOf(ctx context.Context, vnfd string, req map[string]any) (operation, error) {
	var vnf struct {
		ID string `json:"id"`
	}
	if _, err := b.call(ctx, http.MethodPost, "/vnflcm/v1/vnf_instances",
		map[string]any{"vnfdId": vnfd, "vnfInstanceName": "bench"}, &vnf); err != nil {
		return operation{}, err
	}
	return b.ask(ctx, vnf.ID, "instantiate", req)
}

// terminate terminates and deletes the VNF.
func (b *bed) terminate(ctx context.Context, vnf string) (operation, error) {
	op, err := b.operate(ctx, vnf, "terminate", map[string]any{"terminationType": "FORCEFUL"})
	if err != nil {
		return op, err
	}
	_, err = b.call(ctx, http.MethodDelete, "/vnflcm/v1/vnf_instances/"+vnf, nil, nil)
	return op, err
}

func (b *bed) operate(ctx context.Context, vnf, task string, req any) (operation, error) {
	op, err := b.ask(ctx, vnf, task, req)
	if err != nil {
		return op, err
	}
	return b.await(ctx, task, op)
}

// ask requests an operation and does not wait for it.
func (b *bed) ask(ctx context.Context, vnf, task string, req any) (operation, error) {
	op := operation{vnf: vnf, sent: time.Now()}
	header, err := b.call(ctx, http.MethodPost, "/vnflcm/v1/vnf_instances/"+vnf+"/"+task, req, nil)
	op.ID = path.Base(header.Get("Location"))
	return op, err
}

// await waits until a requested operation is completed.
func (b *bed) await(ctx context.Context, task string, asked operation) (operation, error) {
	// The operation records its own times, so the interval of polling does not change the result.
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		op := operation{vnf: asked.vnf, sent: asked.sent}
		if _, err := b.call(ctx, http.MethodGet, "/vnflcm/v1/vnf_lcm_op_occs/"+asked.ID, nil, &op); err != nil {
			return op, err
		}
		switch {
		case op.State == lcm.Completed:
			return op, nil
		case op.Error != nil && op.State != lcm.Processing:
			return op, fmt.Errorf("%s is %s: %s", task, op.State, op.Error.Detail)
		}
		select {
		case <-ctx.Done():
			return op, ctx.Err()
		case <-tick.C:
		}
	}
}

// step is a row of an operation's progress.
type step struct {
	Index   int           `json:"index"`
	Title   string        `json:"title"`
	Node    string        `json:"node"`
	State   lcm.StepState `json:"state"`
	Started time.Time     `json:"startedAt"`
	Ended   time.Time     `json:"endedAt"`
}

func (b *bed) steps(ctx context.Context, op operation) (steps []step, err error) {
	_, err = b.call(ctx, http.MethodGet, "/windlass/v1/vnf_lcm_op_occs/"+op.ID+"/steps", nil, &steps)
	return steps, err
}
