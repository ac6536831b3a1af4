package apitest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi2"
	"github.com/getkin/kin-openapi/openapi2conv"
	"github.com/getkin/kin-openapi/openapi3"
)

// etsiFiles are ETSI's definitions, by root. This repository does not contain them: in a checkout without them, no
// exchange is compared with them. ETSI publishes no files for v2.6.1; v2.4.1 is the nearest.
var etsiFiles = []struct {
	root, file string
	without    []string // paths
	single     []string // paths whose answer is one item, where the file has a list
}{
	{"/vnflcm/v1", "v2.4.1/SOL003-VNFLifecycleManagement-API.json", nil, nil},
	{"/vnflcm/v2", "v3.3.1/sol003_lifecycle_openapi.json", nil, []string{"/vnf_snapshots/{vnfSnapshotInfoId}"}},
	// The file describes a list where the answer is one subscription, and one notification type where there is a list
	// of them. It has no onboarded_vnf_packages. The file of v3.3.1 has it, but describes other packages: those of
	// /vnfpkgm/v2.
	{
		"/vnfpkgm/v1", "v2.4.1/SOL005-VNFPackageManagement-API.json",
		[]string{"/subscriptions", "/subscriptions/{subscriptionId}"},
		nil,
	},
}

var etsiDefinitions = sync.OnceValues(func() ([]*definition, error) {
	dir, err := definitionsDir()
	if err != nil {
		return nil, err
	}
	var all []*definition
	for _, f := range etsiFiles {
		text, err := os.ReadFile(filepath.Join(dir, f.file))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		doc, err := readDefinition(text)
		if err != nil {
			return nil, fmt.Errorf("read ETSI's definition %s: %w", f.file, err)
		}
		for _, path := range f.without {
			doc.Paths.Delete(path)
		}
		for _, path := range f.single {
			content := doc.Paths.Value(path).Get.Responses.Status(http.StatusOK).Value.Content.Get("application/json")
			content.Schema = content.Schema.Value.Items
		}
		each(doc, mend)
		all = append(all, newDefinition(f.root, doc))
	}
	return all, nil
})

// definitionsDir returns the directory of the definitions, which is beside the checkout.
func definitionsDir() (string, error) {
	root, err := Root()
	return filepath.Join(filepath.Dir(root), "shared/openapi"), err
}

// Root returns the directory of the checkout.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; dir != "/"; dir = filepath.Dir(dir) {
		b, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && bytes.HasPrefix(b, []byte("module github.com/windlass-nfv/windlass\n")) {
			return dir, nil
		}
	}
	return "", errors.New("run this test in a checkout of Windlass")
}

// readDefinition reads OpenAPI 3, or Swagger 2.
func readDefinition(text []byte) (*openapi3.T, error) {
	if !strings.Contains(string(text[:min(len(text), 200)]), `"swagger"`) {
		return openapi3.NewLoader().LoadFromData(text)
	}
	var old openapi2.T
	if err := json.Unmarshal(text, &old); err != nil {
		return nil, err
	}
	return openapi2conv.ToV3(&old)
}

// mend corrects differences between ETSI's files and ETSI's text.
func mend(schema *openapi3.Schema) *openapi3.Schema {
	mendAddresses(schema)
	mendRecord(schema)
	if schema.Items != nil && schema.Items.Value != nil {
		schema.Items.Value = mend(schema.Items.Value)
	}
	// Every body in the file of SOL005 is an object within an object named like its type.
	if len(schema.Properties) == 1 {
		for name, only := range schema.Properties {
			if name[:1] != strings.ToLower(name[:1]) && only.Value != nil {
				return only.Value
			}
		}
	}
	// The file of v3.3.1 requires exactly one of changedInfo and modificationsTriggeredByVnfPkgChange in every
	// VnfLcmOpOcc. In clause 5.5.2.13 both are optional, and at most one is present.
	if schema.Properties["changedInfo"] != nil {
		schema.OneOf, schema.AnyOf = nil, nil
	}
	return schema
}

// mendAddresses corrects the file of v3.3.1. The file requires addresses and fixedAddresses in the object around the
// list ipAddresses; they belong to the items of the list.
func mendAddresses(schema *openapi3.Schema) {
	if schema.Properties["macAddress"] != nil && schema.Properties["ipAddresses"] != nil {
		schema.OneOf = nil
	}
	below := []*openapi3.SchemaRef{schema.Items, schema.AdditionalProperties.Schema}
	for _, member := range schema.Properties {
		below = append(below, member)
	}
	for _, s := range below {
		if s != nil && s.Value != nil {
			mendAddresses(s.Value)
		}
	}
}

// mendRecord corrects the file of v3.3.1. The file requires former names of attributes of the VNF snapshot record, and
// does not define these names.
func mendRecord(schema *openapi3.Schema) {
	record := schema.Properties["vnfSnapshot"]
	if record == nil || record.Value.Properties["vnfcSnapshots"] == nil {
		return
	}
	for _, s := range []*openapi3.Schema{record.Value, record.Value.Properties["vnfcSnapshots"].Value.Items.Value} {
		s.Required = slices.DeleteFunc(s.Required, func(name string) bool { return s.Properties[name] == nil })
	}
}

// anywhere are statuses that SOL013, or RFC 9110 for conditional requests, defines for every resource, but that the files
// do not list.
var anywhere = []int{
	http.StatusNotModified, http.StatusUnauthorized, http.StatusForbidden, http.StatusPreconditionFailed, http.StatusRequestEntityTooLarge,
	http.StatusRequestURITooLong,
	http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity, http.StatusTooManyRequests,
}

// checkEtsi compares an exchange with ETSI's definition, if there is one.
func checkEtsi(e Exchange) error {
	all, err := etsiDefinitions()
	if err != nil {
		return err
	}
	for _, d := range all {
		if operation := d.find(e.Method, e.path()); operation != nil {
			if err := errors.Join(checkEtsiRequest(operation, e), checkEtsiAnswer(operation, e)); err != nil {
				return fmt.Errorf("ETSI has this otherwise: %w", err)
			}
			return nil
		}
	}
	return nil // ETSI defines no such resource or method
}

func checkEtsiRequest(operation *openapi3.Operation, e Exchange) error {
	if operation.RequestBody == nil || !e.accepted() {
		return nil
	}
	content := operation.RequestBody.Value.Content.Get("application/json")
	if content == nil || content.Schema == nil {
		return nil
	}
	var doc any
	if err := json.Unmarshal(e.Request, &doc); err != nil {
		return fmt.Errorf("the request was accepted, and is not JSON: %w", err)
	}
	if object, ok := doc.(map[string]any); ok {
		forgive(e.path(), object)
	}
	if err := visitValue(content.Schema.Value, doc, openapi3.VisitAsRequest()); err != nil {
		return fmt.Errorf("the request was accepted: %w; it was %s", err, e.Request)
	}
	return nil
}

func checkEtsiAnswer(operation *openapi3.Operation, e Exchange) error {
	defined := answerTo(operation, e.Status)
	if defined == nil {
		if slices.Contains(anywhere, e.Status) || e.Status >= http.StatusBadRequest && !hasErrors(operation) {
			return nil
		}
		return errors.New("there is no such status")
	}
	for name, header := range defined.Headers {
		if header.Value.Required && name != "WWW-Authenticate" && name != "Content-Type" && e.Header.Get(name) == "" {
			return fmt.Errorf("the header %s is missing", name)
		}
	}
	// The files use application/json for errors, too.
	content := defined.Content.Get("application/json")
	if content == nil || content.Schema == nil || len(e.Body) == 0 || e.picked() || !isJSON(e.Header.Get("Content-Type")) {
		return nil
	}
	return checkEtsiBody(content.Schema.Value, e.Body)
}

// hasErrors reports whether the file lists any errors of an operation.
func hasErrors(operation *openapi3.Operation) bool {
	return slices.ContainsFunc(operation.Responses.Keys(),
		func(status string) bool { return status >= "4" && status < "6" })
}

func checkEtsiBody(schema *openapi3.Schema, body []byte) error {
	var doc any
	if err := json.Unmarshal(body, &doc); err != nil {
		return fmt.Errorf("the answer is not JSON: %w", err)
	}
	items, isList := doc.([]any)
	if !isList || schema.Type.Is("array") {
		items = []any{doc}
	} // otherwise the file describes the items of the list, but not the list
	for _, item := range items {
		if err := visitValue(schema, item, openapi3.VisitAsResponse()); err != nil {
			return fmt.Errorf("%w; the answer was %s", err, body)
		}
	}
	return nil
}
