package config

import (
	"errors"
	"log/slog"
	"slices"
	"strings"
	"unicode"
)

// setting is one line of the tables.
type setting struct {
	key      string // as in the file
	need     Need
	fallback string
	usage    string // a word in backquotes names the value in --help
	set      func(c *Config, value string) error
}

// fileFlag names the file; it is no setting of the file itself.
const (
	fileFlag = "config"
	fileEnv  = "WINDLASS_CONFIG"
)

// settings are all there are, in the order of --help and of the example file.
var settings = slices.Concat(
	databaseSettings, apiSettings, authSettings, pageSettings, limitSettings, notificationSettings, nfvoSettings, packageSettings,
	keySettings,
	workerSettings, telemetrySettings, processSettings,
)

// keySettings say where the keys for secrets are.
var keySettings = []setting{
	{
		key: "keys.file", need: NeedKeys, usage: "`file` with the keys for secrets, readable by its owner only",
		set: func(c *Config, v string) error { c.Keys.File = v; return checkNotEmpty(v) },
	},
	{
		key: "keys.env", need: NeedKeys, fallback: "WINDLASS_KEYS",
		usage: "`name` of the environment variable with the keys, when there is no file",
		set: func(c *Config, v string) error {
			// A wrong value is neither quoted nor kept: somebody may have put the keys themselves here.
			if !variable.MatchString(v) {
				return errors.New("is not the name of an environment variable")
			}
			c.Keys.Env = v
			return nil
		},
	},
	{
		key: "keys.token.module", need: NeedToken,
		usage: "PKCS #11 module, a shared library as a `file`, of the token that wraps the keys in keys.file",
		set:   func(c *Config, v string) error { c.Keys.Token.Module = v; return checkNotEmpty(v) },
	},
	{
		key: "keys.token.pinFile", need: NeedToken, usage: "`file` with the token's PIN, readable by its owner only",
		set: func(c *Config, v string) error { c.Keys.Token.PINFile = v; return checkNotEmpty(v) },
	},
	{
		key: "keys.token.pinEnv", need: NeedToken, fallback: "WINDLASS_KEYS_PIN",
		usage: "`name` of the environment variable with the token's PIN, when there is no file",
		set: func(c *Config, v string) error {
			if !variable.MatchString(v) { // not quoted: it may be the PIN itself
				return errors.New("is not the name of an environment variable")
			}
			c.Keys.Token.PINEnv = v
			return nil
		},
	},
}

// processSettings apply to every process.
var processSettings = []setting{
	{
		key: "log.level", fallback: "info", usage: "lowest `level` that is logged: debug, info, warn or error",
		set: func(c *Config, v string) error {
			if c.Log.Level.UnmarshalText([]byte(v)) != nil {
				c.Log.Level = slog.LevelInfo
				return errors.New("is not debug, info, warn or error")
			}
			return nil
		},
	},
	{
		key: "log.format", fallback: FormatJSON, usage: "`format` of the log: json or text",
		set: func(c *Config, v string) error {
			c.Log.Format = v
			if v != FormatText && v != FormatJSON {
				return errors.New("is neither json nor text")
			}
			return nil
		},
	},
	{
		key: "shutdownGrace", fallback: "30s", usage: "how `long` a shutdown waits for running work to end",
		set: func(c *Config, v string) (err error) { c.ShutdownGrace, err = parseDuration(v); return err },
	},
}

// words of api.maxUploadMiB are api, max, Upload, MiB.
func (s setting) words() []string {
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

func (s setting) flag() string { return strings.ToLower(strings.Join(s.words(), "-")) }
func (s setting) env() string  { return "WINDLASS_" + strings.ToUpper(strings.Join(s.words(), "_")) }

func (s setting) neededBy(needs []Need) bool {
	return s.need == everyCommand || len(needs) == 0 || slices.Contains(needs, s.need)
}
