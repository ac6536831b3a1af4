package fake

import (
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pkg/sftp"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// home is the working directory of every login.
const home = "/home/debian"

// files is a machine's disk. It stores no directories: a path is a directory if a file lies below it.
type files struct {
	mu  sync.Mutex
	all map[string]file
}

type file struct {
	content []byte
	mode    uint32
	writes  int
	at      time.Time
}

func newFiles() *files { return &files{all: map[string]file{}} }

// absolute resolves a path relative to the login directory.
func absolute(name string) string {
	if !path.IsAbs(name) {
		name = path.Join(home, name)
	}
	return path.Clean(name)
}

func (f *files) write(name string, content []byte, mode uint32) {
	f.mu.Lock()
	defer f.mu.Unlock()
	name = absolute(name)
	f.all[name] = file{content: content, mode: mode, writes: f.all[name].writes + 1, at: time.Now()}
}

// note appends a line to a file, and returns how often the file has it.
func (f *files) note(name, line string) (times int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	name = absolute(name)
	before := f.all[name]
	content := append(slices.Clone(before.content), line+"\n"...)
	f.all[name] = file{content: content, mode: 0o644, writes: before.writes + 1, at: time.Now()}
	for other := range strings.Lines(string(content)) {
		if other == line+"\n" {
			times++
		}
	}
	return times
}

func (f *files) read(name string) (file, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	found, ok := f.all[absolute(name)]
	return found, ok
}

// below returns the files whose paths begin with prefix, in order.
func (f *files) below(prefix string) (names []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for name := range f.all {
		if strings.HasPrefix(name, prefix) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (f *files) chmod(name string, mode uint32) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if found, ok := f.all[absolute(name)]; ok {
		found.mode = mode
		f.all[absolute(name)] = found
	}
}

// remove deletes a file, or everything below a directory.
func (f *files) remove(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	name = absolute(name)
	for other := range f.all {
		if other == name || strings.HasPrefix(other, name+"/") {
			delete(f.all, other)
		}
	}
}

// Files returns the files of a machine whose paths begin with below, with their contents.
func (h *Hypervisor) Files(id, below string) (map[string]string, error) {
	h.mu.Lock()
	m := h.machines[id]
	h.mu.Unlock()
	if m == nil {
		return nil, lcm.Errorf(lcm.KindNotFound, "there is no machine %s", id)
	}
	found := map[string]string{}
	for _, name := range m.files.below(below) {
		content, _ := m.ReadFile(name)
		found[name] = string(content)
	}
	return found, nil
}

// sftpHandlers serve the disk over SFTP: whole files and chmod, because Windlass uses only these.
func (f *files) sftpHandlers() sftp.Handlers {
	return sftp.Handlers{FileGet: f, FilePut: f, FileCmd: f, FileList: f}
}

// Fileread implements sftp.FileReader.
func (f *files) Fileread(r *sftp.Request) (io.ReaderAt, error) {
	found, ok := f.read(r.Filepath)
	if !ok {
		return nil, os.ErrNotExist
	}
	return strings.NewReader(string(found.content)), nil
}

// Filewrite implements sftp.FileWriter.
func (f *files) Filewrite(r *sftp.Request) (io.WriterAt, error) {
	f.write(r.Filepath, nil, 0o644)
	return &upload{files: f, name: absolute(r.Filepath)}, nil
}

// upload collects blocks in any order, and writes the file at the end.
type upload struct {
	files   *files
	name    string
	mu      sync.Mutex
	content []byte
}

func (u *upload) WriteAt(p []byte, at int64) (int, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if missing := int(at) + len(p) - len(u.content); missing > 0 {
		u.content = append(u.content, make([]byte, missing)...)
	}
	return copy(u.content[at:], p), nil
}

// Close is called by the SFTP server.
func (u *upload) Close() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	mode := uint32(0o644)
	if f, ok := u.files.read(u.name); ok {
		mode = f.mode
	}
	u.files.write(u.name, u.content, mode)
	return nil
}

// Filecmd implements sftp.FileCmder.
func (f *files) Filecmd(r *sftp.Request) error {
	switch r.Method {
	case "Setstat":
		if r.AttrFlags().Permissions {
			f.chmod(r.Filepath, uint32(r.Attributes().FileMode().Perm()))
		}
	case "Remove", "Rmdir":
		f.remove(r.Filepath)
	case "Rename", "PosixRename":
		found, ok := f.read(r.Filepath)
		if !ok {
			return os.ErrNotExist
		}
		f.remove(r.Filepath)
		f.write(r.Target, found.content, found.mode)
	case "Mkdir":
	default:
		return sftp.ErrSSHFxOpUnsupported
	}
	return nil
}

// Filelist implements sftp.FileLister.
func (f *files) Filelist(r *sftp.Request) (sftp.ListerAt, error) {
	found, ok := f.read(r.Filepath)
	switch {
	case r.Method == "List":
		return f.list(absolute(r.Filepath)), nil
	case !ok:
		return nil, os.ErrNotExist
	}
	return listing{entry{path.Base(r.Filepath), found}}, nil
}

func (f *files) list(dir string) listing {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all listing
	for name, found := range f.all {
		if path.Dir(name) == dir {
			all = append(all, entry{path.Base(name), found})
		}
	}
	slices.SortFunc(all, func(a, b fs.FileInfo) int { return strings.Compare(a.Name(), b.Name()) })
	return all
}

type listing []fs.FileInfo

func (l listing) ListAt(to []fs.FileInfo, at int64) (int, error) {
	if at >= int64(len(l)) {
		return 0, io.EOF
	}
	n := copy(to, l[at:])
	if n < len(to) {
		return n, io.EOF
	}
	return n, nil
}

type entry struct {
	name string
	file file
}

func (e entry) Name() string       { return e.name }
func (e entry) Size() int64        { return int64(len(e.file.content)) }
func (e entry) Mode() fs.FileMode  { return fs.FileMode(e.file.mode) }
func (e entry) ModTime() time.Time { return e.file.at }
func (e entry) IsDir() bool        { return false }
func (e entry) Sys() any           { return nil }

// File returns a file on a machine's disk: its content, its permissions and how often it was written.
func (h *Hypervisor) File(machineID, name string) (content []byte, mode uint32, writes int) {
	m, err := h.machine(machineID)
	if err != nil {
		return nil, 0, 0
	}
	f, _ := m.files.read(name)
	return f.content, f.mode, f.writes
}
