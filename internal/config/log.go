package config

import (
	"log/slog"
	"net/url"
)

// LogValue are the settings by their names; passwords stay out of logs.
func (c Config) LogValue() slog.Value {
	attributes := []slog.Attr{slog.String("file", c.File)}
	for _, s := range settings {
		value := s.in(&c).Interface()
		if s.secret {
			value = redacted(s.in(&c).String())
		}
		attributes = append(attributes, slog.Any(s.key, value))
	}
	return slog.GroupValue(attributes...)
}

// redacted is a URL without its password, which may also be in the query.
func redacted(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return "***"
	}
	if u.RawQuery != "" {
		u.RawQuery = "***"
	}
	return u.Redacted()
}
