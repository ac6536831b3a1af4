package ansible

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Variables of Tacker's driver about the VNF's resources on the VIM.
const (
	// ResourcePrefix comes before a resource's name and the path of one of its attributes.
	ResourcePrefix = "resource."
	// ListPrefix comes before one of Lists.
	ListPrefix = "vnf_resource."
)

// Lists are lists of the names of resources at the top of a deployment. The value is the end of the VIM's word for such
// resources.
var Lists = map[string]string{
	"RESOURCE_LIST": "", "VDUNAME_LIST": "::Server", "CPNAME_LIST": "::Port", "VBNAME_LIST": "::Volume",
	"CBNAME_LIST": "::VolumeAttachment", "ALARMNAME_LIST": "::EventAlarm",
}

// Resources are the names of the run's variables about resources that have no value from elsewhere.
func (t Told) Resources() []string {
	of, found := t.Vdu.Plays[t.Action][t.Play], map[string]bool{}
	var look func(value any)
	look = func(value any) {
		switch v := value.(type) {
		case string:
			for _, name := range variablePattern.FindAllString(v, -1) {
				name = strings.TrimPrefix(name, "_VAR_")
				_, known := t.Variables[name]
				found[name] = !known && (strings.HasPrefix(name, ResourcePrefix) || strings.HasPrefix(name, ListPrefix))
			}
		case []any:
			for _, item := range v {
				look(item)
			}
		case map[string]any:
			for _, item := range v {
				look(item)
			}
		}
	}
	look(of.Params)
	for _, text := range append([]string{of.Command, t.Vdu.Username, t.Vdu.Password, t.Vdu.KeyFile}, of.Targets...) {
		look(text)
	}
	maps.DeleteFunc(found, func(_ string, wanted bool) bool { return !wanted })
	return slices.Sorted(maps.Keys(found))
}

// suppose gives values to those variables that a VNF may have a value for, before the VNF exists.
func (t Told) suppose() {
	for _, name := range t.Resources() {
		list, isList := strings.CutPrefix(name, ListPrefix)
		if _, known := Lists[list]; known || !isList && strings.Count(name, ".") > 1 {
			t.Variables[name] = "192.0.2.1"
		}
	}
}

// Attribute finds an attribute. path has dots between its parts; a number is an index of a list. It is false when there
// is no such attribute.
func Attribute(attributes map[string]any, path string) (any, bool) {
	var value any = attributes
	for name := range strings.SplitSeq(path, ".") {
		switch of := value.(type) {
		case map[string]any:
			value = of[name]
		case []any:
			if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(of) {
				value = of[i]
				continue
			}
			return nil, false
		default:
			return nil, false
		}
	}
	return value, value != nil
}

// AttributeText is the text of an attribute as Tacker's driver writes it: the items of a list, or the keys of a map,
// with commas.
func AttributeText(value any) string {
	switch v := value.(type) {
	case map[string]any:
		return strings.Join(slices.Sorted(maps.Keys(v)), ",")
	case []any:
		items := make([]string, 0, len(v))
		for _, item := range v {
			items = append(items, textOf(item))
		}
		return strings.Join(items, ",")
	}
	return textOf(value)
}

func textOf(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case map[string]any, []any:
		text, _ := json.Marshal(v) //nolint:errchkjson // it was read from JSON
		return string(text)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return fmt.Sprint(value)
}
