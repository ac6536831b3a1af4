package userdata

// refusedHere are calls that only this architecture has.
var refusedHere []string
