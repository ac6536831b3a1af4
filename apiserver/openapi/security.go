package openapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Scheme is a way in which a server identifies its clients: a securityScheme of OpenAPI.
type Scheme struct {
	Name string `json:"-"`
	// Type is TypeDiscovery, TypeBearer or TypeHeader.
	Type        string `json:"type"`
	Description string `json:"description"`
	// DiscoveryURL is where the issuer of TypeDiscovery has its metadata.
	DiscoveryURL string `json:"openIdConnectUrl,omitempty"`
	// HTTPScheme and Format belong to TypeBearer: "bearer", "JWT".
	HTTPScheme string `json:"scheme,omitempty"`
	Format     string `json:"bearerFormat,omitempty"`
	// In and Header belong to TypeHeader: "header" and its name.
	In     string `json:"in,omitempty"`
	Header string `json:"name,omitempty"`
}

// The types of schemes. Only TypeDiscovery has scopes in the requirements of OpenAPI 3.0.
const (
	TypeDiscovery = "openIdConnect"
	TypeBearer    = "http"
	TypeHeader    = "apiKey"
)

// Security lists the ways in which a server identifies its clients.
type Security struct {
	Schemes []Scheme
	// Certificates tells whether a client certificate will do, too. OpenAPI 3.0 has no scheme for them.
	Certificates bool
}

// none tells whether clients need no credentials.
func (s Security) none() bool { return len(s.Schemes) == 0 && !s.Certificates }

// Needs tells which scopes let a client use an operation; open is for operations that everybody may use.
type Needs func(method, path string) (scopes []string, open bool)

// methods are the methods that an operation of the document may have.
var methods = []string{"post", "get", "put", "patch", "delete", "options"}

// Describe makes the JSON document of a server whose clients authenticate as security says.
func Describe(security Security, needs Needs) ([]byte, error) {
	if security.none() {
		return JSON()
	}
	doc, err := document()
	if err != nil {
		return nil, err
	}
	if err := security.addTo(doc, needs); err != nil {
		return nil, err
	}
	return json.Marshal(doc)
}

// addTo adds the security schemes to the document, and the needed scopes to its operations.
func (s Security) addTo(doc map[string]any, needs Needs) error {
	info, hasInfo := doc["info"].(map[string]any)
	components, hasComponents := doc["components"].(map[string]any)
	paths, hasPaths := doc["paths"].(map[string]any)
	if !hasInfo || !hasComponents || !hasPaths {
		return errors.New("openapi.yaml lacks one of info, components and paths")
	}
	info["description"] = fmt.Sprintf("%s %s", info["description"], s.sentence())
	schemes := map[string]Scheme{}
	for _, scheme := range s.Schemes {
		schemes[scheme.Name] = scheme
	}
	if len(schemes) > 0 {
		components["securitySchemes"] = schemes
	}
	for path, item := range paths {
		for method, operation := range item.(map[string]any) {
			if o, ok := operation.(map[string]any); ok && slices.Contains(methods, method) {
				scopes, open := needs(strings.ToUpper(method), path)
				s.require(o, scopes, open)
			}
		}
	}
	return nil
}

// scopesKey is the key of an operation's scopes for schemes that have no scopes in OpenAPI 3.0.
const scopesKey = "x-scopes"

func (s Security) require(operation map[string]any, scopes []string, open bool) {
	if open {
		operation["security"] = []any{}
		return
	}
	operation[scopesKey] = scopes
	if len(s.Schemes) > 0 {
		operation["security"] = s.alternatives(scopes)
	}
}

// alternatives are security requirements; a client meets one of them.
func (s Security) alternatives(scopes []string) []map[string][]string {
	var all []map[string][]string
	for _, scheme := range s.Schemes {
		if scheme.Type != TypeDiscovery {
			all = append(all, map[string][]string{scheme.Name: {}})
			continue
		}
		for _, scope := range scopes {
			all = append(all, map[string][]string{scheme.Name: {scope}})
		}
	}
	if s.Certificates {
		all = append(all, map[string][]string{}) // nothing that HTTP knows of
	}
	return all
}

// sentence tells people which credentials clients show.
func (s Security) sentence() string {
	var ways []string
	for _, scheme := range s.Schemes {
		ways = append(ways, scheme.Description)
	}
	if s.Certificates {
		ways = append(ways, "a client certificate (mutual TLS)")
	}
	return "Clients of this server must authenticate by " + strings.Join(ways, ", or ") +
		". An operation needs one of its `x-scopes`."
}
