package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// KeySet has the published keys of an issuer (RFC 7517), and follows their rotation. A token with an unknown key causes
// a new fetch. All keys are also fetched again now and then, so that a withdrawn key is not trusted for ever. ADR 24
// says why no library does this.
type KeySet struct {
	// Issuer names the keys' URL in its metadata; URL is the keys' URL if the issuer has no metadata.
	Issuer, URL string
	HTTP        *http.Client
	// Now is the clock; nil: the system's.
	Now func() time.Time

	mu      sync.Mutex
	keys    jose.JSONWebKeySet
	fetched time.Time // when keys were got
	tried   time.Time // when the last fetch ended
	failed  error     // the result's error
	under   *fetching // the fetch under way, if any
}

// fetching is a fetch of the keys in progress. All requests that need it wait for it: there is never a second fetch
// beside it.
type fetching struct {
	began time.Time // by the system's clock
	done  chan struct{}
}

const (
	// keysGoodFor is the age at which keys are fetched again, even if all tokens have known keys.
	keysGoodFor = 15 * time.Minute
	// keysKeptFor is how long keys are used while the issuer does not answer.
	keysKeptFor = 12 * time.Hour
	// keysPause is the pause between two fetches: tokens with invented keys must not make Windlass flood the issuer.
	keysPause = 5 * time.Second
	// keysRetry is between two fetches while the keys that are known can still be used.
	keysRetry = time.Minute
	// keysTimeout bounds one fetch.
	keysTimeout = 5 * time.Second
	// keysWait is how long a request with usable keys waits for newer ones: an issuer that hangs must not delay requests.
	keysWait = time.Second
	// largestKeySet bounds the issuer's answer.
	largestKeySet = 1 << 20
)

// verify checks the token's signature and reads its claims into dest.
func (k *KeySet) verify(ctx context.Context, token *jwt.JSONWebToken, dest ...any) error {
	if len(token.Headers) != 1 {
		return &RefusalError{Malformed: true, Detail: "The bearer token must have one signature."}
	}
	id := token.Headers[0].KeyID
	for _, again := range []bool{false, true} {
		keys, err := k.current(ctx, again)
		if err != nil {
			return err
		}
		for _, key := range keys.Keys {
			if (id == "" || key.KeyID == id) && key.Use != "enc" && key.IsPublic() && token.Claims(key.Key, dest...) == nil {
				return nil
			}
		}
	}
	return &RefusalError{Detail: "The bearer token's signature is not from this server's issuer."}
}

// current returns the keys; again asks for newer keys, unless they were fetched a moment ago.
//
// The fetch runs beside the requests. A request with usable keys waits a moment at most. Other requests wait until the
// fetch or their own context ends.
func (k *KeySet) current(ctx context.Context, again bool) (jose.JSONWebKeySet, error) {
	now := k.now()
	k.mu.Lock()
	usable, old := now.Sub(k.fetched) < keysKeptFor, now.Sub(k.fetched) >= keysGoodFor
	if k.under == nil && (again || old) && now.Sub(k.tried) >= pauseOfKeys(usable && !again) {
		k.under = &fetching{began: time.Now(), done: make(chan struct{})}
		go k.refresh(context.WithoutCancel(ctx), k.under) // others wait for the keys, too: a client that goes must not end it
	}
	under := k.under
	k.mu.Unlock()
	if under != nil && (again || old) {
		if err := under.wait(ctx, usable && !again); err != nil {
			return jose.JSONWebKeySet{}, err
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if now.Sub(k.fetched) >= keysKeptFor {
		return k.keys, lcm.Wrap(lcm.KindUnavailable, k.failed, "Windlass cannot get the keys of the issuer %s now.",
			k.Issuer)
	}
	return k.keys, nil
}

func (k *KeySet) now() time.Time {
	if k.Now != nil {
		return k.Now()
	}
	return time.Now()
}

func pauseOfKeys(usable bool) time.Duration {
	if usable {
		return keysRetry
	}
	return keysPause
}

// wait waits for the end of the fetch; briefly gives up keysWait after its beginning. The error is the context's error.
func (f *fetching) wait(ctx context.Context, briefly bool) error {
	patience := keysTimeout
	if briefly {
		patience = keysWait - time.Since(f.began)
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-f.done:
		return nil
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// refresh fetches the keys and stores them, or stores the error.
func (k *KeySet) refresh(ctx context.Context, f *fetching) {
	ctx, cancel := context.WithTimeout(ctx, keysTimeout)
	defer cancel()
	keys, err := k.fetch(ctx)
	k.mu.Lock()
	defer k.mu.Unlock()
	defer close(f.done)
	k.under, k.tried, k.failed = nil, k.now(), err
	if err == nil {
		k.keys, k.fetched = keys, k.tried
	}
}

func (k *KeySet) fetch(ctx context.Context) (keys jose.JSONWebKeySet, err error) {
	place := k.URL
	if place == "" {
		if place, err = k.discover(ctx); err != nil {
			return keys, err
		}
	}
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := k.get(ctx, place, &set); err != nil {
		return keys, err
	}
	for _, published := range set.Keys {
		var key jose.JSONWebKey
		if json.Unmarshal(published, &key) == nil { // others are of a kind to come: RFC 7517 clause 5 leaves them out
			keys.Keys = append(keys.Keys, key)
		}
	}
	if len(keys.Keys) == 0 {
		return keys, fmt.Errorf("%s has no keys that can be used", place)
	}
	return keys, nil
}

// discover asks for the issuer's metadata, which must be its own (OpenID Connect Discovery clause 4.3).
func (k *KeySet) discover(ctx context.Context) (string, error) {
	var metadata struct {
		Issuer string `json:"issuer"`
		Keys   string `json:"jwks_uri"`
	}
	err := k.get(ctx, MetadataURL(k.Issuer), &metadata)
	switch {
	case err != nil:
		return "", err
	case metadata.Issuer != k.Issuer:
		return "", fmt.Errorf("the metadata at %s is of the issuer %s", k.Issuer, metadata.Issuer)
	}
	if u, err := url.Parse(metadata.Keys); err != nil || u.Host == "" {
		return "", errors.New("the issuer's metadata has no jwks_uri")
	}
	return metadata.Keys, nil
}

// MetadataURL is where an issuer has its metadata (OpenID Connect Discovery clause 4).
func MetadataURL(issuer string) string {
	return strings.TrimRight(issuer, "/") + "/.well-known/openid-configuration"
}

func (k *KeySet) get(ctx context.Context, place string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, place, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "application/json")
	resp, err := k.HTTP.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", place, resp.Status)
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, largestKeySet)).Decode(into); err != nil {
		return fmt.Errorf("%s does not answer as it should: %w", place, err)
	}
	return nil
}
