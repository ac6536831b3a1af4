package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/windlass-nfv/windlass/deployments/lab/mountnfs/nfs3"
)

// options are what mount(8) hands over.
type options struct {
	source, dir         string
	target              nfs3.Target
	flags               uintptr // of mount(2)
	sync, fake          bool
	readSize, writeSize uint32
	// attributes is for how long the kernel believes what it knows of a file.
	attributes time.Duration
}

// softPatience is how long a soft mount waits for its server; a hard one waits for ever.
const softPatience = 3 * time.Minute

// parseArgs reads mount(8)'s call: SOURCE DIRECTORY [-sfnv] [-o OPTIONS].
func parseArgs(args []string) (options, error) {
	o := options{attributes: time.Second}
	var plain, given []string
	var sloppy bool
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "-o" || arg == "-t" || arg == "-N":
			i++
			if i == len(args) {
				return o, fmt.Errorf("%s needs a value", arg)
			}
			if arg == "-o" {
				given = append(given, args[i])
			}
		case strings.HasPrefix(arg, "-") && strings.Trim(arg[1:], "sfnvrw") == "":
			sloppy = sloppy || strings.Contains(arg, "s")
			o.fake = o.fake || strings.Contains(arg, "f")
			if strings.Contains(arg, "r") {
				o.flags |= unix.MS_RDONLY
			}
		case strings.HasPrefix(arg, "-"):
			return o, fmt.Errorf("unknown argument %s", arg)
		default:
			plain = append(plain, arg)
		}
	}
	if len(plain) != 2 {
		return o, errors.New("usage: mount.nfs HOST:/EXPORT DIRECTORY [-rwfsnv] [-o OPTIONS]")
	}
	o.source, o.dir = plain[0], plain[1]
	host, export, found := strings.Cut(o.source, ":/")
	if !found || host == "" {
		return o, fmt.Errorf("%q is not HOST:/EXPORT", o.source)
	}
	o.target.Host, o.target.Export = strings.Trim(host, "[]"), "/"+export
	return o, o.parse(strings.Join(given, ","), sloppy)
}

func (o *options) parse(text string, sloppy bool) error {
	for option := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(option), "=")
		known, err := o.set(name, value)
		if err != nil {
			return fmt.Errorf("option %s: %w", option, err)
		}
		if !known && !sloppy {
			return fmt.Errorf("an incorrect mount option was specified: %s", option)
		}
	}
	return nil
}

// mountFlags are the options that mount(2) knows.
var mountFlags = map[string]uintptr{
	"ro": unix.MS_RDONLY, "nosuid": unix.MS_NOSUID, "nodev": unix.MS_NODEV, "noexec": unix.MS_NOEXEC,
	"noatime": unix.MS_NOATIME, "nodiratime": unix.MS_NODIRATIME, "relatime": unix.MS_RELATIME,
}

// ignored are options that this client needs not, or whose default it is.
var ignored = strings.Fields(`
	ac acl async auto bg defaults dev diratime exec fg fsc hard intr lookupcache local_lock lock minorversion mountproto
	mountvers namlen nconnect noacl noauto nofail nofsc nointr nolock noquota norelatime nordirplus noresvport nosharecache
	nouser owner quota rdirplus relatime resvport retrans retry rw sharecache strictatime suid tcp timeo user users _netdev
	acregmin acregmax acdirmin acdirmax addr clientaddr mountaddr mounthost sloppy group dirsync`)

func (o *options) set(name, value string) (known bool, err error) {
	if flag, is := mountFlags[name]; is {
		o.flags |= flag
		return true, nil
	}
	switch name {
	case "":
	case "sync":
		o.sync = true
	case "noac":
		o.attributes, o.sync = 0, true
	case "soft", "softerr":
		o.target.Patience = softPatience
	case "actimeo":
		return true, number(value, func(n int) { o.attributes = time.Duration(n) * time.Second })
	case "port":
		return true, number(value, func(n int) { o.target.Port = n })
	case "mountport":
		return true, number(value, func(n int) { o.target.MountPort = n })
	case "rsize":
		return true, number(value, func(n int) { o.readSize = uint32(n) })
	case "wsize":
		return true, number(value, func(n int) { o.writeSize = uint32(n) })
	case "vers", "nfsvers":
		return true, oneOf(value, "3", "4", "4.0", "4.1", "4.2")
	case "proto":
		return true, oneOf(value, "tcp", "tcp6")
	case "sec":
		return true, oneOf(value, "sys")
	case "context", "fscontext", "defcontext", "rootcontext", "comment":
	default:
		return strings.HasPrefix(name, "x-") || strings.HasPrefix(name, "X-") || slices.Contains(ignored, name), nil
	}
	return true, nil
}

func number(value string, set func(int)) error {
	n, err := strconv.Atoi(value)
	if err != nil || n < 0 {
		return fmt.Errorf("%q is not a number", value)
	}
	set(n)
	return nil
}

func oneOf(value string, known ...string) error {
	if !slices.Contains(known, value) {
		return fmt.Errorf("only %s is possible here", strings.Join(known, ", "))
	}
	return nil
}

// resolve looks the server's name up once: its address is what mount shows, and a name service that goes away later
// must not take the files with it.
func (o *options) resolve(ctx context.Context) error {
	if net.ParseIP(o.target.Host) != nil {
		return nil
	}
	addresses, err := net.DefaultResolver.LookupHost(ctx, o.target.Host)
	if err != nil {
		return fmt.Errorf("failed to resolve server %s: %w", o.target.Host, err)
	}
	o.target.Host = addresses[0]
	return nil
}
