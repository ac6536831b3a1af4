package main

var fakePace = []string{}
