package config

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// setting is a field of Config, or of a struct in it, with the tag `setting`.
type setting struct {
	key               string // as in the file
	need              Need
	fallback, example string
	required, secret  bool
	// read reads a value. Together with an error it returns what the field holds all the same.
	read  func(text string) (any, error)
	owner reflect.Type // the struct with the field
	field reflect.StructField
	index []int // of the field in Config
}

// settings are all there are, in the order of the fields: that of the example file and of the reference page.
var settings = settingsIn(reflect.TypeFor[Config](), everyCommand, nil)

// settingsIn are the settings of a struct. It panics at a wrong tag: such a mistake in the code must not wait for the
// first user of the setting.
func settingsIn(owner reflect.Type, need Need, index []int) (out []setting) {
	for f := range owner.Fields() {
		at, needed := append(slices.Clone(index), f.Index...), need
		if tag, ok := f.Tag.Lookup("need"); ok {
			needed = Need(tag)
		}
		tag, tagged := f.Tag.Lookup("setting")
		switch {
		case tagged:
			out = append(out, settingOf(tag, setting{need: needed, owner: owner, field: f, index: at}))
		case f.Type.Kind() == reflect.Struct:
			out = append(out, settingsIn(f.Type, needed, at)...)
		}
	}
	return out
}

// settingOf adds the tag of the field to s.
func settingOf(tag string, s setting) setting {
	key, rest, _ := strings.Cut(tag, ";")
	s.key = strings.TrimSpace(key)
	if s.key == "" || !s.field.IsExported() {
		s.wrong("must be exported and have a name")
	}
	s.readAs(s.rules(rest))
	if strings.HasPrefix(s.fallback, "@") {
		s.fallback = defaults[s.fallback]
	}
	for _, value := range []string{s.fallback, s.example} {
		if value == "" {
			continue
		}
		if _, err := s.read(value); err != nil {
			s.wrong("has a value that %v", err)
		}
	}
	if s.fallback == "" && s.example == "" {
		s.wrong("has neither a default nor an example")
	}
	return s
}

// rules sets what a tag says besides the key, and returns the rules that make the kind of the value.
func (s *setting) rules(tag string) map[string]string {
	kind := map[string]string{}
	for rule := range strings.SplitSeq(tag, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(rule), "=")
		switch name {
		case "":
		case "default":
			s.fallback = value
		case "example":
			s.example = value
		case "required":
			s.required = true
		case "secret":
			s.secret = true
		case "min", "max", "enum", "is":
			kind[name] = value
		default:
			s.wrong("has the unknown rule %q", name)
		}
	}
	return kind
}

// readAs sets how the value is read: by its bounds, by the allowed texts or by a line of kinds.
func (s *setting) readAs(rules map[string]string) {
	switch of := s.field.Type; {
	case of == reflect.TypeFor[int]():
		least, most := s.bound(rules["min"]), s.bound(rules["max"])
		s.read = func(text string) (any, error) { return parseInt(text, least, most) }
	case rules["min"] != "" || rules["max"] != "":
		s.wrong("has bounds, but is no number")
	case rules["enum"] != "" && of.Kind() == reflect.String:
		allowed := strings.Split(rules["enum"], "|")
		s.read = func(text string) (any, error) { return text, checkOneOf(text, allowed) }
	default:
		name := rules["is"]
		if name == "" {
			name = of.String()
		}
		k, ok := kinds[name]
		if !ok || k.of != of {
			s.wrong("is a %s, for which kinds has no %q", of, name)
		}
		s.read = k.read
	}
}

func (s *setting) bound(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		s.wrong("is a number without two bounds: %q", text)
	}
	return n
}

// wrong panics because of a tag.
func (s *setting) wrong(format string, args ...any) {
	panic("config: the setting of " + s.owner.Name() + "." + s.field.Name + " " + fmt.Sprintf(format, args...))
}

// words of api.maxUploadMiB are api, max, Upload, MiB.
func (s *setting) words() []string {
	var words []string
	for part := range strings.SplitSeq(s.key, ".") {
		start := 0
		for i, r := range part {
			if i > 0 && unicode.IsUpper(r) && unicode.IsLower(rune(part[i-1])) && part[i:] != "B" {
				words = append(words, part[start:i])
				start = i
			}
		}
		words = append(words, part[start:])
	}
	return words
}

func (s *setting) flag() string { return strings.ToLower(strings.Join(s.words(), "-")) }
func (s *setting) env() string  { return "WINDLASS_" + strings.ToUpper(strings.Join(s.words(), "_")) }

// neededBy tells whether commands with these needs have the setting; without needs, they have all settings.
func (s *setting) neededBy(needs []Need) bool {
	return s.need == everyCommand || len(needs) == 0 || slices.Contains(needs, s.need)
}

// in is the field in c.
func (s *setting) in(c *Config) reflect.Value { return reflect.ValueOf(c).Elem().FieldByIndex(s.index) }
