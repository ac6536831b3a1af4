package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// wanted is what to make.
type wanted struct {
	args     []string // of the demo
	host     bool     // Debian packages
	image    bool     // the image of real machines
	programs []string // nil: all
}

// read reads the command line.
func read(args []string) (wanted, error) {
	switch {
	case len(args) > 0 && args[0] == "demo":
		return forDemo(args[1:]), nil
	case len(args) > 1 && args[0] == "programs":
		return wanted{programs: args[1:]}, nil
	}
	return wanted{}, errors.New("usage: bringup demo [ARGUMENTS OF THE DEMO] | bringup programs NAME [NAME]")
}

// forDemo reads what matters here of the demo's arguments, as tools/prerequisites.sh does. The demo itself refuses wrong
// arguments.
func forDemo(args []string) wanted {
	w, exit, cloud, machines := wanted{args: args}, false, "lab", "nspawn"
	for i, arg := range args {
		name, value, assigned := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if !assigned && i+1 < len(args) {
			value = args[i+1]
		}
		switch {
		case !strings.HasPrefix(arg, "-"):
		case name == "exit", name == "h", name == "help":
			exit = true // nothing is brought up
		case name == "cloud":
			cloud = value
		case name == "machines":
			machines = value
		}
	}
	w.host = !exit
	w.image = !exit && cloud == "lab" && machines == "nspawn"
	if exit && cloud == "lab" {
		w.programs = []string{"windlass-lab", "demo"} // they remove everything
	}
	return w
}

func (w wanted) opening() string {
	if w.image {
		return "Building Windlass, and the machines' image from Go modules and Debian packages. The first time, this takes " +
			"minutes."
	}
	return "Building Windlass from Go modules. The first time, this takes minutes."
}

// root finds the checkout that the working directory is in.
func root() (string, error) {
	dir, err := os.Getwd()
	for ; err == nil && dir != "/"; dir = filepath.Dir(dir) {
		b, readErr := os.ReadFile(filepath.Join(dir, "go.mod"))
		if readErr == nil && bytes.HasPrefix(b, []byte("module github.com/windlass-nfv/windlass\n")) {
			return dir, nil
		}
	}
	return "", errors.Join(err, errors.New("run this in a checkout of Windlass"))
}
