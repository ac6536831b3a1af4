package vnfpkg

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
	// MaxYAMLSize is the size of a definition or a template; default 1 MiB.
	MaxYAMLSize int64
	// MaxYAMLNodes counts the values of one YAML file with its aliases expanded; default 50,000.
	MaxYAMLNodes int
	// MaxYAMLExpanded is the size of one YAML file's texts with its aliases expanded; default 4 MiB.
	MaxYAMLExpanded int64
	// MaxYAMLDepth is how deep values of one YAML file may be nested; default 64.
	MaxYAMLDepth int
}

const (
	kib = 1 << 10
	mib = 1 << 20
	gib = 1 << 30

	// maxCount bounds instances and scale levels, so that no sum of them overflows.
	maxCount = 10_000
	// maxItems bounds VDUs, aspects, levels, steps and flavours, which are multiplied with each other.
	maxItems = 100
	// maxPackageYAML is how many times MaxYAMLNodes all definitions and templates may have together.
	maxPackageYAML = 4
	// maxProblems bounds the answer to a package that is wrong throughout.
	maxProblems = 100
)

func (l Limits) withDefaults() Limits {
	fill(&l.MaxEntries, 4096)
	fill(&l.MaxTotalSize, 64*gib)
	fill(&l.MaxRatio, 200)
	fill(&l.MaxFileSize, 16*mib)
	fill(&l.MaxKeptSize, 256*mib)
	fill(&l.MaxYAMLSize, mib)
	fill(&l.MaxYAMLNodes, 50_000)
	fill(&l.MaxYAMLExpanded, 4*mib)
	fill(&l.MaxYAMLDepth, 64)
	return l
}

func fill[T int | int64](field *T, value T) {
	if *field <= 0 {
		*field = value
	}
}
