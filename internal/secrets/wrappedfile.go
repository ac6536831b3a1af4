package secrets

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/token"
)

// The lines of a wrapped key file that are no keys.
const (
	wrappedFileHeader = `# The keys of Windlass, "id:base64(key)", each wrapped by the key in the token that the line wrapped-by names. The first
# seals; the others open what they sealed before. Without that key in the token the passwords are lost.
`
	versionWord  = "version "
	wrappedBy    = "wrapped-by "
	knownVersion = "1"
)

// dataKey is a key of Windlass in clear.
type dataKey struct {
	id       string
	material []byte
}

// wrappedFile is a wrapped key file as it is written.
type wrappedFile struct {
	by   WrappingKey
	keys []token.DataKey
}

// uri names the wrapping key as RFC 7512 does. The file never holds the PIN.
func (k WrappingKey) uri() string {
	attribute := func(name, value string) string {
		return name + "=" + strings.ReplaceAll(url.PathEscape(value), "&", "%26")
	}
	return "pkcs11:" + strings.Join([]string{
		attribute("token", k.Token), attribute("serial", k.Serial), attribute("object", k.Key), "type=secret-key",
	}, ";")
}

func parseURI(text string) (k WrappingKey, ok bool) {
	attributes, ok := strings.CutPrefix(text, "pkcs11:")
	into := map[string]*string{"token": &k.Token, "serial": &k.Serial, "object": &k.Key}
	for a := range strings.SplitSeq(attributes, ";") {
		name, value, _ := strings.Cut(a, "=")
		clear, err := url.PathUnescape(value)
		ok = ok && err == nil
		if into[name] != nil {
			*into[name] = clear
		}
	}
	return k, ok && k.Token != "" && k.Key != ""
}

// isWrapped reports whether the file is a wrapped key file.
func isWrapped(lines []string) bool {
	for _, line := range lines {
		if strings.HasPrefix(strings.TrimSpace(line), wrappedBy) {
			return true
		}
	}
	return false
}

// parseWrapped reports all mistakes, by line and never by content.
func parseWrapped(source string, lines []string) (f wrappedFile, _ error) {
	var problems []lcm.Problem
	version, seen := "", map[string]bool{}
	for i, line := range lines {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		ok, mistake := true, "is not of the form wrapped-by pkcs11:token=LABEL;object=LABEL"
		switch {
		case strings.HasPrefix(line, versionWord):
			version = strings.TrimPrefix(line, versionWord)
		case strings.HasPrefix(line, wrappedBy):
			f.by, ok = parseURI(strings.TrimPrefix(line, wrappedBy))
		default:
			mistake = f.add(line, seen)
			ok = mistake == ""
		}
		if !ok {
			problems = append(problems, lcm.Problem{Path: fmt.Sprintf("%s line %d", source, i+1), Detail: mistake})
		}
	}
	if version != knownVersion {
		return f, lcm.Errorf(lcm.KindInvalid, "The wrapped key file %s has the version %q, and this release of Windlass reads "+
			"version %s. Use the release that wrote the file, or restore the file.", source, version, knownVersion)
	}
	if len(problems) == 0 && len(f.keys) == 0 {
		problems = append(problems, lcm.Problem{Path: source, Detail: "holds no key"})
	}
	return f, lcm.InvalidAll("The keys cannot be used.", problems)
}

func (f *wrappedFile) add(line string, seen map[string]bool) (mistake string) {
	id, encoded, found := strings.Cut(line, ":")
	material, err := base64.StdEncoding.DecodeString(encoded)
	switch {
	case !found || !keyID.MatchString(id):
		return "is not of the form id:base64, with an id of letters, digits, dots, hyphens and underscores"
	case err != nil:
		return fmt.Sprintf("key %s is not in base64", id)
	case seen[id]:
		return fmt.Sprintf("key %s is there twice", id)
	}
	seen[id] = true
	f.keys = append(f.keys, token.DataKey{ID: id, Material: material})
	return ""
}

func (f wrappedFile) text() string {
	var b strings.Builder
	b.WriteString(wrappedFileHeader + versionWord + knownVersion + "\n" + wrappedBy + f.by.uri() + "\n")
	for _, k := range f.keys {
		fmt.Fprintf(&b, "%s:%s\n", k.ID, base64.StdEncoding.EncodeToString(k.Material))
	}
	return b.String()
}

// unwrap lets the token open the keys of a file.
func (t Token) unwrap(ctx context.Context, f wrappedFile) (keys []dataKey, err error) {
	a, err := t.do(ctx, f.by, token.Request{Do: token.Unwrap, Keys: f.keys})
	if err != nil {
		return nil, err
	}
	for _, k := range a.Keys {
		keys = append(keys, dataKey{k.ID, k.Material})
	}
	return keys, nil
}

// wrap lets the token close keys, with a new wrapping key if makeKey is set.
func (t Token) wrap(ctx context.Context, by WrappingKey, makeKey bool, keys []dataKey) (f wrappedFile, err error) {
	r := token.Request{Do: token.Wrap, MakeKey: makeKey}
	for _, k := range keys {
		r.Keys = append(r.Keys, token.DataKey{ID: k.id, Material: k.material})
	}
	a, err := t.do(ctx, by, r)
	by.Serial = a.Serial
	return wrappedFile{by, a.Keys}, err
}
