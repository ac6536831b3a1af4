package hot

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// validate checks a stack as far as possible before any resource exists: references, types, property names and known
// values, and the same in nested templates.
func (f *frame) validate() error {
	if err := f.tmpl.checkReferences(); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(f.defs)) {
		if err := f.validateResource(f.defs[name]); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.tmpl.Outputs)) {
		if _, err := f.eval().Eval(f.tmpl.Outputs[name].Value); err != nil {
			return err
		}
	}
	return nil
}

func (f *frame) validateResource(d Definition) error {
	k, err := f.kind(d.Type)
	if err != nil {
		return err
	}
	if err := f.mayUse(d.Type); err != nil {
		return err
	}
	props, err := f.properties(d)
	if err != nil {
		return err
	}
	if _, none := k.(noneKind); none {
		return nil
	}
	check := func(constraint, value string) error { return f.e.cloud.Check(f.stack.ProjectID, constraint, value) }
	if err := k.schema().check(fmt.Sprintf("resources.%s.properties", d.Name), props, check); err != nil {
		return err
	}
	if err := k.validate(f, f.newRow(d, k), props); err != nil {
		if e, ok := errors.AsType[*Error](err); ok && e.Type == ValidationFailed {
			return invalid("Failed to validate: resources.%s: %s", d.Name, trimFailed(e.Message))
		}
		return err
	}
	return nil
}

// trimFailed removes Heat's preamble from the start of a nested message: the whole message has it only once.
func trimFailed(message string) string {
	const preamble = "Failed to validate: "
	if len(message) > len(preamble) && message[:len(preamble)] == preamble {
		return message[len(preamble):]
	}
	return message
}
