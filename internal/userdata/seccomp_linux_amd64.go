package userdata

// refusedHere are older calls that only this architecture has.
var refusedHere = []string{
	"fork", "vfork", "chmod", "chown", "lchown", "utime", "utimes", "futimesat", "ioperm", "iopl", "modify_ldt", "uselib",
}
