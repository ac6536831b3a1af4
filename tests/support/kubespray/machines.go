package kubespray

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net/http"
	"text/template"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/orchestration/v1/stacks"

	"github.com/windlass-nfv/windlass/tests/support/environment"
)

// The images of the lab's machines. The image of an Ansible server also has the packages that kubespray installs on
// nodes, the one for a cloud without the Internet all that kubespray downloads as well.
const (
	NodeImage    = "debian-12-k8s"
	AnsibleImage = "debian-12-ansible"
	OfflineImage = "debian-12-offline"
)

// Server is a machine to be made in a cloud, outside of any VNF.
type Server struct {
	Name, Image string
	// Password is the password of the user debian; "" leaves the image's own.
	Password string
}

// Machine is a server that Machines made.
type Machine struct{ ID, Address string }

//go:embed stack.yaml
var stackTemplate string

// definition is gophercloud's interface for the definition of a stack.
type definition struct{ name, template string }

// ToStackCreateMap implements stacks.CreateOptsBuilder.
func (d definition) ToStackCreateMap() (map[string]any, error) {
	return map[string]any{"stack_name": d.name, "template": d.template, "disable_rollback": true, "timeout_mins": 10}, nil
}

// Machines makes servers in a stack of that name, or finds the servers of an earlier call, and returns them by their
// names.
func Machines(ctx context.Context, login environment.Login, stack string, servers ...Server) (map[string]Machine, error) {
	var text bytes.Buffer
	if err := template.Must(template.New("stack").Parse(stackTemplate)).Execute(&text, servers); err != nil {
		return nil, err
	}
	heat, err := heatOf(ctx, login)
	if err != nil {
		return nil, err
	}
	made, err := createStack(ctx, heat, definition{stack, text.String()})
	if err != nil {
		return nil, fmt.Errorf("make the stack %s: %w", stack, err)
	}
	return machinesOf(made, len(servers))
}

// RemoveMachines deletes the stack with all that is in it.
func RemoveMachines(ctx context.Context, login environment.Login, stack string) error {
	heat, err := heatOf(ctx, login)
	if err != nil {
		return err
	}
	made, err := stacks.Find(ctx, heat, stack).Extract()
	if err != nil {
		return err
	}
	if err := stacks.Delete(ctx, heat, made.Name, made.ID).ExtractErr(); err != nil {
		return err
	}
	return await(ctx, func() (bool, error) {
		now, err := stacks.Get(ctx, heat, made.Name, made.ID).Extract()
		if gophercloud.ResponseCodeIs(err, http.StatusNotFound) {
			return true, nil
		}
		return err == nil && now.Status == "DELETE_COMPLETE", err
	})
}

func heatOf(ctx context.Context, login environment.Login) (*gophercloud.ServiceClient, error) {
	provider, err := login.Client(ctx)
	if err != nil {
		return nil, err
	}
	return openstack.NewOrchestrationV1(provider, login.Endpoint())
}

// createStack creates the stack, unless it exists, and waits until it is complete.
func createStack(ctx context.Context, heat *gophercloud.ServiceClient, d definition) (stack *stacks.RetrievedStack, err error) {
	_, err = stacks.Create(ctx, heat, d).Extract()
	if err != nil && !gophercloud.ResponseCodeIs(err, http.StatusConflict) {
		return nil, err
	}
	return stack, await(ctx, func() (bool, error) {
		if stack, err = stacks.Find(ctx, heat, d.name).Extract(); err != nil {
			return false, err
		}
		if stack.Status != "CREATE_COMPLETE" && stack.Status != "CREATE_IN_PROGRESS" {
			return false, fmt.Errorf("it is %s: %s", stack.Status, stack.StatusReason)
		}
		return stack.Status == "CREATE_COMPLETE", nil
	})
}

// await calls look until something is done.
func await(ctx context.Context, look func() (done bool, err error)) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	looks := time.NewTicker(200 * time.Millisecond)
	defer looks.Stop()
	for {
		if done, err := look(); done || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-looks.C:
		}
	}
}

func machinesOf(stack *stacks.RetrievedStack, want int) (map[string]Machine, error) {
	machines := map[string]Machine{}
	for _, output := range stack.Outputs {
		name, _ := output["output_key"].(string)
		value, _ := output["output_value"].([]any)
		if len(value) != 2 {
			return nil, fmt.Errorf("the output %s is %v", name, output["output_value"])
		}
		id, _ := value[0].(string)
		address, _ := value[1].(string)
		machines[name] = Machine{ID: id, Address: address}
	}
	if len(machines) != want {
		return nil, errors.New("the stack has other machines than it was made for")
	}
	return machines, nil
}
