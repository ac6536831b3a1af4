package hot

import (
	"fmt"
	"slices"
)

// Scope resolves the names that functions refer to.
type Scope interface {
	Param(name string) (any, error)
	Ref(resource string) (any, error)
	Attr(resource, attr string, path []any) (any, error)
	File(name string) (string, error)
}

// Unknown stands for a value that is not known before its resource exists. A value computed from it is unknown as well;
// the validation skips it.
var Unknown any = unknown{}

type unknown struct{}

// MarshalText makes an Unknown recognisable in output.
func (unknown) MarshalText() ([]byte, error) { return []byte("(unknown)"), nil }

func hasUnknown(v any) bool {
	switch x := v.(type) {
	case unknown:
		return true
	case []any:
		return slices.ContainsFunc(x, hasUnknown)
	case map[string]any:
		for _, item := range x {
			if hasUnknown(item) {
				return true
			}
		}
	}
	return false
}

// Evaluator resolves the functions of one template.
type Evaluator struct {
	Template *Template
	Scope    Scope
	visiting map[string]bool // conditions under evaluation
}

type function struct {
	since string
	// eval gets the raw argument: most functions first resolve it with args.
	eval func(e *Evaluator, name string, arg any) (any, error)
}

// functions maps each name to its function. A template of an earlier version treats the name as an ordinary key.
var functions map[string]function

func init() { //nolint:gochecknoinits // breaks the cycle functions -> Eval -> functions
	functions = map[string]function{
		"get_param":           {"2013-05-23", evalGetParam},
		"get_resource":        {"2013-05-23", evalGetResource},
		"get_attr":            {"2013-05-23", evalGetAttr},
		"get_file":            {"2013-05-23", evalGetFile},
		"str_replace":         {"2013-05-23", evalStrReplace},
		"list_join":           {"2013-05-23", resolved(evalListJoin)},
		"repeat":              {"2014-10-16", evalRepeat},
		"digest":              {"2015-04-30", resolved(evalDigest)},
		"str_split":           {"2015-10-15", resolved(evalStrSplit)},
		"map_merge":           {"2016-04-08", resolved(evalMapMerge)},
		"map_replace":         {"2016-10-14", resolved(evalMapReplace)},
		"if":                  {"2016-10-14", evalIf},
		"equals":              {"2016-10-14", evalBool},
		"not":                 {"2016-10-14", evalBool},
		"and":                 {"2016-10-14", evalBool},
		"or":                  {"2016-10-14", evalBool},
		"yaql":                {"2016-10-14", evalUnsupported},
		"str_replace_strict":  {"2017-02-24", evalStrReplace},
		"filter":              {"2017-02-24", resolved(evalFilter)},
		"list_concat":         {"2017-09-01", resolved(evalListConcat)},
		"list_concat_unique":  {"2017-09-01", resolved(evalListConcat)},
		"str_replace_vstrict": {"2017-09-01", evalStrReplace},
		"contains":            {"2017-09-01", resolved(evalContains)},
		"make_url":            {"2017-09-01", resolved(evalMakeURL)},
	}
}

// Eval resolves every function in v.
func (e *Evaluator) Eval(v any) (any, error) {
	switch x := v.(type) {
	case map[string]any:
		if name, arg, ok := e.call(x); ok {
			return functions[name].eval(e, name, arg)
		}
		out := make(map[string]any, len(x))
		for k, item := range x {
			r, err := e.Eval(item)
			if err != nil {
				return nil, err
			}
			out[k] = r
		}
		return out, nil
	case []any:
		out := make([]any, 0, len(x))
		for _, item := range x {
			r, err := e.Eval(item)
			if err != nil {
				return nil, err
			}
			out = append(out, r)
		}
		return out, nil
	default:
		return v, nil
	}
}

// call recognises a function: a mapping whose only key is a function of the template's version.
func (e *Evaluator) call(m map[string]any) (name string, arg any, ok bool) {
	if len(m) != 1 {
		return "", nil, false
	}
	for name, arg = range m {
	}
	f, known := functions[name]
	return name, arg, known && e.Template.supports(f.since)
}

// resolved wraps f so that f gets its argument with all functions resolved.
func resolved(f func(name string, arg any) (any, error)) func(*Evaluator, string, any) (any, error) {
	return func(e *Evaluator, name string, arg any) (any, error) {
		arg, err := e.Eval(arg)
		if err != nil {
			return nil, err
		}
		if hasUnknown(arg) {
			return Unknown, nil
		}
		return f(name, arg)
	}
}

func evalUnsupported(_ *Evaluator, name string, _ any) (any, error) {
	return nil, invalid("The lab does not evaluate the function %q", name)
}

func evalGetParam(e *Evaluator, name string, arg any) (any, error) {
	param, path, err := e.reference(name, arg)
	if err != nil {
		return nil, err
	}
	v, err := e.Scope.Param(param)
	if err != nil || len(path) == 0 {
		return v, err
	}
	if hasUnknown(v) {
		return Unknown, nil
	}
	// Heat returns an empty string when the path leads nowhere.
	if found := walk(v, path); found != nil {
		return found, nil
	}
	return "", nil
}

// reference reads "name" or [name, path...]; the parts may be functions.
func (e *Evaluator) reference(function string, arg any) (string, []any, error) {
	arg, err := e.Eval(arg)
	if err != nil {
		return "", nil, err
	}
	if name, ok := arg.(string); ok {
		return name, nil, nil
	}
	if list, ok := arg.([]any); ok && len(list) > 0 {
		if name, ok := list[0].(string); ok {
			return name, list[1:], nil
		}
	}
	return "", nil, invalid(`Arguments to "%s" must be a name or a list that begins with one`, function)
}

func evalGetResource(e *Evaluator, _ string, arg any) (any, error) {
	name, ok := arg.(string)
	if !ok {
		return nil, invalid(`Argument for function "get_resource" must be a string`)
	}
	return e.Scope.Ref(name)
}

func evalGetAttr(e *Evaluator, name string, arg any) (any, error) {
	resource, path, err := e.reference(name, arg)
	if err != nil {
		return nil, err
	}
	if len(path) == 0 {
		return e.Scope.Attr(resource, "", nil)
	}
	if hasUnknown(path) {
		return Unknown, nil
	}
	return e.Scope.Attr(resource, text(path[0]), path[1:])
}

func evalGetFile(e *Evaluator, _ string, arg any) (any, error) {
	arg, err := e.Eval(arg)
	if err != nil {
		return nil, err
	}
	name, ok := arg.(string)
	if !ok {
		return nil, invalid(`Argument to "get_file" must be a string`)
	}
	return e.Scope.File(name)
}

func wrongArgs(name, form string) error {
	return invalid(`Incorrect arguments to "%s" should be: %s`, name, fmt.Sprint(form))
}
