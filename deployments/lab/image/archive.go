package image

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// archive is a container image to be: one layer of files of this host.
type archive struct {
	Tag        string
	Entrypoint []string
	Files      []archiveFile
}

// archiveFile puts a file, or a whole directory, at a path in the image.
type archiveFile struct{ Source, Target string }

// epoch makes archives of the same files the same: containerd then has their layers already.
var epoch = time.Unix(1767225600, 0).UTC()

// write makes a tar as of "docker save", which containerd imports without a registry.
func (a archive) write(file string) error {
	layer, err := os.CreateTemp(filepath.Dir(file), ".layer-")
	if err != nil {
		return err
	}
	defer os.Remove(layer.Name())
	defer layer.Close()
	sum := sha256.New()
	lw := layerWriter{tar: tar.NewWriter(io.MultiWriter(layer, sum)), made: map[string]bool{}}
	for _, f := range a.Files {
		if err := lw.addTree(f.Source, strings.TrimPrefix(path.Clean("/"+f.Target), "/")); err != nil {
			return err
		}
	}
	if err := lw.parents("tmp/x"); err != nil {
		return err
	}
	if err := lw.tar.Close(); err != nil {
		return err
	}
	return a.writeOuter(file, layer, "sha256:"+hex.EncodeToString(sum.Sum(nil)))
}

func (a archive) writeOuter(file string, layer *os.File, diffID string) error {
	config, err := json.Marshal(map[string]any{
		"architecture": runtime.GOARCH, "os": "linux", "created": epoch,
		"config": map[string]any{
			"Env":        []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
			"Entrypoint": a.Entrypoint,
		},
		"rootfs":  map[string]any{"type": "layers", "diff_ids": []string{diffID}},
		"history": []any{map[string]any{"created": epoch, "created_by": "windlass-lab"}},
	})
	if err != nil {
		return err
	}
	sum := sha256.Sum256(config)
	configName := hex.EncodeToString(sum[:]) + ".json"
	manifest, err := json.Marshal([]any{map[string]any{
		"Config": configName, "RepoTags": []string{a.Tag}, "Layers": []string{"layer.tar"},
	}})
	if err != nil {
		return err
	}
	size, err := layer.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if _, err := layer.Seek(0, io.SeekStart); err != nil {
		return err
	}
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	defer out.Close()
	w := tar.NewWriter(out)
	for _, part := range []struct {
		name string
		size int64
		from io.Reader
	}{
		{configName, int64(len(config)), bytes.NewReader(config)},
		{"manifest.json", int64(len(manifest)), bytes.NewReader(manifest)},
		{"layer.tar", size, layer},
	} {
		header := tar.Header{Name: part.name, Mode: 0o644, Size: part.size, ModTime: epoch, Format: tar.FormatPAX}
		if err := w.WriteHeader(&header); err != nil {
			return err
		}
		if _, err := io.Copy(w, part.from); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return out.Close()
}

type layerWriter struct {
	tar  *tar.Writer
	made map[string]bool
}

// addTree adds in WalkDir's order, which is always the same.
func (w layerWriter) addTree(source, target string) error {
	return filepath.WalkDir(source, func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(source, p)
		if err != nil {
			return err
		}
		name := path.Join(target, rel)
		if w.made[name] {
			return nil
		}
		w.made[name] = true
		if err := w.parents(name); err != nil {
			return err
		}
		return w.add(p, name)
	})
}

func (w layerWriter) add(source, name string) error {
	info, err := os.Lstat(source)
	if err != nil {
		return err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		link, err := os.Readlink(source)
		if err != nil {
			return err
		}
		return w.tar.WriteHeader(&tar.Header{
			Typeflag: tar.TypeSymlink, Name: name, Linkname: link, Mode: 0o777, ModTime: epoch,
		})
	}
	f, err := os.Open(source)
	if err != nil {
		return err
	}
	defer f.Close()
	err = w.tar.WriteHeader(&tar.Header{Name: name, Mode: int64(info.Mode().Perm()), Size: info.Size(), ModTime: epoch})
	if err != nil {
		return err
	}
	_, err = io.Copy(w.tar, f)
	return err
}

func (w layerWriter) parents(name string) error {
	for i, c := range name {
		if c != '/' || w.made[name[:i]] {
			continue
		}
		dir := name[:i]
		w.made[dir] = true
		mode := int64(0o755)
		if dir == "tmp" {
			mode = 0o1777
		}
		if err := w.tar.WriteHeader(&tar.Header{
			Typeflag: tar.TypeDir, Name: dir + "/", Mode: mode, ModTime: epoch,
		}); err != nil {
			return err
		}
	}
	return nil
}
