package fake

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/windlass-nfv/windlass/internal/remote/runner"
)

// exec acts out one command line of the runner's protocol and returns its exit status.
func (m *Machine) exec(ctx context.Context, user, line string, channel ssh.Channel) uint32 {
	request, ok := runner.Parse(line)
	if !ok {
		_, _ = fmt.Fprintf(channel.Stderr(), "bash: this fake machine runs Windlass's own commands only: %.200s\n", line)
		return 127
	}
	stdin := bufio.NewReader(channel)
	if request.Password {
		if _, err := stdin.ReadString('\n'); err != nil {
			return 1
		}
	}
	s := &session{m: m, ctx: ctx, channel: channel, stdin: stdin, base: request.Base}
	switch request.Verb {
	case "probe":
		_, _ = io.WriteString(channel, map[bool]string{true: "0\n", false: "1000\n"}[user == "root"]+runner.ProbeSudo+"\n")
		return 0
	case "true":
		return 0
	case "install":
		return s.install()
	}
	if _, installed := m.files.read(s.base + "/" + runner.Name()); !installed {
		_, _ = fmt.Fprintf(channel.Stderr(), "bash: %s/%s: No such file or directory\n", s.base, runner.Name())
		return 127
	}
	return s.call(request.Verb, request.Args)
}

// session is one call of the runner.
type session struct {
	m       *Machine
	ctx     context.Context //nolint:containedctx // ends with the SSH session
	channel ssh.Channel
	stdin   io.Reader
	base    string
}

func (s *session) say(r runner.Reply) { _, _ = io.WriteString(s.channel.Stderr(), r.String()) }

func (s *session) fail(code uint32, sentence string) uint32 {
	s.say(runner.Reply{Word: "error", Rest: sentence})
	return code
}

func (s *session) state(state string) uint32 {
	s.say(runner.Reply{Word: "state", Rest: state})
	return 0
}

func (s *session) install() uint32 {
	content, err := io.ReadAll(s.stdin)
	if err != nil || string(content) != runner.Script {
		return s.fail(1, "the runner was cut short")
	}
	// All machines share this one copy: there may be hundreds of them.
	s.m.files.write(s.base+"/"+runner.Name(), sharedRunner, 0o600)
	return 0
}

var sharedRunner = []byte(runner.Script)

// arguments is the number of arguments of each verb.
var arguments = map[string]int{
	"start": 3, "follow": 3, "kill": 2, "ack": 2, "settle": 1, "forget": 1, "check": 1, "put": 4, "get": 2,
}

func (s *session) call(verb string, args []string) uint32 {
	if count, known := arguments[verb]; !known || len(args) != count {
		return s.fail(64, "unknown verb "+verb)
	}
	switch verb {
	case "start":
		return s.start(args[0], args[1], args[2])
	case "follow":
		return s.resume(args[0], args[1], args[2])
	case "kill":
		return s.kill(args[0], args[1])
	case "ack":
		s.m.ack(s.key(args[0]), args[1])
		return 0
	case "settle":
		return s.tidy(s.m.settle(s.key(args[0])))
	case "forget":
		return s.tidy(s.m.forget(s.key(args[0])))
	case "check":
		return s.check(args[0])
	case "put":
		return s.put(args[0], args[1], args[2], args[3])
	}
	return s.get(args[0], args[1])
}

// key separates root's commands from the login user's commands.
func (s *session) key(id string) string { return s.base + "/run/" + id }

func (s *session) start(id, token, deadline string) uint32 {
	script, stdin, err := runner.ReadUpload(s.stdin)
	if err != nil {
		return s.fail(runner.ExitBadUpload, err.Error())
	}
	seconds, err := strconv.Atoi(deadline)
	if err != nil {
		return s.fail(64, "bad deadline")
	}
	r, cancelled := s.m.start(s.key(id), token, script, stdin, time.Duration(seconds)*time.Second)
	if cancelled {
		return s.state(runner.Cancelled)
	}
	return s.follow(r, 0)
}

func (s *session) resume(id, token, offset string) uint32 {
	from, err := strconv.Atoi(offset)
	r := s.m.run(s.key(id))
	if r == nil || err != nil || r.attempt != token {
		return s.state(runner.Lost)
	}
	return s.follow(r, from)
}

// beat is the interval of a follower's heartbeat, as in the real runner.
const beat = 5 * time.Second

func (s *session) follow(r *run, offset int) uint32 {
	s.say(runner.Reply{Word: "attempt", Rest: r.attempt})
	_, _ = io.WriteString(s.channel, runner.Begin)
	ticker := time.NewTicker(beat)
	defer ticker.Stop()
	for {
		chunk, ended, more := r.output(offset)
		if len(chunk) > 0 {
			if _, err := s.channel.Write(chunk); err != nil {
				return 1
			}
			offset += len(chunk)
			continue
		}
		if ended {
			break
		}
		select {
		case <-more:
		case <-ticker.C:
			s.say(runner.Reply{Word: "beat"})
		case <-s.ctx.Done():
			return 1
		}
	}
	if r.lost {
		return s.state(runner.Lost)
	}
	if apart, ok := r.apart(); ok {
		s.say(runner.Stdout(apart))
	}
	s.say(runner.RC(r.code, r.why))
	return 0
}

func (s *session) kill(id, token string) uint32 {
	if !s.m.kill(s.ctx, s.key(id), token) {
		return s.fail(runner.ExitBusy, "the command does not end")
	}
	return s.state(runner.Killed)
}

func (s *session) tidy(done bool) uint32 {
	if !done {
		return s.fail(runner.ExitBusy, "the command still runs")
	}
	return 0
}

func (s *session) check(path string) uint32 {
	f, ok := s.m.files.read(path)
	if !ok {
		return s.state(runner.Absent)
	}
	sum := sha256.Sum256(f.content)
	s.say(runner.Reply{Word: "file", Rest: strconv.FormatUint(uint64(f.mode), 8) + " " + hex.EncodeToString(sum[:])})
	return 0
}

func (s *session) put(staged, path, mode, sum string) uint32 {
	var content []byte
	if staged == "-" {
		var err error
		if content, err = io.ReadAll(s.stdin); err != nil {
			return s.fail(runner.ExitBadUpload, "the upload was cut short")
		}
	} else {
		f, _ := s.m.files.read(staged)
		content = f.content
		if strings.Contains(staged, "/upload-") {
			s.m.files.remove(staged)
		}
	}
	permissions, err := strconv.ParseUint(mode, 8, 12)
	if got := sha256.Sum256(content); err != nil || hex.EncodeToString(got[:]) != sum {
		return s.fail(runner.ExitBadUpload, "the upload was cut short")
	}
	s.m.files.write(path, content, uint32(permissions))
	return 0
}

func (s *session) get(path, limit string) uint32 {
	f, ok := s.m.files.read(path)
	if !ok {
		return s.state(runner.Absent)
	}
	most, err := strconv.Atoi(limit)
	if err != nil {
		return s.fail(64, "bad limit")
	}
	_, _ = io.WriteString(s.channel, runner.Begin)
	_, _ = s.channel.Write(f.content[:min(len(f.content), most+1)])
	return 0
}
