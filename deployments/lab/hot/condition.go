package hot

func evalIf(e *Evaluator, _ string, arg any) (any, error) {
	list, ok := arg.([]any)
	if !ok || len(list) < 2 || len(list) > 3 {
		return nil, invalid(`Arguments to "if" must be of the form: [condition_name, value_if_true, value_if_false]`)
	}
	yes, err := e.Condition(list[0])
	if err != nil {
		return nil, err
	}
	if yes {
		return e.Eval(list[1])
	}
	if len(list) == 2 {
		return nil, nil //nolint:nilnil // the value null: the property is not set
	}
	return e.Eval(list[2])
}

func evalBool(e *Evaluator, name string, arg any) (any, error) {
	return e.Condition(map[string]any{name: arg})
}

// Condition evaluates a condition: a boolean, a name from the section conditions, or a function.
func (e *Evaluator) Condition(v any) (bool, error) {
	switch x := v.(type) {
	case nil:
		return true, nil
	case bool:
		return x, nil
	case string:
		return e.namedCondition(x)
	case map[string]any:
		if name, arg, ok := e.call(x); ok {
			return e.conditionFunction(name, arg)
		}
	}
	return false, invalid("Invalid condition \"%s\"", text(v))
}

func (e *Evaluator) namedCondition(name string) (bool, error) {
	v, ok := e.Template.Conditions[name]
	if !ok {
		if b, isBool := Bool(name); isBool {
			return b, nil
		}
		return false, invalid("Invalid condition \"%s\"", name)
	}
	if e.visiting[name] {
		return false, invalid("Circular definition for condition \"%s\"", name)
	}
	if e.visiting == nil {
		e.visiting = map[string]bool{}
	}
	e.visiting[name] = true
	defer delete(e.visiting, name)
	return e.Condition(v)
}

func (e *Evaluator) conditionFunction(name string, arg any) (bool, error) {
	switch name {
	case "equals":
		list, ok := arg.([]any)
		if !ok || len(list) != 2 {
			return false, invalid(`Arguments to "equals" must be of the form: [value_1, value_2]`)
		}
		pair, err := e.Eval(arg)
		if err != nil {
			return false, err
		}
		return same(pair.([]any)[0], pair.([]any)[1]), nil
	case "not":
		yes, err := e.Condition(arg)
		return !yes, err
	case "and", "or":
		return e.allOrAny(name, arg)
	default:
		v, err := e.Eval(map[string]any{name: arg})
		if err != nil {
			return false, err
		}
		if b, ok := Bool(v); ok {
			return b, nil
		}
		return false, invalid("Invalid condition \"%s\"", text(v))
	}
}

func (e *Evaluator) allOrAny(name string, arg any) (bool, error) {
	list, ok := arg.([]any)
	if !ok || len(list) < 2 {
		return false, invalid(`The minimum number of condition arguments to "%s" is 2.`, name)
	}
	for _, item := range list {
		yes, err := e.Condition(item)
		if err != nil {
			return false, err
		}
		if yes == (name == "or") {
			return yes, nil
		}
	}
	return name == "and", nil
}
