package main

var noWork, fixedWork = []string{}, []string{}
