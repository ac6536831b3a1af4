package config

import (
	"bytes"
	"os"
	"strings"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
)

// Repository is a in the words of a request; nil without a URL.
func (a Apt) Repository() *k8s.AptRepository {
	if a.URL == "" {
		return nil
	}
	return &k8s.AptRepository{URL: a.URL, Suite: a.Suite, Component: a.Component, Version: a.Version, Trusted: a.Trusted}
}

// finishApt checks the repository as a whole, by the rules for requests, and reads its key.
func (l *loader) finishApt() {
	apt := &l.config.Kubernetes.Apt
	repository := apt.Repository()
	if repository == nil {
		for _, name := range []string{"component", "version", "keyFile"} {
			if place := l.placeOf("kubernetes.apt." + name); place != "" {
				l.problem(place, "describes a repository, but kubernetes.apt.url is missing")
			}
		}
		return
	}
	for _, p := range repository.Problems() {
		key := "kubernetes.apt." + p.Path
		place := l.placeOf(key)
		if place == "" {
			place = key
		}
		l.problem(place, strings.TrimSuffix(p.Detail, "."))
	}
	l.readAptKey(apt)
}

func (l *loader) readAptKey(apt *Apt) {
	if apt.KeyFile == "" {
		if !apt.Trusted {
			l.problem("kubernetes.apt.keyFile",
				"is missing: name the file with the repository's key, or set kubernetes.apt.trusted")
		}
		return
	}
	place := l.placeOf("kubernetes.apt.keyFile")
	key, err := os.ReadFile(apt.KeyFile)
	switch {
	case err != nil:
		l.problem(place, "cannot be read: "+err.Error())
	case !bytes.Contains(key, []byte("-----BEGIN PGP PUBLIC KEY BLOCK-----")):
		l.problem(place, "is "+apt.KeyFile+", which holds no armored public key")
	default:
		apt.Key = key
	}
}

// placeOf names where a setting was given, "" when it was not.
func (l *loader) placeOf(key string) string {
	for _, s := range settings {
		if s.key == key {
			_, place := l.find(s)
			return place
		}
	}
	return ""
}
