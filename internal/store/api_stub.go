// Package store keeps everything Windlass must not forget in PostgreSQL. All errors are *lcm.Error.
package store

import (
	"context"
	"io"
	"iter"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

type Store struct{}

// Content reads an archive from its chunks: io.ReadSeekCloser and io.ReaderAt.
type Content struct{}

func (c *Content) Read(p []byte) (int, error)                   { return 0, io.EOF }
func (c *Content) Seek(offset int64, whence int) (int64, error) { return 0, errTodo }
func (c *Content) ReadAt(p []byte, off int64) (int, error)      { return 0, errTodo }
func (c *Content) Close() error                                 { return nil }

// OutputLine is one captured line of a step.
type OutputLine struct {
	Node    string
	Attempt int
	At      time.Time
	Line    string
}

var errTodo = lcm.Errorf(lcm.KindBug, "not written yet")

func Migrate(ctx context.Context, databaseURL string) error        { return errTodo }
func Open(ctx context.Context, databaseURL string) (*Store, error) { return nil, errTodo }
func (s *Store) Close()                                            {}
func (s *Store) Ping(ctx context.Context) error                    { return errTodo }

// packages
func (s *Store) CreatePackage(ctx context.Context, p lcm.VnfPkg) error { return errTodo }
func (s *Store) Package(ctx context.Context, id lcm.VnfPkgID) (lcm.VnfPkg, error) {
	return lcm.VnfPkg{}, errTodo
}

func (s *Store) PackageByVnfd(ctx context.Context, id lcm.VnfdID) (lcm.VnfPkg, error) {
	return lcm.VnfPkg{}, errTodo
}
func (s *Store) Packages(ctx context.Context) ([]lcm.VnfPkg, error)       { return nil, errTodo }
func (s *Store) UpdatePackage(ctx context.Context, p lcm.VnfPkg) error    { return errTodo }
func (s *Store) DeletePackage(ctx context.Context, id lcm.VnfPkgID) error { return errTodo }
func (s *Store) SavePackageContent(ctx context.Context, id lcm.VnfPkgID, r io.Reader) (size int64, sha256 string, err error) {
	return 0, "", errTodo
}

func (s *Store) PackageContent(ctx context.Context, id lcm.VnfPkgID) (*Content, int64, error) {
	return nil, 0, errTodo
}

func (s *Store) SavePackageFiles(ctx context.Context, id lcm.VnfPkgID, files iter.Seq2[lcm.PkgArtifact, []byte]) error {
	return errTodo
}

func (s *Store) PackageFile(ctx context.Context, id lcm.VnfPkgID, path string) ([]byte, error) {
	return nil, errTodo
}

// VIMs
func (s *Store) CreateVim(ctx context.Context, v lcm.Vim) error         { return errTodo }
func (s *Store) UpdateVim(ctx context.Context, v lcm.Vim) error         { return errTodo }
func (s *Store) DeleteVim(ctx context.Context, id lcm.VimID) error      { return errTodo }
func (s *Store) Vim(ctx context.Context, id lcm.VimID) (lcm.Vim, error) { return lcm.Vim{}, errTodo }
func (s *Store) VimByName(ctx context.Context, name string) (lcm.Vim, error) {
	return lcm.Vim{}, errTodo
}
func (s *Store) DefaultVim(ctx context.Context) (lcm.Vim, error) { return lcm.Vim{}, errTodo }
func (s *Store) Vims(ctx context.Context) ([]lcm.Vim, error)     { return nil, errTodo }

// VNF instances
func (s *Store) CreateInstance(ctx context.Context, inst lcm.VnfInstance) error { return errTodo }
func (s *Store) Instance(ctx context.Context, id lcm.VnfInstanceID) (lcm.VnfInstance, error) {
	return lcm.VnfInstance{}, errTodo
}
func (s *Store) Instances(ctx context.Context) ([]lcm.VnfInstance, error)       { return nil, errTodo }
func (s *Store) DeleteInstance(ctx context.Context, id lcm.VnfInstanceID) error { return errTodo }
func (s *Store) UpdateInstance(ctx context.Context, inst lcm.VnfInstance) error { return errTodo }

// operations
func (s *Store) BeginOperation(ctx context.Context, op lcm.VnfLcmOpOcc) error { return errTodo }
func (s *Store) Operation(ctx context.Context, id lcm.OpOccID) (lcm.VnfLcmOpOcc, error) {
	return lcm.VnfLcmOpOcc{}, errTodo
}
func (s *Store) Operations(ctx context.Context) ([]lcm.VnfLcmOpOcc, error)        { return nil, errTodo }
func (s *Store) RecordOperation(ctx context.Context, r lcm.OperationRecord) error { return errTodo }
func (s *Store) UnstartedOperations(ctx context.Context, olderThan time.Duration) ([]lcm.VnfLcmOpOcc, error) {
	return nil, errTodo
}
func (s *Store) OpenOperations(ctx context.Context) ([]lcm.VnfLcmOpOcc, error) { return nil, errTodo }

// steps
func (s *Store) RecordPlan(ctx context.Context, id lcm.OpOccID, steps []lcm.Step) error {
	return errTodo
}
func (s *Store) RecordStep(ctx context.Context, step lcm.Step) error           { return errTodo }
func (s *Store) Steps(ctx context.Context, id lcm.OpOccID) ([]lcm.Step, error) { return nil, errTodo }
func (s *Store) AppendOutput(ctx context.Context, ref lcm.StepRef, attempt int, lines []string) error {
	return errTodo
}

func (s *Store) Output(ctx context.Context, ref lcm.StepRef) iter.Seq2[OutputLine, error] {
	return func(yield func(OutputLine, error) bool) { yield(OutputLine{}, errTodo) }
}

func (s *Store) Events(ctx context.Context, id lcm.OpOccID, after int64, limit int) ([]lcm.Event, error) {
	return nil, errTodo
}
func (s *Store) WaitEvents(ctx context.Context, id lcm.OpOccID, after int64) error { return errTodo }

// host keys
func (s *Store) HostKey(ctx context.Context, serverID string) ([]byte, bool, error) {
	return nil, false, errTodo
}

func (s *Store) PinHostKey(ctx context.Context, serverID string, key []byte) ([]byte, error) {
	return nil, errTodo
}
func (s *Store) ForgetHostKeys(ctx context.Context, serverIDs ...string) error { return errTodo }

// sealed secrets
func (s *Store) PutSealed(ctx context.Context, ref lcm.SecretRef, keyID string, sealed []byte) error {
	return errTodo
}

func (s *Store) GetSealed(ctx context.Context, ref lcm.SecretRef) (keyID string, sealed []byte, err error) {
	return "", nil, errTodo
}

func (s *Store) InsertSealed(ctx context.Context, ref lcm.SecretRef, keyID string, sealed []byte) (inserted bool, err error) {
	return false, errTodo
}

// ReplaceSealed writes sealed only while old is still what is stored.
func (s *Store) ReplaceSealed(ctx context.Context, old lcm.SealedSecret, keyID string, sealed []byte) (replaced bool, err error) {
	return false, errTodo
}
func (s *Store) DeleteSealed(ctx context.Context, prefix string) error { return errTodo }
func (s *Store) AllSealed(ctx context.Context) iter.Seq2[lcm.SealedSecret, error] {
	return func(yield func(lcm.SealedSecret, error) bool) { yield(lcm.SealedSecret{}, errTodo) }
}
