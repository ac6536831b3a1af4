package archive

import (
	"cmp"

	"github.com/windlass-nfv/windlass/vnfpkg/document"
)

// Limits bound what a package may make Windlass read. A zero field means its default, so that Limits{}
// is what servers use.
type Limits struct {
	// MaxEntries is the number of files in the archive; default 4096.
	MaxEntries int
	// MaxTotalSize is the size of all files together when unpacked; default 64 GiB, for images.
	MaxTotalSize int64
	// MaxRatio is how many times larger a file may be than its compressed form; default 200. Files up
	// to 1 MiB are free: a template of blanks does no harm.
	MaxRatio int64
	// MaxFileSize is the size of a file that is kept for activities: templates, manifests, scripts;
	// default 16 MiB. Larger ones are only digested.
	MaxFileSize int64
	// MaxKeptSize is the size of all files together that are kept for activities; default 256 MiB.
	MaxKeptSize int64
	// YAML bounds each definition and template.
	YAML document.Limits
}

// maxPackageYAML is how many times YAML.MaxNodes all definitions and templates may have together.
const maxPackageYAML = 4

func (l Limits) withDefaults() Limits {
	l.MaxEntries = cmp.Or(l.MaxEntries, 4096)
	l.MaxTotalSize = cmp.Or(l.MaxTotalSize, 64<<30)
	l.MaxRatio = cmp.Or(l.MaxRatio, 200)
	l.MaxFileSize = cmp.Or(l.MaxFileSize, 16<<20)
	l.MaxKeptSize = cmp.Or(l.MaxKeptSize, 256<<20)
	l.YAML = l.YAML.WithDefaults()
	return l
}
