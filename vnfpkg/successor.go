package vnfpkg

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

// Differences are the places in which a VNFD differs from another one in more than the software images that it refers
// to, and in what names it: its id and versions (SOL003 clause 5.5.2.2). There are none between a VNFD and one that may
// take its place while the VNF is instantiated. Not all are told where there are many.
func (v *Vnfd) Differences(next *Vnfd) []string {
	const most = 10
	var out []string
	differing(&out, "", v.withoutImages(), next.withoutImages())
	if len(out) > most {
		out = append(out[:most], fmt.Sprintf("%d more", len(out)-most))
	}
	return out
}

// withoutImages is the JSON of all that must be the same.
func (v *Vnfd) withoutImages() any {
	same := *v
	same.ID, same.SoftwareVersion, same.Version, same.Description, same.Definitions = "", "", "", "", nil
	same.Flavours = slices.Clone(v.Flavours)
	for i := range same.Flavours {
		f := &same.Flavours[i]
		f.Definition, f.Description, f.BaseHOT = "", "", path.Dir(f.BaseHOT) // Heat is not told the file's name
		f.Vdus, f.Storages = slices.Clone(f.Vdus), slices.Clone(f.Storages)
		for n := range f.Vdus {
			f.Vdus[n].Description, f.Vdus[n].Image = "", emptyImage(f.Vdus[n].Image)
		}
		for n := range f.Storages {
			f.Storages[n].Image = emptyImage(f.Storages[n].Image)
		}
	}
	return document(same)
}

// document is what is written of a VNFD, or of a part of one.
func document(of any) (doc any) {
	if b, err := json.Marshal(of); err == nil { // of a Vnfd it cannot fail
		_ = json.Unmarshal(b, &doc)
	}
	return doc
}

// emptyImage keeps whether there is one.
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
		for _, name := range sortedKeys(all) {
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

// idOf is what an item of a list is called.
func idOf(item any, at int) string {
	if member, ok := item.(map[string]any); ok {
		if id, ok := member["id"].(string); ok && id != "" {
			return id
		}
	}
	return fmt.Sprint(at)
}

// TemplateFiles are the files that the stack of a flavour is made of, in order.
func (f *Flavour) TemplateFiles() []string {
	files := slices.Sorted(maps.Values(f.Nested))
	if f.BaseHOT != "" {
		files = append([]string{f.BaseHOT}, files...)
	}
	return slices.Compact(files)
}

// DifferingFiles are those templates of a flavour that do not say the same in another package, whose VNFD has no
// Differences. Comments, the form of the text and the template's description change no stack.
func (f *Flavour) DifferingFiles(
	next *Flavour, before, after func(path string) ([]byte, error),
) (out []string, err error) {
	then := next.TemplateFiles()
	for i, path := range f.TemplateFiles() {
		if _, made := f.generated(path); made {
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

// sameTemplate compares what two templates say; one that cannot be read is the same as its copy only.
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

// OtherImages are the names of the images of the flavour's VDUs and storages, where another flavour has another one.
func (f *Flavour) OtherImages(next *Flavour) map[string]string {
	out := map[string]string{}
	now, _ := HeatRequest{}.Chosen(f)
	then, _ := HeatRequest{}.Chosen(next)
	for id, name := range now {
		if name != "" && name != then[id] {
			out[id] = name
		}
	}
	return out
}
