package apitest

import (
	"errors"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/windlass-nfv/windlass/apiserver/openapi"
)

// howTo ends each error about a difference from Windlass's own document.
const howTo = "apiserver/openapi/openapi.yaml must describe the answer: correct the file or the answer"

// ownDefinitions are Windlass's own document in two forms: a request may have members that the document does not
// describe, an answer may not.
var ownDefinitions = sync.OnceValues(func() ([2]*definition, error) {
	var both [2]*definition
	for i := range both {
		doc, err := openapi3.NewLoader().LoadFromData(openapi.Source())
		if err != nil {
			return both, err
		}
		if i == 1 {
			seen := map[*openapi3.Schema]bool{}
			each(doc, func(s *openapi3.Schema) *openapi3.Schema { closeObjects(s, seen); return s })
		}
		both[i] = newDefinition("", doc)
	}
	return both, nil
})

// closeObjects makes a schema forbid members that it does not describe.
func closeObjects(s *openapi3.Schema, seen map[*openapi3.Schema]bool) {
	if s == nil || seen[s] {
		return
	}
	seen[s] = true
	if len(s.Properties) > 0 && s.AdditionalProperties.Has == nil && s.AdditionalProperties.Schema == nil {
		s.AdditionalProperties.Has = new(bool)
	}
	for _, member := range s.Properties {
		closeObjects(member.Value, seen)
	}
	for _, one := range slices.Concat(s.OneOf, s.AnyOf, s.AllOf,
		openapi3.SchemaRefs{s.Items, s.AdditionalProperties.Schema}) {
		if one != nil {
			closeObjects(one.Value, seen)
		}
	}
}

// checkOwn validates an exchange against Windlass's document.
func checkOwn(e Exchange) error {
	both, err := ownDefinitions()
	if err != nil {
		return err
	}
	if err := errors.Join(checkOwnRequest(both[0], e), checkOwnAnswer(both[1], e)); err != nil {
		return fmt.Errorf("%w (%s)", err, howTo)
	}
	return nil
}

// CheckShown is Check for an exchange in the documentation: its request may only have members that the document
// describes.
func CheckShown(e Exchange) error {
	both, err := ownDefinitions()
	if err != nil {
		return err
	}
	return errors.Join(Check(e), checkOwnRequest(both[1], e))
}

// CheckExample checks an example in Windlass's document as an answer of that operation.
func CheckExample(operationID, status, media string, example []byte) error {
	both, err := ownDefinitions()
	if err != nil {
		return err
	}
	for _, path := range both[1].paths {
		for _, operation := range path.item.Operations() {
			if operation.OperationID == operationID {
				schema := operation.Responses.Value(status).Value.Content.Get(media).Schema.Value
				if err := visit(schema, example, openapi3.VisitAsResponse()); err != nil {
					return fmt.Errorf("the example of %s %s does not fit its schema: %w", operationID, status, err)
				}
				return nil
			}
		}
	}
	return fmt.Errorf("there is no operation %s", operationID)
}

func checkOwnRequest(d *definition, e Exchange) error {
	operation := d.find(e.Method, e.path())
	if operation == nil || operation.RequestBody == nil || !e.accepted() {
		return nil
	}
	media, _, _ := mime.ParseMediaType(e.ContentType)
	content := operation.RequestBody.Value.Content.Get(media)
	if content == nil {
		return fmt.Errorf("a body of %s was accepted and is not described", media)
	}
	if err := visit(content.Schema.Value, e.Request, openapi3.VisitAsRequest()); err != nil {
		return fmt.Errorf("the request was accepted, and is not what is described: %w", err)
	}
	return nil
}

func checkOwnAnswer(d *definition, e Exchange) error {
	operation := d.find(e.Method, e.path())
	if operation == nil {
		if e.Status < http.StatusBadRequest {
			return errors.New("this is not described")
		}
		return nil // the test uses an undefined path
	}
	defined := answerTo(operation, e.Status)
	if defined == nil && e.Status < http.StatusBadRequest {
		return errors.New("this status is not described")
	}
	if defined == nil {
		defined = operation.Responses.Default().Value
	}
	if err := checkHeaders(defined, e.Header); err != nil {
		return err
	}
	if len(e.Body) == 0 {
		return nil
	}
	media, _, _ := mime.ParseMediaType(e.Header.Get("Content-Type"))
	content := defined.Content.Get(media)
	if content == nil {
		return fmt.Errorf("an answer of %q is not described", media)
	}
	if !isJSON(media) || e.picked() {
		return nil
	}
	if err := visit(content.Schema.Value, e.Body, openapi3.VisitAsResponse()); err != nil {
		return fmt.Errorf("the answer is not what is described: %w; it was %s", err, e.Body)
	}
	return nil
}
