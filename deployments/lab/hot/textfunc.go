package hot

import (
	"crypto/md5"  //nolint:gosec // a template may ask for it
	"crypto/sha1" //nolint:gosec // a template may ask for it
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"hash"
	"maps"
	"net/url"
	"slices"
	"strings"
)

func evalStrReplace(e *Evaluator, name string, arg any) (any, error) {
	m, ok := arg.(map[string]any)
	if !ok {
		return nil, wrongArgs(name, "template: text, params: map")
	}
	v, err := e.Eval(m)
	if err != nil {
		return nil, err
	}
	if hasUnknown(v) {
		return Unknown, nil
	}
	m, _ = v.(map[string]any)
	template, ok := m["template"].(string)
	if !ok && m["template"] != nil {
		template = text(m["template"])
	}
	params, ok := m["params"].(map[string]any)
	if !ok {
		return nil, wrongArgs(name, "template: text, params: map")
	}
	// The longest key wins; inserted text is not searched again.
	keys := slices.SortedFunc(maps.Keys(params), func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	var pairs []string
	for _, k := range keys {
		if k == "" {
			continue
		}
		if name != "str_replace" && !strings.Contains(template, k) {
			return nil, invalid("The following params were not found in the template: %s", k)
		}
		value := text(params[k])
		if name == "str_replace_vstrict" && value == "" {
			return nil, invalid("%s has an undefined or empty value for param %s, must be a defined non-empty value", name, k)
		}
		pairs = append(pairs, k, value)
	}
	return strings.NewReplacer(pairs...).Replace(template), nil
}

func evalListJoin(name string, arg any) (any, error) {
	list, ok := arg.([]any)
	if !ok || len(list) < 2 {
		return nil, wrongArgs(name, "[delimiter, list, ...]")
	}
	delimiter, ok := list[0].(string)
	if !ok {
		return nil, wrongArgs(name, "[delimiter, list, ...]")
	}
	var parts []string
	for _, l := range list[1:] {
		items, ok := l.([]any)
		if !ok && l != nil {
			return nil, invalid("Incorrect arguments to \"%s\": %s is not a list", name, text(l))
		}
		for _, item := range items {
			parts = append(parts, text(item))
		}
	}
	return strings.Join(parts, delimiter), nil
}

func evalStrSplit(name string, arg any) (any, error) {
	list, ok := arg.([]any)
	if !ok || len(list) < 2 || len(list) > 3 {
		return nil, wrongArgs(name, "[delimiter, string, optional index]")
	}
	var parts []any
	for part := range strings.SplitSeq(text(list[1]), text(list[0])) {
		parts = append(parts, part)
	}
	if len(list) == 2 {
		return parts, nil
	}
	i := Int(list[2], -1)
	if i < 0 || i >= len(parts) {
		return nil, invalid(`Incorrect index to "%s" should be between 0 and %d`, name, len(parts)-1)
	}
	return parts[i], nil
}

func evalDigest(name string, arg any) (any, error) {
	list, ok := arg.([]any)
	if !ok || len(list) != 2 {
		return nil, wrongArgs(name, "[algorithm, value]")
	}
	algorithm, known := digests[strings.ToLower(text(list[0]))]
	if !known {
		return nil, invalid("Algorithm must be one of md5, sha1, sha224, sha256, sha384, sha512")
	}
	sum := algorithm()
	sum.Write([]byte(text(list[1])))
	return hex.EncodeToString(sum.Sum(nil)), nil
}

var digests = map[string]func() hash.Hash{
	"md5": md5.New, "sha1": sha1.New, "sha224": sha256.New224, "sha256": sha256.New, "sha384": sha512.New384,
	"sha512": sha512.New,
}

func evalMakeURL(name string, arg any) (any, error) {
	m, ok := arg.(map[string]any)
	if !ok {
		return nil, wrongArgs(name, "scheme, host, port, path, query, fragment")
	}
	u := url.URL{Scheme: text(m["scheme"]), Host: text(m["host"]), Path: text(m["path"]), Fragment: text(m["fragment"])}
	if strings.Contains(u.Host, ":") && !strings.HasPrefix(u.Host, "[") {
		u.Host = "[" + u.Host + "]"
	}
	if port := text(m["port"]); port != "" {
		u.Host += ":" + port
	}
	if user := text(m["username"]); user != "" {
		u.User = url.User(user)
		if password, ok := m["password"]; ok {
			u.User = url.UserPassword(user, text(password))
		}
	}
	if query, ok := m["query"].(map[string]any); ok {
		values := url.Values{}
		for k, v := range query {
			values.Set(k, text(v))
		}
		u.RawQuery = values.Encode()
	}
	return u.String(), nil
}
