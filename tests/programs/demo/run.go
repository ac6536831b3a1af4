package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/tests/support/environment"
)

const vimName = "cloud"

// demo is one run of the demo.
type demo struct {
	options
	env    *environment.Environment
	result result
}

// vnf is what the demo reads of a VnfInstance.
type vnf struct {
	ID           string `json:"id"`
	Name         string `json:"vnfInstanceName"`
	State        string `json:"instantiationState"`
	Instantiated struct {
		Flavour string `json:"flavourId"`
		Vnfcs   []struct {
			ID    string `json:"id"`
			VduID string `json:"vduId"`
		} `json:"vnfcResourceInfo"`
		ExtCps []struct {
			CpdID     string               `json:"cpdId"`
			Protocols []lcm.CpProtocolInfo `json:"cpProtocolInfo"`
		} `json:"extCpInfo"`
	} `json:"instantiatedVnfInfo"`
}

// operation is what the demo reads of a VnfLcmOpOcc.
type operation struct {
	ID           string             `json:"id"`
	Operation    lcm.Operation      `json:"operation"`
	State        lcm.OperationState `json:"operationState"`
	Start        time.Time          `json:"startTime"`
	StateEntered time.Time          `json:"stateEnteredTime"`
}

func (d *demo) run(ctx context.Context) error {
	d.title("Windlass and its cloud")
	d.say("%s", d.cloud.opening)
	var err error
	if d.env, err = environment.Start(ctx, d.Options); err != nil {
		return err
	}
	info, err := d.env.Info()
	if err != nil {
		return err
	}
	d.say("Windlass serves its API at %s.", info.API)
	if err := d.prepare(ctx); err != nil {
		return err
	}
	instance, op, err := d.instantiate(ctx)
	if err != nil {
		return err
	}
	if err := d.report(ctx, instance, op); err != nil {
		return err
	}
	if d.kubespray {
		if err := d.showScaling(ctx, instance); err != nil {
			return err
		}
	}
	if d.cnf {
		if err := d.showContainers(ctx); err != nil {
			return err
		}
	}
	d.lookAround(instance, op)
	return nil
}

// prepare registers the cloud and onboards the package, unless an earlier run has done so.
func (d *demo) prepare(ctx context.Context) error {
	d.title("The cloud as a VIM, and a VNF package")
	if err := d.register(ctx); err != nil {
		return err
	}
	return d.onboard(ctx, d.product().vnfdID, d.product().dir)
}

// onboard onboards a package, unless it is onboarded already.
func (d *demo) onboard(ctx context.Context, vnfdID, dir string) error {
	type vnfPkg struct {
		VnfdID string `json:"vnfdId"`
	}
	packages, err := query[[]vnfPkg](ctx, d, "package", "list")
	if err != nil {
		return err
	}
	if slices.Contains(packages, vnfPkg{vnfdID}) {
		return d.show(ctx, "package", "list")
	}
	return d.show(ctx, "package", "create", dir)
}

// vim is what the demo reads of a registered VIM.
type vim struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Type    string `json:"type"`
	AuthURL string `json:"auth_url"`
}

func (d *demo) register(ctx context.Context) error {
	vims, err := query[[]vim](ctx, d, "vim", "list")
	if err != nil {
		return err
	}
	if slices.ContainsFunc(vims, func(v vim) bool { return v.Name == vimName }) {
		return d.show(ctx, "vim", "list")
	}
	file, err := d.writeVim()
	if err != nil {
		return err
	}
	return d.show(ctx, "vim", "register", vimName, "--default", "--config", file)
}

// writeVim writes the login to the cloud, in the form of Tacker's client.
func (d *demo) writeVim() (string, error) {
	b, err := json.MarshalIndent(d.env.Cloud.Login().Config(), "", "  ") // JSON is YAML
	if err != nil {
		return "", err
	}
	file := filepath.Join(d.Dir, "vim.yaml")
	return file, os.WriteFile(file, b, 0o600)
}

// instantiate instantiates the VNF, or continues what an earlier run has begun.
func (d *demo) instantiate(ctx context.Context) (instance vnf, op operation, err error) {
	d.title("The VNF: a Kubernetes cluster")
	if instance, err = d.instance(ctx, d.product().vnfdID, d.product().instance); err != nil {
		return instance, op, err
	}
	if op, err = d.operate(ctx, instance); err != nil {
		return instance, op, err
	}
	if op, err = query[operation](ctx, d, "op", "show", op.ID); err != nil {
		return instance, op, err
	}
	instance, err = query[vnf](ctx, d, "vnf", "show", instance.ID)
	return instance, op, err
}

// operate begins the operation, or continues the last one, and shows it until it ends.
func (d *demo) operate(ctx context.Context, instance vnf) (last operation, err error) {
	if last, err = d.last(ctx, instance.ID, lcm.OpInstantiate); err != nil {
		return last, err
	}
	switch {
	case instance.State == string(lcm.Instantiated):
		d.say("It runs already.")
		return last, nil
	case last.State == lcm.FailedTemp:
		d.say("Its instantiation has failed before and is retried at the step that failed.")
		return last, d.follow(ctx, last.ID, "op", "retry", last.ID, "--watch")
	case last.ID == "" || last.State.Terminal():
		if last.ID, err = d.begin(ctx, instance); err != nil {
			return last, err
		}
	}
	return last, d.follow(ctx, last.ID, "op", "watch", last.ID)
}

// instance finds the demo's VNF instance with this name, or creates it.
func (d *demo) instance(ctx context.Context, vnfdID, name string) (vnf, error) {
	all, err := query[[]vnf](ctx, d, "vnf", "list")
	if err != nil {
		return vnf{}, err
	}
	if i := slices.IndexFunc(all, func(v vnf) bool { return v.Name == name }); i >= 0 {
		return all[i], d.show(ctx, "vnf", "show", all[i].ID)
	}
	d.command("vnf", "create", vnfdID, "--name", name)
	made, err := query[vnf](ctx, d, "vnf", "create", vnfdID, "--name", name)
	if err != nil {
		return made, err
	}
	d.say("VNF instance %s", made.ID)
	return made, nil
}

// begin starts the operation and returns its id.
func (d *demo) begin(ctx context.Context, instance vnf) (string, error) {
	file, err := d.writeRequest(ctx)
	if err != nil {
		return "", err
	}
	return d.instantiateBy(ctx, instance, file)
}

// instantiateBy begins an instantiation with the request in a file.
func (d *demo) instantiateBy(ctx context.Context, instance vnf, file string) (string, error) {
	d.command("vnf", "instantiate", instance.ID, file)
	began, err := query[struct {
		ID string `json:"vnfLcmOpOccId"`
	}](ctx, d, "vnf", "instantiate", instance.ID, file)
	if err != nil {
		return "", err
	}
	d.say("Operation %s, in Temporal's Web UI: %s", began.ID, d.workflowURL(began.ID))
	return began.ID, nil
}

func (d *demo) requestFile() string { return filepath.Join(d.Dir, "instantiate.json") }

// writeRequest changes the sample's request for this cloud, with a new password for the nodes.
func (d *demo) writeRequest(ctx context.Context) (string, error) {
	b, err := os.ReadFile(filepath.Join(d.env.Root, "vnfpkg/samples/requests", d.product().request))
	if err != nil {
		return "", err
	}
	var request map[string]any
	if err := json.Unmarshal(b, &request); err != nil {
		return "", err
	}
	vims, err := query[[]vim](ctx, d, "vim", "list")
	if err != nil {
		return "", err
	}
	for _, v := range vims {
		if v.Name == vimName {
			request["vimConnectionInfo"] = []any{map[string]any{"id": "openstack", "vimId": v.ID, "vimType": "openstack"}}
		}
	}
	request["instantiationLevelId"] = d.level
	environment.SetNodePassword(request, rand.Text())
	if d.kubespray {
		ansible, err := d.ansible(ctx)
		if err != nil {
			return "", err
		}
		environment.SetAnsible(request, ansible)
	}
	d.env.Cloud.Adapt(request)
	if b, err = json.MarshalIndent(request, "", "  "); err != nil {
		return "", err
	}
	return d.requestFile(), os.WriteFile(d.requestFile(), b, 0o600)
}

// follow shows an operation until it ends. If it has failed, follow says what the user can do.
func (d *demo) follow(ctx context.Context, op string, args ...string) error {
	err := d.show(ctx, args...)
	if ctx.Err() != nil {
		return errors.New("interrupted. The operation goes on; go tool task demo" + d.more() + " follows it again")
	}
	if err == nil {
		return nil
	}
	return d.failed(context.WithoutCancel(ctx), op)
}
