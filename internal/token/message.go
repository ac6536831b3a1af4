// Package token has the messages between Windlass and windlass-token, the program that loads a PKCS #11 module.
// Windlass writes a Request to the program's standard input and reads an Answer from its standard output.
package token

// Program is the name of the program. It is in the folder of windlass.
const Program = "windlass-token"

// Do is what the program does with the data keys of a request.
type Do string

// The values of Do.
const (
	Wrap   Do = "wrap"
	Unwrap Do = "unwrap"
)

// Request is one call of the program. It has secrets: it goes through a pipe, never through arguments or a file.
type Request struct {
	Do Do `json:"do"`
	// Module is the path of the shared library.
	Module string `json:"module"`
	// Token and Key are labels: of the token, and of the wrapping key in it.
	Token string `json:"token"`
	Key   string `json:"key"`
	PIN   string `json:"pin"`
	// MakeKey makes the wrapping key first; there must be none of this label.
	MakeKey bool      `json:"makeKey,omitempty"`
	Keys    []DataKey `json:"keys"`
}

// DataKey is a key of Windlass. A token wraps it together with its id, so that nobody can exchange two of them.
type DataKey struct {
	ID string `json:"id"`
	// Material is the key in clear, or wrapped.
	Material []byte `json:"material"`
}

// Answer has the data keys in the order of the request, or the failure.
type Answer struct {
	// Serial is the serial number of the token, as soon as the token is found.
	Serial  string    `json:"serial,omitempty"`
	Keys    []DataKey `json:"keys,omitempty"`
	Failure *Failure  `json:"failure,omitempty"`
}

// Failure says why the program could not do its work. It has no secrets.
type Failure struct {
	Code Code `json:"code"`
	// Detail is the answer of the module, such as CKR_DEVICE_ERROR; or the data key with OtherKey.
	Detail string `json:"detail,omitempty"`
	// Tokens are the labels of the tokens that are there.
	Tokens []string `json:"tokens,omitempty"`
}

// Code is a kind of failure.
type Code string

// The codes.
const (
	BadModule    Code = "bad module"           // the shared library cannot be loaded, or does not start
	NoToken      Code = "no token"             // none of this label
	TwoTokens    Code = "two tokens"           // several of this label
	NoPIN        Code = "no PIN"               // the token has no PIN of a user yet
	WrongPIN     Code = "wrong PIN"            // the token refused it
	LastTry      Code = "last try"             // one more wrong PIN would lock the token; the program did not try
	Locked       Code = "locked"               // after too many wrong PINs
	NoMechanism  Code = "no mechanism"         // the token does not know AES-GCM
	NoKey        Code = "no key"               // none of this label
	TwoKeys      Code = "two keys"             // several of this label
	KeyExists    Code = "key exists"           // MakeKey would make a second one
	Extractable  Code = "extractable"          // the wrapping key can leave the token
	OtherKey     Code = "wrapped by another"   // the key in the token did not wrap this data key
	TokenFailure Code = "failure of the token" // all else
)
