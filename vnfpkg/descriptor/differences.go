package descriptor

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Differences lists where another VNFD differs, apart from its software images and its identity: id and versions
// (SOL003 clause 5.5.2.2). Without Differences, the other VNFD may replace this one while the VNF is instantiated. The
// list is cut if it is long.
func (v *Vnfd) Differences(next *Vnfd) []string {
	const most = 10
	var out []string
	differing(&out, "", v.withoutImages(), next.withoutImages())
	if len(out) > most {
		out = append(out[:most], fmt.Sprintf("%d more", len(out)-most))
	}
	return out
}

// withoutImages is the JSON of everything that must be the same.
func (v *Vnfd) withoutImages() any {
	same := *v
	same.ID, same.SoftwareVersion, same.Version, same.Description, same.Definitions = "", "", "", "", nil
	same.Flavours = slices.Clone(v.Flavours)
	for i := range same.Flavours {
		f := &same.Flavours[i]
		f.Definition, f.Description, f.BaseHOT = "", "", path.Dir(f.BaseHOT) // Heat does not get the file's name
		f.Vdus, f.Storages = slices.Clone(f.Vdus), slices.Clone(f.Storages)
		for n := range f.Vdus {
			f.Vdus[n].Description, f.Vdus[n].Image = "", emptyImage(f.Vdus[n].Image)
		}
		for n := range f.Storages {
			f.Storages[n].Image = emptyImage(f.Storages[n].Image)
		}
	}
	return asJSON(same)
}

// asJSON is the JSON form of a VNFD, or of a part of it.
func asJSON(of any) (doc any) {
	if b, err := json.Marshal(of); err == nil { // a Vnfd can always be encoded
		_ = json.Unmarshal(b, &doc)
	}
	return doc
}

// emptyImage keeps only the fact that there is an image.
func emptyImage(image *SwImage) *SwImage {
	if image == nil {
		return nil
	}
	return &SwImage{}
}

// differing adds the paths below which two JSON values differ.
func differing(out *[]string, path string, a, b any) {
	if reflect.DeepEqual(a, b) {
		return
	}
	left, ok := a.(map[string]any)
	right, both := b.(map[string]any)
	if ok && both {
		all := maps.Clone(left)
		maps.Copy(all, right)
		for _, name := range slices.Sorted(maps.Keys(all)) {
			differing(out, strings.TrimPrefix(path+"."+name, "."), left[name], right[name])
		}
		return
	}
	list, ok := a.([]any)
	other, both := b.([]any)
	if ok && both && len(list) == len(other) {
		for i := range list {
			differing(out, fmt.Sprintf("%s[%s]", path, idOf(list[i], i)), list[i], other[i])
		}
		return
	}
	*out = append(*out, path)
}

// idOf is the name of an item of a list.
func idOf(item any, at int) string {
	if member, ok := item.(map[string]any); ok {
		if id, ok := member["id"].(string); ok && id != "" {
			return id
		}
	}
	return fmt.Sprint(at)
}

// TemplateFiles are the template files of a flavour's stack, in order.
func (f *Flavour) TemplateFiles() []string {
	files := slices.Sorted(maps.Values(f.Nested))
	if f.BaseHOT != "" {
		files = append([]string{f.BaseHOT}, files...)
	}
	return slices.Compact(files)
}

// DifferingFiles are the templates of a flavour whose content differs in another package. The VNFD of that package has
// no Differences. Comments, the form of the text and the template's description do not count, because they change no
// stack.
func (f *Flavour) DifferingFiles(
	next *Flavour, before, after func(path string) ([]byte, error),
) (out []string, err error) {
	then := next.TemplateFiles()
	for i, path := range f.TemplateFiles() {
		if _, made := f.MadeTemplate(path); made {
			continue // is part of the VNFD
		}
		a, err := before(path)
		if err != nil {
			return nil, err
		}
		b, err := after(then[i])
		if err != nil {
			return nil, err
		}
		if !sameTemplate(a, b) {
			out = append(out, then[i])
		}
	}
	return out, nil
}

// sameTemplate compares the content of two templates. A template that cannot be parsed equals only an exact copy.
func sameTemplate(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	var left, right map[string]any
	if yaml.Unmarshal(a, &left) != nil || yaml.Unmarshal(b, &right) != nil {
		return false
	}
	delete(left, "description")
	delete(right, "description")
	return reflect.DeepEqual(left, right)
}
