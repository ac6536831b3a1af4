package descriptor

import (
	"encoding/json"
)

// Word is a text of the VNFD, or an input of the VNFD that requests set in additionalParams.
type Word struct {
	// Text is the text, or the default of the input.
	Text string
	// Input is the input's name, "" for a text.
	Input string
	// Required is set for an input without a default.
	Required bool
}

type input struct {
	Name    string  `json:"input"`
	Default *string `json:"default,omitempty"`
}

// MarshalJSON implements json.Marshaler: a text is a string.
func (w Word) MarshalJSON() ([]byte, error) {
	switch {
	case w.Input == "":
		return json.Marshal(w.Text)
	case w.Required:
		return json.Marshal(input{Name: w.Input})
	default:
		return json.Marshal(input{w.Input, &w.Text})
	}
}

// UnmarshalJSON implements json.Unmarshaler.
func (w *Word) UnmarshalJSON(doc []byte) error {
	*w = Word{}
	if json.Unmarshal(doc, &w.Text) == nil {
		return nil
	}
	var in input
	if err := json.Unmarshal(doc, &in); err != nil {
		return err
	}
	w.Input, w.Required = in.Name, in.Default == nil
	if in.Default != nil {
		w.Text = *in.Default
	}
	return nil
}

// TextSize is the approximate memory of a container's texts, in bytes.
func (c *Container) TextSize() int {
	const each = 64
	size := len(c.Image.Text) + each
	for _, list := range [][]Word{c.Command, c.Args} {
		for _, w := range list {
			size += len(w.Text) + each
		}
	}
	for _, texts := range []map[string]Word{c.Env, c.Config} {
		for name, w := range texts {
			size += len(name) + len(w.Text) + each
		}
	}
	return size
}
