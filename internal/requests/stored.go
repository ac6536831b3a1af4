package requests

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// canonical is the version of the canonical form of requests, in which the database keeps them. A member may be added
// without a new version: a release leaves members alone that it does not know, and nothing writes a request twice.
const canonical = 1

// stored is the canonical form.
type stored struct {
	Version int             `json:"version"`
	Request json.RawMessage `json:"request"`
}

// codec writes and reads the value of a request.
type codec struct {
	name  lcm.Operation
	write func(r lcm.Request) ([]byte, error)
	open  func(doc []byte) (lcm.Request, error)
}

// asItIs is the codec for a request that has a form of its own.
func asItIs[R lcm.Request]() codec {
	return as(func(r R) lcm.Request { return r }, func(r R) R { return r })
}

// as is the codec for a request R that has the form S in the database.
func as[S any, R lcm.Request](value func(S) lcm.Request, toStore func(R) S) codec {
	return codec{
		name: (*new(R)).Operation(),
		write: func(r lcm.Request) ([]byte, error) {
			own, err := lcm.RequestAs[R](r)
			if err != nil {
				return nil, err
			}
			return json.Marshal(toStore(own))
		},
		open: func(doc []byte) (lcm.Request, error) {
			var s S
			if err := json.Unmarshal(doc, &s); err != nil {
				return nil, err
			}
			return value(s), nil
		},
	}
}

// ToStore is the canonical form of a request.
func ToStore(r lcm.Request) (json.RawMessage, error) {
	doc, err := operations[r.Operation()].write(r)
	if err == nil {
		doc, err = json.Marshal(stored{canonical, doc})
	}
	if err != nil {
		return nil, lcm.Wrap(lcm.KindBug, err, "The request of the operation %s cannot be written.", r.Operation())
	}
	return doc, nil
}

// Of is the request with which an operation began. Releases before the canonical form have stored only the body as it
// was sent.
func Of(o lcm.VnfLcmOpOcc) (lcm.Request, error) {
	if o.Request == nil {
		return former(o.Operation, o.APIVersion, o.Params)
	}
	op, known := operations[o.Operation]
	if !known {
		return nil, lcm.Errorf(lcm.KindBug, "This release of Windlass does not know the operation %q.", o.Operation)
	}
	var s stored
	if err := json.Unmarshal(o.Request, &s); err != nil {
		return nil, lcm.Wrap(lcm.KindBug, err, "The stored request of the operation %s is unreadable.", o.ID)
	}
	if s.Version > canonical {
		return nil, lcm.Errorf(lcm.KindConflict, "A later release of Windlass has stored the request of the operation %s, in "+
			"the form %d; this release reads the form %d. Run the later release.", o.ID, s.Version, canonical)
	}
	request, err := op.open(s.Request)
	if err != nil {
		return nil, lcm.Wrap(lcm.KindBug, err, "The stored request of the operation %s is unreadable.", o.ID)
	}
	return request, nil
}

// CheckSealed refuses a request that has a secret where Windlass keeps none: in a name, for example. Once the secrets of
// a request are sealed, such a request could not be read any more.
func CheckSealed(o lcm.VnfLcmOpOcc) error {
	_, err := Of(o)
	wrong, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok {
		return err
	}
	return lcm.InvalidAll("The request has mistakes", []lcm.Problem{{
		Path: "$." + strings.TrimSuffix(wrong.Field, ".value"),
		Detail: "looks like a secret (a URL with a user in it, or a private key), but Windlass keeps no secrets in this " +
			"member: leave the user out of the URL",
	}})
}

// storedInstantiation is the canonical form of an INSTANTIATE.
type storedInstantiation struct {
	lcm.InstantiateRequest
	Links []storedLink `json:"extVirtualLinks,omitempty"`
}

func instantiationToStore(r lcm.InstantiateRequest) storedInstantiation {
	return storedInstantiation{r, linksToStore(r.ExtVirtualLinks)}
}

func (s storedInstantiation) request() lcm.Request {
	s.ExtVirtualLinks = linksOf(s.Links)
	return s.InstantiateRequest
}

// storedReconnection is the canonical form of a CHANGE_EXT_CONN.
type storedReconnection struct {
	lcm.ChangeExtConnRequest
	Links []storedLink `json:"extVirtualLinks,omitempty"`
}

func reconnectionToStore(r lcm.ChangeExtConnRequest) storedReconnection {
	return storedReconnection{r, linksToStore(r.ExtVirtualLinks)}
}

func (s storedReconnection) request() lcm.Request {
	s.ExtVirtualLinks = linksOf(s.Links)
	return s.ChangeExtConnRequest
}

// storedLink is a link of a request. Beside what a VNF's record has, it says what the request removes and leaves alone.
type storedLink struct {
	ID         string     `json:"id"`
	ResourceID string     `json:"resourceId"`
	ExtCps     []storedCp `json:"extCps"`
}

type storedCp struct {
	lcm.ExtCp
	Configs []storedConfig `json:",omitempty"`
	Removed []string       `json:",omitempty"`
	Listed  bool           `json:",omitempty"`
}

type storedConfig struct {
	lcm.CpConfig
	Bare   bool `json:",omitempty"`
	Ported bool `json:",omitempty"`
}

func linksToStore(links []lcm.ExtVirtualLink) (out []storedLink) {
	for _, l := range links {
		link := storedLink{ID: l.ID, ResourceID: l.ResourceID}
		for _, cp := range l.ExtCps {
			to := storedCp{ExtCp: cp, Removed: cp.Removed, Listed: cp.Listed}
			for _, c := range cp.Configs {
				to.Configs = append(to.Configs, storedConfig{c, c.Bare, c.Ported})
			}
			link.ExtCps = append(link.ExtCps, to)
		}
		out = append(out, link)
	}
	return out
}

func linksOf(links []storedLink) (out []lcm.ExtVirtualLink) {
	for _, l := range links {
		link := lcm.ExtVirtualLink{ID: l.ID, ResourceID: l.ResourceID}
		for _, cp := range l.ExtCps {
			value := cp.ExtCp
			value.Configs, value.Removed, value.Listed = nil, cp.Removed, cp.Listed
			for _, c := range cp.Configs {
				config := c.CpConfig
				config.Bare, config.Ported = c.Bare, c.Ported
				value.Configs = append(value.Configs, config)
			}
			link.ExtCps = append(link.ExtCps, value)
		}
		out = append(out, link)
	}
	return out
}
