// Package state keeps the lab's data in one bbolt file. A lab that is killed at any moment restarts with the servers,
// ports, volumes and stacks that it had.
package state

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// ErrLocked is returned by Open when another process has locked the file.
var ErrLocked = errors.New("another lab uses this state directory")

// Store is the lab's database.
type Store struct {
	db *bbolt.DB
}

// Open opens or creates the file. It waits a moment for an earlier process that is still stopping.
func Open(path string) (*Store, error) {
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{
		Timeout: 3 * time.Second,
		// The lab must survive SIGKILL, but not a power cut. After SIGKILL the kernel still has the written pages; a sync
		// for each API call would cost more than the call.
		NoSync:         true,
		NoFreelistSync: true,
		FreelistType:   bbolt.FreelistMapType,
	})
	if errors.Is(err, berrors.ErrTimeout) {
		return nil, fmt.Errorf("open %s: %w", path, ErrLocked)
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return &Store{db: db}, nil
}

// Close writes everything to disk and releases the file.
func (s *Store) Close() error {
	return errors.Join(s.db.Sync(), s.db.Close())
}

// Tx is a transaction. Write transactions run one after the other, so a check and the write that depends on it (a quota
// and its insert) belong in one Update.
type Tx struct {
	tx *bbolt.Tx
}

// Update runs f in a transaction that is written when f returns nil.
func (s *Store) Update(f func(*Tx) error) error {
	return s.db.Update(func(tx *bbolt.Tx) error { return f(&Tx{tx}) })
}

// View runs f on a snapshot of the database.
func (s *Store) View(f func(*Tx) error) error {
	return s.db.View(func(tx *bbolt.Tx) error { return f(&Tx{tx}) })
}

// Table is a named set of JSON documents of type T with string keys. The value itself holds no state.
type Table[T any] string

// Get reads one document; false when there is none.
func (t Table[T]) Get(tx *Tx, key string) (T, bool) {
	var v T
	b := tx.tx.Bucket([]byte(t))
	if b == nil {
		return v, false
	}
	raw := b.Get([]byte(key))
	if raw == nil {
		return v, false
	}
	return decode[T](t, key, raw), true
}

// Put writes one document.
func (t Table[T]) Put(tx *Tx, key string, v T) error {
	b, err := tx.tx.CreateBucketIfNotExists([]byte(t))
	if err != nil {
		return fmt.Errorf("write %s %s: %w", t, key, err)
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("write %s %s: %w", t, key, err)
	}
	if err := b.Put([]byte(key), raw); err != nil {
		return fmt.Errorf("write %s %s: %w", t, key, err)
	}
	return nil
}

// Delete removes one document; a missing document is no error.
func (t Table[T]) Delete(tx *Tx, key string) error {
	b := tx.tx.Bucket([]byte(t))
	if b == nil {
		return nil
	}
	if err := b.Delete([]byte(key)); err != nil {
		return fmt.Errorf("delete %s %s: %w", t, key, err)
	}
	return nil
}

// DeletePrefix removes every document whose key begins with prefix.
func (t Table[T]) DeletePrefix(tx *Tx, prefix string) error {
	b := tx.tx.Bucket([]byte(t))
	if b == nil {
		return nil
	}
	var keys [][]byte
	c := b.Cursor()
	for k, _ := c.Seek([]byte(prefix)); k != nil && bytes.HasPrefix(k, []byte(prefix)); k, _ = c.Next() {
		keys = append(keys, bytes.Clone(k))
	}
	for _, k := range keys {
		if err := b.Delete(k); err != nil {
			return fmt.Errorf("delete %s %s: %w", t, k, err)
		}
	}
	return nil
}

// All reads every document, ordered by key.
func (t Table[T]) All(tx *Tx) []T { return t.Prefix(tx, "") }

// Prefix reads every document whose key begins with prefix, ordered by key.
func (t Table[T]) Prefix(tx *Tx, prefix string) []T {
	var out []T
	b := tx.tx.Bucket([]byte(t))
	if b == nil {
		return out
	}
	c := b.Cursor()
	for k, raw := c.Seek([]byte(prefix)); k != nil && bytes.HasPrefix(k, []byte(prefix)); k, raw = c.Next() {
		out = append(out, decode[T](t, string(k), raw))
	}
	return out
}

// decode panics on a document that it cannot read. Only this package writes documents, so the program's types have
// changed since the state directory was written, and the rest is not usable either.
func decode[T any](t Table[T], key string, raw []byte) T {
	var v T
	if err := json.Unmarshal(raw, &v); err != nil {
		panic(fmt.Sprintf("state: %s %s was written by another version of the lab (run windlass-lab down): %v", t, key, err))
	}
	return v
}

// Load is Get in a transaction of its own.
func Load[T any](s *Store, t Table[T], key string) (v T, found bool) {
	_ = s.View(func(tx *Tx) error {
		v, found = t.Get(tx, key)
		return nil
	})
	return v, found
}

// LoadAll is Prefix in a transaction of its own.
func LoadAll[T any](s *Store, t Table[T], prefix string) (all []T) {
	_ = s.View(func(tx *Tx) error {
		all = t.Prefix(tx, prefix)
		return nil
	})
	return all
}

// LoadContaining reads the documents that contain one of the texts anywhere. It searches a long table without decoding
// every document. The caller must check that the text is in the right field.
func LoadContaining[T any](s *Store, t Table[T], texts []string) (all []T) {
	_ = s.View(func(tx *Tx) error {
		b := tx.tx.Bucket([]byte(t))
		if b == nil {
			return nil
		}
		return b.ForEach(func(k, raw []byte) error {
			if slices.ContainsFunc(texts, func(text string) bool { return bytes.Contains(raw, []byte(text)) }) {
				all = append(all, decode[T](t, string(k), raw))
			}
			return nil
		})
	})
	return all
}

// Save is Put in a transaction of its own.
func Save[T any](s *Store, t Table[T], key string, v T) error {
	return s.Update(func(tx *Tx) error { return t.Put(tx, key, v) })
}

// Remove is Delete in a transaction of its own.
func Remove[T any](s *Store, t Table[T], key string) error {
	return s.Update(func(tx *Tx) error { return t.Delete(tx, key) })
}

// Change reads one document, lets f change it and writes it, in one transaction; false when there is none.
func Change[T any](s *Store, t Table[T], key string, f func(*T) error) (v T, found bool, err error) {
	err = s.Update(func(tx *Tx) error {
		if v, found = t.Get(tx, key); !found {
			return nil
		}
		if err := f(&v); err != nil {
			return err
		}
		return t.Put(tx, key, v)
	})
	return v, found, err
}
