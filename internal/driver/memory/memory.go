// Package memory is a driver for tests: the smallest driver that does something in an operation. It remembers the
// servers of its VNFs, and touches none of them. docs/architecture.md (Adding a driver) says what its files are for.
package memory

import (
	"context"
	"encoding/json"

	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/params"
)

// Name would be the driver's name in a VNFD.
const Name = "windlass-memory"

// The steps.
const (
	Remember lifecycle.StepID = "remember-servers"
	Forget   lifecycle.StepID = "forget-servers"
)

// Params are the driver's parameters, the member memory of additionalParams.
type Params struct {
	// Limit is how many servers of a VDU the driver can remember; it refuses a VNF with more.
	Limit int `json:"limit" param:"default=3"`
}

// Driver remembers the servers of VNFs.
type Driver struct{}

// Name implements driver.Driver.
func (Driver) Name() string { return Name }

// Describe implements driver.Driver.
func (Driver) Describe() driver.Description {
	return driver.Description{Member: "memory", Params: Params{}, Optional: true}
}

// Bind implements driver.Driver.
func (Driver) Bind(additionalParams json.RawMessage) (driver.Binding, params.Mistakes) {
	var of struct {
		Memory Params `json:"memory"`
	}
	problems, _ := params.Manner{}.Read("$.additionalParams", additionalParams, &of)
	return &Memory{Params: of.Memory}, params.Mistakes{Types: problems}
}

// Memory is the driver of one VNF.
type Memory struct{ Params Params }

// Name implements lifecycle.VnfDriver.
func (*Memory) Name() string { return Name }

// CheckRequest implements driver.Binding.
func (m *Memory) CheckRequest(_ context.Context, r driver.Request, wrong params.Mistakes) error {
	r.Found.Mistake(wrong.With(nil)...)
	for vdu, n := range r.Capacity {
		if n > m.Params.Limit {
			r.Found.Mistake(lcm.Problem{
				Path:   "$.additionalParams.memory.limit",
				Detail: "is less than the number of servers of " + vdu,
			})
		}
	}
	return nil
}

// Steps implements lifecycle.VnfDriver. Servers are remembered after they have come, and forgotten before they go.
func (*Memory) Steps(at lifecycle.Hook, _ lifecycle.Facts, _ lcm.Plan) []lifecycle.Step {
	switch at {
	case lifecycle.InstantiateEnd, lifecycle.ScaleEnd, lifecycle.HealEnd:
		return []lifecycle.Step{{ID: Remember, Title: "Remember the servers", Undo: "they are forgotten"}}
	case lifecycle.TerminateStart, lifecycle.ScaleStart, lifecycle.HealStart:
		return []lifecycle.Step{{ID: Forget, Title: "Forget the servers", Undo: "they are remembered"}}
	default:
		return nil
	}
}

// Check implements lifecycle.VnfDriver.
func (m *Memory) Check(_ lifecycle.Facts, p lcm.Plan) error {
	for _, g := range p.Groups {
		if g.To > m.Params.Limit {
			return lcm.Errorf(lcm.KindInvalid, "The memory has room for %d servers of %s, not for %d.", m.Params.Limit, g.VduID,
				g.To)
		}
	}
	return nil
}
