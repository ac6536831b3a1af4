package secrets

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// hidden stands for a secret in an answer.
const hidden = "***"

// SealDocument puts the secrets of a JSON document into the vault and returns it with {"$secret": ref} in their places,
// where ref is prefix, a slash and the JSON path. Secrets are the strings and numbers under a secret key (see
// IsSecretKey), everything within an object or list under such a key, URLs with a user in them, and private keys in any
// place. A number comes back as a string. A document that already contains the key "$secret" is refused, for it could
// name somebody else's secret; then nothing is stored.
func SealDocument(ctx context.Context, v *Vault, prefix lcm.SecretRef, doc []byte) ([]byte, error) {
	if len(doc) == 0 {
		return doc, nil
	}
	root, found, err := collect(doc, prefix)
	if err != nil {
		return nil, err
	}
	for _, s := range found {
		if err := v.Put(ctx, s.ref, s.clear); err != nil {
			return nil, err
		}
	}
	return json.Marshal(root)
}

// SealDocuments is SealDocument for a document and for another form of the same data: a secret that both have is stored
// once.
func SealDocuments(
	ctx context.Context, v *Vault, prefix lcm.SecretRef, doc, otherForm []byte,
) (sealed, sealedForm json.RawMessage, err error) {
	root, found, err := collect(doc, prefix)
	if err != nil {
		return nil, nil, err
	}
	w := sealing{prefix: prefix + "/value", known: map[string]lcm.SecretRef{}}
	for _, s := range found {
		w.known[s.clear] = s.ref
	}
	form, err := decode(otherForm)
	if err != nil {
		return nil, nil, lcm.Wrap(lcm.KindBug, err, "The other form of the document is not valid JSON.")
	}
	form = w.walk(form, "", plain)
	for _, s := range append(found, w.found...) {
		if err := v.Put(ctx, s.ref, s.clear); err != nil {
			return nil, nil, err
		}
	}
	if sealed, err = json.Marshal(root); err == nil {
		sealedForm, err = json.Marshal(form)
	}
	return sealed, sealedForm, err
}

// Clear are the secrets of an unsealed document, for example of a request for a plan: they must not be shown. It
// refuses the same documents as SealDocument.
func Clear(doc []byte) (values []string, err error) {
	if len(doc) == 0 {
		return nil, nil
	}
	_, found, err := collect(doc, "")
	for _, s := range found {
		values = append(values, formsOfSetting(s.clear)...)
	}
	return values, err
}

// collect finds the secrets of a document, and puts references in their places.
func collect(doc []byte, prefix lcm.SecretRef) (root any, found []foundSecret, err error) {
	if root, err = decode(doc); err != nil {
		return nil, nil, lcm.Wrap(lcm.KindInvalid, err, "The document is not valid JSON.")
	}
	w := sealing{prefix: prefix}
	root = w.walk(root, "", plain)
	return root, w.found, lcm.InvalidAll("The key "+lcm.SecretKey+" is reserved.", w.problems)
}

// formsOfSetting are the texts to hide for a secret. For a setting key=value this includes the value alone, because
// later texts show it without its key.
func formsOfSetting(value string) []string {
	if key, set, ok := strings.Cut(value, "="); ok && IsSecretKey(key) {
		return []string{value, set}
	}
	return []string{value}
}

// sealing collects first and stores later: a refused document leaves nothing behind.
type sealing struct {
	prefix lcm.SecretRef
	// known are the names of secrets that are stored already, by their values.
	known    map[string]lcm.SecretRef
	found    []foundSecret
	problems []lcm.Problem
}

type foundSecret struct {
	ref   lcm.SecretRef
	clear string
}

// manner is how the strings of a value are read.
type manner int

const (
	plain manner = iota
	secret
	// settings are texts key=value. The key tells whether the value is a secret: parameters of Helm in Tacker's requests.
	settings
)

const settingsKey = "helmparameter"

// under is the manner for the values under a key.
func (m manner) under(key string) manner {
	switch {
	case m == secret || IsSecretKey(key):
		return secret
	case key == settingsKey:
		return settings
	default:
		return m
	}
}

// hides tells whether a string must not be shown.
func (m manner) hides(s string) bool {
	if s == "" {
		return false
	}
	key, _, set := strings.Cut(s, "=")
	return m == secret || m == settings && set && IsSecretKey(key) || isSecretText(s)
}

func (w *sealing) walk(value any, path string, m manner) any {
	switch value := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			at := member(path, key)
			if key == lcm.SecretKey {
				w.problems = append(w.problems, lcm.Problem{Path: "$." + at, Detail: "must not be used in a request"})
				continue
			}
			value[key] = w.walk(value[key], at, m.under(key))
		}
	case []any:
		for i := range value {
			value[i] = w.walk(value[i], fmt.Sprintf("%s[%d]", path, i), m)
		}
	case string:
		if m.hides(value) {
			return w.take(path, value)
		}
	case json.Number:
		if m == secret {
			return w.take(path, value.String())
		}
	}
	return value
}

func (w *sealing) take(path, clear string) any {
	if ref, known := w.known[clear]; known {
		return map[string]any{lcm.SecretKey: ref}
	}
	ref := w.prefix + "/" + lcm.SecretRef(shortPath(path))
	w.found = append(w.found, foundSecret{ref: ref, clear: clear})
	return map[string]any{lcm.SecretKey: ref}
}

// OpenDocument puts the secrets back in their places.
func OpenDocument(ctx context.Context, v *Vault, doc []byte) ([]byte, error) {
	clear, _, err := Open(ctx, v, doc)
	return clear, err
}

// Open puts the secrets back in their places. opened are these secrets, which must not be shown.
func Open(ctx context.Context, v *Vault, doc []byte) (clear []byte, opened []string, err error) {
	if len(doc) == 0 {
		return doc, nil, nil
	}
	root, err := decode(doc)
	if err != nil {
		return nil, nil, lcm.Wrap(lcm.KindBug, err, "A stored document is not valid JSON.")
	}
	root, err = replaceRefs(root, func(ref lcm.SecretRef) (any, error) {
		value, err := v.Get(ctx, ref)
		opened = append(opened, formsOfSetting(value)...)
		return value, err
	})
	if err != nil {
		return nil, nil, err
	}
	clear, err = json.Marshal(root)
	return clear, opened, err
}

// MaskDocument makes a stored document fit for an answer: it writes "***" for every secret, even if the secret was
// never sealed.
func MaskDocument(doc []byte) []byte {
	if len(doc) == 0 {
		return doc
	}
	masked, _ := json.Marshal(hidden)
	root, err := decode(doc)
	if err != nil {
		return masked
	}
	root, _ = replaceRefs(root, func(lcm.SecretRef) (any, error) { return hidden, nil }) // cannot fail
	if b, err := json.Marshal(maskClear(root, plain)); err == nil {
		return b
	}
	return masked
}

func replaceRefs(value any, by func(lcm.SecretRef) (any, error)) (any, error) {
	var err error
	switch value := value.(type) {
	case map[string]any:
		if ref, ok := value[lcm.SecretKey].(string); ok && len(value) == 1 {
			return by(lcm.SecretRef(ref))
		}
		for key := range value {
			if value[key], err = replaceRefs(value[key], by); err != nil {
				return nil, err
			}
		}
	case []any:
		for i := range value {
			if value[i], err = replaceRefs(value[i], by); err != nil {
				return nil, err
			}
		}
	}
	return value, nil
}

func maskClear(value any, m manner) any {
	switch value := value.(type) {
	case map[string]any:
		for key := range value {
			value[key] = maskClear(value[key], m.under(key))
		}
	case []any:
		for i := range value {
			value[i] = maskClear(value[i], m)
		}
	case string:
		if m.hides(value) {
			return hidden
		}
	case json.Number:
		if m == secret {
			return hidden
		}
	}
	return value
}

var (
	// secretEndings are the ends of the names of keys with secret values, without separators and in lower case.
	secretEndings = regexp.MustCompile(`(password|passwd|passphrase|secret|token|credential|privatekey|clientkey|accesskey|secretkey|apikey|signingkey|encryptionkey|certificatekey|kubeconfig)s?$`)
	// secretWords are whole last words only: "pass" is not the end of "bypass".
	secretWords = regexp.MustCompile(`(^|[^A-Za-z])(?i:pass|pwd)$|[a-z](Pass|Pwd)$`)
	separators  = strings.NewReplacer("_", "", "-", "", ".", "", " ", "")
	// urlWithUser is a URL with userinfo, anywhere in a text: a proxy in a shell line counts, too.
	urlWithUser = regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://)[^\s/?#]+@`)
	privateKey  = regexp.MustCompile(`-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----`)
	plainKey    = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)
)

// IsSecretKey reports whether the values under a key of that name are secrets, e.g. "password",
// "bearer_token", "clientSecret", "SSH-Private-Key".
func IsSecretKey(key string) bool {
	return secretEndings.MatchString(strings.ToLower(separators.Replace(key))) || secretWords.MatchString(key)
}

// MaskText hides the userinfo of URLs and private keys in a text, in case it holds some.
func MaskText(s string) string {
	if privateKey.MatchString(s) {
		return hidden
	}
	return urlWithUser.ReplaceAllString(s, "${1}"+hidden+"@")
}

func isSecretText(s string) bool {
	return urlWithUser.MatchString(s) || privateKey.MatchString(s)
}

// member appends a key to a JSON path; a key with a dot in it cannot be taken for two keys.
func member(path, key string) string {
	switch {
	case !plainKey.MatchString(key):
		quoted, _ := json.Marshal(key)
		return path + "[" + string(quoted) + "]"
	case path == "":
		return key
	default:
		return path + "." + key
	}
}

// shortPath keeps refs below the size limit of a PostgreSQL index.
func shortPath(path string) string {
	const longest = 500
	if len(path) <= longest {
		return path
	}
	sum := sha256.Sum256([]byte(path))
	return strings.ToValidUTF8(path[:longest], "") + "~" + hex.EncodeToString(sum[:])
}

// decode keeps numbers as they are written, and refuses text behind the document.
func decode(doc []byte) (root any, err error) {
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	if err := d.Decode(&root); err != nil {
		return nil, err
	}
	if d.More() {
		return nil, errors.New("something follows the JSON document")
	}
	return root, nil
}

// sentence is the text of err for an operator.
func sentence(err error) string {
	if e, ok := errors.AsType[*lcm.Error](err); ok {
		return e.Sentence()
	}
	return "An internal error occurred."
}
