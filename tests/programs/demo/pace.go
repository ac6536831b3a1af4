package main

// acting are the arguments of a lab whose machines are simulated: at a speed that people can follow, and with addresses
// that no test uses.
var acting = []string{"--pace", "lifelike", "--net0", "127.80.0.0/20", "--public", "127.80.255.0/24"}
