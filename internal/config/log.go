package config

import (
	"log/slog"
	"net/url"
	"reflect"
	"strings"
)

// LogValue are the settings by their names. Passwords and queries of URLs stay out of logs, in every setting: a token may
// be in the address of a page or of a repository, too.
func (c Config) LogValue() slog.Value {
	attributes := []slog.Attr{slog.String("file", c.File)}
	for _, s := range settings {
		attributes = append(attributes, slog.Any(s.key, s.shown(s.in(&c))))
	}
	return slog.GroupValue(attributes...)
}

// shown is a value for logs.
func (s *setting) shown(value reflect.Value) any {
	switch {
	case value.Kind() == reflect.String && s.secret && !strings.Contains(value.String(), "://"):
		return "***"
	case value.Kind() == reflect.String:
		return redacted(value.String())
	case value.Type() == reflect.TypeFor[[]string]():
		var list []string
		for _, item := range value.Seq2() {
			list = append(list, redacted(item.String()))
		}
		return list
	default:
		return value.Interface()
	}
}

// redacted is a URL without its password and its query. Other texts stay as they are.
func redacted(text string) string {
	if !strings.Contains(text, "://") {
		return text
	}
	u, err := url.Parse(text)
	if err != nil {
		return "***"
	}
	if u.RawQuery != "" {
		u.RawQuery = "***"
	}
	return u.Redacted()
}
