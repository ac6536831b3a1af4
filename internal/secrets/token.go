package secrets

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/token"
)

// tokenTimeout is more than a token behind a network needs.
const tokenTimeout = time.Minute

// Token says how Windlass reaches the token that has the wrapping key of a wrapped key file.
type Token struct {
	// Module is the PKCS #11 module of the token's vendor, a shared library.
	Module string
	// PINFile holds the PIN. Without a file, the environment variable PINEnv has the PIN.
	PINFile, PINEnv string
	// Program is windlass-token; "" is the one in the folder of this program.
	Program string
}

// WrappingKey is the key in a token that wraps the keys of a file.
type WrappingKey struct {
	// Token and Key are the labels.
	Token, Key string
	// Serial is the token's serial number when the file was written. Another token may have a copy of the key.
	Serial string
}

// do lets the token wrap or unwrap keys. It calls the token once: tokens lock themselves after some wrong PINs.
func (t Token) do(ctx context.Context, by WrappingKey, r token.Request) (token.Answer, error) {
	var a token.Answer
	if t.Module == "" {
		return a, lcm.Errorf(lcm.KindInvalid, "The keys are wrapped by the key %q in the token %q, but Windlass has no module "+
			"for this token: set keys.token.module to the PKCS #11 module of its vendor.", by.Key, by.Token)
	}
	if _, err := os.Stat(t.Module); err != nil {
		return a, lcm.Wrap(lcm.KindInvalid, err, "The PKCS #11 module %s cannot be read. Install the software of the token's "+
			"vendor, or correct keys.token.module.", t.Module)
	}
	program, err := t.program()
	if err != nil {
		return a, err
	}
	if r.PIN, err = t.pin(); err != nil {
		return a, err
	}
	r.Module, r.Token, r.Key = t.Module, by.Token, by.Key
	if a, err = t.call(ctx, program, r); err != nil {
		return a, err
	}
	if a.Failure != nil {
		return a, t.explain(by, a)
	}
	if len(a.Keys) != len(r.Keys) {
		return a, lcm.Errorf(lcm.KindInvalid, "%s is of another release than windlass: install both from the same release.",
			program)
	}
	return a, nil
}

func (t Token) program() (string, error) {
	path := t.Program
	if path == "" {
		own, err := os.Executable()
		if err != nil {
			return "", fmt.Errorf("find the folder of windlass: %w", err)
		}
		path = filepath.Join(filepath.Dir(own), token.Program)
	}
	if _, err := os.Stat(path); err != nil {
		return "", lcm.Wrap(lcm.KindInvalid, err, "Windlass reaches tokens by the program %s, which is not there. Build it on a "+
			"machine with a C compiler (`go tool task build`), and put it into the folder of windlass.", path)
	}
	return path, nil
}

// pin reads the PIN. No error quotes it.
func (t Token) pin() (string, error) {
	if t.PINFile == "" {
		pin := os.Getenv(t.PINEnv)
		if pin == "" {
			return "", lcm.Errorf(lcm.KindInvalid, "There is no PIN for the token: set keys.token.pinFile, or put the PIN into "+
				"the environment variable %s.", t.PINEnv)
		}
		return pin, nil
	}
	b, err := readOwn("file with the token's PIN", t.PINFile)
	if err != nil {
		return "", err
	}
	pin := strings.TrimRight(string(b), "\r\n")
	if pin == "" {
		return "", lcm.Errorf(lcm.KindInvalid, "The file with the token's PIN, %s, is empty.", t.PINFile)
	}
	return pin, nil
}

// call runs the program. The module of a vendor runs in it, so it gets no setting of Windlass in its environment, and
// nothing that it prints goes further.
func (t Token) call(ctx context.Context, program string, r token.Request) (a token.Answer, err error) {
	request, err := json.Marshal(r)
	if err != nil {
		return a, err
	}
	ctx, cancel := context.WithTimeout(ctx, tokenTimeout)
	defer cancel()
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, program)
	cmd.Stdin, cmd.Stdout, cmd.Env = bytes.NewReader(request), &out, t.environment()
	cmd.WaitDelay = time.Second // a module may have started processes
	err = cmd.Run()
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil // the program has ended well, and a process of the module still has its output
	}
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return a, ctx.Err()
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return a, lcm.Errorf(lcm.KindInvalid, "The token %q has not answered for %s. Check its connection, and start Windlass "+
			"again.", r.Token, tokenTimeout)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, fs.ErrNotExist):
		return a, lcm.Wrap(lcm.KindInvalid, err, "The program %s cannot be started. It needs the C library of the system, and "+
			"the right to be executed.", program)
	case err != nil:
		return a, lcm.Wrap(lcm.KindInvalid, err, "The program %s ended without an answer. Check that %s is a PKCS #11 module "+
			"for this machine, and that windlass and windlass-token are of the same release.", program, t.Module)
	}
	if json.Unmarshal(out.Bytes(), &a) != nil { // its error could quote a key
		return a, lcm.Errorf(lcm.KindInvalid, "The answer of %s has another form: install windlass and windlass-token from the "+
			"same release.", program)
	}
	return a, nil
}

// environment has what modules look at, such as SOFTHSM2_CONF, without the settings of Windlass and the PIN.
func (t Token) environment() (env []string) {
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); !strings.HasPrefix(name, "WINDLASS_") && name != t.PINEnv {
			env = append(env, v)
		}
	}
	return env
}
