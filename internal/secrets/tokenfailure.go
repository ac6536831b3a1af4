package secrets

import (
	"fmt"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/token"
)

// PINRefused reports whether err is a PIN that a token refused. Each further try brings the token nearer to its lock.
func PINRefused(err error) bool { return lcm.Is(err, lcm.KindDenied) }

// explain says what failed and what to do.
func (t Token) explain(by WrappingKey, a token.Answer) error {
	f := a.Failure
	kind := lcm.KindInvalid
	if f.Code == token.WrongPIN || f.Code == token.LastTry || f.Code == token.Locked {
		kind = lcm.KindDenied
	}
	text := strings.NewReplacer("TOKEN", fmt.Sprintf("%q", by.Token), "KEY", fmt.Sprintf("%q", by.Key),
		"MODULE", t.Module, "PLACE", t.place(), "DETAIL", f.Detail)
	sentence, known := tokenSentences[f.Code]
	switch {
	case f.Code == token.OtherKey:
		return t.notItsKey(by, a)
	case f.Code == token.NoToken && len(f.Tokens) > 0:
		return lcm.Errorf(kind, "The PKCS #11 module %s has no token with the label %q; it has %q. Connect that token, or "+
			"use the key file of one of these.", t.Module, by.Token, f.Tokens)
	case f.Code == token.BadModule && f.Detail != "":
		return lcm.Errorf(kind, "The PKCS #11 module %s does not start: %s. Its vendor's documentation says what it needs.",
			t.Module, f.Detail)
	case !known:
		return lcm.Errorf(kind, "The token %q failed: %s.", by.Token, f.Code)
	}
	return lcm.Errorf(kind, "%s", text.Replace(sentence))
}

// tokenSentences are the sentences of the codes; words in capitals are replaced.
var tokenSentences = map[token.Code]string{
	token.BadModule: "MODULE is no PKCS #11 module that this machine can load. Set keys.token.module to the shared " +
		"library of the token's vendor, of this machine's architecture.",
	token.NoToken: "The PKCS #11 module MODULE sees no token; the keys are wrapped by a key in the token TOKEN. Connect " +
		"the token, and start Windlass again.",
	token.TwoTokens: "Several tokens have the label TOKEN. Give them different labels, or disconnect all but one.",
	token.NoPIN:     "The token TOKEN has no PIN for its user yet. Set the PIN with the vendor's tool.",
	token.WrongPIN: "The token TOKEN refused the PIN from PLACE. Windlass tried it once. Correct the PIN before you start " +
		"Windlass again: tokens lock themselves after some wrong PINs.",
	token.LastTry: "The token TOKEN locks itself after one more wrong PIN, so Windlass did not try the PIN from PLACE. Log " +
		"in once with the right PIN and the vendor's tool, correct the PIN, and start Windlass again.",
	token.Locked: "The token TOKEN has locked itself after too many wrong PINs. Its security officer can set a new PIN with " +
		"the vendor's tool. Correct the PIN in PLACE, too.",
	token.NoMechanism: "The token TOKEN does not support the mechanism AES-GCM (CKM_AES_GCM), by which Windlass wraps " +
		"keys. Use another token, or a plain key file.",
	token.NoKey: "The token TOKEN has no AES key with the label KEY. If somebody has deleted it, restore it from the token's " +
		"backup: without it nobody can read the key file. `windlass keys wrap` makes a new one with --make-key.",
	token.TwoKeys: "The token TOKEN has several AES keys with the label KEY. Give them different labels, and name the right " +
		"one in the key file.",
	token.KeyExists: "The token TOKEN has an AES key with the label KEY already. Use it without --make-key, or choose " +
		"another label.",
	token.Extractable: "The key KEY can leave the token TOKEN, or can be read there. Make a key with CKA_SENSITIVE true and " +
		"CKA_EXTRACTABLE false; --make-key does so.",
	token.TokenFailure: "The token TOKEN answered DETAIL. Check the token with its vendor's tool, and start Windlass again.",
}

func (t Token) notItsKey(by WrappingKey, a token.Answer) error {
	if by.Serial != "" && a.Serial != by.Serial {
		return lcm.Errorf(lcm.KindInvalid, "The key %q in the token %q does not open the data key %s. The keys were wrapped in "+
			"another token, with the serial number %s; this one has %s. Connect that token, or take the key file of this one.",
			by.Key, by.Token, a.Failure.Detail, by.Serial, a.Serial)
	}
	return lcm.Errorf(lcm.KindInvalid, "The key %q in the token %q does not open the data key %s: another key of this label "+
		"wrapped it, or somebody has changed the key file. Restore the key, or the file, from a backup.",
		by.Key, by.Token, a.Failure.Detail)
}

// place is where the PIN comes from.
func (t Token) place() string {
	if t.PINFile != "" {
		return "the file " + t.PINFile
	}
	return "the environment variable " + t.PINEnv
}
