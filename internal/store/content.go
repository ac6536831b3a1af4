package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

const (
	// chunkSize keeps a row small enough for memory, and large enough that a gigabyte needs only a thousand rows.
	chunkSize = 1 << 20
	// largestFile limits the files that activities read in one piece.
	largestFile = 16 << 20
)

// SavePackageContent stores the archive chunk by chunk. The new archive replaces an earlier one when it is complete.
// Until then, and when r fails, the earlier one stays.
func (s *Store) SavePackageContent(
	ctx context.Context, id lcm.VnfPkgID, r io.Reader,
) (size int64, sum string, err error) {
	var content int64
	err = s.pool.QueryRow(ctx, `
		insert into vnf_pkg_content (vnf_pkg_id) select id from vnf_pkg where id = @id returning id`,
		pgx.NamedArgs{"id": id}).Scan(&content)
	if err != nil {
		return 0, "", interpretMissing("store an archive", err, notFound("VNF package", id))
	}
	hash := sha256.New()
	if size, err = s.saveChunks(ctx, content, io.TeeReader(r, hash)); err == nil {
		err = s.completeContent(ctx, id, content, size)
	}
	if err != nil {
		// Best effort, also when the client is gone; completeContent of a later upload removes the rest.
		_, _ = s.pool.Exec(context.WithoutCancel(ctx), `delete from vnf_pkg_content where id = @content`,
			pgx.NamedArgs{"content": content})
		return 0, "", err
	}
	return size, hex.EncodeToString(hash.Sum(nil)), nil
}

func (s *Store) saveChunks(ctx context.Context, content int64, r io.Reader) (size int64, err error) {
	buf := make([]byte, chunkSize)
	for n := 0; ; n++ {
		got, err := io.ReadFull(r, buf)
		last := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !last {
			return size, unreadable(err)
		}
		if got > 0 {
			_, err := s.pool.Exec(ctx, `insert into vnf_pkg_chunk (content_id, n, data) values (@content, @n, @data)`,
				pgx.NamedArgs{"content": content, "n": n, "data": buf[:got]})
			if violates(err, "vnf_pkg_chunk_content_id_fkey") {
				return size, lcm.Errorf(lcm.KindConflict, "The VNF package was deleted during the upload.")
			}
			if err != nil {
				return size, interpret("store an archive", err)
			}
			size += int64(got)
		}
		if last {
			return size, nil
		}
	}
}

// unreadable passes on the error of the caller's own reader.
func unreadable(err error) error {
	if _, ok := errors.AsType[*lcm.Error](err); ok {
		return err
	}
	return lcm.Wrap(lcm.KindInvalid, err, "The archive could not be read to its end.")
}

func (s *Store) completeContent(ctx context.Context, id lcm.VnfPkgID, content, size int64) error {
	return s.inTransaction(ctx, "store an archive", func(tx pgx.Tx) error {
		// An upload that is a day old has lost its process.
		_, err := tx.Exec(ctx, `
			delete from vnf_pkg_content
			where vnf_pkg_id = @id and id <> @content and (complete or started < now() - interval '1 day')`,
			pgx.NamedArgs{"id": id, "content": content})
		if err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, `update vnf_pkg_content set complete = true, size = @size where id = @content`,
			pgx.NamedArgs{"content": content, "size": size})
		if violates(err, "vnf_pkg_content_complete") {
			return lcm.Errorf(lcm.KindConflict, "Another upload to VNF package %s ended at the same time.", id)
		}
		if err == nil && tag.RowsAffected() == 0 {
			return lcm.Errorf(lcm.KindConflict, "The VNF package was deleted during the upload.")
		}
		return err
	})
}

// PackageContent opens the archive, if the context sees its package. ctx limits all later reads.
func (s *Store) PackageContent(ctx context.Context, id lcm.VnfPkgID) (*Content, int64, error) {
	c := &Content{ctx: ctx, q: s.pool, cached: -1}
	err := s.pool.QueryRow(ctx, `
		select id, size from vnf_pkg_content where complete and vnf_pkg_id = (select id from vnf_pkg where id = @id and`+ofProject+`)`,
		owned(ctx, pgx.NamedArgs{"id": id})).Scan(&c.id, &c.size)
	if err != nil {
		return nil, 0, interpretMissing("read an archive", err,
			lcm.Errorf(lcm.KindNotFound, "VNF package %s has no content.", id))
	}
	c.SectionReader = io.NewSectionReader(readerAt{c}, 0, c.size)
	return c, c.size, nil
}

// Content is an archive in the database: an io.ReadSeekCloser and an io.ReaderAt. It keeps one chunk in memory, and no
// connection between reads.
type Content struct {
	*io.SectionReader

	ctx  context.Context // the io interfaces take no context
	q    querier
	id   int64
	size int64

	mu     sync.Mutex // ReadAt may be called from several goroutines
	cached int64      // number of the chunk, -1 for none
	chunk  []byte
}

// Close frees the chunk in memory.
func (c *Content) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cached, c.chunk = -1, nil
	return nil
}

// readerAt is the source for the section of a Content.
type readerAt struct{ c *Content }

func (r readerAt) ReadAt(p []byte, off int64) (n int, err error) {
	r.c.mu.Lock()
	defer r.c.mu.Unlock()
	for n < len(p) && off < r.c.size {
		if err := r.c.load(off / chunkSize); err != nil {
			return n, err
		}
		copied := copy(p[n:], r.c.chunk[off%chunkSize:])
		n += copied
		off += int64(copied)
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (c *Content) load(n int64) error {
	if c.cached == n {
		return nil
	}
	err := c.q.QueryRow(c.ctx, `select data from vnf_pkg_chunk where content_id = @content and n = @n`,
		pgx.NamedArgs{"content": c.id, "n": n}).Scan(&c.chunk)
	if err != nil {
		c.cached = -1
		return interpretMissing("read an archive", err,
			lcm.Errorf(lcm.KindConflict, "The archive was replaced or deleted while it was read."))
	}
	if want := min(chunkSize, c.size-n*chunkSize); int64(len(c.chunk)) != want {
		c.cached = -1
		return fmt.Errorf("chunk %d of archive %d has %d bytes, not %d", n, c.id, len(c.chunk), want)
	}
	c.cached = n
	return nil
}

// SavePackageFiles replaces the package's files for activities.
func (s *Store) SavePackageFiles(ctx context.Context, id lcm.VnfPkgID, files iter.Seq2[lcm.PkgArtifact, []byte]) error {
	err := s.inTransaction(ctx, "store the files of a package", func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `delete from vnf_pkg_file where vnf_pkg_id = @id`, pgx.NamedArgs{"id": id}); err != nil {
			return err
		}
		for file, data := range files {
			if len(data) > largestFile {
				return lcm.Errorf(lcm.KindInvalid, "The file %s has %d MiB; Windlass keeps files of up to %d MiB.", file.Path,
					len(data)>>20, largestFile>>20)
			}
			_, err := tx.Exec(ctx, `insert into vnf_pkg_file (vnf_pkg_id, path, data) values (@id, @path, @data)`,
				pgx.NamedArgs{"id": id, "path": file.Path, "data": notNil(data)})
			if violates(err, "vnf_pkg_file_pkey") {
				return lcm.Errorf(lcm.KindInvalid, "The package has the file %s twice.", file.Path)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if violates(err, "vnf_pkg_file_vnf_pkg_id_fkey") {
		return notFound("VNF package", id)
	}
	return err
}

// notNil turns nil into an empty file, because the driver would send nil as null.
func notNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// PackageFile reads one file of the package, if the context sees it.
func (s *Store) PackageFile(ctx context.Context, id lcm.VnfPkgID, path string) (data []byte, err error) {
	err = s.pool.QueryRow(ctx, `
		select data from vnf_pkg_file where path = @path and vnf_pkg_id = (select id from vnf_pkg where id = @id and`+ofProject+`)`,
		owned(ctx, pgx.NamedArgs{"id": id, "path": path})).Scan(&data)
	return data, interpretMissing("read a file of a package", err,
		lcm.Errorf(lcm.KindNotFound, "VNF package %s has no file %s.", id, path))
}

// Limits for a folder that is read at once.
const (
	mostFiles     = 2000
	largestFolder = 16 << 20
)

// PackageFolder reads the files in a folder of the package, if the context sees it, by their paths below the folder.
func (s *Store) PackageFolder(ctx context.Context, id lcm.VnfPkgID, folder string) (files map[string][]byte, err error) {
	const below = ` from vnf_pkg_file where starts_with(path, @folder) and vnf_pkg_id = (select id from vnf_pkg where id = @id and`
	folder = strings.TrimSuffix(folder, "/") + "/"
	args := owned(ctx, pgx.NamedArgs{"id": id, "folder": folder})
	var count, size int64
	err = s.pool.QueryRow(ctx, `select count(*), coalesce(sum(length(data)), 0)`+below+ofProject+`)`, args).Scan(&count, &size)
	switch {
	case err != nil:
		return nil, interpret("read a folder of a package", err)
	case count == 0:
		return nil, lcm.Errorf(lcm.KindNotFound, "VNF package %s has no folder %s.", id, folder)
	case count > mostFiles || size > largestFolder:
		return nil, lcm.Errorf(lcm.KindInvalid, "The folder %s of VNF package %s has %d files with %d MiB; Windlass reads up to "+
			"%d files with %d MiB.", folder, id, count, size>>20, mostFiles, largestFolder>>20)
	}
	rows, err := s.pool.Query(ctx, `select path, data`+below+ofProject+`)`, args)
	if err != nil {
		return nil, interpret("read a folder of a package", err)
	}
	files = map[string][]byte{}
	var path string
	var data []byte
	_, err = pgx.ForEachRow(rows, []any{&path, &data}, func() error {
		files[strings.TrimPrefix(path, folder)] = bytes.Clone(data)
		return nil
	})
	return files, interpret("read a folder of a package", err)
}
