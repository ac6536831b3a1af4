// Package requests reads the requests of operations: once, at the border, into values of the domain, which do not depend
// on the API's version. Each operation has a file with its forms in the versions of SOL003. A form is a struct whose tags
// hold the rules of its members (see package params), and it knows how to become the value.
//
// The database keeps the value in a canonical form with a version (see Stored), and beside it the body as it was sent.
package requests

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/params"
)

// Reading is a request of the right form. Mistakes violate the standard, and Impossible is what the standard allows and a
// Base HOT cannot do: both are about addresses of connection points, and whoever takes the request reports them together
// with what else is wrong with its values.
type Reading struct {
	lcm.Request
	Mistakes, Impossible []lcm.Problem
}

// form is the body of a request in one version of the API.
type form interface {
	// problems are the mistakes that the tags of its members do not find.
	problems() []lcm.Problem
	// reading is the value.
	reading() Reading
}

// Others tells the mistakes in members of a heal's additionalParams that drivers read.
type Others func(additionalParams json.RawMessage) []lcm.Problem

// reader reads the body of a request in one version of the API.
type reader struct {
	// read reads a request that comes, and reports every mistake in its form at once, with those of others in its
	// additionalParams.
	read func(body []byte, others []Others) (Reading, error)
	// kept reads a request that was accepted before, and reports values of a wrong type only.
	kept func(body []byte) (lcm.Request, []lcm.Problem)
	// members are those of the body.
	members []params.Member
}

func in[F any, P interface {
	*F
	form
}]() *reader {
	return &reader{
		read: func(body []byte, others []Others) (Reading, error) {
			f, err := Decode[F](body)
			problems := P(&f).problems()
			if of, ok := any(&f).(interface{ additionalParams() json.RawMessage }); ok {
				for _, tell := range others {
					problems = append(problems, tell(of.additionalParams())...)
				}
			}
			if err := WithProblems(err, problems); err != nil {
				return Reading{}, err
			}
			return P(&f).reading(), nil
		},
		kept: func(body []byte) (lcm.Request, []lcm.Problem) {
			var f F
			problems, _ := kept.Read("$", body, &f)
			return P(&f).reading().Request, problems
		},
		members: params.Describe(*new(F)),
	}
}

// operation says how to read the requests of an operation.
type operation struct {
	// v1 and v2 are nil for a version of the API that does not have the operation.
	v1, v2 *reader
	codec
}

var operations = byName(
	operation{in[instantiateV1](), in[instantiateV2](), as(storedInstantiation.request, instantiationToStore)},
	operation{in[scale](), in[scale](), asItIs[lcm.ScaleRequest]()},
	operation{in[scaleToLevel](), in[scaleToLevel](), asItIs[lcm.ScaleToLevelRequest]()},
	operation{in[heal](), in[heal](), asItIs[lcm.HealRequest]()},
	operation{in[operate](), in[operate](), asItIs[lcm.OperateRequest]()},
	operation{in[changeExtConnV1](), in[changeExtConnV2](), as(storedReconnection.request, reconnectionToStore)},
	operation{nil, in[changeVnfPkg](), asItIs[lcm.ChangeVnfPkgRequest]()},
	operation{
		in[changeFlavourV1](), in[changeFlavourV2](), as(storedFlavourChange.request, flavourChangeToStore),
	},
	operation{in[modifyV1](), in[modifyV2](), asItIs[lcm.ModifyRequest]()},
	operation{in[terminateV1](), in[terminateV2](), asItIs[lcm.TerminateRequest]()},
)

func byName(list ...operation) map[lcm.Operation]operation {
	out := map[lcm.Operation]operation{}
	for _, o := range list {
		out[o.name] = o
	}
	return out
}

// in returns the reader for a version of the API, nil if it does not have the operation.
func (o operation) in(version int) *reader {
	if version == 1 {
		return o.v1
	}
	return o.v2
}

// Has tells whether a version of the API has the operation.
func Has(op lcm.Operation, version int) bool { return operations[op].in(version) != nil }

// Members describes the members of a request in the form of a version of the API; nil if the version does not have the
// operation.
func Members(op lcm.Operation, version int) []params.Member {
	if r := operations[op].in(version); r != nil {
		return r.members
	}
	return nil
}

// Read reads the request of an operation in the form of a version of the API. An error is Invalid and has every mistake
// in the form, each with its JSON path.
func Read(op lcm.Operation, version int, body []byte, others ...Others) (Reading, error) {
	r := operations[op].in(version)
	if r == nil {
		return Reading{}, lcm.Errorf(lcm.KindBug, "Version %d of the API has no operation %s.", version, op)
	}
	return r.read(body, others)
}

// former reads a request in the form of a version of the API, as releases before the canonical form have stored it, and
// as many tests write it. The other version's form is taken if it fits better.
func former(op lcm.Operation, version int, body []byte) (lcm.Request, error) {
	if len(bytes.TrimSpace(body)) == 0 {
		body = json.RawMessage(`{}`)
	}
	if !json.Valid(body) {
		return nil, lcm.Errorf(lcm.KindInvalid, "The request of the operation %s is no JSON.", op)
	}
	var best lcm.Request
	var fewest []lcm.Problem
	for _, r := range []*reader{operations[op].in(max(version, 1)), operations[op].v1, operations[op].v2} {
		if r == nil {
			continue
		}
		if request, problems := r.kept(body); best == nil || len(problems) < len(fewest) {
			best, fewest = request, problems
		}
	}
	if best == nil {
		return nil, lcm.Errorf(lcm.KindBug, "The operation %q has no request.", op)
	}
	return best, lcm.InvalidAll("The request of the operation "+string(op)+" is malformed", fewest)
}

// WithProblems adds problems to the problems of err, except at paths that err names already.
func WithProblems(err error, problems []lcm.Problem) error {
	if e, ok := asError(err); ok {
		if len(e.Problems) == 0 { // no JSON at all
			return err
		}
		problems = slices.DeleteFunc(problems, func(p lcm.Problem) bool {
			return slices.ContainsFunc(e.Problems, func(known lcm.Problem) bool { return known.Path == p.Path })
		})
		problems = append(slices.Clone(e.Problems), problems...)
	}
	return lcm.InvalidAll("The request has mistakes", problems)
}
